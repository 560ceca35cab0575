"""Cabin climate: arguments and the car's state -> what is written, and what is said of it. Pure.

Does not know how words became arguments (plan.py), the gateway, the policy, or how a value is confirmed.
"""

from __future__ import annotations

from collections.abc import Mapping

from ridealong.harness.slots import render
from ridealong.harness.slots.temperature import fahrenheit_from_celsius
from ridealong.harness.slots.zone import SEATS
from ridealong.proto.types import SignalWrite
from ridealong.vehicle_skills.car import Read, integer, number, real, temperature_unit
from ridealong.vehicle_skills.signals import fan_speed, set_temperature


def temperature_paths(zone: str) -> tuple[str, ...]:
    return tuple(set_temperature(f"Row{row}", role.capitalize()) for row, role in SEATS[zone])


def set_writes(arguments: Mapping[str, object]) -> tuple[SignalWrite, ...]:
    return tuple(SignalWrite(path, real(arguments, "target")) for path in temperature_paths(str(arguments["zone"])))


def changed_target(arguments: Mapping[str, object], read: Read) -> float | None:
    """The new target in Celsius, None when the present one is unknown. Rounded to the step of the car's own unit."""
    now = number(read, temperature_paths(str(arguments["zone"]))[0])
    if now is None:
        return None
    target = min(max(now + real(arguments, "delta"), 14.0), 30.0)
    if temperature_unit(read) == "F":
        return round((round(fahrenheit_from_celsius(target)) - 32) * 5 / 9, 1)
    return round(target * 2) / 2


def whose(zone: str, locale: str) -> str:
    """ " for the passenger": nothing for the driver alone."""
    zh = locale.startswith("zh")
    return {"row1.passenger": "副驾驶" if zh else " for the passenger", "row1": "前排" if zh else " for both of you"}.get(
        zone, ""
    )


def set_sentence(celsius: float, zone: str, locale: str, read: Read) -> str:
    value = render.temperature(celsius, locale, temperature_unit(read))
    return f"{whose(zone, locale)}已设为{value}。" if locale.startswith("zh") else f"Set to {value}{whose(zone, locale)}."


def already_sentence(celsius: float, locale: str, read: Read) -> str:
    value = render.temperature(celsius, locale, temperature_unit(read))
    return f"已经是{value}了。" if locale.startswith("zh") else f"It's already at {value}."


def fan_writes(arguments: Mapping[str, object]) -> tuple[SignalWrite, ...]:
    return (SignalWrite(fan_speed("Row1", "Driver"), integer(arguments, "speed")),)


NAMES = {
    "air_conditioning": ("the air conditioning", "空调"),
    "recirculation": ("the air recirculation", "内循环"),
    "front_defroster": ("the front defroster", "前挡除雾"),
    "rear_defroster": ("the rear defroster", "后挡除雾"),
}
