"""A time of day: "at seven thirty", "half past six", "8 pm", 下午三点半, 七点二十.

Does not know the date, nor what "tonight" means now.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ridealong.harness.slots.number import find_numbers, parse_number
from ridealong.harness.slots.text import language, plain


@dataclass(frozen=True, slots=True)
class TimeOfDay:
    """`certain`: morning or afternoon was said, or the hour is above 12."""

    hour: int
    minute: int
    certain: bool
    words: str
    span: tuple[int, int]


def find_time(text: str, locale: str) -> TimeOfDay | None:
    form = plain(text, locale)
    return _zh(form, locale) if language(form, locale) == "zh" else _en(form, locale)


def _en(form: str, locale: str) -> TimeOfDay | None:
    numbers = [n for n in find_numbers(form, locale) if n.value == int(n.value) and not n.ordinal]
    for i, number in enumerate(numbers):
        start, end = number.span
        past = re.search(r"\b(half past|quarter past|quarter to|a quarter past|a quarter to) $", form[:start])
        minute, hour = 0, int(number.value)
        if past is not None:
            start = past.start()
            minute = 30 if past.group(1).startswith("half") else 15 if past.group(1).endswith("past") else 45
            hour -= past.group(1).endswith("to")
        elif i + 1 < len(numbers) and form[end : numbers[i + 1].span[0]].strip() == "" and 10 <= numbers[i + 1].value < 60:
            minute, end = int(numbers[i + 1].value), numbers[i + 1].span[1]
        half = re.match(
            r" (am|pm|o clock)(?: in the (morning|afternoon|evening))?| in the (morning|afternoon|evening)", form[end:]
        )
        at = re.search(r"\b(?:at|by|until|before) $", form[:start])
        if past is None and half is None and at is None:
            continue
        later = half is not None and (half.group(1) == "pm" or (half.group(2) or half.group(3)) in ("afternoon", "evening"))
        certain = hour > 12 or half is not None and half.group().strip() != "o clock"
        end += half.end() if half is not None else 0
        hour = hour + 12 if later and hour < 12 else 0 if half is not None and half.group(1) == "am" and hour == 12 else hour
        if 0 <= hour < 24:
            return TimeOfDay(hour, minute, certain, form[start:end], (start, end))
    return None


_NUMERAL = r"[0-9]{1,2}|[零〇一二三四五六七八九十两]{1,4}"
_CLOCK_ZH = re.compile(
    rf"(?P<day>凌晨|早上|上午|中午|下午|傍晚|晚上|今晚)?(?P<hour>{_NUMERAL})(?:点钟?|时)(?:(?P<part>半|一刻|三刻|整)|零?(?P<minute>{_NUMERAL})分?)?"
)
"""Read whole: in 七点五分 the 点 is no decimal point."""
_PARTS_ZH = {"半": 30, "一刻": 15, "三刻": 45, "整": 0}


def _zh(form: str, locale: str) -> TimeOfDay | None:
    for m in _CLOCK_ZH.finditer(form):
        numerals = [parse_number(one, locale) for one in (m["hour"], m["minute"] or "零")]
        day = m["day"] or ""
        hour, minute = (int(one.value) if one is not None else -1 for one in numerals)
        minute = _PARTS_ZH.get(m["part"] or "", minute)
        hour += 12 if day in ("下午", "傍晚", "晚上", "今晚") and 0 < hour < 12 else 0
        if 0 <= hour < 24 and 0 <= minute < 60:
            return TimeOfDay(hour, minute, bool(day) or hour > 12, m.group(), m.span())
    return None
