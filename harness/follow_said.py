"""What a follow-up can say to be different: another value, a step, a place, the other way round. The closed union.

Does not know the words (follow_words.py), or what it means for a call (following.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Final


class Sense(Enum):
    """Which way a step goes: as what was asked for before, against it, or as the word itself says."""

    MORE = "more"
    LESS = "less"
    UP = "up"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Value:
    """Another value. `unit` as UNITS names it, "" where none was said; a duration is in seconds. `fresh`: "set it to 22" may as well be a
    request of its own. `refused`: the number that it is to stand for, "18, not 19"."""

    value: float
    unit: str
    words: str
    fresh: bool = False
    refused: float | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """`size` None: none was said, and `manner` ("bit", "plain", "lot") is all there is. `of`: what alone the word fits ("warmth", "wind",
    "time", "opening", "size" for wind, openings and loudness, "loudness", "quiet" for loudness and a fan), "" for any."""

    sense: Sense
    size: float | None
    unit: str
    words: str
    of: str = ""

    @property
    def manner(self) -> str:
        return "lot" if _LOT.search(self.words) else "bit" if _BIT.search(self.words) else "plain"


@dataclass(frozen=True, slots=True)
class Unit:
    """The same number of another unit of time: "seconds, not minutes"."""

    unit_s: int
    words: str


@dataclass(frozen=True, slots=True)
class Scale:
    factor: float
    words: str
    of: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Another place, in words. `refused`: only where not; `kept`: where it is to stay as it was."""

    words: str
    refused: bool = False
    kept: bool = False


@dataclass(frozen=True, slots=True)
class At:
    """A change, and where: "passenger two up", 左边那个再开大点. It may as well be a request of its own, hence `fresh`."""

    place: str
    what: Value | Step | Scale | State
    fresh: bool = True


@dataclass(frozen=True, slots=True)
class Thing:
    """Something else by its name, after words that take something back: "no, the station". `adds`: beside it, "and inside?". `refused`: what it is not."""

    words: str
    adds: bool = False
    refused: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """On or open, off or closed."""

    on: bool
    words: str


class Said(Enum):
    OTHER = "the other one"
    NOT_THAT = "not that one"
    BEHIND = "the one behind it"
    TURNED = "the other way round"
    UNDO = "back to what it was"
    AGAIN = "again"
    FIRST = "what was said at first"


LABEL: Final = re.compile(r"(?<![A-Za-z0-9])(?:[A-Za-z]{1,3}\d{1,4}|\d{1,4}[A-Za-z]{1,2})(?![A-Za-z0-9])")
"""A bay, a gate, a room: B2, 14C."""
_LOT = re.compile(r"^(?:by )?(?:quite a bit|a lot|lots|much|way)\b|很多|好多|不少")
_BIT = re.compile(r"\b(?:bit|touch|tad|little|notch|smidge|hair|shade|fraction|slightly|some)\b|点|些|一丢丢")

FollowUp = Value | Step | Scale | Unit | Place | At | State | Said
"""A sentence that is one for itself; a `Thing` may be, where nothing else can be made of it."""

UNITS: Final = ("degrees", "percent", "notches", "km", "miles", "kmh", "seconds")
