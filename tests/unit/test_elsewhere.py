"""Effects outside the car: how fast it may go and who may ask count for them too; and what `skills check` says of such skills, and of a vehicle file."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from ridealong.errors import UserError
from ridealong.harness.mcp.answers import Answer, Answered
from ridealong.harness.mcp.capabilities import capability
from ridealong.harness.mcp.config import McpServer
from ridealong.harness.mcp.contracts import Described, ToolContract, contract
from ridealong.harness.permission import ELSEWHERE
from ridealong.harness.port import GuardedPort
from ridealong.harness.registry import Registry
from ridealong.harness.runner import Job, LoopClock
from ridealong.harness.skill import Call, Confirmation, Motion, Outcome, Provenance, Risk, Skill, Spoken, skill
from ridealong.proto.types import ActuationResult, ActuationState, SignalWrite
from ridealong.vehicle_skills.commands import CHECK
from ridealong.vehicle_skills.lint import lint
from ridealong.vehicle_skills.policy import path_fault
from ridealong.vehicle_skills.pretended import car_at
from tests.unit.harness_scene import PolicyCar

pytestmark = pytest.mark.unit

SERVER = McpServer("list", "x")


async def answers(tool: str, arguments: Mapping[str, object], key: str) -> Answer:
    return Answered(("Added.",))


def tool(server: McpServer) -> Skill:
    made = contract("list", Described("add", "Adds.", {"type": "object", "properties": {}}))
    assert isinstance(made, ToolContract)
    return capability(server, made, (), answers)


def port(one: Skill, speed_kmh: float | None, by: Provenance, confirmed: Confirmation) -> GuardedPort:
    async def durable(work_id: str, key: str, writes: object) -> bool:
        return True

    values = dict(car_at(speed_kmh)) if speed_kmh is not None else {}
    return GuardedPort(PolicyCar(values=values), Job("w", one), by, confirmed, durable, lambda key, result: None)


def asked(server: McpServer, speed_kmh: float, by: Provenance = Provenance.DRIVER, agreed: bool = False) -> Spoken:
    one = tool(server)
    confirmed = Confirmation.EXPLICIT if agreed else Confirmation.NONE
    guarded = port(one, speed_kmh, by, confirmed)
    call = Call("w", "", "", "en", by, {}, guarded, LoopClock(), confirmation=confirmed, effects=guarded, agreed_to={})
    return asyncio.run(one.run(call))  # type: ignore[arg-type]


def test_a_tool_for_a_parked_car_is_neither_asked_about_nor_called_in_a_moving_one() -> None:
    parked = replace(SERVER, motion=Motion.PARKED)
    assert asked(parked, 0).outcome is Outcome.ASKS
    assert asked(parked, 0, agreed=True).text == "Added."
    for agreed in (False, True):
        assert asked(parked, 50, agreed=agreed).text == "I can't use list while we're moving."
    assert asked(SERVER, 130, agreed=True).text == "Added."  # any, where nothing is said of it


def test_a_tool_for_the_driver_alone() -> None:
    mine = replace(SERVER, by=("driver",))
    assert asked(mine, 0).outcome is Outcome.ASKS
    assert asked(mine, 0, Provenance.PASSENGER).text == "Only the driver can ask me to use list."


def test_the_port_holds_it_too_and_knows_no_car_to_be_slow() -> None:
    async def do(key: str) -> ActuationResult:
        return ActuationResult(key, ActuationState.CONFIRMED)

    def done(server: McpServer, speed_kmh: float | None) -> str:
        guarded = port(tool(server), speed_kmh, Provenance.DRIVER, Confirmation.EXPLICIT)
        result = asyncio.run(guarded.perform("mcp:list.add", "{}", do))
        return result.reason or result.state.name

    assert done(replace(SERVER, motion=Motion.SLOW), 50) == "CONFIRMED"
    assert done(replace(SERVER, motion=Motion.SLOW), 100) == "too_fast"
    assert done(replace(SERVER, motion=Motion.SLOW), None) == "unknown_speed"
    assert done(SERVER, None) == "CONFIRMED"


def test_who_may_ask_is_read_and_judged() -> None:
    assert "'mother' in by" in (replace(SERVER, by=("mother",)).check() or "")
    assert "'seen' in by" in (replace(SERVER, by=("seen",)).check() or "")
    assert replace(SERVER, by=("driver", "typed")).check() is None


def order(**changes: object) -> Skill:
    contract: dict[str, object] = {
        "description": "Order a pizza.", "group": "shopping", "actuates": ("pizza:order",), "motion": Motion.ANY,
        "doing": {"en": "order a pizza", "zh": "订比萨"}, "says": {"en": ("order a pizza",), "zh": ("订一份比萨",)},
        "examples": {"en": ("Order a pizza.",), "zh": ("订一份比萨。",)},
    }  # fmt: skip

    async def run(call: Call) -> Spoken:
        async def do(key: str) -> ActuationResult:
            return ActuationResult(key, ActuationState.CONFIRMED)

        result = await call.effects.perform("pizza:order", "one", do)
        return Spoken("Ordered.") if result.state is ActuationState.CONFIRMED else Spoken("No.", Outcome.REFUSED, result.reason)

    return skill("pizza.order", **(contract | changes))(run)  # type: ignore[arg-type]


def test_a_typed_skill_that_only_acts_elsewhere_needs_no_group_of_the_policy() -> None:
    def said(one: Skill, speed_kmh: float, confirmed: Confirmation) -> str:
        guarded = port(one, speed_kmh, Provenance.DRIVER, confirmed)
        call = Call("w", "", "", "en", Provenance.DRIVER, {}, guarded, LoopClock(), confirmation=confirmed, effects=guarded)
        return asyncio.run(one.run(call)).text  # type: ignore[arg-type]

    assert said(order(), 130, Confirmation.NONE) == "Shall I order a pizza?"
    assert said(order(), 130, Confirmation.EXPLICIT) == "Ordered."
    assert said(order(motion=Motion.PARKED), 50, Confirmation.EXPLICIT) == "I can't order a pizza while we're moving."


def test_the_lint_judges_it_by_the_row_for_what_is_outside_the_car() -> None:
    assert lint(Registry([order()])) == []
    assert lint(Registry([order(doing={"en": "order a pizza"})])) == ["pizza.order: has no refusal sentence in zh: give `doing`"]
    assert lint(Registry([order(risk=Risk.COMFORT)])) == [
        f"pizza.order: declares the risk comfort, but the group {ELSEWHERE} is of access"
    ]
    both = lint(Registry([order(actuates=("pizza:order", "Vehicle.Cabin.HVAC.IsAirConditioningActive"))]))
    assert "pizza.order: acts in the group 'shopping', which the policy does not know: it is always refused" in both


def test_no_signal_of_the_car_is_written_as_something_elsewhere() -> None:
    writes = [SignalWrite("Vehicle.Cabin.HVAC.IsAirConditioningActive", True)]
    one = order(actuates=("Vehicle.Cabin.HVAC.IsAirConditioningActive",))
    guarded = port(one, 0, Provenance.DRIVER, Confirmation.EXPLICIT)
    assert not guarded.check("shopping", Confirmation.EXPLICIT).allowed
    assert path_fault(ELSEWHERE, writes) == "wrong_group"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("vss: '7.0'\n", "vss must be one of"),
        ("map: {Vehicle.Cabin.Nothing: {steps: 7}}\n", "is no signal of ours"),
        ("colour: red\n", "'colour'"),
        ("drive: middle\n", "left or right"),
    ],
)
def test_skills_check_judges_the_whole_vehicle_file(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "vehicle.yaml"
    file.write_text(text, encoding="utf-8")
    parser = argparse.ArgumentParser()
    CHECK.configure(parser)
    with pytest.raises(UserError, match=sentence):
        CHECK.run(parser.parse_args(["--vehicle", str(file)]))
