"""What an answer about the car was made of, and how far the car may have changed before the answer is not so any more. Pure.

A skill reads through `Noted` and hands its `holds()` on with the sentence, so that nobody has to list what a sentence depends on. How far each reading
may move is in SLACK, by what people hear of it: a number is as good as it is spoken. Where the car is counts as one thing, in metres.
Does not know sentences, or what becomes of an answer that is not so any more.
"""

from __future__ import annotations

from typing import Final

from ridealong.harness.skill import Holds, Near, Still
from ridealong.proto.types import SignalReading
from ridealong.vehicle_skills.car import Read, number
from ridealong.vehicle_skills.signals import (
    BATTERY_LEVEL,
    BATTERY_RANGE,
    CABIN_TEMPERATURE,
    DESTINATION_LATITUDE,
    DESTINATION_LONGITUDE,
    FUEL_LEVEL,
    FUEL_RANGE,
    LATITUDE,
    LONGITUDE,
    ODOMETER,
    OUTSIDE_TEMPERATURE,
    ROLES,
    ROWS,
    SIDES,
    SPEED,
    TOTAL_RANGE,
    set_temperature,
    tyre_pressure,
    window_position,
)

SLACK: Final[dict[str, float]] = {
    SPEED: 3.0,  # km/h
    TOTAL_RANGE: 1_000.0,  # m, said in kilometres
    BATTERY_RANGE: 1_000.0,
    FUEL_RANGE: 1_000.0,
    ODOMETER: 1_000.0,
    BATTERY_LEVEL: 1.0,  # percent
    FUEL_LEVEL: 1.0,
    OUTSIDE_TEMPERATURE: 0.5,  # degrees Celsius
    CABIN_TEMPERATURE: 0.5,
    DESTINATION_LATITUDE: 0.0001,  # degrees: eleven metres, within which a place has the same name
    DESTINATION_LONGITUDE: 0.0001,
    **{set_temperature(row, role): 0.3 for row in ROWS for role in ROLES},  # less than one step
    **{tyre_pressure(axle, side): 10.0 for axle in ROWS for side in ("Left", "Right")},  # kPa, said in tenths of a bar
    **{window_position(row, side): 3.0 for row in ROWS for side in SIDES},  # percent: what a sensor wavers
}
"""By path. What is not here must not change at all: doors, the boot, the display's units, the driver's side."""
PLACE_M: Final = 300.0
"""What is nearest, and how far it is: the tenths of a kilometre that are said, three times."""


class Noted:
    """A reader that keeps what was read: the first reading of each path."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._was: dict[str, SignalReading | None] = {}

    def __call__(self, path: str) -> SignalReading | None:
        if path not in self._was:
            self._was[path] = self._read(path)
        return self._was[path]

    def holds(self) -> Holds:
        """All of it is still as it was read."""
        here = [number(self._was.get, path) for path in (LATITUDE, LONGITUDE)]
        near: tuple[Near, ...] = ()
        if here[0] is not None and here[1] is not None:
            near = (Near(LATITUDE, LONGITUDE, here[0], here[1], PLACE_M),)
        still = (
            Still(path, was.value if was is not None else None, SLACK.get(path, 0.0), read=True)
            for path, was in self._was.items()
            if not near or path not in (LATITUDE, LONGITUDE)
        )
        return Holds(still=tuple(still), near=near)
