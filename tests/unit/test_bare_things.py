"""What is named and nothing more, units that a value can't have, what is to stay as it is, verbs that nobody here knows, and halves that are told.

By the product's own router, grammar and tagger together.
"""

from __future__ import annotations

import pytest

from ridealong.harness.kept import kept, stays
from ridealong.harness.router import AskBack, Calls, ChitChat, Nothing
from ridealong.harness.skill import Context, Outcome, Recent
from ridealong.harness.unknown_acts import unknown_act
from ridealong.vehicle_skills.bare_thing import bare_thing, foreign_unit, named_alone
from ridealong.vehicle_skills.on_or_off import answered

from .car_words import acts, decide

pytestmark = pytest.mark.unit

KEPT = (
    "天窗开着吧", "右边车窗就这么开着", "让后备箱开着", "车窗不用关，开着就好", "左边的窗户还是开着吧", "天窗别关，就这么开着吧", "the sunroof can stay open",
    "just leave my window open please", "don't close the boot, leave it open", "keep both windows open",
)  # fmt: skip
OPENED = {
    "车窗打开吧": ["windows.set_position"], "天窗给我开着": ["sunroof.set"], "窗给我开着": ["windows.set_position"], "空调开着吧": ["climate.switch"],
    "天窗关着吧": ["sunroof.set"], "关掉空调，车窗开着吧": ["climate.switch"], "close the windows": ["windows.set_position"],
}  # fmt: skip


@pytest.mark.parametrize("text", KEPT)
def test_what_is_to_stay_open_is_left_alone(text: str) -> None:
    assert isinstance(decide(text), Nothing)


@pytest.mark.parametrize(("text", "wanted"), OPENED.items())
def test_what_is_asked_for_is_done(text: str, wanted: list[str]) -> None:
    assert acts(decide(text)) == wanted


def test_a_clause_that_stays_names_a_thing() -> None:
    assert stays("天窗开着吧", "zh") and not stays("开着吧", "zh") and not kept("开着吧", "zh") and not kept("", "zh")
    assert not kept("天窗开着吧，关空调", "zh")


BARE = {
    "冷气": "空调要打开还是关掉？", "座椅加热": "座椅加热要几档，还是关掉？", "暖风": "暖气要多少度？", "雨刷": "雨刮要关掉、慢速、快速还是自动？", "右边的车窗": "车窗要打开还是关上？",
    "氛围灯": "氛围灯要打开还是关掉？", "座椅通风": "座椅通风要打开还是关掉？请说完整。", "空调和天窗": "空调和天窗，要怎么调？请说完整一点。", "the A/C": "The air conditioning: on or off?",
    "windscreen wipers, please": "The wipers: off, slow, fast or automatic?", "seat warmer": "Seat heating: at what level, or off?", "um the heater": "The heating: how many degrees would you like?",
    "blower": "The fan: how many percent would you like?", "the defroster": "The front defroster: on or off?",
    "the window, the sunroof and the fridge": "What shall I do with the window and the sunroof? Please say it in full.",
}  # fmt: skip


@pytest.mark.parametrize(("text", "question"), BARE.items())
def test_a_thing_without_more_is_asked_about(text: str, question: str) -> None:
    decision = decide(text)
    assert isinstance(decision, AskBack) and decision.question == question


@pytest.mark.parametrize(
    ("text", "answer", "wanted"),
    [
        ("空调", "关掉吧", {"thing": "air_conditioning", "on": False}), ("air con", "on please", {"thing": "air_conditioning", "on": True}),
        ("座椅加热", "关掉", {"zone": "row1.driver", "level": 0}), ("seat heating", "off", {"zone": "row1.driver", "level": 0}), ("heated seats", "low", {"zone": "row1.driver", "level": 33}),
        ("灯", "打开", {"on": True}), ("ambient light", "off", {"on": False}), ("wipers", "off", {"mode": "off"}), ("雨刮", "自动", {"mode": "auto"}),
        ("暖气", "二十一度", {"zone": "row1.driver", "target": 21.0}), ("fan", "40", {"speed": 40}), ("天窗", "关上", {"to": "closed"}),
    ],
)  # fmt: skip
def test_the_answer_completes_it(text: str, answer: str, wanted: dict[str, object]) -> None:
    asked = decide(text)
    assert isinstance(asked, AskBack) and asked.match is not None
    decision = decide(answer, Recent(asked.match.capability, asked.match.arguments, Outcome.ASKS, 1_000.0))
    assert isinstance(decision, Calls) and [dict(one.arguments) for one in decision.matches] == [wanted]


@pytest.mark.parametrize(
    "text",
    ["空调打开", "seat heating on", "wipers off", "内循环", "air conditioning to 21", "音乐", "music", "turn off the radio"],
)
def test_with_a_state_it_is_done(text: str) -> None:
    assert isinstance(decide(text), Calls)


def test_navigation_alone_ends_none() -> None:
    assert acts(decide("导航")) == acts(decide("navigation")) == ["navigation.set_destination"]
    assert acts(decide("关掉导航")) == ["navigation.stop"]


@pytest.mark.parametrize("text", ["空调?", "空调 22", "fridge", "冰箱和空调", "the fridge, the kettle and the window"])
def test_more_or_nothing_of_ours_is_no_bare_thing(text: str) -> None:
    assert named_alone(text, "en") == () and bare_thing(text, "en", None) is None


