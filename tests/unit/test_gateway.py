"""The vehicle gateway from end to end on virtual time: requests in, a simulated car behind, results and states out."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from ridealong.device.vehicle.confirm import CONTRADICTIONS
from ridealong.device.vehicle.gateway import Gateway, GatewaySettings
from ridealong.device.vehicle.ledger_file import LedgerFile
from ridealong.proto.types import (
    Actuate,
    ActuationResult,
    ActuationState,
    Precondition,
    Samples,
    SignalWrite,
    UplinkBody,
    VehicleState,
)
from ridealong.simulators.car.car import SimCar
from ridealong.simulators.car.plant import SignalSample
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.broker import ReplyKind
from ridealong.vehicle_skills.policy import RESULT_REASONS
from ridealong.vehicle_skills.signals import SIGNALS
from tests.unit.car_loop import run
from tests.unit.gateway_bench import WINDOW, GatewayBench, on_bench

pytestmark = pytest.mark.unit

SETPOINT = vss.set_temperature("Row1", "Driver")


def test_a_temperature_is_confirmed_by_the_car() -> None:
    async def story(bench: GatewayBench) -> None:
        key = bench.ask(SETPOINT, 22.5, "climate")
        await asyncio.sleep(0.6)
        assert bench.course(key) == ["accepted", "forwarded", "confirmed"]
        assert bench.results(key)[-1].observed[0].value == 22.5
        bench.gateway.on_actuate(Actuate(key, (SignalWrite(SETPOINT, 28.0),), "climate", "driver"))
        await asyncio.sleep(0.5)
        assert bench.course(key)[3:] == ["confirmed"]
        assert len(bench.car.broker.forwarded) == 1

    on_bench(story)


def test_what_a_databroker_serves_otherwise_is_said_once_and_by_name(caplog: pytest.LogCaptureFixture) -> None:
    fan, lamp = vss.fan_speed("Row1", "Driver"), vss.DOME_LIGHT

    async def story(bench: GatewayBench) -> None:
        bench.car.broker.go_away()
        await asyncio.sleep(1.0)
        bench.car.broker.go_away(False)
        await asyncio.sleep(3.0)
        assert bench.gateway.live and bench.gateway.connections == 2

    def otherwise(bench: GatewayBench) -> None:
        signals = bench.car.broker.signals
        signals[fan] = replace(signals[fan], type=vss.DataType.FLOAT)
        signals[WINDOW] = replace(signals[WINDOW], kind=vss.Kind.SENSOR)
        signals[lamp] = replace(signals[lamp], type=vss.DataType.UINT8)

    with caplog.at_level("WARNING", "ridealong.device.vehicle"):
        on_bench(story, prepare=otherwise)
    said = [record.getMessage() for record in caplog.records]
    assert said.count(f"needed, and not as it must be: {fan}: wrong type: float, we need uint8") == 1
    assert said.count(f"needed, and not as it must be: {WINDOW}: not an actuator") == 1
    assert not [words for words in said if lamp in words]  # nice to have: counted, and named by the check
    assert said.count(f"3 of {len(SIGNALS)} signals are not as we use them; `ridealong car check` names all") == 1


def test_a_car_as_it_must_be_is_not_spoken_of(caplog: pytest.LogCaptureFixture) -> None:
    async def story(bench: GatewayBench) -> None:
        assert bench.gateway.live

    with caplog.at_level("WARNING", "ridealong.device.vehicle"):
        on_bench(story)
    assert caplog.records == []


def test_a_window_opens_when_slow_and_said_back_and_not_at_120() -> None:
    async def story(bench: GatewayBench) -> None:
        bare = bench.ask(WINDOW, 50, "windows")
        said = bench.ask(WINDOW, 50, "windows", confirmation="said_back")
        await asyncio.sleep(4)
        assert bench.course(bare) == ["accepted", "refused needs_confirmation"]
        assert bench.course(said) == ["accepted", "forwarded", "confirmed"]
        assert bench.results(said)[-1].observed[0].value == 50
        bench.car.set(vss.SPEED, 120.0)
        await asyncio.sleep(0.3)
        fast = bench.ask(WINDOW, 0, "windows", confirmation="explicit")
        boot = bench.ask(vss.TRUNK_OPEN, True, "trunk", confirmation="explicit")
        await asyncio.sleep(0.3)
        assert bench.course(fast) == ["accepted", "refused too_fast"]
        assert bench.course(boot) == ["accepted", "refused moving"]
        assert len(bench.car.broker.forwarded) == 1

    on_bench(story, [SignalSample(0, vss.SPEED, 40.0)])


def test_the_trunk_opens_when_parked_and_confirmed() -> None:
    async def story(bench: GatewayBench) -> None:
        boot = bench.ask(vss.TRUNK_OPEN, True, "trunk", confirmation="explicit")
        await asyncio.sleep(4)
        assert bench.course(boot) == ["accepted", "forwarded", "confirmed"]

    on_bench(story)


def test_overheard_seen_and_unheard_of_voices_move_nothing() -> None:
    async def story(bench: GatewayBench) -> None:
        keys = [bench.ask(SETPOINT, 25.0, "climate", provenance=who) for who in ("overheard", "seen", "unknown", "radio", "")]
        await asyncio.sleep(0.5)
        assert [bench.course(key)[-1] for key in keys] == ["refused not_addressed"] * 5
        assert not bench.car.broker.forwarded

    on_bench(story)


def test_old_gate_values_close_the_gate() -> None:
    async def story(bench: GatewayBench) -> None:
        bench.car.broker.publish = lambda values: None  # type: ignore[method-assign]  # the bus falls silent
        await asyncio.sleep(0.8)
        window = bench.ask(WINDOW, 50, "windows", confirmation="said_back")
        warm = bench.ask(SETPOINT, 25.0, "climate", confirm_within_ms=700)
        await asyncio.sleep(1)
        assert bench.course(window) == ["accepted", "refused stale_speed"]
        assert bench.course(warm) == ["accepted", "forwarded", "timed_out no_change"]

    on_bench(story)


def test_the_first_value_after_a_connection_proves_nothing() -> None:
    async def main() -> None:
        car = SimCar()
        car.set(vss.SPEED, 0.0)  # it may have lain there for hours; nobody publishes any more
        sent: list[UplinkBody] = []
        gateway = Gateway(car.broker, sent.append, lambda: Samples(0))
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(gateway.run())
            await asyncio.sleep(0.1)
            gateway.on_actuate(Actuate("k", (SignalWrite(WINDOW, 50),), "windows", "driver", "explicit"))
            await asyncio.sleep(0.3)
            running.cancel()
        results = [body for body in sent if isinstance(body, ActuationResult)]
        assert [(result.state, result.reason) for result in results][-1] == (ActuationState.REFUSED, "stale_speed")

    run(main())


@pytest.mark.parametrize(
    ("fault", "course"),
    [
        ({"provider_absent": True}, ["accepted", "refused no_provider"]),
        ({"refuse": ReplyKind.NOT_PERMITTED}, ["accepted", "refused not_permitted"]),
        ({"lost_actuation": True}, ["accepted", "forwarded", "timed_out no_change"]),
        ({"lost_confirmation": True}, ["accepted", "forwarded", "timed_out no_change"]),
        ({"slow_s": 0.5}, ["accepted", "forwarded", "confirmed"]),
        ({"late_confirmation_s": 0.8}, ["accepted", "forwarded", "confirmed"]),
        ({"late_confirmation_s": 2.0}, ["accepted", "forwarded", "timed_out no_change"]),
    ],
)
def test_what_can_go_wrong_in_the_car(fault: dict[str, object], course: list[str]) -> None:
    async def story(bench: GatewayBench) -> None:
        for name, value in fault.items():
            setattr(bench.car.broker.faults, name, value)
        key = bench.ask(SETPOINT, 25.0, "climate", confirm_within_ms=1_500)
        await asyncio.sleep(3)
        assert bench.course(key) == course

    on_bench(story)


def test_a_lost_databroker_refuses_and_never_queues() -> None:
    async def story(bench: GatewayBench) -> None:
        bench.car.broker.go_away()
        await asyncio.sleep(1.2)
        key = bench.ask(SETPOINT, 25.0, "climate")
        await asyncio.sleep(0.2)
        assert bench.course(key) == ["accepted", "refused no_vehicle"]
        last = bench.states()[-1]
        outside = next(reading for reading in last.signals if reading.path == vss.OUTSIDE_TEMPERATURE)
        assert 900 <= outside.age_ms <= 2_500
        bench.car.broker.go_away(False)
        await asyncio.sleep(3)
        assert bench.gateway.live and not bench.car.broker.forwarded
        assert bench.states()[-1].signals[0].age_ms < 300
        again = bench.ask(SETPOINT, 25.0, "climate")
        await asyncio.sleep(0.6)
        assert bench.course(again)[-1] == "confirmed"

    on_bench(story)


def test_a_slow_databroker_lets_the_next_request_expire() -> None:
    async def story(bench: GatewayBench) -> None:
        bench.car.broker.faults.slow_s = 2.5
        first = bench.ask(SETPOINT, 25.0, "climate")
        second = bench.ask(SETPOINT, 26.0, "climate")
        await asyncio.sleep(6)
        assert bench.course(first)[-1] == "confirmed"
        assert bench.course(second) == ["accepted", "forwarded", "confirmed"] or bench.course(second)[-1] == "refused expired"
        assert len(bench.car.broker.forwarded) == 1

    on_bench(story)


def test_preconditions_are_judged_on_values_of_this_moment() -> None:
    async def story(bench: GatewayBench) -> None:
        held = bench.ask(
            SETPOINT, 25.0, "climate", preconditions=(Precondition(vss.SPEED, at_most=50), Precondition(SETPOINT, equals=21.0))
        )
        await asyncio.sleep(0.6)
        broken = bench.ask(SETPOINT, 26.0, "climate", preconditions=(Precondition(vss.SPEED, at_most=10.0),))
        unknown = bench.ask(SETPOINT, 26.0, "climate", preconditions=(Precondition(vss.LATITUDE, at_most=90.0),))
        empty = bench.ask(SETPOINT, 26.0, "climate", preconditions=(Precondition(vss.SPEED),))
        await asyncio.sleep(0.6)
        assert bench.course(held)[-1] == "confirmed"
        assert [bench.course(key)[-1] for key in (broken, unknown, empty)] == ["refused precondition"] * 3

    on_bench(story, [SignalSample(0, vss.SPEED, 40.0)])


def test_vehicle_state_is_full_each_second_and_changes_at_most_five_times() -> None:
    async def story(bench: GatewayBench) -> None:
        bench.sent.clear()
        bench.car.broker.faults.lost_actuation = True
        start = bench.now()
        for speed in range(40):
            bench.car.set(vss.SPEED, 40.0 + speed / 10)
            await asyncio.sleep(0.05)
        states = [state for state in bench.states() if state.at - start <= 32_000]
        assert 9 <= len(states) <= 11
        full = [state for state in states if len(state.signals) > 60]
        assert len(full) == 2
        assert all(state.signals and len(state.signals) < 10 for state in states if state not in full)
        speed_now = next(reading for reading in full[-1].signals if reading.path == vss.SPEED)
        assert speed_now.age_ms <= 100
        bench.sent.clear()
        await asyncio.sleep(2.0)
        assert len(bench.states()) <= 4  # nothing changes: little is said

    on_bench(story)


def test_a_car_that_was_never_there_is_not_reported() -> None:
    async def main() -> None:
        car = SimCar()
        car.broker.go_away()
        sent: list[UplinkBody] = []
        gateway = Gateway(car.broker, sent.append, lambda: Samples(0), settings=GatewaySettings(drive="right"))
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(gateway.run())
            await asyncio.sleep(3)
            gateway.on_actuate(Actuate("k", (SignalWrite(SETPOINT, 20.0),), "climate", "driver"))
            await asyncio.sleep(0.1)
            running.cancel()
        assert [(body.state.value, body.reason) for body in sent if isinstance(body, ActuationResult)] == [
            ("accepted", ""),
            ("refused", "no_vehicle"),
        ]
        assert not [body for body in sent if isinstance(body, VehicleState)]

    run(main())


def test_settings_stand_in_for_what_the_databroker_does_not_say() -> None:
    async def story(bench: GatewayBench) -> None:
        assert bench.gateway.observations.value(vss.DRIVER_POSITION) == "LEFT"
        del bench.gateway.observations._seen[vss.DRIVER_POSITION]
        assert bench.gateway.observations.value(vss.DRIVER_POSITION) == "RIGHT"

    on_bench(story, settings=GatewaySettings(drive="right"))


def test_keys_outlive_the_agent(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    wish = Actuate("once", (SignalWrite(SETPOINT, 25.0),), "climate", "driver", requested_at=Samples(16_000))

    async def first(bench: GatewayBench) -> None:
        bench.gateway.on_actuate(wish)
        await asyncio.sleep(0.6)
        assert bench.course("once")[-1] == "confirmed"

    async def second(bench: GatewayBench) -> None:
        bench.gateway.on_actuate(wish)
        await asyncio.sleep(0.6)
        assert bench.course("once") == ["confirmed"]
        assert not bench.car.broker.forwarded

    on_bench(first, ledger=path)
    on_bench(second, ledger=path)


def test_an_interrupted_actuation_is_reported_and_not_repeated(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    file = LedgerFile(path)
    file.append(ActuationResult("cut", ActuationState.ACCEPTED))
    file.close()

    async def story(bench: GatewayBench) -> None:
        assert bench.course("cut") == ["timed_out outcome_unknown"]
        bench.gateway.on_actuate(Actuate("cut", (SignalWrite(SETPOINT, 25.0),), "climate", "driver"))
        await asyncio.sleep(0.5)
        assert not bench.car.broker.forwarded

    on_bench(story, ledger=path)


def test_what_cannot_be_made_durable_is_not_done(tmp_path: Path) -> None:
    async def story(bench: GatewayBench) -> None:
        def full(row: ActuationResult) -> None:
            raise OSError(28, "No space left on device")

        assert bench.gateway._file is not None
        bench.gateway._file.append = full  # type: ignore[method-assign]
        key = bench.ask(SETPOINT, 25.0, "climate")
        await asyncio.sleep(0.6)
        assert bench.course(key) == ["refused not_durable"]
        assert not bench.car.broker.forwarded

    on_bench(story, ledger=tmp_path / "ledger.jsonl")


def test_every_reason_is_listed() -> None:
    assert {kind.value for kind in ReplyKind} - {"forwarded"} <= RESULT_REASONS
    assert CONTRADICTIONS <= RESULT_REASONS


def test_a_flood_is_refused_not_buffered() -> None:
    async def story(bench: GatewayBench) -> None:
        keys = [bench.ask(SETPOINT, 20.0, "climate") for _ in range(60)]
        assert bench.gateway.refused_busy == 28
        await asyncio.sleep(10)
        assert all(bench.results(key)[-1].state.final for key in keys)

    on_bench(story)


def test_latitude_and_longitude_go_in_one_batch() -> None:
    async def story(bench: GatewayBench) -> None:
        both = (SignalWrite(vss.DESTINATION_LATITUDE, 48.137), SignalWrite(vss.DESTINATION_LONGITUDE, 11.575))
        half = bench.ask(vss.DESTINATION_LATITUDE, 48.137, "navigation")
        whole = bench.ask("", 0, "navigation", writes=both)
        await asyncio.sleep(0.6)
        assert bench.course(half)[-1] == "refused incomplete_batch"
        assert bench.course(whole)[-1] == "confirmed"
        assert list(bench.car.broker.forwarded) == [both]

    on_bench(story)
