"""How much of what is to be said may leave now: text follows playback. Sans-IO.

The rule is the paper's (spec: venus A8): with tau the end of the speech already scheduled, D(n) the duration of the next n words
and t the horizon of this chunk, emit n = argmin_n | tau + D(n) - t |. tau is corrected by every playback ack, so that a stall at the
device holds the cloud back instead of piling up speech that an interruption would have to kill.

Does not know: words' text, samples, epochs, or who speaks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ridealong.proto.types import CLOCK_HZ, Samples


@dataclass(frozen=True, slots=True)
class Boundary:
    """A chunk boundary at device time `at`; `durations` are the next unsent words' lengths in device samples."""

    at: Samples
    durations: Sequence[int]


@dataclass(frozen=True, slots=True)
class Emitted:
    """`samples` (device clock) of speech left at device time `at`."""

    at: Samples
    samples: int


@dataclass(frozen=True, slots=True)
class Acked:
    """At device time `at`, `remaining` device samples of what was sent were not yet played."""

    at: Samples
    remaining: int


@dataclass(frozen=True, slots=True)
class Dropped:
    """A flush: nothing is scheduled any more."""

    at: Samples


Event = Emitted | Acked | Dropped


@dataclass(slots=True)
class Pacing:
    """`horizon_ms` is one chunk; `margin_ms` covers the link and the jitter buffer, and bounds what a flush can waste."""

    horizon_ms: int = 1_000
    margin_ms: int = 500
    scheduled_end: Samples = Samples(0)

    def on(self, event: Event) -> None:
        match event:
            case Emitted(at=at, samples=samples):
                self.scheduled_end = Samples(max(self.scheduled_end, at) + samples)
            case Acked(at=at, remaining=remaining):
                self.scheduled_end = Samples(at + remaining)
            case Dropped(at=at):
                self.scheduled_end = at

    def words_due(self, boundary: Boundary) -> int:
        """How many of the next words to emit at this boundary; never less than one when nothing is scheduled."""
        target = boundary.at + (self.horizon_ms + self.margin_ms) * CLOCK_HZ // 1000
        end: int = max(self.scheduled_end, boundary.at)
        best, best_distance = 0, abs(end - target)
        if end >= target:
            return 0
        for count, duration in enumerate(boundary.durations, start=1):
            end += duration
            if abs(end - target) >= best_distance:  # of equals the first
                break
            best, best_distance = count, abs(end - target)
        if best == 0 and boundary.durations and self.scheduled_end <= boundary.at:
            return 1
        return best
