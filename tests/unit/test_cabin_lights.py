"""Lights in the cabin: the dome light, and the ambient light's brightness and colour, both sides in one batch."""

from __future__ import annotations

import pytest

from ridealong.harness.skill import Outcome, Provenance
from ridealong.proto.types import ActuationState, SignalValue
from ridealong.simulators.car.plant import Plant
from ridealong.vehicle_skills.lights.colours import COLOURS, NAMES, find_colour
from ridealong.vehicle_skills.lights.plan import COLOUR, INTENSITY, ON
from ridealong.vehicle_skills.signals import DOME_LIGHT, SIGNALS, fault

from .cabin import StubbornCar, after, car, claimed, meant, question, recent, run, sent, touches

pytestmark = pytest.mark.unit

CABIN, AMBIENT = "lights.cabin", "lights.ambient"
LIT: dict[str, SignalValue] = {**dict.fromkeys(ON, True), **dict.fromkeys(INTENSITY, 50), **dict.fromkeys(COLOUR, "#0000FF")}


@pytest.mark.parametrize(
    ("on", "texts"),
    [
        (True, ["Turn on the cabin light.", "switch the interior lights on", "reading light on please", "dome light on", "could you put the light on", "turn the map light on", "give me some light in here", "light up the cabin", "overhead light on",
                "打开阅读灯", "开一下车内灯", "把顶灯打开", "开灯", "后排阅读灯打开", "车里的灯开一下", "请打开车内照明", "把里面的灯打开", "帮我开个灯"]),
        (False, ["Turn off the cabin light.", "interior lights off", "switch off the reading light", "kill the dome light", "the cabin lights off please", "cabin light off please", "turn the inside light off",
                 "关掉阅读灯", "把车内灯关了", "顶灯关一下", "关灯", "把里面的灯关掉", "车厢灯关闭", "请关掉室内灯"]),
    ],
)  # fmt: skip
def test_what_switches_the_cabin_light(on: bool, texts: list[str]) -> None:
    assert {text: claimed(text) for text in texts} == {text: [(CABIN, {"on": on})] for text in texts}


@pytest.mark.parametrize(
    "text",
    [
        "Is the cabin light on?", "the light is on", "turn on the headlights", "turn the fog lights on", "switch on the hazards", "is the traffic light green", "turn off the kitchen light", "don't turn the light on", "the engine light came on",
        "light music please", "he turned the light on", "green light", "turn the lights on", "turn on the seat light show", "阅读灯开着吗", "打开大灯", "开雾灯", "红灯亮了", "别开灯", "把客厅的灯打开", "发动机故障灯亮了", "打开双闪", "转向灯怎么开", "前面是绿灯", "他说开灯", "把示廓灯打开", "你去把灯打开", "脚底那盏灯关掉", "听说打开车内灯会被罚",
    ],
)  # fmt: skip
def test_what_switches_no_cabin_light(text: str) -> None:
    assert not touches(text, CABIN, AMBIENT)


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        ({"on": True}, ["Turn on the ambient light.", "mood lighting on please", "ambient lights on", "switch on the accent lights", "打开氛围灯", "氛围灯开一下", "把气氛灯打开", "开灯带"]),
        ({"on": False}, ["Turn off the ambient lights.", "mood lights off", "kill the ambient lighting", "ambient lighting off please", "关氛围灯", "把氛围灯关掉", "灯带关了", "氛围灯熄灭"]),
        ({"color": "blue"}, ["Make the ambient light blue.", "change the mood lighting to blue", "blue ambient light please", "氛围灯换成蓝色", "把氛围灯调成蓝的"]),
        ({"color": "warm_white"}, ["set the ambient light to warm white", "氛围灯改成暖白色"]),
        ({"color": "purple"}, ["turn the glow strips violet", "氛围灯用紫色"]),
        ({"level": 30}, ["Ambient light to 30 percent.", "set the ambient brightness to thirty percent", "氛围灯亮度调到30%", "氛围灯亮度百分之三十"]),
        ({"level": 100}, ["ambient light at full brightness", "氛围灯亮度调到最大"]),
        ({"level": 0}, ["ambient light to 0 percent", "氛围灯亮度调到0%"]),
        ({"delta": 20}, ["make the ambient light brighter", "brighten the mood lighting", "氛围灯亮一点", "氛围灯再亮一些"]),
        ({"delta": -20}, ["dim the ambient light", "the ambient light is too bright", "mood lights a bit dimmer please", "氛围灯暗一点", "氛围灯太亮了"]),
        ({"delta": -10}, ["turn the ambient light down by ten percent", "氛围灯亮度降低10%"]),
        ({"color": "red", "level": 40}, ["make the ambient light red at 40 percent", "氛围灯调成红色，亮度40%"]),
    ],
)  # fmt: skip
def test_what_changes_the_ambient_light(arguments: dict[str, object], texts: list[str]) -> None:
    assert {text: claimed(text) for text in texts} == {text: [(AMBIENT, arguments)] for text in texts}


