"""A chat by turns on a tiny checkpoint: what goes in and in which order, when an answer ends, its speech, and what can't be."""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
import wave
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from checkpoints import tiny_folder
from PIL import Image
from test_engine import SPEECH, loaded
from torch import Tensor

from ridealong.cli import main
from ridealong.cloud.model import chat as chat_module
from ridealong.cloud.model import chat_voice
from ridealong.cloud.model.chat import Answer, Chat, ChatSettings, Stop, Turn
from ridealong.cloud.model.chat_media import Clip, Photo, Stretch, Video, clip, read_clip, read_photo, read_video, video
from ridealong.cloud.model.model import load_model
from ridealong.cloud.model.serialization import AudioRows, Ids, ImageRows, Item, Picture, Serializer, Sound
from ridealong.cloud.model.serialization import Message as Laid
from ridealong.errors import UserError

pytestmark = pytest.mark.model
ASK = (Turn("user", ("hm",)),)
FEW = ChatSettings(max_tokens=12)


def image(shade: int = 90, size: tuple[int, int] = (64, 40)) -> Image.Image:
    return Image.new("RGB", size, (shade, 10, 200))


def hum(seconds: float) -> Tensor:
    return torch.sin(torch.arange(round(16_000 * seconds)) / 9) * 0.3


def finished(answer: Answer) -> Answer:
    assert "".join(answer) == answer.text
    return answer


def scripted(monkeypatch: pytest.MonkeyPatch, ids: Sequence[int]) -> None:
    left = list(ids)
    monkeypatch.setattr(chat_module, "pick", lambda *_: torch.tensor([left.pop(0)]))


def test_text_comes_piece_by_piece_and_the_same_seed_says_the_same() -> None:
    chat = Chat(loaded())
    one, two, other = (finished(chat.ask(ASK, replace(FEW, seed=seed))) for seed in (1, 1, 2))
    assert one.stop is Stop.LENGTH and len(one.ids) == len(one.hidden) == 12
    assert one.ids == two.ids != other.ids
    greedy = [finished(chat.ask(ASK, replace(FEW, greedy=True, seed=seed))).ids for seed in (1, 2)]
    assert greedy[0] == greedy[1]


@pytest.mark.parametrize("name", ["im_end", "tts_eos"])
def test_it_ends_where_the_model_ends_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = loaded().tokens
    scripted(monkeypatch, [*tokens.encode("hm"), getattr(tokens.ids, name)])
    answer = finished(Chat(loaded()).ask(ASK, FEW))
    assert (answer.text, answer.stop, answer.ids) == ("hm", Stop.END, list(tokens.encode("hm")))
    assert list(answer) == []


