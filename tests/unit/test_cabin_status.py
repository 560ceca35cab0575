"""Questions about the cabin: they are answered from what the car shows, and never act."""

from __future__ import annotations

import pytest

from ridealong.harness.skill import Outcome, Provenance
from ridealong.proto.types import SignalValue
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.cabin_signals import LIGHT_SWITCH, LOW_BEAM
from ridealong.vehicle_skills.lights.plan import COLOUR, INTENSITY, ON
from ridealong.vehicle_skills.pretended import RecordingPort

from .cabin import REGISTRY, car, claimed, meant, run, touches

pytestmark = pytest.mark.unit

LOCKS, SEATS, LIGHTS = "status.locks", "status.seat_heating", "status.lights"
DOORS = {(row, side): vss.door_locked(row, side) for row in vss.ROWS for side in vss.SIDES}


@pytest.mark.parametrize(
    ("topic", "texts"),
    [
        (LOCKS, ["Are the doors locked?", "Is the car locked?", "did I lock the car?", "are all the doors locked", "is my door locked", "is the passenger door locked", "check whether the doors are locked", "tell me if the car is locked", "which doors are unlocked", "door lock status",
                 "are we locked in", "is everything locked", "are the back doors locked?", "did you lock the doors", "have I locked it",
                 "车门锁了吗？", "车锁好了吗", "门锁好没有", "我锁车了吗", "左后门锁着吗", "副驾的门锁了没", "车门都锁上了吗", "检查一下车门锁", "看看门锁状态", "车锁上了没有", "哪个门没锁", "后排车门锁着没", "所有车门都锁好了吗", "车门是锁着的吗", "告诉我车门锁了没"]),
        (SEATS, ["Is my seat heating on?", "what level is my seat heating at", "are the seats heated", "is the passenger seat heating on", "how high is the seat heating", "is the seat ventilation on?", "is my seat heater still on", "what is the seat heating set to", "are the heated seats on", "did I leave the seat heating on",
                 "check the seat heating", "tell me whether the seat heating is on", "seat heating status", "which seats are heated", "how warm is my seat set",
                 "座椅加热开着吗", "座椅加热是几档", "我的座椅加热开了没", "副驾座椅加热关了吗", "座椅通风开着吗", "座椅加热现在多少", "看看座椅加热状态", "座椅加热还开着吗", "前排座椅加热开了没有", "座椅加热是不是开着", "座椅现在加热吗", "查一下座椅加热", "座椅通风是几档", "座椅加热关掉了吗", "主驾座椅加热开着没"]),
        (LIGHTS, ["Which lights are on?", "is the cabin light on?", "are the headlights on", "is the ambient light on", "what colour is the ambient light", "how bright is the ambient light", "did I leave a light on", "are my lights off", "is the reading light still on", "are any lights on", "light status",
                  "tell me which lights are on", "is the mood lighting on?", "check if the headlights are on", "are the low beams on",
                  "大灯开着吗", "车内灯关了没", "氛围灯是什么颜色", "氛围灯多亮", "阅读灯还开着吗", "哪些灯开着", "近光灯开了吗", "我忘了关灯没有", "顶灯关了吗", "看看车灯是不是亮着", "氛围灯开着没", "车灯状态怎样", "头灯亮着吗", "车内灯是开着的吗", "还有灯亮着吗"]),
    ],
)  # fmt: skip
def test_what_asks(topic: str, texts: list[str]) -> None:
    assert {text: claimed(text) for text in texts} == {text: [(topic, {})] for text in texts}


@pytest.mark.parametrize(
    "text",
    [
        "Lock the doors.", "is my phone locked", "are the doors open", "is the house locked?", "is the child lock on", "lights please", "the doors are locked", "is the traffic light red", "why is that warning light on", "is it safe to drive with this light on", "is this seat taken", "is my seat belt on",
        "how do I turn on the headlights", "turn on my seat heating", "is the light red at the junction", "锁车门", "手机锁了吗", "车门开着吗", "家里门锁了吗", "红灯亮了吗", "故障灯亮了是怎么回事", "打开大灯", "安全带系了吗", "儿童锁开着吗", "客厅的灯关了吗", "座椅多少钱", "车位里有没有地锁", "what is that light on the dash", "what colour is the light", "把座椅加热打开", "ABS灯亮了严重吗",
    ],
)  # fmt: skip
def test_what_asks_for_none_of_these(text: str) -> None:
    assert not touches(text, LOCKS, SEATS, LIGHTS)


@pytest.mark.parametrize(
    "text",
    [
        "are the doors locked?",
        "车门锁了吗",
        "is the ambient light on?",
        "座椅加热开着吗",
        "are the headlights on",
        "阅读灯开着吗",
    ],
)
def test_a_question_never_acts(text: str) -> None:
    ((capability, _),) = claimed(text)
    skill = REGISTRY.get(capability)
    assert skill is not None and skill.actuates == () and skill.read_only
    port = car()
    run(capability, port)
    assert port.sent == []


