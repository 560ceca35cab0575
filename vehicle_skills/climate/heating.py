"""The cabin's heating, switched on or off: "turn on the heating", 打开暖气. Pure.

No car of VSS has a switch for it: it is as warm as the temperature is set. So that is asked for. Just after a seat was spoken of, its heating is meant
(vehicle_skills/seats). Does not know what the car shows.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.reading import Reading
from ridealong.harness.skill import Context, Match
from ridealong.vehicle_skills.car import is_recent
from ridealong.vehicle_skills.climate import plan

_EN: Final = re.compile(
    r"(?:(?:turn|switch|put|get|have|stick|whack|fire up) )?(?:the |some |a bit of |our )?(?:cabin |car )?(?:heating|heater|heat) (?:back )?(?:on|off)|"
    r"(?:turn|switch|put|get|have|stick|whack|shut|kill) (?:on|off)? ?(?:the |some |a bit of |our )?(?:cabin |car )?(?:heating|heater|heat)"
)
_ZH: Final = re.compile(
    r"(?:把)?(?:车里的?|车内的?)?(?:暖气|暖风|热风|制热)(?:也|再|先|给我)*(?:打开|开起来|开上|开开|开|关掉|关上|关了|关|停掉|停了)(?:吧|一下|了|啊|呗)*|(?:打开|开启|开一?下|开个|开点|开|关掉|关闭|关上|关一?下|关|停掉)(?:一下)?(?:车里的?|车内的?)?(?:暖气|暖风|热风|制热)(?:吧|一下|了|啊|呗)*"
)
SURE: Final = 0.97
QUESTION: Final = {"en": "What temperature would you like?", "zh": "要调到多少度？"}


def recognise_set(text: str, locale: str, context: Context) -> Match | None:
    reading = Reading(text, locale)
    if not is_recent(context, "seats.") and (_ZH if reading.zh else _EN).fullmatch(reading.core) is not None:
        return Match(plan.SET, SURE, missing=("target",), question=QUESTION["zh" if reading.zh else "en"])
    return plan.recognise_set(text, locale, context)
