"""A stretch of speech while it is heard (`Segment`), and what is told of it (`Text`, `Utterance`, `Pause`). Values only.

Does not know who fills them in (`listener.py`, `levels.py`), or what the words mean.
"""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ridealong.cloud.frontends.cascade.endpoint import Decision, Evidence
from ridealong.proto.types import Samples

Audio = npt.NDArray[np.float32]  # [samples], mono 16 kHz, -1..1

FRAME = 512  # samples of one speech probability


@dataclass(frozen=True, slots=True)
class Text:
    """`confidence` 0..1; `no_speech` the recogniser's own probability that nobody spoke."""

    text: str
    locale: str
    confidence: float
    no_speech: float


@dataclass(frozen=True, slots=True)
class Utterance:
    """Somebody spoke and stopped, or speaks yet (not `final`). `level_db` is the loudest half's RMS in dBFS; `overlap`: the assistant
    was speaking at its onset. `turn`: the turn model's last word on it, if it was asked; `audio`: what it is made of, 16 kHz."""

    text: Text
    start: Samples
    end: Samples
    level_db: float
    overlap: bool
    final: bool = True
    voiced_ms: float = 0.0
    turn: float | None = None
    endpoint: Samples = Samples(0)  # up to where the sound was needed to know that it had ended
    finished: float = 1.0  # how likely the speaker has finished (not final: so far)
    audio: Audio = field(default_factory=lambda: np.zeros(0, np.float32), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Pause:
    """One silence within or behind an utterance, with what was known of it when it was over. `ended`: the turn was taken to end here."""

    start: Samples
    silence_ms: float
    ended: bool
    evidence: Evidence
    decision: Decision


@dataclass(slots=True)
class Segment:
    """Open while somebody speaks, closed when the turn has ended; kept until its text has come."""

    start: Samples
    voiced: int = 0  # samples with speech
    last_voiced: Samples = Samples(0)
    overlap: bool = False
    turn: float | None = None
    turn_heard: float | None = None  # the last one, also when speech went on
    job: Future[Text] | None = None
    told: bool = False  # the job's text was given out as a partial
    added: int = 0  # voiced samples since the job began
    silence_ms: float = 0.0  # the last silence's length so far
    evidence: Evidence | None = None
    decision: Decision | None = None
    partial_at: Samples | None = None
    partial: Future[Text] | None = None
    closed: bool = False
    endpoint: Samples = Samples(0)
    end: Samples = Samples(0)
    confirmed: bool = False
    energy: float = 0.0  # summed power of the voiced frames
    loud_until: Samples = Samples(0)
    near: int = 0  # frames on end that are much louder than all before
    checked_at: Samples | None = None  # a sound without a pause was last listened to, whether there are words in it
    wordless: bool = False
    audio: Audio | None = None  # of a closed one: what is kept of the stream may be gone before its text comes

    @property
    def power(self) -> float:
        """Mean power of what was voiced."""
        return self.energy * FRAME / self.voiced if self.voiced else 0.0
