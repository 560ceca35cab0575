"""What a number can be as the limit of a topic: its unit in words, its plausible range, the table's unit. Pure.

Does not know which words say it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ridealong.harness.slots import render
from ridealong.harness.slots.temperature import celsius_from_fahrenheit
from ridealong.vehicle_skills.car import Read, temperature_unit, text
from ridealong.vehicle_skills.signals import DISTANCE_UNIT
from ridealong.vehicle_skills.watching.topics import Topic

PLAUSIBLE: Final[Mapping[str, tuple[float, float]]] = {
    "percent": (0, 100), "speed": (1, 300), "m": (10, 2_000_000), "celsius": (-60, 80), "kPa": (50, 600),
}  # fmt: skip
"""In the table's units: km/h, m, degrees Celsius, kPa."""
BARS: Final = 10.0
"""A smaller pressure without a unit is in bar."""
_UNITS: Final[Mapping[str, tuple[str, ...]]] = {
    "percent": ("percent",), "speed": ("kmh", "km", "miles"), "m": ("km", "miles"), "celsius": ("degrees",), "kPa": (),
}  # fmt: skip


def said_again(topic: Topic, value: float, unit: str, read: Read) -> float | None:
    """The number as the topic's table has it; None where it can't be one."""
    if topic.unit not in PLAUSIBLE or unit not in ("", *_UNITS[topic.unit]):
        return None
    per_unit = render.KM_PER_MILE if unit == "miles" or (not unit and text(read, DISTANCE_UNIT) == "MILES") else 1.0
    match topic.unit:
        case "speed":
            value = round(value * per_unit, 1)
        case "m":
            value = round(value * 1000 * per_unit, 1)
        case "celsius" if temperature_unit(read) == "F":
            value = round(celsius_from_fahrenheit(value), 1)
        case "kPa" if value <= BARS:
            value = round(value * 100, 1)
        case _:
            pass
    return value if plausible(topic, value) else None


def plausible(topic: Topic, value: float) -> bool:
    low, high = PLAUSIBLE[topic.unit]
    return low <= value <= high
