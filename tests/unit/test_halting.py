"""Halting what we have set going: decided in the car, where it is now, at most once, by whoever may speak to it; on virtual time."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ridealong.device.vehicle.confirm import begin as watch
from ridealong.device.vehicle.confirm import goal_of
from ridealong.device.vehicle.gateway import GatewaySettings
from ridealong.device.vehicle.halting import halting, held_up
from ridealong.device.vehicle.ledger import Forward, Judged, Ledger, Observed, Replied, Requested, Tick
from ridealong.harness.skill import Provenance, Verdict
from ridealong.proto.types import ActuationState, Halt, Samples, SignalWrite
from ridealong.simulators.car.car import STEP_MS
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.broker import BrokerAway, ReplyKind
from ridealong.vehicle_skills.mapping import CarMapping, Rule
from ridealong.vehicle_skills.policy import may_halt
from tests.unit.gateway_bench import WINDOW, GatewayBench, on_bench
from tests.unit.test_ledger import actuate, begin, clock, states

pytestmark = pytest.mark.unit

OTHER = vss.window_position("Row1", "PassengerSide")
WINDOW_PER_S = 24
SPEAKERS = {Provenance.DRIVER, Provenance.PASSENGER, Provenance.WEARER, Provenance.TYPED}


def open_it(bench: GatewayBench, to: int = 100, path: str = WINDOW) -> str:
    return bench.ask(path, to, "windows", confirmation="said_back")


def halt(bench: GatewayBench, of: str, key: str = "h", provenance: str = "driver", asked_ms_ago: float = 0) -> str:
    at = Samples(bench.now() - round(asked_ms_ago * 16))
    bench.gateway.on_actuate(Halt(key, of, provenance, requested_at=at))
    return key


def position(bench: GatewayBench, path: str = WINDOW) -> float:
    return float(bench.car.plant.values[path])


def test_a_window_stays_where_it_is_and_what_was_asked_of_it_is_over() -> None:
    async def story(bench: GatewayBench) -> None:
        opening = open_it(bench)
        await asyncio.sleep(1.5)
        was = position(bench)
        halting = halt(bench, opening)
        await asyncio.sleep(1.5)
        assert 20 < was < 50 and abs(position(bench) - was) <= 3
        assert bench.course(halting) == ["accepted", "forwarded", "confirmed"]
        assert bench.course(opening) == ["accepted", "forwarded", "contradicted halted"]
        assert bench.results(opening)[-1].observed[0].value == position(bench)
        await asyncio.sleep(10)
        assert abs(position(bench) - was) <= 3 and len(bench.results(opening)) == 3

    on_bench(story)


def test_the_same_halt_again_is_answered_and_does_nothing() -> None:
    async def story(bench: GatewayBench) -> None:
        opening = open_it(bench)
        await asyncio.sleep(1)
        halting = halt(bench, opening)
        halt(bench, opening)
        halt(bench, opening, "another")
        await asyncio.sleep(1.5)
        halt(bench, opening)
        await asyncio.sleep(0.1)
        assert bench.course("another")[-1] == "refused busy" and bench.course(halting)[-1] == "confirmed"
        assert len(bench.car.broker.forwarded) == 2, "the opening and one halt"

    on_bench(story)


@pytest.mark.parametrize("speed", [0.0, 30.0, 140.0])
@pytest.mark.parametrize("who", list(Provenance))
def test_whoever_may_speak_halts_it_at_any_speed_and_nobody_else(who: Provenance, speed: float) -> None:
    async def story(bench: GatewayBench) -> None:
        bench.car.set(vss.WINDOW_CHILD_LOCK, True)
        opening = open_it(bench)
        await asyncio.sleep(1)
        bench.car.set(vss.SPEED, speed)
        await asyncio.sleep(0.3)
        halt(bench, opening, provenance=who.value)
        await asyncio.sleep(6)
        assert (position(bench) < 60) is (who in SPEAKERS)
        assert bench.course("h")[-1] == ("confirmed" if who in SPEAKERS else "refused not_addressed")

    assert may_halt(who).allowed is (who in SPEAKERS)
    on_bench(story)


def test_too_late_it_is_open_already() -> None:
    async def story(bench: GatewayBench) -> None:
        opening = open_it(bench)
        await asyncio.sleep(6)
        halt(bench, opening)
        halt(bench, "nothing of ours", "h2")
        await asyncio.sleep(1)
        assert bench.course(opening)[-1] == "confirmed" and position(bench) == 100
        assert bench.course("h") == ["refused over"] and bench.course("h2") == ["refused over"]
        assert len(bench.car.broker.forwarded) == 1

    on_bench(story)


def test_a_boot_can_t_be_halted_and_that_is_said() -> None:
    async def story(bench: GatewayBench) -> None:
        opening = bench.ask(vss.TRUNK_OPEN, True, "trunk", confirmation="explicit")
        await asyncio.sleep(1)
        halt(bench, opening)
        await asyncio.sleep(4)
        assert bench.course("h")[-1] == "refused cannot_halt" and bench.course(opening)[-1] == "confirmed"

    on_bench(story)


@pytest.mark.parametrize(
    ("path", "value", "group", "watched", "per_s"),
    [
        (vss.seat("DriverSide", "Position"), 380, "seat_position", vss.seat("DriverSide", "Position"), 25),
        (vss.seat("DriverSide", "Backrest.Recline"), 50.0, "seat_position", vss.seat("DriverSide", "Backrest.Recline"), 6),
        (vss.SUNROOF_SWITCH, "OPEN", "sunroof", vss.SUNROOF_POSITION, 20),
    ],
)
def test_whatever_travels_can_be_halted(path: str, value: float | str, group: str, watched: str, per_s: float) -> None:
    async def story(bench: GatewayBench) -> None:
        moving = bench.ask(path, value, group, confirmation="explicit", confirm_within_ms=15_000)  # type: ignore[arg-type]
        await asyncio.sleep(1.5)
        was = position(bench, watched)
        halt(bench, moving)
        await asyncio.sleep(1.5)
        assert bench.course("h")[-1] == "confirmed" and bench.course(moving)[-1] == "contradicted halted"
        assert abs(position(bench, watched) - was) <= vss.SIGNALS[watched].tolerance

    on_bench(story)


def test_of_two_windows_the_one_that_has_arrived_is_left_alone() -> None:
    async def story(bench: GatewayBench) -> None:
        bench.car.set(OTHER, 40)
        await asyncio.sleep(0.3)
        both = bench.ask(
            WINDOW, 50, "windows", confirmation="said_back", writes=(SignalWrite(WINDOW, 90), SignalWrite(OTHER, 50))
        )
        await asyncio.sleep(2)
        halt(bench, both)
        await asyncio.sleep(2)
        assert bench.car.broker.forwarded[-1] == (SignalWrite(WINDOW, bench.car.broker.forwarded[-1][0].value),)
        assert position(bench, OTHER) == 50 and position(bench) < 60
        assert bench.course(both)[-1] == "contradicted halted"

    on_bench(story)


def test_what_a_later_request_has_set_going_is_not_halted_for_the_earlier() -> None:
    async def story(bench: GatewayBench) -> None:
        opening = open_it(bench)
        await asyncio.sleep(1)
        closing = open_it(bench, 0)
        halt(bench, opening)
        await asyncio.sleep(3)
        assert bench.course("h")[-1] == "refused over" and bench.course(closing)[-1] == "confirmed" and position(bench) == 0

    on_bench(story)


def test_a_car_that_does_not_halt_is_not_said_to_have_halted() -> None:
    async def story(bench: GatewayBench) -> None:
        opening = open_it(bench)
        await asyncio.sleep(1)
        bench.car.broker.faults.lost_actuation = True
        halt(bench, opening)
        await asyncio.sleep(6)
        assert bench.course("h")[-1] == "contradicted moved_away"
        assert bench.course(opening)[-1] == "confirmed" and position(bench) == 100

    on_bench(story)


def test_a_databroker_that_refuses_leaves_the_first_request_as_it_was() -> None:
    async def story(bench: GatewayBench) -> None:
        opening = open_it(bench)
        await asyncio.sleep(1)
        bench.car.broker.faults.refuse = ReplyKind.NO_PROVIDER
        halt(bench, opening)
        await asyncio.sleep(6)
        assert bench.course("h")[-1] == "refused no_provider" and bench.course(opening)[-1] == "confirmed"

    on_bench(story)


def test_where_the_position_can_t_be_read_nothing_is_written() -> None:
    """An old position would send it back to where it was."""

    async def story(bench: GatewayBench) -> None:
        opening = open_it(bench)
        await asyncio.sleep(1)

        async def unknown(paths: object) -> tuple[object, ...]:
            raise BrokerAway("gone")

        bench.car.broker.read = unknown  # type: ignore[method-assign, assignment]
        halt(bench, opening)
        await asyncio.sleep(1)
        assert bench.course("h")[-1] == "refused no_value" and len(bench.car.broker.forwarded) == 1

    on_bench(story)


def test_what_was_long_on_its_way_halts_nothing() -> None:
    async def story(bench: GatewayBench) -> None:
        opening = open_it(bench)
        await asyncio.sleep(1)
        halt(bench, opening, asked_ms_ago=2_500)
        await asyncio.sleep(1)
        assert bench.course("h") == ["refused expired"]

    on_bench(story)


def test_it_is_on_the_disk_and_after_a_restart_nothing_is_written_again(tmp_path: Path) -> None:
    file = tmp_path / "ledger"

    keys: list[str] = []

    async def first(bench: GatewayBench) -> None:
        keys.append(open_it(bench))
        await asyncio.sleep(1)
        halt(bench, keys[0])
        await asyncio.sleep(0.1)  # and the power goes

    async def second(bench: GatewayBench) -> None:
        halt(bench, keys[0])
        halt(bench, keys[0], "new")
        await asyncio.sleep(1)
        assert bench.course("new") == ["refused over"]
        assert bench.course("h")[-1] == "timed_out outcome_unknown" and not bench.car.broker.forwarded

    on_bench(first, ledger=file)
    on_bench(second, ledger=file)


@settings(max_examples=120, deadline=None)
@given(
    start=st.integers(0, 100),
    target=st.integers(0, 100),
    after_ms=st.integers(0, 5_000),
    slow_ms=st.sampled_from([0, 0, 20, 110]),
    again_ms=st.one_of(st.none(), st.integers(0, 1_500)),
)
@example(start=0, target=100, after_ms=1_666, slow_ms=0, again_ms=None)
@example(start=100, target=0, after_ms=4_100, slow_ms=0, again_ms=300)
def test_a_halt_never_moves_a_window_further_or_back(
    start: int, target: int, after_ms: int, slow_ms: int, again_ms: int | None
) -> None:
    """By more than what counts as the same place; nor does anything move afterwards. Where the car takes longer to take it on than a window takes
    for that (`slow_ms`), it goes back to where it was seen, and no further."""
    tolerance = vss.SIGNALS[WINDOW].tolerance

    async def story(bench: GatewayBench) -> None:
        bench.car.set(WINDOW, start)
        await asyncio.sleep(0.3)
        opening = open_it(bench, target)
        await asyncio.sleep(after_ms / 1000)
        bench.car.broker.faults.slow_s = slow_ms / 1000
        halt(bench, opening)
        await asyncio.sleep(slow_ms / 1000)
        taken = position(bench)
        since = WINDOW_PER_S * (slow_ms + STEP_MS) / 1000
        if again_ms is not None:
            await asyncio.sleep(again_ms / 1000)
            halt(bench, opening, "again")
        await asyncio.sleep(0.2)
        way = [position(bench)]
        for _ in range(60):
            await asyncio.sleep(0.1)
            way.append(position(bench))
        writes = [write for batch in bench.car.broker.forwarded for write in batch]
        least, most = sorted((start, target))
        assert all(least - tolerance <= write.value <= most + tolerance for write in writes)
        if "confirmed" in bench.course("h")[-1:] and bench.course(opening)[-1].endswith("halted"):
            further = 1 if target >= start else -1
            assert all((one - taken) * further <= tolerance for one in way), "no further"
            assert all((taken - one) * further <= max(tolerance, since + 1) for one in way), "and not back"
            shown = bench.results("h")[-1].observed[0].value
            assert shown is not None and abs(float(shown) - way[-1]) <= tolerance
        else:
            assert bench.course("h")[-1] == "refused over" or bench.course("h")[-1] == "confirmed"
            assert bench.course(opening)[-1] == "confirmed" and abs(way[-1] - target) <= tolerance

    on_bench(story)


# --- the rules, without a car ------------------------------------------------------------------------------------------


def test_an_order_that_was_not_forwarded_is_not_halted() -> None:
    ledger = Ledger()
    ledger.on(Requested(actuate(path=WINDOW, value=80), 0, clock(0)))
    ledger.on(Requested(Halt("h", "k", "driver"), 10, clock(10)))
    effects = ledger.on(Judged("h", Verdict(True), {}, 20, clock(20)))
    assert states(effects) == [(ActuationState.REFUSED, "over")]


def test_a_deadline_waits_for_the_halt_that_is_under_way() -> None:
    ledger = Ledger()
    begin(ledger, actuate(path=WINDOW, value=80, confirm_within_ms=1_000), before=0)
    ledger.on(Observed(WINDOW, 20, 900, clock(900)))
    ledger.on(Requested(Halt("h", "k", "driver", requested_at=clock(900)), 900, clock(900)))
    effects = ledger.on(Judged("h", Verdict(True), {WINDOW: 20}, 900, clock(900)))
    assert [effect.writes for effect in effects if isinstance(effect, Forward)] == [(SignalWrite(WINDOW, 20),)]
    ledger.on(Replied("h", "", 900, clock(900)))
    assert states(ledger.on(Tick(1_100, clock(1_100)))) == []
    assert states(ledger.on(Tick(1_500, clock(1_500)))) == [
        (ActuationState.CONFIRMED, ""),
        (ActuationState.CONTRADICTED, "halted"),
    ]
    assert not ledger.open


def test_halts_are_taken_on_while_everything_else_is_too_much() -> None:
    ledger = Ledger(max_open=1)
    begin(ledger, actuate(path=WINDOW, value=80), before=0)
    assert states(ledger.on(Requested(actuate("more"), 0, clock(0)))) == [(ActuationState.REFUSED, "busy")]
    assert states(ledger.on(Requested(Halt("h", "k", "driver"), 0, clock(0)))) == [(ActuationState.ACCEPTED, "")]
    assert states(ledger.on(Requested(Halt("hh", "h", "driver"), 0, clock(0)))) == [(ActuationState.REFUSED, "over")]


@given(present=st.one_of(st.none(), st.booleans(), st.text(max_size=3), st.integers(-50, 400), st.floats()))
def test_what_no_window_can_show_is_never_written(present: object) -> None:
    write = SignalWrite(WINDOW, 90)
    goal = watch(goal_of(write), 10, 0)
    writes, goals, why = halting((write,), (goal,), {WINDOW: present}, frozenset())  # type: ignore[dict-item]
    if isinstance(present, int) and not isinstance(present, bool) and 0 <= present <= 100:
        assert (writes, why) == ((SignalWrite(WINDOW, present),), "") and held_up((goal,), goals)
    else:
        assert (writes, goals, why) == ((), (), "no_value")


@pytest.mark.parametrize(("steps", "halts"), [(100, True), (20, True), (10, False), (4, False)])
def test_a_car_that_knows_a_few_positions_only_is_not_told_to_go_to_the_nearest(steps: int, halts: bool) -> None:
    mapping = CarMapping.of({"Vehicle.Cabin.Door.*.*.Window.Position": Rule(steps=steps)})

    async def story(bench: GatewayBench) -> None:
        opening = open_it(bench)
        await asyncio.sleep(0.3)
        halt(bench, opening)
        await asyncio.sleep(1)
        assert bench.course("h")[-1] != "refused cannot_halt" if halts else bench.course("h")[-1] == "refused cannot_halt"
        assert len(bench.car.broker.forwarded) == (2 if halts else 1)

    on_bench(story, settings=GatewaySettings(mapping=mapping))
