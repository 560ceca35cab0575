"""Stage 1, its result: what will happen, as plain values. Setting, people, to whom, who has the floor when, how loud.

A plan is a value: it can be kept, compared, printed and sent to another process. Does not know: how it was made, samples, models, or
how long a text really takes to say.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ridealong.simulators.room import EchoPath
from ridealong.simulators.scenarios.acoustics import Seat
from ridealong.simulators.scenarios.scenario import Cue, Intent, Kind, Split
from ridealong.simulators.scenarios.texts import GAP

OVERLAPS = (Kind.BACKCHANNEL, Kind.OTHER_DIRECTED, Kind.BACKGROUND, Kind.INTERRUPTION)
"""One of each in every ride."""
SPEECH_PER_S = {"en": 17.0, "zh": 5.0}
"""Characters, with pauses."""


class Source(Enum):
    SYNTHESIS = "synthesis"
    RECORDING = "recording"
    EVENT = "event"


ADDRESSEES = {
    Kind.REQUEST: "assistant",
    Kind.INTERRUPTION: "assistant",
    Kind.BACKCHANNEL: "assistant",
    Kind.OTHER_DIRECTED: "somebody else",
    Kind.BACKGROUND: "somebody else",
    Kind.NOISE: "nobody",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One contribution. `who`: name of a voice or an event, or a recording's file; `onset_ms`: of the words, after the cue (of the reply
    `turn`); `level_db`: active level in dBFS at the microphone; `pauses_ms`: one for each gap in the text; `repair`: the speaker begins
    again after the first word; `after_ms`: begins so long after the line before has ended, whatever `onset_ms` says (below 0: before)."""

    kind: Kind
    source: Source
    who: str
    seat: Seat
    level_db: float
    cue: Cue
    onset_ms: int
    text: str = ""
    locale: str = ""
    intent: Intent | None = None
    turn: int = 0
    pauses_ms: tuple[int, ...] = ()
    repair: bool = False
    after_ms: int | None = None
    seed: int = 0

    @property
    def addressee(self) -> str:
        return ADDRESSEES[self.kind]


@dataclass(frozen=True, slots=True)
class Bed:
    """`speed_kmh` on the road, or the name of an ambience. `level_db`: RMS in dBFS."""

    name: str
    level_db: float
    seed: int
    speed_kmh: int = 0
    rain: bool = False
    ambience: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """`user`: the voice of who drives or wears ("": nobody speaks). `length_ms`: of the whole ride, roughly; `lasts_ms`: at
    least, where nothing else says how long."""

    id: str
    split: Split
    locale: str
    seed: int
    setting: str
    device_kind: str
    user: str
    snr_db: float | None
    bed: Bed
    echo: EchoPath
    lines: tuple[Line, ...]
    replies: tuple[str, ...]
    length_ms: int
    lasts_ms: int
    tags: frozenset[str]


def pieces(text: str) -> list[str]:
    """What is said between the gaps."""
    return [piece.strip() for piece in text.split(GAP) if any(char.isalnum() for char in piece)]


def spoken_ms(text: str, locale: str) -> int:
    """How long this takes to say, roughly."""
    return round(1000 * len(text) / SPEECH_PER_S[locale])
