"""The windscreen's wipers: modes and steps, who may ask, and what is said of them."""

from __future__ import annotations

import pytest

from ridealong.harness.skill import Outcome, Provenance
from ridealong.proto.types import ActuationState
from ridealong.simulators.car.plant import Plant
from ridealong.vehicle_skills.cabin_signals import WIPERS

from .cabin import StubbornCar, after, car, claimed, meant, question, recent, run, sent, touches

pytestmark = pytest.mark.unit

SET, CHANGE = "wipers.set", "wipers.change"


@pytest.mark.parametrize(
    ("mode", "texts"),
    [
        ("medium", ["Turn on the wipers.", "wipers on please", "start the windscreen wipers", "switch the wipers on", "wipers to medium", "set the wipers to level two", "打开雨刮", "开雨刷", "把雨刮器打开", "雨刮开到中速", "雨刷开二档"]),
        ("off", ["Turn off the wipers.", "wipers off", "stop the wipers", "switch the windshield wipers off", "no more wiping please", "关雨刮", "把雨刷关掉", "雨刮停一下", "关闭雨刮器", "停掉雨刷"]),
        ("slow", ["put the wipers on slow", "slow wipers please", "wipers on low", "雨刮开慢速", "雨刷调到低速档"]),
        ("fast", ["wipers on fast", "wipers at full speed", "put the wipers on high", "雨刮开到最快", "雨刷调到高速档"]),
        ("interval", ["intermittent wipers please", "set the wipers to interval", "雨刮调到间歇", "雨刷开间歇模式"]),
        ("auto", ["put the wipers on automatic", "automatic wipers please", "set the windshield wipers to auto", "雨刮调到自动", "把雨刷设成自动模式"]),
    ],
)  # fmt: skip
def test_what_sets_a_mode(mode: str, texts: list[str]) -> None:
    assert {text: claimed(text) for text in texts} == {text: [(SET, {"mode": mode})] for text in texts}


@pytest.mark.parametrize(
    ("faster", "texts"),
    [
        (True, ["Wipers faster.", "make the wipers faster", "speed up the wipers", "wipers a bit faster please", "turn the wipers up", "increase the wiper speed", "quicker on the wipers", "could you speed the wipers up",
                "雨刮快一点", "雨刷再快一些", "雨刮加速", "把雨刮调快", "雨刮速度加一档", "雨刷太慢了", "雨刮加快", "请把雨刷调快一点"]),
        (False, ["Wipers slower.", "slow the wipers down", "make the wipers slower", "turn the wipers down", "reduce the wiper speed", "wipers a bit slower", "decrease wiper speed please",
                 "雨刮慢一点", "雨刷再慢一些", "雨刮减速", "把雨刮调慢", "雨刮速度减一档", "雨刷太快了", "雨刷放慢", "雨刮降一档"]),
    ],
)  # fmt: skip
def test_what_steps(faster: bool, texts: list[str]) -> None:
    assert {text: claimed(text) for text in texts} == {text: [(CHANGE, {"faster": faster})] for text in texts}


@pytest.mark.parametrize(
    "text",
    [
        "Are the wipers on?", "the wipers are on", "don't turn on the wipers", "I need new wipers", "wipe the dashboard", "buy a new wiper blade", "the wipers went faster on their own", "baby wipes please",
        "she said turn on the wipers", "why are the wipers on", "wipe my phone", "fill up the washer fluid", "雨刮开着吗", "雨刮片该换了", "别开雨刮", "他说打开雨刷", "雨刷多少钱", "我本来想关雨刷来着", "加玻璃水", "我上礼拜刚换了雨刮", "打开后视镜加热", "雨刮坏了", "为什么雨刮开着", "雨刷是自动的吗",
    ],
)  # fmt: skip
def test_what_wipes_nothing(text: str) -> None:
    assert not touches(text, SET, CHANGE)


def test_the_rear_window_has_none_of_ours() -> None:
    assert "wipers of the windscreen" in question("turn on the rear wiper") and claimed("后雨刮打开") == f"asks {SET}"
    assert claimed("slow", recent(SET, Outcome.ASKS)) == [(SET, {"mode": "slow"})]


def test_a_mode_is_said_as_the_car_shows_it() -> None:
    port = car(100)
    assert run(SET, port, mode="auto").text == "The wipers are on automatic."
    assert sent(port) == [(WIPERS, "RAIN_SENSOR")]
    assert run(SET, car(), "zh", mode="interval").text == "雨刮已调到间歇。"
    assert run(SET, car(), mode="off").text == "The wipers are already off."
    assert run(SET, car(values={WIPERS: "FAST"}), "zh", mode="fast").text == "雨刮已经是快速了。"


