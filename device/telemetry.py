"""What the device counts about itself: counters of every bounded buffer, and how late the loop is.

Numbers only, never content. Does not know where they are shown.
"""

from __future__ import annotations

import asyncio
import dataclasses
import logging
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

log = logging.getLogger("ridealong.device")

LAG_KEPT: Final = 1_000
COUNTED: Final[dict[str, tuple[str, ...]]] = {
    "clock": ("gaps", "gap_samples", "drift_samples"),
    "units": ("late_samples", "gap_samples"),
    "playout": (
        "dead_chunks",
        "repeated_chunks",
        "missing_chunks",
        "overflow_chunks",
        "underruns",
        "underrun_frames",
        "abandoned",
    ),
    "speech": ("holes", "hole_samples", "longest_hole_samples"),
    "frames": (),  # all that it counts
    "echo": ("resets", "restarts", "delay_moves", "delay_ms", "drift_ppm"),
    "reflex": ("ducks", "holds", "without_verdict", "under_the_bar"),
    "microphone": ("dropped_blocks", "overflows", "reopened"),
    "speaker": ("underruns", "full_slots", "silence_adjustments", "unfetched", "reopened"),
    "agent": ("observer_errors", "refused_speech"),
    "slots": ("skipped",),
}
"""What is counted of each part of an agent: the stable names."""


@dataclass(slots=True)
class LoopLag:
    """How late slots were served; `worst_ms` and a 0.99 quantile of the last 1,000."""

    worst_ms: float = 0.0
    _last: deque[float] = field(default_factory=lambda: deque(maxlen=LAG_KEPT))

    def add(self, late_s: float) -> None:
        late_ms = max(0.0, late_s * 1000)
        self.worst_ms = max(self.worst_ms, late_ms)
        self._last.append(late_ms)

    @property
    def p99_ms(self) -> float:
        ordered = sorted(self._last)
        return ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))] if ordered else 0.0


Source = Callable[[], Mapping[str, float]]


@dataclass(slots=True)
class Telemetry:
    lag: LoopLag = field(default_factory=LoopLag)
    _sources: dict[str, Source] = field(default_factory=dict)

    def add(self, name: str, source: Source) -> None:
        """`name` prefixes what `source()` gives."""
        self._sources[name] = source

    def count(self, **parts: object | None) -> None:
        """Live objects under their names in COUNTED; None: this agent has no such part."""
        for name, part in parts.items():
            if part is not None:
                self.add(name, numbers(part, *COUNTED[name]))

    def snapshot(self) -> dict[str, float]:
        found = {"loop.lag_p99_ms": round(self.lag.p99_ms, 3), "loop.lag_worst_ms": round(self.lag.worst_ms, 3)}
        for name, source in self._sources.items():
            found |= {f"{name}.{key}": value for key, value in source().items()}
        return found

    async def report(self, every_s: float) -> None:
        """Log what is not zero, until cancelled."""
        while True:
            await asyncio.sleep(every_s)
            log.info("counters %s", " ".join(f"{key}={value:g}" for key, value in self.snapshot().items() if value))


def numbers(thing: object, *names: str) -> Source:
    """The named attributes of a live object, or all public numbers of a dataclass."""

    def read() -> dict[str, float]:
        keys = names or tuple(f.name for f in dataclasses.fields(thing) if not f.name.startswith("_"))  # type: ignore[arg-type]
        values = {key: getattr(thing, key, None) for key in keys}
        return {
            key: float(value) for key, value in values.items() if isinstance(value, int | float) and not isinstance(value, bool)
        }

    return read
