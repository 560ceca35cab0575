"""Records: what a training run reads. A folder with records.jsonl, one sample a line, and the sounds and frames beside it.

    duplex: a session, unit by unit: what was heard, seen and told, and what the model was to say, token by token
    chat:   a conversation by turns; every assistant message is to be learnt

The format is docs/guides/training.md. Strict: an unknown key, a missing file, an order of tokens that the decoding rules never make, are
each an error that names file, line and place. Knows no tokenizer, no tensors and no scenario.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final, NoReturn

from ridealong.errors import UserError

FILE: Final = "records.jsonl"
RATE_HZ: Final = 16_000
NAMES: Final = ("speak", "turn_eos", "delegate_open", "delegate_close")
"""Tokens that a unit may hold beside words; it ends with one of `ENDS`."""
ENDS: Final = ("listen", "chunk_eos")
ROLES: Final = ("system", "user", "assistant")


@dataclass(frozen=True, slots=True)
class SoundAt:
    """One unit (1 s) of a WAV file, from sample `start` on."""

    file: str
    start: int


@dataclass(frozen=True, slots=True)
class Token:
    name: str


@dataclass(frozen=True, slots=True)
class Words:
    text: str


Drawn = Token | Words


@dataclass(frozen=True, slots=True)
class Unit:
    """Observed: `frames`, `sound`, and `text` or a `backend`'s answer. To be learnt: `drawn`, then `end`."""

    end: str
    drawn: tuple[Drawn, ...] = ()
    sound: SoundAt | None = None
    frames: tuple[str, ...] = ()
    text: str = ""
    backend: str = ""


@dataclass(frozen=True, slots=True)
class Duplex:
    """A session. `prompt` None: the product's own. `voice`: a WAV file. `where`: "FILE:LINE", for errors."""

    id: str
    units: tuple[Unit, ...]
    prompt: str | None = None
    instructions: str = ""
    voice: str | None = None
    where: str = ""


@dataclass(frozen=True, slots=True)
class Heard:
    file: str


@dataclass(frozen=True, slots=True)
class Shown:
    file: str


Part = Words | Heard | Shown


@dataclass(frozen=True, slots=True)
class Message:
    role: str
    content: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Chat:
    """Ends with an assistant's message."""

    id: str
    messages: tuple[Message, ...]
    where: str = ""


Record = Duplex | Chat


def read_records(folder: Path) -> list[Record]:
    """All records of a folder, in their order. Raises `UserError` for the first thing that isn't as it must be."""
    path = folder / FILE
    records: list[Record] = []
    seen: dict[str, str] = {}
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                record = parse_record(line, folder, f"{path}:{number}")
                if record.id in seen:
                    raise UserError(f"{path}:{number}: id {record.id!r} is already that of {seen[record.id]}; give each its own.")
                seen[record.id] = f"line {number}"
                records.append(record)
    except FileNotFoundError:
        raise UserError(f"{folder} holds no {FILE}: make records with `ridealong train materialise --out {folder}`.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} can't be read: {error}.") from None
    if not records:
        raise UserError(f"{path} holds no records.")
    return records


