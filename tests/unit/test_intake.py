"""What makes a backlog: the link, and nothing else."""

from __future__ import annotations

import asyncio

import pytest

from ridealong.cloud.busy import BEAT_S, Busy
from ridealong.cloud.intake import IN_TOUCH_MS, Intake
from ridealong.proto.types import MicrophoneState, Samples, UnitIndex, UnitPart
from ridealong.simulators.virtual_time import VirtualTimeLoop

pytestmark = pytest.mark.unit


def part(unit: int) -> UnitPart:
    return UnitPart(UnitIndex(unit), 0, True, Samples(16_000 * unit), 16_000, bytes(32_000), MicrophoneState.LIVE)


def test_what_the_link_brings_late_is_a_backlog() -> None:
    intake = Intake(0.0)
    assert intake.part(part(0), 1.02).late_ms == 0
    assert intake.part(part(1), 4.5).late_ms == pytest.approx(2_480, abs=2)
    assert intake.out_of_backlog(Samples(20_000)) and not intake.out_of_backlog(Samples(10_000))
    assert intake.typed_long_ago(Samples(32_000), 4.5) and not intake.typed_long_ago(Samples(60_000), 4.5)


def test_what_only_waited_here_is_none() -> None:
    intake = Intake(0.0)
    for unit in range(20):  # each is worked on for two seconds, and arrives in time
        worked_on_s, arrived_s = 2.0 * unit + 2, unit + 1.02
        assert intake.part(part(unit), worked_on_s, arrived_s).late_ms < 1
    assert not intake.out_of_backlog(Samples(300_000)) and not intake.typed_long_ago(Samples(320_000), 20.03)
    assert intake.now(worked_on_s) == 20 * 16_000


def test_nor_what_lay_there_while_the_node_could_take_nothing() -> None:
    busy = Busy()
    busy.came(1.0, 2.5)
    busy.came(2.55, 5.0)
    assert busy.between(0.0, 10.0) == pytest.approx(3.95)
    intake = Intake(0.0, busy.between)
    intake.part(part(0), 1.0)
    assert intake.part(part(1), 5.0).late_ms == pytest.approx(50, abs=2)  # due at 2.0
    assert not intake.typed_long_ago(Samples(19_200), 5.0)
    assert intake.part(part(2), 8.0).late_ms > IN_TOUCH_MS  # due at 3.0, and taken three seconds after there was time
    assert intake.typed_long_ago(Samples(16_000 * 5), 8.0)


def test_clocks_that_part_are_not_lateness() -> None:
    intake = Intake(0.0)
    slow = 1 + 100e-6  # the device's second, on the node's clock
    assert max(intake.part(part(unit), (unit + 1) * slow).late_ms for unit in range(8 * 3_600)) < 5


def test_a_loop_that_is_held_up_knows_it() -> None:
    loop = VirtualTimeLoop()
    busy = Busy()

    async def ride() -> None:
        busy.begin()
        busy.begin()
        await asyncio.sleep(1.0)
        assert busy.between(0.0, loop.time()) == pytest.approx(0.0, abs=1e-6)
        began_s = loop.time()
        loop._jumping.now_s += 4.0  # somebody computes on it
        assert busy.between(began_s, loop.time()) == pytest.approx(4.0, abs=BEAT_S)  # not over yet
        await asyncio.sleep(2.0)
        assert busy.between(began_s, loop.time()) == pytest.approx(4.0, abs=BEAT_S)
        assert busy.between(began_s + 1, began_s + 2) == pytest.approx(1.0)
        assert busy.between(began_s + 4.5, loop.time()) == pytest.approx(0.0, abs=1e-6)
        busy.end()

    try:
        loop.run_until_complete(ride())
    finally:
        loop.close()
