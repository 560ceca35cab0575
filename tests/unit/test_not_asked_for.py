"""Nothing is done that was not asked for: for words about driving, for "all of it" of nothing named, at a speed that nobody said."""

from __future__ import annotations

import pytest

from ridealong.harness.router import AskBack, Calls
from ridealong.harness.skill import Outcome, Recent
from tests.unit.car_words import acts, decide, say

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "words",
    [
        "stop the car", "stop here", "park the car", "slow down", "slow it down a bit", "go slower please", "speed up", "pull over here",
        "靠边停", "停车", "慢点", "开慢点", "减速", "加速", "快点开", "倒车",
    ],
)  # fmt: skip
def test_words_for_the_driver_change_nothing(words: str) -> None:
    writes, _ = say(words)
    assert not writes
    assert not acts(decide(words))


@pytest.mark.parametrize(
    ("words", "skill"),
    [
        ("stop the music", "media.transport"),
        ("turn it down a bit, the music", "media.change_volume"),
        ("音乐小声点", "media.change_volume"),
    ],
)
def test_words_for_the_music_still_do(words: str, skill: str) -> None:
    assert acts(decide(words)) == [skill]


@pytest.mark.parametrize("words", ["都打开", "全部关掉", "帮我全都打开吧", "open everything"])
def test_all_of_nothing_named_is_asked_about(words: str) -> None:
    assert isinstance(decide(words), AskBack)


def test_after_a_window_all_of_them_are_windows() -> None:
    window = Recent("windows.set_position", {"position": 100, "zone": "row1.driver"}, Outcome.COMPLETED, 3_000.0)
    decision = decide("全部关上", window)
    assert isinstance(decision, Calls)
    assert [dict(match.arguments) for match in decision.matches] == [{"position": 0, "zone": "all"}]


@pytest.mark.parametrize(
    "words", ["put the fan on low", "set the fan to the lowest setting", "风扇开到最低", "风量调到低", "turn the fan to low"]
)
def test_a_fan_on_low_does_not_blow(words: str) -> None:
    decision = decide(words)
    assert isinstance(decision, Calls)
    assert [dict(match.arguments) for match in decision.matches] == [{"speed": 20}]


@pytest.mark.parametrize("words", ["set the fan", "set the fan speed", "fan on medium", "风量中档"])
def test_a_fan_of_which_no_speed_is_said_is_asked_about(words: str) -> None:
    assert isinstance(decide(words), AskBack)