def test_half_a_character_waits_for_the_other_half(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = loaded().tokens
    scripted(monkeypatch, [*tokens.encode("好a"), tokens.encode("好")[0], tokens.ids.im_end])
    assert list(Chat(loaded()).ask(ASK, FEW)) == ["好", "a", "\ufffd"]


def test_a_long_prefill_is_a_short_one(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = (Turn("user", (Photo(image()), Clip(hum(5.2)), "hm")),)
    whole = finished(Chat(loaded()).ask(turns, FEW))
    monkeypatch.setattr(chat_module, "PREFILL_ROWS", 7)
    pieces = finished(Chat(loaded()).ask(turns, FEW))
    assert pieces.ids == whole.ids
    torch.testing.assert_close(torch.stack(pieces.hidden), torch.stack(whole.hidden), atol=1e-4, rtol=0)


def _shape(items: Sequence[Item]) -> str:
    names = {ImageRows: "*", AudioRows: "~"}
    tokenizer = loaded().tokens._tokenizer
    return "".join(
        tokenizer.decode(list(item.ids), skip_special_tokens=False) if isinstance(item, Ids) else names[type(item)]
        for item in items
    )


def test_a_video_is_a_frame_and_its_sound_second_by_second() -> None:
    watched = (Picture(), Sound(10), Picture(), Sound(10))
    items = Serializer.of(loaded().tokens).chat([Laid("user", (watched, "hm"))])
    assert _shape(items).startswith(
        "<|im_start|>user\n<image>*</image><|audio_start|>~<|audio_end|><image>*</image><|audio_start|>~<|audio_end|>hm<|im_end|>"
    )
    shown = video([(at / 4, image(at)) for at in range(14)], hum(4.05))
    assert shown.step_s == 1.0
    assert [stretch.frame.getpixel((0, 0))[0] for stretch in shown.stretches] == [0, 4, 8, 12, 13]  # type: ignore[index]
    assert [None if one.sound is None else len(one.sound) for one in shown.stretches] == [16_000] * 4 + [None]
    answer = finished(Chat(loaded()).ask([Turn("user", (shown, "hm"))], FEW))
    plain = finished(Chat(loaded()).ask(ASK, FEW))
    assert answer.rows == plain.rows + 5 * (2 + 4) + 4 * (2 + 10)


def test_a_video_of_an_hour_has_its_frames_further_apart() -> None:
    shown = video([(float(at), image(at % 200, (8, 8))) for at in range(3_600)], None)
    assert len(shown.stretches) == 64 and shown.step_s == 57.0
    for frames in ([], [(1.0, image()), (0.0, image())], [(float("nan"), image())]):
        with pytest.raises(UserError, match="growing times"):
            video(frames)


def test_what_is_shown_and_heard_matters() -> None:
    chat = Chat(loaded())
    asked = [(Photo(image(shade)), Clip(hum(1) * loud), "hm") for shade, loud in ((0, 1.0), (250, 1.0), (0, 0.1))]
    states = [finished(chat.ask([Turn("user", parts)], FEW)).hidden[0] for parts in asked]
    assert all(float((state - states[0]).abs().max()) > 1e-4 for state in states[1:])


def test_a_conversation_goes_on() -> None:
    turns = [
        Turn("system", ("hm",)), Turn("user", (Photo(image()), "hm")), Turn("assistant", ("hm",)), Turn("user", (Clip(hum(1)), "<unit>hm"))
    ]  # fmt: skip
    assert finished(Chat(loaded()).ask(turns, FEW)).rows >= 60
    for wrong in ([], turns[:3], [Turn("tool", ("a",)), *turns]):
        with pytest.raises(UserError, match="no conversation"):
            Chat(loaded()).ask(wrong, FEW)


def test_a_conversation_too_long_says_by_how_much() -> None:
    chat, most = Chat(loaded()), loaded().config.language.max_positions
    rows = chat.ask(ASK, FEW).rows
    fits = replace(FEW, max_tokens=most - rows)
    assert chat.ask(ASK, fits).rows == rows
    with pytest.raises(UserError, match=f"has {rows} rows, 3 too many: the model's context of {most}"):
        chat.ask(ASK, replace(fits, max_tokens=fits.max_tokens + 3))
    with pytest.raises(UserError, match="too many"):
        chat.ask([Turn("user", (Clip(hum(60)), "hm"))], FEW)


@pytest.mark.parametrize(
    "wrong",
    [{"max_tokens": 0}, {"temperature": 0.0}, {"top_p": 0.0}, {"seed": -1}, {"max_slices": 0}, {"max_slices": 65}, {"top_k": -1}],
)
def test_settings_that_cannot_be(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError):
        ChatSettings(**wrong)  # type: ignore[arg-type]


def test_media_that_are_none() -> None:
    chat = Chat(loaded())
    for part, why in (
        (Photo(image(size=(2, 2))), "too small"),
        (Photo(image(size=(4, 900))), "too narrow"),
        (Clip(hum(0.01)), "tenth of a second"),
        (Clip(torch.full((16_000,), float("nan"))), "can't be heard"),
        (Video((Stretch(image(size=(2, 2)), None),), 1.0), "too small"),
    ):
        with pytest.raises(UserError, match=why):
            chat.ask([Turn("user", (part,))], FEW)
    with pytest.raises(UserError, match="no sound"):
        clip(torch.zeros(2, 16_000))
    deaf = Chat(load_model(tiny_folder(sees=False), dtype=torch.float32))
    with pytest.raises(UserError, match="only hears"):
        deaf.ask([Turn("user", (Photo(image()),))], FEW)
    assert finished(deaf.ask([Turn("user", (Clip(hum(1)),))], FEW)).ids


def test_tiles_are_seen_where_they_are_asked_for() -> None:
    big = (Turn("user", (Photo(image(size=(400, 200))), "hm")),)
    rows = [Chat(loaded()).ask(big, replace(FEW, max_slices=most)).rows for most in (1, 9)]
    assert rows[1] > rows[0] + 2 * 4


def test_numbers_that_are_none_are_told() -> None:
    module = copy.deepcopy(loaded().module)
    module.llm.model.norm.weight.data.fill_(float("nan"))
    with pytest.raises(UserError, match="NaN"):
        "".join(Chat(replace(loaded(), module=module)).ask(ASK, FEW))


# -- speech ------------------------------------------------------------------------------------------------------------


def test_the_answer_is_spoken_second_by_second(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = loaded().tokens
    scripted(monkeypatch, [*tokens.encode("hm") * 5, tokens.ids.speak, tokens.ids.tts_eos])
    chat = Chat(loaded(), SPEECH)
    answer = chat.ask(ASK, FEW, say=True)
    with pytest.raises(UserError, match="isn't finished"):
        chat.speech(answer)
    finished(answer)
    one, two, other = (list(chat.speech(answer, ChatSettings(seed=seed))) for seed in (1, 1, 2))
    assert 3 <= len(one) <= 3 + chat_voice.TAIL_CHUNKS
    assert all(len(piece) >= 24_000 for piece in one[:-1])
    assert all(bool(torch.isfinite(piece).all()) and float(piece.abs().max()) <= 1 for piece in one)
    assert torch.equal(torch.cat(one), torch.cat(two)) and not torch.equal(torch.cat(one)[:24_000], torch.cat(other)[:24_000])


def test_silence_where_nothing_was_said_and_an_error_where_it_has_no_voice(monkeypatch: pytest.MonkeyPatch) -> None:
    scripted(monkeypatch, [loaded().tokens.ids.im_end])
    chat = Chat(loaded(), SPEECH)
    answer = finished(chat.ask(ASK, FEW, say=True))
    assert list(chat.speech(answer)) == []
    with pytest.raises(UserError, match="choose one of the two"):
        chat.ask(ASK, replace(FEW, thinking=True), say=True)
    with pytest.raises(UserError, match="can't speak"):
        Chat(replace(loaded(), speech=None)).speech(answer)
    with pytest.raises(UserError, match="can't speak"):
        Chat(replace(loaded(), voice=None)).speech(answer)


def test_an_answer_longer_than_the_talker_remembers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_voice, "TALKER_WINDOW", 70)
    words = [(loaded().tokens.encode("a")[0], torch.randn(256, generator=torch.Generator().manual_seed(1))) for _ in range(17)]
    codes = list(chat_voice._codes(loaded().module.tts, words, 0))
    assert [len(chunk) for chunk in codes[:4]] == [25] * 4 and len(codes) >= 5


# -- files and the command ---------------------------------------------------------------------------------------------


def write_wav(path: Path, seconds: float, rate_hz: int = 44_100, channels: int = 2) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate_hz)
        file.writeframes(np.full(round(seconds * rate_hz) * channels, 8_192, "<i2").tobytes())
    return path


def test_sound_files(tmp_path: Path) -> None:
    heard = read_clip(write_wav(tmp_path / "a.wav", 1.5)).samples
    assert len(heard) == 24_000 and abs(float(heard[12_000]) - 0.25) < 0.01
    assert len(read_clip(write_wav(tmp_path / "b.wav", 0.5, 16_000, 1)).samples) == 8_000
    (tmp_path / "cut.wav").write_bytes((tmp_path / "a.wav").read_bytes()[:50_000])
    (tmp_path / "no.wav").write_bytes(b"RIFF\x00\x00\x00\x00WAVEfmt ")
    (tmp_path / "text.mp3").write_text("hello", encoding="utf-8")
    assert 2_000 < len(read_clip(tmp_path / "cut.wav").samples) < 24_000
    for name, why in (("no.wav", "sound file|WAV"), ("text.mp3", "sound file|WAV"), ("none.wav", "can't be read")):
        with pytest.raises(UserError, match=why):
            read_clip(tmp_path / name)
    for seconds, rate_hz, why in (
        (0.01, 16_000, "tenth of a second"),
        (0.0, 44_100, "tenth of a second"),
        (2.0, 1_000, "at least 4000"),
    ):
        with pytest.raises(UserError, match=why):
            read_clip(write_wav(tmp_path / "c.wav", seconds, rate_hz))


def test_other_sound_files(tmp_path: Path) -> None:
    soundfile = pytest.importorskip("soundfile")
    soundfile.write(tmp_path / "a.flac", np.full((8_000, 2), 0.25), 8_000)
    assert len(read_clip(tmp_path / "a.flac").samples) == 16_000


def test_picture_files(tmp_path: Path) -> None:
    image().save(tmp_path / "a.png")
    assert read_photo(tmp_path / "a.png").image.size == (64, 40)
    (tmp_path / "b.png").write_bytes((tmp_path / "a.png").read_bytes()[:60])
    for name, why in (("b.png", "can't be decoded"), ("none.png", "can't be read"), (".", "can't be read")):
        with pytest.raises(UserError, match=why):
            read_photo(tmp_path / name)


def test_video_files(tmp_path: Path) -> None:
    cv2 = pytest.importorskip("cv2")
    out = cv2.VideoWriter(str(tmp_path / "a.avi"), cv2.VideoWriter_fourcc(*"MJPG"), 10, (64, 48))
    for number in range(25):
        out.write(np.full((48, 64, 3), number * 10, np.uint8))
    out.release()
    shown = read_video(tmp_path / "a.avi", write_wav(tmp_path / "a.wav", 2.5))
    assert len(shown.stretches) == 3 and [stretch.sound is None for stretch in shown.stretches] == [False] * 3
    assert abs(shown.stretches[1].frame.getpixel((9, 9))[0] - 100) < 12  # type: ignore[index]
    out = cv2.VideoWriter(str(tmp_path / "wide.avi"), cv2.VideoWriter_fourcc(*"MJPG"), 1, (2_560, 64))
    for _ in range(2):
        out.write(np.zeros((64, 2_560, 3), np.uint8))
    out.release()
    assert read_video(tmp_path / "wide.avi").stretches[0].frame.size == (1_280, 32)
    (tmp_path / "b.avi").write_bytes(b"no video")
    for name, why in (("b.avi", "not a video"), ("none.avi", "can't be read")):
        with pytest.raises(UserError, match=why):
            read_video(tmp_path / name)


def test_a_picture_is_no_video(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not even in a video's file; a second of video is one, though a single frame of it is looked at."""
    cv2 = pytest.importorskip("cv2")
    for name, frames in (("one.avi", 1), ("second.avi", 5)):
        out = cv2.VideoWriter(str(tmp_path / name), cv2.VideoWriter_fourcc(*"MJPG"), 10, (64, 48))
        for _ in range(frames):
            out.write(np.zeros((48, 64, 3), np.uint8))
        out.release()
    assert len(read_video(tmp_path / "second.avi").stretches) == 1
    for name in ("a.png", "a.jpg", "a.webp", "a001.png"):
        image().save(tmp_path / name)
        with pytest.raises(UserError, match=r"is a picture and not a video: give it as a picture \(--image\)"):
            read_video(tmp_path / name)
    image().save(tmp_path / "moving.webp", save_all=True, append_images=[image(7)])
    with pytest.raises(UserError, match="is not a video that can be read"):
        read_video(tmp_path / "moving.webp")
    with pytest.raises(UserError, match=r"has a single frame.*--image"):
        read_video(tmp_path / "one.avi", write_wav(tmp_path / "a.wav", 2))
    asked = ["model", "chat", str(tiny_folder()), "--text", "hm", "--device", "cpu", "--video", str(tmp_path / "a.png")]
    assert main(asked) == 2 and "give it as a picture (--image)" in capsys.readouterr().err


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image().save(tmp_path / "a.jpg")
    sound = write_wav(tmp_path / "a.wav", 1)
    arguments = ["--text", "hm", "--image", str(tmp_path / "a.jpg"), "--audio", str(sound), "--max-tokens", "9", "--seed", "4"]
    said = ["--say", str(tmp_path / "o.wav"), "--json", str(tmp_path / "o.json")]
    assert main(["model", "chat", str(tiny_folder()), *arguments, *said, "--device", "cpu"]) == 0
    told = capsys.readouterr()
    assert "its words mean nothing" in told.err and told.out.endswith("\n")
    values = json.loads((tmp_path / "o.json").read_text(encoding="utf-8"))
    assert (values["tokens"], values["ended_by"], values["seed"]) == (9, "max_tokens", 4)
    assert "mean nothing" in values["note"]
    with wave.open(str(tmp_path / "o.wav")) as file:
        assert file.getframerate() == 24_000
        assert abs(file.getnframes() / 24_000 - values["speech_s"]) < 0.01 and values["speech_s"] > 2


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--slices", "0"], "max_slices must be 1 to 64"),
        (["--slices", "65"], "max_slices must be 1 to 64"),
        (["--image", "/nowhere.jpg"], "can't be read"),
        (["--audio", "/nowhere.wav"], "can't be read"),
        (["--video-sound", "/nowhere.wav"], "belongs to a --video"),
        (["--max-tokens", "0"], "can't be"),
        (["--max-tokens", "600"], "too many"),
        (["--device", "cuda:7"], "no cuda:7|no device"),
        (["--say", "/nowhere/o.wav"], "can't be written"),
        (["--say", "/", "--max-tokens", "1"], "can't be written"),
        (["--json", "/", "--max-tokens", "1"], "can't be written"),
    ],
)
def test_what_can_not_be_done_is_2(arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "chat", str(tiny_folder()), "--text", "hm", "--device", "cpu", *arguments]) == 2
    told = capsys.readouterr().err
    assert re.search(why, told) and told.rstrip().splitlines()[-1].startswith("ridealong: ")


def test_its_help_needs_no_torch() -> None:
    code = (
        "import sys; from ridealong.cli import load; load('model chat'); assert not {'torch', 'numpy', 'PIL'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
