"""Words in which a wish is heard that is none, or that leave it open; a setting like another place's; work that is to go but for some.

By the product's own router, grammar and tagger together, where a decision is asked for.
"""

import pytest

from ridealong.harness.all_but import only_the_kept, others
from ridealong.harness.doing import Doing, Stage
from ridealong.harness.no_wish import either, in_one_language, then_a_number, wishes
from ridealong.harness.router import AskBack, Calls
from ridealong.harness.skill import Outcome, Recent
from ridealong.vehicle_skills.same_as import doubt

from .car_words import acts, decide, say

pytestmark = pytest.mark.unit


def locale_of(words: str) -> str:
    return "en-US" if words.isascii() else "zh-CN"


@pytest.mark.parametrize(
    "words",
    [
        "I'm not cold", "it's not cold", "it's not too hot", "it's not hot in here", "I like it warm", "I don't feel cold at all", "I'm really not hot, thanks",
        "不太热", "不冷", "我不冷", "这里不太冷", "我喜欢暖和", "一点都不热", "一点也不冷", "我不怕冷",
    ],
)  # fmt: skip
def test_who_is_content_asks_for_nothing(words: str) -> None:
    assert acts(decide(words)) == []


@pytest.mark.parametrize(
    "words",
    ["I'm cold", "is it not cold in here?", "I'm not warm enough", "it's not very warm", "I'd like it warmer", "有点热", "不够热", "不太暖和", "热不热"],
)  # fmt: skip
def test_who_lacks_something_is_not_taken_for_content(words: str) -> None:
    assert wishes(words, locale_of(words)) == words


def test_what_is_asked_for_beside_content_is_done() -> None:
    assert acts(decide("I'm not cold, open my window")) == ["windows.set_position"]
    assert acts(decide("我不冷，打开我的车窗")) == ["windows.set_position"]


@pytest.mark.parametrize(("words", "warmer"), [("I'm not warm enough", True), ("不够热", True), ("不够凉快", False)])
def test_not_enough_goes_the_way_that_is_lacking(words: str, warmer: bool) -> None:
    decision = decide(words)
    assert isinstance(decision, Calls)
    delta = decision.matches[0].arguments["delta"]
    assert isinstance(delta, float) and (delta > 0) is warmer


@pytest.mark.parametrize(
    "words",
    ["either open the window or turn on the AC", "open the window or turn on the AC", "please turn on the AC or open my window", "要么开窗要么开空调", "开窗或者开空调", "关空调或者把窗关上"],
)  # fmt: skip
def test_of_two_acts_neither_is_done(words: str) -> None:
    decision = decide(words)
    assert isinstance(decision, AskBack) and decision.match is None


@pytest.mark.parametrize(
    "words",
    ["turn on the AC either way", "open the window or not", "open the window and turn on the AC", "open the front or rear windows", "还是开窗吧", "开空调，还是开窗吧"],
)  # fmt: skip
def test_one_act_is_no_choice_of_two(words: str) -> None:
    assert either(words, locale_of(words)) == ""


@pytest.mark.parametrize(
    "words",
    ["is it okay to turn on the AC?", "should I turn on the AC or open the window?", "打开车窗可以吗", "take me anywhere but home", "take me anywhere except work", "drive me anywhere you like except the airport", "除了家去哪都行"],
)  # fmt: skip
def test_what_is_asked_or_only_ruled_out_changes_nothing(words: str) -> None:
    assert not isinstance(decide(words), Calls) or acts(decide(words)) == []


@pytest.mark.parametrize(
    "words",
    [
        "open the windows right now",
        "okay open the windows, all right?",
        "open the windows right away",
        "open the windows right then",
    ],
)
def test_right_before_a_time_is_no_side(words: str) -> None:
    decision = decide(words)
    assert isinstance(decision, Calls) and [match.arguments["zone"] for match in decision.matches] == ["all"]


def test_right_is_a_side_where_it_says_where() -> None:
    decision = decide("open the windows on the right")
    assert isinstance(decision, Calls) and decision.matches[0].arguments["zone"] == "passenger_side"


@pytest.mark.parametrize("words", ["window to 50 and then to 20", "window to 50 then 20", "车窗开到50然后20"])
def test_a_number_behind_then_is_of_what_is_named(words: str) -> None:
    decision = decide(words)
    assert isinstance(decision, Calls) and {match.capability for match in decision.matches} == {"windows.set_position"}
    assert decision.matches[-1].arguments["position"] == 20


def test_a_number_with_a_unit_or_a_name_stands_for_itself() -> None:
    assert not then_a_number("then 21 degrees", "en-US") and not then_a_number("and set it to 21", "en-US")
    assert not then_a_number("然后调到二十度", "zh-CN")


