"""A node that stood still (stopped, swapped out) doesn't blame the car for it: what arrived meanwhile is read before a limit is called passed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from ridealong.cloud.vehicle import Car
from ridealong.harness.skill import Confirmation, Motion, Provenance
from ridealong.proto.types import Actuate, ActuationResult, ActuationState, DownlinkBody, Samples, SignalWrite, VehicleState
from ridealong.simulators.virtual_time import run_virtual
from tests.unit.harness_scene import TEMPERATURE, Scene, play

pytestmark = pytest.mark.unit


def still(first_s: float, last_s: float) -> Callable[[float, float], float]:
    return lambda from_s, to_s: max(0.0, min(to_s, last_s) - max(from_s, first_s))


NEVER = still(0, 0)


@pytest.mark.parametrize(
    ("busy", "after_s", "states"),
    [
        (still(1, 13), 20.0, "completed/pending"),
        (NEVER, 20.0, "unknown/pending"),
        (still(1, 13), 40.0, "unknown/pending"),  # no longer than that
        (still(1, 1.5), 15.2, "unknown/pending"),
    ],
)
def test_a_skill_has_its_time_beside_that(
    tmp_path: Path, busy: Callable[[float, float], float], after_s: float, states: str
) -> None:
    async def script(s: Scene) -> None:
        s.car.delay_ms = after_s * 1000
        s.ask(f"act: write {TEMPERATURE}=22.5 | say Set.")
        await asyncio.sleep(29)
        assert s.states() == {"w1": states}

    play(Scene(tmp_path, busy=busy), script)


@pytest.mark.parametrize(
    ("busy", "after_s", "state"),
    [
        (still(1, 13), 15.0, ActuationState.CONFIRMED),
        (NEVER, 15.0, ActuationState.TIMED_OUT),
        (still(1, 13), 30.0, ActuationState.TIMED_OUT),
    ],
)
def test_so_has_the_car(busy: Callable[[float, float], float], after_s: float, state: ActuationState) -> None:
    async def run() -> ActuationResult:
        sent: list[DownlinkBody] = []
        car = Car("s", sent.append, lambda: Samples(0), lambda: Samples(0), busy=busy)
        car.on_state(VehicleState(Samples(0), ()))
        answer = ActuationResult("k", ActuationState.CONFIRMED)
        asyncio.get_running_loop().call_later(after_s, car.on_result, answer)
        result = await car.actuate(
            "k", Provenance.DRIVER, [SignalWrite(TEMPERATURE, 22.5)], group="climate", confirmation=Confirmation.NONE,
            confirm_within_ms=5_000, tier=Motion.ANY,
        )  # fmt: skip
        assert [type(body) for body in sent] == [Actuate] and not car._waiting
        return result

    assert run_virtual(run()).state is state
