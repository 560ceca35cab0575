"""The car's physics, coarse but plausible: windows take seconds, the cabin warms slowly, the gear follows the speed.

Pure: `command` (an actuation arrived), `force` (the script or a test says so), `step(dt_s)`; then look at `values`. Does not
know a databroker, a clock or a trip. Window positions: 0 = closed, 100 = open. Temperatures: Celsius.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from ridealong.proto.types import SignalValue
from ridealong.vehicle_skills import cabin_signals as cabin
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.signals import SIGNALS, DataType


class SignalSample(NamedTuple):
    """What the script says: from `at_s` on this signal has this value."""

    at_s: float
    path: str
    value: SignalValue


@dataclass(frozen=True, slots=True)
class Travel:
    """Something that moves at a constant speed, in the signal's unit a second."""

    per_s: float


PARK_LOCK: Final = "Vehicle.Powertrain.Transmission.IsParkLockEngaged"  # some trips give this instead of a gear
WINDOW: Final = Travel(24.0)  # a little over 4 s from closed to open
SUNROOF: Final = Travel(20.0)
SEAT: Final = Travel(25.0)
RECLINE: Final = Travel(6.0)
TRUNK_S: Final = 3.0
LOCK_S: Final = 0.3
SETTING_S: Final = 0.2
GIVES_WAY: Final = 20.0
"""How far a window opens again that has met something on its way up, in percent."""
CABIN_TAU_S: Final = 240.0
IDLE_TAU_S: Final = 1_500.0

_TRAVELS: Final[dict[str, Travel]] = (
    {vss.window_position(row, side): WINDOW for row in vss.ROWS for side in vss.SIDES}
    | {vss.seat(side, "Position"): SEAT for side in vss.SIDES}
    | {cabin.seat_height(side): SEAT for side in vss.SIDES}
    | {vss.seat(side, "Backrest.Recline"): RECLINE for side in vss.SIDES}
    | {vss.SUNROOF_POSITION: SUNROOF}
)
_DELAYS: Final[dict[str, float]] = (
    {vss.TRUNK_OPEN: TRUNK_S}
    | {vss.door_locked(row, side): LOCK_S for row in vss.ROWS for side in vss.SIDES}
    | {vss.door_open(row, side): 2.0 for row in vss.ROWS for side in vss.SIDES}
)
_SEATS: Final = frozenset(
    [vss.seat(side, leaf) for side in vss.SIDES for leaf in ("Position", "Backrest.Recline")]
    + [cabin.seat_height(side) for side in vss.SIDES]
)
_DOORS: Final = frozenset(path(row, side) for path in (vss.door_open, vss.door_locked) for row in vss.ROWS for side in vss.SIDES)
_REAR_WINDOWS: Final = frozenset(vss.window_position("Row2", side) for side in vss.SIDES)
_SETPOINTS: Final = tuple(vss.set_temperature(row, role) for row in vss.ROWS for role in vss.ROLES)

CABIN_AT_REST: Final[dict[str, SignalValue]] = {
    cabin.MEDIA_SOURCE: "FM",
    cabin.MEDIA_TRACK: "",
    cabin.MEDIA_ARTIST: "",
    cabin.MEDIA_ALBUM: "",
    cabin.WIPERS: "OFF",
    cabin.RAIN: 0,
    cabin.LIGHT_SWITCH: "AUTO",
    cabin.LOW_BEAM: False,
    cabin.LOW_BEAM_DEFECT: False,
    cabin.BRAKE_LIGHT_DEFECT: False,
    cabin.BONNET_OPEN: False,
    cabin.WASHER_LOW: False,
    cabin.FUEL_LOW: False,
    cabin.OIL_LEVEL: "NORMAL",
    cabin.SERVICE_DUE: False,
    cabin.SERVICE_DISTANCE: 12_400.0,
    cabin.FAULT_CODES: 0,
    cabin.SPEED_UNIT: "KILOMETERS_PER_HOUR",
    cabin.PRESSURE_UNIT: "BAR",
    **{cabin.belted(row, side): (row, side) == ("Row1", "DriverSide") for row in vss.ROWS for side in vss.SIDES},
}


