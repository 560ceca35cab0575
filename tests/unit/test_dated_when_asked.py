"""An order lives from when it was asked for, by the device's clock: however long the node then took to write it down, or stood still."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from ridealong.harness.port import GuardedPort
from ridealong.harness.runner import Job
from ridealong.harness.skill import Confirmation, Provenance
from ridealong.harness.work import Execution
from ridealong.proto.types import Actuate, Samples, SignalWrite, ms_from_samples
from ridealong.simulators.virtual_time import run_virtual
from tests.unit.harness_scene import TEMPERATURE, FakeCar, skill
from tests.unit.riding_scene import Riding, ride

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(("held_s", "done"), [(0.0, True), (1.5, True), (2.5, False), (10.0, False)])
def test_what_was_held_up_is_not_done(tmp_path: Path, held_s: float, done: bool) -> None:
    async def story(s: Riding) -> None:
        held_up(s, held_s)
        asked_at = s.now()
        opened = s.say("Open my window.")
        heard = await s.told(held_s + 8)
        order = s.orders[0]
        assert isinstance(order, Actuate) and ms_from_samples(Samples(order.requested_at - asked_at)) < 100
        if done:
            assert s.position() == 100 and heard == ["The driver's window is now fully open."]
        else:
            assert s.position() == 0 and not s.drive.broker.forwarded
            assert heard == ["I didn't open the driver's window: the request reached the car too late."]
            assert s.harness.items[opened].execution is Execution.FAILED
            assert [(row.state, row.reason) for row in s.journal.intents(opened)] == [("refused", "expired")]

    ride(Riding(tmp_path), story)


def held_up(s: Riding, held_s: float) -> None:
    """As a node that is stopped (SIGSTOP) while the intent goes to the disk: the device's clock goes on."""
    on_disk = s.harness._writer.intend

    async def intend(intent: object) -> bool:
        durable = await on_disk(intent)  # type: ignore[arg-type]
        await asyncio.sleep(held_s)
        return durable

    s.harness._writer.intend = intend  # type: ignore[method-assign]


def test_so_is_a_halt(tmp_path: Path) -> None:
    async def story(s: Riding) -> None:
        s.say("Open my window.")
        await asyncio.sleep(1)
        held_up(s, 2.5)
        s.say("Stop!")
        heard = await s.told(8)
        assert s.position() == 100 and "stopped" not in " ".join(heard)

    ride(Riding(tmp_path), story)


def test_the_device_s_clock_counts_not_what_the_node_has_worked_on() -> None:
    """Between asking and sending both clocks have jumped."""

    class Away(FakeCar):
        clock = 1_000

        def device_now(self) -> Samples:
            return Samples(self.clock)

    async def main() -> None:
        car, dated = Away(), list[Samples | None]()
        real = car.actuate

        async def actuate(*about: object, requested_at: Samples | None = None, **how: object) -> object:
            dated.append(requested_at)
            return await real(*about, **how)  # type: ignore[arg-type]

        car.actuate = actuate  # type: ignore[method-assign, assignment]

        async def durable(work_id: str, key: str, writes: Sequence[SignalWrite]) -> bool:
            car.clock += 160_000
            return True

        job = Job("w", skill("act", actuates=(TEMPERATURE,)))
        port = GuardedPort(car, job, Provenance.DRIVER, Confirmation.NONE, durable, lambda key, result: None)
        await port.actuate([SignalWrite(TEMPERATURE, 21.0)], group="climate")
        await port.actuate([SignalWrite(TEMPERATURE, 22.0)], group="climate")
        assert dated == [1_000, 161_000]

    run_virtual(main())
