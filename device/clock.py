"""The device clock: where a microphone block lies on the 16 kHz sample clock, and absolute deadlines for what is paced.

    SampleClock.place(samples, captured_s, discontinuity) -> Placed(start, gap)
    SampleClock.now(now_s) -> Samples
    Deadlines.after(now_s) -> Slot(index, due_s, skipped)

Rules. Counted samples are the truth; the loop's monotonic time only tells how much is missing.
* Callback jitter moves nothing. A microphone faster than the loop's clock pushes the clock forward; a slower one is followed at
  1 ms a second (the least lag of each 5 s window is drift, the rest is jitter).
* Samples are missing when a block lags by more than 100 ms for 250 ms without a break, or when the source says so: the next block
  is placed where time says, and what lies between is a gap. Time never runs backwards.

Pure: time arrives as a number. Does not know who captures, or what is done with a gap.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from ridealong.proto.types import CLOCK_HZ, Samples

GAP_SAMPLES: Final = CLOCK_HZ // 10
GAP_SUSTAINED_S: Final = 0.25
DRIFT_WINDOW_S: Final = 5.0
DRIFT_LIMIT: Final = 1e-3  # seconds a second


@dataclass(frozen=True, slots=True)
class Placed:
    start: Samples
    gap: int


@dataclass(slots=True)
class SampleClock:
    """`origin_s` is the loop time of sample 0, infinite before it has come; drift moves it."""

    origin_s: float = math.inf
    position: Samples = Samples(0)  # end of the last placed block
    gaps: int = 0
    gap_samples: int = 0
    drift_samples: int = 0
    _lagging_since_s: float | None = None
    _window_from_s: float | None = None
    _window_least: int = 0

    def now(self, now_s: float) -> Samples:
        """Never behind what has been placed; 0 before the first sample."""
        if math.isinf(self.origin_s):
            return self.position
        return Samples(max(self.position, round((now_s - self.origin_s) * CLOCK_HZ)))

    def place(self, samples: int, captured_s: float, discontinuity: bool = False) -> Placed:
        """`captured_s`: loop time at which the block's last sample was captured. `discontinuity`: the source lost samples."""
        due = round((captured_s - self.origin_s) * CLOCK_HZ)
        lag = due - (self.position + samples)
        if lag < 0:
            self.origin_s += lag / CLOCK_HZ
            self.drift_samples += lag
            lag = 0
        gap = 0
        if self._missing(lag, captured_s, discontinuity):
            gap = lag
            self.gaps += 1
            self.gap_samples += gap
            self._lagging_since_s = self._window_from_s = None
        else:
            self._follow(lag, captured_s)
        start = Samples(self.position + gap)
        self.position = Samples(start + samples)
        return Placed(start, gap)

    def _missing(self, lag: int, captured_s: float, discontinuity: bool) -> bool:
        if discontinuity:
            return lag > 0
        if lag <= GAP_SAMPLES:
            self._lagging_since_s = None
            return False
        if self._lagging_since_s is None:
            self._lagging_since_s = captured_s
        return captured_s - self._lagging_since_s >= GAP_SUSTAINED_S

    def _follow(self, lag: int, captured_s: float) -> None:
        if self._window_from_s is None:
            self._window_from_s, self._window_least = captured_s, lag
            return
        self._window_least = min(self._window_least, lag)
        if captured_s - self._window_from_s >= DRIFT_WINDOW_S:
            step = min(self._window_least, round(DRIFT_LIMIT * DRIFT_WINDOW_S * CLOCK_HZ))
            self.origin_s += step / CLOCK_HZ
            self.drift_samples += step
            self._window_from_s = None


@dataclass(frozen=True, slots=True)
class Slot:
    index: int
    due_s: float
    skipped: int


@dataclass(slots=True)
class Deadlines:
    """Slot k is due at `origin_s + k * period_s`: lateness never accumulates, and after a freeze whole slots are skipped.

    A slot that is less than one period late is still served; a burst of more than one is never asked for.
    """

    origin_s: float
    period_s: float
    index: int = -1
    skipped: int = 0

    def after(self, now_s: float) -> Slot:
        """The next slot to serve; wait until `due_s`."""
        nearest = int((now_s - self.origin_s) / self.period_s + 1e-6)
        following = self.index + 1
        skipped = max(0, nearest - following)
        self.index = following + skipped
        self.skipped += skipped
        return Slot(self.index, self.origin_s + self.index * self.period_s, skipped)
