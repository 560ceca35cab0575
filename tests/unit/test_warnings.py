"""What the car warns of: from its own signals, worst first, and nothing that no signal tells."""

from __future__ import annotations

import pytest

from ridealong.proto.types import SignalReading, SignalValue
from ridealong.vehicle_skills import cabin_signals as cabin
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.status.warnings import NAME, answer

from .cabin import claimed, touches

pytestmark = pytest.mark.unit

FINE: dict[str, SignalValue] = {
    **{cabin.tyre_low(axle, side): False for axle in vss.ROWS for side in ("Left", "Right")},
    **{cabin.brake_fluid_low(axle, side): False for axle in vss.ROWS for side in ("Left", "Right")},
    cabin.OIL_LEVEL: "NORMAL", cabin.SERVICE_DUE: False, cabin.SERVICE_DISTANCE: 12_400.0, cabin.FAULT_CODES: 0, cabin.WASHER_LOW: False,
    cabin.LOW_BEAM_DEFECT: False, cabin.FUEL_LOW: False, vss.TRUNK_OPEN: False,
}  # fmt: skip


def said(words: str, locale: str = "en", **wrong: SignalValue) -> str:
    values = FINE | {PATHS[name]: value for name, value in wrong.items()}
    return answer(lambda path: SignalReading(path, values[path]) if path in values else None, locale, words)


PATHS = {
    "tyre": cabin.tyre_low("Row1", "Right"), "rear": cabin.tyre_low("Row2", "Left"), "brakes": cabin.brake_fluid_low("Row1", "Left"), "oil": cabin.OIL_LEVEL,
    "service": cabin.SERVICE_DUE, "codes": cabin.FAULT_CODES, "washer": cabin.WASHER_LOW, "beam": cabin.LOW_BEAM_DEFECT, "boot": vss.TRUNK_OPEN, "unit": vss.DISTANCE_UNIT,
    "seat": vss.occupancy("Row1", "PassengerSide"), "belt": cabin.belted("Row1", "PassengerSide"),
}  # fmt: skip


def test_all_is_well() -> None:
    assert said("any warnings") == "The car reports no warnings." and said("有没有警告", "zh") == "车辆没有报告任何警告。"
    assert said("is a service due") == "No service is due: the next is in 12400 kilometres."
    assert said("is a service due", unit="MILES") == "No service is due: the next is in 7705 miles."
    assert said("why is the tyre light on") == "The car reports no warning about the tyre pressure."


def test_what_is_wrong_worst_first_and_three_at_most() -> None:
    assert said("why is that light on", tyre=True) == "The front right tyre is low on pressure."
    assert said("any warnings", tyre=True, rear=True) == "The front right and rear left tyres are low on pressure."
    assert said("what is wrong", oil="CRITICALLY_LOW", washer=True).startswith("The engine oil is critically low")
    assert (
        said("有故障吗", "zh", brakes=True, codes=2)
        == "制动液不足，请在安全的地方停车检查。车辆存有2个故障码，维修店可以读出内容。"
    )
    many = said("any warnings", brakes=True, oil="LOW", tyre=True, washer=True, codes=1)
    assert many.endswith("There are 2 more.") and "washer" not in many


def test_somebody_without_a_belt() -> None:
    assert said("what is beeping", seat="OCCUPIED", belt=False) == "Somebody isn't wearing a seat belt."
    assert said("any warnings", seat="EMPTY", belt=False) == "The car reports no warnings."


def test_what_is_named_is_answered_alone() -> None:
    assert said("what does the oil light mean", tyre=True) == "The car reports no warning about the oil."
    assert said("该保养了吗", "zh", service=True, tyre=True) == "该保养了。"


def test_what_no_signal_tells_is_not_guessed_at() -> None:
    assert said("what is the yellow triangle") == "The car doesn't tell me about that one. Please look it up in the handbook."
    assert answer(lambda path: None, "en", "any warnings") == "I have no reading of what the car warns of."
    assert answer(lambda path: None, "zh", "有没有警告") == "我没有车辆警告的读数。"


@pytest.mark.parametrize(
    "text",
    [
        "Why is that warning light on?", "is anything wrong with the car", "are there any warnings", "is the car due a service", "what does that orange light mean", "why did the engine light come on", "check the car for faults", "does the car have a problem", "show me the warning messages", "what is that symbol for on the dashboard",
        "为什么那个黄灯亮了", "车有故障吗", "这个灯是什么意思", "需要保养了吗", "看看有没有警告", "胎压灯怎么亮了", "检查一下车有没有毛病", "什么时候该保养",
    ],
)  # fmt: skip
def test_what_asks(text: str) -> None:
    assert claimed(text) == [(NAME, {})]


@pytest.mark.parametrize(
    "text",
    [
        "is there a weather warning", "what's wrong with you", "is the traffic light red", "turn on the light", "the warning light was on yesterday", "tell me when a warning comes on", "is there a problem with my phone", "do they have room service",
        "有台风警告吗", "你有什么问题", "把灯打开", "昨天故障灯亮了", "作业有没有问题", "红绿灯是红的吗",
    ],
)  # fmt: skip
def test_what_does_not(text: str) -> None:
    assert not touches(text, NAME)
