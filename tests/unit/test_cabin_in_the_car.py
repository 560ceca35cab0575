"""The cabin's skills against the gateway and the simulated car: what they say is what the car's own sensors came to show."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence

import pytest
from car_loop import run as on_virtual_time

from ridealong.device.vehicle.gateway import Gateway
from ridealong.harness.skill import Call, Confirmation, Motion, Outcome, Provenance, Skill, Spoken, Verdict
from ridealong.proto.types import (  # fmt: skip
    Actuate,
    ActuationResult,
    ActuationState,
    Precondition,
    Samples,
    SignalReading,
    SignalValue,
    SignalWrite,
    samples_from_ms,
)
from ridealong.simulators.car.car import SimCar
from ridealong.simulators.car.plant import SignalSample
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.cabin_signals import WIPERS
from ridealong.vehicle_skills.lights.plan import COLOUR, ON
from ridealong.vehicle_skills.policy import CarState, PolicyRequest, decide
from ridealong.vehicle_skills.pretended import NoWaiting

from .cabin import REGISTRY

pytestmark = pytest.mark.unit

KEYS = itertools.count(1)
MINE = "row1.driver"


class Drive:
    """A port to a gateway with a simulated car behind it, on the loop's clock."""

    def __init__(self, skill: Skill, values: dict[str, SignalValue]) -> None:
        self.skill, self.car = skill, SimCar()
        self.ended: dict[str, asyncio.Future[ActuationResult]] = {}
        self.gateway = Gateway(self.car.broker, self._sent, self.now)
        for path, value in values.items():
            self.car.set(path, value)

    def now(self) -> Samples:
        return samples_from_ms(asyncio.get_running_loop().time() * 1000)

    def read(self, path: str) -> SignalReading | None:
        return SignalReading(path, self.car.plant.values[path]) if path in self.car.plant.values else None

    def check(self, group: str, confirmation: Confirmation) -> Verdict:
        return decide(PolicyRequest(group, Provenance.DRIVER, CarState.read(self.read), confirmation, tier=self.skill.motion))

    async def actuate(
        self,
        writes: Sequence[SignalWrite],
        *,
        group: str,
        confirmation: Confirmation = Confirmation.NONE,
        confirm_within_ms: int = 5_000,
        preconditions: Sequence[Precondition] = (),
    ) -> ActuationResult:
        key = f"c{next(KEYS)}"
        self.gateway.on_actuate(
            Actuate(
                key, tuple(writes), group, "driver", confirmation=confirmation.value, requested_at=self.now(), tier=self.skill.motion.value,
                confirm_within_ms=confirm_within_ms, preconditions=tuple(preconditions),
            )
        )  # fmt: skip
        return await self.ended.setdefault(key, asyncio.get_running_loop().create_future())

    def _sent(self, body: object) -> None:
        if isinstance(body, ActuationResult) and body.state in _ENDS:
            ended = self.ended.setdefault(body.key, asyncio.get_running_loop().create_future())
            if not ended.done():
                ended.set_result(body)


_ENDS = {ActuationState.CONFIRMED, ActuationState.REFUSED, ActuationState.CONTRADICTED, ActuationState.TIMED_OUT}


def drive(
    capability: str,
    values: dict[str, SignalValue] | None = None,
    locale: str = "en",
    script: dict[str, SignalValue] | None = None,
    **arguments: object,
) -> tuple[Spoken, dict[str, SignalValue]]:
    """What is said, and what the car shows in the end."""
    skill = REGISTRY.get(capability)
    assert skill is not None
    confirmation = Confirmation.EXPLICIT if skill.confirmation is Confirmation.EXPLICIT else Confirmation.NONE

    async def story() -> tuple[Spoken, dict[str, SignalValue]]:
        port = Drive(skill, values or {})
        port.car.script[:] = [SignalSample(0.0, path, value) for path, value in (script or {}).items()]
        tasks = [asyncio.ensure_future(port.car.run()), asyncio.ensure_future(port.gateway.run())]
        await asyncio.sleep(1.0)
        call = Call("w", "", "", locale, Provenance.DRIVER, arguments, port, NoWaiting(), confirmation=confirmation)
        spoken = await skill.run(call)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return spoken, port.car.plant.values

    found: tuple[Spoken, dict[str, SignalValue]] = on_virtual_time(story())
    return found


