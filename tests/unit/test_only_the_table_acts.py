"""Whatever orders arrive at the gateway, only what the table allows reaches the car; and a halt never moves anything further."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.harness.skill import Confirmation, Motion, Provenance
from ridealong.proto.types import MAX_TTL_MS, Actuate, Halt, Precondition, Samples, SignalWrite
from ridealong.simulators.car.plant import SignalSample
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.policy import RULES
from ridealong.vehicle_skills.signals import NEVER, SIGNALS, Kind, fault
from tests.unit.gateway_bench import GatewayBench, on_bench
from tests.unit.test_policy import expected

pytestmark = pytest.mark.unit

MOVING = [vss.window_position(row, side) for row in vss.ROWS for side in vss.SIDES]
FORBIDDEN = [
    vss.SELECTED_GEAR, vss.PARKING_BRAKE, vss.SPEED, vss.IGNITION, vss.WINDOW_CHILD_LOCK, vss.TEMPERATURE_UNIT, vss.SUNROOF_POSITION,
    "Vehicle.ADAS.CruiseControl.IsActive", "Vehicle.Chassis.SteeringWheel.Angle", "Vehicle.Body.Mirrors.DriverSide.Tilt", "Vehicle.Nonsense", "",
]  # fmt: skip
CARS = {
    "parked": (Motion.PARKED, {vss.SPEED: 0.0, vss.SELECTED_GEAR: 126, vss.PARKING_BRAKE: True, vss.IGNITION: "ON"}),
    "slow": (Motion.SLOW, {vss.SPEED: 55.0, vss.SELECTED_GEAR: 127, vss.PARKING_BRAKE: False, vss.IGNITION: "ON"}),
    "fast": (Motion.ANY, {vss.SPEED: 130.0, vss.SELECTED_GEAR: 127, vss.PARKING_BRAKE: False, vss.IGNITION: "ON"}),
    "key out": (Motion.PARKED, {vss.SPEED: 0.0, vss.SELECTED_GEAR: 126, vss.PARKING_BRAKE: True, vss.IGNITION: "OFF"}),
    "undefined": (Motion.ANY, {vss.SPEED: 0.0, vss.SELECTED_GEAR: 126, vss.PARKING_BRAKE: True, vss.IGNITION: "UNDEFINED"}),
    "gone": (Motion.ANY, {}),
}
SEATED = ("OCCUPIED", "EMPTY", "UNKNOWN")


def rubbish(*known: str) -> st.SearchStrategy[str]:
    """Mostly names that there are, sometimes any text."""
    return st.one_of(st.sampled_from(known), st.sampled_from(known), st.text(max_size=6))


paths = st.one_of(st.sampled_from([path for path, signal in SIGNALS.items() if signal.group]), st.sampled_from(FORBIDDEN))


@st.composite
def fitting(draw: st.DrawFn) -> tuple[str, SignalWrite]:
    """A write that its signal can take, with the signal's own group."""
    signal = SIGNALS[draw(st.sampled_from([path for path, one in SIGNALS.items() if one.group]))]
    low, high = signal.low if signal.low is not None else 0, signal.high if signal.high is not None else 1
    match signal.type.value:
        case "boolean":
            value: object = draw(st.booleans())
        case "string":
            value = draw(st.sampled_from(signal.allowed or ("red",)))
        case "float" | "double":
            value = draw(st.floats(low, high))
        case _:
            value = draw(st.integers(int(low), int(high)))
    return signal.group, SignalWrite(signal.path, value)  # type: ignore[arg-type]


values = st.one_of(st.booleans(), st.integers(-(2**40), 2**40), st.floats(), st.text(max_size=4), st.sampled_from(["OPEN", "ON"]))
writes = st.builds(SignalWrite, paths, values)
conditions = st.builds(
    Precondition, st.sampled_from([vss.SPEED, *MOVING, "Vehicle.Nonsense"]), equals=st.one_of(st.none(), values), at_most=st.one_of(st.none(), values),
)  # fmt: skip


@st.composite
def orders(draw: st.DrawFn) -> tuple[Actuate, float]:
    """An order, and how long ago it was asked for."""
    group, good = draw(fitting())
    wild = draw(st.booleans())
    asked = (good,) if not wild else tuple(draw(st.lists(st.one_of(writes, st.just(good)), max_size=4)))
    order = Actuate(
        key=draw(st.text(min_size=1, max_size=6)),
        writes=asked,
        group=draw(rubbish(*RULES, "gear", "Windows")) if wild else group,
        provenance=draw(rubbish(*(who.value for who in Provenance))),
        confirmation=draw(rubbish(*(one.value for one in Confirmation))),
        ttl_ms=draw(st.sampled_from([1, 500, MAX_TTL_MS, MAX_TTL_MS * 1_000])),
        preconditions=tuple(draw(st.lists(conditions, max_size=1))),
        tier=draw(rubbish(*(one.value for one in Motion))),
    )
    return order, draw(st.sampled_from([0.0, 0.0, 0.0, 400.0, 2_500.0, 3_600_000.0, -60_000.0]))


def known(kind: type, name: str) -> bool:
    return name in [one.value for one in kind]  # type: ignore[attr-defined]


