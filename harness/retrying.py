"""When something is tried again: only what passes by itself, only what may be repeated, later each time, never for long. Pure.

Full jitter: a random share of a wait that doubles with each attempt, and at least what the other side asked for (`Retry-After`). Does not
know what is tried, clocks, or where randomness comes from (seeded by whoever asks, so that a replay waits alike).
"""

from __future__ import annotations

from typing import Final

MAX_ATTEMPTS: Final = 3
BACK_OFF_MS: Final = 500.0
LEAST_ANSWER_MS: Final = 1_000.0
"""A wait that leaves less time than this for the answer is not worth it."""


def wait_ms(attempt: int, share: float, asked_for_ms: float | None, left_ms: float) -> float | None:
    """How long to wait after attempt number `attempt` (from 1) has failed, with `left_ms` left in all; None: give up. `share`: random, [0, 1)."""
    if attempt >= MAX_ATTEMPTS:
        return None
    wait = max(BACK_OFF_MS * 2 ** (attempt - 1) * share, asked_for_ms or 0.0)
    return wait if wait + LEAST_ANSWER_MS <= left_ms else None
