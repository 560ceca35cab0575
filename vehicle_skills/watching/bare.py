"""A limit without what it is of: "we pass 100", "under 30 percent", 到了一百二, 低于三十. Words -> the clause with its topic, or a question. Pure.

The unit says what is meant, or the way it is put: one passes 100 with a speed. Does not know how a clause with a topic is read (plan.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ridealong.harness.slots.number import Number, find_numbers, parse_number
from ridealong.harness.slots.temperature import celsius_from_fahrenheit
from ridealong.vehicle_skills.car import Read, number, temperature_unit
from ridealong.vehicle_skills.signals import BATTERY_LEVEL, FUEL_LEVEL

_SPEED_EN = r"(?:km|kilomet(?:re|er)s?|miles?) (?:an|per|a) hour|km h|kmh|kph|mph"
_BELOW_EN = r"below|under|less than|lower than|slower than|down to|beneath|within"
_ABOVE_EN = r"past|over|above|beyond|more than|faster than|higher than"
_OVER_VERBS_EN = r"pass(?:es)?|exceeds?|breaks?|tops?|crosses"
_LEAD_EN = re.compile(
    rf"(?:(?:we|i|it|the car|you|there) )?(?:(?:are|am|is|have|has|gets?|goes|go|going|drops?|falls?|climbs?|reach(?:es)?|hits?|comes?|do|does|doing|driving|drive|{_OVER_VERBS_EN}|only|just|at|to|up to|{_BELOW_EN}|{_ABOVE_EN}) ?)+"
)
_MOVES_EN = re.compile(rf"\b(?:gets?|goes|go|going|doing|do|driving|drive|reach(?:es)?|hits?|{_OVER_VERBS_EN}|faster|slower)\b")
_TAIL_EN = re.compile(
    rf"(?P<speed>{_SPEED_EN})|(?P<share>percent|per cent)|(?P<degrees>degrees?(?: celsius| fahrenheit)?)|(?P<way>km|kilomet(?:re|er)s?|miles?)(?: left| to go)?|"
)
_ZH = re.compile(
    r"(?:我们?|咱们?|车|开|跑|要是|一旦)*(?P<rel>超过|高于|大于|多于|过|破|到|达到|低于|小于|不到|少于|降到|掉到|跌到|只剩|还剩|剩下?)了?"
    r"(?P<n>百分之[\d零一二两三四五六七八九十百]+|[\d.]+%|[\d零一二两三四五六七八九十百]+(?:点\d)?)(?:的)?(?P<unit>公里每小时|迈|码|公里|千米|度)?(?:以下|以上|了)*"
)
_BELOW_ZH = re.compile(r"低|小|不到|少|降|掉|跌|剩")


@dataclass(frozen=True, slots=True)
class Limit:
    """`relation` "below", "above" or "at"; `unit` "speed", "share", "way", "degrees" or ""; `moves`: it is put as one speaks of driving."""

    value: float
    words: str
    relation: str
    unit: str
    moves: bool


def limit(clause: str, zh: bool) -> Limit | None:
    """The clause, where it is nothing but a limit."""
    return _limit_zh(clause) if zh else _limit_en(clause)


def _limit_en(clause: str) -> Limit | None:
    numbers = [one for one in find_numbers(clause, "en") if not one.ordinal]
    if len(numbers) != 1:
        return None
    said: Number = numbers[0]
    before, after = clause[: said.span[0]].strip(), clause[said.span[1] :].strip()
    unit = _TAIL_EN.fullmatch(after)
    if unit is None or _LEAD_EN.fullmatch(before) is None:
        return None
    below = re.search(rf"\b(?:{_BELOW_EN})$", before) is not None
    above = re.search(rf"\b(?:{_ABOVE_EN}|{_OVER_VERBS_EN})$", before) is not None
    relation = "below" if below else "above" if above else "at"
    return Limit(said.value, clause[said.span[0] :], relation, unit.lastgroup or "", _MOVES_EN.search(before) is not None)


def _limit_zh(clause: str) -> Limit | None:
    found = _ZH.fullmatch(clause)
    number_ = parse_number(found["n"].removeprefix("百分之").rstrip("%"), "zh") if found is not None else None
    if found is None or number_ is None:
        return None
    below = _BELOW_ZH.match(found["rel"]) is not None or "以下" in clause
    relation = "below" if below else "at" if found["rel"] in ("到", "达到") else "above"
    share = "share" if re.search("%|百分之", found["n"]) else ""
    unit = {"度": "degrees", "公里": "way", "千米": "way", None: share}.get(found["unit"], "speed")
    words = found["n"] + (found["unit"] if found["unit"] in ("公里", "千米", "度") and below else "")
    return Limit(number_.value, words, relation, unit, relation != "below")


_THINGS: Final = {
    "speed": ("our speed", "车速"),
    "battery": ("the battery", "电量"),
    "fuel": ("the fuel", "油量"),
    "range": ("the range", "续航"),
}
_RELATIONS: Final = {"below": ("is below", "低于"), "above": ("is over", "超过"), "at": ("reaches", "达到")}


def with_topic(clause: str, zh: bool, read: Read) -> str:
    """The clause with what its limit is of; "" where it is no such clause, or not clear."""
    said = limit(clause, zh)
    thing = _thing(said, zh, read) if said is not None else ""
    if said is None or not thing:
        return ""
    relation = _RELATIONS[said.relation][1 if zh else 0]
    name = _THINGS[thing][1 if zh else 0]
    return f"{name}{relation}{said.words}" if zh else f"{name} {relation} {said.words}"


def _thing(said: Limit, zh: bool, read: Read) -> str:
    match said.unit:
        case "speed":
            return "speed"
        case "share":
            return "fuel" if number(read, BATTERY_LEVEL) is None and number(read, FUEL_LEVEL) is not None else "battery"
        case "way":
            return "range" if said.relation == "below" else "speed" if zh else ""
        case "":
            return "speed" if said.moves else ""
        case _:
            return ""


TESTS: Final = {"below": "below", "above": "above", "at": "up_to"}


def in_celsius(said: Limit, read: Read) -> float:
    """Degrees as the table has them; any other number as it is."""
    return (
        round(celsius_from_fahrenheit(said.value), 1) if said.unit == "degrees" and temperature_unit(read) == "F" else said.value
    )