@pytest.mark.parametrize(
    "text",
    [
        "Is the ambient light on?", "what colour is the mood light", "I'm in a good mood", "the ambient temperature is high", "don't change the ambient light", "play some mood music", "paint the house blue", "which airstrip is that", "he dimmed the ambient light yesterday",
        "ambient noise is loud in here", "can I have the blue one", "氛围灯开着吗", "氛围灯是什么颜色", "今天气氛不错", "这车的氛围灯是蓝色的", "别关氛围灯", "环境温度多少", "他说氛围灯太亮了", "天空真蓝", "氛围灯保持现在的亮度就好", "节日气氛很浓", "破坏气氛",
    ],
)  # fmt: skip
def test_what_changes_no_ambient_light(text: str) -> None:
    assert not touches(text, AMBIENT)


def test_more_than_all_is_asked_about() -> None:
    assert "0 to 100 percent" in question("set the ambient light to 150 percent")
    assert "0到100%" in question("氛围灯亮度调到百分之一百五十")
    assert "percent" in question("set the ambient light to level four")


def test_the_cabin_light_as_the_car_shows_it() -> None:
    port = car(50)
    assert run(CABIN, port, on=True).text == "The cabin light is on."
    assert sent(port) == [(DOME_LIGHT, True)]
    assert run(CABIN, car(values={DOME_LIGHT: True}), "zh", on=True).text == "车内灯已经打开了。"
    assert run(CABIN, car(), on=False).text == "The cabin light is already off."
    unsure = run(CABIN, StubbornCar(ActuationState.TIMED_OUT, {DOME_LIGHT: False}), on=True)
    assert unsure.outcome is Outcome.UNKNOWN and "it shows off" in unsure.text


@pytest.mark.parametrize(
    ("arguments", "before", "writes", "said"),
    [
        ({"on": True}, {}, dict.fromkeys(ON, True), "The ambient light is now on."),
        ({"on": False}, LIT, dict.fromkeys(ON, False), "The ambient light is now off."),
        ({"level": 0}, LIT, dict.fromkeys(ON, False), "The ambient light is now off."),
        ({"level": 30}, {}, {**dict.fromkeys(ON, True), **dict.fromkeys(INTENSITY, 30)}, "The ambient light is now at 30 percent."),
        ({"color": "red"}, LIT, {**dict.fromkeys(ON, True), **dict.fromkeys(COLOUR, "#FF0000")}, "The ambient light is now red."),
        ({"delta": 20}, LIT, {**dict.fromkeys(ON, True), **dict.fromkeys(INTENSITY, 70)}, "The ambient light is now at 70 percent."),
        ({"delta": 20}, {}, {**dict.fromkeys(ON, True), **dict.fromkeys(INTENSITY, 20)}, "The ambient light is now at 20 percent."),
        ({"delta": -60}, LIT, {**dict.fromkeys(ON, True), **dict.fromkeys(INTENSITY, 1)}, "The ambient light is now at 1 percent."),
        ({"color": "green", "level": 40}, {}, {**dict.fromkeys(ON, True), **dict.fromkeys(INTENSITY, 40), **dict.fromkeys(COLOUR, "#00FF00")}, "The ambient light is now green, at 40 percent."),
    ],
)  # fmt: skip
def test_the_ambient_light_on_both_sides_in_one_batch(
    arguments: dict[str, object], before: dict[str, SignalValue], writes: dict[str, SignalValue], said: str
) -> None:
    port = car(40, values=before)
    assert run(AMBIENT, port, **arguments).text == said
    assert len(port.sent) == 1 and dict(sent(port)) == writes
    assert not any(fault(SIGNALS[path], value) for path, value in writes.items())


