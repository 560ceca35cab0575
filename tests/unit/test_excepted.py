"""What is only an exception is not touched, whoever else is meant; and what is no exception is."""

from __future__ import annotations

import pytest

from ridealong.harness.router import AskBack, Calls
from tests.unit.car_words import acts, decide

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "text",
    ["everything but the sunroof open", "open everything except the sunroof", "turn everything off but the radio", "turn off all the lights except the ambient lights", "除了天窗都打开", "除了收音机都关掉", "除了空调，其他的都关掉"],
)  # fmt: skip
def test_the_exception_alone_is_not_what_is_done(text: str) -> None:
    decision = decide(text)
    assert isinstance(decision, AskBack) and acts(decision) == []


@pytest.mark.parametrize(
    ("text", "done"),
    [
        ("open the windows except mine and the sunroof", {"windows.set_position"}),
        ("除了天窗以外的窗户都打开", {"windows.set_position"}),
        ("除了我的窗户都打开", {"windows.set_position"}),
        ("open all windows but the driver's", {"windows.set_position"}),
        ("把除雾和天窗都打开", {"climate.switch", "sunroof.set"}),
        ("open the sunroof, but not too far", {"sunroof.set"}),
        ("open the sunroof and nothing else", {"sunroof.set"}),
    ],
)
def test_the_rest_is_done(text: str, done: set[str]) -> None:
    assert set(acts(decide(text))) == done


@pytest.mark.parametrize(
    "text", ["将所有座椅加热关掉，除了我的", "turn off all the seat heating except mine", "除了我的座椅，其他座椅加热都关掉"]
)
def test_a_seat_that_is_left_out_is_in_no_call(text: str) -> None:
    decision = decide(text)
    assert isinstance(decision, Calls) and [one.arguments["zone"] for one in decision.matches] == ["row1.passenger"]


def test_what_is_bought_is_no_thing_of_the_car() -> None:
    decision = decide("remind me to buy everything except the AC filter at six")
    assert isinstance(decision, Calls) and [one.capability for one in decision.matches] == ["reminder.set"]
