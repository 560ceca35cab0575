"""May this be done now? Pure, deny by default, a table: group x motion x who spoke x confirmation x occupants x child lock -> Verdict.

The cloud asks for a quick refusal, the device's gateway asks again with values read in the car, and the second answer is
final. Does not know how a value was read, who will speak the refusal, or what a skill is. It reads no clock: every gate
value comes with its age.

Motion, from speed, gear and ignition (all three must be known and fresh, else the car may be going at any speed):

    PARKED   speed 0 and (gear P or parking brake on)       SLOW   at most 60 km/h, a stop at a light too
    ANY      faster, or something is unknown or old: what is refused here is refused
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ridealong.harness.permission import ELSEWHERE
from ridealong.harness.skill import SPEAKERS, Confirmation, Motion, Provenance, Risk, Verdict
from ridealong.proto.types import SignalReading, SignalValue, SignalWrite
from ridealong.vehicle_skills.cabin_signals import SUNROOF_ENDS
from ridealong.vehicle_skills.signals import (
    GEAR_PARK,
    IGNITION,
    NEVER,
    PARKING_BRAKE,
    SELECTED_GEAR,
    SIGNALS,
    SPEED,
    SUNROOF_POSITION,
    SUNROOF_SWITCH,
    TOGETHER,
    WINDOW_CHILD_LOCK,
    Kind,
    fault,
    occupancy,
)

GATE_AGE_MS: Final = 500
"""In the car: an older speed, gear or ignition is as good as none."""
CLOUD_GATE_AGE_MS: Final = 3_000
"""In the cloud, whose copy is refreshed once a second: only for quick refusals, the car decides."""
OCCUPANTS_AGE_MS: Final = 1_000
"""Who sits where is told when it changes: as old as the last exchange with the databroker."""
SLOW_KMH: Final = 60.0
DRIVER_SEAT: Final = occupancy("Row1", "DriverSide")


_CHARGE = frozenset({Provenance.DRIVER, Provenance.WEARER, Provenance.TYPED})
_ASKERS = SPEAKERS | {Provenance.UNKNOWN}


@dataclass(frozen=True, slots=True)
class Rule:
    """One row. `needs` holds the motions in which the group is allowed and the least confirmation there."""

    risk: Risk
    needs: dict[Motion, Confirmation]
    by: frozenset[Provenance] = SPEAKERS
    writes: bool = True
    ignition: bool = False
    """Moves glass: only with the key in ACC, ON or START (FMVSS 118 S4; an empty car is never closed or opened by voice)."""


_ALWAYS = {Motion.ANY: Confirmation.NONE, Motion.SLOW: Confirmation.NONE, Motion.PARKED: Confirmation.NONE}
_SLOWLY = {Motion.SLOW: Confirmation.SAID_BACK, Motion.PARKED: Confirmation.NONE}
_PARKED = {Motion.PARKED: Confirmation.EXPLICIT}

# The first table of the product. A group that is not here does not exist; what a row does not name is refused.
RULES: Final[dict[str, Rule]] = {
    "climate": Rule(Risk.COMFORT, _ALWAYS),
    "seat_heat": Rule(Risk.COMFORT, _ALWAYS),
    "media": Rule(Risk.COMFORT, _ALWAYS),
    "navigation": Rule(Risk.COMFORT, _ALWAYS),
    "wipers": Rule(Risk.COMFORT, _ALWAYS, by=_CHARGE),
    # What an integrator adds: a scent, a massage. How fast the car may go is its skill's own tier.
    "accessory": Rule(Risk.COMFORT, _ALWAYS),
    "status": Rule(Risk.READS, _ALWAYS, by=_ASKERS, writes=False),
    "timers": Rule(Risk.READS, _ALWAYS, by=_ASKERS, writes=False),
    "reading": Rule(Risk.READS, _ALWAYS, by=_ASKERS, writes=False),
    "windows": Rule(Risk.OPENINGS, _SLOWLY, ignition=True),
    "sunroof": Rule(Risk.OPENINGS, _SLOWLY, ignition=True),
    "ambient_light": Rule(Risk.OPENINGS, _SLOWLY),
    "trunk": Rule(Risk.ACCESS, _PARKED, by=_CHARGE),
    "doors": Rule(Risk.ACCESS, _PARKED, by=_CHARGE),
    "seat_position": Rule(Risk.ACCESS, _PARKED, by=_CHARGE),
    # Outside the car (a call, a tool of an MCP server): no signal is in it, and how fast the car may go is its skill's own tier.
    ELSEWHERE: Rule(Risk.ACCESS, dict.fromkeys(Motion, Confirmation.EXPLICIT)),
    "driving": Rule(Risk.DRIVING, {}, by=frozenset(), writes=False),
}

REASONS: Final = frozenset(
    {
        "unknown_group", "never", "not_addressed", "not_allowed_speaker", "read_only", "wrong_group", "unknown_signal", "bad_type",
        "bad_value", "repeated_signal", "incomplete_batch", "child_lock", "ignition_off", "unknown_speed", "stale_speed", "unknown_gear",
        "stale_gear", "unknown_ignition", "stale_ignition", "moving", "too_fast", "not_parked", "needs_confirmation", "unknown_occupants", "nobody_there",
    }
)  # fmt: skip
"""Every reason that `decide` gives."""

RESULT_REASONS: Final = REASONS | frozenset(
    {
        "no_vehicle", "expired", "precondition", "busy", "bad_request", "not_durable", "no_provider", "not_permitted", "outcome_unknown",
        "no_change", "no_value", "still_moving", "moved_away", "stopped_short", "other_value", "over", "cannot_halt", "halted",
    }
)  # fmt: skip
"""Every reason that an `ActuationResult` may carry: refused by the policy, the gateway or the databroker, or not confirmed."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate value with its age; `value` None or `age_ms` None: never known."""

    value: SignalValue | None = None
    age_ms: float | None = None

    @staticmethod
    def of(reading: SignalReading | None) -> Gate:
        return Gate() if reading is None or reading.value is None else Gate(reading.value, reading.age_ms)

    def trouble(self, name: str, max_age_ms: float) -> str:
        if self.value is None or self.age_ms is None:
            return f"unknown_{name}"
        return "" if 0 <= self.age_ms <= max_age_ms else f"stale_{name}"  # NaN is stale too


