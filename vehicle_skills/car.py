"""What recognisers and plans read of the car: drive side, units, positions, typed and possibly unknown. Pure.

Does not know what is done with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from ridealong.harness.skill import ANSWER_WITHIN_MS, Context, Outcome, Provenance
from ridealong.harness.slots.temperature import Unit
from ridealong.harness.slots.zone import Zone, resolve
from ridealong.proto.types import ActuationResult, SignalReading
from ridealong.vehicle_skills.signals import DRIVER_POSITION, TEMPERATURE_UNIT

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


def is_recent(context: Context, capabilities: str, within_ms: float = 60_000) -> bool:
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
