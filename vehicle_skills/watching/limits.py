"""What a number can be as the limit of a topic: its unit in words, its plausible range, the table's unit. Pure.

Does not know which words say it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ridealong.harness.slots import render
from ridealong.harness.slots.number import find_numbers, parse_number
from ridealong.harness.slots.temperature import celsius_from_fahrenheit
from ridealong.vehicle_skills.car import Read, pressure_unit, speed_unit, temperature_unit, text
from ridealong.vehicle_skills.signals import DISTANCE_UNIT
from ridealong.vehicle_skills.watching.topics import TOPICS, Topic

BARS: Final = 10.0
"""A smaller pressure without a unit is in bar."""
LEAST_KPA: Final = 50.0
MOST_PSI: Final = 87.0
PLAUSIBLE: Final[Mapping[str, tuple[float, float]]] = {
    "percent": (0, 100), "speed": (1, 300), "m": (10, 2_000_000), "celsius": (-60, 80), "kPa": (LEAST_KPA, 600),
}  # fmt: skip
"""In the table's units: km/h, m, degrees Celsius, kPa."""
_UNITS: Final[Mapping[str, tuple[str, ...]]] = {
    "percent": ("percent",), "speed": ("kmh", "km", "miles"), "m": ("km", "miles"), "celsius": ("degrees",), "kPa": (),
}  # fmt: skip


def said_again(topic: Topic, value: float, unit: str, read: Read) -> float | None:
    """The number as the topic's table has it; None where it can't be one."""
    if topic.unit not in PLAUSIBLE or unit not in ("", *_UNITS[topic.unit]):
        return None
    shown = speed_unit(read) == "MILES_PER_HOUR" if topic.unit == "speed" else text(read, DISTANCE_UNIT) == "MILES"
    per_unit = render.KM_PER_MILE if unit == "miles" or (not unit and shown) else 1.0
    match topic.unit:
        case "speed":
            value = round(value * per_unit, 1)
        case "m":
            value = round(value * 1000 * per_unit, 1)
        case "celsius" if temperature_unit(read) == "F":
            value = round(celsius_from_fahrenheit(value), 1)
        case "kPa":
            value = kilopascals(value, "", read)
        case _:
            pass
    return value if plausible(topic, value) else None


def kilopascals(value: float, unit: str, read: Read) -> float:
    """Of a tyre's pressure in PSI, BAR or KPA; "" where no unit was said: that which the car shows, unless a tyre can't have it."""
    if not unit:
        psi = BARS < value < LEAST_KPA or (pressure_unit(read) == "PSI" and value < MOST_PSI)
        unit = "BAR" if value <= BARS else "PSI" if psi else "KPA"
    match unit:
        case "PSI":
            return round(value * render.KPA_PER_PSI, 1)
        case "BAR":
            return round(value * 100, 1)
        case _:
            return value


def plausible(topic: Topic, value: float) -> bool:
    low, high = PLAUSIBLE[topic.unit]
    return low <= value <= high


_NAMES: Final = {
    "percent": ("0 to 100 percent", "百分之零到百分之一百"), "speed": ("1 to 300 kilometres per hour", "每小时一到三百公里"), "celsius": ("minus 60 to 80 degrees Celsius", "零下六十到八十摄氏度"),
}  # fmt: skip


def out_of_range(clause: str, zh: bool) -> tuple[Topic, float, str] | None:
    """The topic that is named with a number that can't be its limit, and the question that names the range."""
    for topic in TOPICS:
        if topic.unit not in _NAMES or re.search(topic.chinese if zh else rf"\b(?:{topic.english})\b", clause) is None:
            continue
        numbers = _numbers(clause, zh)
        if not numbers or any(plausible(topic, value) for value in numbers):
            return None
        span = _NAMES[topic.unit][1 if zh else 0]
        question = (
            f"这个只能在{span}之间。到多少的时候告诉您？" if zh else f"That can only be {span}. At what value should I tell you?"
        )
        return topic, numbers[-1], question
    return None


def _numbers(clause: str, zh: bool) -> list[float]:
    if not zh:
        return [one.value for one in find_numbers(clause, "en") if not one.ordinal]
    said = re.findall(r"百分之([\d零一二两三四五六七八九十百千]+)|([\d.]+|[零一二两三四五六七八九十百千]+)", clause)
    return [one.value for pair in said if (one := parse_number(pair[0] or pair[1], "zh")) is not None]