@dataclass(frozen=True, slots=True)
class CarState:
    """What the policy needs to know of the car."""

    speed: Gate = Gate()
    gear: Gate = Gate()
    parking_brake: Gate = Gate()
    ignition: Gate = Gate()
    window_child_lock: Gate = Gate()
    driver_seat: Gate = Gate()

    @staticmethod
    def read(read: Callable[[str], SignalReading | None]) -> CarState:
        return CarState(
            speed=Gate.of(read(SPEED)),
            gear=Gate.of(read(SELECTED_GEAR)),
            parking_brake=Gate.of(read(PARKING_BRAKE)),
            ignition=Gate.of(read(IGNITION)),
            window_child_lock=Gate.of(read(WINDOW_CHILD_LOCK)),
            driver_seat=Gate.of(read(DRIVER_SEAT)),
        )


@dataclass(frozen=True, slots=True)
class PolicyRequest:
    """`writes` may be empty: "could this group act at all?" `tier`: the most at which the skill that asks says it may act."""

    group: str
    provenance: Provenance
    car: CarState
    confirmation: Confirmation = Confirmation.NONE
    writes: tuple[SignalWrite, ...] = ()
    max_age_ms: float = GATE_AGE_MS
    tier: Motion = Motion.ANY
    closes: bool = False
    """Of what it writes, something closes glass (`closing`): never where nobody can be seen to sit and pull a hand back."""


def decide(request: PolicyRequest) -> Verdict:
    """The verdict; never raises, whatever the values are."""
    rule = RULES.get(request.group)
    if rule is None:
        return Verdict(False, "unknown_group")
    if not rule.needs or request.confirmation is Confirmation.NEVER:
        return Verdict(False, "never")
    if request.provenance not in rule.by:
        return Verdict(False, "not_addressed" if request.provenance not in SPEAKERS else "not_allowed_speaker")
    reason = _unfit_writes(request, rule)
    if reason:
        return Verdict(False, reason)
    motion, why = judge_motion(request.car, request.max_age_ms)
    needs = rule.needs.get(motion)
    if needs is None or (rule.writes and not request.tier.admits(motion)):
        return Verdict(False, _motion_reason(request.car, rule, why, request.tier))
    if rule.ignition and request.car.ignition.value not in ("ACC", "ON", "START"):
        return Verdict(False, "ignition_off")
    if request.closes and (reason := _unattended(request.car, request.max_age_ms)):
        return Verdict(False, reason)
    if request.confirmation.rank < needs.rank:
        return Verdict(False, "needs_confirmation", needs=needs)
    return Verdict(True, needs=needs)


def may_halt(provenance: Provenance) -> Verdict:
    """May what we have set going be stopped? At any speed and unconfirmed, by whoever may speak to the car: standing still harms nobody. What was
    overheard or seen stops nothing, and whoever can't be told apart doesn't either."""
    return Verdict(True) if provenance in SPEAKERS else Verdict(False, "not_addressed")


def closing(writes: Sequence[SignalWrite], read: Callable[[str], SignalReading | None]) -> bool:
    """Something of this makes a gap of glass smaller, or may: where it is now is not known."""
    return any(_closes(write, read) for write in writes)


