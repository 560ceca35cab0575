"""Requests as a recogniser wrote them in noise: near sounds are put back, and what is no request stays none."""

from __future__ import annotations

import pytest

from ridealong.cloud.frontends.cascade.written import without_stray_digit
from ridealong.harness.sound import repair
from tests.unit.understanding import brief, decide, recent

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("heard", "target"),
    [
        ("Set the cabin to 18 and I hope.", 18.5),
        ("Set the temperature to 22 and a calf.", 22.5),
        ("Make it twenty one and I have.", 21.5),
        ("Turn it to 19 in a half.", 19.5),
        ("Set the temperature to 20 and half.", 20.5),
        ("Turn the temperature to arm. 21.", 21.0),
        ("Turn the temperature to, um, twenty-one.", 21.0),
        ("Set the heating to, uh, 19.", 19.0),
        ("From the temperature 2, I'm 21.", 21.0),
        ("Turned the temperature to 23.", 23.0),
        ("Turn the temp to am 20.", 20.0),
    ],
)
def test_a_temperature_with_a_fraction_or_a_hesitation(heard: str, target: float) -> None:
    assert brief(decide(heard, "en")) == [("climate.set_temperature", {"target": target, "zone": "row1.driver"})]


@pytest.mark.parametrize("heard", ["Wait, I'm at 19.", "No, I met 19.", "Sorry, I mend nineteen.", "Actually, I meant nineteen."])
def test_a_correction_that_lost_its_verb(heard: str) -> None:
    before = recent("climate.set_temperature", target=18.0, zone="row1.driver")
    assert brief(decide(heard, "en", before)) == [("climate.set_temperature", {"target": 19.0, "zone": "row1.driver"})]


@pytest.mark.parametrize(
    ("heard", "capability"),
    [
        ("Or all the doors closed.", "status.doors"),
        ("All the doors closed.", "status.doors"),
        ("Or any windows open?", "status.windows"),
        ("His the trunk open?", "status.trunk"),
        ("A warm is it in the car.", "status.cabin_temperature"),
        ("Oh far can we still drive?", "status.range"),
        ("Our fast are we going?", "status.speed"),
        ("Watts the range?", "status.range"),
        ("Wear are we going?", "status.destination"),
        ("We have enough charge left.", "status.energy"),
        ("One of the tire pressures.", "status.tyres"),
        ("What our the tyre pressures?", "status.tyres"),
    ],
)
def test_a_question_whose_first_word_was_misheard(heard: str, capability: str) -> None:
    assert brief(decide(heard, "en"))[0][0] == capability


@pytest.mark.parametrize("heard", ["Hop the boot please.", "Top the trunk.", "Pub the trunk for me.", "Hop open the boot."])
def test_popping_the_boot(heard: str) -> None:
    assert brief(decide(heard, "en")) == [("trunk.open", {"confirmed": False})]


@pytest.mark.parametrize(
    ("heard", "position"),
    [
        ("Look in the front left window, about halfway.", 50),
        ("Up in the driver's window a third.", 33),
        ("Over my window a quarter.", 25),
    ],
)
def test_opening_a_window_by_an_amount(heard: str, position: int) -> None:
    assert brief(decide(heard, "en")) == [("windows.set_position", {"position": position, "zone": "row1.driver"})]


@pytest.mark.parametrize(
    ("heard", "expected"),
    [
        ("把温度降低两步", ("climate.change_temperature", {"delta": -2.0, "zone": "row1.driver"})),
        ("把温度调高三路", ("climate.change_temperature", {"delta": 3.0, "zone": "row1.driver"})),
        ("空调降低一步", ("climate.change_temperature", {"delta": -1.0, "zone": "row1.driver"})),
        ("车里太浓了。", ("climate.change_temperature", {"delta": 1.5, "zone": "row1.driver"})),
        ("待我去机场。", ("navigation.set_destination", {"place": "机场"})),
        ("待我去火车站。", ("navigation.set_destination", {"place": "火车站"})),
        ("代我们去医院", ("navigation.set_destination", {"place": "医院"})),
        ("导航去最近的家移站。", ("navigation.set_destination", {"place": "最近的加油站"})),
        ("导航到市中行。", ("navigation.set_destination", {"place": "市中心"})),
        ("还能太多远?", ("status.range", {})),
        ("车外多小度。", ("status.outside_temperature", {})),
        ("航压是多少?", ("status.tyres", {})),
        ("太雅正常吗?", ("status.tyres", {})),
        ("台亚怎么样？", ("status.tyres", {})),
        ("它要正常吗?", ("status.tyres", {})),
        ("酒点冷", ("climate.change_temperature", {"delta": 1.5, "zone": "row1.driver"})),
        ("有点冷", ("climate.change_temperature", {"delta": 1.5, "zone": "row1.driver"})),
        ("五点热", ("climate.change_temperature", {"delta": -1.5, "zone": "row1.driver"})),
        ("冷一点", ("climate.change_temperature", {"delta": -1.0, "zone": "row1.driver"})),
        ("再热点", ("climate.change_temperature", {"delta": 1.0, "zone": "row1.driver"})),
        ("复价使车窗滚上。", ("windows.set_position", {"position": 0, "zone": "row1.passenger"})),
        ("到航去不误怪", ("navigation.set_destination", {"place": "博物馆"})),
        ("空调涉的是多少度?", ("status.temperature_setting", {"zone": "row1.driver"})),
        ("朝一下不仅最快的充电站。", ("navigation.charging_search", {"prefer": "fastest"})),
        ("后备箱关好了码", ("status.trunk", {})),
        ("车窗关了嘛", ("status.windows", {"zone": "all"})),
        ("车门开着马？", ("status.doors", {"zone": "all"})),
        ("版温度调到二十度", ("climate.set_temperature", {"target": 20.0, "zone": "row1.driver"})),
    ],
)
def test_chinese_near_sounds(heard: str, expected: tuple[str, dict[str, object]]) -> None:
    assert brief(decide(heard, "zh")) == [expected]


