"""When, in the words of a request: "at seven", "tomorrow morning at eight", "in half an hour", "tonight", 明天早上八点, 半小时后, 下午三点, and where it is
no such thing: "on Friday", "every night", "when I get there". Pure.

`find_moment` gives what was said and where; `resolved` makes of it a time and a day, given what the time is now. Beyond today and tomorrow only spans are
understood ("in three days"): a weekday or a date is found, and said to be `Beyond.DAY`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Final

from ridealong.harness.slots.duration import find_duration
from ridealong.harness.slots.number import find_numbers, parse_number
from ridealong.harness.slots.text import language, plain
from ridealong.harness.slots.time import AFTERNOON, EVENING, MORNING, NIGHT, NOON, PARTS_ZH, TimeOfDay, find_times, in_part

TODAY, TOMORROW = "today", "tomorrow"
DAY_S: Final = 24 * 3600


class Beyond(Enum):
    """A when that is no time of today or tomorrow."""

    DAY = "day"  # a weekday, a date, the day after tomorrow
    REPEATED = "repeated"
    EVENT = "event"  # a place or an event: "when I get home"


@dataclass(frozen=True, slots=True)
class Moment:
    """What was said of when. `part`: of the day, without or beside an hour. `spans`: all the words, in the plain form, in order."""

    spans: tuple[tuple[int, int], ...]
    in_s: int | None = None
    time: TimeOfDay | None = None
    day: str = ""
    part: str = ""
    beyond: Beyond | None = None

    @property
    def known(self) -> bool:
        """It says when, to the minute."""
        return self.beyond is None and (self.in_s is not None or self.time is not None)


@dataclass(frozen=True, slots=True)
class At:
    """A time of day as it is to be kept: HH:MM. `past`: it is today's, and has been."""

    at: str
    day: str = ""
    past: bool = False


def find_moment(text: str, locale: str) -> Moment | None:
    """None where the words say no when. Of two times of day the later-said counts: "at seven, no, half past seven"."""
    form = plain(text, locale)
    zh = language(form, locale) == "zh"
    pieces = _pieces_zh(form) if zh else _pieces_en(form)
    spans: list[tuple[int, int]] = []
    beyond = next((kind for kind, span in pieces.beyond), None)
    spans += [span for _, span in pieces.beyond]
    in_s = None
    for length_s, span in pieces.after:
        in_s = length_s
        spans.append(span)
    times = [one for one in find_times(form, locale) if not _within(one.span, spans)]
    if in_s is not None:
        times = []
    time = times[-1] if times else None
    spans += [(begin, end) for begin, end in (_with_at(form, one.span, zh) for one in times)]
    days = [(name, span) for name, span in pieces.days if not _within(span, spans)]
    parts = [(name, span) for name, span in pieces.parts if not _within(span, spans)]
    if in_s is None:
        spans += [span for _, span in (*days, *parts)]
    if not spans:
        return None
    day = "" if in_s is not None else next((name for name, _ in days), "")
    part = "" if in_s is not None else next((name for name, _ in parts), "")
    if zh and time is not None and not day:
        day = TOMORROW if time.words.startswith("明") else TODAY if time.words.startswith("今") else ""
    return Moment(_joined(spans), in_s, time, day, part, beyond)


def resolved(moment: Moment, now: datetime | None) -> At | None:
    """Of a moment with a time of day. Without morning or afternoon it is the next such hour that comes; of tomorrow, the first of its waking hours.
    Without `now`, as it was said. None where there is no such hour in that part of the day."""
    time = moment.time
    if time is None:
        return None
    hour, certain, day = time.hour, time.certain, moment.day
    if moment.part and not certain:
        put = in_part(hour, moment.part)
        if put is None:
            return None
        hour, certain = put, True
    if hour < 6 and certain and moment.part == NIGHT and day == TODAY:
        day = TOMORROW  # "tonight at one"
    if hour == 0 and day == TODAY:
        day = ""  # the midnight that comes
    if now is None:
        return At(f"{hour:02}:{time.minute:02}", day)
    hours = [hour] if certain else [hour % 12, hour % 12 + 12]
    if day == TOMORROW:
        best = hours[0] if certain or hours[0] >= 6 else hours[1]
        return At(f"{best:02}:{time.minute:02}", TOMORROW)
    today = [one for one in hours if (one, time.minute) > (now.hour, now.minute)]
    if today:
        return At(f"{today[0]:02}:{time.minute:02}", TODAY)
    first = f"{hours[0]:02}:{time.minute:02}"
    return At(first if certain else f"{hours[-1]:02}:{time.minute:02}", TODAY, past=True) if day == TODAY else At(first, TOMORROW)


