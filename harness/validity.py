"""What must still be so when a reply is spoken, and whether it is. Pure.

A reply is made for one version of an intent, of readings, perhaps at a place, perhaps under conditions; whichever of these is not so any more breaks it.
Does not know what becomes of a broken reply (delivery.py), or who says what it depends on (skill.Holds).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ridealong.harness.skill import Near, Still
from ridealong.harness.whereabouts import distance_km
from ridealong.proto.types import Precondition, SignalReading, SignalValue

REVISED: Final = "revised"
SETTLES_MS: Final = 1_000.0
"""Of what was written: a reading that is not younger than the result by so much may still be from before it."""
NOW_MS: Final = 1_500.0
"""Of what was read: a number that drifts is said as it was within so long, or a car that speeds up would never be told how fast it is."""

Read = Callable[[str], SignalReading | None]


@dataclass(frozen=True, slots=True)
class Validity:
    """What must still hold when the reply is spoken: that no later version of the intent was asked for (`revision` is this one's), states of the
    world, what must not have changed, and where the car must still be."""

    revision: int = 0
    conditions: tuple[Precondition, ...] = ()
    still: tuple[Still, ...] = ()
    near: tuple[Near, ...] = ()


UNCONDITIONAL: Final = Validity()
"""Of an intent's first version, which depends on nothing yet."""


def broken_condition(validity: Validity, revision: int, read: Read, since_ms: float = math.inf) -> str:
    """Why a reply must no longer be spoken, or "" while it may. `revision`: the intent's newest. An unknown reading breaks a condition, but shows no change.
    `since_ms`: how long ago the result became known."""
    if validity.revision != revision:
        return REVISED
    for condition in validity.conditions:
        reading = read(condition.path)
        if reading is None or reading.value is None:
            return f"unknown:{condition.path}"
        if condition.equals is not None and reading.value != condition.equals:
            return f"changed:{condition.path}"
        if condition.at_most is not None:
            value, limit = reading.value, condition.at_most
            if isinstance(value, str) or isinstance(limit, str) or value > limit:
                return f"changed:{condition.path}"
    for still in validity.still:
        reading = read(still.path)
        if reading is None or reading.value is None or _as_before(still, reading.value):
            continue
        if since_ms > NOW_MS or not still.slack if still.read else reading.age_ms + SETTLES_MS <= since_ms:
            return f"changed:{still.path}"
    for near in validity.near:
        latitude, longitude = _number(read(near.latitude_path)), _number(read(near.longitude_path))
        if latitude is None or longitude is None:
            continue
        if distance_km(near.latitude, near.longitude, latitude, longitude) * 1000 > near.within_m:
            return f"moved:{near.latitude_path}"
    return ""


def _as_before(still: Still, value: SignalValue) -> bool:
    numbers = [one for one in (still.value, value) if isinstance(one, int | float) and not isinstance(one, bool)]
    return abs(numbers[0] - numbers[1]) <= still.slack if len(numbers) == 2 else still.value == value


def _number(reading: SignalReading | None) -> float | None:
    value = reading.value if reading is not None else None
    known = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if known and value is not None else None
