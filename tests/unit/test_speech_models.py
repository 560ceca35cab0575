"""The fetched models themselves: they hear, speak, find speech and judge turns. Fails, with the remedy, where they are absent."""

from __future__ import annotations

import re

import numpy as np
import pytest

from ridealong.cloud.frontends.cascade.audio import PEAK, Floats, floats_from_pcm16, resample, true_peak
from ridealong.cloud.frontends.cascade.ct2_file import arrays_in
from ridealong.cloud.frontends.cascade.loudness import integrated_lufs
from ridealong.cloud.frontends.cascade.models import ModelCache
from ridealong.cloud.frontends.cascade.numbers_en import speakable
from ridealong.cloud.frontends.cascade.speech_models import SpeechModels, load
from ridealong.cloud.frontends.cascade.tuned_hearing import TUNED, changes_of, tuned_files
from ridealong.errors import UserError

pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def models() -> SpeechModels:
    loaded = load()
    loaded.check()
    return loaded


def spoken(models: SpeechModels, text: str, locale: str, voice: str | None = None) -> Floats:
    said = models.synthesiser.synthesise(text, locale, voice)
    quiet = np.zeros(8_000, dtype=np.float32)
    return np.concatenate([quiet, resample(floats_from_pcm16(said.pcm.tobytes()), said.rate, 16_000), quiet])


@pytest.mark.parametrize(
    ("text", "voice", "heard"),
    [
        ("Set the temperature to twenty-two and a half degrees.", "af_heart", "22.5 degrees"),
        ("Open the rear left window halfway.", "bf_emma", "rear left window halfway"),
        ("Navigate to 14 Baker Street, please.", "bm_george", "14 Baker Street"),
        ("No, make it twenty.", "am_michael", "20"),
    ],
)
def test_what_we_say_in_english_is_heard(models: SpeechModels, text: str, voice: str, heard: str) -> None:
    found = models.recogniser.transcribe(spoken(models, text, "en", voice))
    assert found.locale == "en" and heard.casefold() in found.text.casefold(), found
    assert found.confidence > 0.5 and found.no_speech < 0.5


@pytest.mark.parametrize(("text", "heard"), [("把空调调到二十二度半。", "空调调到"), ("打开左后车窗一半。", "左后车窗一半")])
def test_what_we_say_in_chinese_is_heard_in_simplified_characters(models: SpeechModels, text: str, heard: str) -> None:
    found = models.recogniser.transcribe(spoken(models, text, "zh"))
    assert found.locale == "zh" and heard in found.text, found


def test_the_language_follows_the_speech_and_not_the_hint(models: SpeechModels) -> None:
    assert models.recogniser.transcribe(spoken(models, "Close all the windows, please.", "en"), hint="zh").locale == "en"
    assert models.recogniser.transcribe(spoken(models, "把所有的车窗都关上。", "zh"), hint="en").locale == "zh"


@pytest.mark.parametrize("level", [0.0, 0.02, 0.1])
def test_silence_and_noise_say_nothing(models: SpeechModels, level: float) -> None:
    noise = (np.random.default_rng(0).standard_normal(32_000) * level).astype(np.float32)
    assert models.recogniser.transcribe(noise).text == ""
    assert not any(frame.probability > 0.5 for frame in models.vad_session.stream().feed(noise))


def test_speech_is_found_where_it_is_whatever_the_slices(models: SpeechModels) -> None:
    audio = np.concatenate([np.zeros(16_000, dtype=np.float32), spoken(models, "Open the rear left window halfway.", "en")])
    audio = np.concatenate([audio, np.zeros(8_000, dtype=np.float32)])
    found = []
    for step in (3_200, 1_000):
        stream = models.vad_session.stream()
        frames = [frame for at in range(0, len(audio), step) for frame in stream.feed(audio[at : at + step])]
        found.append([frame.at for frame in frames if frame.probability >= 0.5])
    assert found[0] == found[1] and len(found[0]) > 20
    assert 18_000 < found[0][0] < 25_600 and found[0][-1] < len(audio) - 8_000


def test_a_turn_that_breaks_off_is_told_from_one_that_ends(models: SpeechModels) -> None:
    ended = spoken(models, "Navigate to the nearest charging station.", "en")[:-5_000]
    broken_off = spoken(models, "Set the temperature to, and um", "en")[:-5_000]
    assert models.turn.completed(ended) > 0.8
    assert models.turn.completed(broken_off) < 0.3


@pytest.mark.parametrize("voice", ["bf_emma", "zm_yunxi"])
def test_word_times_are_in_order_and_within_the_samples(models: SpeechModels, voice: str) -> None:
    said = models.synthesiser.synthesise("It is 22.5 °C. 现在二十二度。", "en", voice)
    assert said.words[0].word == "It" and said.words[-1].word.endswith("。")
    assert 1_000 < said.duration_ms < 8_000 and np.abs(said.pcm).max() > 3_000
    at = 0
    for word in said.words:
        assert at <= word.start < word.end <= len(said.pcm)
        at = word.end
    assert models.synthesiser.dropped_symbols == 0


