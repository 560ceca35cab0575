"""A car that has changed between the decision and the act: what the boot and the windows ask the gateway to judge, and what is said then."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from car_loop import run

from ridealong.cloud.vehicle import Car
from ridealong.device.vehicle.gateway import Gateway
from ridealong.harness.port import GuardedPort
from ridealong.harness.runner import Job
from ridealong.harness.skill import Call, Confirmation, Motion, Outcome, Precondition, Provenance, Spoken
from ridealong.proto.types import Actuate, ActuationResult, DownlinkBody, Samples, UplinkBody, VehicleState, samples_from_ms
from ridealong.simulators.car.car import SimCar
from ridealong.vehicle_skills import policy
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.pretended import NoWaiting

pytestmark = pytest.mark.unit

SKILLS = builtin_registry()
WINDOW = vss.window_position("Row1", "DriverSide")


class Ride:
    """A cloud's car, a device's gateway and a simulated car. `meanwhile` happens when a request to act is on its way down. `tier`: in place of the
    skills' own."""

    tier: Motion | None = None

    def __init__(self, meanwhile: Callable[[SimCar], None]) -> None:
        self.car, self.meanwhile = SimCar(), meanwhile
        self.asked: list[Actuate] = []
        self.gateway = Gateway(self.car.broker, self._up, self.now)
        self.cloud = Car("s", self._down, self.now, self.now)

    def now(self) -> Samples:
        return samples_from_ms(asyncio.get_running_loop().time() * 1000)

    def _up(self, body: UplinkBody) -> None:
        if isinstance(body, VehicleState):
            self.cloud.on_state(body)
        elif isinstance(body, ActuationResult):
            self.cloud.on_result(body)

    def _down(self, body: DownlinkBody) -> None:
        assert isinstance(body, Actuate)
        self.asked.append(body)
        self.meanwhile(self.car)
        self.gateway.on_actuate(body)

    async def done(self, name: str, arguments: Mapping[str, object], locale: str) -> Spoken:
        skill = SKILLS.get(name)
        assert skill is not None
        skill = replace(skill, motion=self.tier or skill.motion)
        job = Job("w", skill)

        async def durable(work_id: str, key: str, writes: object) -> bool:
            return True

        port = GuardedPort(self.cloud, job, Provenance.DRIVER, Confirmation.EXPLICIT, durable, lambda key, result: None)
        return await skill.run(
            Call("w", "", "", locale, Provenance.DRIVER, arguments, port, NoWaiting(), confirmation=Confirmation.EXPLICIT)
        )

    @property
    def applied(self) -> int:
        return len(self.car.broker.forwarded)


def ride(
    name: str, arguments: Mapping[str, object], meanwhile: Callable[[SimCar], None], *, locale: str = "en", window: int = 20
) -> tuple[Spoken, Ride]:
    async def main() -> tuple[Spoken, Ride]:
        one = Ride(meanwhile)
        async with asyncio.TaskGroup() as tasks:
            parts = [tasks.create_task(one.car.run()), tasks.create_task(one.gateway.run())]
            await asyncio.sleep(1.0)
            one.car.set(WINDOW, window)
            await asyncio.sleep(1.0)
            spoken = await one.done(name, arguments, locale)
            for part in parts:
                part.cancel()
        return spoken, one

    result: tuple[Spoken, Ride] = run(main())
    return result


def rolls_off(car: SimCar) -> None:
    car.set(vss.SPEED, 4.0)


def stays(car: SimCar) -> None:
    pass


YES = {"confirmed": True}


def test_a_boot_opens_and_its_request_says_that_the_car_must_be_standing() -> None:
    spoken, one = ride("trunk.open", YES, stays)
    assert (spoken.text, one.applied) == ("The boot is open.", 1)
    assert one.asked[0].preconditions == (Precondition(vss.SPEED, equals=0.0),)


@pytest.mark.parametrize(
    ("locale", "said"), [("en", "I can't open the boot while we're moving."), ("zh", "行驶中不能打开后备箱。")]
)
def test_a_car_that_rolls_off_after_the_yes_keeps_its_boot_shut(locale: str, said: str) -> None:
    spoken, one = ride("trunk.open", YES, rolls_off, locale=locale)
    assert (spoken.text, spoken.outcome, spoken.reason) == (said, Outcome.REFUSED, "moving")
    assert len(one.asked) == 1 and one.applied == 0


@pytest.mark.parametrize(
    ("locale", "said"),
    [
        ("en", "I didn't open the boot: I can't be sure that we're still standing."),
        ("zh", "我不能确定车还停着，所以没有打开后备箱。"),
    ],
)
def test_where_a_cars_policy_would_let_a_moving_boot_open_the_request_does_not(
    monkeypatch: pytest.MonkeyPatch, locale: str, said: str
) -> None:
    slowly = policy.Rule(policy.Risk.ACCESS, dict.fromkeys(Motion, Confirmation.EXPLICIT))
    monkeypatch.setitem(policy.RULES, "trunk", slowly)
    monkeypatch.setattr(Ride, "tier", Motion.ANY)
    spoken, one = ride("trunk.open", YES, rolls_off, locale=locale)
    assert (spoken.text, spoken.outcome, spoken.reason) == (said, Outcome.REFUSED, "precondition")
    assert len(one.asked) == 1 and one.applied == 0


def by_hand(position: int) -> Callable[[SimCar], None]:
    return lambda car: car.set(WINDOW, position)


FURTHER = {"delta": 20, "zone": "row1.driver"}


@pytest.mark.parametrize(
    ("locale", "said"),
    [
        ("en", "I didn't open the driver's window further: I can't be sure how far it is open by now."),
        ("zh", "我不能确定现在开了多大，所以没有把主驾驶车窗再开大。"),
    ],
)
def test_opening_a_bit_more_never_closes_a_window_that_somebody_has_opened_meanwhile(locale: str, said: str) -> None:
    spoken, one = ride("windows.move", FURTHER, by_hand(80), locale=locale)
    assert (spoken.text, spoken.outcome, one.applied) == (said, Outcome.REFUSED, 0)


@pytest.mark.parametrize("meanwhile", [stays, by_hand(30), by_hand(42)])
def test_opening_a_bit_more_opens_a_window_that_is_not_there_yet(meanwhile: Callable[[SimCar], None]) -> None:
    spoken, one = ride("windows.move", FURTHER, meanwhile)
    assert spoken.outcome is Outcome.COMPLETED and one.applied == 1


def test_closing_a_bit_asks_for_nothing_beside() -> None:
    spoken, one = ride("windows.move", FURTHER | {"delta": -10}, stays)
    assert spoken.outcome is Outcome.COMPLETED and one.asked[0].preconditions == ()