def test_speed_is_the_fans_only_where_the_fan_was_talked_of() -> None:
    for words in ("set the speed to 100", "speed up", "速度调到一百"):
        assert not isinstance(decide(words), Calls)
    fan = Recent("climate.set_fan", {"speed": 30}, Outcome.COMPLETED, 5_000.0)
    for decision in (decide("set the speed to 60 percent", fan), decide("set the fan speed to 60 percent")):
        assert isinstance(decision, Calls) and decision.matches[0].arguments == {"speed": 60}


@pytest.mark.parametrize(
    "words",
    ["set the passenger to the same as mine", "set the passenger's temperature to the same as mine", "the passenger's temperature same as mine", "make my side the same as the passenger's", "副驾跟我一样", "把副驾调得跟我一样"],
)  # fmt: skip
def test_a_setting_like_anothers_is_its_value_or_asked_for(words: str) -> None:
    decision = decide(words)
    match = decision.matches[0] if isinstance(decision, Calls) else decision.match if isinstance(decision, AskBack) else None
    assert match is not None
    if match.capability == "climate.sync":  # the passenger's gets the driver's
        assert "my side" not in words
        return
    assert match.capability == "climate.set_temperature"
    assert "target" in match.missing or match.grounds["target"].startswith("signal:")
    assert match.arguments["zone"] == ("row1.driver" if "my side" in words else "row1.passenger")


def test_more_than_anothers_is_asked_for() -> None:
    assert isinstance(decide("make the passenger side two degrees warmer than mine"), AskBack)
    assert isinstance(decide("副驾比我这边高两度"), AskBack)


@pytest.mark.parametrize(
    "words",
    ["he is the same as me", "他跟我一样喜欢吃辣", "I think the same as you", "is my temperature the same as the passenger's?"],
)
def test_likeness_of_something_else_is_left_alone(words: str) -> None:
    assert doubt(words, locale_of(words), None) is None


@pytest.mark.parametrize(
    "words",
    ["I'm the passenger and I'd quite like my window open", "I'd like my side at 22", "I would like my temperature at 22"],
)
def test_what_somebody_would_like_is_no_likeness(words: str) -> None:
    decision = decide(words)
    assert isinstance(decision, Calls) and not any(
        ground.startswith("signal:") for ground in decision.matches[0].grounds.values()
    )


def test_an_answer_is_for_the_place_that_was_asked_about() -> None:
    asked = Recent("climate.set_temperature", {"zone": "row1.passenger"}, Outcome.ASKS, 3_000.0)
    decision = decide("22", asked)
    assert isinstance(decision, Calls) and decision.matches[0].arguments == {"target": 22.0, "zone": "row1.passenger"}


def test_a_switch_that_is_named_is_not_the_one_before() -> None:
    off = Recent("climate.switch", {"thing": "air_conditioning", "on": False}, Outcome.COMPLETED, 5_000.0)
    decision = decide("不对，是开除霜", off)
    assert isinstance(decision, Calls) and decision.matches[0].arguments == {"thing": "front_defroster", "on": True}


def test_both_languages_in_one_sentence() -> None:
    assert in_one_language("打开window") == "打开车窗" and in_one_language("open the window") == "open the window"
    assert in_one_language("导航去Apple Store") == "导航去Apple Store"
    assert acts(decide("把window打开")) == ["windows.set_position"]


def test_a_share_below_nothing_is_asked_for() -> None:
    for words in ("风量调到百分之负十", "set the fan to -10%", "set the fan to minus ten percent"):
        assert say(words)[0] == []


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("cancel all timers except the ten minute one", "cancel the ten minute timer"), ("cancel all but the ten minute timer", "cancel the ten minute timer"),
        ("取消除了十分钟以外的计时器", "取消十分钟的计时器"), ("除了十分钟的都取消", "取消十分钟"), ("cancel the timer", ""), ("取消计时器", ""), ("关掉除霜", ""), ("取消除雾", ""),
    ],
)  # fmt: skip
def test_what_is_to_stay_is_named(words: str, kept: str) -> None:
    assert only_the_kept(words, locale_of(words)).removesuffix("的") == kept.removesuffix("的")


def test_the_rest_of_the_kind_goes_that_is_under_way() -> None:
    five, ten, over = (
        Doing("1", "timer.set", Stage.RUNNING),
        Doing("2", "timer.set", Stage.RUNNING),
        Doing("3", "timer.set", Stage.TOLD),
    )
    search = Doing("4", "navigation.charging_search", Stage.RUNNING)
    assert others(["2"], [search, over, ten, five]) == (five,)
