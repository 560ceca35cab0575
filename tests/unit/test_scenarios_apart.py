"""What was tuned on is not reported on: voices, texts, noises and recordings of the two splits. And what files may hold."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from scenario_material import english, studio, written

from ridealong.cloud.frontends.cascade.speak import DEFAULT_VOICES
from ridealong.errors import UserError
from ridealong.harness.polish import polish
from ridealong.simulators.scenarios.acoustics import Seat, active_level_db, at_level, rms, through, words_within
from ridealong.simulators.scenarios.generate import Studio
from ridealong.simulators.scenarios.noises import Event, event, road
from ridealong.simulators.scenarios.plan import Source, spoken_ms
from ridealong.simulators.scenarios.realise import shortened
from ridealong.simulators.scenarios.recordings import ambiences, looped, people, samples_of
from ridealong.simulators.scenarios.scenario import Intent, Kind, Split
from ridealong.simulators.scenarios.speech import Syllables
from ridealong.simulators.scenarios.texts import SHIPPED, bare, load_texts
from ridealong.simulators.scenarios.voices import BASES, VOICES, base_style, grown, voices_of

pytestmark = pytest.mark.unit

HZ = 16_000


def test_no_timbre_is_in_both_splits_nor_the_assistants() -> None:
    assert set(BASES[Split.TUNE]).isdisjoint(BASES[Split.REPORT])
    for voice in VOICES:
        assert {base for base, _ in voice.timbre} <= set(BASES[voice.split])
        assert {base for base, _ in voice.timbre}.isdisjoint(DEFAULT_VOICES.values())


def test_english_voices_share_nothing_and_chinese_melodies_are_never_the_same() -> None:
    english = {split: {base for voice in voices_of(split, "en") for base, _ in voice.prosody} for split in Split}
    assert english[Split.TUNE].isdisjoint(english[Split.REPORT])
    for tune in voices_of(Split.TUNE, "zh"):
        assert all(tune.prosody != report.prosody for report in voices_of(Split.REPORT, "zh"))
    assert all(dict(voice.prosody).get("zf_xiaoxiao", 0) < 0.75 for voice in VOICES)


def test_no_two_voices_are_alike_and_none_is_a_voice_of_the_assistant() -> None:
    assert len({voice.fingerprint() for voice in VOICES}) == len(VOICES) == len({voice.name for voice in VOICES})
    own = [base_style(name) for name in DEFAULT_VOICES.values()]
    for voice in VOICES:
        assert all(np.abs(voice.style() - style).mean() > 0.01 for style in own)
    for split in Split:
        assert len(grown(split, "en")) >= 4 and len(grown(split, "zh")) >= 3


def test_recordings_and_places_are_in_one_split_only() -> None:
    for split, other in combinations(Split, 2):
        voices = {one.voice for one in people() if one.split is split}
        assert voices and voices.isdisjoint(one.voice for one in people() if one.split is other)
        names = {one.name for one in ambiences() if one.split is split}
        assert names and names.isdisjoint(one.name for one in ambiences() if one.split is other)


def test_every_shipped_sound_can_be_read_and_is_listed() -> None:
    listed = {one.path for one in (*people(), *ambiences())}
    folder = next(iter(listed)).parent
    assert {path for path in folder.iterdir() if path.suffix in (".ogg", ".flac")} == listed
    assert all(rms(samples_of(path)) > 0.001 for path in listed)
    assert sum(path.stat().st_size for path in listed) < 4_000_000


def test_plans_use_what_belongs_to_their_split(tmp_path: Path) -> None:
    names = {}
    for split in Split:
        plans = studio(tmp_path, split).plans(1, 32, requests=8)
        lines = [line for plan in plans for line in plan.lines]
        assert set(Source) == {line.source for line in lines}
        names[split] = {line.who for line in lines if line.source is not Source.EVENT} | {plan.bed.ambience for plan in plans} - {
            ""
        }
        names[split] |= {line.text for line in lines} - {""} | {reply for plan in plans for reply in plan.replies}
    assert names[Split.TUNE].isdisjoint(names[Split.REPORT])


def spectrum_db(samples: np.ndarray) -> np.ndarray:
    power = np.abs(np.fft.rfft(samples)) ** 2
    hertz = np.fft.rfftfreq(len(samples), 1 / HZ)
    edges = 63 * 2.0 ** np.arange(0, 8)
    return np.array([10 * np.log10(power[(hertz >= low) & (hertz < 2 * low)].sum()) for low in edges[:-1]])


@pytest.mark.parametrize("split", list(Split))
def test_a_car_roars_low_and_faster_is_brighter(split: Split) -> None:
    slow, fast = spectrum_db(road(split, 30, 5)), spectrum_db(road(split, 130, 5))
    assert slow[:2].max() - slow[-1] > 20
    assert (fast - fast.max())[-1] > (slow - slow.max())[-1] + 2


def test_the_two_families_of_cars_differ_more_than_cars_of_one() -> None:
    tune = np.array([spectrum_db(road(Split.TUNE, 80, seed)) for seed in range(6)])
    report = np.array([spectrum_db(road(Split.REPORT, 80, seed)) for seed in range(6)])
    between = np.abs(tune.mean(axis=0) - report.mean(axis=0)).mean()
    within = (tune.std(axis=0).mean() + report.std(axis=0).mean()) / 2
    assert between > within


def test_a_bed_has_no_seam() -> None:
    for loop in (road(Split.REPORT, 100, 3, rain=True), looped(samples_of(ambiences()[0].path), 77_000, 12 * HZ)):
        jumps = np.abs(np.diff(np.concatenate([loop, loop[:1]])))
        assert jumps[-1] <= np.quantile(jumps[:-1], 0.9999)


@pytest.mark.parametrize("kind", list(Event))
def test_events_are_short_seeded_and_different_in_the_splits(kind: Event) -> None:
    made = event(kind, Split.TUNE, 4)
    assert 0.1 * HZ < len(made) < 5 * HZ and np.abs(made).max() == pytest.approx(0.5)
    assert np.array_equal(made, event(kind, Split.TUNE, 4))
    other = event(kind, Split.REPORT, 4)
    assert len(other) != len(made) or not np.allclose(other, made)


@pytest.mark.parametrize("seat", list(Seat))
def test_a_room_keeps_beginning_and_level(seat: Seat) -> None:
    dry = at_level(np.concatenate([np.zeros(HZ // 2), np.random.default_rng(2).normal(0, 0.1, HZ)]).astype(np.float32), -26)
    wet = through(dry, seat, 9)
    assert active_level_db(wet) == pytest.approx(active_level_db(dry), abs=0.1)
    assert abs(words_within(wet)[0] - words_within(dry)[0]) < HZ // 100
    assert not np.array_equal(wet, through(dry, seat, 10))


def test_words_are_found_in_a_noisy_recording_and_specks_are_not_words() -> None:
    random = np.random.default_rng(3)
    heard = random.normal(0, 0.002, 2 * HZ)
    heard[HZ // 2 : HZ] += random.normal(0, 0.1, HZ // 2)
    heard[2_000:2_040] += 0.02
    onset, end = words_within(heard.astype(np.float32))
    assert abs(onset - HZ // 2) < HZ // 100 and abs(end - HZ) < HZ // 100
    assert words_within(np.zeros(HZ, np.float32)) == (0, 0)


def test_what_both_files_say_is_not_reported_on(tmp_path: Path) -> None:
    written(tmp_path)
    tune, report = (yaml.safe_load((tmp_path / split.value / "en.yaml").read_text(encoding="utf-8")) for split in Split)
    tune["interruptions"]["stop"].append("Be quiet!")
    report["interruptions"]["stop"] += ["be quiet", "shush"]
    for split, texts in zip(Split, (tune, report), strict=True):
        (tmp_path / split.value / "en.yaml").write_text(yaml.safe_dump(texts), encoding="utf-8")
    stops = Studio.of(Split.REPORT, Syllables(), texts=tmp_path).material.texts["en"].interruptions[Intent.STOP]
    assert "shush" in {one.text for one in stops} and "be quiet" not in {one.text for one in stops}
    report["interruptions"]["stop"] = ["be quiet"]
    (tmp_path / "report" / "en.yaml").write_text(yaml.safe_dump(report), encoding="utf-8")
    with pytest.raises(UserError, match="All stop of report/en"):
        Studio.of(Split.REPORT, Syllables(), texts=tmp_path)


def test_a_reply_is_no_longer_than_the_product_would_say_it(tmp_path: Path) -> None:
    written(tmp_path)
    texts = english("x")
    texts["replies"][0]["text"] = "One. Two. Three. Four."
    (tmp_path / "tune" / "en.yaml").write_text(yaml.safe_dump(texts), encoding="utf-8")
    assert Studio.of(Split.TUNE, Syllables(), texts=tmp_path).material.texts["en"].reply("tyres").text == "One. Two. Three."


def test_a_long_recording_is_not_cut_within_a_word() -> None:
    speech = np.random.default_rng(1).normal(0, 0.1, 20 * HZ).astype(np.float32)
    speech[10 * HZ : 10 * HZ + HZ // 5] *= 0.01
    assert 10 * HZ <= len(shortened(speech)) <= 10.2 * HZ
    assert len(shortened(speech[: 5 * HZ])) == 5 * HZ


def broken(folder: Path, change: Any) -> Path:
    texts = english("x")
    change(texts)
    path = written(folder) / "tune" / "en.yaml"
    path.write_text(yaml.safe_dump(texts, allow_unicode=True), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda t: t.pop("requests"), "'requests' is missing"),
        (lambda t: t.update(jokes=["ha"]), "'jokes'"),
        (lambda t: t.update(backchannels=[]), "backchannels"),
        (lambda t: t.update(backchannels=["mm", True]), "backchannels entry 2 is True"),
        (lambda t: t.update(background=["ok", "…"]), "background entry 2 says nothing"),
        (lambda t: t.update(hesitations=["turn it on"]), "hesitations entry 1"),
        (lambda t: t["replies"].append({"id": "tyres", "text": "again"}), "'tyres'"),
        (lambda t: t["replies"].append({"id": "new"}), "replies entry 3"),
        (lambda t: t["interruptions"].pop("stop"), "correct, follow_up, redirect, stop"),
        (lambda t: t["interruptions"].update(redirect=[{"reply": "moon", "text": "go"}]), "'moon'"),
        (lambda t: t["interruptions"].update(redirect=[{"words": "go"}]), "interruptions.redirect entry 1"),
    ],
)
def test_a_mistake_in_the_texts_is_named(tmp_path: Path, change: Any, named: str) -> None:
    with pytest.raises(UserError) as error:
        load_texts(Split.TUNE, "en", broken(tmp_path, change))
    assert named in str(error.value) and "en.yaml" in str(error.value)


def test_files_that_are_no_texts(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"fr\.yaml"):
        load_texts(Split.TUNE, "fr", written(tmp_path))
    for content in (b"a: [", b"[" * 5_000, b"replies: \xff\xfe"):
        (tmp_path / "tune" / "en.yaml").write_bytes(content)
        with pytest.raises(UserError, match="not YAML"):
            load_texts(Split.TUNE, "en", tmp_path)


def a_recording(folder: Path, name: str) -> Path:
    import soundfile

    soundfile.write(folder / name, np.random.default_rng(1).normal(0, 0.1, HZ), HZ)
    return folder / name


def test_a_folder_of_ones_own_by_file_names(tmp_path: Path) -> None:
    for name in ("grandma.wav", "news_zh.flac"):
        a_recording(tmp_path, name)
    (tmp_path / "notes.txt").write_text("no sound")
    mine = {one.path.name: one for one in people(tmp_path) if one.path.parent == tmp_path}
    assert {name: (one.split, one.locale, one.uses) for name, one in mine.items()} == {
        "grandma.wav": (Split.REPORT, "en", {Kind.BACKGROUND}),
        "news_zh.flac": (Split.REPORT, "zh", {Kind.BACKGROUND}),
    }


def test_a_folder_of_ones_own_with_a_list(tmp_path: Path) -> None:
    a_recording(tmp_path, "a.wav")
    listed = tmp_path / "recordings.yaml"
    listed.write_text("- {file: a.wav, split: tune, locale: zh, voice: anna, as: [request], text: 你好}", encoding="utf-8")
    (mine,) = [one for one in people(tmp_path) if one.path.parent == tmp_path]
    assert (mine.split, mine.locale, mine.voice, mine.uses, mine.text) == (Split.TUNE, "zh", "anna", {Kind.REQUEST}, "你好")
    for wrong, named in (
        ("- {file: b.wav}", "'b.wav'"),
        ("- {file: a.wav, split: test}", "test"),
        ("- {file: a.wav, who: me}", "entry 1"),
        ("a: 1", "list"),
    ):
        listed.write_text(wrong, encoding="utf-8")
        with pytest.raises(UserError, match=named):
            people(tmp_path)
    with pytest.raises(UserError, match="no such folder"):
        people(tmp_path / "nowhere")


@pytest.mark.parametrize("split", list(Split))
def test_the_shipped_texts_are_whole_and_enough(split: Split) -> None:
    for texts in Studio.of(split, Syllables()).material.texts.values():
        assert min(len(texts.backchannels), len(texts.requests), len(texts.hesitations)) >= 40
        assert min(len(texts.other_directed), len(texts.background)) >= 80 and len(texts.replies) >= 20
        assert min(len(items) for items in texts.interruptions.values()) >= 20
        assert all(
            reply.text == polish(reply.text) and 5_000 < spoken_ms(reply.text, texts.locale) < 16_000 for reply in texts.replies
        )


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_the_shipped_texts_of_the_splits_are_apart(locale: str) -> None:
    tune, report = (Studio.of(split, Syllables()).material.texts[locale] for split in Split)
    shared = {bare(text) for text in tune.spoken()} & {bare(text) for text in report.spoken()}
    assert shared <= {bare(text) for text in report.backchannels}  # there are only so many ways to say "mm-hm"


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_sentences_that_only_tune_are_not_reported_on(locale: str) -> None:
    """Those of tune/ itself the planner leaves out; of the other tuning files none may be there at all."""
    report = load_texts(Split.REPORT, locale)
    reported = {bare(text) for text in report.spoken()} - {bare(text) for text in report.backchannels}
    folders = sorted(folder for folder in SHIPPED.glob("tune_*"))
    assert folders
    for folder in folders:
        content = yaml.safe_load((folder / f"{locale}.yaml").read_text(encoding="utf-8"))
        over = [one if isinstance(one, str) else one["text"] for group in content["interruptions"].values() for one in group]
        texts = [*content["other_directed"], *content["background"], *over]
        assert [text for text in texts if bare(text) in reported] == [], folder.name
