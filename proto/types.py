"""What crosses the boundary between device and cloud, as values: one frozen class per wire message.

Does not know protobuf (that is `convert.py`), sockets, or what anybody does with a message.

Units: device times are `Samples` of the device's audio clock at 16 kHz; `played_samples` and word times are in the
utterance's own rate. Every bound of the wire is named here and checked by `convert.py` on the way in and out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Final, NewType

Samples = NewType("Samples", int)
"""Position or length on the device's audio sample clock (16 kHz)."""
Epoch = NewType("Epoch", int)
Seq = NewType("Seq", int)
UnitIndex = NewType("UnitIndex", int)
UtteranceId = NewType("UtteranceId", int)
FrameId = NewType("FrameId", int)

CLOCK_HZ: Final = 16_000
"""Rate of the device clock and of uplink audio."""
SPEECH_HZ: Final = 24_000
"""Usual rate of downlink speech; each Speech states its own."""
UNIT_MS: Final = 1_000
PART_MS: Final = 200
VERSION_MIN: Final = 1
VERSION_MAX: Final = 1

# Limits: what is larger is refused with a sentence, on either end.
MAX_MESSAGE_BYTES: Final = 256 * 1024
MAX_PCM_BYTES: Final = 192 * 1024
FRAGMENT_BYTES: Final = 8 * 1024
MAX_FRAME_BYTES: Final = 512 * 1024
MAX_TEXT_CHARS: Final = 4_000
MAX_SIGNALS: Final = 256
MAX_WRITES: Final = 16
MAX_ATTACHMENT_BYTES: Final = 192 * 1024
MAX_WORDS: Final = 512
UNACKED_MESSAGES: Final = 4_096
MAX_TTL_MS: Final = 2_000


SignalValue = bool | int | float | str
"""A VSS value. bool is told apart from int."""


def samples_from_ms(ms: float) -> Samples:
    """Milliseconds on the device clock, rounded to the nearest sample."""
    return Samples(round(ms * CLOCK_HZ / 1000))


def ms_from_samples(samples: int) -> float:
    """Device samples as milliseconds."""
    return samples * 1000 / CLOCK_HZ


class MicrophoneState(Enum):
    LIVE = "live"
    MUTED = "muted"
    LOST = "lost"


class GateReason(Enum):
    """Why the frame gate kept or dropped a frame (spec: venus E2), in order of test."""

    FIRST = "first"
    RESIZED = "resized"
    NEW_SCENE = "new_scene"
    REFRESH = "refresh"
    CHANGED = "changed"
    LOCAL_CHANGE = "local_change"
    WIDE_CHANGE = "wide_change"
    DROP_LIMIT = "drop_limit"
    SIMILAR = "similar"


class InputKind(Enum):
    BUTTON = "button"
    MUTE = "mute"
    UNMUTE = "unmute"


class PlaybackState(Enum):
    STARTED = "started"
    PROGRESS = "progress"
    FINISHED = "finished"
    FLUSHED = "flushed"


class ActuationState(Enum):
    ACCEPTED = "accepted"
    FORWARDED = "forwarded"
    CONFIRMED = "confirmed"
    CONTRADICTED = "contradicted"
    TIMED_OUT = "timed_out"
    REFUSED = "refused"

    @property
    def final(self) -> bool:
        return self not in (ActuationState.ACCEPTED, ActuationState.FORWARDED)


class ControlToken(Enum):
    LISTEN = "listen"
    SPEAK = "speak"
    TURN_EOS = "turn_eos"


# --- opening -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hello:
    device_kind: str
    device_id: str
    capabilities: tuple[str, ...] = ("audio/pcm16",)
    locale: str = "en"
    version_min: int = VERSION_MIN
    version_max: int = VERSION_MAX
    unit_ms: int = UNIT_MS
    part_ms: int = PART_MS
    resume_token: str = ""
    received: Seq = Seq(0)
    at: Samples = Samples(0)  # the device's clock as this leaves: what was made before has waited for it. 0: not told


