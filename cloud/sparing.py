"""What is told at most once in a while, however often it happens. Does not know what it is, or any clock."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Sparing:
    every_s: float
    _told_s: float | None = None

    def due(self, now_s: float) -> bool:
        """True where it is to be told now; then not again for `every_s`."""
        if self._told_s is not None and now_s - self._told_s < self.every_s:
            return False
        self._told_s = now_s
        return True
