"""What the device's gate found at each picture it took, sent or not: until when a picture that was sent shows what is there. Pure.

Each picture is compared with the last one that had changed. Pictures are numbered without a gap, and one may come after word of a later one: where one
is missing, nothing more is known. Bounded; does not know pictures, or who asks.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from ridealong.proto.types import FrameId, Samples

MAX_LOOKS: Final = 512


@dataclass(frozen=True, slots=True)
class _Look:
    seq: int
    frame: FrameId
    capture: Samples
    changed: bool


@dataclass(slots=True)
class Looks:
    """`seq`: by order of arrival, as evidence is numbered."""

    _looks: deque[_Look] = field(default_factory=deque)

    def add(self, seq: int, frame: FrameId, capture: Samples, changed: bool) -> int:
        """How many older ones had to go."""
        self._looks.append(_Look(seq, frame, capture, changed))
        too_many = len(self._looks) - MAX_LOOKS
        for _ in range(too_many):
            self._looks.popleft()
        return max(0, too_many)

    def forget(self) -> None:
        self._looks.clear()

    def unchanged_until(self, cutoff: Samples, last: int) -> dict[FrameId, Samples]:
        """Of the pictures that had changed: when the last of those that follow without a change was taken, as far as was known at `cutoff` and by
        number `last`. Not those that none follows."""
        known = {one.frame: one for one in self._looks if one.seq <= last and one.capture <= cutoff}
        until: dict[FrameId, Samples] = {}
        for first in [one for one in known.values() if one.changed]:
            following = known.get(FrameId(first.frame + 1))
            while following is not None and not following.changed:
                until[first.frame] = following.capture
                following = known.get(FrameId(following.frame + 1))
        return until
