"""How late something arrived, by the device's own clock: what makes a backlog.

    linked(device_at, arrived_s)      a link begins, and the device has told its clock
    made(device_at, arrived_s)        something that it made then has come; `came`: something that is no measure of the way
    late_ms(device_at, arrived_s)     how much later than by the quickest way that is, by no fault of the node's

Two clocks are compared of which neither is right. The least delay so far is the measure, and rises by at most DRIFT_MS_PER_S: so slowly that an outage or
a slow link stays visible, and faster than clocks part. What a device tells as its link begins has waited for nothing; so in a session that is
only just opened, too, what was kept for it is known to be late. Where that seems later than an opening may take, its clock has stood still
meanwhile, and the measure begins anew.

What comes one after the other waits for what is before it. So a node that was too busy to take a message has held up those behind it as well, until it
has had a moment (SPARE_S) in which it would have taken all of them: what comes after that was not there before. Pure.
Does not know what is late, or what follows from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Final, Protocol

from ridealong.proto.session import OPENING_MS
from ridealong.proto.types import CLOCK_HZ, Samples

DRIFT_MS_PER_S: Final = 0.5
"""Crystals are within 0.1 each; a bad sound card is not."""


SPARE_S: Final = 0.25
"""A node that has had so much time to spare has taken what had arrived."""

MOSTLY: Final = 0.75
"""From this share on, the rest is moments in which a message is handed on."""


class Held(Protocol):
    """`busy.Busy.between`."""

    def __call__(self, from_s: float, to_s: float, spare_s: float = inf) -> float: ...


def at_leisure(from_s: float, to_s: float, spare_s: float = inf) -> float:
    """A node that always takes what comes."""
    return 0.0


@dataclass(slots=True)
class Lateness:
    """One per session. `busy(from_s, to_s, spare_s)`: seconds of that time in which the node could take nothing, for which no link can do anything; of no
    more than its end in which the node had `spare_s` to spare."""

    busy: Held = at_leisure
    _least_ms: float | None = None
    _at_s: float = 0.0
    _came_s: float | None = None  # the last one
    _held_up_s: float = 0.0  # so much later than without us

    def linked(self, device_at: Samples, arrived_s: float) -> None:
        """0: the device has not told its clock."""
        if not device_at:
            return
        if self.late_ms(device_at, arrived_s) > OPENING_MS:
            self._least_ms = None
        self.made(device_at, arrived_s)

    def made(self, device_at: Samples, arrived_s: float) -> float:
        """As `came`. By this one the quickest way is measured, too."""
        delay_ms, least_ms = _delay_ms(device_at, arrived_s), self._least(arrived_s)
        self._least_ms, self._at_s = delay_ms if least_ms is None else min(delay_ms, least_ms), max(arrived_s, self._at_s)
        return self.came(device_at, arrived_s)

    def came(self, device_at: Samples, arrived_s: float) -> float:
        """How late it is, as `late_ms`. What comes next has had to wait for it."""
        late_ms, self._held_up_s = self._judged(device_at, arrived_s)
        self._came_s = arrived_s
        return late_ms

    def late_ms(self, device_at: Samples, arrived_s: float) -> float:
        """0 before anything is known."""
        return self._judged(device_at, arrived_s)[0]

    def device_now(self, at_s: float) -> Samples | None:
        """The device's clock: behind it by the quickest way, never ahead. None: not known."""
        least_ms = self._least(at_s)
        return None if least_ms is None else Samples(max(0, round((at_s - least_ms / 1000) * CLOCK_HZ)))

    def _judged(self, device_at: Samples, arrived_s: float) -> tuple[float, float]:
        """(ms that it is late, seconds that we have held it up)."""
        if (least_ms := self._least(arrived_s)) is None:
            return 0.0, 0.0
        due_s = device_at / CLOCK_HZ + least_ms / 1000
        late_s = max(0.0, arrived_s - due_s)
        held_s = self._held_up(due_s, arrived_s)
        return max(0.0, late_s - held_s) * 1000, min(held_s, late_s)

    def _held_up(self, due_s: float, arrived_s: float) -> float:
        before_s = self._came_s
        if before_s is None or due_s >= before_s:
            return self.busy(due_s, arrived_s, SPARE_S)
        between_s, held_s = arrived_s - before_s, self.busy(before_s, arrived_s)
        if between_s - held_s >= SPARE_S:
            return self.busy(before_s, arrived_s, SPARE_S)
        return self._held_up_s + (between_s if held_s >= MOSTLY * between_s else held_s)

    def _least(self, at_s: float) -> float | None:
        return None if self._least_ms is None else self._least_ms + DRIFT_MS_PER_S * max(0.0, at_s - self._at_s)


def _delay_ms(device_at: Samples, arrived_s: float) -> float:
    """With an offset that is as unknown as it is constant."""
    return arrived_s * 1000 - device_at * 1000 / CLOCK_HZ
