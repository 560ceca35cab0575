"""A sequence whose values are made when somebody looks at them, each once: what a context offers is mostly not looked at. Pure.

What the values are made of is fixed when the sequence is, so that a late look sees what an early one would have. Does not know what they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, overload

From = TypeVar("From")
Made = TypeVar("Made")


class Lazily(Sequence[Made], Generic[From, Made]):
    """Looks like a tuple of `make(one)` for each of `given`. May be read from several threads: at worst a value is made twice, and one of them kept."""

    __slots__ = ("_given", "_made", "_make")

    def __init__(self, given: Sequence[From], make: Callable[[From], Made]) -> None:
        self._given, self._make = given, make
        self._made: dict[int, Made] = {}

    @overload
    def __getitem__(self, which: int) -> Made: ...

    @overload
    def __getitem__(self, which: slice) -> tuple[Made, ...]: ...

    def __getitem__(self, which: int | slice) -> Made | tuple[Made, ...]:
        places = range(len(self._given))[which]
        return self._at(places) if isinstance(places, int) else tuple([self._at(place) for place in places])

    def _at(self, place: int) -> Made:
        if place not in self._made:
            self._made.setdefault(place, self._make(self._given[place]))
        return self._made[place]

    def __len__(self) -> int:
        return len(self._given)
