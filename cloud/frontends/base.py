"""The front-end contract: what turns a stream of units into listening, speaking and delegating.

`on_part` may answer early; `on_unit` closes the second: (s', O) = F(s, x, b, eta) of the paper (spec: venus A2). Both are
plain calls made from one worker thread at a time; a front-end never touches the event loop, the link or the car.

Does not know: epochs, sequence numbers, work items, how far the device has played (it is told through `Feedback`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from ridealong.harness.skill import Provenance
from ridealong.proto.types import ControlToken, FrameId, GateNote, MicrophoneState, Samples, UnitIndex, UtteranceId, WordTime


@dataclass(frozen=True, slots=True)
class FrameIn:
    """A whole frame that reached the cloud. `jpeg` is the file's bytes."""

    frame: FrameId
    capture: Samples
    width: int
    height: int
    jpeg: bytes
    gate: GateNote


@dataclass(frozen=True, slots=True)
class PartIn:
    """A slice of a unit. `pcm16`: 16 kHz mono, empty unless the microphone is live. `late_ms`: how late it arrived.

    A part of 0 samples is a wake-up between two parts: synthesis or recognition has finished, or a result waits."""

    unit: UnitIndex
    part: int
    last: bool
    start: Samples
    samples: int
    pcm16: bytes
    microphone: MicrophoneState
    speech_hint: bool
    speaker_active: bool
    late_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class UnitIn:
    """A finished unit: its parts were already given to `on_part`."""

    unit: UnitIndex
    start: Samples
    samples: int
    frames: tuple[FrameIn, ...] = ()
    typed: tuple[str, ...] = ()
    late_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class BackendReply:
    """A result admitted to the conversation, to be restated in speech. `text` is polished and sanitised."""

    work_id: str
    text: str
    locale: str
    filler: bool = False  # said while the result is waited for: what follows need not wait for its end


@dataclass(frozen=True, slots=True)
class Played:
    """How far the device's speaker got with an utterance. `heard` is the text up to there, to the whole word."""

    utterance: UtteranceId
    played_samples: int
    finished: bool
    flushed: bool
    heard: str


@dataclass(frozen=True, slots=True)
class ButtonPressed:
    """Whoever has the device wants quiet, by its button or by a typed "stop": what is being said, or waits to be, is dropped."""

    at: Samples


Feedback = Played | ButtonPressed


@dataclass(frozen=True, slots=True)
class Partial:
    """What has been understood so far of an utterance in progress."""

    text: str
    start: Samples
    end: Samples
    stable: bool = False


class VerdictKind(Enum):
    """The judgement over an overlap (near-end sound while the assistant speaks)."""

    NOISE = "noise"
    BACKCHANNEL = "backchannel"
    OTHER_DIRECTED = "other_directed"
    BACKGROUND = "background"
    INTERRUPTION = "interruption"


class Intent(Enum):
    """What an interruption is for. It decides what becomes of the words that were not heard (harness.rest)."""

    STOP = "stop"
    CORRECT = "correct"
    REDIRECT = "redirect"
    FOLLOW_UP = "follow_up"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`intent`: of an interruption, where the front-end can tell."""

    kind: VerdictKind
    start: Samples
    end: Samples
    text: str = ""
    intent: Intent | None = None


class Addressee(Enum):
    ASSISTANT = "assistant"
    OTHER = "other"
    NOBODY = "nobody"  # noise, a backchannel


@dataclass(frozen=True, slots=True)
class Heard:
    """A finished utterance of somebody near the microphone."""

    text: str
    locale: str
    start: Samples
    end: Samples
    addressee: Addressee
    provenance: Provenance
    endpoint: Samples | None = None  # the part of the sound with which it was decided that they had ended
    intent: Intent | None = None  # of words that cut us off


@dataclass(frozen=True, slots=True)
class SpeechSlice:
    """Samples of one utterance, in order; word times count from the utterance's first sample. `whole`: the utterance's whole
    text, also what has not left yet, so that the rest of a cut one is known."""

    utterance: UtteranceId
    last: bool
    rate: int
    pcm16: bytes
    text: str = ""
    words: tuple[WordTime, ...] = ()
    work_id: str = ""
    whole: str = ""


@dataclass(frozen=True, slots=True)
class Output:
    """O = (c, Y, D, S). `delegate` is raw text with `<delegate>…</delegate>` spans; it is never audible and never shown. Only `text`
    and `speech` reach the user. A span may go on in the next outputs, until the turn ends (a control token other than SPEAK).

    `turn` 0: `delegate` is new text. From 1, growing: it is all of that turn's text so far, and may be repeated or lose its end
    (harness.capture.Whole). `asked`: whose words `delegate` is about, where an earlier output has told of them, or nobody knows them."""

    control: ControlToken
    text: str = ""
    delegate: str = ""
    speech: tuple[SpeechSlice, ...] = ()
    heard: tuple[Heard, ...] = ()
    turn: int = 0
    asked: Heard | None = None


@dataclass(frozen=True, slots=True)
class CannotGoOn:
    """This session's front-end has failed for good: the session ends. `code` is stable, `text` is for whoever has the
    device, which may come again after `retry_after_ms`: another node may take it."""

    code: str
    text: str
    retry_after_ms: int = 2_000


PartOutcome = Partial | Verdict | Output | CannotGoOn


class NoRoom(Exception):
    """A front-end for one session more can't be had now; the message is a sentence. Raised where one is made, before anything began."""


@dataclass(frozen=True, slots=True)
class Floor:
    """`free`: nobody speaks, nothing is being recognised or said. `quiet_ms`: since the last near-end speech."""

    free: bool
    quiet_ms: float


class FrontEnd(Protocol):
    """One per session. Calls never overlap."""

    name: str
    verdict_latency_ms: int
    """Within this time of an overlap's onset a verdict is given; without one the assistant goes on."""
    replies_at_parts: bool
    """True: backend replies may be admitted at any part boundary; False: at unit boundaries only."""

    def on_part(self, part: PartIn, replies: list[BackendReply], feedback: list[Feedback]) -> list[PartOutcome]: ...

    def on_unit(self, unit: UnitIn, replies: list[BackendReply], feedback: list[Feedback]) -> Output: ...

    def floor(self) -> Floor: ...

    def close(self) -> None: ...
