"""Lengths of a hand's breadth or so, in millimetres: "five centimetres", "2 cm", "an inch", "a couple of inches", 五公分, 两厘米半. Pure.

A hand or a finger is no measure. Does not know distances on the road.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ridealong.harness.slots.number import ZH_NUMERAL, chinese_value, find_numbers
from ridealong.harness.slots.text import language, plain

_UNITS_EN: Final = ((r"mm|millimet(?:re|er)s?", 1.0), (r"cms?|centimet(?:re|er)s?|centis?", 10.0), (r"inch(?:es)?", 25.4))
_UNITS_ZH: Final = ((r"毫米|mm", 1.0), (r"厘米|公分|cm", 10.0), (r"英寸|寸", 25.4))
_SAID_ZH: Final = re.compile(
    rf"(?P<n>\d+(?:\.\d+)?|{ZH_NUMERAL}(?:点{ZH_NUMERAL})?|半)个?(?P<unit>毫米|mm|厘米|公分|cm|英寸|寸)(?P<half>半)?"
)
_FEW_EN: Final = re.compile(
    r"\b(?P<n>half an?|an?|another|a couple(?: of)?|a few) (?P<unit>inch(?:es)?|centimet(?:re|er)s?|cms?|millimet(?:re|er)s?)\b"
)
_FEW: Final = {"half a": 0.5, "half an": 0.5, "a": 1, "an": 1, "another": 1, "a couple": 2, "a couple of": 2, "a few": 2}


@dataclass(frozen=True, slots=True)
class Length:
    """`words` = text[span[0]:span[1]] of the plain form."""

    mm: float
    words: str
    span: tuple[int, int]


def find_length(text: str, locale: str) -> Length | None:
    """The last that is said: "two, no, three centimetres"."""
    form = plain(text, locale)
    found = _zh(form) if language(form, locale) == "zh" else _en(form)
    return max(found, key=lambda one: one.span) if found else None


def _en(form: str) -> list[Length]:
    found = []
    for number in find_numbers(form, "en"):
        for unit, mm in _UNITS_EN:
            if not number.ordinal and (said := re.match(rf" ?(?:{unit})\b", form[number.span[1] :])) is not None:
                begin, end = number.span[0], number.span[1] + said.end()
                found.append(Length(number.value * mm, form[begin:end], (begin, end)))
    for few in _FEW_EN.finditer(form):
        mm = next(mm for unit, mm in _UNITS_EN if re.fullmatch(unit, few["unit"]))
        found.append(Length(_FEW[few["n"]] * mm, few.group(), few.span()))
    return found


def _zh(form: str) -> list[Length]:
    found = []
    for m in _SAID_ZH.finditer(form):
        mm = next(mm for unit, mm in _UNITS_ZH if re.fullmatch(unit, m["unit"]))
        whole, _, decimals = m["n"].partition("点")
        value = 0.5 if whole == "半" else float(whole) if whole[0].isascii() else chinese_value(whole)
        if value is None:
            continue
        tenths = chinese_value(decimals) if decimals else None
        value += tenths / 10 ** len(decimals) if tenths is not None else 0.0
        found.append(Length((value + (0.5 if m["half"] else 0.0)) * mm, m.group(), m.span()))
    return found
