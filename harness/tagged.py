"""A sentence in stretches: which words ask for what. What a tagger of requests gives to the router.

Does not know how a tagger comes to it (cloud/tagger.py is one).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stretch:
    """`label`: a capability with what is wanted of it ("climate.switch/recirculation/off"), or one that asks for nothing here ("told").
    `share`: the mean likelihood of that label, 0..1. `span`: where the words stand in the sentence."""

    label: str
    text: str
    span: tuple[int, int]
    share: float


Tags = Callable[[str], tuple[Stretch, ...]]
"""Safe from every thread."""


def untagged(text: str) -> tuple[Stretch, ...]:
    """No opinion: what the grammar alone makes of words."""
    return ()
