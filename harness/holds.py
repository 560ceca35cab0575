"""What a sentence depends on: what makes it worth saying, to be judged again when it is said (validity.py).

Does not know the sentence, or what becomes of one that does not hold.
"""

from __future__ import annotations

from dataclasses import dataclass

from ridealong.proto.types import Precondition, SignalValue


@dataclass(frozen=True, slots=True)
class Still:
    """A signal that is still as it was: numbers to within `slack`. `value` None: it is still unknown. `read`: the words were made of this reading,
    so that any other value is a later one; else a reading that is hardly younger than the result may be from before it (validity.py)."""

    path: str
    value: SignalValue | None
    slack: float = 0.0
    read: bool = False


@dataclass(frozen=True, slots=True)
class Near:
    """The car is still within so many metres of where it was, in a straight line."""

    latitude_path: str
    longitude_path: str
    latitude: float
    longitude: float
    within_m: float


@dataclass(frozen=True, slots=True)
class Holds:
    """What makes a sentence worth saying, judged again when it is said: `conditions` that must be met (what is unknown does not meet one), signals
    that must not have changed meanwhile, where the car must still be, and for how long it is news (`for_ms` after it was found; None: as long as any
    reply)."""

    conditions: tuple[Precondition, ...] = ()
    still: tuple[Still, ...] = ()
    for_ms: int | None = None
    near: tuple[Near, ...] = ()


ALWAYS = Holds()
