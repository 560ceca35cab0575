"""Words that end ahead of what they would have named do nothing by halves: what is lacking is asked for, and the answer completes it."""

from __future__ import annotations

import pytest

from ridealong.harness.router import AskBack, Calls
from ridealong.harness.skill import Outcome, Recent
from tests.unit.car_words import decide

pytestmark = pytest.mark.unit
MINE = "row1.driver"


@pytest.mark.parametrize(
    ("begun", "answer", "call"),
    [
        ("set the temperature to", "22", ("climate.set_temperature", {"target": 22.0, "zone": MINE})),
        ("turn the temperature down to", "19", ("climate.set_temperature", {"target": 19.0, "zone": MINE})),
        ("Set the fan to…", "forty", ("climate.set_fan", {"speed": 40})),
        ("open the window to", "half", ("windows.set_position", {"position": 50, "zone": MINE})),
        ("turn the volume up to, um", "30", ("media.set_volume", {"level": 30})),
        ("dim the lights to", "30 percent", ("lights.ambient", {"level": 30})),
        ("turn the temperature up by", "2", ("climate.change_temperature", {"delta": 2.0, "zone": MINE})),
        ("把风量调到", "四十", ("climate.set_fan", {"speed": 40})),
        ("风量调到百分之", "四十", ("climate.set_fan", {"speed": 40})),
        ("把窗户开到", "一半", ("windows.set_position", {"position": 50, "zone": MINE})),
        ("空调调到", "二十二度", ("climate.set_temperature", {"target": 22.0, "zone": MINE})),
        ("温度调成", "二十二", ("climate.set_temperature", {"target": 22.0, "zone": MINE})),
    ],
)
def test_the_value_that_is_lacking_is_asked_for_and_completes_the_request(
    begun: str, answer: str, call: tuple[str, dict[str, object]]
) -> None:
    asked = decide(begun)
    assert isinstance(asked, AskBack)
    assert asked.match is not None
    completed = decide(answer, Recent(asked.match.capability, asked.match.arguments, Outcome.ASKS, 3_000.0))
    assert isinstance(completed, Calls)
    assert [(match.capability, dict(match.arguments)) for match in completed.matches] == [call]


@pytest.mark.parametrize("begun", ["close my", "turn off the", "navigate me to the", "call my", "set my seat to"])
def test_what_was_wanted_is_asked_for_where_not_even_the_thing_was_named(begun: str) -> None:
    decision = decide(begun)
    assert isinstance(decision, AskBack)
    assert decision.question


def test_what_was_said_whole_before_it_is_done() -> None:
    decision = decide("open my window and set the fan to")
    assert isinstance(decision, Calls)
    assert [match.capability for match in decision.matches] == ["windows.set_position"]
    assert [also.decision for also in decision.also if isinstance(also.decision, AskBack)]


@pytest.mark.parametrize(
    ("whole", "skill"),
    [
        ("what is the temperature set to", "status.temperature_setting"),
        ("where are we going to", "status.destination"),
        ("take a note I have to go to the", "note.take"),
        ("remind me tomorrow at eight to go to the", "reminder.set"),
        ("turn it up", "media.change_volume"),
        ("the window, shut it", "windows.set_position"),
    ],
)
def test_whole_words_stay_what_they_are(whole: str, skill: str) -> None:
    decision = decide(whole)
    assert isinstance(decision, Calls)
    assert [match.capability for match in decision.matches] == [skill]
