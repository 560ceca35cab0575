"""How long the node itself was too busy to take what had arrived: a beat on the loop, how late each came, and how late it was over.

    late_ms = …; late_ms -= 1000 * busy.between(due_s, arrived_s)      what of it was ours, not the link's
    busy.stood_still(began_s, at_s)                                    so long nobody had a turn

On a machine that has too much to do, messages lie there until the loop gets round to them; that says nothing about whether the device
was in touch. A beat is over after a few turns of the loop, since a message needs some too: a loop that never stands still for long, but always for a
little, is busy all the time. Does not know what waits, or for whom.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from math import inf
from typing import Final

BEAT_S: Final = 0.05
SOON_S: Final = 0.01
"""To the next beat while the loop is busy."""
TURNS: Final = 2
SLIGHT_S: Final = 0.01
"""A beat is never exactly on time."""
REMEMBERED: Final = 2_400
"""Stretches. Two minutes is what a device keeps while it is offline."""

Stretch = tuple[float, float]
"""From, to."""


class Busy:
    """One per node. `begin` on its loop (again: nothing happens), `end` when nobody asks any more."""

    def __init__(self) -> None:
        self._still: deque[Stretch] = deque(maxlen=REMEMBERED)  # in order, as all stretches
        self._held: deque[Stretch] = deque(maxlen=REMEMBERED)
        self._since_s: float | None = None  # what comes after this is not measured yet
        self._due_s = 0.0
        self._turned_s = 0.0  # the last turn of a beat that is not over, or when it was due
        self._longest: Stretch = (0.0, 0.0)  # between two of its turns
        self._next: asyncio.Handle | None = None

    def begin(self) -> None:
        if self._next is None:
            loop = asyncio.get_running_loop()
            self._await(loop, loop.time() + BEAT_S, loop.time() + BEAT_S)

    def end(self) -> None:
        if self._next is not None:
            self._next.cancel()
        self._next = self._since_s = None

    def beat(self, since_s: float, due_s: float, longest: Stretch, over_s: float) -> bool:
        """True: the loop is busy, because it was over late. `since_s`: the end of the busy beat before it, or when it was due. `longest`: until it had a turn."""
        if longest[1] - longest[0] > SLIGHT_S:
            self._still.append(longest)
        if over_s - due_s <= SLIGHT_S:
            return False
        if self._held and self._held[-1][1] >= since_s:
            since_s, _ = self._held.pop()
        self._held.append((since_s, over_s))
        return True

    def between(self, from_s: float, to_s: float, spare_s: float = inf) -> float:
        """Seconds of this time that the loop was busy, as far as is remembered; of no more than the end of it in which the loop had `spare_s`
        to spare: in so much it takes all there is."""
        now = [] if self._since_s is None or to_s - self._due_s <= SLIGHT_S else [(self._since_s, to_s)]  # not over yet
        return _within((*now, *reversed(self._held)), from_s, to_s, spare_s)

    def stood_still(self, from_s: float, to_s: float) -> float:
        """Seconds of this time in which the loop did one thing only, as far as a beat has seen it: not all of them where there were many."""
        now = [] if self._since_s is None or to_s <= self._turned_s else [(self._turned_s, to_s)]
        return _within((*now, *reversed(self._still)), from_s, to_s, inf)

    def _await(self, loop: asyncio.AbstractEventLoop, since_s: float, due_s: float) -> None:
        self._since_s, self._due_s, self._turned_s, self._longest = since_s, due_s, due_s, (due_s, due_s)
        self._next = loop.call_at(due_s, self._turn, loop, TURNS)

    def _turn(self, loop: asyncio.AbstractEventLoop, left: int) -> None:
        assert self._since_s is not None
        now_s = loop.time()
        self._longest = max(self._longest, (self._turned_s, now_s), key=lambda stretch: stretch[1] - stretch[0])
        self._turned_s = now_s
        if left:
            self._next = loop.call_soon(self._turn, loop, left - 1)
            return
        busy = self.beat(self._since_s, self._due_s, self._longest, now_s)
        self._await(loop, now_s if busy else now_s + BEAT_S, now_s + (SOON_S if busy else BEAT_S))


def _within(latest: Iterable[Stretch], from_s: float, to_s: float, spare_s: float) -> float:
    """Of these stretches, the latest first: seconds between the two, back to where there were `spare_s` beside them."""
    held_s, free_s, after_s = 0.0, 0.0, to_s
    for began_s, over_s in latest:
        if over_s <= from_s:
            break
        if began_s >= to_s:
            continue
        free_s += after_s - min(over_s, to_s)
        if free_s >= spare_s:
            break
        after_s = max(began_s, from_s)
        held_s += min(over_s, to_s) - after_s
    return held_s
