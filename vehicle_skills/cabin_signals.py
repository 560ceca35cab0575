"""More signals of ours, of the cabin and of what a dashboard warns of: media, lights, wipers, seats, belts, levels. The same table as signals.py, which takes them in.

Does not know any value, any car or any policy.
"""

from __future__ import annotations

from typing import Final

from ridealong.vehicle_skills.signal import DataType, Kind, Signal

MEDIA_SOURCE: Final = "Vehicle.Cabin.Infotainment.Media.Played.Source"
MEDIA_TRACK: Final = "Vehicle.Cabin.Infotainment.Media.Played.Track"
MEDIA_ARTIST: Final = "Vehicle.Cabin.Infotainment.Media.Played.Artist"
MEDIA_ALBUM: Final = "Vehicle.Cabin.Infotainment.Media.Played.Album"
WIPERS: Final = "Vehicle.Body.Windshield.Front.Wiping.Mode"
RAIN: Final = "Vehicle.Body.Raindetection.Intensity"
LIGHT_SWITCH: Final = "Vehicle.Body.Lights.LightSwitch"
LOW_BEAM: Final = "Vehicle.Body.Lights.Beam.Low.IsOn"
LOW_BEAM_DEFECT: Final = "Vehicle.Body.Lights.Beam.Low.IsDefect"
BRAKE_LIGHT_DEFECT: Final = "Vehicle.Body.Lights.Brake.IsDefect"
BONNET_OPEN: Final = "Vehicle.Body.Hood.IsOpen"
WASHER_LOW: Final = "Vehicle.Body.Windshield.Front.WasherFluid.IsLevelLow"
FUEL_LOW: Final = "Vehicle.Powertrain.FuelSystem.IsFuelLevelLow"
OIL_LEVEL: Final = "Vehicle.Powertrain.CombustionEngine.EngineOil.Level"
SERVICE_DUE: Final = "Vehicle.Service.IsServiceDue"
SERVICE_DISTANCE: Final = "Vehicle.Service.DistanceToService"
FAULT_CODES: Final = "Vehicle.Diagnostics.DTCCount"
SPEED_UNIT: Final = "Vehicle.Cabin.Infotainment.HMI.SpeedUnit"
PRESSURE_UNIT: Final = "Vehicle.Cabin.Infotainment.HMI.TirePressureUnit"

SOURCES: Final = (
    "UNKNOWN", "SIRIUS_XM", "AM", "FM", "DAB", "TV", "CD", "DVD", "AUX", "USB", "DISK", "BLUETOOTH", "INTERNET", "VOICE", "BEEP",
)  # fmt: skip
WIPER_MODES: Final = ("OFF", "SLOW", "MEDIUM", "FAST", "INTERVAL", "RAIN_SENSOR")
LIGHT_MODES: Final = ("OFF", "POSITION", "DAYTIME_RUNNING_LIGHTS", "AUTO", "BEAM")
OIL_LEVELS: Final = ("CRITICALLY_LOW", "LOW", "NORMAL", "HIGH", "CRITICALLY_HIGH")
SUNROOF_ENDS: Final[dict[str, int]] = {
    "OPEN": 100, "ONE_SHOT_OPEN": 100, "CLOSE": 0, "ONE_SHOT_CLOSE": 0, "TILT_UP": -100, "TILT_DOWN": 0,
}  # fmt: skip
"""Where the sunroof's switch leads its position to."""


def seat_height(side: str) -> str:
    return f"Vehicle.Cabin.Seat.Row1.{side}.Height"


def belted(row: str, side: str) -> str:
    return f"Vehicle.Cabin.Seat.{row}.{side}.IsBelted"


def tyre_low(axle: str, side: str) -> str:
    return f"Vehicle.Chassis.Axle.{axle}.Wheel.{side}.Tire.IsPressureLow"


def brake_fluid_low(axle: str, side: str) -> str:
    return f"Vehicle.Chassis.Axle.{axle}.Wheel.{side}.Brake.IsFluidLevelLow"


_B, _S, _F, _U8, _U16 = DataType.BOOLEAN, DataType.STRING, DataType.FLOAT, DataType.UINT8, DataType.UINT16
_SENSOR, _ACTUATOR = Kind.SENSOR, Kind.ACTUATOR
_ROWS, _SIDES, _WHEELS = ("Row1", "Row2"), ("DriverSide", "PassengerSide"), ("Left", "Right")

CABIN: Final = (
    Signal(MEDIA_SOURCE, _S, _ACTUATOR, allowed=SOURCES, group="media"),
    *(Signal(path, _S, _SENSOR) for path in (MEDIA_TRACK, MEDIA_ARTIST, MEDIA_ALBUM)),
    Signal(WIPERS, _S, _ACTUATOR, allowed=WIPER_MODES, group="wipers"),
    Signal(RAIN, _U8, _SENSOR, "percent", 0, 100),
    # Read to answer; actuators in VSS, never ours to write.
    Signal(LIGHT_SWITCH, _S, _ACTUATOR, allowed=LIGHT_MODES),
    Signal(LOW_BEAM, _B, _ACTUATOR),
    *(Signal(path, _B, _SENSOR) for path in (LOW_BEAM_DEFECT, BRAKE_LIGHT_DEFECT, WASHER_LOW, FUEL_LOW, SERVICE_DUE)),
    Signal(BONNET_OPEN, _B, _ACTUATOR),
    Signal(OIL_LEVEL, _S, _SENSOR, allowed=OIL_LEVELS),
    Signal(SERVICE_DISTANCE, _F, _SENSOR, "km"),
    Signal(FAULT_CODES, _U8, _SENSOR),
    Signal(SPEED_UNIT, _S, _ACTUATOR, allowed=("METERS_PER_SECOND", "MILES_PER_HOUR", "KILOMETERS_PER_HOUR")),
    Signal(PRESSURE_UNIT, _S, _ACTUATOR, allowed=("PSI", "KPA", "BAR")),
    *(
        Signal(seat_height(side), _U16, _ACTUATOR, "mm", 0, 120, group="seat_position", tolerance=3, hold_ms=300, travels=True)
        for side in _SIDES
    ),
    *(Signal(belted(row, side), _B, _SENSOR) for row in _ROWS for side in _SIDES),
    *(Signal(path(axle, wheel), _B, _SENSOR) for path in (tyre_low, brake_fluid_low) for axle in _ROWS for wheel in _WHEELS),
)
