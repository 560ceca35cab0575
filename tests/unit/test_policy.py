"""The motion policy: the whole table, and that nothing outside it passes."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.harness.permission import ELSEWHERE
from ridealong.harness.skill import Confirmation, Provenance, Verdict
from ridealong.proto.types import SignalReading, SignalWrite
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.policy import (
    NEVER,
    REASONS,
    RULES,
    CarState,
    Gate,
    Motion,
    PolicyRequest,
    closing,
    decide,
    judge_motion,
    path_fault,
)
from ridealong.vehicle_skills.signals import SIGNALS, Kind, fault

pytestmark = pytest.mark.unit

DRIVER_WINDOW = vss.window_position("Row1", "DriverSide")
FREE = ("climate", "seat_heat", "media", "navigation", "accessory", "wipers", "status", "timers", "reading")
SLOWLY = ("windows", "sunroof", "ambient_light")
PARKED = ("trunk", "doors", "seat_position")
READS = ("status", "timers", "reading")
NOT_PASSENGERS = ("wipers", *PARKED)


def car(speed: object = 0.0, gear: object = 126, brake: object = False, ignition: object = "ON", age_ms: float = 100) -> CarState:
    gates = (Gate(value, age_ms) for value in (speed, gear, brake, ignition))  # type: ignore[arg-type]
    return CarState(*gates, window_child_lock=Gate(False, age_ms))


CARS = {
    "parked in P": car(),
    "parked by brake": car(gear=0, brake=True),
    "at a light": car(gear=127),
    "slow": car(30.0, 127),
    "at 60": car(60.0, 127),
    "backwards": car(-5.0, -1),
    "fast": car(60.1, 127),
    "unknown speed": car(None),
    "stale": car(age_ms=501),
    "unknown gear": car(gear=None),
    "unknown ignition": car(ignition=None),
    "undefined ignition": car(ignition="UNDEFINED"),
    "nothing known": CarState(),
    "NaN": car(math.nan),
}
TIERS = {
    "parked in P": Motion.PARKED,
    "parked by brake": Motion.PARKED,
    "at a light": Motion.SLOW,
    "slow": Motion.SLOW,
    "at 60": Motion.SLOW,
    "backwards": Motion.SLOW,
}


@pytest.mark.parametrize("name", CARS)
def test_motion(name: str) -> None:
    assert judge_motion(CARS[name])[0] is TIERS.get(name, Motion.ANY)


def expected(group: str, motion: Motion, who: Provenance, confirmation: Confirmation, tier: Motion) -> bool:
    """The table of the design, written a second time."""
    if confirmation is Confirmation.NEVER:
        return False
    if group in READS:
        return who not in (Provenance.OVERHEARD, Provenance.SEEN)
    if who in (Provenance.UNKNOWN, Provenance.OVERHEARD, Provenance.SEEN):
        return False
    if group in NOT_PASSENGERS and who is Provenance.PASSENGER:
        return False
    if tier is Motion.PARKED and motion is not Motion.PARKED or tier is Motion.SLOW and motion is Motion.ANY:
        return False
    if group == ELSEWHERE:
        return confirmation is Confirmation.EXPLICIT
    if group in FREE:
        return True
    if group in SLOWLY:
        return motion is Motion.PARKED or (motion is Motion.SLOW and confirmation is not Confirmation.NONE)
    if group in PARKED:
        return motion is Motion.PARKED and confirmation is Confirmation.EXPLICIT
    return False


def test_the_whole_matrix() -> None:
    groups = [*RULES, "driving", "gear", "", "Windows"]
    assert set(FREE + SLOWLY + PARKED) | {"driving", ELSEWHERE} == set(RULES)
    for group, (name, state), who, confirmation, tier in itertools.product(
        groups, CARS.items(), Provenance, Confirmation, Motion
    ):
        verdict = decide(PolicyRequest(group, who, state, confirmation, tier=tier))
        wanted = expected(group, TIERS.get(name, Motion.ANY), who, confirmation, tier)
        assert verdict.allowed is wanted, (group, name, who, confirmation, tier, verdict)
        assert verdict.reason in (REASONS if not wanted else {""}), (group, name, who, confirmation, tier, verdict)


SEAT = {
    "somebody": (Gate("OCCUPIED", 900), ""),
    "nobody": (Gate("EMPTY", 900), "nobody_there"),
    "unknown": (Gate("UNKNOWN", 900), "unknown_occupants"),
    "never told": (Gate(), "unknown_occupants"),
    "old": (Gate("OCCUPIED", 1_001), "unknown_occupants"),
    "rubbish": (Gate(1, 0), "nobody_there"),
}


@pytest.mark.parametrize("name", SEAT)
def test_glass_is_closed_only_with_somebody_in_the_drivers_seat(name: str) -> None:
    seat, reason = SEAT[name]
    state = replace(car(), driver_seat=seat)
    assert decide(PolicyRequest("windows", Provenance.DRIVER, state, closes=True)).reason == reason
    assert decide(PolicyRequest("windows", Provenance.DRIVER, state)).allowed


@pytest.mark.parametrize(
    ("path", "value", "now", "closes"),
    [
        (DRIVER_WINDOW, 10, 50, True),
        (DRIVER_WINDOW, 50, 50, False),
        (DRIVER_WINDOW, 60, 50, False),
        (DRIVER_WINDOW, 60, None, True),  # where it is now is not known
        (vss.SUNROOF_SWITCH, "CLOSE", None, True),
        (vss.SUNROOF_SWITCH, "ONE_SHOT_CLOSE", None, True),
        (vss.SUNROOF_SWITCH, "TILT_DOWN", None, True),
        (vss.SUNROOF_SWITCH, "OPEN", None, False),
        (vss.TRUNK_OPEN, False, True, False),
        (vss.set_temperature("Row1", "Driver"), 16, 20, False),
    ],
)
def test_what_closes_glass(path: str, value: object, now: object, closes: bool) -> None:
    found = SignalReading(path, now, 0) if now is not None else None  # type: ignore[arg-type]
    assert closing([SignalWrite(path, value)], lambda asked: found) is closes  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("group", "name", "reason"),
    [
        ("trunk", "slow", "moving"),
        ("trunk", "fast", "moving"),
        ("trunk", "at a light", "not_parked"),
        ("trunk", "unknown speed", "unknown_speed"),
        ("trunk", "stale", "stale_speed"),
        ("trunk", "unknown gear", "unknown_gear"),
        ("windows", "fast", "too_fast"),
        ("windows", "nothing known", "unknown_speed"),
        ("windows", "unknown ignition", "unknown_ignition"),
        ("windows", "NaN", "unknown_speed"),
        ("windows", "slow", "needs_confirmation"),
        ("driving", "parked in P", "never"),
        ("rocket", "parked in P", "unknown_group"),
    ],
)
def test_reasons(group: str, name: str, reason: str) -> None:
    assert decide(PolicyRequest(group, Provenance.DRIVER, CARS[name])).reason == reason


def test_a_moving_car_is_the_reason_even_when_the_gear_is_unknown() -> None:
    verdict = decide(PolicyRequest("trunk", Provenance.DRIVER, car(50.0, gear=None), Confirmation.EXPLICIT))
    assert verdict == Verdict(False, "moving")


def test_confirmation_asked_for_is_named() -> None:
    assert decide(PolicyRequest("trunk", Provenance.DRIVER, car())).needs is Confirmation.EXPLICIT
    assert decide(PolicyRequest("windows", Provenance.DRIVER, car(20.0, 127))).needs is Confirmation.SAID_BACK


def test_windows_stay_where_they_are_without_the_key() -> None:
    assert decide(PolicyRequest("windows", Provenance.DRIVER, car(ignition="OFF"))).reason == "ignition_off"
    assert decide(PolicyRequest("windows", Provenance.DRIVER, car(ignition="ACC"))).allowed


@pytest.mark.parametrize("locked", [True, None])
def test_child_lock_holds_for_passengers_in_the_rear(locked: bool | None) -> None:
    state = CarState(*(Gate(value, 0) for value in (0.0, 126, True, "ON")), window_child_lock=Gate(locked, 0))
    rear = (SignalWrite(vss.window_position("Row2", "DriverSide"), 50),)
    assert decide(PolicyRequest("windows", Provenance.PASSENGER, state, writes=rear)).reason == "child_lock"
    assert decide(PolicyRequest("windows", Provenance.DRIVER, state, writes=rear)).allowed


@pytest.mark.parametrize(
    ("group", "writes", "reason"),
    [
        ("climate", [(DRIVER_WINDOW, 50)], "wrong_group"),
        ("windows", [(DRIVER_WINDOW, 50.0)], "bad_type"),
        ("windows", [(DRIVER_WINDOW, True)], "bad_type"),
        ("windows", [(DRIVER_WINDOW, 101)], "bad_value"),
        ("windows", [(DRIVER_WINDOW, -1)], "bad_value"),
        ("windows", [(DRIVER_WINDOW, 1), (DRIVER_WINDOW, 2)], "repeated_signal"),
        ("climate", [(vss.set_temperature("Row1", "Driver"), math.nan)], "bad_value"),
        ("climate", [(vss.set_temperature("Row1", "Driver"), 70)], "bad_value"),
        ("climate", [(vss.set_temperature("Row1", "Driver"), 22)], ""),
        ("climate", [(vss.CABIN_TEMPERATURE, 22.0)], "wrong_group"),
        ("windows", [(vss.SELECTED_GEAR, 126)], "never"),
        ("driving", [(vss.PARKING_BRAKE, False)], "never"),
        ("windows", [("Vehicle.ADAS.CruiseControl.IsActive", True)], "never"),
        ("windows", [("Vehicle.Cabin.Nonsense", True)], "unknown_signal"),
        ("navigation", [(vss.DESTINATION_LATITUDE, 48.1)], "incomplete_batch"),
        ("navigation", [(vss.DESTINATION_LATITUDE, 48.1), (vss.DESTINATION_LONGITUDE, 11.5)], ""),
        ("status", [(vss.CABIN_TEMPERATURE, 22.0)], "wrong_group"),
    ],
)
def test_path_guard(group: str, writes: list[tuple[str, object]], reason: str) -> None:
    assert path_fault(group, [SignalWrite(path, value) for path, value in writes]) == reason  # type: ignore[arg-type]


def test_nothing_of_driving_is_in_any_group() -> None:
    assert not [path for path, signal in SIGNALS.items() if signal.group and path.startswith(NEVER)]
    assert all(signal.group in RULES and RULES[signal.group].writes for signal in SIGNALS.values() if signal.group)


paths = st.sampled_from([*SIGNALS, "Vehicle.ADAS.ABS.IsEnabled", "Vehicle.Chassis.SteeringWheel.Angle", "", "Vehicle"])
values = st.one_of(st.booleans(), st.integers(-300, 300), st.floats(), st.text(max_size=4), st.sampled_from(["ON", "OPEN"]))
ages = st.one_of(st.none(), st.floats(), st.integers(0, 1200))


@settings(max_examples=300, deadline=None)
@given(
    group=st.one_of(st.sampled_from([*RULES]), st.text(max_size=5)),
    who=st.sampled_from(Provenance),
    confirmation=st.sampled_from(Confirmation),
    tier=st.sampled_from(Motion),
    closes=st.booleans(),
    writes=st.lists(st.tuples(paths, values), min_size=1, max_size=3),
    gates=st.lists(st.builds(Gate, st.one_of(st.none(), values), ages), min_size=6, max_size=6),
)
def test_whatever_comes_only_the_table_passes(group, who, confirmation, tier, closes, writes, gates) -> None:  # type: ignore[no-untyped-def]
    request = PolicyRequest(
        group, who, CarState(*gates), confirmation, tuple(SignalWrite(*write) for write in writes), tier=tier, closes=closes
    )
    verdict = decide(request)
    assert verdict.allowed or verdict.reason in REASONS
    if not verdict.allowed:
        return
    assert who in (Provenance.DRIVER, Provenance.PASSENGER, Provenance.WEARER, Provenance.TYPED)
    for path, value in writes:
        signal = SIGNALS[path]
        assert signal.kind is Kind.ACTUATOR and signal.group == group and not fault(signal, value)
        assert not path.startswith(NEVER)
    if group not in FREE:
        speed, gear, _, ignition, _, _ = gates
        assert all(gate.age_ms is not None and 0 <= gate.age_ms <= 500 for gate in (speed, gear, ignition))
        assert abs(speed.value) <= 60  # type: ignore[arg-type, operator]
    if closes:
        assert gates[5].value == "OCCUPIED"
    if tier is not Motion.ANY:
        assert abs(gates[0].value) <= (60 if tier is Motion.SLOW else 0)  # type: ignore[arg-type]
    if group in PARKED:
        assert gates[0].value == 0 and confirmation is Confirmation.EXPLICIT


def test_reading_a_car() -> None:
    readings = {vss.SPEED: SignalReading(vss.SPEED, 12.0, 90), vss.IGNITION: SignalReading(vss.IGNITION, None, 0)}
    state = CarState.read(readings.get)
    assert state.speed == Gate(12.0, 90)
    assert state.ignition == Gate() and state.gear == Gate()
