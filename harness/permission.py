"""What a contract says of safety: how much is at stake, how fast the car may be going, who may ask, what must be said first.

`Motion` and `Confirmation` are what a skill declares; the motion policy in the car joins them with its own table and takes the stricter
of the two. What a skill does not declare is the strictest: it acts in a parked car only. Does not know any signal, table or car.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final


class Risk(Enum):
    """What a mistake of the skill could do."""

    READS = "reads"
    """Nothing: it tells something."""
    COMFORT = "comfort"
    """It annoys: too warm, too loud, another route."""
    OPENINGS = "openings"
    """It moves glass or a roof, or changes the light in the cabin at night."""
    ACCESS = "access"
    """It opens, locks or moves what people lean on, sit in or leave by."""
    DRIVING = "driving"
    """It would change how the car drives. Nothing does."""

    @property
    def rank(self) -> int:
        return list(Risk).index(self)


class Motion(Enum):
    """How the car moves, and, in a contract, the most at which a skill may act."""

    ANY = "any"
    SLOW = "slow"
    PARKED = "parked"

    @property
    def strictness(self) -> int:
        return list(Motion).index(self)

    def admits(self, now: Motion) -> bool:
        """A skill of this tier may act in a car that moves like `now`."""
        return now.strictness >= self.strictness


class Provenance(Enum):
    """Who asked. Only the first four may lead to an actuation; an unknown voice may ask, and what was overheard or seen is evidence."""

    DRIVER = "driver"
    PASSENGER = "passenger"
    WEARER = "wearer"
    TYPED = "typed"
    UNKNOWN = "unknown"
    OVERHEARD = "overheard"
    SEEN = "seen"


class Confirmation(Enum):
    """What must be said first. In a contract NEVER means that no words of anybody's are enough."""

    NONE = "none"
    SAID_BACK = "said_back"
    EXPLICIT = "explicit"
    NEVER = "never"

    @property
    def rank(self) -> int:
        return list(Confirmation).index(self)


SPEAKERS: Final = frozenset({Provenance.DRIVER, Provenance.PASSENGER, Provenance.WEARER, Provenance.TYPED})
"""People who were told apart, and who typed: all that may ever act."""


ELSEWHERE: Final = "elsewhere"
"""The policy's group of what is done outside the car, by whichever skill: a call, a tool of an MCP server."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A policy's answer. `reason` is a stable code; the skill renders the sentence."""

    allowed: bool
    reason: str = ""
    needs: Confirmation = Confirmation.NONE
