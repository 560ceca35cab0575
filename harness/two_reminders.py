"""Two reminders in one sentence, each with its time: "remind me at five to call mum and at six to feed the dog", 提醒我五点接孩子，六点买菜. Pure.

Said as two sentences, with the asking in both. Where one part has no time or nothing to be reminded of ("at five and at six to take the pills"), the
sentence is left as it is.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from ridealong.harness.reminder_words import Reminding, read
from ridealong.harness.slots.text import language

_JOINT_EN: Final = re.compile(r"\s*(?:,\s*(?:and\s+)?(?:also\s+|then\s+)?|\s(?:and|plus)\s+(?:also\s+|then\s+)?)", re.IGNORECASE)
_JOINT_ZH: Final = re.compile(r"\s*[，,、；;]\s*(?:然后|还有|再|另外|并且|和)?|(?:然后|还有|和|再)")
_ASKS_EN: Final = re.compile(r"(?:please\s+)?remind\s+(?:me|us)\b", re.IGNORECASE)
_WHEN_EN: Final = re.compile(r"(?:at|in|on|by|tomorrow|tonight|this)\b", re.IGNORECASE)
_LONGEST: Final = 240


@lru_cache(maxsize=256)
def each_alone(text: str, locale: str) -> str:
    """The text, or the same as two sentences."""
    if len(text) > _LONGEST or "?" in text or "？" in text:
        return text
    zh = language(text, locale) == "zh"
    whole = read(text, locale)
    if whole is None or whole.moment is None:
        return text
    for joint in (_JOINT_ZH if zh else _JOINT_EN).finditer(text):
        first, rest = text[: joint.start()].strip(), text[joint.end() :].strip()
        second = _asking(rest, zh)
        if _whole(read(first, locale)) and _whole(read(second, locale)):
            return f"{first}。{second}" if zh else f"{first}. {second[0].upper()}{second[1:]}"
    return text


def _asking(rest: str, zh: bool) -> str:
    if zh:
        return rest if "提醒" in rest else f"提醒我{rest}"
    if _ASKS_EN.match(rest):
        return rest
    return f"remind me {rest}" if _WHEN_EN.match(rest) or rest.startswith("to ") else f"remind me to {rest}"


def _whole(said: Reminding | None) -> bool:
    return said is not None and bool(said.what) and said.moment is not None and said.moment.known