def may_pass(order: Actuate, age_ms: float, motion: Motion, ignition: object, seated: str, locked: bool) -> bool:
    """The table of the design, written a second time; necessary, not sufficient."""
    if not (known(Provenance, order.provenance) and 0 <= age_ms <= MAX_TTL_MS and age_ms <= order.ttl_ms + 200):
        return False
    who = Provenance(order.provenance)
    said = Confirmation(order.confirmation) if known(Confirmation, order.confirmation) else Confirmation.NONE
    tier = Motion(order.tier) if known(Motion, order.tier) else Motion.PARKED
    if not expected(order.group, motion, who, said, tier) or not order.writes:
        return False
    for write in order.writes:
        signal = SIGNALS.get(write.path)
        if signal is None or signal.kind is not Kind.ACTUATOR or signal.group != order.group or fault(signal, write.value):
            return False
        if write.path.startswith(NEVER):
            return False
        if signal.group in ("windows", "sunroof") and ignition not in ("ACC", "ON", "START"):
            return False
        if who is Provenance.PASSENGER and ".Row2." in write.path and signal.group == "windows" and locked:
            return False
        if seated != "OCCUPIED" and (write.value == "CLOSE" or (signal.group == "windows" and float(write.value) < 50)):
            return False  # every window stands at 50 % as it is asked for
    return True


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(list(CARS)), st.sampled_from(SEATED), st.booleans(), st.lists(orders(), min_size=1, max_size=6))
def test_whatever_orders_arrive_only_the_table_passes(
    name: str, seated: str, locked: bool, wanted: Sequence[tuple[Actuate, float]]
) -> None:
    motion, drive = CARS[name]
    state = {
        **drive, **dict.fromkeys(MOVING, 50), vss.occupancy("Row1", "DriverSide"): seated, vss.WINDOW_CHILD_LOCK: locked,
    }  # fmt: skip

    async def story(bench: GatewayBench) -> None:
        if name == "gone":
            bench.car.broker.go_away()
            await asyncio.sleep(0.3)
        for number, (order, age_ms) in enumerate(wanted):
            for window in MOVING:
                bench.car.set(window, 50)
            await asyncio.sleep(0.2)
            before = len(bench.car.broker.forwarded)
            asked_at = Samples(bench.now() - round(age_ms * 16))
            bench.gateway.on_actuate(Actuate(f"{number}{order.key}", order.writes, order.group, order.provenance, order.confirmation, order.ttl_ms, order.preconditions, asked_at, order.confirm_within_ms, order.tier))  # fmt: skip
            await asyncio.sleep(0.05)
            passed = tuple(bench.car.broker.forwarded)[before:]
            assert len(passed) <= 1
            if passed:
                assert passed[0] == order.writes
                assert name != "gone" and may_pass(order, age_ms, motion, drive.get(vss.IGNITION), seated, locked), (
                    order,
                    age_ms,
                )
                assert all(not isinstance(write.value, float) or math.isfinite(write.value) for write in passed[0])

    on_bench(story, [SignalSample(0.0, path, value) for path, value in state.items()])  # type: ignore[arg-type]


PER_SECOND = 24.0
"""Of a window, in percent."""
SLACK = 6.0
"""What a window travels between a reading and the halt that acts on it, and the tolerance of a position."""


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 100), st.integers(0, 100), st.floats(0.0, 3.0),
    st.lists(st.tuples(st.sampled_from(["opening", "halt", "nothing", ""]), rubbish(*(who.value for who in Provenance)), st.floats(0, 0.5)), min_size=1, max_size=4),
)  # fmt: skip
def test_a_halt_never_moves_anything_further(
    start: int, target: int, after_s: float, halts: Sequence[tuple[str, str, float]]
) -> None:
    window = MOVING[0]
    others = [path for path in MOVING if path != window]

    def position(bench: GatewayBench, path: str) -> float:
        return float(bench.car.plant.values[path])

    def story_of(halting: bool) -> Callable[[GatewayBench], Awaitable[None]]:
        async def story(bench: GatewayBench) -> None:
            bench.car.set(window, start)
            await asyncio.sleep(0.3)
            still = {path: position(bench, path) for path in others}
            bench.gateway.on_actuate(
                Actuate("opening", (SignalWrite(window, target),), "windows", "driver", requested_at=bench.now(), tier="any")
            )
            await asyncio.sleep(after_s)
            low, high = min(start, target), max(start, target)
            for number, (of, who, wait_s) in enumerate(halts if halting else ()):
                was = position(bench, window)
                bench.gateway.on_actuate(Halt(f"h{number}", of, who, requested_at=bench.now()))
                await asyncio.sleep(1.0)
                now = position(bench, window)
                halted = any(result.state.value == "confirmed" for result in bench.results(f"h{number}"))
                if halted:
                    assert abs(now - was) <= SLACK and who in ("driver", "passenger", "wearer", "typed")
                await asyncio.sleep(wait_s)
                assert low - 3 <= position(bench, window) <= high + 3
            await asyncio.sleep(6.0)
            assert low - 3 <= position(bench, window) <= high + 3
            assert still == {path: position(bench, path) for path in others}

        return story

    on_bench(story_of(True))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.text(max_size=5), rubbish(*(who.value for who in Provenance))), min_size=1, max_size=5))
def test_a_halt_alone_reaches_nothing(halts: Sequence[tuple[str, str]]) -> None:
    async def story(bench: GatewayBench) -> None:
        for number, (of, who) in enumerate(halts):
            bench.gateway.on_actuate(Halt(f"h{number}", of, who, requested_at=bench.now()))
        await asyncio.sleep(0.5)
        assert not bench.car.broker.forwarded

    on_bench(story)