@dataclass(frozen=True, slots=True)
class Limits:
    message_bytes: int = MAX_MESSAGE_BYTES
    fragment_bytes: int = FRAGMENT_BYTES
    frame_bytes: int = MAX_FRAME_BYTES
    unacked_messages: int = UNACKED_MESSAGES


@dataclass(frozen=True, slots=True)
class Welcome:
    session_id: str
    resume_token: str
    version: int = VERSION_MAX
    resumed: bool = False
    received: Seq = Seq(0)
    capabilities: tuple[str, ...] = ()
    unit_ms: int = UNIT_MS
    part_ms: int = PART_MS
    limits: Limits = field(default_factory=Limits)


# --- up ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class UnitPart:
    """A slice of one unit's audio. `pcm16` is 16 kHz mono little-endian, empty unless the microphone is live.

    The first `gap_samples` of the part were lost: `pcm16` holds the `samples - gap_samples` that follow."""

    unit: UnitIndex
    part: int
    last: bool
    start: Samples
    samples: int
    pcm16: bytes = b""
    rate: int = CLOCK_HZ
    microphone: MicrophoneState = MicrophoneState.LIVE
    speech_hint: bool = False
    speaker_active: bool = False
    gap_samples: int = 0


@dataclass(frozen=True, slots=True)
class GateNote:
    keep: bool
    reason: GateReason
    cost: float = 0.0
    residual_q99: float = 0.0
    changed_share: float = 0.0


@dataclass(frozen=True, slots=True)
class FrameFragment:
    """At most FRAGMENT_BYTES of one JPEG."""

    frame: FrameId
    index: int
    count: int
    data: bytes
    unit: UnitIndex
    capture: Samples
    width: int
    height: int
    gate: GateNote


@dataclass(frozen=True, slots=True)
class FrameTombstone:
    """A frame that was captured and is not sent; keeps `seq` and frame ids without a gap."""

    frame: FrameId
    unit: UnitIndex
    capture: Samples
    reason: str
    gate: GateNote


@dataclass(frozen=True, slots=True)
class SignalReading:
    path: str
    value: SignalValue | None
    age_ms: int = 0


@dataclass(frozen=True, slots=True)
class VehicleState:
    at: Samples
    signals: tuple[SignalReading, ...]


@dataclass(frozen=True, slots=True)
class Location:
    at: Samples
    latitude: float
    longitude: float
    accuracy_m: float = 0.0
    speed_kmh: float = 0.0
    heading_deg: float = 0.0


@dataclass(frozen=True, slots=True)
class Input:
    at: Samples
    kind: InputKind


MICROPHONE: Final = "microphone"
CAMERA: Final = "camera"


@dataclass(frozen=True, slots=True)
class Consent:
    """`scope`: MICROPHONE, CAMERA, or one of a later version. Holds until the next one of that scope."""

    at: Samples
    scope: str
    granted: bool


@dataclass(frozen=True, slots=True)
class TextInput:
    at: Samples
    text: str
    locale: str = ""


@dataclass(frozen=True, slots=True)
class Attachment:
    at: Samples
    name: str
    mime: str
    data: bytes


@dataclass(frozen=True, slots=True)
class SpeakerHint:
    at: Samples
    who: str
    confidence: float


@dataclass(frozen=True, slots=True)
class PlaybackAck:
    """Cumulative and monotonic per utterance. Silence that the sink inserts never advances it."""

    epoch: Epoch
    utterance: UtteranceId
    played_samples: int
    state: PlaybackState
    at: Samples


@dataclass(frozen=True, slots=True)
class ActuationResult:
    key: str
    state: ActuationState
    reason: str = ""
    observed: tuple[SignalReading, ...] = ()
    at: Samples = Samples(0)


@dataclass(frozen=True, slots=True)
class Close:
    reason: str = ""


