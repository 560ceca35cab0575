"""A record in the tokens of one checkpoint: the items that a live session would have fed, and which ids of them are to be learnt.

Learnt are control tokens, words and delegate spans (venus.md A10): not the system, not what is observed, not a backend's answer, and not
the end of a unit that follows its terminator. The order of items is `serialization`'s own. Pure: no torch. Knows no media, only that an
item stands for a sound or a frame; how many rows those have is found by who encodes them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from ridealong.cloud.model.serialization import (
    DEFAULT_PROMPT,
    AudioRows,
    Ids,
    ImageRows,
    Item,
    Message,
    Picture,
    Serializer,
    SliceRows,
    Sound,
    cleaned,
)
from ridealong.cloud.model.tokens import Tokens
from ridealong.cloud.model.training.records import Chat, Duplex, Heard, Record, Shown, SoundAt, Token, Unit, Words
from ridealong.errors import UserError


class Part(Enum):
    """What an id is a part of."""

    GIVEN = "given"  # not learnt
    CONTROL = "control"  # listen, speak, turn_eos, chunk_eos, the ends of a delegate span, the end of an answer
    WORDS = "words"
    DELEGATE = "delegate"


@dataclass(frozen=True, slots=True)
class Voice:
    """A whole clip: a reference voice, or a sound of a chat."""

    file: str


@dataclass(frozen=True, slots=True)
class Frame:
    file: str


Media = Voice | Frame | SoundAt


@dataclass(frozen=True, slots=True)
class Piece:
    """Ids, each with its part; or one medium, whose rows are never learnt."""

    ids: tuple[int, ...] = ()
    parts: tuple[Part, ...] = ()
    media: Media | None = None


SOME: Final = 1
"""Rows of a medium, where the number doesn't matter yet."""


def lay_out(record: Record, tokens: Tokens) -> list[Piece]:
    """Raises `UserError`, naming the record's place, where this checkpoint can't say or hear what the record has."""
    layout = _Layout(record.where or record.id, tokens)
    return list(layout.duplex(record) if isinstance(record, Duplex) else layout.chat(record))


class _Layout:
    def __init__(self, where: str, tokens: Tokens) -> None:
        self._where, self._tokens, self._serializer = where, tokens, Serializer.of(tokens)
        self._banned = frozenset(tokens.banned)
        self._span = False

    def _clean(self, text: str, place: str) -> str:
        normal = unicodedata.normalize("NFC", text)
        if cleaned(text, self._tokens.reserved) != normal:
            raise UserError(f"{self._where}: {place}: a name of the protocol stands in the text; tokens are written as tokens.")
        return text

    def duplex(self, record: Duplex) -> Iterator[Piece]:
        prompt = self._clean(record.prompt if record.prompt is not None else DEFAULT_PROMPT, "prompt")
        instructions = self._clean(record.instructions, "instructions")
        items = self._serializer.system(prompt, SOME if record.voice else 0, instructions)
        yield from _pieces(items, [Voice(record.voice)] if record.voice else [])
        for number, unit in enumerate(record.units):
            yield from self._unit(unit, f"units[{number}]")

    def _unit(self, unit: Unit, place: str) -> Iterator[Piece]:
        pictures = [Picture()] * len(unit.frames)
        rows = SOME if unit.sound is not None else 0
        media: list[Media] = [*map(Frame, unit.frames), *([unit.sound] if unit.sound is not None else [])]
        try:
            if unit.backend:
                items = self._serializer.result(self._clean(unit.backend, f"{place}.backend"), pictures, rows)
            else:
                items = self._serializer.unit(pictures, rows, self._clean(unit.text, f"{place}.text"))
        except ValueError as error:
            raise UserError(f"{self._where}: {place}: {error}.") from None
        yield from _pieces(items, media)
        for index, part in enumerate(unit.drawn):
            yield self._drawn(part, f"{place}.drawn[{index}]")
        end = self._serializer.ids.listen if unit.end == "listen" else self._serializer.ids.chunk_eos
        yield Piece(self._serializer.close(end).ids, (Part.CONTROL, Part.GIVEN))

    def _drawn(self, part: Token | Words, place: str) -> Piece:
        if isinstance(part, Token):
            return Piece((self._named(part.name),), (Part.CONTROL,))
        ids = self._serializer.text(self._clean(part.text, place))
        if never := [token for token in ids if token in self._banned]:
            raise UserError(
                f"{self._where}: {place}: {self._tokens.decode(never[:1])!r} is never drawn in a conversation (bad_token_ids); "
                "write it in words."
            )
        return Piece(ids, (Part.DELEGATE if self._span else Part.WORDS,) * len(ids))

    def _named(self, name: str) -> int:
        if name.startswith("delegate"):
            self._span = name == "delegate_open"
            try:
                delegation = self._tokens.needed_delegation()
            except UserError as error:
                raise UserError(f"{self._where}: {error}") from None
            return delegation.delegate_open if self._span else delegation.delegate_close
        ids = self._serializer.ids
        return ids.speak if name == "speak" else ids.turn_eos

    def chat(self, record: Chat) -> Iterator[Piece]:
        media: list[Media] = []
        messages = []
        for number, message in enumerate(record.messages):
            content: list[str | Picture | Sound] = []
            for part in message.content:
                match part:
                    case Words(text):
                        # Blank space at an end would melt with what stands around it, and the answer wouldn't begin at an id of its own.
                        content.append(self._clean(text, f"messages[{number}]").strip())
                    case Heard(file):
                        content.append(Sound(SOME))
                        media.append(Voice(file))
                    case Shown(file):
                        content.append(Picture())
                        media.append(Frame(file))
            messages.append(Message(message.role, tuple(content)))
        *before, last = messages
        yield from self._history(list(_pieces(self._serializer.chat(before), media)))
        words = self._serializer.text("".join(part for part in last.content if isinstance(part, str)))
        yield Piece((*words, self._serializer.ids.im_end), (*[Part.WORDS] * len(words), Part.CONTROL))

    def _history(self, pieces: Sequence[Piece]) -> Iterator[Piece]:
        """Earlier messages of the assistant are learnt too, with the token that ends them; the last opening is only opened."""
        opening = self._tokens.encode("<|im_start|>assistant\n")
        im_end = self._serializer.ids.im_end
        for piece in pieces:
            parts, at = [Part.GIVEN] * len(piece.ids), 0
            while at < len(piece.ids):
                if piece.ids[at : at + len(opening)] != opening or im_end not in piece.ids[at:]:
                    at += 1
                    continue
                at += len(opening)
                end = piece.ids.index(im_end, at)
                parts[at:end] = [Part.WORDS] * (end - at)
                parts[end] = Part.CONTROL
                at = end
            yield Piece(piece.ids, tuple(parts), piece.media)


def _pieces(items: Sequence[Item], media: Sequence[Media]) -> Iterator[Piece]:
    """Items that are given; each that stands for a medium takes the next."""
    left = iter(media)
    for item in items:
        match item:
            case Ids(ids):
                yield Piece(ids, (Part.GIVEN,) * len(ids))
            case ImageRows() | AudioRows():
                yield Piece(media=next(left))
            case SliceRows():
                raise AssertionError("records have no slices")
