"""How late something arrived, by the device's own clock: what makes a backlog.

    linked(device_at, arrived_s)      a link begins, and the device has told its clock
    made(device_at, arrived_s)        something that it made then has come
    late_ms(device_at, arrived_s)     how much later than by the quickest way that is

Two clocks are compared of which neither is right. The least delay so far is the measure, and rises by at most DRIFT_MS_PER_S: so slowly that an outage or
a slow link stays visible, and faster than clocks part. What a device tells as its link begins has waited for nothing; so in a session that is
only just opened, too, what was kept for it is known to be late. Where that seems later than an opening may take, its clock has stood still
meanwhile, and the measure begins anew. Pure.
Does not know what is late, or what follows from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ridealong.proto.session import OPENING_MS
from ridealong.proto.types import CLOCK_HZ, Samples

DRIFT_MS_PER_S: Final = 0.5
"""Crystals are within 0.1 each; a bad sound card is not."""


def at_leisure(from_s: float, to_s: float) -> float:
    """A node that always takes what comes."""
    return 0.0


@dataclass(slots=True)
class Lateness:
    """One per session. `busy(from_s, to_s)`: seconds of that time in which the node could take nothing, for which no link can do anything."""

    busy: Callable[[float, float], float] = at_leisure
    _least_ms: float | None = None
    _at_s: float = 0.0

    def linked(self, device_at: Samples, arrived_s: float) -> None:
        """0: the device has not told its clock."""
        if not device_at:
            return
        if self.late_ms(device_at, arrived_s) > OPENING_MS:
            self._least_ms = None
        self.made(device_at, arrived_s)

    def made(self, device_at: Samples, arrived_s: float) -> None:
        delay_ms, least_ms = _delay_ms(device_at, arrived_s), self._least(arrived_s)
        self._least_ms, self._at_s = delay_ms if least_ms is None else min(delay_ms, least_ms), max(arrived_s, self._at_s)

    def late_ms(self, device_at: Samples, arrived_s: float) -> float:
        """0 before anything is known."""
        if (least_ms := self._least(arrived_s)) is None:
            return 0.0
        due_s = device_at / CLOCK_HZ + least_ms / 1000
        return max(0.0, arrived_s - due_s - self.busy(due_s, arrived_s)) * 1000

    def device_now(self, at_s: float) -> Samples | None:
        """The device's clock: behind it by the quickest way, never ahead. None: not known."""
        least_ms = self._least(at_s)
        return None if least_ms is None else Samples(max(0, round((at_s - least_ms / 1000) * CLOCK_HZ)))

    def _least(self, at_s: float) -> float | None:
        return None if self._least_ms is None else self._least_ms + DRIFT_MS_PER_S * max(0.0, at_s - self._at_s)


def _delay_ms(device_at: Samples, arrived_s: float) -> float:
    """With an offset that is as unknown as it is constant."""
    return arrived_s * 1000 - device_at * 1000 / CLOCK_HZ
