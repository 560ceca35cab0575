"""What a script can do to the simulated car besides values: paths that begin with `Sim.`, so that a trip can break things at its moments.

    Sim.Obstacle.Row1.DriverSide           40      something is in that window's way at 40 % (-1: nothing any more)
    Sim.Hand.Row2.PassengerSide            100     somebody holds that window's switch: it goes to 100 % whatever we ask (in the rear not while the child lock is on)
    Sim.Provider                           false   nobody claims the actuators
    Sim.Refuses                            not_permitted   the databroker answers so ("" : no more)
    Sim.LosesActuations, Sim.LosesConfirmations    true
    Sim.Slow                               1.5     seconds until an actuation is answered
    Sim.SlowConfirmations                  3.0     seconds until what an actuation has moved shows it
    Sim.Databroker                         false   it is gone

Pure but for what it sets. Does not know physics, time, or files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ridealong.proto.types import SignalValue
from ridealong.vehicle_skills.broker import ReplyKind
from ridealong.vehicle_skills.signals import ROWS, SIDES, window_position

if TYPE_CHECKING:
    from ridealong.simulators.car.broker import SimBroker
    from ridealong.simulators.car.plant import Plant

PREFIX: Final = "Sim."
_WINDOWS: Final = {f"{row}.{side}": window_position(row, side) for row in ROWS for side in SIDES}
_SWITCHES: Final = ("Sim.Provider", "Sim.LosesActuations", "Sim.LosesConfirmations", "Sim.Databroker")
_SECONDS: Final = ("Sim.Slow", "Sim.SlowConfirmations")


def fault_of(path: str, value: object) -> str:
    """'' where this can be done, else what is wrong, to finish a sentence."""
    kind, _, place = path.removeprefix(PREFIX).partition(".")
    if path in _SWITCHES:
        return "" if isinstance(value, bool) else "is true or false"
    if path == "Sim.Refuses":
        known = ("", *(one.value for one in ReplyKind if one is not ReplyKind.FORWARDED))
        return "" if value in known else f"is one of {', '.join(known[1:])}, or empty"
    if path in _SECONDS:
        return "" if _number(value) and 0 <= float(str(value)) <= 60 else "is 0 to 60 seconds"
    if kind in ("Obstacle", "Hand") and place in _WINDOWS:
        return "" if _number(value) and -1 <= float(str(value)) <= 100 else "is a position of 0 to 100, or -1"
    return f"is none of what a script can do; there are {', '.join((*_SWITCHES, 'Sim.Refuses', *_SECONDS, 'Sim.Obstacle.*', 'Sim.Hand.*'))}"


def apply(path: str, value: SignalValue, plant: Plant, broker: SimBroker) -> None:
    """Raises ValueError for what `fault_of` names."""
    if problem := fault_of(path, value):
        raise ValueError(f"{path} {problem}")
    kind, _, place = path.removeprefix(PREFIX).partition(".")
    match path:
        case "Sim.Provider":
            broker.faults.provider_absent = value is not True
        case "Sim.LosesActuations":
            broker.faults.lost_actuation = value is True
        case "Sim.LosesConfirmations":
            broker.faults.lost_confirmation = value is True
        case "Sim.Databroker":
            broker.go_away(value is not True)
        case "Sim.Refuses":
            broker.faults.refuse = ReplyKind(value) if value else None
        case "Sim.Slow":
            broker.faults.slow_s = float(value)
        case "Sim.SlowConfirmations":
            broker.faults.late_confirmation_s = float(value)
        case _ if kind == "Obstacle":
            plant.obstruct(_WINDOWS[place], float(value))
        case _:
            plant.hold(_WINDOWS[place], float(value))


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
