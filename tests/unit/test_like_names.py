"""A thing whose name has another's in it is not taken for that other: the sunroof is no window, a child lock no door lock."""

from __future__ import annotations

import pytest

from ridealong.proto.types import SignalReading, SignalValue
from ridealong.vehicle_skills.cabin_signals import WIPERS
from ridealong.vehicle_skills.car import Read
from ridealong.vehicle_skills.like_names import named_otherwise
from ridealong.vehicle_skills.signals import SUNROOF_POSITION, WINDOW_CHILD_LOCK, child_lock
from ridealong.vehicle_skills.status.fittings import child_locks, sunroof, wiping
from tests.unit.car_words import say

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Is the sunroof open?", "The sunroof is closed."),
        ("Did I leave the sunroof open?", "The sunroof is closed."),
        ("天窗开着吗？", "天窗关着。"),
        ("Are the wipers on?", "The wipers are off."),
        ("雨刮现在几档？", "雨刮关着。"),
        ("Are the windows open?", "All windows are closed."),
        ("车窗关了吗？", "全部车窗都关着。"),
        ("Is my seat heating on?", "The front seats are neither heated nor cooled."),
        ("Are the doors locked?", "The doors are not locked."),
    ],
)
def test_what_is_asked_about_is_what_is_answered(asked: str, said: str) -> None:
    assert say(asked) == ([], said)


@pytest.mark.parametrize("asked", ["Is the child lock on?", "儿童锁开着吗？", "Is the blind shut?", "遮阳帘关了吗？"])
def test_no_answer_is_of_the_doors_or_of_the_windows_where_only_the_like_is_named(asked: str) -> None:
    writes, said = say(asked)
    assert not writes
    assert not any(words in said for words in ("doors are", "All windows", "车门都", "车窗都"))


@pytest.mark.parametrize(
    "asked",
    ["Turn on the child lock.", "Turn on the child lock of the rear doors.", "锁上儿童锁。", "打开儿童锁。", "Lock the windows."],
)
def test_a_child_lock_is_nobodys_to_set_and_the_doors_are_not_meant(asked: str) -> None:
    writes, said = say(asked)
    assert not writes
    assert "door" not in said
    assert "车门" not in said


def reads(values: dict[str, SignalValue]) -> Read:
    return lambda path: SignalReading(path, values[path]) if path in values else None


def test_every_state_is_said_from_the_readings() -> None:
    left, right = child_lock("Row2", "DriverSide"), child_lock("Row2", "PassengerSide")
    assert child_locks(reads({left: True, right: True}), "en") == "The child locks of the rear doors are on."
    assert child_locks(reads({left: True, right: False, WINDOW_CHILD_LOCK: True}), "en").count(" on") == 2
    assert child_locks(reads({left: True}), "zh").endswith("没有读数。")
    assert child_locks(reads({}), "en") == "I have no reading of the child locks."
    assert sunroof(reads({SUNROOF_POSITION: -100}), "en") == "The sunroof is tilted."
    assert sunroof(reads({}), "zh") == "我没有天窗的读数。"
    assert wiping(reads({WIPERS: "FAST"}), "en") == "The wipers are on fast."
    assert wiping(reads({}), "en") == "I have no reading of the wipers."


@pytest.mark.parametrize(
    ("form", "zh", "pattern", "otherwise"),
    [
        ("is the sun roof open", False, "windows?", True),
        ("are the windows and the sunroof open", False, "windows?", False),
        ("天窗开着吗", True, "车?窗户?", True),
        ("车窗和天窗都关了吗", True, "车?窗户?", False),
        ("how far can we still go", False, "range", False),
    ],
)
def test_named_otherwise(form: str, zh: bool, pattern: str, otherwise: bool) -> None:
    assert named_otherwise(form, zh, "windows", pattern) is otherwise
