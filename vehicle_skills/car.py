"""What recognisers and plans read of the car: drive side, units, positions, typed and possibly unknown. Pure.

Does not know what is done with it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

from ridealong.harness.skill import ANSWER_WITHIN_MS, Context, Match, Outcome, Provenance
from ridealong.harness.slots.temperature import Unit
from ridealong.harness.slots.zone import SEATS, Zone, resolve
from ridealong.harness.slots.zones import cover, find_zones
from ridealong.proto.types import ActuationResult, SignalReading
from ridealong.vehicle_skills.cabin_signals import PRESSURE_UNIT, SPEED_UNIT
from ridealong.vehicle_skills.signals import DISTANCE_UNIT, DRIVER_POSITION, TEMPERATURE_UNIT

Read = Callable[[str], SignalReading | None]


def number(read: Read, path: str) -> float | None:
    reading = read(path)
    value = reading.value if reading is not None else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def flag(read: Read, path: str) -> bool | None:
    reading = read(path)
    return reading.value if reading is not None and isinstance(reading.value, bool) else None


def text(read: Read, path: str) -> str | None:
    reading = read(path)
    return reading.value if reading is not None and isinstance(reading.value, str) else None


def drive_side(read: Read) -> str | None:
    """ "LEFT" or "RIGHT"; None when the car has not said."""
    side = text(read, DRIVER_POSITION)
    return side if side in ("LEFT", "RIGHT") else None


def temperature_unit(read: Read) -> Unit:
    """The display unit. VSS values are Celsius whatever it is; a car that does not say shows Celsius."""
    return "F" if text(read, TEMPERATURE_UNIT) == "F" else "C"


def speed_unit(read: Read) -> str:
    """The display unit, as VSS names it. A car that does not say of speed has it as of distance; VSS values are km/h whatever it is."""
    shown = text(read, SPEED_UNIT)
    if shown in ("MILES_PER_HOUR", "KILOMETERS_PER_HOUR"):
        return shown
    return "MILES_PER_HOUR" if text(read, DISTANCE_UNIT) == "MILES" else "KILOMETERS_PER_HOUR"


def pressure_unit(read: Read) -> str:
    """The display unit: PSI, KPA or BAR, which is also that of a car that does not say. VSS values are kPa whatever it is."""
    shown = text(read, PRESSURE_UNIT)
    return shown if shown in ("PSI", "KPA") else "BAR"


def observed(result: ActuationResult, path: str, read: Read) -> float | None:
    """The value that the car reported with the result, else the last one that it reported at all."""
    for reading in result.observed:
        if reading.path == path and isinstance(reading.value, int | float) and not isinstance(reading.value, bool):
            return float(reading.value)
    return number(read, path)


def speaker(context: Context) -> str:
    """Whose "my" it is."""
    return "passenger" if context.provenance is Provenance.PASSENGER else "driver"


def zone_argument(zone: Zone | None, context: Context, default: str) -> tuple[str, str] | None:
    """(zone, ground), or None when left or right was said and the drive side is unknown."""
    if zone is None:
        return default, f"default:{default}"
    name = resolve(zone, drive_side(context.read), speaker(context))
    return (name, zone.words) if name is not None else None


_SIDES = ("left", "right", "左", "右")
_ROWS = ("front", "rear", "back", "behind", "前", "后")


def placed_again(words: str, locale: str, before: str, context: Context, row1_only: bool = False) -> tuple[str, ...]:
    """The zones that words name which change a zone: "the right one" of the rear windows is a rear one. () where they name none."""
    zones = find_zones(words, locale, drive_side(context.read), speaker(context), row1_only=row1_only)
    if zones is None or not zones.certain:
        return ()
    rear = all(row == 2 for row, _ in SEATS[before])
    if rear and any(side in zones.words for side in _SIDES) and not any(row in words for row in _ROWS):
        return tuple(zone.replace("row1", "row2") for zone in zones.names)
    if before in ("driver_side", "passenger_side") and len(zones.names) == 1 and not any(row in words for row in _ROWS):
        return (f"{zones.names[0].partition('.')[2]}_side",) if zones.names[0].startswith("row1.") else zones.names
    return zones.names


def shown_before(zone: str, read: Read, path: Callable[[int, str], str]) -> list[tuple[str, float]]:
    """(zone, value) for each value that the places of a zone had, in the fewest zones; without those that are unknown."""
    seats: dict[float, set[tuple[int, str]]] = {}
    for row, role in SEATS[zone]:
        value = number(read, path(row, role))
        if value is not None:
            seats.setdefault(value, set()).add((row, role))
    return [(name, value) for value, places in seats.items() for name in cover(places)]


NO_SUCH_ROW_EN = re.compile(
    r"\b(?:third|fourth|fifth|sixth|3rd|4th|5th|6th|last|middle|centre|center) (?:row|bench)\b|\brow (?:three|four|five|six|[3-9])\b"
)
NO_SUCH_ROW_ZH = re.compile(r"第?[三四五六七3-9]排|中排|中间那?一?排|最后一?排")
"""A row of seats that this car has not."""


def without(match: Match, name: str, question: str) -> Match:
    """The match with an argument that must be asked for."""
    arguments = {key: value for key, value in match.arguments.items() if key != name}
    grounds = {key: value for key, value in match.grounds.items() if key != name}
    return Match(match.capability, match.score, arguments, grounds, (name,), question)


def which_side(locale: str) -> str:
    return "是主驾侧还是副驾侧？" if locale.startswith("zh") else "Do you mean the driver's side or the passenger's side?"


def recent_argument(context: Context, capabilities: str, name: str, within_ms: float = 60_000) -> object | None:
    """An argument of the newest call, when it was one of a family ("climate.")."""
    if (
        not context.recent
        or not context.recent[0].capability.startswith(capabilities)
        or context.recent[0].asked_ms_ago > within_ms
    ):
        return None
    return context.recent[0].arguments.get(name)


def is_recent(context: Context, capabilities: str | tuple[str, ...], within_ms: float = 60_000) -> bool:
    return (
        bool(context.recent)
        and context.recent[0].capability.startswith(capabilities)
        and context.recent[0].asked_ms_ago <= within_ms
    )


def asks(context: Context, capability: str, within_ms: float = ANSWER_WITHIN_MS) -> bool:
    """Our own question about this capability is still open."""
    if not context.recent:
        return False
    last = context.recent[0]
    return last.capability == capability and last.outcome is Outcome.ASKS and last.asked_ms_ago <= within_ms


def integer(arguments: Mapping[str, object], name: str) -> int:
    value = arguments[name]
    assert isinstance(value, int)
    return value


def real(arguments: Mapping[str, object], name: str) -> float:
    value = arguments[name]
    assert isinstance(value, int | float)
    return float(value)
