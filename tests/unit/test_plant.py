"""The simulated car moves as cars do."""

from __future__ import annotations

import pytest

from ridealong.simulators.car.plant import Plant
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.policy import CarState, Gate, Motion, judge_motion
from ridealong.vehicle_skills.signals import SIGNALS, fault

pytestmark = pytest.mark.unit

WINDOW = vss.window_position("Row1", "DriverSide")
SETPOINT = vss.set_temperature("Row1", "Driver")


def run(plant: Plant, seconds: float) -> None:
    for _ in range(round(seconds * 10)):
        plant.step(0.1)


def motion(plant: Plant) -> Motion:
    return judge_motion(
        CarState(*(Gate(plant.values[path], 0) for path in (vss.SPEED, vss.SELECTED_GEAR, vss.PARKING_BRAKE, vss.IGNITION)))
    )[0]


def test_a_window_takes_four_to_five_seconds_and_stops_where_it_should() -> None:
    plant = Plant()
    plant.command(WINDOW, 100)
    run(plant, 2)
    assert 30 < plant.values[WINDOW] < 60
    run(plant, 2)
    assert plant.values[WINDOW] < 100
    run(plant, 1)
    assert plant.values[WINDOW] == 100
    plant.command(WINDOW, 50)
    run(plant, 5)
    assert plant.values[WINDOW] == 50
    assert plant.values[vss.window_position("Row2", "DriverSide")] == 0


def test_setpoint_steps_are_the_displays() -> None:
    plant = Plant()
    plant.command(SETPOINT, 22.4)
    assert plant.values[SETPOINT] == 21.0
    run(plant, 0.3)
    assert plant.values[SETPOINT] == 22.5
    american = Plant(temperature_unit="F")
    american.command(SETPOINT, (72 - 32) * 5 / 9)
    run(american, 0.3)
    assert american.values[SETPOINT] == pytest.approx(22.22)


def test_the_cabin_warms_slowly_toward_the_setpoint() -> None:
    plant = Plant()
    plant.command(SETPOINT, 26.0)
    plant.command(vss.set_temperature("Row1", "Passenger"), 26.0)
    start = float(plant.values[vss.CABIN_TEMPERATURE])
    run(plant, 30)
    assert start + 0.2 < float(plant.values[vss.CABIN_TEMPERATURE]) < start + 3


def test_the_trunk_takes_three_seconds() -> None:
    plant = Plant()
    plant.command(vss.TRUNK_OPEN, True)
    run(plant, 2.8)
    assert plant.values[vss.TRUNK_OPEN] is False
    run(plant, 0.3)
    assert plant.values[vss.TRUNK_OPEN] is True


def test_gear_and_brake_follow_a_scripted_speed() -> None:
    plant = Plant()
    assert motion(plant) is Motion.PARKED
    plant.force(vss.SPEED, 48)
    assert plant.values[vss.SPEED] == 48.0 and isinstance(plant.values[vss.SPEED], float)
    assert plant.values[vss.SELECTED_GEAR] == vss.GEAR_DRIVE and plant.values[vss.PARKING_BRAKE] is False
    assert plant.values[vss.IS_MOVING] is True and motion(plant) is Motion.SLOW
    plant.force(vss.SPEED, 0.0)
    assert motion(plant) is Motion.SLOW  # at a light: it stays in D
    plant.force(vss.SELECTED_GEAR, vss.GEAR_PARK)
    assert motion(plant) is Motion.PARKED
    plant.force(vss.SPEED, 90.0)
    assert motion(plant) is Motion.ANY


def test_other_ways_to_say_park() -> None:
    for path, value in (
        ("Vehicle.Powertrain.Transmission.IsParkLockEngaged", True),
        (vss.CURRENT_GEAR, 126),
        (vss.PARKING_BRAKE, True),
    ):
        plant = Plant()
        plant.force(vss.SPEED, 10.0)
        plant.force(vss.SPEED, 0.0)
        plant.force(path, value)
        assert motion(plant) is Motion.PARKED, path


def test_driving_costs_range_and_a_script_wins() -> None:
    plant = Plant()
    plant.force(vss.FUEL_LEVEL, 9)
    plant.force(vss.SPEED, 120.0)
    run(plant, 60)
    assert plant.values[vss.ODOMETER] == 18_252_000
    assert plant.values[vss.BATTERY_RANGE] < 52_000
    assert plant.values[vss.FUEL_LEVEL] == 9


def test_a_forced_value_ends_what_was_under_way() -> None:
    plant = Plant()
    plant.command(WINDOW, 100)
    run(plant, 1)
    plant.force(WINDOW, 30)
    run(plant, 3)
    assert plant.values[WINDOW] == 30


def test_right_hand_drive_and_every_value_fits_its_signal() -> None:
    plant = Plant(drive="right", temperature_unit="F")
    assert plant.values[vss.DRIVER_POSITION] == "RIGHT"
    plant.force(vss.SPEED, 33)
    plant.command(vss.seat("DriverSide", "Backrest.Recline"), 35)
    run(plant, 7)
    assert not {path: fault(SIGNALS[path], value) for path, value in plant.values.items() if fault(SIGNALS[path], value)}
