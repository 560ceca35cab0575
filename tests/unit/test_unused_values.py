"""Field reports, section H: a value that was said is set, or asked about; no default, step or extreme ever stands in for it.

By the product's own router, grammar and tagger together, down to what the car is told.
"""

import pytest

from ridealong.harness.router import Calls
from ridealong.harness.skill import Outcome, Recent

from .car_words import acts, decide, say

pytestmark = pytest.mark.unit

IMPOSSIBLE = (
    "set the temperature to minus five",
    "set it to minus five degrees",
    "make it minus five degrees",
    "cool it to negative ten",
    "turn it down to minus two",
    "set the temperature to -5",
    "set the temperature to 100 degrees",
    "heat it up to fifty",
    "warm it up to 45 degrees",
    "make it 5 degrees in here",
    "set the temperature to two degrees",
    "turn the temperature down to three",
    "turn the temperature up to 60",
    "set the temperature to zero",
    "make it zero degrees",
    "set my side to 99",
    "set the temperature to infinity",
    "set the temperature to none",
    "set the temperature to null",
    "set the temperature to NaN",
    "set the temperature to undefined",
    "set the heating to a million degrees",
    "turn it up by 40 degrees",
    "make it 40 degrees cooler",
    "turn the heat down by fifty degrees",
    "twenty degrees warmer",
    "minus five degrees warmer",
    "open the window 150 percent",
    "open my window 120%",
    "open the window -10%",
    "open the window minus ten percent",
    "open the window to 200 percent",
    "close the window 150 percent",
    "set the window to minus five",
    "open the window to infinity",
    "close the window by minus ten percent",
    "lower the window 300 percent",
    "open the windows a hundred and ten percent",
    "open the window another 150 percent",
    "put the passenger window at 500",
    "set the fan to minus one",
    "set the fan to 150 percent",
    "turn the fan up to 200 percent",
    "set the fan to negative ten percent",
    "turn the fan down to minus five",
    "set the fan to infinity",
    "set the fan to none",
    "fan to a thousand",
    "set the fan to 120",
    "温度调到一百度",
    "温度调到两度",
    "温度调到零下五度",
    "空调调到零度",
    "空调开到五十度",
    "温度调高到六十度",
    "温度降到三度",
    "把温度降到零下十度",
    "温度调到负五度",
    "温度设为无穷大",
    "温度调到空",
    "温度调到一千度",
    "温度调高四十度",
    "温度降低三十度",
    "制冷开到零下五度",
    "给我热到八十度",
    "窗户开百分之一百五十",
    "车窗打开百分之二百",
    "窗户开到负百分之十",
    "窗户开百分之负十",
    "窗户开-10%",
    "窗户开150%",
    "把窗关到百分之一百二",
    "车窗再开百分之三百",
    "风量调到百分之两百",
    "风量调到负一",
    "风量调到零下五",
    "风速开到百分之一百二十",
    "风量设为150",
    "风扇调到一千",
    "风量调到无穷大",
)
DRIVER = "Vehicle.Cabin.HVAC.Station.Row1.Driver.Temperature"
FAN = "Vehicle.Cabin.HVAC.Station.Row1.Driver.FanSpeed"
WINDOW = "Vehicle.Cabin.Door.Row1.DriverSide.Window.Position"


@pytest.mark.parametrize("text", IMPOSSIBLE)
def test_a_value_that_can_not_be_had_sets_nothing(text: str) -> None:
    told, _ = say(text)
    assert told == []
    assert not isinstance(decide(text), Calls) or acts(decide(text)) == []


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("set the temperature to minus five", "I can set 14 to 30 degrees. Which would you like?"),
        ("make it two degrees", "I can set 14 to 30 degrees. Which would you like?"),
        ("set the temperature to infinity", "I can set 14 to 30 degrees. Which would you like?"),
        ("turn it up by 40 degrees", "I can change it by up to ten degrees. By how many?"),
        ("close the window 150 percent", "I can open it 0 to 100 percent. How far would you like it?"),
        ("turn the fan up to 200 percent", "I can set the fan 0 to 100 percent. How many percent?"),
        ("温度调到两度", "我只能设到14到30度之间，您要多少度？"),
        ("温度调到一百度", "我只能设到14到30度之间，您要多少度？"),
    ],
)
def test_what_is_asked_says_the_range(text: str, asks: str) -> None:
    assert say(text) == ([], asks)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("set the temperature to 22 for the 2 of us", (DRIVER, 22.0)),
        ("it's only 15 in here, warm it up", (DRIVER, 21.5)),
        ("make it 2 degrees warmer", (DRIVER, 22.0)),
        ("whack the heating up to max", (DRIVER, 30.0)),
        ("set the temperature to as cold as it'll go", (DRIVER, 14.0)),
        ("set it to 72 fahrenheit", (DRIVER, 22.0)),
        ("turn it down 2 degrees", (DRIVER, 18.0)),
        ("cool it to 18", (DRIVER, 18.0)),
        ("half a degree more", (DRIVER, 20.5)),
        ("温度调到最低", (DRIVER, 14.0)),
        ("温度调到十八度", (DRIVER, 18.0)),
        ("调高两度", (DRIVER, 22.0)),
        ("降三度", (DRIVER, 17.0)),
        ("open the 2 front windows", (WINDOW, 100)),
        ("open all 4 windows", (WINDOW, 100)),
        ("open the window two thirds", (WINDOW, 67)),
        ("open the window 30 percent", (WINDOW, 30)),
        ("窗户开百分之三十", (WINDOW, 30)),
        ("窗户开三成", (WINDOW, 30)),
        ("set the fan to 60 percent", (FAN, 60)),
        ("fan seven out of ten", (FAN, 70)),
        ("fan up two notches", (FAN, 80)),
        ("风量六十", (FAN, 60)),
    ],
)
def test_a_value_that_can_be_had_is_set(text: str, told: tuple[str, object]) -> None:
    assert told in say(text)[0]


@pytest.mark.parametrize("capability", ["timer.set", "windows.move", "climate.change_temperature"])
@pytest.mark.parametrize("text", ["the second one", "the second", "the first one", "the third one", "第二个", "第一个"])
def test_a_place_in_a_list_is_no_amount_where_nothing_was_asked(capability: str, text: str) -> None:
    arguments: dict[str, object] = {"timer.set": {"duration_s": 600}}.get(capability, {"delta": 5, "zone": "row1.driver"})  # type: ignore[assignment]
    assert not isinstance(decide(text, Recent(capability, arguments, Outcome.COMPLETED, 30_000)), Calls)


@pytest.mark.parametrize("text", ["one more", "再来一个"])
def test_another_one_is_no_timer_of_a_minute(text: str) -> None:
    assert not isinstance(decide(text, Recent("timer.set", {"duration_s": 600}, Outcome.COMPLETED, 5_000)), Calls)


def test_a_timer_is_still_made_longer_by_a_number() -> None:
    decision = decide("make that twelve", Recent("timer.set", {"duration_s": 600}, Outcome.COMPLETED, 5_000))
    assert isinstance(decision, Calls) and decision.matches[0].arguments == {"duration_s": 720}
