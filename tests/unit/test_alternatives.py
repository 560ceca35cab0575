"""Two values where one is needed: which is asked, the answer completes the call, and nothing is done before."""

from __future__ import annotations

from typing import Any

import pytest

from ridealong.harness.router import AskBack, Calls, Decision, Router
from ridealong.harness.skill import Context, Outcome, Provenance, Recent
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.tagged import untagged
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.commands import RecordingPort, car_at

pytestmark = pytest.mark.unit

ROUTER = TaggedRouter(Router(builtin_registry()), untagged)
READ = RecordingPort(car_at(0), Provenance.DRIVER).read


def decide(words: str, *recent: Recent) -> Decision:
    context = Context(recent=recent, provenance=Provenance.DRIVER, read=READ)
    return ROUTER.decide(words, "zh" if ord(words[0]) > 0x3000 else "en", context, Provenance.DRIVER)


ASKED = [
    ("set the temperature to 20 or 21", "climate.set_temperature", "target", ("20", "21")),
    ("set the temperature to nineteen or maybe twenty degrees", "climate.set_temperature", "target", ("nineteen", "twenty degrees")),
    ("set the fan to 40 or 50 percent", "climate.set_fan", "speed", ("40", "50 percent")),
    ("set a timer for five or ten minutes", "timer.set", "duration_s", ("five", "ten minutes")),
    ("navigate to Brighton or Hove", "navigation.set_destination", "place", ("Brighton", "Hove")),
    ("open the left or right window", "windows.set_position", "zone", ("left", "right")),
    ("close the front or the rear windows", "windows.set_position", "zone", ("front", "rear")),
    ("温度调到20或者21度", "climate.set_temperature", "target", ("20", "21度")), ("风量调到百分之四十或百分之五十", "climate.set_fan", "speed", ("四十", "五十")),
    ("导航去南京或者苏州", "navigation.set_destination", "place", ("南京", "苏州")), ("打开左边或者右边的车窗", "windows.set_position", "zone", ("左边", "右边")),
]  # fmt: skip


@pytest.mark.parametrize(("words", "capability", "missing", "named"), ASKED)
def test_which_of_the_two_is_asked(words: str, capability: str, missing: str, named: tuple[str, str]) -> None:
    decision = decide(words)
    assert isinstance(decision, AskBack) and decision.match is not None, decision
    assert decision.match.capability == capability and decision.match.missing == (missing,)
    assert missing not in decision.match.arguments
    assert all(name in decision.question for name in named)


@pytest.mark.parametrize(("words", "answer", "arguments"), [
    ("set the temperature to 20 or 21", "21", {"target": 21.0, "zone": "row1.driver"}), ("open the left or right window", "the right one", {"position": 100, "zone": "row1.passenger"}),
    ("导航去南京或者苏州", "苏州", {"place": "苏州"}), ("温度调到20或者21度", "20", {"target": 20.0, "zone": "row1.driver"}),
])  # fmt: skip
def test_the_answer_completes_the_call(words: str, answer: str, arguments: dict[str, Any]) -> None:
    asked = decide(words)
    assert isinstance(asked, AskBack) and asked.match is not None
    recent = Recent(asked.match.capability, asked.match.arguments, Outcome.ASKS, 3_000)
    decision = decide(answer, recent)
    assert isinstance(decision, Calls) and decision.matches[0].capability == asked.match.capability
    known = decision.matches[0].arguments
    if "zone" in arguments and arguments["zone"] == "row1.passenger":  # right of whichever side the wheel is on
        arguments = {**arguments, "zone": known["zone"]}
        assert known["zone"] in ("row1.driver", "row1.passenger")
    assert known == arguments


@pytest.mark.parametrize(("words", "value"), [
    ("set the temperature to 20 or 21, 21 please", 21.0), ("set the temperature to 20 or no, 22", 22.0), ("set the temperature to 21 or so", 21.0),
    ("set the temperature to 20 or 21, whichever", None), ("two or three degrees warmer", None), ("温度调到20或21度都行", None), ("温度调到二十二度左右", 22.0),
])  # fmt: skip
def test_what_the_words_decide_or_leave_to_us_is_not_asked(words: str, value: float | None) -> None:
    decision = decide(words)
    assert isinstance(decision, Calls), decision
    assert value is None or decision.matches[0].arguments["target"] == value


@pytest.mark.parametrize(
    "words", ["turn on the AC or the fan", "open the window or the boot", "打开空调或者风扇", "打开后备箱或者车窗"]
)
def test_of_two_things_neither_is_touched(words: str) -> None:
    decision = decide(words)
    assert not isinstance(decision, Calls), decision


def test_of_several_calls_only_the_open_one_waits() -> None:
    decision = decide("set the fan to 40 percent and the temperature to 20 or 21")
    assert isinstance(decision, Calls)
    assert [match.capability for match in decision.matches] == ["climate.set_fan"]
    asked = decision.also[0].decision
    assert isinstance(asked, AskBack) and asked.match is not None and asked.match.missing == ("target",)


@pytest.mark.parametrize(("words", "value"), [("两三度", 2.0), ("三四度", 3.0), ("二十三度", 23.0), ("二三", 23.0), ("五六分钟", 5.0), ("五十六度", 56.0)])  # fmt: skip
def test_two_or_three_is_no_twenty_three(words: str, value: float) -> None:
    assert [number.value for number in find_numbers(words, "zh")] == [value]
