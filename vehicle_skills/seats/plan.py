"""A front seat, its warmth and where it is: arguments and the car's state -> writes, sentences, and what later words may change. Pure.

A step of warmth never turns heating into cooling or the other way: it ends at off. A step of the place begins where the seat is as it begins to move.
Does not know words (heating_words.py, moving.py) or the policy.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Final

from ridealong.harness.changes import Amount, Another, Arguments, Changes, Reads, to_switch
from ridealong.harness.skill import Context
from ridealong.harness.slots import render
from ridealong.harness.slots.length import find_length
from ridealong.harness.slots.number import digits
from ridealong.harness.slots.zone import SEATS, is_plural, zone_name
from ridealong.proto.types import SignalWrite
from ridealong.vehicle_skills.car import Read, number, placed_again, shown_before
from ridealong.vehicle_skills.seats.heating_words import CHANGE, LEVELS, PLAIN, SET, STEP, ZONES, level_named
from ridealong.vehicle_skills.seats.moving import MOST, MOVE, OPPOSITE, WAYS
from ridealong.vehicle_skills.signals import SIGNALS, seat

NEAR: Final = 5
"""Percent within which a level is the same; off is off and nothing else."""


def warmth_path(role: str) -> str:
    return seat(f"{role.capitalize()}Side", "HeatingCooling")


def warmth_paths(zone: str) -> tuple[str, ...]:
    return tuple(warmth_path(role) for _, role in SEATS[zone])


def levels_now(zone: str, read: Read) -> dict[str, float | None]:
    return {one: number(read, one) for one in warmth_paths(zone)}


def stepped(now: float, delta: int) -> int:
    """Towards off it stops there."""
    wanted = now + delta
    if now > 0:
        wanted = max(wanted, 0)
    elif now < 0:
        wanted = min(wanted, 0)
    return round(min(max(wanted, -100), 100))


def warmth_writes(levels: dict[str, int]) -> tuple[SignalWrite, ...]:
    return tuple(SignalWrite(one, level) for one, level in levels.items())


def same_warmth(now: float | None, level: int) -> bool:
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


def warmth_state(level: float, locale: str, cooled: bool = False) -> str:
    """ "heated on medium", "cooled on low", "not heated". `cooled`: what is off is the cooling."""
    zh = locale.startswith("zh")
    if level == 0:
        return f"{'通风' if cooled else '加热'}关着" if zh else f"not {'cooled' if cooled else 'heated'}"
    said = level_words(level, locale)
    if zh:
        return f"{'加热' if level > 0 else '通风'}{said}"
    return f"{'heated' if level > 0 else 'cooled'} {'at' if said[:1].isdigit() else 'on'} {said}"


def warmth_sentence(seen: dict[str, float], zone: str, locale: str, *, cooled: bool = False, already: bool = False) -> str:
    """From what the car shows, seat by seat where they differ."""
    if len(set(seen.values())) == 1:
        return _one(zone, next(iter(seen.values())), locale, cooled, already)
    return ("" if locale.startswith("zh") else " ").join(
        _one(f"row{row}.{role}", seen[warmth_path(role)], locale, cooled, already)
        for row, role in SEATS[zone]
        if warmth_path(role) in seen
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
    return f"{thing[0].upper()}{thing[1:]} {verb} {'already' if already else 'now'} {warmth_state(level, locale)}."


def warmth_asked(zone: str, levels: dict[str, int], locale: str) -> str:
    """What was asked for: "the driver's seat heated on medium"."""
    zh = locale.startswith("zh")
    how = list(dict.fromkeys(warmth_state(float(level), locale) for level in levels.values()))
    thing = zone_name(zone, "座椅" if zh else "seat", locale)
    return f"{thing}{'、'.join(how)}" if zh else f"{thing} {' and '.join(how)}"


def warming(zone: str, level: int) -> tuple[str, str]:
    english, chinese = zone_name(zone, "seat", "en"), zone_name(zone, "座椅", "zh")
    if level == 0:
        return f"switch the heating of {english} off", f"关{chinese}加热"
    return (f"heat {english}", f"加热{chinese}") if level > 0 else (f"cool {english}", f"给{chinese}通风")


# --- of its warmth: what later words may change ----------------------------------------------------------------------------------------------


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
    shown = shown_before(str(arguments["zone"]), before, lambda row, role: warmth_path(role))
    return tuple((SET, {"level": round(level), "zone": zone}) for zone, level in shown)


def _state(arguments: Arguments, on: bool) -> Another:
    return SET, {"level": PLAIN if on else 0, "zone": arguments["zone"]}


def _turned(arguments: Arguments) -> Another:
    delta = arguments["delta"]
    assert isinstance(delta, int)
    return CHANGE, {**arguments, "delta": -delta}


_BURNS: Final = (
    re.compile(r"(?:(?:ouch|ow|oh|god|wow|man|right|okay),? )*(?:(?:that|it|this|my \w+|the seat) (?:is|are) )?(?:(?:getting|so|really|far|way|bit|a bit|a little|very|quite|still|now|too|bloody|absolutely) )*(?:hot|warm|burning(?: me| my \w+| up)?|scalding|roasting(?: me| my \w+)?|toasting me|cooking me)(?: (?:now|already|for me|on my \w+))*"),
    re.compile(r"(?:哎呀?|啊|哇|嗯|我去|现在|这|座椅|坐垫|屁股|都|有点儿?|有些|感觉|好|太|真|好像|挺)*(?:烫|热)(?:屁股|人|手|死(?:我|人)?|得很|得慌|得受不了|到我)?(?:了|啊|呀)*"),
)  # fmt: skip


def _chosen(arguments: Arguments, words: str, zh: bool) -> Another | None:
    """ "One notch", "on low", 一档: of what cools as of what heats. "It's burning me", 烫死了, behind what heats: a step less."""
    said = level_named(words, zh)
    was = arguments.get("level", arguments.get("delta"))
    if isinstance(was, int) and was > 0 and _BURNS[zh].fullmatch(words) is not None:
        return CHANGE, {"delta": -STEP, "zone": arguments["zone"]}
    cools = isinstance(arguments.get("level"), int) and isinstance(was, int) and was < 0
    return (SET, {"level": -said if cools else said, "zone": arguments["zone"]}) if said is not None else None


_placed = partial(placed_again, row1_only=True)
_PLACES: Final = frozenset(ZONES)
_OF: Final = frozenset({"warmth", "size"})
LEVEL: Final = Changes(
    Amount("level", -100, 100, _OF, _value, _size, stepped=(CHANGE, {"delta": 0})), places=_PLACES, placed=_placed, state=_state, undone=_before, chosen=_chosen, frames=lambda arguments, zh: to_switch(arguments["level"] != 0, zh),
)  # fmt: skip
DELTA: Final = Changes(
    Amount("delta", -100, 100, _OF, lambda value, unit, arguments, read: _size(value, unit, "", arguments, read), _size, is_step=True),
    places=_PLACES, placed=_placed, state=_state, turned=_turned, undone=_before, chosen=_chosen,
)  # fmt: skip

# --- where it is ----------------------------------------------------------------------------------------------------------------


def role_of(zone: str) -> str:
    return SEATS[zone][0][1]


def place_path(arguments: Arguments) -> str:
    return WAYS[str(arguments["direction"])].path(role_of(str(arguments["zone"])))


def amount(arguments: Arguments) -> float:
    said = arguments.get("amount")
    return float(said) if isinstance(said, int | float) else float(WAYS[str(arguments["direction"])].step)


def target(arguments: Arguments, now: float) -> float:
    """Where it will be, no further than the seat goes."""
    signal = SIGNALS[place_path(arguments)]
    assert signal.low is not None and signal.high is not None
    way = WAYS[str(arguments["direction"])]
    least = 0.0 if way.leaf == "Backrest.Recline" and way.sign < 0 and now >= 0 else signal.low
    wanted = now + way.sign * amount(arguments)
    return min(max(wanted, least), signal.high)


def at_the_end(arguments: Arguments, now: float) -> bool:
    return abs(target(arguments, now) - now) < 1


def place_writes(arguments: Arguments, now: float) -> tuple[SignalWrite, ...]:
    where = target(arguments, now)
    whole = WAYS[str(arguments["direction"])].unit == "mm"
    return (SignalWrite(place_path(arguments), round(where) if whole else round(where, 1)),)


def moved_part(arguments: Arguments, locale: str) -> str:
    upright = WAYS[str(arguments["direction"])].unit == "degrees"
    if locale.startswith("zh"):
        return zone_name(str(arguments["zone"]), "座椅靠背" if upright else "座椅", locale)
    return zone_name(str(arguments["zone"]), "backrest" if upright else "seat", locale)


def size(value: float, arguments: Arguments, locale: str) -> str:
    degrees = WAYS[str(arguments["direction"])].unit == "degrees"
    figure = digits(round(value, 1) if degrees else round(value))
    if locale.startswith("zh"):
        return f"{figure}{'度' if degrees else '毫米'}"
    unit = "degree" if degrees else "millimetre"
    return f"{figure} {unit}{'' if figure == '1' else 's'}"


def moving(arguments: Arguments) -> tuple[str, str]:
    """ "move the driver's seat forward by 30 millimetres" in both languages."""
    way = WAYS[str(arguments["direction"])]
    if amount(arguments) >= MOST:
        return f"move {moved_part(arguments, 'en')} {way.end_en}", f"把{moved_part(arguments, 'zh')}移到{way.end_zh}"
    by = [size(amount(arguments), arguments, locale) for locale in ("en", "zh")]
    return f"move {moved_part(arguments, 'en')} {way.english} by {by[0]}", f"把{moved_part(arguments, 'zh')}{way.chinese}{by[1]}"


def done_sentence(arguments: Arguments, before: float, now: float | None, locale: str) -> str:
    """How far it has moved, from where the car showed it before and after."""
    way, zh = WAYS[str(arguments["direction"])], locale.startswith("zh")
    thing = moved_part(arguments, locale)
    moved = size(abs(now - before), arguments, locale) if now is not None else ""
    if zh:
        return f"{thing}已{way.chinese}{moved}。"
    return f"{thing[0].upper()}{thing[1:]} has moved {way.english}{f' by {moved}' if moved else ''}."


def moved_words(arguments: Arguments, before: float, now: float, locale: str) -> str:
    """How far it went that way: "10 millimetres"; a seat that did not move: none."""
    way = WAYS[str(arguments["direction"])]
    return size(max(0.0, way.sign * (now - before)), arguments, locale)


def already_sentence(arguments: Arguments, locale: str) -> str:
    way, thing = WAYS[str(arguments["direction"])], moved_part(arguments, locale)
    if locale.startswith("zh"):
        return f"{thing}已经在{way.end_zh}了。" if way.unit == "mm" else f"{thing}已经{way.end_zh}了。"
    return f"{thing[0].upper()}{thing[1:]} is already {way.end_en}."


# --- of where it is: what later words may change ----------------------------------------------------------------------------------------------


def _place_value(value: float, unit: str, arguments: Arguments, read: Reads) -> float | None:
    fits = unit in ("", "degrees") if WAYS[str(arguments["direction"])].unit == "degrees" else unit == ""
    return value if fits else None


def _place_step(said: float | None, unit: str, manner: str, arguments: Arguments, read: Reads) -> float | None:
    step = WAYS[str(arguments["direction"])].step
    return (
        (step * (2 if manner == "lot" else 1)) if said is None and unit == "" else _place_value(said or 0, unit, arguments, read)
    )


def _place_turned(arguments: Arguments) -> Another:
    return MOVE, {**arguments, "direction": OPPOSITE[str(arguments["direction"])]}


def _place_back(arguments: Arguments, before: Reads) -> tuple[Another, ...]:
    """As far back as it was to move, where it is known that it had that far to go."""
    was = number(before, place_path(arguments))
    moved = abs(target(arguments, was) - was) if was is not None else 0.0
    return ((MOVE, {**_place_turned(arguments)[1], "amount": round(moved, 1)}),) if moved >= 1 else ()


def _place_placed(words: str, locale: str, before: str, context: Context) -> tuple[str, ...]:
    return placed_again(words, locale, before, context, row1_only=True)


_WAYS_EN: Final = (
    ("backward", r"backwards?"),
    ("forward", r"forwards?"),
    ("up", r"up(?:wards?)?|higher"),
    ("down", r"down(?:wards?)?|lower"),
)
_WAYS_ZH: Final = (
    ("backward", r"[往向朝]?后"),
    ("forward", r"[往向朝]?前"),
    ("up", r"[往向朝]上|[升抬]高"),
    ("down", r"[往向朝]下|[降放]低"),
)


def _place_chosen(arguments: Arguments, words: str, zh: bool) -> Another | None:
    """ "Two centimetres", or the other way by its name, and nothing else."""
    named = next((way for way, said in (_WAYS_ZH if zh else _WAYS_EN) if re.fullmatch(said, words)), "")
    if named and named == OPPOSITE[str(arguments["direction"])]:
        return _place_turned(arguments)
    length = find_length(words, "zh" if zh else "en") if WAYS[str(arguments["direction"])].unit == "mm" else None
    if length is None or re.sub(r"\b(?:by|only|just)\b", "", words).strip() != length.words or not 1 <= length.mm <= MOST:
        return None
    return MOVE, {**arguments, "amount": round(length.mm, 1)}


PLACE: Final = Changes(
    Amount("amount", 1, MOST, frozenset({"size"}), _place_value, _place_step, whole=False, is_step=True),
    places=_PLACES, placed=_place_placed, turned=_place_turned, undone=_place_back, chosen=_place_chosen,
)  # fmt: skip


def place_now(arguments: Arguments, read: Read) -> float | None:
    return number(read, place_path(arguments))
