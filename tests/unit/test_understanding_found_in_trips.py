"""What trips with real recogniser output taught: wrong directions, amounts that were guessed, sounds written as other words."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from ridealong.harness.router import AskBack, Calls, Router
from ridealong.harness.skill import Context, Provenance, SignalReading
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.signals import DRIVER_POSITION

pytestmark = pytest.mark.unit
ROUTER = Router(builtin_registry())


def read(path: str) -> SignalReading | None:
    if path == DRIVER_POSITION:
        return SignalReading(path, "LEFT", 100)
    return SignalReading(path, 21.5, 100) if path.endswith("Temperature") else None


def calls(text: str) -> list[tuple[str, Mapping[str, object]]]:
    locale = "zh" if any("\u4e00" <= char <= "\u9fff" for char in text) else "en"
    decision = ROUTER.decide(text, locale, Context(read=read), Provenance.DRIVER)
    assert isinstance(decision, Calls), (text, decision)
    return [(match.capability, match.arguments) for match in decision.matches]


@pytest.mark.parametrize(
    ("text", "delta"),
    [
        ("It's a bit hot, turn it down a bit", -1.0),
        ("It's too cold in here, make it warmer", 1.5),
        ("I'm freezing, turn the heat up two degrees", 2.0),
        ("We're boiling, a bit cooler please", -1.0),
        ("太热了，调低两度", -2.0),
        ("有点热调低一点。", -1.0),
        ("有点冷，调高一点", 1.0),
        ("热死了，温度低一点", -1.0),
        ("我有点热，把空调开大一点", -1.0),
        ("车里太冷了，温度高三度", 3.0),
    ],
)
def test_a_feeling_and_a_wish_are_one_change_in_the_wished_direction(text: str, delta: float) -> None:
    assert [(name, arguments["delta"]) for name, arguments in calls(text)] == [("climate.change_temperature", delta)]


@pytest.mark.parametrize(
    "text",
    [
        "Open the rear left window 2 tirds",
        "Open my window 4 inchs",
        "把右前车窗打开三分纸令",
        "把右前车窗打开几分只",
        "打开左后车窗 7 成半",
    ],
)
def test_an_amount_that_was_not_understood_is_asked_for_never_guessed(text: str) -> None:
    locale = "zh" if "窗" in text else "en"
    decision = ROUTER.decide(text, locale, Context(read=read), Provenance.DRIVER)
    guessed = isinstance(decision, Calls) and any(match.arguments.get("position") == 100 for match in decision.matches)
    assert not guessed, decision
    assert isinstance(decision, AskBack), decision


@pytest.mark.parametrize(
    "text", ["Open the rear left window", "Open all the windows", "打开左后车窗", "把车窗都打开", "请打开我的车窗"]
)
def test_no_amount_is_all_the_way(text: str) -> None:
    assert {arguments["position"] for _, arguments in calls(text)} == {100}


@pytest.mark.parametrize(
    ("text", "capability"),
    [
        ("导航的机场。", "navigation.set_destination"),
        ("导航倒火车站", "navigation.set_destination"),
        ("导航道最近的充电站", "navigation.set_destination"),
        ("还能太多远?", "status.range"),
        ("还能抬多远", "status.range"),
    ],
)
def test_short_words_written_by_sound(text: str, capability: str) -> None:
    assert calls(text)[0][0] == capability


def test_two_windows_in_one_sentence_stay_two_calls() -> None:
    assert len(calls("Open the front left window and close the rear right window")) == 2
