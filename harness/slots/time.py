"""A time of day: "at seven thirty", "half past six", "half seven", "ten to five", "8 pm", "18:30", "noon", 下午三点半, 七点二十, 18:30.

`find_times` gives every one of a text, `find_time` the first; `clock_words` says one. "Half seven" is 7:30, as in Britain. Does not know the date, nor
what "tonight" means now.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ridealong.harness.slots.number import Number, find_numbers, number_words, parse_number
from ridealong.harness.slots.text import language, plain


@dataclass(frozen=True, slots=True)
class TimeOfDay:
    """`certain`: morning or afternoon was said, or the hour is above 12. `words` = text[span[0]:span[1]] of the plain form."""

    hour: int
    minute: int
    certain: bool
    words: str
    span: tuple[int, int]


def find_time(text: str, locale: str) -> TimeOfDay | None:
    return next(iter(find_times(text, locale)), None)


def find_times(text: str, locale: str) -> tuple[TimeOfDay, ...]:
    """Left to right, none within another."""
    form = plain(text, locale)
    return _zh(form, locale) if language(form, locale) == "zh" else _en(form, locale)


MORNING, NOON, AFTERNOON, EVENING, NIGHT = "morning", "noon", "afternoon", "evening", "night"


def in_part(hour: int, part: str) -> int | None:
    """The hour as a part of the day has it: 7 in the evening is 19. None where the part has no such hour."""
    if hour > 12:
        fits = {MORNING: False, NOON: hour <= 14, AFTERNOON: hour < 19, EVENING: hour >= 16, NIGHT: hour >= 18}
        return hour if fits[part] else None
    match part:
        case "morning":
            return hour % 12
        case "noon":
            return hour if hour in (11, 12) else hour + 12 if 1 <= hour <= 3 else None
        case "afternoon" | "evening":
            return (hour % 12) + 12 if hour else 0
        case _:
            return hour + 12 if 6 <= hour < 12 else hour % 12


# --- English -----------------------------------------------------------------------------------------------------------

_MINUTES_EN: Final = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty five": 25, "5": 5, "10": 10, "20": 20, "25": 25}  # fmt: skip
_PAST_EN = re.compile(
    r"\b(?:(?P<half>half)(?: past)?|(?:a )?(?P<minutes>quarter|twenty five|twenty|five|ten|5|10|20|25)(?: minutes)? (?P<way>past|after|to|before)) $"
)
_AT_EN = re.compile(r"\b(?:at|by|until|till|before|around|for|from)(?: (?:about|around|exactly))? $")
_HALF_EN = re.compile(
    r" (?P<m>am|pm)\b(?: in the (?:morning|afternoon|evening))?|(?P<clock> o clock)?(?: (?P<part>in the morning|in the afternoon|in the evening|at night)\b)|(?P<oclock> o clock)\b"
)
_NAMED_EN = re.compile(r"\b(?:at |by |until |around |for )?(?:(?:12|twelve) )?(?P<name>noon|midday|midnight)\b")
_PART_EN: Final = {"in the morning": MORNING, "in the afternoon": AFTERNOON, "in the evening": EVENING, "at night": NIGHT}
_NEXT_EN = re.compile(r" (?:seconds?|minutes?|mins?|hours?|days?|weeks?|percent|degrees?|miles?|km|people|of)\b")


def _en(form: str, locale: str) -> tuple[TimeOfDay, ...]:
    named = [TimeOfDay(0 if m["name"] == "midnight" else 12, 0, True, m.group(), m.span()) for m in _NAMED_EN.finditer(form)]
    found = list[TimeOfDay](named)
    numbers = [n for n in find_numbers(form, locale) if not n.ordinal and n.value >= 0]
    for i, number in enumerate(numbers):
        one = _number_en(form, number, numbers[i + 1] if i + 1 < len(numbers) else None)
        if one is not None and all(one.span[1] <= other.span[0] or one.span[0] >= other.span[1] for other in found):
            found.append(one)
    return tuple(sorted(found, key=lambda one: one.span))


def _number_en(form: str, number: Number, following: Number | None) -> TimeOfDay | None:
    start, end = number.span
    hour, minute = int(number.value), 0
    past, written = _PAST_EN.search(form[:start]), re.fullmatch(r"(\d{1,2})\.(\d\d)", number.words)
    if number.value != hour and written is None:
        return None
    minutes = _PAST_EN.search(form[: following.span[0]]) if following is not None else None
    if minutes is not None and minutes.start() <= start and not form[:start].endswith("from "):
        return None  # "ten past six": the ten is no hour
    if past is not None:
        start = past.start()
        minute = _MINUTES_EN[past["half"] or past["minutes"]]
        if past["way"] in ("to", "before"):
            minute, hour = 60 - minute, (hour - 1) % 24 or 12 * (hour <= 12)
    elif written is not None:
        minute = int(written[2])
    elif (oh := re.match(r" (?:o|oh|zero) (one|two|three|four|five|six|seven|eight|nine)\b", form[end:])) is not None:
        value = parse_number(oh[1], "en")
        minute, end = int(value.value) if value is not None else 0, end + oh.end()
    elif following is not None and form[end : following.span[0]] == " " and _is_minute(following):
        minute, end = int(following.value), following.span[1]
    if _NEXT_EN.match(form[end:]):
        return None
    half = _HALF_EN.match(form[end:])
    at = _AT_EN.search(form[:start])
    if past is None and half is None and at is None and not (written is None and end > number.span[1] and number.words.isdigit()):
        return None
    part = (
        (MORNING if half["m"] == "am" else EVENING)
        if half and half["m"]
        else _PART_EN[half["part"]]
        if half and half["part"]
        else ""
    )
    end += half.end() if half is not None else 0
    whole = in_part(hour, part) if part and hour <= 23 else hour
    if whole is None and half is not None and half["m"]:
        whole = hour  # "18 30 pm"
    if whole is None or not 0 <= whole < 24 or not 0 <= minute < 60:
        return None
    return TimeOfDay(whole, minute, bool(part) or whole > 12 or whole == 0, form[start:end], (start, end))


def _is_minute(number: Number) -> bool:
    return (
        number.value == int(number.value)
        and number.value < 60
        and (number.value >= 10 or re.fullmatch(r"0\d", number.words) is not None)
    )


# --- Chinese -----------------------------------------------------------------------------------------------------------

_NUMERAL = r"[0-9]{1,2}|[零〇一二三四五六七八九十两]{1,4}"
PARTS_ZH: Final = {
    "凌晨": NIGHT, "半夜": NIGHT, "夜里": NIGHT, "深夜": NIGHT, "午夜": NIGHT, "早上": MORNING, "早晨": MORNING, "清晨": MORNING, "上午": MORNING, "今早": MORNING, "明早": MORNING,
    "中午": NOON, "下午": AFTERNOON, "傍晚": EVENING, "晚上": EVENING, "今晚": EVENING, "明晚": EVENING, "夜晚": EVENING,
}  # fmt: skip
_CLOCK_ZH = re.compile(
    rf"(?P<day>{'|'.join(PARTS_ZH)})?(?:的)?(?:差(?P<lack>一刻|(?:{_NUMERAL})分)钟?(?:到|就)?)?(?P<hour>{_NUMERAL})(?:点钟?|时(?!候|间))(?:差(?P<short>一刻|(?:{_NUMERAL})分)钟?|(?P<part>半|一刻|三刻|整)|(?:过|零)?(?P<minute>{_NUMERAL})(?:分(?!钟)|(?!个|分钟|小时|度|%|号|位|人)))?"
)
"""Read whole: in 七点五分 the 点 is no decimal point."""
_PARTS_ZH = {"半": 30, "一刻": 15, "三刻": 45, "整": 0}


def _zh(form: str, locale: str) -> tuple[TimeOfDay, ...]:
    found = []
    for m in _CLOCK_ZH.finditer(form):
        numerals = [parse_number(one, locale) for one in (m["hour"], m["minute"] or "零")]
        day = m["day"] or ""
        hour, minute = (int(one.value) if one is not None else -1 for one in numerals)
        minute = _PARTS_ZH.get(m["part"] or "", minute)
        if not (0 <= hour <= 24 and 0 <= minute < 60):
            continue
        lack = m["lack"] or m["short"]
        less = 15 if lack == "一刻" else parse_number(lack.removesuffix("分"), locale) if lack else None
        if less is not None and minute == 0:  # 差一刻九点
            short = less if isinstance(less, int) else round(less.value)
            hour, minute = divmod((hour * 60 - short) % (24 * 60), 60)
        whole = in_part_zh(hour % 24, day) if day else hour % 24
        if whole is not None:
            found.append(TimeOfDay(whole, minute, bool(day) or whole > 12 or whole == 0, m.group(), m.span()))
    return tuple(found)


def in_part_zh(hour: int, day: str) -> int | None:
    """晚上十二点 is midnight, 凌晨 has the small hours."""
    if day == "凌晨":
        return hour % 12 if hour <= 12 else None
    if hour == 12 and PARTS_ZH[day] in (EVENING, NIGHT):
        return 0
    if hour == 12 and PARTS_ZH[day] == MORNING:
        return 12
    return in_part(hour, PARTS_ZH[day])


# --- said --------------------------------------------------------------------------------------------------------------


def clock_words(hour: int, minute: int, locale: str) -> str:
    """ "7 in the evening", "6:30 in the morning", "noon" / "晚上七点"."""
    if locale.startswith("zh"):
        part = next(name for until, name in _SAID_ZH if hour < until)
        said = number_words(hour - 12 if hour > 12 else hour, "zh")
        minutes = "" if not minute else "半" if minute == 30 else f"{'零' if minute < 10 else ''}{number_words(minute, 'zh')}分"
        return f"{part}{'两' if said in ('二', '两') else said}点{minutes}"
    if minute == 0 and hour % 12 == 0:
        return "noon" if hour else "midnight"
    part = next(name for until, name in _SAID_EN if hour < until)
    return f"{hour % 12 or 12}{f':{minute:02}' if minute else ''} {part}"


_SAID_EN: Final = ((12, "in the morning"), (18, "in the afternoon"), (21, "in the evening"), (24, "at night"))
_SAID_ZH: Final = ((6, "凌晨"), (9, "早上"), (12, "上午"), (13, "中午"), (18, "下午"), (24, "晚上"))
