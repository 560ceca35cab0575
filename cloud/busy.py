"""How long the node itself was too busy to take what had arrived: a beat on the loop, and how late each came.

    late_ms = …; late_ms -= 1000 * busy.between(due_s, arrived_s)      what of it was ours, not the link's

On a machine that has too much to do, messages lie there until the loop gets round to them; that says nothing about whether the device
was in touch. Does not know what waits, or for whom.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

BEAT_S: Final = 0.05
SLIGHT_S: Final = 0.005
"""A beat is never exactly on time."""
REMEMBERED: Final = 2_400
"""Two minutes of late beats: what a device keeps while it is offline."""


class Busy:
    """One per node. `begin` on its loop (again: nothing happens), `end` when nobody asks any more."""

    def __init__(self) -> None:
        self._late: deque[tuple[float, float]] = deque(maxlen=REMEMBERED)  # (due, came), in order
        self._due_s: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        if self._timer is None:
            self._next(asyncio.get_running_loop())

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._due_s = None

    def came(self, due_s: float, at_s: float) -> None:
        """A beat."""
        if at_s - due_s > SLIGHT_S:
            self._late.append((due_s, at_s))

    def between(self, from_s: float, to_s: float) -> float:
        """Seconds of this time that the loop was held up, as far as is remembered."""
        held_s = 0.0 if self._due_s is None else max(0.0, to_s - max(self._due_s, from_s))
        for due_s, came_s in reversed(self._late):
            if came_s <= from_s:
                break
            held_s += max(0.0, min(came_s, to_s) - max(due_s, from_s))
        return held_s

    def _next(self, loop: asyncio.AbstractEventLoop) -> None:
        self._due_s = loop.time() + BEAT_S
        self._timer = loop.call_at(self._due_s, self._beat, loop)

    def _beat(self, loop: asyncio.AbstractEventLoop) -> None:
        assert self._due_s is not None
        self.came(self._due_s, loop.time())
        self._next(loop)
