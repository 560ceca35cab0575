"""A car that is only pretended, for trying and linting skills: real policy, real contracts, and a copy of a car that obeys.

Does not know a session, a device, or who looks at what was noted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ridealong.harness.port import declared, outside_contract
from ridealong.harness.skill import Confirmation, Motion, Provenance, Skill, Verdict
from ridealong.harness.validity import Validity, broken_condition
from ridealong.proto.types import ActuationResult, ActuationState, Precondition, SignalReading, SignalValue, SignalWrite
from ridealong.vehicle_skills import cabin_signals as cabin
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.cabin_signals import MEDIA_SOURCE
from ridealong.vehicle_skills.policy import CarState, PolicyRequest, closing, decide

PARKED_CAR: dict[str, SignalValue] = {
    vss.SPEED: 0.0,
    vss.SELECTED_GEAR: vss.GEAR_PARK,
    vss.PARKING_BRAKE: True,
    vss.IGNITION: "ON",
    vss.DRIVER_POSITION: "LEFT",
    vss.TEMPERATURE_UNIT: "C",
    vss.WINDOW_CHILD_LOCK: False,
    vss.set_temperature("Row1", "Driver"): 20.0,
    vss.set_temperature("Row1", "Passenger"): 20.0,
    vss.fan_speed("Row1", "Driver"): 40,
    **{vss.window_position(row, side): 0 for row in vss.ROWS for side in vss.SIDES},
    vss.MEDIA_VOLUME: 30,
    vss.MEDIA_ACTION: "PLAY",
    MEDIA_SOURCE: "FM",
    vss.TRUNK_OPEN: False,
    vss.occupancy("Row1", "DriverSide"): "OCCUPIED",
    **{vss.door_locked(row, side): False for row in vss.ROWS for side in vss.SIDES},
    vss.SUNROOF_POSITION: 0,
    cabin.WIPERS: "OFF",
    vss.DOME_LIGHT: False,
    **{vss.ambient_light(side, "IsLightOn"): False for side in vss.SIDES},
    **{vss.ambient_light(side, "Intensity"): 50 for side in vss.SIDES},
    **{vss.ambient_light(side, "Color"): "#FFFFFF" for side in vss.SIDES},
    **{vss.seat(side, "HeatingCooling"): 0 for side in vss.SIDES},
    **{vss.seat(side, "Position"): 180 for side in vss.SIDES},
    **{vss.seat(side, "Backrest.Recline"): 20.0 for side in vss.SIDES},
    **{cabin.seat_height(side): 40 for side in vss.SIDES},
    **{vss.air_distribution("Row1", role): "MIDDLE" for role in vss.ROLES},
}
"""What `try` takes the car to be; `--speed` sets it rolling."""


def car_at(speed_kmh: float) -> dict[str, SignalValue]:
    """The car of `try` at a speed."""
    if speed_kmh == 0:
        return dict(PARKED_CAR)
    return PARKED_CAR | {vss.SPEED: float(speed_kmh), vss.SELECTED_GEAR: vss.GEAR_DRIVE, vss.PARKING_BRAKE: False}


@dataclass(slots=True)
class RecordingPort:
    """A SignalPort that judges by the real policy and by the contract of the `skill` that is tried, and confirms in its own copy of the car."""

    values: dict[str, SignalValue]
    provenance: Provenance
    skill: Skill | None = None
    verdicts: list[tuple[str, Confirmation, Verdict]] = field(default_factory=list)
    sent: list[tuple[SignalWrite, ...]] = field(default_factory=list)
    undeclared: list[SignalWrite] = field(default_factory=list)
    """What it tried to write and its contract does not have."""

    def read(self, path: str) -> SignalReading | None:
        return SignalReading(path, self.values[path]) if path in self.values else None

    def check(self, group: str, confirmation: Confirmation) -> Verdict:
        return self._judge(group, confirmation, ())

    async def actuate(
        self,
        writes: Sequence[SignalWrite],
        *,
        group: str,
        confirmation: Confirmation = Confirmation.NONE,
        confirm_within_ms: int = 5_000,
        preconditions: Sequence[Precondition] = (),
    ) -> ActuationResult:
        if self.skill is not None and (outside := [one for one in writes if not declared(one.path, self.skill.actuates)]):
            self.undeclared += outside
            return ActuationResult("try", ActuationState.REFUSED, "undeclared")
        verdict = self._judge(group, confirmation, tuple(writes))
        if not verdict.allowed:
            return ActuationResult("try", ActuationState.REFUSED, verdict.reason)
        if broken_condition(Validity(conditions=tuple(preconditions)), 0, self.read):
            return ActuationResult("try", ActuationState.REFUSED, "precondition")
        self.sent.append(tuple(writes))
        shown = {path: value for write in writes for path, value in _shows(write).items()}
        self.values.update(shown)
        observed = tuple(SignalReading(path, value) for path, value in shown.items())
        return ActuationResult("try", ActuationState.CONFIRMED, observed=observed)

    def _judge(self, group: str, confirmation: Confirmation, writes: tuple[SignalWrite, ...]) -> Verdict:
        reason = outside_contract(self.skill, self.provenance) if self.skill is not None else ""
        tier = self.skill.motion if self.skill is not None else Motion.ANY
        request = PolicyRequest(
            group, self.provenance, CarState.read(self.read), confirmation, writes, tier=tier, closes=closing(writes, self.read)
        )
        verdict = Verdict(False, reason) if reason else decide(request)
        self.verdicts.append((group, confirmation, verdict))
        return verdict


def _shows(write: SignalWrite) -> dict[str, SignalValue]:
    """What the sensors show when it is done: of a switch, what it leads to."""
    if write.path == vss.SUNROOF_SWITCH and write.value in cabin.SUNROOF_ENDS:
        return {vss.SUNROOF_POSITION: cabin.SUNROOF_ENDS[str(write.value)]}
    return {write.path: write.value}


class NoWaiting:
    """A clock on which waiting takes no time."""

    def __init__(self) -> None:
        self._now_ms = 0.0

    def now_ms(self) -> float:
        return self._now_ms

    async def sleep_ms(self, duration_ms: float) -> None:
        self._now_ms += duration_ms