@pytest.mark.parametrize(
    ("said", "zone", "position"),
    [
        ("请把副驾驶车窗全部打开", "row1.passenger", 100),
        ("左后车窗全部打开", "row2.driver", 100),
        ("把主驾驶的车窗全关上", "row1.driver", 0),
        ("把后排车窗都打开", "row2", 100),
        ("车窗全部打开", "all", 100),
        ("车窗都关上", "all", 0),
        ("把所有车窗都关上", "all", 0),
    ],
)
def test_all_of_one_window_is_not_all_windows(said: str, zone: str, position: int) -> None:
    assert brief(decide(said, "zh")) == [("windows.set_position", {"position": position, "zone": zone})]


@pytest.mark.parametrize(
    ("text", "locale"),
    [
        ("太好了", "zh"), ("太乱了", "zh"), ("他多年都是这样", "zh"), ("代我向你妈妈问好", "zh"), ("走了两步路", "zh"), ("他走了十步", "zh"),
        ("Look in the window, it's my sister.", "en"), ("Look in the back.", "en"), ("Half the time I never know.", "en"), ("Or the other way round.", "en"),
        ("All the doors in our house are blue.", "en"), ("I met 19 people there.", "en"), ("His mother closed the shop.", "en"), ("And start.", "en"), ("Start.", "en"),
    ],
)  # fmt: skip
def test_what_only_sounds_a_little_like_it_is_no_request(text: str, locale: str) -> None:
    decision = brief(decide(text, locale))
    assert isinstance(decision, str) and decision.startswith("nothing"), (decision, repair(text, locale))


@pytest.mark.parametrize(
    ("heard", "text"),
    [
        ("去机场4", "去机场"), ("温度调到二十三度半4", "温度调到二十三度半"), ("打开车窗7", "打开车窗"), ("还能开多远2", "还能开多远"),
        ("看一下胎压4把温度设为二十度", "看一下胎压，把温度设为二十度"), ("胎压多少1再调低两度", "胎压多少，再调低两度"), ("调到4再打开车窗", "调到4再打开车窗"),
        ("调到4", "调到4"), ("23度5", "23度5"), ("百分之5", "百分之5"), ("调到22", "调到22"), ("第3", "第3"), ("Set it to 4", "Set it to 4"),
    ],
)  # fmt: skip
def test_a_stray_digit_behind_chinese_goes(heard: str, text: str) -> None:
    assert without_stray_digit(heard) == text


@pytest.mark.parametrize(
    ("heard", "position", "zone"),
    [
        ("Open the front, right window 2 thirds.", 67, "row1.passenger"), ("Open the rear left window 1/3.", 33, "row2.driver"), ("Lower my window 3/4 of the way.", 75, "row1.driver"),
        ("Open the rear right window 1 third.", 33, "row2.passenger"), ("Open my window 3 quarters.", 75, "row1.driver"), ("Roll my window down 2-thirds.", 67, "row1.driver"),
        ("When the drivers window down a little.", 20, "row1.driver"), ("Wound the rear left window down halfway.", 50, "row2.driver"), ("Win my window up.", 0, "row1.driver"),
        ("Just crack my window open. Will you?", 10, "row1.driver"), ("Wind my window open, would you?", 100, "row1.driver"), ("Slide my window open?", 100, "row1.driver"),
    ],
)  # fmt: skip
def test_windows_by_fractions_in_digits_and_in_other_verbs(heard: str, position: int, zone: str) -> None:
    assert brief(decide(heard, "en")) == [("windows.set_position", {"position": position, "zone": zone})]


@pytest.mark.parametrize(
    "heard",
    [
        "They'll now make it 24.",
        "Know, make it 24.",
        "Don't know, make it 24.",
        "No no make it 24.",
        "Now make it 24.",
        "Oh no, make it 24.",
        "Now no, set it to 24.",
    ],
)
def test_a_correction_whose_no_was_misheard(heard: str) -> None:
    before = recent("climate.set_temperature", target=22.5, zone="row1.driver")
    assert brief(decide(heard, "en", before)) == [("climate.set_temperature", {"target": 24.0, "zone": "row1.driver"})]


@pytest.mark.parametrize("heard", ["And you open the boot for me.", "Kin you open the trunk?", "Con you pop the boot?"])
def test_can_you(heard: str) -> None:
    assert brief(decide(heard, "en")) == [("trunk.open", {"confirmed": False})]


@pytest.mark.parametrize(
    "heard", ["Do not make it 24.", "Don't make it 24.", "He told me to make it 24.", "They will make it 24."]
)
def test_a_negated_or_reported_sentence_is_no_correction(heard: str) -> None:
    before = recent("climate.set_temperature", target=22.5, zone="row1.driver")
    assert isinstance(brief(decide(heard, "en", before)), str)


@pytest.mark.parametrize("text", ["车里有点臭", "有点吵", "我有点饿", "有点晕"])
def test_another_feeling_is_no_misheard_cold(text: str) -> None:
    assert repair(text, "zh") in (None, text)
