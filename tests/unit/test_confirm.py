"""The rules by which a sensor's value counts as done."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ridealong.device.vehicle.confirm import Goal, begin, distance, done, goal_of, near, observe, shortfall
from ridealong.proto.types import SignalValue, SignalWrite
from ridealong.vehicle_skills import signals as vss

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("target", "value", "tolerance", "reached"),
    [
        (22.5, 22.5, 0, True),
        (22.5, 22.2, 0.3, True),
        (22.5, 22.1, 0.3, False),
        (50, 53, 3, True),
        (50, 54, 3, False),
        (True, True, 0, True),
        (True, 1, 1, False),
        (1, True, 1, False),
        ("OPEN", "open", 0, False),
        (0.0, None, 9, False),
        (0.0, math.nan, 9, False),
        ("1", 1, 9, False),
    ],
)
def test_near(target: SignalValue, value: SignalValue | None, tolerance: float, reached: bool) -> None:
    assert near(target, value, tolerance) is reached


def test_a_sunroof_switch_is_confirmed_by_the_position() -> None:
    goal = goal_of(SignalWrite(vss.SUNROOF_SWITCH, "ONE_SHOT_OPEN"))
    assert (goal.path, goal.target) == (vss.SUNROOF_POSITION, 100)
    assert goal_of(SignalWrite(vss.SUNROOF_SWITCH, "INACTIVE")).path == vss.SUNROOF_SWITCH


def test_already_there_counts_and_unknown_undoes() -> None:
    goal = begin(Goal("p", 22.5, 0.3), 22.5, 0)
    assert done([goal], 0)
    assert not done([observe(goal, None, 10)], 10)
    assert not done([], 0)


@pytest.mark.parametrize(
    ("before", "seen", "at_ms", "reason"),
    [
        (0, [], 5_000, "no_change"),
        (None, [], 5_000, "no_value"),
        (0, [(100, 1_000)], 5_000, ""),
        (20, [(10, 1_000), (0, 2_000)], 5_000, "moved_away"),
        (0, [(60, 1_000)], 5_000, "stopped_short"),
        (0, [(60, 4_900)], 5_000, "still_moving"),
    ],
)
def test_shortfall(before: int | None, seen: list[tuple[int, float]], at_ms: float, reason: str) -> None:
    goal = begin(Goal("p", 100, 3, 300), before, 0)
    for value, when in seen:
        goal = observe(goal, value, when)
    assert shortfall(goal, at_ms) == reason


def test_shortfall_of_words() -> None:
    assert shortfall(begin(Goal("p", "DOWN"), "UP", 0), 9) == "no_change"
    assert shortfall(observe(begin(Goal("p", "DOWN"), "UP", 0), "MIDDLE", 5), 9) == "other_value"
    assert shortfall(observe(begin(Goal("p", True), None, 0), False, 5), 9) == "other_value"


@given(st.floats(allow_nan=True), st.floats(allow_nan=True), st.floats(0, 5))
def test_near_is_symmetric_and_never_true_for_nan(one: float, other: float, tolerance: float) -> None:
    assert near(one, other, tolerance) == near(other, one, tolerance)
    if math.isnan(one) or math.isnan(other):
        assert distance(one, other) is None
