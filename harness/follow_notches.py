"""A step that names no thing: "up one", "take it down a notch", "ease off a bit", "nudge it up". Pure.

What it is a step of is following.py's: whatever was asked for just before. English; Chinese steps are among the patterns of follow_zh.py. Does not know calls.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.follow_said import Sense, Step

_SOFTLY: Final = r"(?:(?:please|just|okay|now|and|then|actually|hmm?|oh|no|but|maybe|yeah|go on|can you|could you) )*"
_ENDING: Final = r"(?: (?:please|then|for me|again|will you|would you|maybe|i think|thanks))*"
_NOTCHES: Final = re.compile(
    rf"{_SOFTLY}(?:(?P<verb>(?:turn|take|bring|knock|drop|nudge|bump|dial|crank|push) (?:it|that|them)(?: back)?) )?(?:(?P<way>up|down)(?: by)? )?"
    rf"(?P<size>a|another|one|two|three)(?: (?:notch(?:es)?|steps?|levels?))?(?<! a){_ENDING}"
)
_EASES: Final = re.compile(
    rf"{_SOFTLY}(?P<verb>(?:ease|back|lay) off|nudge it up|bump it up|nudge it down|bump it down|ease up)(?P<way>)(?: (?:on it|with it))?"
    rf"(?: (?:(?P<size>a|one) (?:notch|step|level)|a (?:little )?(?:bit|touch|tad)|a little|slightly|some))?{_ENDING}"
)
_LOWER: Final = ("drop", "knock", "back", "lay")
_NEEDS_A_WAY: Final = ("turn", "take", "bring", "push")
_SIZES: Final = {"a": 1.0, "another": 1.0, "one": 1.0, "two": 2.0, "three": 3.0}


def by_notches(form: str) -> Step | None:
    """Of words in the plain form; None where they are no such step."""
    found = _NOTCHES.fullmatch(form) or _EASES.fullmatch(form)
    if found is None:
        return None
    way, verb = found["way"], (found["verb"] or "").split()
    if not way and (not verb or verb[0] in _NEEDS_A_WAY):
        return None
    lower = way == "down" or (bool(verb) and (verb[0] in _LOWER or verb[-1] == "down" or verb == ["ease", "off"]))
    size = _SIZES[found["size"]] if found["size"] else None
    return Step(Sense.DOWN if lower else Sense.UP, size, "notches" if size else "", form)
