"""A timer in the background: the result is spoken when the time is up.

Waits on the session's clock. A timer does not outlive its session (a reminder does, reminder.py); does not know wall-clock time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from ridealong.harness import reminder_words
from ridealong.harness.changes import Amount, Arguments, Changes, Reads
from ridealong.harness.doubt import Doubt
from ridealong.harness.meant import FRAGMENT, Meant
from ridealong.harness.reading import Reading
from ridealong.harness.skill import Call, Context, Match, Outcome, Skill, Spoken, skill
from ridealong.harness.skills import reminder
from ridealong.harness.slots.duration import Duration, duration_words, find_duration
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.text import language, plain

MAX_S = 4 * 3600


def _unit_s(arguments: Arguments) -> int:
    """A bare number has the unit that the timer was set in."""
    duration_s = arguments.get("duration_s", 60)
    assert isinstance(duration_s, int)
    return 3600 if duration_s % 3600 == 0 else 60 if duration_s % 60 == 0 else 1


def _length(value: float, unit: str, arguments: Arguments, read: Reads) -> float | None:
    if unit not in ("", "seconds"):
        return None
    length_s = value if unit else value * _unit_s(arguments)
    return length_s if length_s >= 1 else None


def _step(size: float | None, unit: str, manner: str, arguments: Arguments, read: Reads) -> float | None:
    return _length(size, unit, arguments, read) if size is not None else None


def doubt(words: str, locale: str, match: Match | None) -> Doubt | None:
    """A length that no timer has: the question names the range."""
    zh, form = language(words, locale) == "zh", plain(words, locale)
    if match is None or match.capability != "timer.set" or "duration_s" not in match.missing:
        return None
    if not (_LENGTH_ZH if zh else _LENGTH_EN).search(form):
        return None
    question = "我能计时一秒到四个小时，要多久？" if zh else "I can time from one second up to four hours. How long should it be?"
    return Doubt(question, replace(match, question=question))


_LENGTH_EN = re.compile(
    r"\b(?:zero|no|minus|negative|\d[\d.]*|hundred|thousand|million|\w+ty|\w+teen|one|two|three|four|five|six|seven|eight|nine|ten) (?:\w+ ){0,2}?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|s|m|h|mins?|secs?|hrs?)\b"
)
_LENGTH_ZH = re.compile(r"(?:[\d零〇一二两三四五六七八九十百千万]|负)个?半?(?:秒|分|小时|钟头|天|周|星期|月|年)")
CHANGES = Changes(Amount("duration_s", 1, MAX_S, frozenset({"time"}), _length, _step))


def recognise(text: str, locale: str, context: Context) -> Match | None:
    reading = Reading(text, locale)
    if reading.frame.question:
        return None
    if (said := reminder_words.read(text, locale)) is not None and not said.timer:
        return None
    thing = reading.take(r"计时器?|倒计时|闹钟|提醒" if reading.zh else r"timer|countdown|alarm|remind")
    if thing is None:
        return _bare(reading, context)
    if (
        not reading.zh
        and re.match(
            r"(?:set|start|make|create|give|put|begin|run|count|timer|countdown|remind|wake|a|an|\d|one|two|three|five|ten|fifteen|twenty|thirty|half|need|have)\b",
            reading.core,
        )
        is None
    ):
        return None
    duration = find_duration(reading.core, reading.locale)
    reading.slot(duration)
    if duration is None and reading.zh and "闹钟" in reading.core and not re.search(r"[定设来上弄调加建]", reading.core):
        return None
    reading.take(
        r"定|设|设置|开始|分钟|后|之后|一个|提醒我?|叫我|来"
        if reading.zh
        else r"set|start|make|create|give|put|begin|run|count|down|minute|hour|need|have|time|up|when|remind|me|wake|new|another|long"
    )
    if duration is None:
        question = "要计时多久？" if reading.zh else "For how long?"
        return Match("timer.set", reading.score(0.85), missing=("duration_s",), question=question)
    if duration.duration_s > MAX_S:
        question = "我最多能计时四个小时，要多久？" if reading.zh else "I can time up to four hours. How long should it be?"
        return Match("timer.set", reading.score(0.85), missing=("duration_s",), question=question)
    return Match("timer.set", reading.score(0.95), {"duration_s": round(duration.duration_s)}, {"duration_s": duration.words})


def _bare(reading: Reading, context: Context) -> Match | None:
    """A duration and nothing else: the answer to our own question."""
    asked = bool(context.recent) and context.recent[0].capability == "timer.set" and context.recent[0].outcome is Outcome.ASKS
    duration = find_duration(reading.core, reading.locale) if asked else None
    if duration is None or duration.words.strip() != reading.core.strip() or duration.duration_s > MAX_S:
        return None
    return Match("timer.set", 0.95, {"duration_s": round(duration.duration_s)}, {"duration_s": duration.words})


_MEANWHILE: Final = re.compile(r"(?:for|over|during|within) the next\b|往后|接下来|未来|今后")
_ENDS: Final = re.compile(
    r"\b(?:cancel|stop|delete|remove|kill|clear|scrap|drop|end)\b|取消|停掉|停了|删掉?|关掉|关了|不要了|不用了"
)
_SETS: Final = re.compile(r"\b(?:set|start|make|give|put|begin|count|another|new|instead)\b|设|定|计时|倒数|改|换|另|提醒|叫我")
_TIMED: Final = re.compile(r"\b(?:timers?|alarms?|countdowns?|count)\b|计时|定时|闹钟|倒计")


def understand(meant: Meant) -> tuple[Match, ...]:
    """A timer for each duration that is named."""
    if (said := reminder_words.read(meant.text, meant.locale)) is not None and said.what:
        return reminder.understand(meant)
    if _ENDS.search(meant.form) and _SETS.search(meant.form) is None:
        return ()  # "cancel the ten minute one"
    if _MEANWHILE.match(meant.form) and not _TIMED.search(meant.form):
        return ()  # "for the next hour let me know if …"
    lengths = _durations(meant)
    if len(lengths) > 1 and meant.variant == FRAGMENT:
        lengths = lengths[-1:]
    if not lengths and meant.variant == FRAGMENT:
        return _minutes(meant)
    if not lengths:
        return (meant.asks("timer.set", "duration_s", "For how long?", "要计时多久？"),)
    if any(one.duration_s > MAX_S for one in lengths):
        return (
            meant.asks(
                "timer.set", "duration_s", "I can time up to four hours. How long should it be?", "我最多能计时四个小时，要多久？"
            ),
        )
    return tuple(meant.match("timer.set", {"duration_s": round(one.duration_s)}, {"duration_s": one.words}) for one in lengths)


_UNIT_S = {"hour": 3600, "second": 1, "sec": 1, "小时": 3600, "钟头": 3600, "秒": 1}
_SEVERAL = re.compile(r"\b(?:timers|alarms|two|three|another|one for|one (?:more )?of)\b|俩|[两三四]个|另")
_COUNTED = re.compile(
    r" (?:\w+ )?(?:timers?|alarms?|countdowns?|more|other|people|percent|degrees?|pounds?|euros?|dollars?|quid|miles?|km|kilomet\w+)\b|[块元毛度人岁号层楼%]|公里|个(?!半?(?:小时|钟头))"
)
"""What is counted is timers, and not minutes."""


def _durations(meant: Meant) -> list[Duration]:
    """All, in order; a number alone has the unit of the one after it, or else before it: "1, 2 and 3 minutes", "one for five minutes, one for twenty"."""
    form = meant.form
    found, at = list[Duration](), 0
    while (duration := find_duration(form[at:], meant.locale)) is not None:
        found.append(replace(duration, span=(at + duration.span[0], at + duration.span[1])))
        at = found[-1].span[1]
    if not found or not _SEVERAL.search(form):
        return found
    alone = list[Duration]()
    for number in find_numbers(form, meant.locale):
        begin, end = number.span
        if number.value <= 1 and not re.match(r" (?:and )?\d", form[end:]) or number.ordinal or _COUNTED.match(form[end:]):
            continue
        if all(end <= one.span[0] or begin >= one.span[1] for one in found):
            near = next((one for one in found if one.span[0] >= end), found[-1])
            unit_s = next((size for word, size in _UNIT_S.items() if word in near.words), 60)
            alone.append(Duration(number.value * unit_s, form[begin:end], number.span))
    return sorted([*found, *alone], key=lambda one: one.span)


_CORRECTED = re.compile(r"\b(?:no|not|actually|sorry|wait|instead|rather|or|mean|make (?:it|that))\b|不对|不是|改|还是|或|错")
_SOMETHING_ELSE = re.compile(r"\b(?:open|close|shut|turn|switch|window|every|remind(?:er)?)\b|[窗调]|打开|关|每|提醒")
_EXISTING = re.compile(r"\b(?:the|my|that|this) $|那个$|这个$")


def whole(calls: Sequence[Match], text: str, locale: str, context: Context) -> Sequence[Match]:
    """All the timers of one sentence: "for five minutes and another for ten"."""
    meant = Meant("", text, locale, context, max((call.score for call in calls), default=0.0))
    form = meant.form
    if any(said.search(form) for said in (_CORRECTED, _SOMETHING_ELSE)) or any(call.missing for call in calls):
        return calls
    lengths = [one for one in _durations(meant) if not _EXISTING.search(form[: one.span[0]])]
    found = {round(one.duration_s) for one in lengths}
    if len(lengths) <= len(calls) or not all(call.arguments.get("duration_s") in found for call in calls) or max(found) > MAX_S:
        return calls
    return [meant.match("timer.set", {"duration_s": round(one.duration_s)}, {"duration_s": one.words}) for one in lengths]


_ANOTHER = re.compile(r" (?:more|other)$|个")
"""What is counted is timers: "one more"."""


def _minutes(meant: Meant) -> tuple[Match, ...]:
    """ "make that ten": minutes, as before."""
    form = meant.form
    said = [one for one in find_numbers(form, meant.locale) if not one.ordinal]
    numbers = [one for one in said if not _ANOTHER.match(form[one.span[1] :])]
    if not numbers or not 1 <= numbers[-1].value * 60 <= MAX_S:
        return ()
    begin, end = numbers[-1].span
    return (meant.match("timer.set", {"duration_s": round(numbers[-1].value * 60)}, {"duration_s": meant.form[begin:end]}),)


def named(arguments: Mapping[str, object], locale: str) -> str:
    duration_s = arguments.get("duration_s")
    if not isinstance(duration_s, int):
        return "计时器" if locale.startswith("zh") else "the timer"
    said = duration_words(duration_s, locale)
    return f"{said}的计时器" if locale.startswith("zh") else f"the timer for {said}"


def lasts_ms(arguments: Mapping[str, object]) -> int:
    duration_s = arguments["duration_s"]
    assert isinstance(duration_s, int)
    return duration_s * 1000


def begun(arguments: Mapping[str, object], locale: str) -> str:
    duration_s = arguments["duration_s"]
    assert isinstance(duration_s, int)
    said = duration_words(duration_s, locale)
    return f"好的，计时{said}。" if locale.startswith("zh") else f"Okay, {said} from now."


@skill(
    "timer.set",
    description="Set a timer.",
    group="timers",
    recognise=recognise,
    understand=understand,
    changes=CHANGES,
    doubts=doubt,
    whole=whole,
    arguments_schema={
        "type": "object",
        "properties": {"duration_s": {"type": "integer", "minimum": 1, "maximum": MAX_S}},
        "required": ["duration_s"],
        "additionalProperties": False,
    },
    examples={
        "en": ("Set a timer for five minutes.", "Start a ten minute timer."),
        "zh": ("定一个五分钟的计时器。", "十分钟后提醒我。"),
    },
    timeout_ms=(MAX_S + 60) * 1000,
    usual_ms=60_000,
    begins=begun,
    named=named,
    lasts_ms=lasts_ms,
)
async def set_timer(call: Call) -> Spoken:
    duration_s = call.arguments["duration_s"]
    assert isinstance(duration_s, int)
    await call.clock.sleep_ms(duration_s * 1000)
    said = duration_words(duration_s, call.locale)
    return Spoken(f"{said}到了。" if call.locale.startswith("zh") else f"Your timer is up: {said}.")


SKILLS: tuple[Skill, ...] = (set_timer,)