def initial_values(drive: str = "left", temperature_unit: str = "C") -> dict[str, SignalValue]:
    """A parked car with the ignition on, on a cool day. The position is unknown until a script gives one."""
    values: dict[str, SignalValue] = {
        vss.SPEED: 0.0,
        vss.IS_MOVING: False,
        vss.SELECTED_GEAR: vss.GEAR_PARK,
        vss.CURRENT_GEAR: 0,
        vss.PARKING_BRAKE: True,
        vss.IGNITION: "ON",
        vss.DRIVER_POSITION: drive.upper(),
        vss.WINDOW_CHILD_LOCK: False,
        vss.CABIN_TEMPERATURE: 19.0,
        vss.OUTSIDE_TEMPERATURE: 9.5,
        vss.AIR_CONDITIONING: True,
        vss.RECIRCULATION: False,
        vss.FRONT_DEFROSTER: False,
        vss.REAR_DEFROSTER: False,
        vss.TRUNK_OPEN: False,
        vss.SUNROOF_SWITCH: "INACTIVE",
        vss.SUNROOF_POSITION: 0,
        vss.DOME_LIGHT: False,
        vss.MEDIA_VOLUME: 30,
        vss.MEDIA_ACTION: "STOP",
        vss.NAVIGATION_VOLUME: 50,
        vss.NAVIGATION_MUTE: "UNMUTED",
        vss.TEMPERATURE_UNIT: temperature_unit.upper(),
        vss.DISTANCE_UNIT: "KILOMETERS",
        vss.FUEL_LEVEL: 62,
        vss.FUEL_RANGE: 410_000,
        vss.BATTERY_LEVEL: 74.0,
        vss.BATTERY_RANGE: 52_000,
        vss.TOTAL_RANGE: 462_000,
        vss.ODOMETER: 18_250_000,
    }
    for row in vss.ROWS:
        for role in vss.ROLES:
            values |= {
                vss.set_temperature(row, role): 21.0,
                vss.fan_speed(row, role): 40,
                vss.air_distribution(row, role): "MIDDLE",
            }
        for side in vss.SIDES:
            values |= {vss.window_position(row, side): 0, vss.door_open(row, side): False}
            values |= {vss.door_locked(row, side): False, vss.child_lock(row, side): False}
            values[vss.occupancy(row, side)] = "OCCUPIED" if (row, side) == ("Row1", "DriverSide") else "EMPTY"
        for left_or_right in ("Left", "Right"):
            values[vss.tyre_pressure(row, left_or_right)] = 235
            values |= {cabin.tyre_low(row, left_or_right): False, cabin.brake_fluid_low(row, left_or_right): False}
    for side in vss.SIDES:
        values |= {vss.seat(side, "HeatingCooling"): 0, vss.seat(side, "Position"): 180, vss.seat(side, "Backrest.Recline"): 20.0}
        values |= {vss.ambient_light(side, "IsLightOn"): False, vss.ambient_light(side, "Intensity"): 50}
        values |= {vss.ambient_light(side, "Color"): "#FFFFFF", cabin.seat_height(side): 40}
    return values | CABIN_AT_REST


