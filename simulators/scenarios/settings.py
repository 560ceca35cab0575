"""Where scenarios play: who is there, what can be heard, how the speaker's sound comes back. A table; does not know what happens."""

from __future__ import annotations

from dataclasses import dataclass

from ridealong.simulators.scenarios.acoustics import Seat
from ridealong.simulators.scenarios.noises import Event


@dataclass(frozen=True, slots=True)
class Setting:
    """`beds`: road speeds in km/h, or the kind of place of an ambience. `echo_db`, `delay_ms`: ranges of the echo path."""

    name: str
    device_kind: str
    user: Seat
    others: tuple[Seat, ...]
    events: tuple[Event, ...]
    speeds_kmh: tuple[int, ...] = ()
    place: str = ""
    rain: bool = False
    echo_db: tuple[float, float] = (-22.0, -12.0)
    delay_ms: tuple[float, float] = (15.0, 60.0)
    tail_ms: tuple[float, float] = (80.0, 160.0)


_CAR = (Event.INDICATOR, Event.COUGH, Event.HORN, Event.DOOR)
SETTINGS = (
    Setting("commute", "car", Seat.DRIVER, (Seat.LOUDSPEAKER,), _CAR, (50, 70)),
    Setting("family trip", "car", Seat.DRIVER, (Seat.REAR, Seat.PASSENGER, Seat.REAR), _CAR, (50, 80, 100)),
    Setting("motorway", "car", Seat.DRIVER, (Seat.PASSENGER, Seat.LOUDSPEAKER), (*_CAR, Event.WIPERS), (120, 130)),
    Setting("city", "car", Seat.DRIVER, (Seat.PASSENGER, Seat.LOUDSPEAKER), _CAR, (30, 50)),
    Setting("rain", "car", Seat.DRIVER, (Seat.PASSENGER, Seat.LOUDSPEAKER), (*_CAR, Event.WIPERS, Event.RAIN), (50, 80), rain=True),
    Setting(
        "on foot", "glasses", Seat.WEARER, (Seat.BYSTANDER,), (Event.COUGH, Event.HORN), place="street",
        echo_db=(-38.0, -28.0), delay_ms=(5.0, 15.0), tail_ms=(20.0, 60.0),
    ),
    Setting(
        "indoors", "glasses", Seat.WEARER, (Seat.BYSTANDER, Seat.LOUDSPEAKER), (Event.COUGH, Event.DOOR), place="indoors",
        echo_db=(-36.0, -26.0), delay_ms=(5.0, 15.0), tail_ms=(60.0, 200.0),
    ),
)  # fmt: skip
CARS = tuple(setting for setting in SETTINGS if setting.device_kind == "car")
GLASSES = tuple(setting for setting in SETTINGS if setting.device_kind == "glasses")