def test_nothing_to_say_is_no_samples_and_an_unknown_voice_a_sentence(models: SpeechModels) -> None:
    assert len(models.synthesiser.synthesise("…", "en").pcm) == 0
    with pytest.raises(UserError, match="af_heart"):
        models.synthesiser.synthesise("Hello.", "en", "nobody")


def test_an_absent_model_is_named_with_the_remedy(tmp_path) -> None:  # type: ignore[no-untyped-def]
    absent = SpeechModels(ModelCache(tmp_path))
    with pytest.raises(UserError, match=r"silero_vad\.onnx is missing: run `ridealong models fetch`"):
        _ = absent.vad_session
    with pytest.raises(UserError, match=r"(\d+) of \1 model files are missing"):
        absent.check()


REPLIES = {
    "af_heart": (
        "Set to 22.5 degrees.", "Tyre pressure is low: front left 1.8, front right 1.9, rear right 1.9 bar.", "Navigating to the central station.",
        "I can't open the boot while we're moving.", "We have 461 kilometres of range left.",
    ),
    "zf_xiaoxiao": ("已设为24度。", "胎压偏低：左前1.8，右前1.9，右后1.9。", "正在导航到中央车站。", "行驶中不能打开后备箱。", "左后车窗关好了。"),
}  # fmt: skip


def test_both_languages_are_equally_loud(models: SpeechModels) -> None:
    """Of sentences by which the levels were not measured (tools/voice_levels.py)."""
    loudness = {}
    for voice, texts in REPLIES.items():
        locale = "zh" if voice.startswith("z") else "en"
        clips = [floats_from_pcm16(models.synthesiser.synthesise(text, locale, voice).pcm.tobytes()) for text in texts]
        assert max(map(true_peak, clips)) <= PEAK + 1e-4
        loudness[voice] = integrated_lufs(np.concatenate(clips), 24_000)
    assert abs(loudness["af_heart"] - loudness["zf_xiaoxiao"]) <= 1.5, loudness
    assert all(abs(lufs + 23.0) <= 1.5 for lufs in loudness.values()), loudness


@pytest.mark.parametrize("locale", TUNED)
def test_our_changes_are_of_the_fetched_model_and_of_its_linear_layers_alone(models: SpeechModels, locale: str) -> None:
    folder = models.cache.path("whisper-base/model.bin").parent
    published, tuned = (folder / "model.bin").read_bytes(), tuned_files(folder, locale)["model.bin"]
    changed = changes_of(locale)
    assert changed
    assert all("/linear_" in name and name.endswith("/weight") for name in changed)
    before, after = arrays_in(published), arrays_in(tuned)
    assert before == after
    moved = {name for name, place in before.items() if not np.array_equal(place.read(published), place.read(tuned))}
    assert moved == set(changed)


@pytest.mark.parametrize(
    "text",
    ["Open the sunroof halfway.", "Warm up the driver's seat, please.", "Which tyre is low?", "Turn the wipers to automatic."],
)
def test_english_of_the_car_is_heard_word_for_word(models: SpeechModels, text: str) -> None:
    found = models.recogniser.transcribe(spoken(models, text, "en"))
    assert words(found.text) == words(text)


@pytest.mark.parametrize("text", ["Yes.", "No.", "Stop.", "Okay.", "Twenty.", "The other one."])
def test_a_short_word_of_english_is_heard_as_such(models: SpeechModels, text: str) -> None:
    found = models.recogniser.transcribe(spoken(models, text, "en"))
    assert found.locale == "en" and words(speakable(found.text)) == words(text)


def words(text: str) -> list[str]:
    return re.findall(r"[a-z']+", text.casefold())


@pytest.mark.parametrize("text", ["打开前排车窗，温度调低两度。", "雨刮调到自动。", "给我的座椅加热开到最大。"])
def test_chinese_of_the_car_is_heard_character_for_character(models: SpeechModels, text: str) -> None:
    found = models.recogniser.transcribe(spoken(models, text, "zh"))
    assert [char for char in found.text if "\u4e00" <= char <= "\u9fff"] == [
        char for char in text if "\u4e00" <= char <= "\u9fff"
    ]


@pytest.mark.parametrize("text", ["好的。", "对。", "不要。", "二十度。", "再大点。"])
def test_a_short_word_of_chinese_is_heard_as_such(models: SpeechModels, text: str) -> None:
    found = models.recogniser.transcribe(spoken(models, text, "zh"))
    assert (found.locale, found.text.strip("。")) == ("zh", text.strip("。"))
