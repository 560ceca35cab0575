"""What one ride showed, as plain values: labels on the device clock, and what was heard at the speaker and decided meanwhile.

    a ride -> Facts -> (results file) -> scoring

All positions are samples of the device clock (16 kHz). Does not know how a ride is made, or what is good.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, TypeVar

T = TypeVar("T")

MADE = "evaluation.say"
"""The capability by which the assistant is made to talk."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A labelled sound where it was heard. `onset`, `end`: of the words (or the noise); `pauses` within it."""

    kind: str
    onset: int
    end: int
    intent: str = ""
    text: str = ""
    locale: str = ""
    voice: str = ""
    person: bool = False
    pauses: tuple[tuple[int, int], ...] = ()
    reply: int | None = None
    """Number of the made reply that it was placed on."""


@dataclass(frozen=True, slots=True)
class Span:
    """The speaker was fed with speech. `soft`: with its gain lowered by 6 dB or more; `audible`: above the noise of a quiet room. `epoch`: of
    what was played; None: not noted (rides before 30 November 2026)."""

    start: int
    end: int
    soft: bool
    audible: bool
    epoch: int | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """An utterance of the assistant, as the device acknowledged it. `ended` None: it never did. `state`: finished, flushed or open."""

    epoch: int
    utterance: int
    work_id: str
    started: int
    ended: int | None
    state: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class FlushFact:
    at: int
    epoch: int
    by: str


@dataclass(frozen=True, slots=True)
class VerdictFact:
    """`at`: when the device heard of it."""

    at: int
    kind: str


@dataclass(frozen=True, slots=True)
class CaptionFact:
    """A finished utterance of somebody near the microphone; `at`: when the device heard of it."""

    at: int
    start: int
    end: int
    addressee: str
    text: str


@dataclass(frozen=True, slots=True)
class WorkFact:
    at: int
    work_id: str
    execution: str
    delivery: str
    capability: str


@dataclass(frozen=True, slots=True)
class TimingFact:
    """Where the time of an answer went, as the node tells it; from the end of the words as it heard them."""

    words_end: int
    endpoint_ms: int
    text_ms: int
    result_ms: int
    out_ms: int
    speaker_ms: int


@dataclass(frozen=True, slots=True)
class TurnPoint:
    """A silence within a request (`last` False) or after it: the turn model's probability that the speaker has finished."""

    probability: float
    silence_ms: float
    last: bool


@dataclass(frozen=True, slots=True)
class Facts:
    """`one_way`: of the network. `timed`: computing was charged or real, so that latencies mean something. `replies_at`: the first
    sample of each made reply. `typed`: what asked for them. `judgements`: what the front-end thought, where it tells. `broken`: why there is nothing to score."""

    id: str
    suite: str
    locale: str
    snr_db: float | None = None
    noise: str = ""
    tags: tuple[str, ...] = ()
    one_way: int = 0
    speaker_latency: int = 0
    timed: bool = False
    duration: int = 0
    replies_at: tuple[int, ...] = ()
    typed: tuple[str, ...] = ()
    sounds: tuple[Placed, ...] = ()
    spans: tuple[Span, ...] = ()
    said: tuple[Said, ...] = ()
    flushes: tuple[FlushFact, ...] = ()
    verdicts: tuple[VerdictFact, ...] = ()
    captions: tuple[CaptionFact, ...] = ()
    works: tuple[WorkFact, ...] = ()
    timings: tuple[TimingFact, ...] = ()
    turn_points: tuple[TurnPoint, ...] = ()
    errors: int = 0
    broken: str = ""
    judgements: tuple[dict[str, Any], ...] = ()


_NESTED: dict[str, type] = {
    "sounds": Placed, "spans": Span, "said": Said, "flushes": FlushFact, "verdicts": VerdictFact, "captions": CaptionFact,
    "works": WorkFact, "timings": TimingFact, "turn_points": TurnPoint,
}  # fmt: skip


def to_raw(facts: Facts) -> dict[str, Any]:
    """For JSON."""
    return asdict(facts)


def from_raw(raw: dict[str, Any]) -> Facts:
    """The inverse of `to_raw` after a trip through JSON. Raises ValueError for what is none."""
    try:
        values = dict(raw)
        for name, kind in _NESTED.items():
            values[name] = tuple(_made(kind, item) for item in raw.get(name, ()))
        for name in ("tags", "typed", "replies_at", "judgements"):
            values[name] = tuple(raw.get(name, ()))
        return _made(Facts, values)
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError("these are no facts of a ride") from error


def _made(kind: type[T], raw: dict[str, Any]) -> T:
    values = dict(raw)
    if "pauses" in values:
        values["pauses"] = tuple((start, end) for start, end in values["pauses"])
    unknown = set(values) - {entry.name for entry in fields(kind)}  # type: ignore[arg-type]
    if unknown:
        raise TypeError(sorted(unknown)[0])
    return kind(**values)
