"""The VSS 6.0 signals that we use: path, data type, unit, limits, who may write them, and how near counts as reached.

One small table of our own, checked against the published tree by a test. Does not know any value, any car or any policy:
`group` only names the policy group that owns an actuator; what has no group is never written by us.

Conventions: temperatures are Celsius whatever the display shows; window positions are 0 = closed, 100 = open; DriverSide is
a role, not left or right.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ridealong.vehicle_skills.cabin_signals import CABIN
from ridealong.vehicle_skills.signal import INTEGER_RANGES as INTEGER_RANGES
from ridealong.vehicle_skills.signal import DataType as DataType
from ridealong.vehicle_skills.signal import Kind as Kind
from ridealong.vehicle_skills.signal import Signal as Signal
from ridealong.vehicle_skills.signal import fault as fault
from ridealong.vehicle_skills.signal import typed as typed

# --- paths that others name -----------------------------------------------------------------------------------------

SPEED: Final = "Vehicle.Speed"
IS_MOVING: Final = "Vehicle.IsMoving"
SELECTED_GEAR: Final = "Vehicle.Powertrain.Transmission.SelectedGear"
CURRENT_GEAR: Final = "Vehicle.Powertrain.Transmission.CurrentGear"
PARKING_BRAKE: Final = "Vehicle.Chassis.ParkingBrake.IsEngaged"
IGNITION: Final = "Vehicle.LowVoltageSystemState"
DRIVER_POSITION: Final = "Vehicle.Cabin.DriverPosition"
WINDOW_CHILD_LOCK: Final = "Vehicle.Cabin.IsWindowChildLockEngaged"
CABIN_TEMPERATURE: Final = "Vehicle.Cabin.HVAC.AmbientAirTemperature"
OUTSIDE_TEMPERATURE: Final = "Vehicle.Exterior.AirTemperature"
AIR_CONDITIONING: Final = "Vehicle.Cabin.HVAC.IsAirConditioningActive"
RECIRCULATION: Final = "Vehicle.Cabin.HVAC.IsRecirculationActive"
FRONT_DEFROSTER: Final = "Vehicle.Cabin.HVAC.IsFrontDefrosterActive"
REAR_DEFROSTER: Final = "Vehicle.Cabin.HVAC.IsRearDefrosterActive"
TRUNK_OPEN: Final = "Vehicle.Body.Trunk.Rear.IsOpen"
SUNROOF_SWITCH: Final = "Vehicle.Cabin.Sunroof.Switch"
SUNROOF_POSITION: Final = "Vehicle.Cabin.Sunroof.Position"
DOME_LIGHT: Final = "Vehicle.Cabin.Light.IsDomeOn"
MEDIA_VOLUME: Final = "Vehicle.Cabin.Infotainment.Media.Volume"
MEDIA_ACTION: Final = "Vehicle.Cabin.Infotainment.Media.Action"
DESTINATION_LATITUDE: Final = "Vehicle.Cabin.Infotainment.Navigation.DestinationSet.Latitude"
DESTINATION_LONGITUDE: Final = "Vehicle.Cabin.Infotainment.Navigation.DestinationSet.Longitude"
NAVIGATION_VOLUME: Final = "Vehicle.Cabin.Infotainment.Navigation.Volume"
NAVIGATION_MUTE: Final = "Vehicle.Cabin.Infotainment.Navigation.Mute"
TEMPERATURE_UNIT: Final = "Vehicle.Cabin.Infotainment.HMI.TemperatureUnit"
DISTANCE_UNIT: Final = "Vehicle.Cabin.Infotainment.HMI.DistanceUnit"
FUEL_LEVEL: Final = "Vehicle.Powertrain.FuelSystem.RelativeLevel"
FUEL_RANGE: Final = "Vehicle.Powertrain.FuelSystem.Range"
BATTERY_LEVEL: Final = "Vehicle.Powertrain.TractionBattery.StateOfCharge.Displayed"
BATTERY_RANGE: Final = "Vehicle.Powertrain.TractionBattery.Range"
TOTAL_RANGE: Final = "Vehicle.Powertrain.Range"
LATITUDE: Final = "Vehicle.CurrentLocation.Latitude"
LONGITUDE: Final = "Vehicle.CurrentLocation.Longitude"
ODOMETER: Final = "Vehicle.TraveledDistance"

STEERING_ANGLE: Final = "Vehicle.Chassis.SteeringWheel.Angle"
BRAKE_PEDAL: Final = "Vehicle.Chassis.Brake.PedalPosition"
LONGITUDINAL: Final = "Vehicle.Acceleration.Longitudinal"
LATERAL: Final = "Vehicle.Acceleration.Lateral"
LEFT_INDICATOR: Final = "Vehicle.Body.Lights.DirectionIndicator.Left.IsSignaling"
RIGHT_INDICATOR: Final = "Vehicle.Body.Lights.DirectionIndicator.Right.IsSignaling"

ROWS: Final = ("Row1", "Row2")
SIDES: Final = ("DriverSide", "PassengerSide")
ROLES: Final = ("Driver", "Passenger")
GEAR_PARK: Final = 126
GEAR_DRIVE: Final = 127
GEAR_REVERSE: Final = -1


def set_temperature(row: str, role: str) -> str:
    return f"Vehicle.Cabin.HVAC.Station.{row}.{role}.Temperature"


def fan_speed(row: str, role: str) -> str:
    return f"Vehicle.Cabin.HVAC.Station.{row}.{role}.FanSpeed"


def air_distribution(row: str, role: str) -> str:
    return f"Vehicle.Cabin.HVAC.Station.{row}.{role}.AirDistribution"


def window_position(row: str, side: str) -> str:
    return f"Vehicle.Cabin.Door.{row}.{side}.Window.Position"


def door_open(row: str, side: str) -> str:
    return f"Vehicle.Cabin.Door.{row}.{side}.IsOpen"


def door_locked(row: str, side: str) -> str:
    return f"Vehicle.Cabin.Door.{row}.{side}.IsLocked"


def child_lock(row: str, side: str) -> str:
    return f"Vehicle.Cabin.Door.{row}.{side}.IsChildLockActive"


def seat(side: str, leaf: str, row: str = "Row1") -> str:
    return f"Vehicle.Cabin.Seat.{row}.{side}.{leaf}"


def occupancy(row: str, side: str) -> str:
    return f"Vehicle.Cabin.Seat.{row}.{side}.OccupancyStatus"


def ambient_light(side: str, leaf: str) -> str:
    return f"Vehicle.Cabin.Light.AmbientLight.Row1.{side}.{leaf}"


def tyre_pressure(axle: str, side: str) -> str:
    return f"Vehicle.Chassis.Axle.{axle}.Wheel.{side}.Tire.Pressure"


# --- the table ------------------------------------------------------------------------------------------------------

_B, _S, _F, _D, _U8, _U16, _U32, _I8 = (
    DataType.BOOLEAN, DataType.STRING, DataType.FLOAT, DataType.DOUBLE, DataType.UINT8, DataType.UINT16, DataType.UINT32, DataType.INT8,
)  # fmt: skip
_SENSOR, _ACTUATOR, _ATTRIBUTE = Kind.SENSOR, Kind.ACTUATOR, Kind.ATTRIBUTE
_SWITCH = ("INACTIVE", "CLOSE", "OPEN", "ONE_SHOT_CLOSE", "ONE_SHOT_OPEN", "TILT_UP", "TILT_DOWN")
_MEDIA = ("UNKNOWN", "STOP", "PLAY", "FAST_FORWARD", "FAST_BACKWARD", "SKIP_FORWARD", "SKIP_BACKWARD")


def _rows() -> list[Signal]:
    table = [
        Signal(SPEED, _F, _SENSOR, "km/h", gate=True, needed=True),
        Signal(IS_MOVING, _B, _SENSOR),
        # Read for the gate; actuators in VSS, never ours to write.
        Signal(SELECTED_GEAR, _I8, _ACTUATOR, gate=True, needed=True),
        Signal(CURRENT_GEAR, _I8, _SENSOR),
        Signal(PARKING_BRAKE, _B, _ACTUATOR, gate=True, needed=True),
        Signal(IGNITION, _S, _SENSOR, allowed=("UNDEFINED", "LOCK", "OFF", "ACC", "ON", "START"), gate=True, needed=True),
        Signal(DRIVER_POSITION, _S, _ATTRIBUTE, allowed=("LEFT", "MIDDLE", "RIGHT")),
        Signal(WINDOW_CHILD_LOCK, _B, _ACTUATOR),
        Signal(CABIN_TEMPERATURE, _F, _SENSOR, "Celsius"),
        Signal(OUTSIDE_TEMPERATURE, _F, _SENSOR, "Celsius"),
        Signal(TRUNK_OPEN, _B, _ACTUATOR, group="trunk", needed=True),
        Signal(SUNROOF_SWITCH, _S, _ACTUATOR, allowed=_SWITCH, group="sunroof", halted_by="INACTIVE"),
        Signal(SUNROOF_POSITION, _I8, _SENSOR, "percent", -100, 100, tolerance=3, hold_ms=300),
        Signal(DOME_LIGHT, _B, _ACTUATOR, group="ambient_light"),
        Signal(MEDIA_VOLUME, _U8, _ACTUATOR, "percent", 0, 100, group="media", tolerance=1),
        Signal(MEDIA_ACTION, _S, _ACTUATOR, allowed=_MEDIA, group="media"),
        # 0.00002 degrees is about two metres.
        Signal(DESTINATION_LATITUDE, _D, _ACTUATOR, "degrees", -90, 90, group="navigation", tolerance=0.00002, needed=True),
        Signal(DESTINATION_LONGITUDE, _D, _ACTUATOR, "degrees", -180, 180, group="navigation", tolerance=0.00002, needed=True),
        Signal(NAVIGATION_VOLUME, _U8, _ACTUATOR, "percent", 0, 100, group="navigation", tolerance=1),
        Signal(NAVIGATION_MUTE, _S, _ACTUATOR, allowed=("MUTED", "ALERT_ONLY", "UNMUTED"), group="navigation"),
        Signal(TEMPERATURE_UNIT, _S, _ACTUATOR, allowed=("C", "F")),
        Signal(DISTANCE_UNIT, _S, _ACTUATOR, allowed=("MILES", "KILOMETERS")),
        Signal(FUEL_LEVEL, _U8, _SENSOR, "percent", 0, 100),
        Signal(FUEL_RANGE, _U32, _SENSOR, "m"),
        Signal(BATTERY_LEVEL, _F, _SENSOR, "percent", 0, 100),
        Signal(BATTERY_RANGE, _U32, _SENSOR, "m"),
        Signal(TOTAL_RANGE, _U32, _SENSOR, "m"),
        Signal(LATITUDE, _D, _SENSOR, "degrees", -90, 90),
        Signal(LONGITUDE, _D, _SENSOR, "degrees", -180, 180),
        Signal(ODOMETER, _U32, _SENSOR, "m"),
        # How busy the driver is (load.py).
        Signal(STEERING_ANGLE, DataType.INT16, _SENSOR, "degrees"),
        Signal(BRAKE_PEDAL, _U8, _SENSOR, "percent", 0, 100),
        Signal(LONGITUDINAL, _F, _SENSOR, "m/s^2"),
        Signal(LATERAL, _F, _SENSOR, "m/s^2"),
        Signal(LEFT_INDICATOR, _B, _ACTUATOR),
        Signal(RIGHT_INDICATOR, _B, _ACTUATOR),
    ]
    table += [
        Signal(path, _B, _ACTUATOR, group="climate")
        for path in (AIR_CONDITIONING, RECIRCULATION, FRONT_DEFROSTER, REAR_DEFROSTER)
    ]
    for row in ROWS:
        for role in ROLES:
            front = row == "Row1"
            table += [
                Signal(
                    set_temperature(row, role), _F, _ACTUATOR, "Celsius", 14, 32, group="climate", tolerance=0.3, needed=front
                ),
                Signal(fan_speed(row, role), _U8, _ACTUATOR, "percent", 0, 100, group="climate", tolerance=5, needed=front),
                Signal(air_distribution(row, role), _S, _ACTUATOR, allowed=("UP", "MIDDLE", "DOWN"), group="climate"),
            ]
        for side in SIDES:
            table += [
                Signal(
                    window_position(row, side),
                    _U8,
                    _ACTUATOR,
                    "percent",
                    0,
                    100,
                    group="windows",
                    tolerance=3,
                    hold_ms=300,
                    travels=True,
                    needed=True,
                ),
                Signal(door_open(row, side), _B, _ACTUATOR, group="doors"),
                Signal(door_locked(row, side), _B, _ACTUATOR, group="doors"),
                Signal(child_lock(row, side), _B, _SENSOR),
                Signal(occupancy(row, side), _S, _SENSOR, allowed=("UNKNOWN", "OCCUPIED", "EMPTY")),
            ]
    for side in SIDES:
        table += [
            Signal(seat(side, "HeatingCooling"), _I8, _ACTUATOR, "percent", -100, 100, group="seat_heat", tolerance=5),
            Signal(
                seat(side, "Position"),
                _U16,
                _ACTUATOR,
                "mm",
                0,
                400,
                group="seat_position",
                tolerance=5,
                hold_ms=300,
                travels=True,
            ),
            Signal(
                seat(side, "Backrest.Recline"),
                _F,
                _ACTUATOR,
                "degrees",
                -10,
                60,
                group="seat_position",
                tolerance=1,
                hold_ms=300,
                travels=True,
            ),
            Signal(ambient_light(side, "IsLightOn"), _B, _ACTUATOR, group="ambient_light"),
            # VSS has no 0 here: "nothing" is IsLightOn = false.
            Signal(ambient_light(side, "Intensity"), _U8, _ACTUATOR, "percent", 1, 100, group="ambient_light", tolerance=2),
            Signal(ambient_light(side, "Color"), _S, _ACTUATOR, group="ambient_light"),
        ]
    table += [Signal(tyre_pressure(axle, side), _U16, _SENSOR, "kPa") for axle in ROWS for side in ("Left", "Right")]
    return table


SIGNALS: Final[dict[str, Signal]] = {signal.path: signal for signal in (*_rows(), *CABIN)}
"""Every signal that we read or write, by path."""

GATE_PATHS: Final[tuple[str, ...]] = tuple(path for path, signal in SIGNALS.items() if signal.gate)

ADDED: Final = "accessory"
"""The policy group of what an integrator adds."""
NEVER: Final = ("Vehicle.ADAS.", "Vehicle.Chassis.", "Vehicle.Powertrain.", "Vehicle.MotionManagement.", "Vehicle.Body.Mirrors.")
"""Gear, brakes, steering, driver assistance: no group owns anything below these, whatever a table may come to say."""

TOGETHER: Final[tuple[frozenset[str], ...]] = (frozenset({DESTINATION_LATITUDE, DESTINATION_LONGITUDE}),)
"""Leaves that are only ever written in one batch: a car must not route to a half-updated point."""


def admit(signals: Iterable[Signal]) -> None:
    """Takes signals of an integrator's in. Called by a program as it starts, before anything is looked up. Raises ValueError, one sentence, and takes
    none, where one is ours already or would write what only the car itself may."""
    found = list(signals)
    for signal in found:
        if signal.path in SIGNALS and SIGNALS[signal.path] != signal:
            raise ValueError(f"{signal.path} is a signal that the product has already")
        if not signal.path.startswith("Vehicle."):
            raise ValueError(f"{signal.path} does not begin with Vehicle.")
        if signal.group not in ("", ADDED) or (signal.group and signal.kind is not Kind.ACTUATOR):
            raise ValueError(f"{signal.path}: the group must be {ADDED!r}, of an actuator, or left out")
        if signal.group and signal.path.startswith(NEVER):
            raise ValueError(f"{signal.path} belongs to how the car drives: it may be read, never written")
    SIGNALS.update({signal.path: signal for signal in found})


def group_paths(group: str) -> tuple[str, ...]:
    """What a policy group may write."""
    return tuple(path for path, signal in SIGNALS.items() if signal.group == group and signal.kind is Kind.ACTUATOR)


def can_halt(path: str) -> bool:
    """What this signal sets going can be told to stop where it is."""
    signal = SIGNALS.get(path)
    return signal is not None and (signal.travels or signal.halted_by is not None)
