"""Reminders: "remind me to call the bank at six", "in half an hour tell me to move the car", 明天早上八点提醒我开会.

Standing work like a timer, but for a time of day too, and kept beyond the session and the node (harness/reminders.py). "At seven" is the next seven
o'clock, and the answer says which. Beyond tomorrow it knows spans only ("in three days"); it reminds once, and never at a place.
A span without anything to be reminded of is a timer (timer.py). Called off like any work (work.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from ridealong.harness import reminder_sentences as sentences
from ridealong.harness.changes import Another, Arguments, Changes
from ridealong.harness.framing import frame
from ridealong.harness.meant import Meant
from ridealong.harness.reminder_words import lists, read
from ridealong.harness.reminders import MAX_PER_DEVICE, REMINDER, Reminder
from ridealong.harness.skill import ANSWER_WITHIN_MS, Call, Context, Match, Outcome, Recent, Skill, Spoken, skill
from ridealong.harness.slots.duration import find_duration
from ridealong.harness.slots.moment import DAY_S, TODAY, TOMORROW, At, Moment, due, find_moment, resolved
from ridealong.harness.slots.number import parse_number
from ridealong.harness.slots.text import language, plain

MAX_S: Final = 7 * DAY_S
LATE_S: Final = 90
"""Told later than this after it was due, it says so."""
SURE: Final = 0.96
CORRECTED_WITHIN_MS: Final = 60_000
LIKELY: Final = 0.6
"""Words that may be the answer to our question: any skill that knows them goes first."""


def recognise(text: str, locale: str, context: Context) -> Match | None:
    said = read(text, locale)
    if said is None:
        return _answered(text, locale, context) or _corrected(text, locale, context)
    if said.timer:
        return None
    return _match(SURE, said.what, said.ground, said.moment, said.words(), context, said.zh)


def understand(meant: Meant) -> tuple[Match, ...]:
    """One reminder; of words that name no more than a span, the timer that they are."""
    said = read(meant.text, meant.locale)
    if said is None:
        answer = _answered(meant.text, meant.locale, meant.context)
        return (answer,) if answer is not None else ()
    if said.timer and said.moment is not None and said.moment.in_s is not None:
        return (meant.match("timer.set", {"duration_s": said.moment.in_s}, {"duration_s": said.words()}),)
    return (_match(meant.share, said.what, said.ground, said.moment, said.words(), meant.context, said.zh),)


def _match(
    score: float, what: str, ground: str, moment: Moment | None, words: str, context: Context, zh: bool,
) -> Match:  # fmt: skip
    """A call, or what is known of one and the question for the rest."""
    arguments: dict[str, object] = {"text": what} if what else {}
    grounds = {"text": ground} if what else {}

    def asks(missing: str, question: str, **known: object) -> Match:
        return Match(REMINDER, score, {**arguments, **known}, {**grounds, **dict.fromkeys(known, words)}, (missing,), question)

    if moment is None:
        return asks("at", sentences.when(zh)) if what else asks("text", sentences.what_and_when(zh))
    day: dict[str, object] = {"day": moment.day} if moment.day else {}
    if moment.beyond is not None:
        return asks("at", sentences.beyond(moment.beyond, zh), **day)
    if moment.in_s is not None:
        if not 1 <= moment.in_s <= MAX_S:
            return asks("at", sentences.too_far(zh))
        arguments["in_s"], grounds["in_s"] = moment.in_s, words
    else:
        at = resolved(moment, context.local)
        if at is None:
            return asks("at", sentences.what_time(moment.day, moment.part, zh), **day)
        if at.past:
            return asks("at", sentences.past(at.at, zh), at=at.at)
        arguments["at"], grounds["at"] = at.at, words
        if at.day:
            arguments["day"], grounds["day"] = at.day, words if moment.day else "default:clock"
    return Match(REMINDER, score, arguments, grounds) if what else asks("text", sentences.what_of(zh))


# --- answers to our own questions --------------------------------------------------------------------------------------

_FILLER: Final = re.compile(
    r"\b(?:at|on|in|the|please|make it|let us say|say|well|um|uh|oh|okay|ok|how about|then|just|maybe|it|is|for|do it|remind me|you can|tell me|sure|no|i mean)\b|[那就吧在请嗯呃好的提醒我说]"
)


def _answered(text: str, locale: str, context: Context) -> Match | None:
    """The time, or the thing, that we have asked for, and nothing else."""
    asked = context.recent[0] if context.recent else None
    if (
        asked is None
        or asked.capability != REMINDER
        or asked.outcome is not Outcome.ASKS
        or asked.asked_ms_ago > ANSWER_WITHIN_MS
    ):
        return None
    zh, form = language(text, locale) == "zh", plain(text, locale)
    what = str(asked.arguments.get("text", ""))
    if what:
        return _time_answered(form, zh, what, asked, context)
    other = frame(text, locale).correction
    when_said = other if zh or other is None else f"at {other}"
    if when_said is not None and (moment := find_moment(when_said, locale)) is not None:
        return None if _unread(when_said, moment) else _match(LIKELY, "", form, moment, form, context, zh)
    said = read(f"提醒我{text}" if zh else f"remind me {text}", locale)
    when = {name: value for name, value in asked.arguments.items() if name != "text"}
    if said is None or len(form) > 80 or (not said.what and said.moment is None):
        return None
    if said.what and said.moment is None and ("at" in when or "in_s" in when):
        return Match(REMINDER, LIKELY, {"text": said.what, **when}, {"text": form, **dict.fromkeys(when, "context:asked")})
    return _match(LIKELY, said.what, form, said.moment, form, context, zh)


_BEHIND: Final = re.compile(r"(.+?) (?:actually|i mean|i meant|sorry|instead|rather)|(.+?)(?:吧|才对)")
"""The time first, and that it is another one behind it: "nine, actually"."""


def _corrected(text: str, locale: str, context: Context) -> Match | None:
    """ "No, at eight": another time for the reminder that was set just now, which this one replaces."""
    asked, framing = context.recent[0] if context.recent else None, frame(text, locale)
    if asked is None or asked.capability != REMINDER or asked.outcome is Outcome.ASKS or asked.asked_ms_ago > CORRECTED_WITHIN_MS:
        return None
    what = str(asked.arguments.get("text", ""))
    behind = _BEHIND.fullmatch(plain(text, locale))
    said = framing.correction or (next(one for one in behind.groups() if one) if behind is not None else None)
    if said is None or framing.question or not what:
        return None
    match = _time_answered(plain(said, locale), framing.locale == "zh", what, asked, context)
    return match if match is not None and not match.missing else None


def _time_answered(form: str, zh: bool, what: str, asked: Recent, context: Context) -> Match | None:
    locale = "zh" if zh else "en"
    lead = "" if zh else "at "
    moment = find_moment(form, locale) or find_moment(f"{lead}{form}", locale)
    said = form if find_moment(form, locale) is not None else f"{lead}{form}"
    if (
        moment is not None
        and moment.time is None
        and moment.in_s is None
        and (more := find_moment(f"{lead}{form}", locale))
        and more.time
    ):
        moment, said = more, f"{lead}{form}"
    if moment is None:
        return None
    if _unread(said, moment):
        return None
    day = moment.day or str(asked.arguments.get("day", ""))
    known = context.said.text if context.said is not None else ""
    part = moment.part or ((earlier := find_moment(known, locale)) is not None and earlier.part) or ""
    at = asked.arguments.get("at")
    if moment.time is None and moment.in_s is None and moment.beyond is None and moment.day and isinstance(at, str):
        again = _again(at, moment.day, context.local)
        if again is not None:
            return Match(
                REMINDER,
                0.95,
                {"text": what, "at": again.at, "day": again.day},
                {"text": "context:asked", "at": "context:asked", "day": form},
            )
    time = moment.time
    if time is not None and not time.certain and not part and isinstance(at, str):
        time = replace(time, hour=_nearest(time.hour, int(at[:2])), certain=True)
        if context.local is not None and day == TODAY and due(f"{time.hour:02}:{time.minute:02}", day, context.local) is None:
            time = moment.time  # that one has been
    moment = Moment(moment.spans, moment.in_s, time, day, part, moment.beyond)
    return _match(0.95, what, "context:asked", moment, form, context, zh)


def _nearest(hour: int, was: int) -> int:
    """ "Make that eight", of seven in the evening: the eight o'clock next to it."""
    return min((hour % 12, hour % 12 + 12), key=lambda one: min(abs(one - was), 24 - abs(one - was)))