def _locks(**locked: bool) -> dict[str, SignalValue]:
    return {path: locked.get(f"{row}{side}", locked.get("rest", True)) for (row, side), path in DOORS.items()}


@pytest.mark.parametrize(
    ("shown", "english", "chinese"),
    [
        (_locks(), "The doors are locked.", "车门都锁着。"),
        (_locks(rest=False), "The doors are not locked.", "车门都没锁。"),
        (_locks(Row2DriverSide=False), "The rear left door is not locked; the others are.", "左后车门没锁，其他的锁着。"),
        (_locks(Row2DriverSide=False, Row2PassengerSide=False), "The rear doors are not locked; the others are.", "后排车门没锁，其他的锁着。"),
        ({DOORS["Row1", "DriverSide"]: True}, "The doors are locked. I can't read 3 of them.", "车门都锁着。有3个没有读数。"),
        ({}, "I have no reading of the door locks.", "我没有门锁的读数。"),
    ],
)  # fmt: skip
def test_which_doors_are_locked(shown: dict[str, SignalValue], english: str, chinese: str) -> None:
    assert _answers(LOCKS, shown | {vss.DRIVER_POSITION: "LEFT"}) == (english, chinese)


@pytest.mark.parametrize(
    ("driver", "passenger", "english", "chinese"),
    [
        (0, 0, "The front seats are neither heated nor cooled.", "前排座椅的加热和通风都关着。"),
        (66, 0, "The driver's seat is heated on medium, and the front passenger's seat is not heated.", "主驾驶座椅加热中档，副驾驶座椅加热关着。"),
        (50, -33, "The driver's seat is heated at 50 percent, and the front passenger's seat is cooled on low.", "主驾驶座椅加热50%，副驾驶座椅通风低档。"),
        (None, 100, "The front passenger's seat is heated on high.", "副驾驶座椅加热高档。"),
        (None, None, "I have no reading of the seat heating.", "我没有座椅加热的读数。"),
    ],
)  # fmt: skip
def test_how_the_seats_are_heated(driver: int | None, passenger: int | None, english: str, chinese: str) -> None:
    levels = {vss.seat("DriverSide", "HeatingCooling"): driver, vss.seat("PassengerSide", "HeatingCooling"): passenger}
    assert _answers(SEATS, {path: level for path, level in levels.items() if level is not None}) == (english, chinese)


DARK: dict[str, SignalValue] = {vss.DOME_LIGHT: False, **dict.fromkeys(ON, False), LOW_BEAM: False}
GLOWS: dict[str, SignalValue] = {**dict.fromkeys(ON, True), **dict.fromkeys(COLOUR, "#0000FF"), **dict.fromkeys(INTENSITY, 40)}


@pytest.mark.parametrize(
    ("shown", "english", "chinese"),
    [
        (DARK, "The cabin light, the ambient light and the headlights are off.", "车内灯、氛围灯、大灯关着。"),
        (DARK | {vss.DOME_LIGHT: True}, "The cabin light is on; the ambient light and the headlights are off.", "车内灯开着，氛围灯、大灯关着。"),
        (DARK | GLOWS, "The ambient light (blue, 40 percent) is on; the cabin light and the headlights are off.", "氛围灯（蓝色，40%）开着，车内灯、大灯关着。"),
        (DARK | GLOWS | {LOW_BEAM: True, vss.DOME_LIGHT: True}, "The cabin light, the ambient light (blue, 40 percent) and the headlights are on.", "车内灯、氛围灯（蓝色，40%）、大灯开着。"),
        ({vss.DOME_LIGHT: False, LIGHT_SWITCH: "BEAM"}, "The headlights are on; the cabin light is off; I have no reading of the ambient light.", "大灯开着，车内灯关着，氛围灯没有读数。"),
        ({LIGHT_SWITCH: "AUTO"}, "I have no reading of the lights.", "我没有灯的读数。"),
    ],
)  # fmt: skip
def test_which_lights_are_on(shown: dict[str, SignalValue], english: str, chinese: str) -> None:
    assert _answers(LIGHTS, shown) == (english, chinese)


def _answers(capability: str, shown: dict[str, SignalValue]) -> tuple[str, str]:
    port = RecordingPort(dict(shown), Provenance.DRIVER)
    return run(capability, port).text, run(capability, port, "zh").text


def test_an_answer_holds_as_long_as_what_it_was_made_of() -> None:
    spoken = run(LOCKS, car())
    assert {one.path for one in spoken.holds.still} >= set(DOORS.values())


def test_any_voice_in_the_car_may_ask() -> None:
    for by in (Provenance.PASSENGER, Provenance.UNKNOWN):
        assert run(LIGHTS, car(by=by), by=by).outcome is Outcome.COMPLETED
    assert run(LIGHTS, car(by=Provenance.OVERHEARD), by=Provenance.OVERHEARD).outcome is Outcome.REFUSED


def test_a_stretch_that_the_tagger_found() -> None:
    assert meant(LOCKS, "", "the kids' doors, are they locked") == [{}]
    assert meant(LIGHTS, "fragment", "and that one") == []
