"""What of a question about the car later words may change: the place, inside for outside; and "close it" after "is it open?". Pure.

Does not know the words, or how a question is answered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Final

from ridealong.harness.changes import Another, Arguments, Changes, Reads
from ridealong.harness.slots.zone import ZONES
from ridealong.vehicle_skills.car import placed_again

_OUTSIDE = re.compile(r"\b(?:outside|outdoors|out there)\b|外面|车外|室外|外边|外头|户外")
_INSIDE = re.compile(r"\b(?:inside|in here|cabin|in the car|indoors)\b|车里|车内|里面|里边|里头")
_SET = re.compile(r"\b(?:set|setting|target)\b|设")


def _elsewhere(arguments: Arguments, words: str, read: Reads) -> Another | None:
    outside, inside = _OUTSIDE.search(words), _INSIDE.search(words)
    if _SET.search(words):
        return "status.temperature_setting", {"zone": "row1.driver"}
    if (outside is None) == (inside is None):
        return None
    return ("status.outside_temperature" if outside else "status.cabin_temperature"), {}


def _shut_window(arguments: Arguments, on: bool) -> Another:
    return "windows.set_position", {"position": 100 if on else 0, "zone": arguments["zone"]}


def _shut_trunk(arguments: Arguments, on: bool) -> Another:
    return ("trunk.open" if on else "trunk.close"), {"confirmed": False}


def _asked(arguments: Arguments, zh: bool) -> tuple[str, ...]:
    if zh:
        return ("{}是多少", "{}关了吗", "{}开着吗")
    return ("what is the {}", "are the {} closed", "is the {} open")


ASKED: Final = Changes(frames=_asked)
"""Of whatever has nothing else to change."""
_ZONES = frozenset(ZONES)
CHANGES: Final[Mapping[str, Changes]] = {
    "windows": Changes(places=_ZONES, placed=placed_again, state=_shut_window, frames=_asked),
    "doors": Changes(places=_ZONES, placed=placed_again, frames=_asked),
    "temperature_setting": Changes(
        places=frozenset({"row1.driver", "row1.passenger", "row1"}),
        placed=partial(placed_again, row1_only=True),
        other=_elsewhere,
        frames=_asked,
    ),
    "trunk": Changes(state=_shut_trunk, frames=_asked),
    "cabin_temperature": Changes(other=_elsewhere, frames=_asked),
    "outside_temperature": Changes(other=_elsewhere, frames=_asked),
}
"""By topic."""
