"""Words whose thing we don't have, or have twice: they must not act on a thing beside it."""

from __future__ import annotations

import pytest
from car_words import acts, decide

from ridealong.harness.no_wish import then_a_place
from ridealong.harness.router import AskBack, Calls, ChitChat
from ridealong.harness.tagged import Stretch
from ridealong.harness.tagged_reading import apart

pytestmark = pytest.mark.unit

OFF, MOST, LOW = ({"level": level} for level in (0, 100, 33))
DRIVER, PASSENGER = "row1.driver", "row1.passenger"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("turn the seat heating off on the left and to max on the right", [{**OFF, "zone": DRIVER}, {**MOST, "zone": PASSENGER}]),
        ("左边座椅加热关掉，右边开到最高", [{**OFF, "zone": DRIVER}, {**MOST, "zone": PASSENGER}]),
        ("turn my seat heating off and hers up", [{**OFF, "zone": DRIVER}, {"delta": 33, "zone": PASSENGER}]),
        ("turn the seat cooling off on the left and to max on the right", [{**OFF, "zone": DRIVER}, {"level": -100, "zone": PASSENGER}]),
        ("turn my seat heater to high and hers to low", [{**MOST, "zone": DRIVER}, {**LOW, "zone": PASSENGER}]),
        ("副驾座椅加热开到最高，我的关掉", [{**MOST, "zone": PASSENGER}, {**OFF, "zone": DRIVER}]),
        ("turn the left seat heating off and the right one on", [{**OFF, "zone": DRIVER}, {"level": 66, "zone": PASSENGER}]),
        ("左边座椅加热关掉，右边打开", [{**OFF, "zone": DRIVER}, {"level": 66, "zone": PASSENGER}]),
        ("both seat heaters to max", [{**MOST, "zone": "row1"}]),
    ],
)  # fmt: skip
def test_each_seat_has_its_own_warmth(text: str, wanted: list[dict[str, object]]) -> None:
    decision = decide(text)
    assert isinstance(decision, Calls) and [dict(match.arguments) for match in decision.matches] == wanted
    assert all(match.capability.startswith("seats.") for match in decision.matches)


def test_off_is_no_step_of_another_thing() -> None:
    decision = decide("副驾温度调高，我的关掉")
    assert isinstance(decision, Calls) and [match.arguments.get("zone") for match in decision.matches] == [PASSENGER]


def test_what_comes_behind_a_place_of_the_seat_is_its_own() -> None:
    decision = decide("左边座椅加热关掉，右边开到最高，打开车窗")
    assert acts(decision) == ["seats.set_heating", "seats.set_heating", "windows.set_position"]
    assert isinstance(decision, Calls) and decision.matches[1].arguments == {**MOST, "zone": PASSENGER}


@pytest.mark.parametrize("text", ["hers up", "to max on the right", "and the passenger's to low", "右边开到最高", "我的关掉"])
def test_a_place_and_how_much(text: str) -> None:
    assert then_a_place(text, "en")


@pytest.mark.parametrize("text", ["up", "to max", "hers", "open hers", "the fan up", "打开车窗", "开到最高"])
def test_no_place_or_more_than_that(text: str) -> None:
    assert not then_a_place(text, "en")


def test_a_place_before_a_pause_is_cut_off() -> None:
    words = "右边开到最高，打开车窗"
    first, second = Stretch("a", "座椅关掉，", (0, 5), 0.9), Stretch("b", words, (5, 5 + len(words)), 0.9)
    cut = list(apart((first, second), "zh"))
    assert [one.text for one in cut] == ["座椅关掉，", "右边开到最高", "打开车窗"]
    assert [one.span for one in cut] == [(0, 5), (5, 12), (12, 16)]


@pytest.mark.parametrize("text", ["mute the navigation", "mute the sat nav", "silence the gps", "mute yourself", "导航静音"])
def test_what_is_to_be_still_is_neither_music_nor_the_end(text: str) -> None:
    assert decide(text) == ChitChat("unsupported")


@pytest.mark.parametrize(
    ("text", "capability"),
    [
        ("mute", "media.mute"), ("mute the music", "media.mute"), ("静音", "media.mute"), ("can you mute it", "media.mute"),
        ("stop the navigation", "navigation.stop"), ("cancel the route", "navigation.stop"), ("不用导航了", "navigation.stop"),
    ],
)  # fmt: skip
def test_the_music_and_the_end_of_guidance_by_their_own_words(text: str, capability: str) -> None:
    assert acts(decide(text)) == [capability]


@pytest.mark.parametrize(
    "text", ["wipe the windscreen once", "wipe once", "wipe the windscreen twice", "雨刮刮一下", "刮两下雨刮"]
)
def test_a_wipe_or_two_is_not_for_good(text: str) -> None:
    assert isinstance(decision := decide(text), AskBack) and decision.match is not None and not decision.match.arguments


@pytest.mark.parametrize("text", ["wipe the windscreen", "turn on the wipers", "雨刮开一下", "打开雨刮"])
def test_wipers_on_for_good(text: str) -> None:
    assert acts(decide(text)) == ["wipers.set"] and isinstance(decide(text), Calls)


@pytest.mark.parametrize(
    "text",
    [
        "close the sunroof except for a gap", "close the sunroof all but a little", "close the sunroof halfway", "天窗关一半",
        "天窗关上留条缝", "close the sunroof but leave a crack", "open the sunroof halfway",
    ],
)  # fmt: skip
def test_a_place_in_between_is_asked_about(text: str) -> None:
    assert isinstance(decision := decide(text), AskBack) and decision.match is not None and not decision.match.arguments


@pytest.mark.parametrize("text", ["close the sunroof", "close the sunroof it's a bit cold", "关上天窗", "天窗关一下"])
def test_wholly_closed(text: str) -> None:
    decision = decide(text)
    assert isinstance(decision, Calls) and [match.arguments for match in decision.matches] == [{"to": "closed"}]


@pytest.mark.parametrize(
    "text",
    [
        "关掉大灯", "关掉警告灯", "the light on the dashboard, turn it off", "turn off the hazard lights", "turn off the warning light",
        "headlights on", "打开雾灯", "turn off the lights outside",
    ],
)  # fmt: skip
def test_a_lamp_that_is_not_there_is_no_cabin_light(text: str) -> None:
    assert decide(text) == ChitChat("unsupported")


@pytest.mark.parametrize(
    "text", ["turn off the lights", "cabin light off", "关掉车内灯", "turn off the fog lights and the cabin light"]
)
def test_the_cabin_light(text: str) -> None:
    assert acts(decide(text)) == ["lights.cabin"]