def _closes(write: SignalWrite, read: Callable[[str], SignalReading | None]) -> bool:
    signal = SIGNALS.get(write.path)
    if signal is None or signal.group not in RULES or not RULES[signal.group].ignition:
        return False
    if write.path == SUNROOF_SWITCH:
        return _closes_roof(write.value, Gate.of(read(SUNROOF_POSITION)).value)
    now = Gate.of(read(write.path)).value
    known = isinstance(now, int | float) and isinstance(write.value, int | float)
    return not known or float(write.value) < float(now or 0)


def _closes_roof(switch: SignalValue, now: SignalValue | None) -> bool:
    """Tilting a roof that is open slides it shut on the way, and opening one that is tilted lays it down."""
    end = SUNROOF_ENDS.get(switch) if isinstance(switch, str) else None
    if end is None:
        return False
    if isinstance(now, bool) or not isinstance(now, int | float):
        return end <= 0
    return end == 0 or now * end < 0


def _unattended(car: CarState, max_age_ms: float) -> str:
    """FMVSS 118 S4 has power windows closed by whoever can see them; a voice by way of a cloud is not enough by itself."""
    if car.driver_seat.trouble("occupants", max(max_age_ms, OCCUPANTS_AGE_MS)) or car.driver_seat.value == "UNKNOWN":
        return "unknown_occupants"
    return "" if car.driver_seat.value == "OCCUPIED" else "nobody_there"


def judge_motion(car: CarState, max_age_ms: float = GATE_AGE_MS) -> tuple[Motion, str]:
    """The motion and, where something is unknown or old, the reason why it is ANY."""
    speed = car.speed.value
    trouble = car.speed.trouble("speed", max_age_ms)
    if trouble or isinstance(speed, bool) or not isinstance(speed, int | float) or not math.isfinite(speed):
        return Motion.ANY, trouble or "unknown_speed"
    if abs(speed) > SLOW_KMH:
        return Motion.ANY, ""
    trouble = _gear_trouble(car, max_age_ms) or car.ignition.trouble("ignition", max_age_ms)
    if not trouble and car.ignition.value == "UNDEFINED":
        trouble = "unknown_ignition"
    if trouble:
        return Motion.ANY, trouble
    if speed == 0 and (_is(car.gear, GEAR_PARK, max_age_ms) or _is(car.parking_brake, True, max_age_ms)):
        return Motion.PARKED, ""
    return Motion.SLOW, ""


def _gear_trouble(car: CarState, max_age_ms: float) -> str:
    trouble = car.gear.trouble("gear", max_age_ms)
    if trouble or (isinstance(car.gear.value, int) and not isinstance(car.gear.value, bool)):
        return trouble
    return "unknown_gear"


def _is(gate: Gate, value: SignalValue, max_age_ms: float) -> bool:
    return not gate.trouble("", max_age_ms) and type(gate.value) is type(value) and gate.value == value


def _motion_reason(car: CarState, rule: Rule, why: str, tier: Motion) -> str:
    """What to say. A fresh speed that forbids it by itself says more than a missing gear."""
    if why not in ("unknown_speed", "stale_speed"):
        speed = car.speed.value
        assert isinstance(speed, int | float)
        if speed != 0 and (Motion.SLOW not in rule.needs or tier is Motion.PARKED):
            return "moving"
        if abs(speed) > SLOW_KMH:
            return "too_fast"
    return why or "not_parked"


def _unfit_writes(request: PolicyRequest, rule: Rule) -> str:
    if request.writes and not rule.writes:
        return "read_only"
    return path_fault(request.group, request.writes) or _child_lock_fault(request)


def path_fault(group: str, writes: Sequence[SignalWrite]) -> str:
    """'' when every write is an actuator of this group with a value of the right type and range."""
    paths = [write.path for write in writes]
    for write in writes:
        if write.path.startswith(NEVER):
            return "never"
        signal = SIGNALS.get(write.path)
        if signal is None:
            return "unknown_signal"
        if signal.kind is not Kind.ACTUATOR or not signal.group or signal.group != group:
            return "wrong_group"
        reason = fault(signal, write.value)
        if reason:
            return reason
    if len(set(paths)) != len(paths):
        return "repeated_signal"
    if any(0 < len(whole.intersection(paths)) < len(whole) for whole in TOGETHER):
        return "incomplete_batch"
    return ""


def _child_lock_fault(request: PolicyRequest) -> str:
    """The lock for the rear windows also holds for the voices in the rear; unknown or old counts as locked."""
    if request.group != "windows" or request.provenance is not Provenance.PASSENGER:
        return ""
    rear = any(".Row2." in write.path for write in request.writes)
    lock = request.car.window_child_lock
    off = lock.value is False and not lock.trouble("", max(request.max_age_ms, OCCUPANTS_AGE_MS))
    return "child_lock" if rear and not off else ""
