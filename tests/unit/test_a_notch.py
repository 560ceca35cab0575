"""A step without a thing is one of what was asked for just before: "set my seat heating to 2", "up one" (it changed the temperature)."""

import pytest

from ridealong.harness.router import Calls
from ridealong.harness.skill import Outcome, Recent
from tests.unit.car_words import decide

pytestmark = pytest.mark.unit

ASKED = {
    "set my seat heating to 2": "seats.", "fan at 50": "climate.set_fan", "volume at 30": "media.", "ambient light at fifty percent": "lights.",
    "wipers to slow": "wipers.", "open my window halfway": "windows.", "set the temperature to 21": "climate.",
}  # fmt: skip
ASKED_ZH = {
    "主驾座椅加热调到二档": "seats.", "风量调到50": "climate.set_fan", "音量调到30": "media.", "雨刷调到慢速": "wipers.", "主驾车窗开一半": "windows.", "温度调到21度": "climate.",
}  # fmt: skip
UP = (
    "up one",
    "up a notch",
    "bring it up a notch",
    "turn it up one",
    "one notch higher",
    "nudge it up",
    "a touch more",
    "bump it up",
)
DOWN = (
    "down one",
    "down a notch",
    "take it down a notch",
    "knock it down one",
    "drop it a notch",
    "ease off a bit",
    "a bit less",
)
UP_ZH, DOWN_ZH = ("升一档", "调高一档", "往上一点"), ("降一档", "调低一档", "往下一点")


def steps(before: str, step: str) -> list[tuple[str, dict[str, object]]]:
    first = decide(before)
    assert isinstance(first, Calls), before
    recent = tuple(Recent(one.capability, one.arguments, Outcome.COMPLETED, 3000.0) for one in first.matches)
    decision = decide(step, *recent)
    assert isinstance(decision, Calls), (before, step, decision)
    return [(one.capability, dict(one.arguments)) for one in decision.matches]


@pytest.mark.parametrize(("before", "whose"), [*ASKED.items(), *ASKED_ZH.items()])
def test_a_step_is_of_what_was_asked_for(before: str, whose: str) -> None:
    up, down = (UP, DOWN) if before.isascii() else (UP_ZH, DOWN_ZH)
    for step in (*up, *down):
        [(capability, _)] = steps(before, step)
        assert capability.startswith(whose), (before, step, capability)


def test_which_way() -> None:
    assert all(steps("wipers to slow", step) == [("wipers.change", {"faster": True})] for step in UP)
    assert all(steps("wipers to slow", step) == [("wipers.change", {"faster": False})] for step in DOWN)
    for step, sign in [*((step, 1) for step in UP), *((step, -1) for step in DOWN)]:
        [(_, arguments)] = steps("set my seat heating to 2", step)
        assert arguments.get("delta", 0) * sign > 0, step  # type: ignore[operator]


@pytest.mark.parametrize("off", ["turn it off", "off", "take it off", "switch that off please"])
def test_off_is_no_step(off: str) -> None:
    assert steps("turn on my seat heating", off) == [("seats.set_heating", {"level": 0, "zone": "row1.driver"})]
