"""What makes a backlog: the link, and nothing else."""

from __future__ import annotations

import asyncio
import random

import pytest

from ridealong.cloud.busy import BEAT_S, Busy
from ridealong.cloud.intake import IN_TOUCH_MS, Intake
from ridealong.cloud.lateness import DRIFT_MS_PER_S, Lateness
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
    assert intake.now(worked_on_s) == pytest.approx(
        16_000 * (worked_on_s - 0.02), abs=16
    )  # the device's clock, not our own work's


def test_nor_what_lay_there_while_the_node_could_take_nothing() -> None:
    busy = Busy()
    busy.beat(1.0, 1.0, (1.0, 2.5), 2.5)
    busy.beat(2.55, 2.55, (2.55, 5.0), 5.0)
    assert busy.between(0.0, 10.0) == pytest.approx(3.95)
    intake = Intake(0.0, Lateness(busy.between))
    intake.part(part(0), 1.0)
    assert intake.part(part(1), 5.0).late_ms == pytest.approx(50, abs=2)  # due at 2.0
    assert not intake.typed_long_ago(Samples(19_200), 5.0)
    assert intake.part(part(2), 8.0).late_ms > IN_TOUCH_MS  # due at 3.0, and taken three seconds after there was time
    assert intake.typed_long_ago(Samples(16_000 * 5), 8.0)


def working(busy: Busy, from_s: float, to_s: float, work_s: float, rest_s: float) -> None:
    """The node works for `work_s`, has nothing to do for `rest_s`, and so on."""
    while from_s < to_s:
        busy.beat(from_s, from_s, (from_s, from_s + work_s / 2), from_s + work_s)
        from_s += work_s + rest_s


