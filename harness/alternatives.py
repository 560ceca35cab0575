"""Two values where one is needed, and nothing that says which: "20 or 21", "the left or the right window", "Brighton or Hove", 五分钟或十分钟. Pure.

The call is known but for the one argument, which is asked for. Not where the words themselves decide ("20 or 21, 21 then", 还是21吧), leave it open ("either is
fine"), or where a step is meant ("two or three degrees warmer"): there any will do. Does not know skills: only which words an argument stands on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from ridealong.harness.meant import as_written
from ridealong.harness.router import Also, AskBack, Calls
from ridealong.harness.skill import Match
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.text import language, marked, plain
from ridealong.harness.slots.zones import place_spans

STEP: Final = "delta"
PLACES: Final = ("zone", "thing")
_UNIT_EN: Final = (
    r"(?:degrees?|percent|seconds?|secs?|minutes?|mins?|hours?|km|kilomet(?:re|er)s?|miles?|mph|kph)(?: (?:celsius|fahrenheit))?"
)
_OR_EN: Final = re.compile(rf" (?:{_UNIT_EN} )?(?:, )?or (?:(?:maybe|perhaps|possibly|even|about|around|at|to|for|by) )*")
_OR_PLACE_EN: Final = re.compile(r" (?:(?:side|one|window|hand) )?or (?:(?:maybe|perhaps|the|my|on|at) )*")
_UNIT_ZH: Final = r"(?:度|%|成|分钟?|个?小时|秒钟?|公里|[格档挡])"
_OR_ZH: Final = re.compile(rf"{_UNIT_ZH}?,?(?:或者?是?|还是|要么)(?:是|说|到|调到|开到)?(?:百分之)?")
_OR_PLACE_ZH: Final = re.compile(r"(?:的|那个|那边|那扇|窗户?|车窗)*,?(?:或者?是?|还是|要么)")
_NUMBER_ZH: Final = re.compile(r"(?<!第)(?:\d+(?:\.\d+)?|[零一二两三四五六七八九十百]+(?:点[零一二三四五六七八九]+)?)(?!分之)")
_ANY_EN: Final = re.compile(
    r"\b(?:whichever|either(?: one)? (?:is|will|would)|you (?:choose|decide|pick)|up to you|(?:do|does) not (?:mind|matter|care)|no matter|whatever|any ?how)\b"
)
_ANY_ZH: Final = re.compile(r"都行|都可以|随便|你定|你看着|无所谓|哪个都|吧$")
_OR_NAME: Final = re.compile(r"(?P<a>.+?)(?: or (?:maybe |perhaps |to )?|或者?是?|还是去?)(?P<b>.+)")


@dataclass(frozen=True, slots=True)
class Between:
    """`said`: the second as it is said back, with its unit."""

    first: str
    second: str
    said: str
    is_place: bool


def between(text: str, locale: str) -> Between | None:
    """The two that the words leave open."""
    zh, form = language(text, locale) == "zh", marked(text, locale).replace(" . ", " , ")
    form = re.sub(r"\s+", "", form) if zh else form
    if (_ANY_ZH if zh else _ANY_EN).search(plain(text, locale)):
        return None
    if zh:
        numbers = [found.span() for found in _NUMBER_ZH.finditer(form)]
    else:
        numbers = [one.span for one in find_numbers(form, locale) if not one.ordinal]
    amounts = _pair(form, numbers, _OR_ZH if zh else _OR_EN, False)
    return amounts or _pair(form, place_spans(form, locale), _OR_PLACE_ZH if zh else _OR_PLACE_EN, True)


def _pair(form: str, spans: Sequence[tuple[int, int]], joined: re.Pattern[str], is_place: bool) -> Between | None:
    """The last two, joined by "or"; one that comes after them decides."""
    if len(spans) < 2 or joined.fullmatch(form[spans[-2][1] : spans[-1][0]]) is None:
        return None
    (begin, end), (start, last) = spans[-2:]
    first, second = form[begin:end], form[start:last]
    unit = None if is_place else re.match(rf" {_UNIT_EN}\b|{_UNIT_ZH}", form[last:])
    said = second + (unit.group() if unit is not None else "")
    return Between(first, second, said, is_place) if first != second else None


def asked(decision: Calls, text: str, locale: str) -> Calls | AskBack | None:
    """What is asked, and the rest of the calls; None where nothing is open."""
    open_, zh = between(text, locale), language(text, locale) == "zh"
    for match in decision.matches:
        name, a, b = _argument(match, open_, text)
        if not name:
            continue
        question = f"{a}还是{b}？" if zh else f"Which would you like, {a} or {b}?"
        kept = _without(match, name)
        ask = AskBack(question, replace(kept, missing=(name,), question=question), reason="which")
        others = tuple(
            other
            for other in decision.matches
            if _without(other, name).arguments != kept.arguments or other.capability != kept.capability
        )
        return Calls(others, (*decision.also, Also(text, ask)), decision.agreed) if others else ask
    return None


def _without(match: Match, name: str) -> Match:
    arguments = {key: value for key, value in match.arguments.items() if key != name}
    return replace(match, arguments=arguments, grounds={key: words for key, words in match.grounds.items() if key != name})


def _argument(match: Match, open_: Between | None, text: str) -> tuple[str, str, str]:
    """The argument that one of the two was taken for, and how the two are called."""
    for name, value in match.arguments.items():
        ground = match.grounds.get(name, "")
        if not ground or ":" in ground:
            continue
        if name not in PLACES and isinstance(value, str) and (named := _OR_NAME.fullmatch(value)) is not None:
            return name, as_written(named["a"], text), as_written(named["b"], text)
        if open_ is None or name == STEP or isinstance(value, bool) or (isinstance(value, str) != open_.is_place):
            continue
        if (name in PLACES or not open_.is_place) and (open_.first in ground or open_.second in ground):
            return name, open_.first, open_.said
    return "", "", ""
