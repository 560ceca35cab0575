"""What an agent tells those who watch it: one event per fact, timed on the device clock. Live view, report and tests build on it.

Does not know who watches. Observers are called in order and must not block; one that raises is counted and left alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ridealong.device.holes import Hole
from ridealong.proto.types import DownlinkBody, Epoch, FrameId, GateNote, MicrophoneState, Samples, UplinkBody, UtteranceId


@dataclass(frozen=True, slots=True)
class Sent:
    """Handed to the link, once, however often it is replayed: parts, frames, acks, input, vehicle state, results."""

    body: UplinkBody


@dataclass(frozen=True, slots=True)
class Received:
    """Taken from the link, duplicates already dropped: speech, flush, captions, work, notices."""

    body: DownlinkBody


@dataclass(frozen=True, slots=True)
class GateDecided:
    frame: FrameId
    capture: Samples
    gate: GateNote


@dataclass(frozen=True, slots=True)
class Rendered:
    """A block in which something sounded, as the speaker took it: little-endian, 24 kHz, heard from device time `heard_at`.
    `gain`: linear, at the end of the block (already in the samples). `epoch`: the oldest of what is in it."""

    heard_at: Samples
    pcm16: bytes
    gain: float = 1.0
    epoch: int | None = None


@dataclass(frozen=True, slots=True)
class Ducked:
    """`by`: "reflex" or "cloud"."""

    gain_db: float
    by: str


@dataclass(frozen=True, slots=True)
class Unducked:
    by: str


@dataclass(frozen=True, slots=True)
class Held:
    """The speaker pauses before its next sample."""

    by: str


@dataclass(frozen=True, slots=True)
class Released:
    """It goes on with that sample."""

    by: str


@dataclass(frozen=True, slots=True)
class Flushed:
    """What was queued up to this epoch is silent. `by`: "cloud" or "button"."""

    epoch: Epoch
    by: str


@dataclass(frozen=True, slots=True)
class SpeechRefused:
    """Labelled with a rate that cannot be."""

    epoch: Epoch
    utterance: UtteranceId
    rate: int


@dataclass(frozen=True, slots=True)
class LinkChanged:
    """connecting, open, offline, closed."""

    state: str


@dataclass(frozen=True, slots=True)
class MicrophoneChanged:
    state: MicrophoneState


@dataclass(frozen=True, slots=True)
class SpeakerChanged:
    alive: bool


@dataclass(frozen=True, slots=True)
class CameraChanged:
    """Whether the camera gives frames."""

    live: bool


@dataclass(frozen=True, slots=True)
class SourceEnded:
    """A microphone that is a file has been read to its end."""


Item = (
    Sent
    | Received
    | GateDecided
    | Rendered
    | Ducked
    | Unducked
    | Held
    | Released
    | Flushed
    | SpeechRefused
    | Hole
    | LinkChanged
    | MicrophoneChanged
    | SpeakerChanged
    | CameraChanged
    | SourceEnded
)


@dataclass(frozen=True, slots=True)
class AgentEvent:
    at: Samples
    item: Item


Observer = Callable[[AgentEvent], None]
