"""What time is it? What day is it? By the device's own clock and time zone; a place elsewhere in the world is somebody else's question.

Closed patterns over the whole sentence. Where the device has not told its time, that is said. Does not know timers or reminders.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from ridealong.harness.framing import frame
from ridealong.harness.skill import Call, Context, Match, Outcome, Skill, Spoken, skill
from ridealong.harness.slots.number import number_words
from ridealong.harness.slots.time import clock_words
from ridealong.harness.tagged import without_our_name

_SOFT_EN: Final = r"(?:(?:so|okay|ok|well|um|uh|and|please|hey|sorry|by the way) )*(?:(?:can|could|would) you (?:please )?|do you (?:know|have) |i wonder |tell me |say |check )?(?:please )?"
_END_EN: Final = r"(?: (?:please|now|right now|at the moment|then|here|by your clock|currently|today|thanks))*"
_TIME_EN: Final = re.compile(
    _SOFT_EN
    + r"(?:what time (?:is it|do you have|have you got|do you make it|it is)|(?:what is )?the (?:current |exact )?time|what is the time|how late is it|time check|what does the clock say)"
    + _END_EN
)
_DAY_EN: Final = re.compile(
    _SOFT_EN + r"(?:what(?: is the)? (?:date|day)(?: (?:is it|is today|it is|of the week is it|of the week|of the month is it|do we have))?|what is (?:today s date|today|the date today|the day today)|what day is today|the date|today s date|which day is it)"
    + _END_EN
)  # fmt: skip
_LEAD_ZH: Final = r"(?:请问|那|嗯|哎|诶|你(?:知道|看看)?|麻烦|帮我|告诉我|看一?下|看看|报一?下)*"
_END_ZH: Final = r"(?:了|啦|呀|啊|呢|来着|钟)*"
_TIME_ZH: Final = re.compile(
    rf"{_LEAD_ZH}(?:(?:现在|这会儿|当前|此刻)(?:是|都|已经)*(?:几点钟?|什么时间|什么时候|啥时候)|(?:现在|当前)的?时间(?:是)?(?:多少|几点)?|(?:都|已经)?几点钟?了|报个时|报时){_END_ZH}"
)
_DAY_ZH: Final = re.compile(
    rf"{_LEAD_ZH}(?:今天|今儿|现在)(?:是)?(?:几月)?(?:几号|几月几[号日]|星期几|周几|礼拜几|什么日子|日期(?:是多少)?){_END_ZH}"
)
_DAYS_EN: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS_EN: Final = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")  # fmt: skip
_DAYS_ZH: Final = "一二三四五六日"


def recognise(text: str, locale: str, context: Context) -> Match | None:
    framing = frame(without_our_name(text)[1], locale)
    zh = framing.locale == "zh"
    asked = (
        (argument, shown)
        for pattern, argument, shown in (
            (_TIME_ZH if zh else _TIME_EN, "time", "%H:%M"),
            (_DAY_ZH if zh else _DAY_EN, "date", "%Y-%m-%d"),
        )
        if pattern.fullmatch(framing.text) or pattern.fullmatch(framing.core)
    )
    if (found := next(asked, None)) is None:
        return None
    argument, shown = found
    known = {argument: context.local.strftime(shown)} if context.local is not None else {}
    return Match("help.clock", 0.97, dict(known), dict.fromkeys(known, "default:clock"))


def said_time(time: str, zh: bool) -> str:
    """Of "20:06"."""
    hour, minute = (int(part) for part in time.split(":"))
    words = clock_words(hour, minute, "zh" if zh else "en")
    return f"现在{words}。" if zh else f"It's {words}."


def said_date(day: str, zh: bool) -> str:
    """Of "2026-11-30"."""
    on = date.fromisoformat(day)
    if zh:
        return f"今天是{number_words(on.month, 'zh')}月{number_words(on.day, 'zh')}号，星期{_DAYS_ZH[on.weekday()]}。"
    return f"It's {_DAYS_EN[on.weekday()]}, {on.day} {_MONTHS_EN[on.month - 1]}."


@skill(
    "help.clock",
    description="Say the time of day, or the date, where the user is.",
    group="help",
    recognise=recognise,
    arguments_schema={
        "type": "object",
        "properties": {
            "time": {"type": "string", "description": "HH:MM"},
            "date": {"type": "string", "description": "YYYY-MM-DD"},
        },
        "required": [],
        "additionalProperties": False,
    },
    examples={"en": ("What time is it?", "What day is it today?"), "zh": ("现在几点了？", "今天几号？")},
)
async def tell(call: Call) -> Spoken:
    zh = call.locale.startswith("zh")
    if "time" in call.arguments:
        return Spoken(said_time(str(call.arguments["time"]), zh))
    if "date" in call.arguments:
        return Spoken(said_date(str(call.arguments["date"]), zh))
    return Spoken("我不知道现在的时间。" if zh else "I don't know the time here.", Outcome.FAILED, "no_reading")


SKILLS: tuple[Skill, ...] = (tell,)
