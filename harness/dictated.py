"""What the router makes of skills that are rivals for the same words: one that writes words down takes all of them, of others one is asked for. Pure.

"Note to self, open the window for the cat" is a note: whatever its words ask for is words. Does not know how the matches were found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ridealong.harness.registry import Registry
from ridealong.harness.skill import KEEPING, Match

DICTATED: Final = "text"
"""The argument of a skill that keeps words: all that follows."""


def dictates(match: Match, registry: Registry) -> bool:
    """It keeps the words themselves."""
    skill = registry.get(match.capability)
    return skill is not None and skill.group == KEEPING and DICTATED in match.arguments


def dictated(best: Sequence[Match], registry: Registry) -> Match | None:
    """`best`: claims on the whole sentence, best first. The first, where the sentence is to be written down."""
    return best[0] if best and dictates(best[0], registry) else None


def which(a: Match, b: Match, registry: Registry, locale: str) -> str:
    """The question between two."""
    names = [skill.description.rstrip(".") if (skill := registry.get(m.capability)) else m.capability for m in (a, b)]
    if locale.startswith("zh"):
        return "您想要哪一个？请再说清楚一点。"
    return f"Did you want me to {names[0][0].lower()}{names[0][1:]}, or to {names[1][0].lower()}{names[1][1:]}?"
