"""An alarm for a time of day is a reminder whose text is asked for; an alarm for a span stays a timer; who is to be woken is woken."""

from __future__ import annotations

import pytest

from ridealong.harness.router import AskBack, Calls
from ridealong.harness.skill import Outcome, Recent
from tests.unit.car_words import decide

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("asked", "answers", "call"),
    [
        ("set an alarm for 7 am", ["feed the cat"], {"text": "feed the cat", "at": "07:00"}),
        ("set the alarm for 7, no, 8", ["feed the cat"], {"text": "feed the cat", "at": "08:00"}),
        ("set an alarm for 7", ["no, 8", "feed the cat"], {"text": "feed the cat", "at": "08:00"}),
        ("设个七点的闹钟", ["吃药"], {"text": "吃药", "at": "07:00"}),
        ("设个七点的闹钟", ["不对，八点", "吃药"], {"text": "吃药", "at": "08:00"}),
    ],
)
def test_an_alarm_for_a_time_of_day_is_a_reminder_of_what_is_asked(
    asked: str, answers: list[str], call: dict[str, object]
) -> None:
    recent: tuple[Recent, ...] = ()
    for turn in [asked, *answers[:-1]]:
        decision = decide(turn, *recent)
        assert isinstance(decision, AskBack)
        assert decision.match is not None
        assert decision.match.capability == "reminder.set"
        recent = (Recent(decision.match.capability, decision.match.arguments, Outcome.ASKS, 3_000.0), *recent)
    done = decide(answers[-1], *recent)
    assert isinstance(done, Calls)
    assert [(match.capability, dict(match.arguments)) for match in done.matches] == [("reminder.set", call)]


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("set an alarm in ten minutes", "timer.set", {"duration_s": 600}),
        ("设一个十分钟的闹钟", "timer.set", {"duration_s": 600}),
        ("wake me up in 20 minutes", "reminder.set", {"text": "wake up", "in_s": 1200}),
        ("七点叫我起床", "reminder.set", {"text": "起床", "at": "07:00"}),
    ],
)
def test_a_span_is_a_timer_and_who_is_to_be_woken_is_reminded_of_that(text: str, name: str, arguments: dict[str, object]) -> None:
    decision = decide(text)
    assert isinstance(decision, Calls)
    assert [(match.capability, dict(match.arguments)) for match in decision.matches] == [(name, arguments)]


@pytest.mark.parametrize(
    "text",
    [
        "turn off the alarm",
        "关了明早的闹钟",
        "the fire alarm went off at seven",
        "don't wake me up at seven",
        "我的闹钟天天六点响",
    ],
)
def test_who_asks_for_no_alarm_gets_none(text: str) -> None:
    assert not isinstance(decide(text), Calls | AskBack)
