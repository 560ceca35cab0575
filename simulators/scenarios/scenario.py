"""What a scenario is: sounds with labels, placed on one clock, and what the assistant is made to say meanwhile.

    plan (who, to whom, why)  ->  realise (sound)  ->  Scenario  ->  a ride through the real system, or records for training

A sound is placed on the device clock, or on the first sample of the assistant's reply as it is heard at the speaker: only the ride
knows when that is. Does not know: how a scenario was planned, what the system does with it, or what is counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from ridealong.proto.types import Samples
from ridealong.simulators.room import EchoPath


class Kind(Enum):
    REQUEST = "request"  # to the assistant, while it is silent
    BACKCHANNEL = "backchannel"
    OTHER_DIRECTED = "other_directed"  # the user speaks to somebody else
    BACKGROUND = "background"  # somebody else speaks: radio, children, passengers
    NOISE = "noise"  # cough, door, horn, indicator
    INTERRUPTION = "interruption"  # the user takes the floor


class Intent(Enum):
    """Of an interruption."""

    STOP = "stop"
    CORRECT = "correct"
    REDIRECT = "redirect"
    FOLLOW_UP = "follow_up"


class Cue(Enum):
    CLOCK = "clock"  # `at` counts from the beginning of the scenario
    REPLY = "reply"  # `at` counts from the first sample of the scenario's reply number `turn` at the speaker
    ASKED = "asked"  # `at` counts from when reply number `turn` is asked for: it is heard before the reply begins


class Split(Enum):
    """Voices, texts and noises of one are in none of the other."""

    TUNE = "tune"
    REPORT = "report"


@dataclass(frozen=True, slots=True, eq=False)
class Sound:
    """One sound with its label. `pcm16`: mono 16 kHz, at its level, through its own room. `onset`, `end`: where in it the words (or the
    noise) begin and end. `pauses`: hesitations within, as (start, end). `voice`: who; `person`: a real recording, not synthesis."""

    kind: Kind
    pcm16: NDArray[np.int16]
    cue: Cue
    at: Samples
    onset: Samples
    end: Samples
    text: str = ""
    locale: str = ""
    voice: str = ""
    intent: Intent | None = None
    person: bool = False
    pauses: tuple[tuple[Samples, Samples], ...] = ()
    turn: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Scenario:
    """`bed`: noise under everything, looped; `snr_db` is the user's speech over it (None: clean). `replies`: what the assistant is made to
    say, one after the other, when what went before is over (none where only the user's requests are answered). An overlap scenario begins
    with a spoken request of the user, so that the system has met the voice, and then has several replies with one overlap each.
    `length`: of what is placed on the clock; a ride goes on until the last reply is over."""

    id: str
    split: Split
    locale: str
    seed: int
    setting: str
    snr_db: float | None
    noise: str
    bed: NDArray[np.int16]
    echo: EchoPath | None
    sounds: tuple[Sound, ...]
    replies: tuple[str, ...] = ()
    length: Samples = Samples(0)
    device_kind: str = "car"
    tags: frozenset[str] = field(default_factory=frozenset)
