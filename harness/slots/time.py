"""A time of day: "at seven thirty", "half past six", "8 pm", 下午三点半, 七点二十.

Does not know the date, nor what "tonight" means now.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ridealong.harness.slots.number import find_numbers
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


def _zh(form: str, locale: str) -> TimeOfDay | None:
    for number in find_numbers(form, locale):
        m = re.match(r"(?:点钟?|时)(?:(半)|(一刻)|(三刻)|(整))?", form[number.span[1] :])
        if m is None or number.value != int(number.value):
            continue
        start, end = number.span[0], number.span[1] + m.end()
        minute = 30 if m.group(1) else 15 if m.group(2) else 45 if m.group(3) else 0
        if not m.group().endswith(("半", "刻", "整")):
            for later in find_numbers(form, locale):
                if later.span[0] == end and later.value < 60:
                    minute, end = int(later.value), later.span[1] + (1 if form[later.span[1] :].startswith("分") else 0)
        day = re.search(r"(凌晨|早上|上午|中午|下午|傍晚|晚上|今晚)$", form[:start])
        hour = int(number.value)
        if day is not None:
            start = day.start()
            hour += 12 if day.group() in ("下午", "傍晚", "晚上", "今晚") and hour < 12 else 0
        if 0 <= hour < 24:
            return TimeOfDay(hour, minute, day is not None or hour > 12, form[start:end], (start, end))
    return None
