"""Readings for a watch, derived ones included, and its sentences: what is waited for, and what the car shows now. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from ridealong.harness.conditions import Compare, SignalIs
from ridealong.harness.slots import render
from ridealong.harness.slots.zone import SEATS, zone_name
from ridealong.proto.types import SignalReading
from ridealong.vehicle_skills.car import Read, drive_side, number, pressure_unit, speed_unit, temperature_unit, text
from ridealong.vehicle_skills.signals import (
    BATTERY_LEVEL,
    DESTINATION_LATITUDE,
    DESTINATION_LONGITUDE,
    DISTANCE_UNIT,
    FUEL_LEVEL,
    LATITUDE,
    LONGITUDE,
    door_open,
    window_position,
)
from ridealong.vehicle_skills.status import plan as status
from ridealong.vehicle_skills.watching.topics import BY_NAME, DISTANCE_TO_GO, NEAR_M, Topic

NAMES: Final[Mapping[str, tuple[str, str]]] = {
    "tyres": ("the tyre pressures", "胎压"), "range": ("the range", "续航"), "battery": ("the battery", "电量"), "fuel": ("the fuel", "油量"),
    "outside": ("the outside temperature", "车外温度"), "cabin": ("the cabin temperature", "车内温度"), "doors": ("the doors", "车门"),
    "windows": ("the windows", "车窗"), "trunk": ("the boot", "后备箱"), "brake": ("the parking brake", "手刹"),
    "arrival": ("our way to a destination", "到目的地的距离"), "speed": ("our speed", "车速"), "motion": ("our speed", "车速"),
}  # fmt: skip


# --- readings and sentences ------------------------------------------------------------------------------------------


def paths_of(topic: Topic, zone: str, read: Read) -> tuple[str, ...]:
    if topic.name in ("doors", "windows"):
        make = door_open if topic.name == "doors" else window_position
        return tuple(make(f"Row{row}", f"{role.capitalize()}Side") for row, role in SEATS[zone or "all"])
    if topic.name == "range":
        return next(((path,) for path in topic.paths if number(read, path) is not None), topic.paths[:1])
    return topic.paths


def number_of(path: str, read: Read) -> float | None:
    if path != DISTANCE_TO_GO:
        return number(read, path)
    derived = distance_to_go(read)
    return float(derived.value) if derived is not None and isinstance(derived.value, int | float) else None


def distance_to_go(read: Read) -> SignalReading | None:
    """Metres to the destination that is set; as old as where we are."""
    here = (number(read, LATITUDE), number(read, LONGITUDE))
    there = (number(read, DESTINATION_LATITUDE), number(read, DESTINATION_LONGITUDE))
    position = read(LATITUDE)
    if None in here or None in there or there == (0.0, 0.0) or position is None:
        return None
    (a, b), (c, d) = here, there
    assert a is not None and b is not None and c is not None and d is not None
    north, east = math.radians(c - a), math.radians(d - b) * math.cos(math.radians((a + c) / 2))
    return SignalReading(DISTANCE_TO_GO, 6_371_000 * math.hypot(north, east), position.age_ms)


def subject(arguments: Mapping[str, object], locale: str, read: Read) -> str:
    zh = locale == "zh"
    name, test, zone = str(arguments["topic"]), str(arguments["test"]), str(arguments.get("zone", ""))
    topic = BY_NAME[name]
    if topic.unit in ("open", "flag"):
        state = {"open": ("open", "打开"), "closed": ("closed", "关上"), "on": ("on", "拉起"), "off": ("off", "松开")}[test]
        if topic.unit == "flag":
            return f"{NAMES[name][1]}{state[1]}" if zh else f"{NAMES[name][0]} is {state[0]}"
        thing = ("车门" if zh else "door") if name == "doors" else ("车窗" if zh else "window")
        if zone == "all":
            if test == "open":
                return f"有{thing}打开" if zh else f"a {thing} is open"
            return f"{thing}都关上" if zh else f"all {thing}s are closed"
        place = zone_name(zone, thing, locale, drive_side(read))
        return f"{place}{state[1]}" if zh else f"{place} {'are' if len(SEATS[zone]) > 1 else 'is'} {state[0]}"
    if name == "motion":
        return (
            {"stopped": "车停下", "moving": "车开动"}[test] if zh else {"stopped": "we stop", "moving": "we start moving"}[test]
        )
    limit = arguments["limit"]
    assert isinstance(limit, int | float)
    if name == "arrival" and limit == NEAR_M:
        return "快到目的地" if zh else "we arrive"
    value = worded(topic, float(limit), locale, read)
    if name == "arrival":
        return f"离目的地{value}以内" if zh else f"we are within {value} of the destination"
    words = {"below": ("below", "低于"), "above": ("over", "超过"), "down_to": ("down to", "降到"), "up_to": ("up to", "达到")}[
        test
    ]
    if zh:
        return f"{NAMES[name][1]}{words[1]}{value}"
    if name == "tyres":
        return f"a tyre is {words[0]} {value}"
    return f"{NAMES[name][0]} is {words[0]} {value}"


def worded(topic: Topic, value: float, locale: str, read: Read) -> str:
    zh = locale.startswith("zh")
    unit = text(read, DISTANCE_UNIT) or "KILOMETERS"
    match topic.unit:
        case "percent":
            return render.percent(value, locale)
        case "speed":
            return render.speed(value, locale, speed_unit(read))
        case "m":
            if value < 1000:
                return f"{round(value)}{'米' if zh else ' metres'}"
            return render.distance(value / 1000, locale, unit)
        case "celsius":
            return render.temperature(value, locale, temperature_unit(read))
        case _:
            return render.pressure(value, locale, pressure_unit(read))


def evidence(condition: SignalIs, locale: str, read: Read) -> str:
    zh = locale.startswith("zh")
    match condition.topic:
        case "speed":
            return status.speed(read, locale, "")
        case "battery":
            return status.energy(_without(read, FUEL_LEVEL), locale, "")
        case "fuel":
            return status.energy(_without(read, BATTERY_LEVEL), locale, "")
        case "range":
            return status.distance_left(read, locale, "")
        case "outside":
            return status.outside(read, locale, "")
        case "cabin":
            return status.cabin(read, locale, "")
        case "tyres":
            return status.tyres(read, locale, "")
        case "doors":
            return status.doors(read, locale, condition.zone)
        case "windows":
            return status.windows(read, locale, condition.zone)
        case "trunk":
            return status.trunk(read, locale, "")
        case "brake":
            on = condition.value is True
            return f"手刹{'拉起' if on else '松开'}了。" if zh else f"The parking brake is {'on' if on else 'off'}."
        case "motion":
            stopped = condition.compare is Compare.BELOW
            if zh:
                return "车停下了。" if stopped else "车开动了。"
            return "We've stopped." if stopped else "We're moving."
        case _:
            left = number_of(DISTANCE_TO_GO, read)
            if left is None:
                return "快到目的地了。" if zh else "We're almost there."
            said = worded(BY_NAME["arrival"], round(left, -1), locale, read)
            return f"快到了，离目的地还有{said}。" if zh else f"We're almost there: {said} to go."


def _without(read: Read, path: str) -> Read:
    return lambda asked: None if asked == path else read(asked)
