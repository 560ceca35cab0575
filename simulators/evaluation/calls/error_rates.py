"""How far recognised words are from those said: word error rate of English, character error rate of Chinese. Pure.

Both are compared in the plain form with numbers spelt out as our own voice says them, so that "22.5" and "twenty-two and a half" are the same.
Does not know what the words mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ridealong.cloud.frontends.cascade import numbers_en, numbers_zh
from ridealong.harness.slots.text import plain

_UNITS = {"en": re.compile(r"[a-z0-9\u4e00-\u9fff]+"), "zh": re.compile(r"[\u4e00-\u9fff]|[a-z0-9]+")}


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """`errors`: units put in, left out or changed, of `units` that were said."""

    errors: int
    units: int

    @property
    def value(self) -> float | None:
        return self.errors / self.units if self.units else None

    @staticmethod
    def of(pairs: Iterable[tuple[str, str]], locale: str) -> ErrorRate:
        """`pairs`: (said, heard)."""
        counted = [(units(said, locale), units(heard, locale)) for said, heard in pairs]
        return ErrorRate(sum(distance(said, heard) for said, heard in counted), sum(len(said) for said, _ in counted))


def units(text: str, locale: str) -> list[str]:
    """Words of English, characters of Chinese (a run of Latin letters is one)."""
    speakable = numbers_zh.speakable if locale == "zh" else numbers_en.speakable
    return _UNITS[locale].findall(plain(speakable(text).replace("-", " "), locale))


def distance(said: Sequence[str], heard: Sequence[str]) -> int:
    """Levenshtein's, over units."""
    row = list(range(len(heard) + 1))
    for i, one in enumerate(said, 1):
        before, row = row, [i]
        for j, other in enumerate(heard, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (one != other)))
    return row[-1]
