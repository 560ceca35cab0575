"""`ridealong model chat`: one question with pictures, sounds and a video; the answer as text, and as a WAV file where it is asked for."""

from __future__ import annotations

import argparse
import json
import sys
import wave
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ridealong.cloud.model.commands import _with_extra
from ridealong.command import Command
from ridealong.errors import UserError

if TYPE_CHECKING:
    from ridealong.cloud.model.chat import Answer, Turn


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, help="the folder of a checkpoint")
    parser.add_argument("--text", required=True, help="what to ask")
    parser.add_argument("--image", type=Path, action="append", default=[], metavar="F", help="a picture; may be repeated")
    parser.add_argument(
        "--slices", type=int, default=None, metavar="N",
        help="look at a large picture in up to N tiles, too; 1: as a whole only (default: as the checkpoint's preprocessor_config.json says)",
    )  # fmt: skip
    parser.add_argument("--audio", type=Path, action="append", default=[], metavar="F", help="a sound; may be repeated")
    parser.add_argument("--video", type=Path, default=None, metavar="F", help="a video: a frame a second, 64 at most")
    parser.add_argument(
        "--video-sound", type=Path, default=None, metavar="F", help="the sound of the video, as a file of its own"
    )
    parser.add_argument("--system", default="", help="what the model is told beforehand")
    parser.add_argument("--say", type=Path, default=None, metavar="OUT.wav", help="speak the answer, into this file")
    parser.add_argument("--json", type=Path, default=None, metavar="FILE", help="write question, answer and numbers to FILE")
    parser.add_argument("--max-tokens", type=int, default=256, metavar="N", help="the longest answer (default: 256)")
    parser.add_argument("--temperature", type=float, default=0.7, metavar="X", help="default: 0.7")
    parser.add_argument("--greedy", action="store_true", help="always the likeliest word")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the same seed gives the same answer (default: 0)")
    parser.add_argument("--device", default=None, metavar="D", help="cpu, cuda, cuda:1 (default: cuda where there is one)")


@_with_extra
def _chat(options: argparse.Namespace) -> int:
    import torch

    from ridealong.cloud.model.chat import Chat, ChatSettings
    from ridealong.cloud.model.config import offline_slices
    from ridealong.cloud.model.model import load_model

    slices = offline_slices(options.path) if options.slices is None and options.image else options.slices
    try:
        settings = ChatSettings(
            options.max_tokens, options.temperature, greedy=options.greedy, seed=options.seed, max_slices=slices
        )
    except ValueError as error:
        raise UserError(f"These settings can't be: {error}.") from None
    for path in (options.say, options.json):
        if path is not None and not path.resolve().parent.is_dir():
            raise UserError(f"{path} can't be written: there is no folder {path.resolve().parent}.")
    turns = _turns(options)  # broken media are told of before gigabytes are read
    loaded = load_model(options.path, options.device or ("cuda" if torch.cuda.is_available() else "cpu"))
    note = _note(options.path)
    if note:
        print(f"note: {note}", file=sys.stderr)
    chat = Chat(loaded)
    if options.say is not None and (loaded.speech is None or loaded.voice is None):
        raise UserError(f"{options.path} brings no flow, vocoder or voice: it can't speak. Leave --say out.")
    answer = chat.ask(turns, settings, say=options.say is not None)
    for piece in answer:
        print(_harmless(piece), end="", flush=True)
    print()
    values = _values(options, answer, note)
    if options.say is not None:
        values["speech_s"] = _write_wav(options.say, [piece.numpy() for piece in chat.speech(answer, settings)])
        print(f"{values['speech_s']:.1f} s of speech in {options.say}", file=sys.stderr)
    if options.json is not None:
        try:
            options.json.write_text(json.dumps(values, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        except OSError as error:
            raise UserError(f"The answer can't be written to {options.json}: {error}.") from None
    return 0


def _harmless(text: str) -> str:
    """What a model writes must not steer the terminal."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "\ufffd" for letter in text)


def _turns(options: argparse.Namespace) -> list[Turn]:
    from ridealong.cloud.model.chat import Turn
    from ridealong.cloud.model.chat_media import Part, read_clip, read_photo, read_video

    if options.video_sound is not None and options.video is None:
        raise UserError("--video-sound belongs to a --video; a sound alone is --audio.")
    parts: list[Part] = [read_photo(path) for path in options.image]
    if options.video is not None:
        parts.append(read_video(options.video, options.video_sound))
    parts += [read_clip(path) for path in options.audio]
    asked = Turn("user", (*parts, options.text))
    return [Turn("system", (options.system,)), asked] if options.system.strip() else [asked]


def _note(folder: Path) -> str:
    """What a small checkpoint says of itself; its configuration was read and is sound."""
    note = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("note", "")
    return note if isinstance(note, str) else ""


def _values(options: argparse.Namespace, answer: Answer, note: str) -> dict[str, Any]:
    assert answer.stop is not None
    return {
        "checkpoint": str(options.path),
        "note": note,
        "text": options.text,
        "images": [str(path) for path in options.image],
        "audio": [str(path) for path in options.audio],
        "video": None if options.video is None else str(options.video),
        "answer": answer.text,
        "ended_by": answer.stop.value,
        "rows": answer.rows,
        "tokens": len(answer.ids),
        "seed": options.seed,
    }


def _write_wav(path: Path, pieces: list[Any]) -> float:
    """pieces: [samples] float32 each. Returns seconds."""
    from ridealong.cloud.model.vocoder import SAMPLE_RATE

    total = 0
    try:
        with path.open("wb") as raw, wave.open(raw, "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(SAMPLE_RATE)
            for piece in pieces:
                file.writeframes((piece.clip(-1, 1) * 32_767).astype("<i2").tobytes())
                total += len(piece)
    except OSError as error:
        raise UserError(f"The speech can't be written to {path}: {error}.") from None
    return total / SAMPLE_RATE


CHAT = Command("ask a checkpoint something, with pictures, sounds and a video; offline, by turns", _configure, _chat)
