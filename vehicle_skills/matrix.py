"""The safety matrix: for each skill that acts, what must have been said for it to act, by who speaks and how the car is. Pure.

Nothing is decided here: every cell is what the policy (policy.py) and the skill's own contract answer. Does not know how it is printed, or whether a
skill asks for more than it must.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from ridealong.harness.port import outside_contract
from ridealong.harness.provenance import may_act
from ridealong.harness.skill import Confirmation, Provenance, Skill, Verdict
from ridealong.proto.types import SignalValue, SignalWrite
from ridealong.vehicle_skills.policy import GATE_AGE_MS, OCCUPANTS_AGE_MS, CarState, Gate, PolicyRequest, decide
from ridealong.vehicle_skills.signals import GEAR_DRIVE, GEAR_PARK

FRESH: Final = 100.0
GEAR_NEUTRAL: Final = 0
_GATES: Final[Mapping[str, SignalValue]] = {
    "speed": 0.0, "gear": GEAR_PARK, "parking_brake": True, "ignition": "ON", "window_child_lock": False, "driver_seat": "OCCUPIED",
}  # fmt: skip


def car(**values: SignalValue | None) -> CarState:
    """A car in park with the key on and somebody at the wheel, all of it fresh, but for these values; None: never told."""
    return CarState(**{name: Gate(value, FRESH) if value is not None else Gate() for name, value in {**_GATES, **values}.items()})


def aged(state: CarState, name: str, age_ms: float) -> CarState:
    return replace(state, **{name: replace(getattr(state, name), age_ms=age_ms)})


PARKED: Final = car()
IN_GEAR: Final = car(gear=GEAR_DRIVE, parking_brake=False)
MOTIONS: Final[Mapping[str, CarState]] = {
    "parked": PARKED,
    "parked by the brake alone": car(gear=GEAR_NEUTRAL),
    "standing in gear": IN_GEAR,
    "up to 60 km/h": car(gear=GEAR_DRIVE, parking_brake=False, speed=60.0),
    "faster": car(gear=GEAR_DRIVE, parking_brake=False, speed=60.5),
}
FRESH_ALL: Final = "all fresh"
FRESHNESS: Final = (
    FRESH_ALL,
    *(f"{name} {how}" for name in ("speed", "gear", "brake", "ignition") for how in ("unknown", "old")),
)


def marred(state: CarState, freshness: str) -> CarState:
    """The same car, of which one value is not known, or is older than the policy takes."""
    if freshness == FRESH_ALL:
        return state
    name, _, how = freshness.replace("brake", "parking_brake").partition(" ")
    return aged(state, name, GATE_AGE_MS + 1) if how == "old" else replace(state, **{name: Gate()})


STATES: Final[Mapping[tuple[str, str], CarState]] = {
    (motion, freshness): marred(state, freshness) for motion, state in MOTIONS.items() for freshness in FRESHNESS
}
"""Each motion, in which each value in its turn is unknown or old."""
SEATS: Final[Mapping[str, CarState]] = {
    "somebody": PARKED, "nobody": car(driver_seat="EMPTY"), "unknown": car(driver_seat="UNKNOWN"), "never told": car(driver_seat=None),
    "old": aged(PARKED, "driver_seat", OCCUPANTS_AGE_MS + 1),
}  # fmt: skip
KEYS: Final[Mapping[str, CarState]] = {key: car(ignition=key) for key in ("START", "ON", "ACC", "OFF", "LOCK", "UNDEFINED")}
LOCKS: Final[Mapping[str, CarState]] = {
    "off": PARKED, "on": car(window_child_lock=True), "unknown": car(window_child_lock=None),
    "old": aged(PARKED, "window_child_lock", OCCUPANTS_AGE_MS + 1),
}  # fmt: skip

STEPS: Final = (Confirmation.NONE, Confirmation.SAID_BACK, Confirmation.EXPLICIT)


def verdict(
    skill: Skill,
    who: Provenance,
    state: CarState,
    confirmation: Confirmation,
    *,
    closes: bool = False,
    writes: tuple[SignalWrite, ...] = (),
) -> Verdict:
    """May this skill act? As its port asks it."""
    if not may_act(who):
        return Verdict(False, "not_addressed")
    if reason := outside_contract(skill, who):
        return Verdict(False, reason)
    return decide(PolicyRequest(skill.group, who, state, confirmation, writes, tier=skill.motion, closes=closes))


def least(skill: Skill, who: Provenance, state: CarState) -> Confirmation | None:
    """The least that must have been said for it to act; None: whatever is said, it does not."""
    enough = [step for step in STEPS if step.rank >= skill.confirmation.rank and verdict(skill, who, state, step).allowed]
    return enough[0] if enough else None


def answer(skill: Skill, who: Provenance, state: CarState, confirmation: Confirmation) -> str:
    """ "yes", or "no" and the policy's reason; what the contract asks for beyond the policy counts as the policy's own."""
    found = verdict(skill, who, state, confirmation)
    if found.allowed and confirmation.rank < skill.confirmation.rank:
        return "no: needs_confirmation"
    return "yes" if found.allowed else f"no: {found.reason}"


@dataclass(frozen=True, slots=True)
class Row:
    """Of one skill: these speakers may all have it done in the same states with the same words. `cells`: one for each of STATES."""

    skill: Skill
    who: tuple[Provenance, ...]
    cells: Mapping[tuple[str, str], Confirmation | None]

    @property
    def never(self) -> bool:
        return all(cell is None for cell in self.cells.values())


def rows(skill: Skill) -> Iterator[Row]:
    """Every speaker is in one row."""
    by_cells: dict[tuple[Confirmation | None, ...], list[Provenance]] = {}
    for who in Provenance:
        by_cells.setdefault(tuple(least(skill, who, state) for state in STATES.values()), []).append(who)
    for cells, who_all in by_cells.items():
        yield Row(skill, tuple(who_all), dict(zip(STATES, cells, strict=True)))
