"""A session's items read back: what was seen, heard, told and said in each unit. The inverse of `serialization`, for archives and tests.

Pure. Strict: items that `Serializer` can't have made are an error, since an archive that is read wrongly is worse than one not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ridealong.cloud.model.serialization import AudioRows, Ids, ImageRows, Item, Serializer, SliceRows


@dataclass(frozen=True, slots=True)
class Prompt:
    """`prefix`: its ids before the voice. `rows`: of all of it."""

    prefix: tuple[int, ...]
    voice_rows: int
    rows: int


@dataclass(frozen=True, slots=True)
class UnitRead:
    """`slices`: of each picture. `text`: ids told. `answer`: ids of a backend's answer, without its markers. `drawn`: without the
    terminator. `terminator` is None in a unit that isn't closed."""

    slices: tuple[int, ...]
    audio_rows: int
    text: tuple[int, ...]
    answer: tuple[int, ...]
    drawn: tuple[int, ...]
    terminator: int | None


class TranscriptError(Exception):
    """Items in an order that no session has. The message names the item's number."""


def read(items: Sequence[Item], serializer: Serializer) -> tuple[Prompt, list[UnitRead]]:
    """items: a whole session from its system prompt on. Raises `TranscriptError`."""
    reader = _Reader(items, serializer)
    prompt = reader.prompt()
    units = []
    while reader.left():
        units.append(reader.unit())
    return prompt, units


class _Reader:
    def __init__(self, items: Sequence[Item], serializer: Serializer) -> None:
        self._items, self._at, self._ids, self._delegation = items, 0, serializer.ids, serializer.delegation

    def left(self) -> bool:
        return self._at < len(self._items)

    def _next(self) -> Item | None:
        return self._items[self._at] if self.left() else None

    def _wrong(self) -> TranscriptError:
        return TranscriptError(f"item {self._at} has no place there: {self._next()}")

    def _take_ids(self, *wanted: int) -> None:
        if self._next() != Ids(wanted):
            raise self._wrong()
        self._at += 1

    def _is(self, wanted: int) -> bool:
        return self._next() == Ids((wanted,))

    def _audio(self) -> int:
        item = self._next()
        if not isinstance(item, AudioRows):
            return 0
        self._at += 1
        return item.rows

    def prompt(self) -> Prompt:
        opening = self._next()
        if not isinstance(opening, Ids) or opening.drawn or opening.ids[:1] != (self._ids.im_start,):
            raise self._wrong()
        self._at += 1
        voice = self._audio()
        self._take_ids(self._ids.audio_close, self._ids.im_end)
        return Prompt(opening.ids, voice, len(opening.ids) + voice + 2)

    def unit(self) -> UnitRead:
        self._take_ids(self._ids.unit_open)
        slices: list[int] = []
        while self._is(self._ids.image_open):
            slices.append(self._picture(len(slices)))
        audio = self._audio()
        text: tuple[int, ...] = ()
        item = self._next()
        if isinstance(item, Ids) and not item.drawn and item.ids[:1] != (self._ids.unit_open,):
            text, self._at = item.ids, self._at + 1
        if not slices and not audio and not text:
            raise self._wrong()
        drawn: list[int] = []
        terminator: int | None = None
        while terminator is None and isinstance(item := self._next(), Ids) and item.drawn:
            self._at += 1
            if len(item.ids) == 2 and item.ids[1] == self._ids.unit_close:
                terminator = item.ids[0]
            elif self._ids.unit_close in item.ids:
                self._at -= 1
                raise self._wrong()
            else:
                drawn += item.ids
        if terminator is None and self.left():
            raise self._wrong()  # only the last unit may be open
        told, answer = self._told(text)
        return UnitRead(tuple(slices), audio, told, answer, tuple(drawn), terminator)

    def _picture(self, index: int) -> int:
        self._at += 1
        if not (isinstance(item := self._next(), ImageRows) and item.image == index):
            raise self._wrong()
        self._at += 1
        self._take_ids(self._ids.image_close)
        count = 0
        while self._is(self._ids.slice_open):
            self._at += 1
            if not (isinstance(item := self._next(), SliceRows) and (item.image, item.slice) == (index, count)):
                raise self._wrong()
            self._at += 1
            self._take_ids(self._ids.slice_close)
            count += 1
        return count

    def _told(self, text: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """A unit's text is words, or one whole answer of a backend: (words, answer)."""
        names = self._delegation
        if names is None or text[:1] != (names.backend_open,):
            return text, ()
        if text[-1] != names.backend_close:
            raise self._wrong()
        return (), text[1:-1]