@pytest.mark.parametrize(
    ("text", "capability"),
    [
        ("put the temperature at 25 percent", "climate.set_temperature"), ("set it to 21 percent", "climate.set_temperature"), ("温度设为百分之二十", "climate.set_temperature"),
        ("把音量调到三十度", "media.set_volume"), ("the volume to 25 degrees", "media.set_volume"), ("set the window to 20 degrees", "windows.set_position"),
        ("heated seats to 24 degrees", "seats.set_heating"), ("set the fan to 22 degrees", "climate.set_fan"),
    ],
)  # fmt: skip
def test_a_foreign_unit_is_asked_about(text: str, capability: str) -> None:
    decision = decide(text)
    assert isinstance(decision, AskBack) and decision.match is not None and decision.match.capability == capability


@pytest.mark.parametrize(
    "text",
    [
        "temperature to 22 and the volume to 30 percent",
        "make it two degrees cooler and open the window halfway",
        "车窗关上，温度调到二十度",
        "空调调到23度",
        "set the fan to 30 percent",
        "音量调到百分之二十",
    ],
)
def test_each_number_with_its_own_unit_is_set(text: str) -> None:
    decision = decide(text)
    assert isinstance(decision, Calls) and not decision.also
    assert foreign_unit(text, "en", None) is None


@pytest.mark.parametrize(
    "text",
    [
        "fan up in the front and down in the back",
        "turn the fan off in the back and on in the front",
        "前排风扇开大，后排风扇开小",
    ],
)
def test_one_fan_is_not_two(text: str) -> None:
    decision = decide(text)
    assert isinstance(decision, AskBack | ChitChat) and acts(decision) in ([], ["climate.set_fan"])


@pytest.mark.parametrize("text", ["调低音量和亮度", "调高音量和对比度"])
def test_one_thing_does_not_go_both_ways(text: str) -> None:
    decision = decide(text)
    assert isinstance(decision, Calls) and decision.matches[0].capability == "media.change_volume"
    ways = {float(str(one.arguments["delta"])) > 0 for one in decision.matches}
    assert ways == {text.startswith("调高")}


UNKNOWN = (
    "vacuum the seats", "polish the windows", "wash the windscreen", "hoover the carpet", "please repair the air conditioning", "tint the windows", "steam the seats", "open the oven", "close the wardrobe",
    "修一下天窗", "把座椅洗干净", "换一下雨刮", "给车窗贴膜", "清洗空调",
)  # fmt: skip


@pytest.mark.parametrize("text", UNKNOWN)
def test_what_no_skill_does_is_not_done_to_what_one_knows(text: str) -> None:
    assert not acts(decide(text))


@pytest.mark.parametrize(
    "text",
    [
        "crank the heat",
        "crack the window",
        "clear the windscreen",
        "pop the boot",
        "blast the AC",
        "打开车窗",
        "刮一下雨刮",
        "换首歌",
    ],
)
def test_what_one_does_is_done(text: str) -> None:
    assert not unknown_act(text, "en", (frozenset(text.split()), frozenset(text.split())), 0.5)


def test_the_rest_of_the_sentence_is_done() -> None:
    decision = decide("polish the seats and close the sunroof")
    assert acts(decision) == ["sunroof.set"] and isinstance(decision, Calls)
    assert [(one.words, one.decision) for one in decision.also] == [("polish the seats", ChitChat("unsupported"))]


@pytest.mark.parametrize(
    ("text", "done", "told"),
    [
        ("温度21，风量2", ["climate.set_temperature"], "风量2"), ("open the window and the dishwasher", ["windows.set_position"], "open the dishwasher"),
        ("给小丽打个电话，然后浇水", ["phone.call"], "浇水"), ("turn the volume down and the brightness", ["media.change_volume"], "turn down the brightness"),
    ],
)  # fmt: skip
def test_no_half_is_dropped(text: str, done: list[str], told: str) -> None:
    decision = decide(text)
    assert acts(decision) == done and isinstance(decision, Calls) and any(told in one.words for one in decision.also)


@pytest.mark.parametrize(
    "text", ["switch the heating off at nine", "close the sunroof at half past ten", "AC off at 11 please", "heater on at six"]
)
def test_an_hour_puts_it_off(text: str) -> None:
    decision = decide(text)
    assert isinstance(decision, AskBack) and decision.reason == "later" and "off at" not in decision.question


@pytest.mark.parametrize("text", ["fan at ten percent", "heating on at 22", "volume at ten", "turn the fan on at three"])
def test_a_level_puts_nothing_off(text: str) -> None:
    decision = decide(text)
    assert not isinstance(decision, AskBack) or decision.reason != "later"


def test_an_answer_is_one_only_while_we_ask() -> None:
    recognise = answered(lambda text, locale, context: None, "lights.cabin", "on", True, False)
    asked = Recent("lights.cabin", {}, Outcome.ASKS, 1_000.0)
    assert recognise("on", "en", Context()) is None and recognise("blue", "en", Context(recent=(asked,))) is None
    found = recognise("off", "en", Context(recent=(asked,)))
    assert found is not None and found.arguments == {"on": False}