def due(at: str, day: str, now: datetime) -> datetime | None:
    """The moment itself, in the zone of `now`; None where it has been. Without a day: the next."""
    hour, minute = (int(part) for part in at.split(":"))
    date = now.date() + timedelta(days=1 if day == TOMORROW else 0)
    found = now.replace(year=date.year, month=date.month, day=date.day, hour=hour, minute=minute, second=0, microsecond=0)
    if found > now:
        return found
    return None if day else found + timedelta(days=1)


def _within(span: tuple[int, int], spans: list[tuple[int, int]]) -> bool:
    return any(begin < span[1] and span[0] < end for begin, end in spans)


def _joined(spans: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """In order, none within another."""
    found = list[tuple[int, int]]()
    for begin, end in sorted(spans):
        if found and begin < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((begin, end))
    return tuple(found)


def _with_at(form: str, span: tuple[int, int], zh: bool) -> tuple[int, int]:
    """With the small words that belong to it."""
    before = (
        re.search(r"(?:等到|到|在|等|赶在|大概|差不多)+$", form[: span[0]])
        if zh
        else re.search(r"\b(?:(?:at|by|around|for|about|from|exactly|until|on) )+$", form[: span[0]])
    )
    after = re.match(r"(?:左右|整|的时候|时候|钟)+" if zh else r" (?:sharp|exactly|on the dot|ish)\b", form[span[1] :])
    return (before.start() if before else span[0], span[1] + (after.end() if after else 0))


@dataclass(slots=True)
class _Pieces:
    after: list[tuple[int, tuple[int, int]]]
    days: list[tuple[str, tuple[int, int]]]
    parts: list[tuple[str, tuple[int, int]]]
    beyond: list[tuple[Beyond, tuple[int, int]]]


# --- English -----------------------------------------------------------------------------------------------------------

_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_DAY_EN = re.compile(
    rf"\b(?:the )?day after tomorrow\b|\b(?:on |this |next |by |for |until |every )*{_WEEKDAY}s?(?: (?P<p>morning|afternoon|evening|night))?\b|"
    r"\b(?:this|next|at the|over the|on the) (?:weekend|week|month|year)\b|\b(?:in|after) (?:a few|several) (?:days|weeks)\b|\b(?:in|after) [\w ]{1,12} (?:months?|years?)\b|"
    rf"\b(?:on |by |for )?(?:the )?\w+ of {_MONTH}\b|\b(?:on |by |for ){_MONTH} \w+\b|\b(?:on|by) the (?:\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|tenth|last)\b"
)
_REPEATED_EN = re.compile(
    r"\b(?:every|each) (?:single )?(?:other )?(?:day|night|morning|evening|afternoon|week|month|year|hour|minute|half hour|weekday|time|\w+ (?:minutes|hours|days))\b|\b(?:daily|weekly|monthly|hourly|twice a day|once a (?:day|week|month))\b"
)
_EVENT_EN = re.compile(
    r"\b(?:when(?: ?ever)?|once|as soon as|the next time|next time|the moment|if|before|after|until|on the way|on my way|by the time) (?!(?:to|that)\b)(?!(?:noon|midnight|midday)\b).+?(?: (?=to (?!the\b|a\b|an\b|my\b|our\b|your\b|his\b|her\b|their\b|work\b|school\b|town\b|bed\b|see\b|and\b|[a-z]+$)\w)|$)"
)
_AFTER_EN = re.compile(r"\b(?:(?:in|after|within)(?: about| around| another| exactly)?) $")
_SPAN_EN = re.compile(r" (?:from now|later)\b")
_DAYS_EN = re.compile(r"\b(?:in|after) (?P<n>a|an|\w+(?: \w+)?) (?P<unit>days?|weeks?)\b(?: time\b)?")
_WORD_DAY_EN = re.compile(r"\b(?:for |by |on )?(?:(?P<tomorrow>tomorrow)|(?P<today>today|this very day)|(?P<tonight>tonight|this (?:evening|night|arvo|afternoon|morning)|later today))\b")  # fmt: skip
_PART_EN = re.compile(
    r"\b(?:(?:in the |this |first thing |early |late |at )*)(?P<part>morning|afternoon|arvo|evening|night|lunchtime|lunch time|dinner time)\b"
)
_PARTS_EN: Final = {"morning": MORNING, "afternoon": AFTERNOON, "arvo": AFTERNOON, "evening": EVENING, "tonight": EVENING, "night": NIGHT, "lunchtime": NOON, "lunch time": NOON, "dinner time": EVENING}  # fmt: skip


def _pieces_en(form: str) -> _Pieces:
    after = list[tuple[int, tuple[int, int]]]()
    for m in _DAYS_EN.finditer(form):
        number = parse_number("one" if m["n"] in ("a", "an") else m["n"], "en")
        if number is not None and number.value > 0:
            after.append((round(number.value * DAY_S * (7 if m["unit"].startswith("week") else 1)), m.span()))
    at = 0
    while (duration := find_duration(form[at:], "en")) is not None:
        begin, end = at + duration.span[0], at + duration.span[1]
        lead, tail = _AFTER_EN.search(form[:begin]), _SPAN_EN.match(form[end:])
        if (lead or tail) and duration.duration_s >= 1:
            after.append((round(duration.duration_s), (lead.start() if lead else begin, end + (tail.end() if tail else 0))))
        at = end
    taken = [span for _, span in after]
    repeated = [m.span() for m in _REPEATED_EN.finditer(form)]
    beyond = [(Beyond.REPEATED, span) for span in repeated]
    beyond += [(Beyond.DAY, m.span()) for m in _DAY_EN.finditer(form) if not _within(m.span(), [*taken, *repeated])]
    if not after and (event := _EVENT_EN.search(form)) is not None and not _times_within(form, event.span()):
        beyond.append((Beyond.EVENT, event.span()))
    spans = [span for _, span in beyond]
    days, parts = list[tuple[str, tuple[int, int]]](), list[tuple[str, tuple[int, int]]]()
    for m in _WORD_DAY_EN.finditer(form):
        if not _within(m.span(), spans):
            days.append((TOMORROW if m["tomorrow"] else TODAY, m.span()))
            if m["tonight"] and m["tonight"] != "later today":
                parts.append((_PARTS_EN[m["tonight"].split(" ")[-1]], m.span()))
    timed = [one.span for one in find_times(form, "en")]
    for m in _PART_EN.finditer(form):
        led = form[: m.start()].rstrip().endswith(("tomorrow", "today", "yesterday")) or m.group() != m["part"]
        if led and not _within(m.span(), [*spans, *timed, *(span for _, span in days)]):
            parts.append((_PARTS_EN[m["part"]], m.span()))
    return _Pieces(after, days, parts, beyond)


def _times_within(form: str, span: tuple[int, int]) -> bool:
    """A time of day is no event: "before seven", "after half past six"."""
    words = form[span[0] : span[1]].split(" ", 1)
    return len(words) == 2 and any(one.span[0] == 3 for one in find_times(f"at {words[1]}", "en"))


# --- Chinese -----------------------------------------------------------------------------------------------------------

_DAY_ZH = re.compile(
    r"大?后[天日](?!门)|(?:这个?|下下?个?|上|每个?|到)*(?:周|星期|礼拜)[一二三四五六日天末\d]|(?:下下?个?|这个?)(?:周|星期|礼拜|月)(?!围)|明年|月[底初末]|(?:\d{1,2}|[一二三四五六七八九十]{1,3})(?:月(?:\d{1,2}|[一二三四五六七八九十]{1,3})?[号日]?|号)(?!线|楼|门|台|机|车|店)"
)
_REPEATED_ZH = re.compile(
    r"每(?:隔)?(?:天|日|晚|早|周|个?星期|个?月|年|次|个?小时|(?:\d+|[一二三四五六七八九十两半]+)(?:个?小时|分钟|天))(?:早上|晚上|上午|下午|中午)?|天天"
)
_PLACE_ZH = r"(?:(?:回到|到了?|回|路过|经过|离开|走出|进|出)(?:家里?|公司|单位|学校|超市|商店|村里?|村子|那里|那儿|店里?|车站|站|城里?|加油站|目的地|酒店|医院)|下班|下车|上车|放学|停车|吃完?饭|[早午晚]饭)"
_EVENT_ZH = re.compile(
    rf"(?:等|当|如果|要是)?(?:我们?)?(?:到了?|在)?{_PLACE_ZH}(?:了|的)?(?:的?时候|时|之后|以后|后|之前|以前|前|再|就|(?=(?:请|记得)?(?:提醒|叫我)))|睡前|(?:等|当|如果|要是)我们?.{1, 8}?(?:的?时候|之后|以后|后|了)"
)
_DAYS_ZH = re.compile(r"(?:再?过)?(?P<n>\d+|[一两二三四五六七])(?P<unit>天|个?星期|周|个?礼拜)(?:之后|以后|后)")
_WORD_DAY_ZH = re.compile(r"(?P<tomorrow>明天|明日|听日|明早|明晚)|(?P<today>今天|今日|今早|今晚|今儿|待会儿?|等会儿?)")
_PART_ZH = re.compile("|".join(PARTS_ZH))


def _pieces_zh(form: str) -> _Pieces:
    after = list[tuple[int, tuple[int, int]]]()
    for m in _DAYS_ZH.finditer(form):
        numbers = find_numbers(f"{m['n']}个", "zh")
        if numbers:
            after.append((round(numbers[0].value) * DAY_S * (1 if m["unit"] == "天" else 7), m.span()))
    at = 0
    while (duration := find_duration(form[at:].replace("个钟头", "个小时"), "zh")) is not None:
        begin, end = at + duration.span[0], at + duration.span[1]
        lead, tail = re.search(r"(?:再?过|再等)$", form[:begin]), re.match(r"(?:之后|以后|过后|后)", form[end:])
        if (lead or tail) and duration.duration_s >= 1 and not _within((begin, end), [span for _, span in after]):
            after.append((round(duration.duration_s), (lead.start() if lead else begin, end + (tail.end() if tail else 0))))
        at = end
    taken = [span for _, span in after]
    repeated = [m.span() for m in _REPEATED_ZH.finditer(form)]
    beyond = [(Beyond.REPEATED, span) for span in repeated]
    beyond += [(Beyond.DAY, m.span()) for m in _DAY_ZH.finditer(form) if not _within(m.span(), [*taken, *repeated])]
    if not after and not find_times(form, "zh") and (event := _EVENT_ZH.search(form)) is not None:
        beyond.append((Beyond.EVENT, event.span()))
    spans = [span for _, span in beyond]
    timed = [one.span for one in find_times(form, "zh")]
    days = [
        (TOMORROW if m["tomorrow"] else TODAY, m.span())
        for m in _WORD_DAY_ZH.finditer(form)
        if not _within(m.span(), [*spans, *timed])
    ]
    parts = [(PARTS_ZH[m.group()], m.span()) for m in _PART_ZH.finditer(form) if not _within(m.span(), [*spans, *timed])]
    return _Pieces(after, days, parts, beyond)