_PAST_EN: Final = re.compile(r"(?P<minute>half|(?:a )?quarter|[a-z\d ]+?)(?: minutes)? past")


def _other_minute(words: str, was: str) -> str:
    """ "Twenty past", of the hour that it was; "" where the words are something else."""
    past = _PAST_EN.fullmatch(words)
    if past is None:
        return ""
    said = {"half": 30, "quarter": 15, "a quarter": 15}.get(past["minute"])
    number = parse_number(past["minute"], "en") if said is None else None
    minute = round(number.value) if number is not None else said
    return f"{was[:2]}:{minute:02}" if minute is not None and 0 < minute < 60 else ""


def _unread(said: str, moment: Moment) -> str:
    """What of the words is no part of the time."""
    for begin, end in reversed(moment.spans):
        said = f"{said[:begin]} {said[end:]}"
    return _FILLER.sub("", said).strip()


def _chosen(arguments: Arguments, words: str, zh: bool) -> Another | None:
    """Other minutes of the hour, or another while of a reminder that comes after one: "half an hour", "twenty" (of what it was: minutes)."""
    was_s, locale, was = arguments.get("in_s"), "zh" if zh else "en", arguments.get("at")
    if isinstance(was, str) and (at := _other_minute(words, was)) not in ("", was):
        return REMINDER, {**arguments, "at": at}
    if not isinstance(was_s, int):
        return None
    said = re.sub(r"^(?:再)?过|后$" if zh else r"^in ", "", words).strip()
    duration = find_duration(said, locale)
    if duration is not None and duration.words == said:
        in_s = round(duration.duration_s)
    elif (number := parse_number(said, locale)) is not None and number.words == said:
        in_s = round(number.value * (3600 if was_s % 3600 == 0 else 60 if was_s % 60 == 0 else 1))
    else:
        return None
    return (REMINDER, {**arguments, "in_s": in_s}) if 1 <= in_s <= MAX_S else None


