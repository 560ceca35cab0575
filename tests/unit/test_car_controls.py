"""What a script can break in the simulated car, and what its body controller does not do whoever asks."""

from __future__ import annotations

import base64
import json

import pytest

from ridealong.errors import UserError
from ridealong.proto.types import SignalWrite
from ridealong.simulators.car.car import SimCar
from ridealong.simulators.car.permits import NoPermit, permit_of
from ridealong.simulators.car.plant import GIVES_WAY, Plant, SignalSample
from ridealong.simulators.car.script import sample
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.broker import BrokerAway, ReplyKind
from tests.unit.car_loop import run as virtual

pytestmark = pytest.mark.unit

WINDOW = vss.window_position("Row1", "DriverSide")


def run(plant: Plant, seconds: float) -> None:
    for _ in range(round(seconds * 10)):
        plant.step(0.1)


def test_a_window_that_meets_something_goes_back() -> None:
    plant = Plant()
    plant.force(WINDOW, 90)
    plant.obstruct(WINDOW, 40)
    plant.command(WINDOW, 0)
    run(plant, 8)
    assert plant.values[WINDOW] == 40 + GIVES_WAY and plant.pinched == {WINDOW}
    plant.obstruct(WINDOW, -1)
    plant.command(WINDOW, 0)
    run(plant, 8)
    assert plant.values[WINDOW] == 0


def test_who_holds_the_switch_has_the_window() -> None:
    plant = Plant()
    plant.hold(WINDOW, 100)
    plant.command(WINDOW, 0)
    run(plant, 6)
    assert plant.values[WINDOW] == 100 and WINDOW not in plant.commanded
    plant.hold(WINDOW, -1)
    plant.command(WINDOW, 0)
    run(plant, 6)
    assert plant.values[WINDOW] == 0


def test_a_rear_switch_is_dead_while_the_child_lock_is_on() -> None:
    rear = vss.window_position("Row2", "PassengerSide")
    plant = Plant()
    plant.force(vss.WINDOW_CHILD_LOCK, True)
    plant.hold(rear, 100)
    plant.hold(WINDOW, 100)
    run(plant, 6)
    assert (plant.values[rear], plant.values[WINDOW]) == (0, 100)
    plant.command(rear, 30)  # nobody holds anything: the driver's own switch, or we
    run(plant, 6)
    assert plant.values[rear] == 30
    plant.force(vss.WINDOW_CHILD_LOCK, False)
    plant.hold(rear, 100)
    run(plant, 1)
    moving = plant.values[rear]
    plant.force(vss.WINDOW_CHILD_LOCK, True)  # and where it has come to it stays
    run(plant, 6)
    assert 30 < moving < 100 and plant.values[rear] == moving


@pytest.mark.parametrize(
    ("path", "value", "world"),
    [
        (WINDOW, 50, {vss.IGNITION: "OFF"}),
        (vss.SUNROOF_SWITCH, "OPEN", {vss.IGNITION: "OFF"}),
        (vss.TRUNK_OPEN, True, {vss.SPEED: 30.0}),
        (vss.door_locked("Row2", "DriverSide"), True, {vss.SPEED: 30.0}),
        (vss.seat("DriverSide", "Position"), 100, {vss.SPEED: 30.0}),
    ],
)
def test_the_body_controller_has_interlocks_of_its_own(path: str, value: object, world: dict[str, object]) -> None:
    plant = Plant()
    for signal, now in world.items():
        plant.force(signal, now)  # type: ignore[arg-type]
    before = dict(plant.values)
    plant.command(path, value)  # type: ignore[arg-type]
    run(plant, 6)
    assert plant.values[path] == before[path] and plant.values[vss.SUNROOF_POSITION] == 0


def test_a_script_breaks_things_at_its_moments() -> None:
    async def story() -> None:
        import asyncio

        car = SimCar(
            [
                SignalSample(1.0, "Sim.Provider", False),
                SignalSample(2.0, "Sim.Provider", True),
                SignalSample(2.0, "Sim.Refuses", "not_permitted"),
                SignalSample(3.0, "Sim.Refuses", ""),
                SignalSample(3.0, "Sim.Databroker", False),
            ]
        )
        driving = asyncio.create_task(car.run())
        replies = []
        for _ in range(4):
            await asyncio.sleep(0.55)
            replies.append((await car.broker.actuate([SignalWrite(WINDOW, 30)])).kind)
            await asyncio.sleep(0.5)
        with pytest.raises(BrokerAway):
            await car.broker.read([WINDOW])
        driving.cancel()
        assert replies == [ReplyKind.FORWARDED, ReplyKind.NO_PROVIDER, ReplyKind.NOT_PERMITTED, ReplyKind.NO_VEHICLE]

    virtual(story())


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("Sim.Provider", "maybe", "true or false"),
        ("Sim.Slow", "long", "0 to 60"),
        ("Sim.SlowConfirmations", "-1", "0 to 60"),
        ("Sim.Refuses", "sometimes", "is one of no_provider"),
        ("Sim.Obstacle.Row1.Boot", "4", "none of what a script can do"),
        ("Sim.Hand.Row1.DriverSide", "400", "0 to 100"),
    ],
)
def test_what_no_script_can_do(path: str, value: str, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        sample("line 3", 1, path, value)


def token(**claims: object) -> str:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    return f"{part({'alg': 'RS256'})}.{part(claims)}.x"


def test_what_a_token_permits() -> None:
    permit = permit_of(
        token(exp=1_000, scope="read:Vehicle.Speed actuate:Vehicle.Cabin.HVAC provide:actuation:Vehicle.Cabin.*.Row1"), 10
    )
    assert permit.allows("read", vss.SPEED) and not permit.allows("read", vss.TRUNK_OPEN)
    assert permit.allows("actuate", vss.AIR_CONDITIONING) and permit.allows("read", vss.AIR_CONDITIONING)
    assert not permit.allows("actuate", WINDOW) and permit.allows("provide", WINDOW)
    assert not permit.over(999) and permit.over(1_000)
    for wrong, why in (("x", "no JWT"), (token(exp=5), "expired"), (token(scope="read"), "KeyError"), ("a.b.c", "can't be read")):
        with pytest.raises(NoPermit, match=why):
            permit_of(wrong, 10)
