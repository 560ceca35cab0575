"""How long a package waits before it gets another worker: nothing after the first death, then twice as long after each one. Pure.

A call that ends in order forgives all. Does not know what a worker is, or why it died.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FIRST_MS: Final = 500
LONGEST_MS: Final = 60_000


@dataclass(slots=True)
class Backoff:
    """`now_ms` is the running loop's."""

    first_ms: float = FIRST_MS
    deaths: int = 0
    not_before_ms: float = 0.0

    def died(self, now_ms: float) -> None:
        self.deaths += 1
        pause_ms = 0 if self.deaths == 1 else min(LONGEST_MS, self.first_ms * 2 ** min(self.deaths - 2, 20))
        self.not_before_ms = now_ms + pause_ms

    def worked(self) -> None:
        self.deaths, self.not_before_ms = 0, 0.0

    def wait_ms(self, now_ms: float) -> float:
        """How long still; 0 when a worker may be started."""
        return max(0.0, self.not_before_ms - now_ms)