@pytest.mark.parametrize(
    ("now", "faster", "then", "said"),
    [
        ("OFF", True, "SLOW", "The wipers are on slow."), ("INTERVAL", True, "SLOW", "The wipers are on slow."), ("SLOW", True, "MEDIUM", "The wipers are on medium."),
        ("FAST", False, "MEDIUM", "The wipers are on medium."), ("SLOW", False, "INTERVAL", "The wipers are on interval."), ("FAST", True, "", "The wipers can't go any faster."),
        ("INTERVAL", False, "", "The wipers can't go any slower."), ("OFF", False, "", "The wipers are already off."),
    ],
)  # fmt: skip
def test_a_step_from_each_mode(now: str, faster: bool, then: str, said: str) -> None:
    port = car(values={WIPERS: now})
    assert (run(CHANGE, port, faster=faster).text, sent(port)) == (said, [(WIPERS, then)] if then else [])


def test_no_step_from_automatic_or_from_what_is_not_known() -> None:
    port = car(values={WIPERS: "RAIN_SENSOR"})
    assert (run(CHANGE, port, faster=True).outcome, port.sent) == (Outcome.ASKS, [])
    assert claimed("fast", recent(CHANGE, Outcome.ASKS, faster=True)) == [(SET, {"mode": "fast"})]
    unknown = StubbornCar(ActuationState.CONFIRMED, {})
    assert (run(CHANGE, unknown, faster=True).reason, unknown.sent) == ("unknown_setting", [])


@pytest.mark.parametrize("by", [Provenance.PASSENGER, Provenance.UNKNOWN, Provenance.OVERHEARD, Provenance.SEEN])
def test_only_who_is_in_charge_may_ask(by: Provenance) -> None:
    port = car(by=by)
    spoken = run(SET, port, by=by, mode="fast")
    assert (spoken.outcome, spoken.reason, port.sent) == (Outcome.REFUSED, "not_allowed_speaker", [])
    assert spoken.text == "Only the driver can ask me to put the wipers on fast."
    for allowed in (Provenance.DRIVER, Provenance.WEARER, Provenance.TYPED):
        assert run(SET, car(130, allowed), by=allowed, mode="fast").outcome is Outcome.COMPLETED


def test_never_said_to_be_on_without_the_car_showing_it() -> None:
    spoken = run(SET, StubbornCar(ActuationState.TIMED_OUT, {WIPERS: "OFF"}), mode="fast")
    assert spoken.outcome is Outcome.UNKNOWN and "it shows off" in spoken.text


def test_another_mode_the_other_way_and_back() -> None:
    set_fast = recent(SET, before={WIPERS: "INTERVAL"}, mode="fast")
    assert after("undo that", set_fast) == [(SET, {"mode": "interval"})]
    assert after("turn them off", set_fast) == [(SET, {"mode": "off"})]
    assert after("调回去", recent(CHANGE, before={WIPERS: "SLOW"}, faster=True)) == [(SET, {"mode": "slow"})]
    assert after("the other way round", recent(CHANGE, faster=True)) == [(CHANGE, {"faster": False})]
    assert claimed("a bit faster", set_fast) == [(CHANGE, {"faster": True})]
    assert claimed("快一点", set_fast) == [(CHANGE, {"faster": True})]
    assert not touches("快一点", SET, CHANGE)
    assert claimed("再慢一点", set_fast) == [(CHANGE, {"faster": False})]


def test_a_stretch_that_the_tagger_found() -> None:
    assert meant(SET, "on", "clear my windscreen, it's pouring") == [{"mode": "medium"}]
    assert meant(SET, "on", "雨好大啊把雨刮开到最快。") == [{"mode": "fast"}]
    assert meant(SET, "off", "the rain's stopped, turn the wipers off") == [{"mode": "off"}]
    assert meant(SET, "auto", "let the rain sensor handle the wipers") == [{"mode": "auto"}]
    assert meant(CHANGE, "faster", "these wipers aren't keeping up") == [{"faster": True}]


def test_the_simulated_car_takes_every_mode() -> None:
    plant = Plant()
    for mode in ("SLOW", "RAIN_SENSOR", "OFF"):
        plant.command(WIPERS, mode)
        plant.step(0.5)
        assert plant.values[WIPERS] == mode
