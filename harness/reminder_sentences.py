"""What is said of reminders: the questions, the answer, the reminder itself. English and Chinese. Pure.

What to be reminded of are the user's own words. "My" becomes "your" in them, unless they speak of "you" as well: then it is not clear who is meant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from ridealong.harness.slots.duration import duration_words
from ridealong.harness.slots.moment import DAY_S, TODAY, TOMORROW, Beyond
from ridealong.harness.slots.number import number_words
from ridealong.harness.slots.time import AFTERNOON, EVENING, MORNING, NIGHT, NOON, clock_words

MOST_LISTED: Final = 5
_TURNED: Final = {"my": "your", "mine": "yours", "myself": "yourself", "me": "you"}


def yours(text: str, zh: bool) -> str:
    """ "call my mother" -> "call your mother"."""
    if zh:
        return text if re.search(r"[你您]", text) else re.sub(r"我(?!们)", "您", text)
    if re.search(r"\b(?:you|your|yours|i|i'm|i've|i'll)\b", text, re.IGNORECASE):
        return text
    return re.sub(r"\b(?:my|mine|myself|me)\b", lambda m: _TURNED[m.group().lower()], text, flags=re.IGNORECASE)


def told(text: str, zh: bool) -> str:
    return f"提醒您：{yours(text, True)}。" if zh else f"Remember: {yours(text, False)}."


def late(text: str, was_due: datetime, now: datetime, zh: bool) -> str:
    when = moment_words(was_due, now, zh)
    if zh:
        return f"这个提醒晚了，本来是{when}的：{yours(text, True)}。"
    return f"This reminder comes late, it was for {when.removeprefix('at ')}: {yours(text, False)}."


def moment_words(then: datetime, now: datetime, zh: bool) -> str:
    """ "at 7 in the evening", "tomorrow at noon" / "明天早上七点"."""
    clock, days = clock_words(then.hour, then.minute, "zh" if zh else "en"), (then.date() - now.date()).days
    if zh:
        day = {0: "", 1: "明天", -1: "昨天"}.get(days, f"{number_words(then.month, 'zh')}月{number_words(then.day, 'zh')}号")
        return f"{day}{clock}"
    weekday = _WEEKDAYS[then.weekday()]
    day = {0: "", 1: "tomorrow ", -1: "yesterday "}.get(days, f"{'last ' if days < 0 else 'on '}{weekday} ")
    return f"{day}at {clock}"


_WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def said_when(arguments: Mapping[str, object], zh: bool) -> str:
    """As the arguments have it: "in twenty minutes", "tomorrow at 7 in the morning"."""
    in_s, at, day = arguments.get("in_s"), arguments.get("at"), arguments.get("day")
    if isinstance(in_s, int):
        days, rest = divmod(in_s, DAY_S)
        length = span_words(days, rest, zh)
        return f"{length}后" if zh else f"in {length}"
    if not isinstance(at, str) or re.fullmatch(r"\d\d:\d\d", at) is None:
        return "到时候" if zh else "then"
    hour, minute = (int(part) for part in at.split(":"))
    now = datetime(2000, 1, 1, hour, minute)
    return moment_words(now + timedelta(days=1) if day == TOMORROW else now, now, zh)


def span_words(days: int, rest_s: int, zh: bool) -> str:
    named = [f"{number_words(days, 'zh').replace('二', '两') if days == 2 else number_words(days, 'zh')}天" if zh else f"{number_words(days, 'en')} day{'s' * (days > 1)}"] if days else []  # fmt: skip
    named += [duration_words(rest_s, "zh" if zh else "en")] if rest_s else []
    return "".join(named) if zh else " and ".join(named)


def listed(reminders: Sequence[tuple[str, datetime]], now: datetime, zh: bool) -> str:
    if not reminders:
        return "现在没有提醒。" if zh else "You have no reminders."
    some = [f"{moment_words(due, now, zh)}，{yours(text, True)}" if zh else f"{moment_words(due, now, zh)}, {yours(text, False)}" for text, due in reminders[:MOST_LISTED]]  # fmt: skip
    more = len(reminders) - len(some)
    if zh:
        return f"有{number_words(len(reminders), 'zh').replace('二', '两') if len(reminders) == 2 else number_words(len(reminders), 'zh')}个提醒：{'；'.join(some)}{f'；还有{more}个' if more else ''}。"
    count = "one reminder" if len(reminders) == 1 else f"{number_words(len(reminders), 'en')} reminders"
    return f"You have {count}: {'; '.join(some)}{f'; and {more} more' if more else ''}."


# --- questions ---------------------------------------------------------------------------------------------------------

_PARTS: Final = {MORNING: (" morning", "早上"), NOON: (" around noon", "中午"), AFTERNOON: (" afternoon", "下午"), EVENING: (" evening", "晚上"), NIGHT: (" night", "夜里")}  # fmt: skip


def when(zh: bool) -> str:
    return "什么时候提醒您？" if zh else "When should I remind you?"


def what_and_when(zh: bool) -> str:
    return "什么时候提醒您，提醒什么事？" if zh else "What should I remind you of, and when?"


def what_of(zh: bool) -> str:
    return "提醒您什么事？" if zh else "What should I remind you of?"


def what_time(day: str, part: str, zh: bool) -> str:
    english, chinese = _PARTS.get(part, ("", ""))
    if zh:
        return f"{'明天' if day == TOMORROW else '今天' if day == TODAY else ''}{chinese}几点？"
    named = "tomorrow" if day == TOMORROW else ("this" if part not in ("", NOON) else "today") if day == TODAY or part else ""
    return f"At what time {named}{english}?".replace(" ?", "?")


def past(at: str, zh: bool) -> str:
    hour, minute = (int(part) for part in at.split(":"))
    clock = clock_words(hour, minute, "zh" if zh else "en")
    return f"今天{clock}已经过了，改到什么时候？" if zh else f"It's already past {clock}. When should I remind you instead?"


def too_far(zh: bool) -> str:
    return "我最多能提前七天设提醒，什么时候提醒您？" if zh else "I can remind you up to seven days ahead. When should it be?"


def beyond(kind: Beyond, zh: bool) -> str:
    match kind:
        case Beyond.DAY:
            return (
                "我只能设今天、明天，或者几天以后的提醒，什么时候提醒您？"
                if zh
                else "I can only remind you today, tomorrow, or after some days, like in three days. When should it be?"
            )
        case Beyond.REPEATED:
            return (
                "我只能提醒一次，不能反复提醒。什么时候提醒您？"
                if zh
                else "I can remind you once, but not again and again. When should it be?"
            )
        case Beyond.EVENT:
            return (
                "我只能按时间提醒，不能按地点或者事情提醒。几点提醒您？"
                if zh
                else "I can only remind you at a time, not at a place or when something happens. At what time should it be?"
            )


def full(most: int, zh: bool) -> str:
    return f"已经有{most}个提醒了，请先取消一个。" if zh else f"I already keep {most} reminders for you. Please cancel one first."