@pytest.mark.parametrize("rest_s", [0.0, 0.005, 0.01])
def test_nor_what_waited_behind_much_else_that_we_were_too_slow_for(rest_s: float) -> None:
    """Two hundred lines at once, and what is heard goes on: each message takes the node a while, so all behind it come late."""
    busy = Busy()
    working(busy, 10.0, 60.0, 0.04, rest_s)
    intake = Intake(0.0, Lateness(busy.between))
    for unit in range(10):
        assert intake.part(part(unit), unit + 1.02).late_ms < 1
    lines = [Samples(round(16_000 * (10.05 + line * 0.001))) for line in range(200)]
    ends = [Samples(16_000 * (unit + 1)) for unit in range(10, 20)]
    at_s, late_ms = 10.1, 0.0
    for made in sorted([*lines, *ends]):
        at_s = max(at_s + 0.04 + rest_s, made / 16_000 + 0.02)
        if made in lines:
            assert not intake.typed_long_ago(made, at_s)
        else:
            late_ms = intake.part(part(made // 16_000 - 1), at_s).late_ms
        assert late_ms <= IN_TOUCH_MS
    assert at_s - lines[-1] / 16_000 > 7


@pytest.mark.parametrize(("work_s", "rest_s"), [(0.04, 0.02), (0.3, 0.05), (0.01, 0.1)])
def test_what_the_link_keeps_back_is_a_backlog_on_a_busy_node_too(work_s: float, rest_s: float) -> None:
    busy = Busy()
    working(busy, 0.0, 60.0, work_s, rest_s)
    intake = Intake(0.0, Lateness(busy.between))
    for unit in range(10):
        intake.part(part(unit), unit + 1.02)
    typed = Samples(16_000 * 11)
    assert intake.typed_long_ago(typed, 25.0)
    late = [intake.part(part(unit), 25.0 + (unit - 10) * 0.02).late_ms > IN_TOUCH_MS for unit in range(10, 20)]
    assert all(late) and intake.out_of_backlog(typed)


@pytest.mark.parametrize("ppm", [-200, -100, 0, 100, 200, 400])
def test_clocks_that_part_are_not_lateness_and_a_stall_still_is(ppm: int) -> None:
    """Ten hours; every half an hour the link stands still for five seconds, and brings all of it at once."""
    intake, rng = Intake(0.0), random.Random(ppm)
    for unit in range(36_000):
        end, way_s = Samples(16_000 * (unit + 1)), 0.02 + rng.expovariate(1 / 0.03)
        stalled_s = max(0, 5 - unit % 1_800) if unit >= 1_800 else 0
        arrived_s = (unit + 1) * (1 + ppm * 1e-6) + way_s + stalled_s  # the device's second, on the node's clock
        late_ms = intake.part(part(unit), arrived_s).late_ms
        assert abs(late_ms - (stalled_s + way_s) * 1_000) < 200
        if stalled_s != 2:
            assert intake.typed_long_ago(end, arrived_s) is intake.out_of_backlog(end) is (stalled_s > 2)
        assert -200 * 16 < intake.device_now(arrived_s) - (end + (stalled_s + way_s) * 16_000) <= 0


def test_what_a_link_that_stays_slow_brings_is_seen_for_an_hour() -> None:
    intake = Intake(0.0)
    for unit in range(3_600):
        arrived_s = unit + 1.02 + (0 if unit < 60 else 4)
        assert (intake.part(part(unit), arrived_s).late_ms > IN_TOUCH_MS) is (unit >= 60)
    assert DRIFT_MS_PER_S * 3_600 < 4_000 - IN_TOUCH_MS


# --- the device's clock, told as a link begins ---------------------------------------------------------------------------


def test_what_was_made_before_the_session_began_is_late() -> None:
    intake = Intake(100.0)
    intake.lateness.linked(Samples(16_000 * 20), 100.02)
    assert intake.typed_long_ago(Samples(16_000 * 6), 100.06)  # before any part
    assert [round(intake.part(part(unit), 100.06).late_ms / 1_000) for unit in range(4, 20)] == list(range(15, -1, -1))
    assert intake.out_of_backlog(Samples(16_000 * 6)) and not intake.out_of_backlog(Samples(16_000 * 19))
    assert not intake.typed_long_ago(Samples(16_000 * 20 - 8_000), 100.06)
    assert intake.device_now(101.02) == pytest.approx(16_000 * 21, abs=16)


def test_a_device_that_does_not_tell_its_clock_is_judged_by_its_parts() -> None:
    intake = Intake(100.0)
    intake.lateness.linked(Samples(0), 100.02)
    assert intake.part(part(5), 100.06).late_ms == 0
    assert intake.device_now(101.06) == pytest.approx(16_000 * 7, abs=16)


def test_a_clock_that_stood_still_is_not_late_for_good() -> None:
    intake = Intake(0.0)
    for unit in range(10):
        intake.part(part(unit), unit + 1.02)
    intake.lateness.linked(Samples(16_000 * 10), 3_600.0)  # an hour asleep
    assert intake.part(part(10), 3_601.0).late_ms < 20
    assert intake.part(part(9), 3_601.0).late_ms == pytest.approx(1_000, abs=20)
    intake.lateness.linked(Samples(16_000 * 12), 3_610.0)  # on its way for so long: nothing has stood still
    assert intake.part(part(12), 3_610.1).late_ms > IN_TOUCH_MS


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
        for measured in (busy.between, busy.stood_still):
            assert measured(began_s, loop.time()) == pytest.approx(4.0, abs=BEAT_S)  # not over yet
        await asyncio.sleep(2.0)
        for measured in (busy.between, busy.stood_still):
            assert measured(began_s, loop.time()) == pytest.approx(4.0, abs=BEAT_S)
            assert measured(began_s + 1, began_s + 2) == pytest.approx(1.0)
            assert measured(began_s + 4.5, loop.time()) == pytest.approx(0.0, abs=1e-6)
        busy.end()

    try:
        loop.run_until_complete(ride())
    finally:
        loop.close()


def test_nor_is_a_loop_at_leisure_that_is_never_held_up_for_long() -> None:
    loop = VirtualTimeLoop()
    busy = Busy()

    def work(left: int) -> None:
        loop._jumping.now_s += 0.03
        if left:
            loop.call_soon(work, left - 1)

    async def ride() -> None:
        busy.begin()
        await asyncio.sleep(1.0)
        began_s = loop.time()
        done = loop.create_future()
        work(200)
        loop.call_at(began_s + 6, done.set_result, None)
        await done
        assert busy.between(began_s, loop.time()) == pytest.approx(6.0, abs=2 * BEAT_S)
        assert busy.stood_still(began_s, loop.time()) < 3.0  # so that who keeps it busy can be told from what waits
        ended_s = loop.time()
        await asyncio.sleep(1.0)
        assert busy.between(ended_s + 0.2, loop.time()) == pytest.approx(0.0, abs=1e-6)
        assert busy.between(began_s, loop.time(), 0.5) == 0.0  # it had time since
        busy.end()

    try:
        loop.run_until_complete(ride())
    finally:
        loop.close()
