"""How loud near-end speech must be after something was judged to be noise or background: a radio must not duck again and again.

    block(at, samples, level | None) -> whether it counts,   judged(at, fall)

The level of what was judged is the loudest 100 ms of the speech of the last 4 s. The bar is set 3 dB above it. While speech
under the bar goes on (the radio still plays) it stays; after some seconds without it falls; after a minute it is forgotten, so that a
wrong verdict does not last. Levels in dB of full scale, after echo cancellation; times on the device clock. Pure.

Does not know: who speaks, or what follows.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from ridealong.proto.types import CLOCK_HZ, Samples, samples_from_ms

MARGIN_DB: Final = 3.0
LASTS: Final = samples_from_ms(60_000)
LOOK_BACK: Final = samples_from_ms(4_000)
SMOOTH: Final = samples_from_ms(100)
LOWEST_DB: Final = -60.0


@dataclass(frozen=True, slots=True)
class Fall:
    """Begins so long after the last speech under the bar."""

    after: Samples
    db_per_s: float


@dataclass(slots=True)
class Bar:
    level_db: float | None = None
    _until: Samples = Samples(0)
    _fall: Fall = Fall(Samples(0), 0.0)
    _under_at: Samples = Samples(0)  # when speech was last under it
    _recent: deque[tuple[Samples, int, float]] = field(default_factory=deque)  # (end, samples, dB) of speech

    @property
    def set(self) -> bool:
        return self.level_db is not None

    def block(self, at: Samples, samples: int, level_db: float | None) -> bool:
        """`level_db` None: no speech in this block."""
        while self._recent and self._recent[0][0] <= at - LOOK_BACK:
            self._recent.popleft()
        if level_db is not None:
            self._recent.append((at, samples, level_db))
        if self.level_db is None:
            return level_db is not None
        if level_db is not None and level_db <= self.level_db:
            self._under_at = at
        elif at - self._under_at > self._fall.after:
            self.level_db -= self._fall.db_per_s * samples / CLOCK_HZ
        if at >= self._until or self.level_db < LOWEST_DB:
            self.level_db = None
            return level_db is not None
        return level_db is not None and level_db > self.level_db

    def judged(self, at: Samples, fall: Fall) -> None:
        """What was heard lately was nobody who talks to us."""
        loudest = self._loudest_db()
        if loudest is not None:
            self.level_db = max(loudest + MARGIN_DB, self.level_db if self.level_db is not None else LOWEST_DB)
            self._until, self._fall, self._under_at = Samples(at + LASTS), fall, at

    def _loudest_db(self) -> float | None:
        """Mean power over the loudest 100 ms or so of speech."""
        best, power, length = None, 0.0, 0
        window: deque[tuple[int, float]] = deque()
        for _, samples, level_db in self._recent:
            window.append((samples, 10 ** (level_db / 10)))
            power, length = power + samples * window[-1][1], length + samples
            while length - window[0][0] >= SMOOTH:
                old, old_power = window.popleft()
                power, length = power - old * old_power, length - old
            if length:
                best = max(best or 0.0, power / length)
        if not best:
            return None
        return 10 * math.log10(best)
