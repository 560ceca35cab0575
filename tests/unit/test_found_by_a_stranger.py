"""What somebody who only talked to it found it doing wrongly (1 December): each with what is right."""

import pytest

from ridealong.harness.router import AskBack, Calls, ChitChat, Decision
from ridealong.harness.skill import Outcome, Recent
from tests.unit.car_words import decide

pytestmark = pytest.mark.unit


def after(*turns: str) -> Decision:
    recent: tuple[Recent, ...] = ()
    decision: Decision = ChitChat("general")
    for turn in turns:
        decision = decide(turn, *recent)
        made = decision.matches if isinstance(decision, Calls) else ()
        recent = (*(Recent(one.capability, one.arguments, Outcome.COMPLETED, 3000.0) for one in made), *recent)
    return decision


def calls(*turns: str) -> list[tuple[str, dict[str, object]]]:
    decision = after(*turns)
    assert isinstance(decision, Calls), (turns, decision)
    return [(one.capability, dict(one.arguments)) for one in decision.matches]


@pytest.mark.parametrize(
    "before", ["开窗一半", "我有点冷", "前挡风玻璃起雾了看不清", "座椅加热打开", "风量50", "雨刮打开", "氛围灯打开"]
)
@pytest.mark.parametrize("lights", ["关掉大灯", "开大灯", "把大灯打开"])
def test_headlights_are_nothing_else(before: str, lights: str) -> None:
    assert not isinstance(after(before, lights), Calls)


def windows(*asked: tuple[str, int]) -> list[tuple[str, dict[str, object]]]:
    return [("windows.set_position", {"position": position, "zone": zone}) for zone, position in asked]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("左前打开，右前关上", [("row1.driver", 100), ("row1.passenger", 0)]),
        ("后排窗打开，前排关上", [("row2", 100), ("row1", 0)]),
        ("左前窗关上，右前窗打开", [("row1.driver", 0), ("row1.passenger", 100)]),
        ("左前关上，右后打开", [("row1.driver", 0), ("row2.passenger", 100)]),
        ("put the passenger's window down and mine up", [("row1.passenger", 100), ("row1.driver", 0)]),
    ],
)
def test_one_is_opened_and_the_other_closed(text: str, wanted: list[tuple[str, int]]) -> None:
    assert calls(text) == windows(*wanted)


@pytest.mark.parametrize(
    ("text", "front"),
    [
        ("set it to 20 in the front and 23 in the back", 20.0),
        ("20 up front and 24 in the rear", 20.0),
        ("前面二十度，后面二十三度", 20.0),
    ],
)
def test_the_front_is_set_and_the_rear_has_no_temperature_of_its_own(text: str, front: float) -> None:
    decision = decide(text)
    assert isinstance(decision, Calls)
    assert [dict(one.arguments) for one in decision.matches] == [{"target": front, "zone": "row1"}]
    assert [type(other.decision) for other in decision.also] == [AskBack]


def test_louder_behind_softer_is_louder() -> None:
    assert calls("声音大点", "小点", "大点") == [("media.change_volume", {"delta": 10})]
    assert calls("声音大点", "小点") == [("media.change_volume", {"delta": -10})]
    assert calls("主驾车窗开一半", "小一点", "大一点") == [("windows.move", {"zone": "row1.driver", "delta": 20})]


@pytest.mark.parametrize("turns", [("mute", "turn it back on"), ("mute", "turn it on"), ("静音", "打开吧"), ("静音", "取消静音")])
def test_what_is_on_again_is_the_sound(turns: tuple[str, str]) -> None:
    assert calls(*turns) == [("media.mute", {"on": False})]


def test_a_mate_who_is_spoken_to_is_no_place_and_she_is_one() -> None:
    assert calls("it's boiling in here, mate")[0][1]["zone"] == "row1.driver"
    assert calls("my mate is cold")[0][1]["zone"] == "row1.passenger"
    assert calls("she's too hot")[0][1]["zone"] == "row1.passenger"


def test_another_thing_is_meant_alone() -> None:
    assert calls("open the window, I mean the sunroof") == [("sunroof.set", {"to": "open"})]
    assert calls("打开车窗，不对，天窗") == [("sunroof.set", {"to": "open"})]
    assert calls("open the window, no, the boot, please")[0][0] == "trunk.open"
