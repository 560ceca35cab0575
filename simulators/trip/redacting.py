"""What may leave the house: texts become their length, places and identities go. By a list of what is kept, not of what is not.

A string stays only under a key that is known to hold codes, and only when it looks like one. Pure. Does not know files.
"""

from __future__ import annotations

import re
from typing import Any, Final

CODES: Final = frozenset({
    "what", "addressee", "token", "state", "reason", "because", "key", "group", "path", "execution", "delivery", "capability",
    "provenance", "work", "work_id", "id", "status", "code", "trip", "seed", "frontend", "network", "audio_sha256", "kind",
})  # fmt: skip
"""Keys whose strings are codes: no words of anybody."""
NAMED: Final = {"clock": ("virtual time", "real time"), "who": ("user", "assistant")}
"""Keys that keep these values only."""
PRIVATE_PATHS: Final = (
    "Vehicle.CurrentLocation.", "Vehicle.Cabin.Infotainment.Navigation.", "Vehicle.Cabin.Infotainment.Media.",
    "Vehicle.VehicleIdentification.", "Vehicle.Driver.Identifier.", "Vehicle.Connectivity.", "Vehicle.Trailer.Identifier",
)  # fmt: skip
"""Signals that say where somebody is or goes, what they hear, or whose car it is."""
PLACE_KEYS: Final = frozenset({"latitude", "longitude", "accuracy_m", "heading_deg", "lat", "lon", "location", "place"})
_CODE: Final = re.compile(r"[A-Za-z0-9_.:/#+=-]{0,96}")
_OCCUPANT: Final = re.compile(r"Vehicle\.(Occupant|Cabin\.Seat)\..*Identifier\.")
REMOVED: Final = "(removed)"


def private_signal(path: str) -> bool:
    return path.startswith(PRIVATE_PATHS) or _OCCUPANT.match(path) is not None


def is_code(text: str) -> bool:
    """No spaces, no letters beyond ASCII: a name that a program gave."""
    return _CODE.fullmatch(text) is not None


def length_of(text: str) -> str:
    return f"({len(text)} characters)" if text else ""


def redacted(value: Any, key: str = "") -> Any:
    """The same tree with texts as their length, and places and values of private signals removed."""
    match value:
        case dict():
            return _table(value)
        case list() | tuple() if _is_write(value):
            path, written = value
            return [path, REMOVED if private_signal(path) else redacted(written, "state")]
        case list() | tuple():
            return [redacted(item, key) for item in value]
        case str():
            return value if value in NAMED.get(key, ()) or (key in CODES and is_code(value)) else length_of(value)
        case _:
            return value


def _table(table: dict[Any, Any]) -> dict[str, Any]:
    path = table.get("path")
    signal = isinstance(path, str) and path.startswith("Vehicle.")
    out: dict[str, Any] = {}
    for key, value in table.items():
        name = str(key)
        if name in PLACE_KEYS or (signal and name == "value" and private_signal(str(path))):
            out[name] = REMOVED
        elif signal and name == "value":
            out[name] = redacted(value, "state")  # "PARKED", "LEFT": a code of the signal table
        else:
            out[name] = redacted(value, name)
    return out


def _is_write(value: Any) -> bool:
    return len(value) == 2 and isinstance(value[0], str) and value[0].startswith("Vehicle.")
