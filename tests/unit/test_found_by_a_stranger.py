"""What somebody who only talked to it found it doing wrongly (1 December): each with what is right."""

import pytest

from ridealong.harness.router import AskBack, Calls, ChitChat, Decision, Nothing
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


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("seat heating on", "ouch, that's hot"),
        ("seat heating on", "it's burning me"),
        ("座椅加热打开", "烫死了"),
        ("座椅加热打开", "太烫了"),
        ("座椅加热打开", "有点烫"),
    ],
)
def test_what_burns_is_what_heats(asked: str, words: str) -> None:
    assert calls(asked, words) == [("seats.change_heating", {"delta": -33, "zone": "row1.driver"})]


@pytest.mark.parametrize("words", ["too cold", "that's far too cold"])
def test_who_is_cold_gets_no_more_wind(words: str) -> None:
    decision = after("turn the fan to 50", words)
    assert not isinstance(decision, Calls) or [one.capability for one in decision.matches] == ["climate.change_temperature"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("打开天窗", "关小一点"),
        ("打开天窗", "关一点"),
        ("打开天窗", "开大点"),
        ("open the sunroof", "close it a bit"),
        ("open the sunroof", "open it a bit more"),
        ("open the sunroof", "a bit less"),
    ],
)
def test_a_bit_of_the_sunroof_is_no_window(asked: str, words: str) -> None:
    decision = after(asked, words)
    assert isinstance(decision, AskBack) and decision.match is not None and decision.match.capability == "sunroof.set"


@pytest.mark.parametrize("text", ["把十分钟的取消", "取消十分钟的", "cancel the ten minute one"])
def test_a_timer_that_is_to_go_is_not_set(text: str) -> None:
    assert not isinstance(after(text), Calls)


@pytest.mark.parametrize(
    "text",
    [
        "can you open the window? just kidding",
        "Open the window. Only joking.",
        "打开天窗，开玩笑的",
        "let me open the window",
        "I'm going to open the window, ok?",
        "I'll just close the boot",
        "我来开窗",
        "我去关后备箱",
    ],
)
def test_a_joke_and_what_people_do_themselves(text: str) -> None:
    assert isinstance(after(text), Nothing)


def test_what_people_would_have() -> None:
    assert calls("I'll have my window open please") == windows(("row1.driver", 100))
    assert calls("我去公司") == [("navigation.set_destination", {"place": "公司"})]


@pytest.mark.parametrize("words", ["switch off mine", "turn off mine", "mine off"])
def test_one_of_two_is_switched_off(words: str) -> None:
    assert calls("turn on both seat heaters", words) == [("seats.set_heating", {"level": 0, "zone": "row1.driver"})]


@pytest.mark.parametrize(
    ("asked", "words", "wanted"),
    [
        ("set the volume", "fan to 40 percent", ("climate.set_fan", {"speed": 40})),
        ("set the volume", "forty", ("media.set_volume", {"level": 40})),
        ("音量调一下", "风量百分之三十", ("climate.set_fan", {"speed": 30})),
        ("set the timer", "open my window", ("windows.set_position", {"position": 100, "zone": "row1.driver"})),
    ],
)
def test_an_answer_that_names_another_thing_is_none(asked: str, words: str, wanted: tuple[str, dict[str, object]]) -> None:
    first = after(asked)
    assert isinstance(first, AskBack) and first.match is not None
    recent = Recent(first.match.capability, first.match.arguments, Outcome.ASKS, 3000.0)
    decision = decide(words, recent)
    assert isinstance(decision, Calls)
    assert [(one.capability, dict(one.arguments)) for one in decision.matches] == [wanted]


@pytest.mark.parametrize(
    "text", ["turn on the heating", "turn the heating off", "put the heater on", "打开暖气", "开暖风", "关掉暖气"]
)
def test_no_car_has_a_switch_for_its_heating(text: str) -> None:
    decision = after(text)
    assert isinstance(decision, AskBack) and decision.match is not None
    assert decision.match.capability == "climate.set_temperature" and decision.match.missing == ("target",)


def test_the_heating_of_a_seat_is_switched() -> None:
    assert calls("my seat heating on", "turn the heating off") == [("seats.set_heating", {"level": 0, "zone": "row1.driver"})]
    assert calls("turn on the seat heating") == [("seats.set_heating", {"level": 66, "zone": "row1.driver"})]


@pytest.mark.parametrize("text", ["不去超市了", "我们不去超市了", "不想去公园了"])
def test_a_place_that_is_said_off_is_no_destination(text: str) -> None:
    assert not isinstance(after(text), Calls)


def test_the_place_behind_it_is() -> None:
    assert calls("不去超市了，去公司") == [("navigation.set_destination", {"place": "公司"})]
    assert calls("去超市不去公司") == [("navigation.set_destination", {"place": "超市"})]


@pytest.mark.parametrize(
    ("asked", "words"), [("navigate to Leeds", "how far is it"), ("导航去机场", "多远"), ("导航去机场", "远吗")]
)
def test_how_far_it_is(asked: str, words: str) -> None:
    assert calls(asked, words) == [("navigation.eta", {})]
    assert words == "远吗" or not isinstance(after("open my window", words), Calls)


@pytest.mark.parametrize(
    ("text", "up"),
    [
        ("a little less cold please, one degree should do", True),
        ("my side's too hot, not by much", False),
        ("it's too cold for me", True),
        ("别那么热", False),
        ("没那么冷就好", True),
        ("调高点，太冷了", True),
        ("太热了，低一点", False),
    ],
)
def test_which_way_it_is_felt(text: str, up: bool) -> None:
    ((capability, arguments),) = calls(text)
    delta = arguments["delta"]
    assert capability == "climate.change_temperature" and isinstance(delta, int | float) and (delta > 0) is up


@pytest.mark.parametrize(
    "courtesy",
    ["if that's alright", "if it's all right with you", "if you don't mind", "if it's not too much bother", "if that's ok"],
)
def test_a_courtesy_is_no_condition(courtesy: str) -> None:
    assert calls(f"fan at forty percent and the rear demister too {courtesy}") == [
        ("climate.set_fan", {"speed": 40}),
        ("climate.switch", {"thing": "rear_defroster", "on": True}),
    ]


def test_a_hundred_is_all_of_it() -> None:
    assert calls("fan to a hundred") == [("climate.set_fan", {"speed": 100})]


def test_who_is_called_love() -> None:
    assert calls("could you give me a shout in a quarter of an hour please love") == [("timer.set", {"duration_s": 900})]
    ((_, arguments),) = calls("remind me at five to call my love")
    assert arguments["text"] == "call my love"


@pytest.mark.parametrize(
    ("text", "done"),
    [
        ("take me home and then turn on the heating", ("navigation.set_destination", {"place": "home"})),
        ("open my window and turn on the heating", ("windows.set_position", {"position": 100, "zone": "row1.driver"})),
    ],
)
def test_a_part_that_lacks_its_value_is_asked_for(text: str, done: tuple[str, dict[str, object]]) -> None:
    decision = after(text)
    assert isinstance(decision, Calls)
    assert [(one.capability, dict(one.arguments)) for one in decision.matches] == [done]
    ((asked),) = decision.also
    assert isinstance(asked.decision, AskBack) and asked.decision.question == "What temperature would you like?"