@pytest.mark.parametrize(
    ("capability", "arguments", "values", "path", "value", "said"),
    [
        ("sunroof.set", {"to": "open"}, {}, vss.SUNROOF_POSITION, 100, "The sunroof is now open."),
        ("sunroof.set", {"to": "tilted"}, {vss.SUNROOF_POSITION: 100}, vss.SUNROOF_POSITION, -100, "The sunroof is now tilted."),
        ("sunroof.set", {"to": "closed"}, {vss.SUNROOF_POSITION: -100}, vss.SUNROOF_POSITION, 0, "The sunroof is now closed."),
        ("locks.lock", {"zone": "row2"}, {}, vss.door_locked("Row2", "PassengerSide"), True, "The rear doors are locked."),
        ("wipers.set", {"mode": "auto"}, {}, WIPERS, "RAIN_SENSOR", "The wipers are on automatic."),
        ("wipers.change", {"faster": True}, {WIPERS: "SLOW"}, WIPERS, "MEDIUM", "The wipers are on medium."),
        ("lights.cabin", {"on": True}, {}, vss.DOME_LIGHT, True, "The cabin light is on."),
        ("lights.ambient", {"color": "red", "level": 40}, {}, COLOUR[1], "#FF0000", "The ambient light is now red, at 40 percent."),
        ("lights.ambient", {"level": 0}, {ON[0]: True, ON[1]: True}, ON[1], False, "The ambient light is now off."),
        ("seats.set_heating", {"level": -33, "zone": "row1"}, {}, vss.seat("PassengerSide", "HeatingCooling"), -33, "The front seats are now cooled on low."),
        ("seats.move", {"direction": "backward", "amount": 50, "zone": MINE}, {}, vss.seat("DriverSide", "Position"), 230, "The driver's seat has moved back by 50 millimetres."),
        ("seats.move", {"direction": "recline", "zone": MINE}, {}, vss.seat("DriverSide", "Backrest.Recline"), 25.0, "The driver's backrest has moved back by 5 degrees."),
        ("climate.set_air", {"where": "feet", "zone": "row1"}, {}, vss.air_distribution("Row1", "Passenger"), "DOWN", "The air now blows at the feet on both sides."),
        ("climate.sync", {}, {vss.set_temperature("Row1", "Driver"): 23.5}, vss.set_temperature("Row1", "Passenger"), 23.5, "Both sides are now at 23.5 degrees."),
    ],
)  # fmt: skip
def test_what_the_car_came_to_show_is_what_is_said(
    capability: str, arguments: dict[str, object], values: dict[str, SignalValue], path: str, value: SignalValue, said: str
) -> None:
    spoken, shown = drive(capability, values, **arguments)
    assert (spoken.text, spoken.outcome, shown[path]) == (said, Outcome.COMPLETED, value)


@pytest.mark.parametrize("capability", ["locks.unlock", "seats.move"])
def test_a_car_that_rolls_by_then_moves_nothing_that_needs_it_parked(capability: str) -> None:
    arguments = {"zone": "all"} if capability == "locks.unlock" else {"direction": "up", "zone": MINE}
    spoken, shown = drive(capability, {vss.SPEED: 20.0, vss.door_locked("Row1", "DriverSide"): True}, **arguments)
    assert (spoken.outcome, spoken.reason) == (Outcome.REFUSED, "moving")
    assert shown[vss.door_locked("Row1", "DriverSide")] is True
    assert REGISTRY.get(capability).motion is Motion.PARKED  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("late_s", "locale", "outcome", "words"),
    [
        (3.0, "en", Outcome.COMPLETED, ""),
        (27.0, "en", Outcome.UNKNOWN, "the car hasn't confirmed it"),
        (27.0, "zh", Outcome.UNKNOWN, "车辆还没有确认"),
    ],
)
@pytest.mark.parametrize(
    ("capability", "arguments", "path", "value"),
    [
        ("locks.lock", {"zone": "row2"}, vss.door_locked("Row2", "PassengerSide"), True),
        ("lights.cabin", {"on": True}, vss.DOME_LIGHT, True),
        ("sunroof.set", {"to": "open"}, vss.SUNROOF_POSITION, 100),
    ],
)
def test_what_shows_later_than_we_wait_is_said_to_be_unknown(
    late_s: float, locale: str, outcome: Outcome, words: str,
    capability: str, arguments: dict[str, object], path: str, value: SignalValue,
) -> None:  # fmt: skip
    """The car did move: neither done nor failed is the truth."""
    spoken, moved = drive(capability, locale=locale, script={"Sim.SlowConfirmations": late_s}, **arguments)
    assert moved[path] == value
    assert spoken.outcome is outcome and words in spoken.text