def _again(at: str, day: str, now: datetime | None) -> At | None:
    """The hour that had passed, tomorrow."""
    return At(at, day) if now is None or due(at, day, now) is not None else None


# --- the work ----------------------------------------------------------------------------------------------------------


def begun(arguments: Mapping[str, object], locale: str) -> str:
    zh = locale.startswith("zh")
    return (
        f"好的，{sentences.said_when(arguments, zh)}提醒您。"
        if zh
        else f"Okay, I'll remind you {sentences.said_when(arguments, zh)}."
    )


def named(arguments: Mapping[str, object], locale: str) -> str:
    text = str(arguments.get("text", ""))
    return (
        f"“{sentences.yours(text, True)}”的提醒" if locale.startswith("zh") else f"the reminder “{sentences.yours(text, False)}”"
    )


@skill(
    REMINDER,
    description="Remind of something at a time of day or after a while.",
    group="timers",
    recognise=recognise,
    understand=understand,
    changes=Changes(chosen=_chosen),
    arguments_schema={
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "what of, in the user's words"},
            "in_s": {"type": "integer", "minimum": 1, "maximum": MAX_S, "description": "seconds from now, of a duration"},
            "at": {"type": "string", "description": "HH:MM, 24 hours, of a time of day"},
            "day": {"type": "string", "enum": [TODAY, TOMORROW]},
        },
        "required": ["text"],
        "additionalProperties": False,
    },
    examples={
        "en": ("Remind me to buy milk at six in the evening.", "In half an hour remind me to move the car."),
        "zh": ("下午三点提醒我开会。", "半小时后提醒我吃药。"),
    },
    timeout_ms=(MAX_S + 3600) * 1000,
    usual_ms=60_000,
    begins=begun,
    named=named,
    lasts_ms=lambda arguments: None,
)  # fmt: skip
async def set_reminder(call: Call) -> Spoken:
    zh, keeping = call.locale.startswith("zh"), call.reminders
    if keeping is None:
        return Spoken("这里不能保存提醒。" if zh else "I can't keep reminders here.", Outcome.REFUSED, "no_reminders")
    daytime = keeping.daytime
    kept = keeping.of(call.work_id)
    if kept is None:
        local = _due(call.arguments, daytime.now())
        if isinstance(local, str):
            return Spoken(sentences.past(local, zh) if local else sentences.when(zh), Outcome.ASKS, "when")
        if len(keeping.kept()) >= MAX_PER_DEVICE:
            return Spoken(sentences.full(MAX_PER_DEVICE, zh), Outcome.REFUSED, "full")
        kept = Reminder(call.work_id, call.arguments, daytime.epoch_s(local), call.request, call.locale, call.provenance)
        if not await keeping.keep(kept):
            return Spoken("这个提醒没能保存下来。" if zh else "I couldn't keep that reminder.", Outcome.FAILED, "not_kept")
    left_s = kept.due_s - daytime.epoch_s(daytime.now())
    if left_s > 0:
        await call.clock.sleep_ms(left_s * 1000)
        return Spoken(sentences.told(kept.text, zh))
    now = daytime.now()
    return Spoken(
        sentences.late(kept.text, daytime.local(kept.due_s), now, zh) if -left_s > LATE_S else sentences.told(kept.text, zh)
    )


def _due(arguments: Mapping[str, object], now: datetime) -> datetime | str:
    """When, or the time of today that has passed; "" where nothing says when."""
    in_s, at = arguments.get("in_s"), arguments.get("at")
    if isinstance(in_s, int):
        return now + timedelta(seconds=in_s)
    if not isinstance(at, str) or re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", at) is None:
        return ""
    return due(at, str(arguments.get("day", "")), now) or at


@skill(
    "reminder.list",
    description="What there is to be reminded of.",
    group="timers",
    recognise=lambda text, locale, context: Match("reminder.list", 0.97) if lists(text, locale) else None,
    understand=lambda meant: (Match("reminder.list", meant.share),),
    arguments_schema={"type": "object", "properties": {}, "additionalProperties": False},
    examples={"en": ("What are my reminders?", "List my reminders."), "zh": ("我有什么提醒？", "念一下我的提醒。")},
)
async def list_reminders(call: Call) -> Spoken:
    zh, keeping = call.locale.startswith("zh"), call.reminders
    if keeping is None:
        return Spoken("这里不能保存提醒。" if zh else "I can't keep reminders here.", Outcome.REFUSED, "no_reminders")
    now = keeping.daytime.now()
    return Spoken(sentences.listed([(one.text, keeping.daytime.local(one.due_s)) for one in keeping.kept()], now, zh))


SKILLS: tuple[Skill, ...] = (set_reminder, list_reminders)
