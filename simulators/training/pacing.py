"""Which words go into which unit. A unit is a second of input; what it says is heard in the second after it (venus.md A1, A8).

Words are placed by when they begin in the assistant's speech, spread evenly over it. Pure. Knows no sounds and no scenario.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ridealong.cloud.model.training.records import Drawn, SoundAt, Token, Unit, Words
from ridealong.proto.types import CLOCK_HZ

HEARD_MS = 300
"""After the last word, before a unit may act on it."""
_WORD = {"en": re.compile(r"\s*\S+"), "zh": re.compile(r"\s*(?:[0-9A-Za-z.%]+|\S)[，。！？、；：…”]*")}


def unit_at(sample: int) -> int:
    """The unit in which this sample is heard."""
    return sample // CLOCK_HZ


def acts_on(end: int) -> int:
    """The first unit that can know that what ended at this sample is over."""
    return unit_at(end + HEARD_MS * CLOCK_HZ // 1000)


def paced(text: str, locale: str, begins: int, samples: int) -> dict[int, str]:
    """Unit -> its words. begins, samples: where the whole text sounds; it must begin in unit 1 or later."""
    spread: dict[int, str] = {}
    at = 0
    for word in _WORD[locale].findall(text):
        unit = unit_at(begins + samples * at // max(1, len(text))) - 1
        spread[unit] = spread.get(unit, "") + word
        at += len(word)
    return spread


@dataclass(slots=True)
class Score:
    """A session's units being written. Whatever nothing is written for only listens."""

    units: int
    drawn: dict[int, list[Drawn]] = field(default_factory=dict)
    backend: dict[int, str] = field(default_factory=dict)

    def say(self, words: Mapping[int, str], until: int | None = None) -> int:
        """A turn: its words, and turn_eos in a unit of its own after the last, or in unit `until`, from which on no words are said.

        Returns the unit of turn_eos. Units between that have no words of their own go on with the turn.
        """
        kept = {unit: text for unit, text in words.items() if until is None or unit < until}
        if not kept:
            return -1 if until is None else until
        end = max(kept) + 1 if until is None else until
        for unit in range(min(kept), end):
            self._put(unit, [Token("speak"), *([Words(kept[unit])] if unit in kept else [])])
        self._put(end, [Token("speak"), Token("turn_eos")])
        return end

    def delegate(self, unit: int, words: str) -> int:
        """A request for the backend; returns the unit of its turn_eos."""
        self._put(unit, [Token("speak"), Token("delegate_open"), Words(words), Token("delegate_close")])
        self._put(unit + 1, [Token("speak"), Token("turn_eos")])
        return unit + 1

    def _put(self, unit: int, drawn: list[Drawn]) -> None:
        if unit in self.drawn:
            raise ValueError(f"unit {unit} already says something")
        self.drawn[unit] = drawn
        self.units = max(self.units, unit + 2)

    def written(self, sound: str, frames: Sequence[str] = ()) -> tuple[Unit, ...]:
        """sound: the session's file, a second a unit. frames: one a unit, as far as they go."""
        return tuple(
            Unit(
                end="chunk_eos" if unit in self.drawn else "listen",
                drawn=tuple(self.drawn.get(unit, ())),
                sound=SoundAt(sound, unit * CLOCK_HZ),
                frames=tuple(frames[unit : unit + 1]),
                backend=self.backend.get(unit, ""),
            )
            for unit in range(self.units)
        )
