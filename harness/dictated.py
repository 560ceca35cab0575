"""What the router makes of skills that are rivals for the same words: one that writes words down takes all of them, of others one is asked for; and which
guards a group lifts. Pure.

"Note to self, open the window for the cat" is a note: whatever its words ask for is words. Does not know how the matches were found.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ridealong.harness.framing import Frame
from ridealong.harness.registry import Registry
from ridealong.harness.skill import KEEPING, QUOTING, TALK, WORK, Match

DICTATED: Final = "text"
"""The argument of a skill that keeps words: all that follows."""


def dictates(match: Match, registry: Registry) -> bool:
    """It keeps the words themselves."""
    skill = registry.get(match.capability)
    return skill is not None and skill.group == KEEPING and DICTATED in match.arguments


def dictated(best: Sequence[Match], registry: Registry) -> Match | None:
    """`best`: claims on the whole sentence, best first. The first, where the sentence is to be written down."""
    return best[0] if best and dictates(best[0], registry) else None


def by_group(group: str, framing: Frame) -> bool | None:
    """Whether words that are negated, told or reported may be for a skill of this group, which recognises closed sentences; None: as of any other."""
    if group in (TALK, QUOTING):  # "say that again", 翻译一下这个 only look like reported speech
        return True
    if group == KEEPING and not framing.question:  # "don't forget, …", "I put it there, remember that" only look negated or told
        return not framing.reported
    if group == WORK:  # "don't search any more" only looks negated; nothing that nobody asked for is claimed
        return not (framing.reported or framing.narrated)
    return None


def which(a: Match, b: Match, registry: Registry, locale: str) -> str:
    """The question between two: what each does, in the first sentence of its description."""
    told = [skill.description if (skill := registry.get(match.capability)) else match.capability for match in (a, b)]
    names = [re.split(r"[.;:](?:\s|$)", one, maxsplit=1)[0] for one in told]
    if locale.startswith("zh"):
        return "您想要哪一个？请再说清楚一点。"
    return f"Did you want me to {names[0][0].lower()}{names[0][1:]}, or to {names[1][0].lower()}{names[1][1:]}?"
