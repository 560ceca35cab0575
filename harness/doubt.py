"""What must be asked before a call that looks complete: the words name a place that there is not, or a number that can't be. A part of a
skill's contract.

Does not know who asks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ridealong.harness.skill import Context, Match


@dataclass(frozen=True, slots=True)
class Doubt:
    """`known`: what is known so far, which the answer completes; None: it has to be said anew."""

    question: str
    known: Match | None
    settled: Callable[[Context], Match | None] | None = None
    """The call that leaves nothing to ask, where the car has shown what is missing."""
    holds: Callable[[Context], bool] | None = None
    """There is a doubt only where this is so."""
    sure: bool = False
    """The whole sentence is known, so that it stands also where it looks like something told."""


Doubts = Callable[[str, str, "Match | None"], Doubt | None]
"""(words, locale, the call or the question that they led to; None where they led to nothing) -> None where there is no doubt. Pure."""