class Plant:
    """`drive`: "left" or "right" (where the driver sits); `temperature_unit`: the display's, whose steps the setpoint keeps."""

    def __init__(self, drive: str = "left", temperature_unit: str = "C") -> None:
        self.values: dict[str, SignalValue] = initial_values(drive, temperature_unit)
        self.now_s = 0.0
        self.commanded: set[str] = set()
        """Paths whose present change was asked for by an actuation."""
        self._exact: dict[str, float] = {}  # finer than the signal's own type
        self._targets: dict[str, float] = {}
        self._pending: dict[str, tuple[float, SignalValue]] = {}
        self._forced: set[str] = set()
        self._obstacles: dict[str, float] = {}
        self._held: dict[str, float] = {}
        self.pinched: set[str] = set()
        """Windows that met something on their way up and went back."""

    def obstruct(self, path: str, at: float) -> None:
        """Something is in a window's way at this position; below 0: nothing any more."""
        if at < 0:
            self._obstacles.pop(path, None)
        else:
            self._obstacles[path] = at

    def hold(self, path: str, at: float) -> None:
        """Somebody holds a window's switch: it goes there, whatever is asked for; below 0: lets go. A rear switch is dead while the child lock is on."""
        if at < 0:
            self._held.pop(path, None)
        elif path not in _REAR_WINDOWS or self.values[vss.WINDOW_CHILD_LOCK] is not True:
            self._held[path] = self._targets[path] = at
            self.commanded.discard(path)

    def interlocked(self, path: str) -> bool:
        """The body controller does not do this now, whoever asks: glass without ignition, a boot that would open on the road, a door that would be unlocked there."""
        rolling = float(self.values[vss.SPEED]) != 0
        if path in _TRAVELS and path not in _SEATS:
            return self.values[vss.IGNITION] not in ("ACC", "ON", "START")
        return rolling and (path == vss.TRUNK_OPEN or path in _DOORS or path in _SEATS)

    def command(self, path: str, value: SignalValue) -> None:
        """An actuation was forwarded to us: begin to do it, or, where the body controller objects or somebody holds the switch, do nothing. A newer wish for
        the same thing replaces the older."""
        if path in self._held or self.interlocked(vss.SUNROOF_POSITION if path == vss.SUNROOF_SWITCH else path):
            return
        self.commanded.add(path)
        if path in _TRAVELS and not isinstance(value, str):
            self._targets[path] = float(value)
            return
        if path == vss.SUNROOF_SWITCH and value in cabin.SUNROOF_ENDS:
            self._targets[vss.SUNROOF_POSITION] = float(cabin.SUNROOF_ENDS[str(value)])
            self.commanded.add(vss.SUNROOF_POSITION)
        if path == vss.SUNROOF_SWITCH and value == "INACTIVE":
            self._targets.pop(vss.SUNROOF_POSITION, None)
        if path in _SETPOINTS and isinstance(value, int | float):
            value = self._in_steps(float(value))
        self._pending[path] = (self.now_s + _DELAYS.get(path, SETTING_S), value)

    def force(self, path: str, value: SignalValue) -> None:
        """The world says so: at once, and whatever was under way for this signal stops."""
        signal = SIGNALS.get(path)
        self.values[path] = vss.typed(signal, value) if signal is not None else value
        self.commanded.discard(path)
        self._targets.pop(path, None)
        self._pending.pop(path, None)
        self._exact.pop(path, None)
        self._forced.add(path)
        if path == vss.WINDOW_CHILD_LOCK and value is True:
            for held in _REAR_WINDOWS & self._held.keys():
                del self._held[held]
                self._targets.pop(held, None)
        if path == vss.CURRENT_GEAR and vss.SELECTED_GEAR not in self._forced and isinstance(value, int):
            self.values[vss.SELECTED_GEAR] = value if value in (vss.GEAR_PARK, 0) or value < 0 else vss.GEAR_DRIVE
        if path == PARK_LOCK and value is True and vss.SELECTED_GEAR not in self._forced:
            self.values[vss.SELECTED_GEAR] = vss.GEAR_PARK
        self._follow_speed()

    def step(self, dt_s: float) -> None:
        self.now_s += dt_s
        for path, (due_s, value) in list(self._pending.items()):
            if self.now_s >= due_s - 1e-9:
                del self._pending[path]
                self.values[path] = value
        for path, target in list(self._targets.items()):
            position = self._exact.get(path, float(self.values[path]))
            reach = _TRAVELS[path].per_s * dt_s
            before = position
            position = target if abs(target - position) <= reach else position + (reach if target > position else -reach)
            obstacle = self._obstacles.get(path)
            if obstacle is not None and target < before and position <= obstacle <= before:  # anti-pinch: back, and no further
                position, self._targets[path] = obstacle, min(100.0, obstacle + GIVES_WAY)
                self.pinched.add(path)
            elif position == target:
                del self._targets[path]
            self._put(path, position)
        self._follow_speed()
        self._climate(dt_s)
        self._drive(dt_s)

    def _put(self, path: str, exact: float) -> None:
        self._exact[path] = exact
        signal = SIGNALS[path]
        self.values[path] = round(exact, 1) if signal.type in (DataType.FLOAT, DataType.DOUBLE) else round(exact)

    def _in_steps(self, celsius: float) -> float:
        """The car keeps setpoints in half degrees Celsius, or in whole degrees Fahrenheit where it displays those."""
        if self.values[vss.TEMPERATURE_UNIT] == "F":
            return round((round(celsius * 9 / 5 + 32) - 32) * 5 / 9, 2)
        return round(celsius * 2) / 2

    def _follow_speed(self) -> None:
        """Where the script gives only a speed, gear and parking brake follow: parked at first, in D once it has moved."""
        speed = float(self.values[vss.SPEED])
        moving = speed != 0
        if vss.IS_MOVING not in self._forced:
            self.values[vss.IS_MOVING] = moving
        if moving and vss.SELECTED_GEAR not in self._forced and vss.CURRENT_GEAR not in self._forced:
            self.values[vss.SELECTED_GEAR] = vss.GEAR_DRIVE if speed > 0 else vss.GEAR_REVERSE
        if moving and vss.PARKING_BRAKE not in self._forced:
            self.values[vss.PARKING_BRAKE] = False
        if vss.CURRENT_GEAR not in self._forced:
            gear = self.values[vss.SELECTED_GEAR]
            forward = max(1, min(6, int(abs(speed) // 20) + 1))
            self.values[vss.CURRENT_GEAR] = forward if gear == vss.GEAR_DRIVE else 0 if gear == vss.GEAR_PARK else gear

    def _climate(self, dt_s: float) -> None:
        if vss.CABIN_TEMPERATURE in self._forced:
            return
        cabin = self._exact.get(vss.CABIN_TEMPERATURE, float(self.values[vss.CABIN_TEMPERATURE]))
        fans = [float(self.values[vss.fan_speed("Row1", role)]) for role in vss.ROLES]
        blowing = max(fans) > 0 and self.values[vss.IGNITION] in ("ON", "START")
        wanted = sum(float(self.values[vss.set_temperature("Row1", role)]) for role in vss.ROLES) / 2
        outside = float(self.values[vss.OUTSIDE_TEMPERATURE])
        if blowing:
            cabin += (wanted - cabin) * dt_s / CABIN_TAU_S * (0.5 + max(fans) / 100)
        gap = sum(float(self.values[vss.window_position(row, side)]) for row in vss.ROWS for side in vss.SIDES) / 400
        cabin += (outside - cabin) * dt_s / IDLE_TAU_S * (1 + 8 * gap)
        self._exact[vss.CABIN_TEMPERATURE] = cabin
        self.values[vss.CABIN_TEMPERATURE] = round(cabin, 1)

    def _drive(self, dt_s: float) -> None:
        """What a distance costs, shown in the steps in which a dashboard shows it."""
        metres = abs(float(self.values[vss.SPEED])) / 3.6 * dt_s
        if not metres:
            return
        for path, factor in ((vss.ODOMETER, 1.0), (vss.BATTERY_RANGE, -0.3), (vss.FUEL_RANGE, -0.7)):
            if path not in self._forced:
                exact = max(0.0, self._exact.get(path, float(self.values[path])) + factor * metres)
                self._exact[path] = exact
                self.values[path] = int((exact + 1e-6) // 100) * 100
        for path, source, full_m in ((vss.BATTERY_LEVEL, vss.BATTERY_RANGE, 70_000), (vss.FUEL_LEVEL, vss.FUEL_RANGE, 661_000)):
            if path not in self._forced and source not in self._forced:
                share = 100 * self._exact[source] / full_m
                self.values[path] = round(share) if path == vss.FUEL_LEVEL else float(round(share))
        if vss.TOTAL_RANGE not in self._forced:
            self.values[vss.TOTAL_RANGE] = int(self.values[vss.BATTERY_RANGE]) + int(self.values[vss.FUEL_RANGE])
