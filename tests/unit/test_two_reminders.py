"""Two reminders in one sentence are two, each with its own time."""

import pytest

from ridealong.harness.two_reminders import each_alone
from tests.unit.test_found_by_a_stranger import calls

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("remind me at five to call mum and at six to feed the dog", [("call mum", "05:00"), ("feed the dog", "06:00")]),
        ("remind me to call mum at five and feed the dog at six", [("call mum", "05:00"), ("feed the dog", "06:00")]),
        (
            "remind me at five to call mum and remind me at six to feed the dog",
            [("call mum", "05:00"), ("feed the dog", "06:00")],
        ),
        ("提醒我五点接孩子，六点买菜", [("接孩子", "05:00"), ("买菜", "06:00")]),
        ("提醒我五点接孩子，提醒我六点买菜", [("接孩子", "05:00"), ("买菜", "06:00")]),
    ],
)
def test_each_has_its_time(text: str, wanted: list[tuple[str, str]]) -> None:
    assert [(one["text"], one["at"]) for _, one in calls(text)] == wanted


@pytest.mark.parametrize(
    "text",
    [
        "remind me at five and at six to take my pills",
        "remind me to call mum and dad at five",
        "remind me to buy milk and bread in an hour",
        "remind me tomorrow at nine to call the garage and ask about the tyres",
        "五点提醒我接孩子和买菜",
    ],
)
def test_one_stays_one(text: str) -> None:
    assert each_alone(text, "zh" if "提" in text else "en") == text
