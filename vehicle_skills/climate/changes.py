"""What of a climate call later words may change. Pure.

Does not know the words.
"""

from __future__ import annotations

import re
from functools import partial

from ridealong.harness.changes import Amount, Another, Arguments, Changes, Reads, as_said, to_switch
from ridealong.harness.slots.temperature import COOLEST_C, WARMEST_C, Target, Temperature, as_target
from ridealong.vehicle_skills.car import number, placed_again, shown_before, temperature_unit
from ridealong.vehicle_skills.climate.plan import CHANGE, FAN, FAN_STEP, SET, SWITCH, SWITCHES, ZONES
from ridealong.vehicle_skills.signals import fan_speed, set_temperature

STEPS = {"bit": 1.0, "plain": 1.5, "lot": 3.0}
STEPS_F = {"bit": 2.0, "plain": 3.0, "lot": 6.0}
LARGEST_STEP = 10.0


def _celsius(value: float, unit: str, arguments: Arguments, read: Reads) -> float | None:
    if unit not in ("", "degrees"):
        return None
    target = as_target(Temperature(value, None, unit == "degrees", "", (0, 0)), temperature_unit(read), "en")
    return target.celsius if isinstance(target, Target) else None


def _degrees(size: float | None, unit: str, manner: str, arguments: Arguments, read: Reads) -> float | None:
    fahrenheit = temperature_unit(read) == "F"
    if unit not in ("", "degrees", "notches"):
        return None
    if unit == "notches":
        size = (size or 1.0) * (STEPS_F if fahrenheit else STEPS)["bit"]
    step = size if size is not None else (STEPS_F if fahrenheit else STEPS)[manner]
    degrees = step * 5 / 9 if fahrenheit else step
    return degrees if 0 < degrees <= LARGEST_STEP else None


def _warmth_before(arguments: Arguments, before: Reads) -> tuple[Another, ...]:
    shown = shown_before(str(arguments["zone"]), before, lambda row, role: set_temperature(f"Row{row}", role.capitalize()))
    return tuple((SET, {"target": value, "zone": zone}) for zone, value in shown if COOLEST_C <= value <= WARMEST_C)


def _step_back(arguments: Arguments, before: Reads) -> tuple[Another, ...]:
    return (_other_direction(arguments),)


def _other_direction(arguments: Arguments) -> Another:
    delta = arguments["delta"]
    assert isinstance(delta, int | float)
    return CHANGE, {**arguments, "delta": -delta}


_ZONES = frozenset(ZONES)
_placed = partial(placed_again, row1_only=True)
TARGET = Changes(
    Amount("target", COOLEST_C, WARMEST_C, frozenset({"warmth"}), _celsius, _degrees, whole=False, proportional=False, stepped=(CHANGE, {"delta": 0.0})),
    places=_ZONES, placed=_placed, undone=_warmth_before,
)  # fmt: skip
STEP = Changes(
    Amount("delta", -LARGEST_STEP, LARGEST_STEP, frozenset({"warmth"}), lambda value, unit, arguments, read: _degrees(value, unit, "", arguments, read), _degrees, whole=False, is_step=True),
    places=_ZONES, placed=_placed, turned=_other_direction, undone=_step_back,
)  # fmt: skip


# --- the fan ---------------------------------------------------------------------------------------------------------


def _fan_step(size: float | None, unit: str, manner: str, arguments: Arguments, read: Reads) -> float | None:
    if unit == "notches":
        return (size or 1.0) * FAN_STEP
    if unit not in ("", "percent"):
        return None
    return size if size is not None else FAN_STEP * (2 if manner == "lot" else 1)


def _fan_state(arguments: Arguments, on: bool) -> Another | None:
    return None if on else (FAN, {"speed": 0})


def _fan_before(arguments: Arguments, before: Reads) -> tuple[Another, ...]:
    value = number(before, fan_speed("Row1", "Driver"))
    return ((FAN, {"speed": round(value)}),) if value is not None else ()


WIND = Changes(
    Amount("speed", 0, 100, frozenset({"wind", "size", "quiet"}), as_said("percent"), _fan_step),
    state=_fan_state,
    undone=_fan_before,
)


# --- switches --------------------------------------------------------------------------------------------------------


def _switched(arguments: Arguments, on: bool) -> Another:
    return SWITCH, {**arguments, "on": on}


def _switched_over(arguments: Arguments) -> Another:
    return _switched(arguments, arguments["on"] is not True)


def _switch_back(arguments: Arguments, before: Reads) -> tuple[Another, ...]:
    reading = before(SWITCHES[str(arguments["thing"])])
    was = reading.value if reading is not None and isinstance(reading.value, bool) else arguments["on"] is not True
    return (_switched(arguments, was),)


_NAMED = (
    ("rear_defroster", r"\b(?:rear|back)\b|后"),
    ("front_defroster", r"\b(?:front|windscreen|windshield|defrost\w*|demist\w*)\b|前|除雾|除霜"),
    ("recirculation", r"\brecirc\w*|\binside air\b|内循环"),
    ("air_conditioning", r"\bac\b|\bair ?con|\bcooling\b|空调|冷气"),
)


def _other_thing(arguments: Arguments, words: str, read: Reads) -> Another | None:
    """Of the defrosters and of inside and outside air. Without words: the one that it is not."""
    thing = str(arguments.get("thing", ""))
    if not thing and "on" in arguments:  # our own question what is to be switched
        meant = next((name for name, pattern in _NAMED if re.search(pattern, words.casefold())), None)
        return (SWITCH, {**arguments, "thing": meant}) if meant is not None else None
    if not thing:  # our own question how fresh air is to come in
        air_comes_in = re.search(r"\b(?:vents?|fresh air|outside air|ventilation)\b|外循环|风口", words)
        return (SWITCH, {"thing": "recirculation", "on": False}) if air_comes_in is not None else None
    if thing == "recirculation" and (air := re.search(r"内循环|外循环|\b(?:inside|outside|fresh) air\b", words)) is not None:
        inside = air.group() in ("内循环", "inside air")
        return _switched(arguments, inside) if inside != arguments["on"] else None
    if not thing.endswith("defroster"):
        return None
    rear, front = (
        re.search(r"(?<!不是)后|\b(?<!not the )(?:rear|back)\b", words),
        re.search(r"(?<!不是)前|\b(?<!not the )front\b", words),
    )
    other = "front_defroster" if thing == "rear_defroster" else "rear_defroster"
    if not words or (rear and front):
        return SWITCH, {**arguments, "thing": other}
    named = "rear_defroster" if rear else "front_defroster" if front else thing
    return (SWITCH, {**arguments, "thing": named}) if named != thing else None


SWITCHED = Changes(
    state=_switched,
    turned=_switched_over,
    undone=_switch_back,
    other=_other_thing,
    frames=lambda arguments, zh: to_switch(arguments["on"] is True, zh),
)
