"""Is the driver busy driving just now: braking hard, turning, changing lanes, manoeuvring? Pure, from signals alone.

    on(read, at)      each time the car reports
    heavy(at)         something said now should wait a little, if it can

A sign counts for HOLD_MS. What is unknown or old is no sign: a car that tells nothing holds up nothing. Does not know what waits, or for how
long at most (harness/delivery.py), nor anything of the driver but what the car does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ridealong.proto.types import Samples, SignalReading, samples_from_ms
from ridealong.vehicle_skills.signals import (
    BRAKE_PEDAL,
    GEAR_REVERSE,
    LATERAL,
    LEFT_INDICATOR,
    LONGITUDINAL,
    RIGHT_INDICATOR,
    SELECTED_GEAR,
    SPEED,
    STEERING_ANGLE,
)

Read = Callable[[str], SignalReading | None]

HOLD_MS: Final = 2_000
FRESH_MS: Final = 2_000
MOVING_KMH: Final = 5.0
BRAKING_PERCENT: Final = 40.0
BRAKING_M_S2: Final = 3.0
CORNERING_M_S2: Final = 3.0
TURNED_DEGREES: Final = 90.0
"""Of the steering wheel, at more than walking pace."""
SLOW_KMH: Final = 60.0
"""Below this, an indicator means a junction or a gap that is looked for."""


@dataclass(slots=True)
class DrivingLoad:
    until: Samples = Samples(-1)

    def on(self, read: Read, at: Samples) -> None:
        if sign(read):
            self.until = Samples(at + samples_from_ms(HOLD_MS))

    def heavy(self, at: Samples) -> bool:
        return at < self.until


def sign(read: Read) -> str:
    """What shows that the driver is busy, or ""."""
    speed = _number(read, SPEED)
    if speed is None or abs(speed) < MOVING_KMH:
        return "reversing" if speed and _number(read, SELECTED_GEAR) == GEAR_REVERSE else ""
    if (_number(read, BRAKE_PEDAL) or 0.0) >= BRAKING_PERCENT or (_number(read, LONGITUDINAL) or 0.0) <= -BRAKING_M_S2:
        return "braking"
    if abs(_number(read, LATERAL) or 0.0) >= CORNERING_M_S2 or abs(_number(read, STEERING_ANGLE) or 0.0) >= TURNED_DEGREES:
        return "turning"
    left, right = _flag(read, LEFT_INDICATOR), _flag(read, RIGHT_INDICATOR)
    if left is not right and (left or right) and speed <= SLOW_KMH:  # both together are the hazard lights
        return "indicating"
    return "reversing" if _number(read, SELECTED_GEAR) == GEAR_REVERSE else ""


def _fresh(read: Read, path: str) -> SignalReading | None:
    reading = read(path)
    return reading if reading is not None and reading.age_ms <= FRESH_MS else None


def _number(read: Read, path: str) -> float | None:
    reading = _fresh(read, path)
    value = reading.value if reading is not None else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _flag(read: Read, path: str) -> bool:
    reading = _fresh(read, path)
    return reading is not None and reading.value is True
