"""A timer in the background: the result is spoken when the time is up.

Waits on the session's clock. A timer does not outlive its session; does not know wall-clock time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ridealong.harness.reading import Reading
from ridealong.harness.skill import Call, Context, Match, Outcome, Skill, Spoken, skill
from ridealong.harness.slots.duration import duration_words, find_duration

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
