"""What is done and goes on, called off: a destination, a stop on the way. A window that has been opened is nothing that could be cancelled."""

import pytest

from ridealong.harness.router import Calls, Decision, Nothing
from ridealong.harness.skill import Outcome, Recent
from tests.unit.car_words import decide

pytestmark = pytest.mark.unit

HOSPITAL = Recent("navigation.set_destination", {"place": "医院"}, Outcome.COMPLETED, 3000.0)
CAMBRIDGE = Recent("navigation.set_destination", {"place": "Cambridge"}, Outcome.COMPLETED, 3000.0)
FUEL = Recent("navigation.add_stop", {"place": "加油站"}, Outcome.COMPLETED, 3000.0)
WINDOW = Recent("windows.set_position", {"position": 100, "zone": "row1.driver"}, Outcome.COMPLETED, 3000.0)


def ends(decision: Decision) -> bool:
    return isinstance(decision, Calls) and [one.capability for one in decision.matches] == ["navigation.stop"]


@pytest.mark.parametrize(
    ("text", "recent"),
    [
        ("cancel", CAMBRIDGE),
        ("cancel that", CAMBRIDGE),
        ("actually, cancel that please", CAMBRIDGE),
        ("we're not going there after all", CAMBRIDGE),
        ("we're not going to Cambridge any more", CAMBRIDGE),
        ("cancel the route to Cambridge", CAMBRIDGE),
        ("let's not go there", CAMBRIDGE),
        ("取消", HOSPITAL),
        ("取消导航去医院", HOSPITAL),
        ("去医院的导航取消掉", HOSPITAL),
        ("算了不去了", HOSPITAL),
        ("我们不去医院了", HOSPITAL),
        ("不去加油站了", FUEL),
    ],
)
def test_a_guidance_is_ended(text: str, recent: Recent) -> None:
    assert ends(decide(text, recent))


@pytest.mark.parametrize(
    ("text", "recent"),
    [
        ("cancel that", WINDOW),
        ("取消", WINDOW),
        ("we're not going to London", CAMBRIDGE),
        ("我们不去超市了", HOSPITAL),
        ("stop", CAMBRIDGE),
        ("never mind", CAMBRIDGE),
        ("cancel that", CAMBRIDGE._replace(outcome=Outcome.FAILED)),
        ("cancel that", CAMBRIDGE._replace(asked_ms_ago=90_000.0)),
    ],
)
def test_nothing_else_is(text: str, recent: Recent) -> None:
    decision = decide(text, recent)
    assert not ends(decision) and not isinstance(decision, Calls)


def test_a_place_said_off_is_no_destination() -> None:
    assert decide("算了不去了", WINDOW) == Nothing("not_a_request")
