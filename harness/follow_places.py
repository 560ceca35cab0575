"""Places as later words narrow, widen or swap them: "the other one", "the one behind it", "the front one" of those on the left. Pure.

Does not know which call they are of (following.py), or what places words name (slots/zones.py).
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.follow_words import only
from ridealong.harness.slots.zone import SEATS
from ridealong.harness.slots.zones import cover

OTHER: Final = {
    "row1.driver": "row1.passenger", "row1.passenger": "row1.driver", "row2.driver": "row2.passenger", "row2.passenger": "row2.driver",
    "row1": "row2", "row2": "row1", "driver_side": "passenger_side", "passenger_side": "driver_side",
}  # fmt: skip
OPENS: Final = re.compile(r"[开关]")
BEHIND: Final = {"row1.driver": "row2.driver", "row1.passenger": "row2.passenger", "row1": "row2"}


def within(zones: tuple[str, ...], zone: str) -> bool:
    """Those places are a part of that one, or it itself."""
    return {seat for one in zones for seat in SEATS[one]} < set(SEATS[zone]) or zones == (zone,)


def rest_of(zones: tuple[str, ...], before: str) -> tuple[str, ...]:
    """What of the place before is none of those."""
    return tuple(cover(set(SEATS[before]) - {seat for zone in zones for seat in SEATS[zone]}))


def narrowed(zones: tuple[str, ...], before: str, words: str, locale: str) -> tuple[str, ...]:
    """ "The front one", of those on the left: where a row and a side cross, if one place is meant."""
    named, had = {seat for zone in zones for seat in SEATS[zone]}, set(SEATS[before])
    crossing = len(named) == len(had) == 2 and len(named & had) == 1
    single = only(words, locale) or (_SINGLE_ZH if locale == "zh" else _SINGLE_EN).search(words) is not None
    if single and len(had) == 1 and len({row for row, _ in named}) == 1 and {row for row, _ in named} != {row for row, _ in had}:
        return tuple(f"row{row}.{side}" for row, side in named if (row, side) not in had and {side} == {one for _, one in had})
    return tuple(cover(named & had)) if crossing and single else zones


_SINGLE_EN: Final = re.compile(r"^(?:the )?(?:front|back|rear|left|right)(?: one| window)?$")
_SINGLE_ZH: Final = re.compile(r"[那这一]?[个扇]")
