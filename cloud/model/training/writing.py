"""Writes a folder of records: records.jsonl, sounds/*.wav, frames/*. What is written is read back strictly before it counts.

Knows no scenario and no tensors; the reader is `records`.
"""

from __future__ import annotations

import json
import wave
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ridealong.cloud.model.training.records import (
    FILE,
    RATE_HZ,
    Chat,
    Drawn,
    Duplex,
    Heard,
    Message,
    Part,
    Record,
    Shown,
    Token,
    Unit,
    Words,
    parse_record,
)
from ridealong.errors import UserError

SOUNDS: Final = "sounds"
FRAMES: Final = "frames"


class RecordFolder:
    """A new folder of records. Close it; records.jsonl appears only then, so that a half-made folder is none."""

    def __init__(self, folder: Path) -> None:
        """Raises `UserError` for a folder that holds something."""
        self._folder, self._lines = folder, list[str]()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()):
                raise UserError(f"{folder} is not empty: name a new folder, or empty it yourself.")
        except OSError as error:
            raise UserError(f"Records can't be written to {folder}: {error}.") from None

    def sound(self, name: str, pcm16: NDArray[np.int16]) -> str:
        """Keeps a mono sound at 16 kHz; returns its path for records."""
        path = f"{SOUNDS}/{name}.wav"
        try:
            (self._folder / SOUNDS).mkdir(exist_ok=True)
            with wave.open(str(self._folder / path), "wb") as file:
                file.setnchannels(1)
                file.setsampwidth(2)
                file.setframerate(RATE_HZ)
                file.writeframes(pcm16.astype("<i2").tobytes())
        except OSError as error:
            raise UserError(f"A sound can't be written to {self._folder / path}: {error}.") from None
        return path

    def frame(self, name: str, image: bytes) -> str:
        """Keeps an image file. name: with its ending. Returns its path for records."""
        path = f"{FRAMES}/{name}"
        try:
            (self._folder / FRAMES).mkdir(exist_ok=True)
            (self._folder / path).write_bytes(image)
        except OSError as error:
            raise UserError(f"A frame can't be written to {self._folder / path}: {error}.") from None
        return path

    def add(self, record: Record) -> None:
        """Raises `UserError` for a record that couldn't be read again."""
        line = as_line(record)
        parse_record(line, self._folder, record.id)
        self._lines.append(line)

    def close(self) -> None:
        fresh = self._folder / f"{FILE}.tmp"
        try:
            fresh.write_text("".join(f"{line}\n" for line in self._lines), encoding="utf-8")
            fresh.replace(self._folder / FILE)
        except OSError as error:
            raise UserError(f"The records can't be written to {self._folder / FILE}: {error}.") from None


def as_line(record: Record) -> str:
    """One line of records.jsonl."""
    return json.dumps(_values(record), ensure_ascii=False)


def _values(record: Record) -> dict[str, Any]:
    if isinstance(record, Chat):
        return {"kind": "chat", "id": record.id, "messages": [_message(message) for message in record.messages]}
    return _duplex(record)


def _duplex(record: Duplex) -> dict[str, Any]:
    values: dict[str, Any] = {"kind": "duplex", "id": record.id}
    if record.prompt is not None:
        values["prompt"] = record.prompt
    if record.instructions:
        values["instructions"] = record.instructions
    if record.voice is not None:
        values["voice"] = record.voice
    return values | {"units": [_unit(unit) for unit in record.units]}


def _unit(unit: Unit) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if unit.sound is not None:
        values["sound"] = {"file": unit.sound.file, "start": unit.sound.start}
    if unit.frames:
        values["frames"] = [{"file": file} for file in unit.frames]
    if unit.text:
        values["text"] = unit.text
    if unit.backend:
        values["backend"] = unit.backend
    if unit.drawn:
        values["drawn"] = [_drawn(part) for part in unit.drawn]
    return values | {"end": unit.end}


def _drawn(part: Drawn) -> dict[str, str]:
    return {"token": part.name} if isinstance(part, Token) else {"words": part.text}


def _message(message: Message) -> dict[str, Any]:
    return {"role": message.role, "content": [_part(part) for part in message.content]}


def _part(part: Part) -> dict[str, str]:
    match part:
        case Words(text):
            return {"text": text}
        case Heard(file):
            return {"sound": file}
        case Shown(file):
            return {"image": file}
