"""Shares with their 95 % interval, percentiles and a distance of distributions. Pure; does not know what was counted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ridealong.simulators.replay.figures import percentile, wilson

__all__ = ["Share", "jensen_shannon", "percentile", "wilson"]


@dataclass(frozen=True, slots=True)
class Share:
    """`good` of `n`. An empty share has no value."""

    good: int
    n: int

    @staticmethod
    def of(outcomes: Iterable[bool]) -> Share:
        found = list(outcomes)
        return Share(sum(found), len(found))

    @property
    def value(self) -> float | None:
        return self.good / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's, 95 %."""
        return wilson(self.good, self.n) if self.n else None

    def shown(self) -> str:
        if not self.n:
            return "–"
        low, high = wilson(self.good, self.n)
        return f"{self.good / self.n:.3f} [{low:.3f}, {high:.3f}]"


def jensen_shannon(first: Sequence[float], second: Sequence[float]) -> float:
    """Divergence of two distributions over the same bins, base 2: 0 (alike) to 1 (disjoint). Each is scaled to sum 1.

    ValueError where one is empty, negative or of another length."""
    if len(first) != len(second) or not first:
        raise ValueError("two distributions need the same bins")
    if min(first) < 0 or min(second) < 0 or not sum(first) or not sum(second):
        raise ValueError("a distribution needs weights, none of them negative")
    p = [value / sum(first) for value in first]
    q = [value / sum(second) for value in second]
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    return min(1.0, max(0.0, (_divergence(p, middle) + _divergence(q, middle)) / 2))


def _divergence(p: Sequence[float], q: Sequence[float]) -> float:
    return sum(a * math.log2(a / b) for a, b in zip(p, q, strict=True) if a > 0)
