"""What can be waited for, what counts as evidence of it, and how surely the one satisfies the other. Pure.

Does not know who waits, how often it is told, or where evidence comes from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from ridealong.harness.phrases import ONE_OFF, similarity
from ridealong.proto.types import Samples, SignalReading, SignalValue

DOUBT: Final = 1.3
"""Less the reader's confidence: how far a text that is one letter off counts."""
STALE_MS: Final = 10_000
"""An older reading satisfies nothing."""


class Compare(Enum):
    BELOW = "below"
    ABOVE = "above"
    IS = "is"


class SoundShape(Enum):
    """What a loud event is, as far as its envelope and its tones say."""

    ANY = "any"
    BANG = "bang"
    LASTING = "lasting"


# --- what is waited for ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SignalIs:
    """`clear_by`: how far the value must move back before it counts as new. `hold_ms`: how long it must be true.
    `all_paths`: true of every path, otherwise of one. `topic` and `zone` are for whoever puts it into words."""

    paths: tuple[str, ...]
    compare: Compare
    value: SignalValue
    clear_by: float = 0.0
    hold_ms: int = 0
    all_paths: bool = False
    topic: str = ""
    zone: str = ""


@dataclass(frozen=True, slots=True)
class PhraseHeard:
    phrase: str


@dataclass(frozen=True, slots=True)
class PhraseSeen:
    phrase: str


@dataclass(frozen=True, slots=True)
class SoundHeard:
    shape: SoundShape


Condition = SignalIs | PhraseHeard | PhraseSeen | SoundHeard


# --- evidence --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Readings:
    """What the car shows now, by path."""

    at: Samples
    readings: Mapping[str, SignalReading]


@dataclass(frozen=True, slots=True)
class Speech:
    """Words of somebody who was not talking to us. `at` is their end."""

    at: Samples
    text: str


@dataclass(frozen=True, slots=True)
class Sight:
    """One line of text in a picture taken `at`."""

    at: Samples
    text: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Noise:
    """A loud event that began `at`."""

    at: Samples
    shape: SoundShape
    confidence: float


Evidence = Readings | Speech | Sight | Noise


# --- does this evidence satisfy it? ----------------------------------------------------------------------------------


def strength(condition: Condition, evidence: Evidence, was_met: bool = False) -> float | None:
    """How sure it is that the condition holds, 0..1; None where the evidence says nothing about it. `was_met`: hysteresis."""
    match condition, evidence:
        case SignalIs(), Readings(readings=readings):
            return _of_signals(condition, readings, was_met)
        case PhraseHeard(phrase=phrase), Speech(text=text):
            return similarity(phrase, text, heard=True)
        case PhraseSeen(phrase=phrase), Sight(text=text, confidence=confidence):
            return _read(similarity(phrase, text, heard=False), confidence)
        case SoundHeard(shape=wanted), Noise(shape=shape, confidence=confidence):
            return confidence if wanted in (SoundShape.ANY, shape) else 0.0
        case _:
            return None


def _read(alike: float, confidence: float) -> float:
    """A reader that is sure and one letter off has read something else; one that doubts may have read this."""
    return round(min(alike, DOUBT - confidence) if alike <= ONE_OFF else alike * confidence, 3)


def _of_signals(condition: SignalIs, readings: Mapping[str, SignalReading], was_met: bool) -> float | None:
    known = [fresh for path in condition.paths if (fresh := _fresh(readings.get(path))) is not None]
    if not known or (condition.all_paths and len(known) < len(condition.paths)):
        return None
    if was_met and isinstance(condition.value, int | float) and not isinstance(condition.value, bool):
        back = condition.clear_by if condition.compare is Compare.BELOW else -condition.clear_by
        condition = replace(condition, value=condition.value + back)
    holds = [_holds(condition, value) for value in known]
    return float(all(holds) if condition.all_paths else any(holds))


def _fresh(reading: SignalReading | None) -> SignalValue | None:
    return reading.value if reading is not None and reading.age_ms <= STALE_MS else None


def _holds(condition: SignalIs, value: SignalValue) -> bool:
    if condition.compare is Compare.IS:
        return value == condition.value
    if isinstance(value, str) or isinstance(condition.value, str):
        return False
    return value < condition.value if condition.compare is Compare.BELOW else value > condition.value
