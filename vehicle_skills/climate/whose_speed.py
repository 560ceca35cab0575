"""Speed that is the car's as well as the fan's: "speed up", "set the speed to 100". Pure.

It is the fan's where the words name it, or where the fan was asked for shortly before. Else that is asked. Does not know the speed of either.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from ridealong.harness.following import REFERS_WITHIN_MS
from ridealong.harness.skill import Context, Match
from ridealong.harness.slots.text import language, plain

_SPEED: Final = re.compile(r"\b(?:speed|faster|slower|slow)\b|速度|车速|快|慢")
_FAN: Final = re.compile(
    r"\b(?:fans?|blowers?|air\w*|vents?|ac|a c|wind|breeze|ventilat\w+|climate|blow\w*|cool\w*|heat\w*|draught|draft)\b|[风吹]|空调|冷气|暖气"
)


def whose_speed(match: Match, text: str, locale: str, context: Context) -> Match | None:
    """What to ask instead of the call."""
    form = plain(text, locale)
    if _SPEED.search(form) is None or _FAN.search(form) is not None:
        return None
    last = context.recent[0] if context.recent else None
    if last is not None and last.capability == match.capability and last.asked_ms_ago <= REFERS_WITHIN_MS:
        return None
    if any(one.capability == match.capability for one in context.before):
        return None
    question = (
        "我不能改车速。您是说风量吗？要百分之多少？"
        if language(text, locale) == "zh"
        else "I can't change how fast we drive. If you mean the fan: how many percent?"
    )
    return replace(match, arguments={}, grounds={}, missing=("speed",), question=question)
