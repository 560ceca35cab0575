"""When the driver is too busy for news: what the car shows of it, and for how long it counts."""

from collections.abc import Mapping

import pytest

from ridealong.cloud.vehicle import Car
from ridealong.proto.types import Samples, SignalReading, SignalValue, VehicleState, samples_from_ms
from ridealong.vehicle_skills.load import FRESH_MS, HOLD_MS, sign
from ridealong.vehicle_skills.signals import (
    BRAKE_PEDAL,
    LATERAL,
    LEFT_INDICATOR,
    LONGITUDINAL,
    RIGHT_INDICATOR,
    SELECTED_GEAR,
    SPEED,
    STEERING_ANGLE,
)

pytestmark = pytest.mark.unit


def shown(values: Mapping[str, SignalValue], age_ms: int = 100) -> str:
    return sign(lambda path: SignalReading(path, values[path], age_ms) if path in values else None)


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({}, ""),
        ({SPEED: 100.0}, ""),
        ({SPEED: 100.0, BRAKE_PEDAL: 15, STEERING_ANGLE: -20, LATERAL: 1.0, LONGITUDINAL: -1.0}, ""),
        ({SPEED: 100.0, BRAKE_PEDAL: 60}, "braking"),
        ({SPEED: 100.0, LONGITUDINAL: -4.5}, "braking"),
        ({SPEED: 100.0, LONGITUDINAL: 4.5}, ""),
        ({SPEED: 30.0, STEERING_ANGLE: -180}, "turning"),
        ({SPEED: 80.0, LATERAL: 3.5}, "turning"),
        ({SPEED: 40.0, LEFT_INDICATOR: True, RIGHT_INDICATOR: False}, "indicating"),
        ({SPEED: 40.0, RIGHT_INDICATOR: True}, "indicating"),
        ({SPEED: 40.0, LEFT_INDICATOR: True, RIGHT_INDICATOR: True}, ""),
        ({SPEED: 120.0, LEFT_INDICATOR: True}, ""),
        ({SPEED: 0.0, STEERING_ANGLE: 400, BRAKE_PEDAL: 100, LEFT_INDICATOR: True}, ""),
        ({SPEED: 3.0, SELECTED_GEAR: -1}, "reversing"),
        ({BRAKE_PEDAL: 100}, ""),  # whether it moves is not known
    ],
)
def test_signs(values: Mapping[str, SignalValue], found: str) -> None:
    assert shown(values) == found


def test_what_is_old_is_no_sign() -> None:
    assert shown({SPEED: 100.0, BRAKE_PEDAL: 60}, FRESH_MS) == "braking"
    assert shown({SPEED: 100.0, BRAKE_PEDAL: 60}, FRESH_MS + 1) == ""


def test_a_sign_counts_for_a_while() -> None:
    now = [Samples(0)]
    car = Car("s", lambda body: None, lambda: now[0], lambda: now[0])

    def reports(at_ms: int, **values: SignalValue) -> None:
        now[0] = samples_from_ms(at_ms)
        named = {"speed": SPEED, "brake": BRAKE_PEDAL}
        car.on_state(VehicleState(now[0], tuple(SignalReading(named[name], value, 50) for name, value in values.items())))

    reports(0, speed=50.0, brake=0)
    assert not car.loaded()
    reports(1_000, brake=70)
    assert car.loaded()
    reports(1_200, brake=0)
    assert car.loaded()
    now[0] = samples_from_ms(1_000 + HOLD_MS)
    assert not car.loaded()
