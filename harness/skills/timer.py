"""A timer in the background: the result is spoken when the time is up.

Waits on the session's clock. A timer does not outlive its session; does not know wall-clock time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ridealong.harness.meant import FRAGMENT, Meant
from ridealong.harness.reading import Reading
from ridealong.harness.skill import Call, Context, Match, Outcome, Skill, Spoken, skill
from ridealong.harness.slots.duration import Duration, duration_words, find_duration
from ridealong.harness.slots.number import find_numbers

MAX_S = 4 * 3600


def recognise(text: str, locale: str, context: Context) -> Match | None:
    reading = Reading(text, locale)
    if reading.frame.question:
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


def understand(meant: Meant) -> tuple[Match, ...]:
    """A timer for each duration that is named."""
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


def _durations(meant: Meant) -> list[Duration]:
    """All, in order; a number alone has the unit of the one before it: "one for five minutes, one for twenty"."""
    form, found = meant.form, []
    while (duration := find_duration(form, meant.locale)) is not None:
        found.append(duration)
        form = form[duration.span[1] :].strip()
    if not found or not re.search(r"\b(?:timers|two|three)\b|俩|两个|三个", meant.form):
        return found
    for number in find_numbers(form, meant.locale):
        unit = next(
            (size for word, size in (("hour", 3600), ("second", 1), ("小时", 3600), ("秒", 1)) if word in found[-1].words), 60
        )
        if number.value > 1 and not number.ordinal:
            found.append(Duration(number.value * unit, form[number.span[0] : number.span[1]], number.span))
    return found


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
