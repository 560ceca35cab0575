"""The warmth of a front seat: arguments and the car's state -> levels seat by seat, and their sentences. Pure.

A step of warmth never turns heating into cooling or the other way: it ends at off. Does not know words or the policy.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from ridealong.harness.changes import Amount, Another, Arguments, Changes, Reads
from ridealong.harness.slots import render
from ridealong.harness.slots.zone import SEATS, is_plural, zone_name
from ridealong.proto.types import SignalWrite
from ridealong.vehicle_skills.car import Read, number, placed_again, shown_before
from ridealong.vehicle_skills.seats.heating_words import CHANGE, LEVELS, PLAIN, SET, STEP, ZONES, level_named
from ridealong.vehicle_skills.signals import seat

NEAR: Final = 5
"""Percent within which a level is the same; off is off and nothing else."""


def path(role: str) -> str:
    return seat(f"{role.capitalize()}Side", "HeatingCooling")


def paths(zone: str) -> tuple[str, ...]:
    return tuple(path(role) for _, role in SEATS[zone])


def levels_now(zone: str, read: Read) -> dict[str, float | None]:
    return {one: number(read, one) for one in paths(zone)}


def stepped(now: float, delta: int) -> int:
    """Towards off it stops there."""
    wanted = now + delta
    if now > 0:
        wanted = max(wanted, 0)
    elif now < 0:
        wanted = min(wanted, 0)
    return round(min(max(wanted, -100), 100))


def writes(levels: dict[str, int]) -> tuple[SignalWrite, ...]:
    return tuple(SignalWrite(one, level) for one, level in levels.items())


def same(now: float | None, level: int) -> bool:
    if now is None:
        return False
    return now == level if level == 0 or now == 0 else abs(now - level) <= NEAR


_NAMES: Final = {LEVELS[1]: ("low", "低档"), LEVELS[2]: ("medium", "中档"), LEVELS[3]: ("high", "高档")}


def level_words(level: float, locale: str) -> str:
    """ "low", "50 percent"; of its size alone."""
    zh = locale.startswith("zh")
    for value, names in _NAMES.items():
        if abs(abs(level) - value) <= 2:
            return names[zh]
    return render.percent(abs(level), locale)


def state(level: float, locale: str, cooled: bool = False) -> str:
    """ "heated on medium", "cooled on low", "not heated". `cooled`: what is off is the cooling."""
    zh = locale.startswith("zh")
    if level == 0:
        return f"{'通风' if cooled else '加热'}关着" if zh else f"not {'cooled' if cooled else 'heated'}"
    said = level_words(level, locale)
    if zh:
        return f"{'加热' if level > 0 else '通风'}{said}"
    return f"{'heated' if level > 0 else 'cooled'} {'at' if said[:1].isdigit() else 'on'} {said}"


def sentence(seen: dict[str, float], zone: str, locale: str, *, cooled: bool = False, already: bool = False) -> str:
    """From what the car shows, seat by seat where they differ."""
    if len(set(seen.values())) == 1:
        return _one(zone, next(iter(seen.values())), locale, cooled, already)
    return ("" if locale.startswith("zh") else " ").join(
        _one(f"row{row}.{role}", seen[path(role)], locale, cooled, already) for row, role in SEATS[zone] if path(role) in seen
    )


def _one(zone: str, level: float, locale: str, cooled: bool, already: bool) -> str:
    if locale.startswith("zh"):
        thing = zone_name(zone, "座椅", locale)
        if level == 0:
            return f"{thing}{'通风' if cooled else '加热'}{'已经' if already else '已'}关闭。"
        return f"{thing}{'加热' if level > 0 else '通风'}{'已经是' if already else '已开到'}{level_words(level, locale)}{'了' if already else ''}。"
    thing = zone_name(zone, "seat", locale)
    verb = "are" if is_plural(zone) else "is"
    if level == 0:
        return f"The {'cooling' if cooled else 'heating'} of {thing} is {'already ' if already else ''}off."
    return f"{thing[0].upper()}{thing[1:]} {verb} {'already' if already else 'now'} {state(level, locale)}."


def asked(zone: str, levels: dict[str, int], locale: str) -> str:
    """What was asked for: "the driver's seat heated on medium"."""
    zh = locale.startswith("zh")
    how = list(dict.fromkeys(state(float(level), locale) for level in levels.values()))
    thing = zone_name(zone, "座椅" if zh else "seat", locale)
    return f"{thing}{'、'.join(how)}" if zh else f"{thing} {' and '.join(how)}"


def doing(zone: str, level: int) -> tuple[str, str]:
    english, chinese = zone_name(zone, "seat", "en"), zone_name(zone, "座椅", "zh")
    if level == 0:
        return f"switch the heating of {english} off", f"关{chinese}加热"
    return (f"heat {english}", f"加热{chinese}") if level > 0 else (f"cool {english}", f"给{chinese}通风")


# --- what later words may change ----------------------------------------------------------------------------------------------


def _value(value: float, unit: str, arguments: Arguments, read: Reads) -> float | None:
    if unit == "notches" or (unit == "" and value in LEVELS):
        return float(LEVELS[int(value)]) if value in LEVELS else None
    return value if unit in ("", "percent") and (value == 0 or value >= 10) else None


def _size(size: float | None, unit: str, manner: str, arguments: Arguments, read: Reads) -> float | None:
    if unit == "notches":
        return (size or 1.0) * STEP
    if unit not in ("", "percent"):
        return None
    return size if size is not None else STEP * (2 if manner == "lot" else 1)


def _before(arguments: Arguments, before: Reads) -> tuple[Another, ...]:
    shown = shown_before(str(arguments["zone"]), before, lambda row, role: path(role))
    return tuple((SET, {"level": round(level), "zone": zone}) for zone, level in shown)


def _state(arguments: Arguments, on: bool) -> Another:
    return SET, {"level": PLAIN if on else 0, "zone": arguments["zone"]}


def _turned(arguments: Arguments) -> Another:
    delta = arguments["delta"]
    assert isinstance(delta, int)
    return CHANGE, {**arguments, "delta": -delta}


def _chosen(arguments: Arguments, words: str, zh: bool) -> Another | None:
    """ "One notch", "on low", 一档: of what cools as of what heats."""
    said = level_named(words, zh)
    was = arguments.get("level", arguments.get("delta"))
    cools = isinstance(arguments.get("level"), int) and isinstance(was, int) and was < 0
    return (SET, {"level": -said if cools else said, "zone": arguments["zone"]}) if said is not None else None


_placed = partial(placed_again, row1_only=True)
_PLACES: Final = frozenset(ZONES)
_OF: Final = frozenset({"warmth", "size"})
LEVEL: Final = Changes(
    Amount("level", -100, 100, _OF, _value, _size, stepped=(CHANGE, {"delta": 0})), places=_PLACES, placed=_placed, state=_state, undone=_before, chosen=_chosen,
)  # fmt: skip
DELTA: Final = Changes(
    Amount("delta", -100, 100, _OF, lambda value, unit, arguments, read: _size(value, unit, "", arguments, read), _size, is_step=True),
    places=_PLACES, placed=_placed, state=_state, turned=_turned, undone=_before, chosen=_chosen,
)  # fmt: skip