def test_what_is_so_already_or_cannot_be_known() -> None:
    port = car(values=LIT)
    assert run(AMBIENT, port, color="blue").text == "The ambient light is already blue."
    assert run(AMBIENT, port, level=51).text == "The ambient light is already at 50 percent."
    assert run(AMBIENT, port, "zh", on=True).text == "氛围灯已经打开了。"
    assert run(AMBIENT, car(), on=False).text == "The ambient light is already off."
    assert run(AMBIENT, car(), delta=-20).text == "The ambient light is already off."
    unknown = StubbornCar(ActuationState.CONFIRMED, {})
    assert run(AMBIENT, unknown, delta=20).outcome is Outcome.ASKS and run(AMBIENT, unknown).outcome is Outcome.ASKS
    assert port.sent == [] and unknown.sent == []


def test_refused() -> None:
    for capability, arguments in ((CABIN, {"on": True}), (AMBIENT, {"color": "red"})):
        fast, heard = car(100), car(by=Provenance.OVERHEARD)
        assert run(capability, fast, **arguments).reason == "too_fast"  # type: ignore[arg-type]
        assert run(capability, heard, by=Provenance.OVERHEARD, **arguments).reason == "not_allowed_speaker"  # type: ignore[arg-type]
        assert fast.sent == heard.sent == []
    assert run(AMBIENT, car(100), "zh", color="red").text == "这个车速下不能把氛围灯调成红色。"


def test_a_car_that_does_otherwise() -> None:
    spoken = run(AMBIENT, StubbornCar(ActuationState.CONTRADICTED, LIT | dict.fromkeys(COLOUR, "#00FF00")), color="red")
    assert spoken.outcome is Outcome.FAILED and "it shows green" in spoken.text and "now red" not in spoken.text


def test_another_colour_a_step_and_back() -> None:
    blue = recent(AMBIENT, before=LIT | dict.fromkeys(COLOUR, "#FF0000"), color="blue")
    assert claimed("make it green", blue) == [(AMBIENT, {"color": "green"})]
    assert claimed("换成红色", blue) == [(AMBIENT, {"color": "red"})]
    assert claimed("brighter", blue) == [(AMBIENT, {"delta": 20})] and claimed("再暗一点", blue) == [(AMBIENT, {"delta": -20})]
    assert after("undo that", blue) == [(AMBIENT, {"color": "red"})]
    assert after("turn it off", blue) == [(AMBIENT, {"on": False})]
    level = recent(AMBIENT, before=LIT, level=80)
    assert after("no, sixty", level) == [(AMBIENT, {"level": 60})]
    assert after("a bit more", level) == [(AMBIENT, {"delta": 20})]
    assert after("调回去", level) == [(AMBIENT, {"level": 50})]
    assert after("put it back", recent(AMBIENT, before=dict.fromkeys(ON, False), level=80)) == [(AMBIENT, {"on": False})]
    assert claimed("make it green") == "Nothing" or not touches("make it green", AMBIENT)
    assert after("undo that", recent(CABIN, before={DOME_LIGHT: True}, on=False)) == [(CABIN, {"on": True})]


def test_a_stretch_that_the_tagger_found() -> None:
    assert meant(CABIN, "on", "I dropped my earring, lights on in here") == [{"on": True}]
    assert meant(AMBIENT, "color", "I fancy a green glow") == [{"color": "green"}]
    assert meant(AMBIENT, "level", "bring the mood light down to ten") == [{"level": 10}]
    assert meant(AMBIENT, "level", "set ambient to level four") == [{"missing": ("level",)}]
    assert meant(AMBIENT, "color", "氛围灯从红色改成白色") == [{"color": "white"}]
    assert meant(AMBIENT, "off", "the accent lights are distracting, switch them off") == [{"on": False}]


def test_every_colour_has_words_in_both_languages_and_a_value_of_the_cars_kind() -> None:
    assert set(NAMES) == set(COLOURS)
    for name, colour in COLOURS.items():
        assert find_colour(colour.english, False) == (name, colour.english)
        found = find_colour(colour.chinese, True)
        assert found is not None and found[0] == name
        assert len(colour.hex) == 7 and int(colour.hex[1:], 16) >= 0


def test_the_simulated_lights_do_as_asked() -> None:
    plant = Plant()
    for path in (*ON, DOME_LIGHT):
        plant.command(path, True)
    for path in COLOUR:
        plant.command(path, "#FF0000")
    plant.step(0.5)
    assert all(plant.values[path] is True for path in (*ON, DOME_LIGHT)) and plant.values[COLOUR[1]] == "#FF0000"