# --- down ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WordTime:
    word: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Speech:
    """Samples of one utterance, in order. `offset` is the position of the first sample within the utterance."""

    epoch: Epoch
    utterance: UtteranceId
    chunk: int
    last: bool
    rate: int
    pcm16: bytes
    text: str = ""
    words: tuple[WordTime, ...] = ()
    work_id: str = ""
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Flush:
    epoch: Epoch


@dataclass(frozen=True, slots=True)
class Duck:
    gain_db: float = -18.0


class OverlapKind(Enum):
    """What an overlap was judged to be when speech goes on."""

    NOISE = "noise"
    BACKCHANNEL = "backchannel"
    OTHER_DIRECTED = "other_directed"
    BACKGROUND = "background"


@dataclass(frozen=True, slots=True)
class Unduck:
    """Go on at full level, from a hold too. `kind` None: not said."""

    kind: OverlapKind | None = None


@dataclass(frozen=True, slots=True)
class Precondition:
    path: str
    at_most: SignalValue | None = None
    equals: SignalValue | None = None


@dataclass(frozen=True, slots=True)
class SignalWrite:
    path: str
    value: SignalValue


@dataclass(frozen=True, slots=True)
class Actuate:
    key: str
    writes: tuple[SignalWrite, ...]
    group: str
    provenance: str
    confirmation: str = "none"
    ttl_ms: int = MAX_TTL_MS
    preconditions: tuple[Precondition, ...] = ()
    requested_at: Samples = Samples(0)
    confirm_within_ms: int = 5_000
    tier: str = "parked"


@dataclass(frozen=True, slots=True)
class Halt:
    """What still moves of the actuation `of` stays where it is, as the car sees it when it acts. Answered like an `Actuate`."""

    key: str
    of: str
    provenance: str
    ttl_ms: int = MAX_TTL_MS
    requested_at: Samples = Samples(0)
    confirm_within_ms: int = 3_000


@dataclass(frozen=True, slots=True)
class WorkUpdate:
    work_id: str
    execution: str
    delivery: str
    capability: str = ""
    request: str = ""


@dataclass(frozen=True, slots=True)
class Caption:
    who: str
    text: str
    final: bool
    start: Samples
    end: Samples
    addressee: str = ""


@dataclass(frozen=True, slots=True)
class Control:
    unit: UnitIndex
    token: ControlToken


@dataclass(frozen=True, slots=True)
class ReplyTiming:
    """Where the time of a reply went, once it has begun to sound. `words_end`: device time of the end of the words that it answers;
    the stages follow each other from there and add up to the first sample at the speaker (cloud/timing.py)."""

    utterance: UtteranceId
    work_id: str
    words_end: Samples
    endpoint_ms: int
    text_ms: int
    result_ms: int
    out_ms: int
    speaker_ms: int

    @property
    def total_ms(self) -> int:
        return self.endpoint_ms + self.text_ms + self.result_ms + self.out_ms + self.speaker_ms


@dataclass(frozen=True, slots=True)
class Notice:
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Error:
    code: str
    text: str
    retry_after_ms: int = 0
    fatal: bool = False


@dataclass(frozen=True, slots=True)
class Draining:
    deadline_ms: int


UplinkBody = (
    UnitPart
    | FrameFragment
    | FrameTombstone
    | VehicleState
    | Location
    | Input
    | Consent
    | TextInput
    | Attachment
    | SpeakerHint
    | PlaybackAck
    | ActuationResult
    | Close
)
DownlinkBody = (
    Speech
    | Flush
    | Duck
    | Unduck
    | Actuate
    | Halt
    | WorkUpdate
    | Caption
    | Control
    | ReplyTiming
    | Notice
    | Error
    | Draining
    | Close
)
Body = UplinkBody | DownlinkBody


@dataclass(frozen=True, slots=True)
class Envelope:
    """One message on the link. `seq` 0: opening messages, fatal errors and bare acks (`body` None)."""

    seq: Seq
    acked: Seq
    body: Hello | Welcome | Body | None = None