def parse_record(line: str, folder: Path, where: str) -> Record:
    """One line of records.jsonl. where: what to call it in an error. Raises `UserError`."""
    try:
        values = json.loads(line)
        line.encode("utf-8")
        json.dumps(values, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise UserError(f"{where}: no record ({line.count('[') + line.count('{')} brackets within each other).") from None
    except UnicodeEncodeError:
        raise UserError(f"{where}: half a character (\\ud800 to \\udfff alone) is no text.") from None
    except ValueError as error:
        raise UserError(f"{where}: no JSON ({error}).") from None
    top = _Fields(values, "record", folder, where)
    kind = top.word("kind", ("duplex", "chat"))
    record = _duplex(top) if kind == "duplex" else _chat(top)
    top.no_more()
    return record


class _Fields:
    """A JSON object taken apart key by key; what is left over at the end is an error."""

    def __init__(self, values: object, place: str, folder: Path, where: str) -> None:
        self.place, self.folder, self.where = place, folder, where
        if not isinstance(values, dict):
            self.wrong("an object is needed")
        self._left = dict(values)

    def wrong(self, what: str, key: str | None = None) -> NoReturn:
        place = self.place if key is None else f"{self.place}.{key}"
        raise UserError(f"{self.where}: {place.removeprefix('record.')}: {what}.")

    def take(self, key: str, kind: type, default: Any = None) -> Any:
        """default None: the key must be there."""
        value = self._left.pop(key, default)
        if value is None:
            self.wrong("is missing", key)
        if not isinstance(value, kind) or isinstance(value, bool):
            self.wrong(f"{_KINDS[kind]} is needed, there is {str(value)[:40]!r}", key)
        return value

    def word(self, key: str, words: tuple[str, ...]) -> str:
        value: str = self.take(key, str)
        if value not in words:
            self.wrong(f"{value!r} is none of {', '.join(words)}", key)
        return value

    def text(self, key: str, *, default: str | None = None) -> str:
        value: str = self.take(key, str, default)
        return value

    def has(self, key: str) -> bool:
        return self._left.get(key) is not None

    def file(self, key: str) -> str:
        """A path inside the folder, to a file that is there."""
        value: str = self.take(key, str)
        path = PurePosixPath(value)
        if path.is_absolute() or ".." in path.parts or "\\" in value or not value:
            self.wrong(f"{value!r} is no path inside the folder of the records", key)
        if not (self.folder / path).is_file():
            self.wrong(f"there is no file {self.folder / path}", key)
        return value

    def parts(self, key: str, *, least: int = 0) -> list[_Fields]:
        """A list of objects."""
        values = self.take(key, list, [] if not least else None)
        if len(values) < least:
            self.wrong(f"a list of at least {least} is needed", key)
        return [_Fields(value, f"{self.place}.{key}[{number}]", self.folder, self.where) for number, value in enumerate(values)]

    def only(self, keys: tuple[str, ...]) -> str:
        """The one key of an object that has one."""
        found = [key for key in keys if key in self._left]
        if len(found) != 1 or len(self._left) != 1:
            self.wrong(f"exactly one of {', '.join(keys)} is needed")
        return found[0]

    def no_more(self) -> None:
        if self._left:
            self.wrong(f"unknown key {sorted(self._left)[0]!r}")


_KINDS: Final[Mapping[type, str]] = {str: "a text", list: "a list", dict: "an object", int: "a whole number"}


def _duplex(top: _Fields) -> Duplex:
    units = tuple(_unit(fields) for fields in top.parts("units", least=1))
    flow = _Flow(top)
    for number, unit in enumerate(units):
        flow.unit(number, unit)
    flow.end(len(units))
    return Duplex(
        id=top.text("id"),
        units=units,
        prompt=top.text("prompt") if top.has("prompt") else None,
        instructions=top.text("instructions", default=""),
        voice=top.file("voice") if top.has("voice") else None,
        where=top.where,
    )


def _unit(fields: _Fields) -> Unit:
    sound = None
    if fields.has("sound"):
        part = _Fields(fields.take("sound", dict), f"{fields.place}.sound", fields.folder, fields.where)
        sound = SoundAt(part.file("file"), part.take("start", int))
        if sound.start < 0:
            part.wrong("must not be below 0", "start")
        part.no_more()
    frames = tuple(_frame(fields, part) for part in fields.parts("frames"))
    unit = Unit(
        end=fields.word("end", ENDS),
        drawn=tuple(_drawn(part) for part in fields.parts("drawn")),
        sound=sound,
        frames=frames,
        text=fields.text("text", default=""),
        backend=fields.text("backend", default=""),
    )
    if unit.text and unit.backend:
        fields.wrong("text and backend can't both be told in one unit")
    if not (unit.sound or unit.frames or unit.text.strip() or unit.backend.strip()):
        fields.wrong("nothing is observed: a unit has a sound, frames, a text or a backend's answer")
    fields.no_more()
    return unit


def _frame(fields: _Fields, part: _Fields) -> str:
    name = part.file("file")
    part.no_more()
    return name


def _drawn(part: _Fields) -> Drawn:
    if part.only(("token", "words")) == "token":
        return Token(part.word("token", NAMES))
    words = part.text("words")
    if not words:
        part.wrong("must not be empty", "words")
    return Words(words)


class _Flow:
    """Follows turns and delegate spans from unit to unit as the decoding rules do (`decoding.UnitRules`)."""

    def __init__(self, top: _Fields) -> None:
        self._top, self._turn_open, self._span_open = top, False, False

    def unit(self, number: int, unit: Unit) -> None:
        place = f"units[{number}]"
        if unit.end == "listen":
            if unit.drawn:
                self._top.wrong("says something and ends with listen; what is said ends with chunk_eos", place)
            if self._turn_open:
                self._top.wrong("listens in the middle of a turn; turn_eos ends it first", place)
            return
        if not unit.drawn or unit.drawn[0] != Token("speak"):
            self._top.wrong("ends with chunk_eos and doesn't begin with the token speak", place)
        for index, part in enumerate(unit.drawn):
            self._part(f"{place}.drawn[{index}]", part, last=index == len(unit.drawn) - 1, first=index == 0)
        self._turn_open = unit.drawn[-1] != Token("turn_eos")

    def _part(self, place: str, part: Drawn, *, first: bool, last: bool) -> None:
        match part:
            case Token("speak") if not first:
                self._top.wrong("speak can only begin a unit", place)
            case Token("turn_eos") if self._span_open:
                self._top.wrong("the turn ends inside a delegate span", place)
            case Token("turn_eos") if not last:
                self._top.wrong("turn_eos must be the last of its unit", place)
            case Token("delegate_open") if self._span_open:
                self._top.wrong("a delegate span is already open", place)
            case Token("delegate_close") if not self._span_open:
                self._top.wrong("no delegate span is open", place)
        if isinstance(part, Token) and part.name.startswith("delegate"):
            self._span_open = part.name == "delegate_open"

    def end(self, units: int) -> None:
        if self._span_open:
            self._top.wrong("the record ends inside a delegate span", f"units[{units - 1}]")


def _chat(top: _Fields) -> Chat:
    messages = tuple(_message(fields) for fields in top.parts("messages", least=2))
    roles = [message.role for message in messages]
    if roles[-1] != "assistant" or len(roles) < 2 or roles[-2] != "user":
        top.wrong("must end with a user's message and an assistant's", "messages")
    for number, message in enumerate(messages):
        if message.role == "assistant" and not (len(message.content) == 1 and isinstance(message.content[0], Words)):
            top.wrong("an assistant's message is one text", f"messages[{number}]")
    return Chat(top.text("id"), messages, top.where)


def _message(fields: _Fields) -> Message:
    message = Message(fields.word("role", ROLES), tuple(_part(part) for part in fields.parts("content", least=1)))
    fields.no_more()
    return message


def _part(part: _Fields) -> Part:
    match part.only(("text", "sound", "image")):
        case "text":
            text = part.text("text")
            if not text.strip():
                part.wrong("must not be empty", "text")
            return Words(text)
        case "sound":
            return Heard(part.file("sound"))
        case _:
            return Shown(part.file("image"))
