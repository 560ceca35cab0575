from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MicrophoneState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MICROPHONE_STATE_UNSPECIFIED: _ClassVar[MicrophoneState]
    MICROPHONE_STATE_LIVE: _ClassVar[MicrophoneState]
    MICROPHONE_STATE_MUTED: _ClassVar[MicrophoneState]
    MICROPHONE_STATE_LOST: _ClassVar[MicrophoneState]

class GateReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GATE_REASON_UNSPECIFIED: _ClassVar[GateReason]
    GATE_REASON_FIRST: _ClassVar[GateReason]
    GATE_REASON_RESIZED: _ClassVar[GateReason]
    GATE_REASON_NEW_SCENE: _ClassVar[GateReason]
    GATE_REASON_REFRESH: _ClassVar[GateReason]
    GATE_REASON_CHANGED: _ClassVar[GateReason]
    GATE_REASON_LOCAL_CHANGE: _ClassVar[GateReason]
    GATE_REASON_WIDE_CHANGE: _ClassVar[GateReason]
    GATE_REASON_DROP_LIMIT: _ClassVar[GateReason]
    GATE_REASON_SIMILAR: _ClassVar[GateReason]

class InputKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    INPUT_KIND_UNSPECIFIED: _ClassVar[InputKind]
    INPUT_KIND_BUTTON: _ClassVar[InputKind]
    INPUT_KIND_MUTE: _ClassVar[InputKind]
    INPUT_KIND_UNMUTE: _ClassVar[InputKind]

class PlaybackState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PLAYBACK_STATE_UNSPECIFIED: _ClassVar[PlaybackState]
    PLAYBACK_STATE_STARTED: _ClassVar[PlaybackState]
    PLAYBACK_STATE_PROGRESS: _ClassVar[PlaybackState]
    PLAYBACK_STATE_FINISHED: _ClassVar[PlaybackState]
    PLAYBACK_STATE_FLUSHED: _ClassVar[PlaybackState]

class ActuationState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ACTUATION_STATE_UNSPECIFIED: _ClassVar[ActuationState]
    ACTUATION_STATE_ACCEPTED: _ClassVar[ActuationState]
    ACTUATION_STATE_FORWARDED: _ClassVar[ActuationState]
    ACTUATION_STATE_CONFIRMED: _ClassVar[ActuationState]
    ACTUATION_STATE_CONTRADICTED: _ClassVar[ActuationState]
    ACTUATION_STATE_TIMED_OUT: _ClassVar[ActuationState]
    ACTUATION_STATE_REFUSED: _ClassVar[ActuationState]

class OverlapKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OVERLAP_KIND_UNSPECIFIED: _ClassVar[OverlapKind]
    OVERLAP_KIND_NOISE: _ClassVar[OverlapKind]
    OVERLAP_KIND_BACKCHANNEL: _ClassVar[OverlapKind]
    OVERLAP_KIND_OTHER_DIRECTED: _ClassVar[OverlapKind]
    OVERLAP_KIND_BACKGROUND: _ClassVar[OverlapKind]

class ControlToken(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONTROL_TOKEN_UNSPECIFIED: _ClassVar[ControlToken]
    CONTROL_TOKEN_LISTEN: _ClassVar[ControlToken]
    CONTROL_TOKEN_SPEAK: _ClassVar[ControlToken]
    CONTROL_TOKEN_TURN_EOS: _ClassVar[ControlToken]
MICROPHONE_STATE_UNSPECIFIED: MicrophoneState
MICROPHONE_STATE_LIVE: MicrophoneState
MICROPHONE_STATE_MUTED: MicrophoneState
MICROPHONE_STATE_LOST: MicrophoneState
GATE_REASON_UNSPECIFIED: GateReason
GATE_REASON_FIRST: GateReason
GATE_REASON_RESIZED: GateReason
GATE_REASON_NEW_SCENE: GateReason
GATE_REASON_REFRESH: GateReason
GATE_REASON_CHANGED: GateReason
GATE_REASON_LOCAL_CHANGE: GateReason
GATE_REASON_WIDE_CHANGE: GateReason
GATE_REASON_DROP_LIMIT: GateReason
GATE_REASON_SIMILAR: GateReason
INPUT_KIND_UNSPECIFIED: InputKind
INPUT_KIND_BUTTON: InputKind
INPUT_KIND_MUTE: InputKind
INPUT_KIND_UNMUTE: InputKind
PLAYBACK_STATE_UNSPECIFIED: PlaybackState
PLAYBACK_STATE_STARTED: PlaybackState
PLAYBACK_STATE_PROGRESS: PlaybackState
PLAYBACK_STATE_FINISHED: PlaybackState
PLAYBACK_STATE_FLUSHED: PlaybackState
ACTUATION_STATE_UNSPECIFIED: ActuationState
ACTUATION_STATE_ACCEPTED: ActuationState
ACTUATION_STATE_FORWARDED: ActuationState
ACTUATION_STATE_CONFIRMED: ActuationState
ACTUATION_STATE_CONTRADICTED: ActuationState
ACTUATION_STATE_TIMED_OUT: ActuationState
ACTUATION_STATE_REFUSED: ActuationState
OVERLAP_KIND_UNSPECIFIED: OverlapKind
OVERLAP_KIND_NOISE: OverlapKind
OVERLAP_KIND_BACKCHANNEL: OverlapKind
OVERLAP_KIND_OTHER_DIRECTED: OverlapKind
OVERLAP_KIND_BACKGROUND: OverlapKind
CONTROL_TOKEN_UNSPECIFIED: ControlToken
CONTROL_TOKEN_LISTEN: ControlToken
CONTROL_TOKEN_SPEAK: ControlToken
CONTROL_TOKEN_TURN_EOS: ControlToken

class Uplink(_message.Message):
    __slots__ = ("seq", "acked", "hello", "unit_part", "frame_fragment", "frame_tombstone", "vehicle_state", "location", "input", "consent", "text_input", "attachment", "speaker_hint", "playback_ack", "actuation_result", "close")
    SEQ_FIELD_NUMBER: _ClassVar[int]
    ACKED_FIELD_NUMBER: _ClassVar[int]
    HELLO_FIELD_NUMBER: _ClassVar[int]
    UNIT_PART_FIELD_NUMBER: _ClassVar[int]
    FRAME_FRAGMENT_FIELD_NUMBER: _ClassVar[int]
    FRAME_TOMBSTONE_FIELD_NUMBER: _ClassVar[int]
    VEHICLE_STATE_FIELD_NUMBER: _ClassVar[int]
    LOCATION_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    CONSENT_FIELD_NUMBER: _ClassVar[int]
    TEXT_INPUT_FIELD_NUMBER: _ClassVar[int]
    ATTACHMENT_FIELD_NUMBER: _ClassVar[int]
    SPEAKER_HINT_FIELD_NUMBER: _ClassVar[int]
    PLAYBACK_ACK_FIELD_NUMBER: _ClassVar[int]
    ACTUATION_RESULT_FIELD_NUMBER: _ClassVar[int]
    CLOSE_FIELD_NUMBER: _ClassVar[int]
    seq: int
    acked: int
    hello: Hello
    unit_part: UnitPart
    frame_fragment: FrameFragment
    frame_tombstone: FrameTombstone
    vehicle_state: VehicleState
    location: Location
    input: Input
    consent: Consent
    text_input: TextInput
    attachment: Attachment
    speaker_hint: SpeakerHint
    playback_ack: PlaybackAck
    actuation_result: ActuationResult
    close: Close
    def __init__(self, seq: _Optional[int] = ..., acked: _Optional[int] = ..., hello: _Optional[_Union[Hello, _Mapping]] = ..., unit_part: _Optional[_Union[UnitPart, _Mapping]] = ..., frame_fragment: _Optional[_Union[FrameFragment, _Mapping]] = ..., frame_tombstone: _Optional[_Union[FrameTombstone, _Mapping]] = ..., vehicle_state: _Optional[_Union[VehicleState, _Mapping]] = ..., location: _Optional[_Union[Location, _Mapping]] = ..., input: _Optional[_Union[Input, _Mapping]] = ..., consent: _Optional[_Union[Consent, _Mapping]] = ..., text_input: _Optional[_Union[TextInput, _Mapping]] = ..., attachment: _Optional[_Union[Attachment, _Mapping]] = ..., speaker_hint: _Optional[_Union[SpeakerHint, _Mapping]] = ..., playback_ack: _Optional[_Union[PlaybackAck, _Mapping]] = ..., actuation_result: _Optional[_Union[ActuationResult, _Mapping]] = ..., close: _Optional[_Union[Close, _Mapping]] = ...) -> None: ...

class Downlink(_message.Message):
    __slots__ = ("seq", "acked", "welcome", "speech", "flush", "duck", "unduck", "actuate", "work_update", "caption", "control", "notice", "error", "draining", "close", "reply_timing", "halt")
    SEQ_FIELD_NUMBER: _ClassVar[int]
    ACKED_FIELD_NUMBER: _ClassVar[int]
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    SPEECH_FIELD_NUMBER: _ClassVar[int]
    FLUSH_FIELD_NUMBER: _ClassVar[int]
    DUCK_FIELD_NUMBER: _ClassVar[int]
    UNDUCK_FIELD_NUMBER: _ClassVar[int]
    ACTUATE_FIELD_NUMBER: _ClassVar[int]
    WORK_UPDATE_FIELD_NUMBER: _ClassVar[int]
    CAPTION_FIELD_NUMBER: _ClassVar[int]
    CONTROL_FIELD_NUMBER: _ClassVar[int]
    NOTICE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    DRAINING_FIELD_NUMBER: _ClassVar[int]
    CLOSE_FIELD_NUMBER: _ClassVar[int]
    REPLY_TIMING_FIELD_NUMBER: _ClassVar[int]
    HALT_FIELD_NUMBER: _ClassVar[int]
    seq: int
    acked: int
    welcome: Welcome
    speech: Speech
    flush: Flush
    duck: Duck
    unduck: Unduck
    actuate: Actuate
    work_update: WorkUpdate
    caption: Caption
    control: Control
    notice: Notice
    error: Error
    draining: Draining
    close: Close
    reply_timing: ReplyTiming
    halt: Halt
    def __init__(self, seq: _Optional[int] = ..., acked: _Optional[int] = ..., welcome: _Optional[_Union[Welcome, _Mapping]] = ..., speech: _Optional[_Union[Speech, _Mapping]] = ..., flush: _Optional[_Union[Flush, _Mapping]] = ..., duck: _Optional[_Union[Duck, _Mapping]] = ..., unduck: _Optional[_Union[Unduck, _Mapping]] = ..., actuate: _Optional[_Union[Actuate, _Mapping]] = ..., work_update: _Optional[_Union[WorkUpdate, _Mapping]] = ..., caption: _Optional[_Union[Caption, _Mapping]] = ..., control: _Optional[_Union[Control, _Mapping]] = ..., notice: _Optional[_Union[Notice, _Mapping]] = ..., error: _Optional[_Union[Error, _Mapping]] = ..., draining: _Optional[_Union[Draining, _Mapping]] = ..., close: _Optional[_Union[Close, _Mapping]] = ..., reply_timing: _Optional[_Union[ReplyTiming, _Mapping]] = ..., halt: _Optional[_Union[Halt, _Mapping]] = ...) -> None: ...

class Hello(_message.Message):
    __slots__ = ("version_min", "version_max", "device_kind", "device_id", "capabilities", "locale", "unit_ms", "part_ms", "resume_token", "received", "at")
    VERSION_MIN_FIELD_NUMBER: _ClassVar[int]
    VERSION_MAX_FIELD_NUMBER: _ClassVar[int]
    DEVICE_KIND_FIELD_NUMBER: _ClassVar[int]
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    LOCALE_FIELD_NUMBER: _ClassVar[int]
    UNIT_MS_FIELD_NUMBER: _ClassVar[int]
    PART_MS_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    version_min: int
    version_max: int
    device_kind: str
    device_id: str
    capabilities: _containers.RepeatedScalarFieldContainer[str]
    locale: str
    unit_ms: int
    part_ms: int
    resume_token: str
    received: int
    at: int
    def __init__(self, version_min: _Optional[int] = ..., version_max: _Optional[int] = ..., device_kind: _Optional[str] = ..., device_id: _Optional[str] = ..., capabilities: _Optional[_Iterable[str]] = ..., locale: _Optional[str] = ..., unit_ms: _Optional[int] = ..., part_ms: _Optional[int] = ..., resume_token: _Optional[str] = ..., received: _Optional[int] = ..., at: _Optional[int] = ...) -> None: ...

class Welcome(_message.Message):
    __slots__ = ("version", "session_id", "resume_token", "resumed", "received", "capabilities", "unit_ms", "part_ms", "limits")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    RESUMED_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_FIELD_NUMBER: _ClassVar[int]
    CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    UNIT_MS_FIELD_NUMBER: _ClassVar[int]
    PART_MS_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    version: int
    session_id: str
    resume_token: str
    resumed: bool
    received: int
    capabilities: _containers.RepeatedScalarFieldContainer[str]
    unit_ms: int
    part_ms: int
    limits: Limits
    def __init__(self, version: _Optional[int] = ..., session_id: _Optional[str] = ..., resume_token: _Optional[str] = ..., resumed: _Optional[bool] = ..., received: _Optional[int] = ..., capabilities: _Optional[_Iterable[str]] = ..., unit_ms: _Optional[int] = ..., part_ms: _Optional[int] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ...) -> None: ...

class Limits(_message.Message):
    __slots__ = ("message_bytes", "fragment_bytes", "frame_bytes", "unacked_messages")
    MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    FRAGMENT_BYTES_FIELD_NUMBER: _ClassVar[int]
    FRAME_BYTES_FIELD_NUMBER: _ClassVar[int]
    UNACKED_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    message_bytes: int
    fragment_bytes: int
    frame_bytes: int
    unacked_messages: int
    def __init__(self, message_bytes: _Optional[int] = ..., fragment_bytes: _Optional[int] = ..., frame_bytes: _Optional[int] = ..., unacked_messages: _Optional[int] = ...) -> None: ...

class UnitPart(_message.Message):
    __slots__ = ("unit", "part", "last", "start", "samples", "rate", "pcm16", "microphone", "speech_hint", "speaker_active", "gap_samples")
    UNIT_FIELD_NUMBER: _ClassVar[int]
    PART_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_FIELD_NUMBER: _ClassVar[int]
    RATE_FIELD_NUMBER: _ClassVar[int]
    PCM16_FIELD_NUMBER: _ClassVar[int]
    MICROPHONE_FIELD_NUMBER: _ClassVar[int]
    SPEECH_HINT_FIELD_NUMBER: _ClassVar[int]
    SPEAKER_ACTIVE_FIELD_NUMBER: _ClassVar[int]
    GAP_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    unit: int
    part: int
    last: bool
    start: int
    samples: int
    rate: int
    pcm16: bytes
    microphone: MicrophoneState
    speech_hint: bool
    speaker_active: bool
    gap_samples: int
    def __init__(self, unit: _Optional[int] = ..., part: _Optional[int] = ..., last: _Optional[bool] = ..., start: _Optional[int] = ..., samples: _Optional[int] = ..., rate: _Optional[int] = ..., pcm16: _Optional[bytes] = ..., microphone: _Optional[_Union[MicrophoneState, str]] = ..., speech_hint: _Optional[bool] = ..., speaker_active: _Optional[bool] = ..., gap_samples: _Optional[int] = ...) -> None: ...

class GateNote(_message.Message):
    __slots__ = ("keep", "reason", "cost", "residual_q99", "changed_share")
    KEEP_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    RESIDUAL_Q99_FIELD_NUMBER: _ClassVar[int]
    CHANGED_SHARE_FIELD_NUMBER: _ClassVar[int]
    keep: bool
    reason: GateReason
    cost: float
    residual_q99: float
    changed_share: float
    def __init__(self, keep: _Optional[bool] = ..., reason: _Optional[_Union[GateReason, str]] = ..., cost: _Optional[float] = ..., residual_q99: _Optional[float] = ..., changed_share: _Optional[float] = ...) -> None: ...

class FrameFragment(_message.Message):
    __slots__ = ("frame", "index", "count", "data", "unit", "capture", "width", "height", "gate")
    FRAME_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    CAPTURE_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    GATE_FIELD_NUMBER: _ClassVar[int]
    frame: int
    index: int
    count: int
    data: bytes
    unit: int
    capture: int
    width: int
    height: int
    gate: GateNote
    def __init__(self, frame: _Optional[int] = ..., index: _Optional[int] = ..., count: _Optional[int] = ..., data: _Optional[bytes] = ..., unit: _Optional[int] = ..., capture: _Optional[int] = ..., width: _Optional[int] = ..., height: _Optional[int] = ..., gate: _Optional[_Union[GateNote, _Mapping]] = ...) -> None: ...

class FrameTombstone(_message.Message):
    __slots__ = ("frame", "unit", "capture", "reason", "gate")
    FRAME_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    CAPTURE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    GATE_FIELD_NUMBER: _ClassVar[int]
    frame: int
    unit: int
    capture: int
    reason: str
    gate: GateNote
    def __init__(self, frame: _Optional[int] = ..., unit: _Optional[int] = ..., capture: _Optional[int] = ..., reason: _Optional[str] = ..., gate: _Optional[_Union[GateNote, _Mapping]] = ...) -> None: ...

class VehicleState(_message.Message):
    __slots__ = ("at", "signals")
    AT_FIELD_NUMBER: _ClassVar[int]
    SIGNALS_FIELD_NUMBER: _ClassVar[int]
    at: int
    signals: _containers.RepeatedCompositeFieldContainer[SignalReading]
    def __init__(self, at: _Optional[int] = ..., signals: _Optional[_Iterable[_Union[SignalReading, _Mapping]]] = ...) -> None: ...

class SignalReading(_message.Message):
    __slots__ = ("path", "value", "age_ms")
    PATH_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    AGE_MS_FIELD_NUMBER: _ClassVar[int]
    path: str
    value: SignalValue
    age_ms: int
    def __init__(self, path: _Optional[str] = ..., value: _Optional[_Union[SignalValue, _Mapping]] = ..., age_ms: _Optional[int] = ...) -> None: ...

class SignalValue(_message.Message):
    __slots__ = ("boolean", "integer", "real", "text")
    BOOLEAN_FIELD_NUMBER: _ClassVar[int]
    INTEGER_FIELD_NUMBER: _ClassVar[int]
    REAL_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    boolean: bool
    integer: int
    real: float
    text: str
    def __init__(self, boolean: _Optional[bool] = ..., integer: _Optional[int] = ..., real: _Optional[float] = ..., text: _Optional[str] = ...) -> None: ...

class Location(_message.Message):
    __slots__ = ("at", "latitude", "longitude", "accuracy_m", "speed_kmh", "heading_deg")
    AT_FIELD_NUMBER: _ClassVar[int]
    LATITUDE_FIELD_NUMBER: _ClassVar[int]
    LONGITUDE_FIELD_NUMBER: _ClassVar[int]
    ACCURACY_M_FIELD_NUMBER: _ClassVar[int]
    SPEED_KMH_FIELD_NUMBER: _ClassVar[int]
    HEADING_DEG_FIELD_NUMBER: _ClassVar[int]
    at: int
    latitude: float
    longitude: float
    accuracy_m: float
    speed_kmh: float
    heading_deg: float
    def __init__(self, at: _Optional[int] = ..., latitude: _Optional[float] = ..., longitude: _Optional[float] = ..., accuracy_m: _Optional[float] = ..., speed_kmh: _Optional[float] = ..., heading_deg: _Optional[float] = ...) -> None: ...

class Input(_message.Message):
    __slots__ = ("at", "kind")
    AT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    at: int
    kind: InputKind
    def __init__(self, at: _Optional[int] = ..., kind: _Optional[_Union[InputKind, str]] = ...) -> None: ...

class Consent(_message.Message):
    __slots__ = ("at", "scope", "granted")
    AT_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    GRANTED_FIELD_NUMBER: _ClassVar[int]
    at: int
    scope: str
    granted: bool
    def __init__(self, at: _Optional[int] = ..., scope: _Optional[str] = ..., granted: _Optional[bool] = ...) -> None: ...

class TextInput(_message.Message):
    __slots__ = ("at", "text", "locale")
    AT_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    LOCALE_FIELD_NUMBER: _ClassVar[int]
    at: int
    text: str
    locale: str
    def __init__(self, at: _Optional[int] = ..., text: _Optional[str] = ..., locale: _Optional[str] = ...) -> None: ...

class Attachment(_message.Message):
    __slots__ = ("at", "name", "mime", "data")
    AT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    MIME_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    at: int
    name: str
    mime: str
    data: bytes
    def __init__(self, at: _Optional[int] = ..., name: _Optional[str] = ..., mime: _Optional[str] = ..., data: _Optional[bytes] = ...) -> None: ...

class SpeakerHint(_message.Message):
    __slots__ = ("at", "who", "confidence")
    AT_FIELD_NUMBER: _ClassVar[int]
    WHO_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    at: int
    who: str
    confidence: float
    def __init__(self, at: _Optional[int] = ..., who: _Optional[str] = ..., confidence: _Optional[float] = ...) -> None: ...

class PlaybackAck(_message.Message):
    __slots__ = ("epoch", "utterance", "played_samples", "state", "at")
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    UTTERANCE_FIELD_NUMBER: _ClassVar[int]
    PLAYED_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    epoch: int
    utterance: int
    played_samples: int
    state: PlaybackState
    at: int
    def __init__(self, epoch: _Optional[int] = ..., utterance: _Optional[int] = ..., played_samples: _Optional[int] = ..., state: _Optional[_Union[PlaybackState, str]] = ..., at: _Optional[int] = ...) -> None: ...

class ActuationResult(_message.Message):
    __slots__ = ("key", "state", "reason", "observed", "at")
    KEY_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    OBSERVED_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    key: str
    state: ActuationState
    reason: str
    observed: _containers.RepeatedCompositeFieldContainer[SignalReading]
    at: int
    def __init__(self, key: _Optional[str] = ..., state: _Optional[_Union[ActuationState, str]] = ..., reason: _Optional[str] = ..., observed: _Optional[_Iterable[_Union[SignalReading, _Mapping]]] = ..., at: _Optional[int] = ...) -> None: ...

class Close(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...

class WordTime(_message.Message):
    __slots__ = ("word", "start", "end")
    WORD_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    word: str
    start: int
    end: int
    def __init__(self, word: _Optional[str] = ..., start: _Optional[int] = ..., end: _Optional[int] = ...) -> None: ...

class Speech(_message.Message):
    __slots__ = ("epoch", "utterance", "chunk", "last", "rate", "pcm16", "text", "words", "work_id", "offset")
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    UTTERANCE_FIELD_NUMBER: _ClassVar[int]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    RATE_FIELD_NUMBER: _ClassVar[int]
    PCM16_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    WORK_ID_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    epoch: int
    utterance: int
    chunk: int
    last: bool
    rate: int
    pcm16: bytes
    text: str
    words: _containers.RepeatedCompositeFieldContainer[WordTime]
    work_id: str
    offset: int
    def __init__(self, epoch: _Optional[int] = ..., utterance: _Optional[int] = ..., chunk: _Optional[int] = ..., last: _Optional[bool] = ..., rate: _Optional[int] = ..., pcm16: _Optional[bytes] = ..., text: _Optional[str] = ..., words: _Optional[_Iterable[_Union[WordTime, _Mapping]]] = ..., work_id: _Optional[str] = ..., offset: _Optional[int] = ...) -> None: ...

class Flush(_message.Message):
    __slots__ = ("epoch",)
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    epoch: int
    def __init__(self, epoch: _Optional[int] = ...) -> None: ...

class Duck(_message.Message):
    __slots__ = ("gain_db",)
    GAIN_DB_FIELD_NUMBER: _ClassVar[int]
    gain_db: float
    def __init__(self, gain_db: _Optional[float] = ...) -> None: ...

class Unduck(_message.Message):
    __slots__ = ("kind",)
    KIND_FIELD_NUMBER: _ClassVar[int]
    kind: OverlapKind
    def __init__(self, kind: _Optional[_Union[OverlapKind, str]] = ...) -> None: ...

class Precondition(_message.Message):
    __slots__ = ("path", "at_most", "equals")
    PATH_FIELD_NUMBER: _ClassVar[int]
    AT_MOST_FIELD_NUMBER: _ClassVar[int]
    EQUALS_FIELD_NUMBER: _ClassVar[int]
    path: str
    at_most: SignalValue
    equals: SignalValue
    def __init__(self, path: _Optional[str] = ..., at_most: _Optional[_Union[SignalValue, _Mapping]] = ..., equals: _Optional[_Union[SignalValue, _Mapping]] = ...) -> None: ...

class SignalWrite(_message.Message):
    __slots__ = ("path", "value")
    PATH_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    path: str
    value: SignalValue
    def __init__(self, path: _Optional[str] = ..., value: _Optional[_Union[SignalValue, _Mapping]] = ...) -> None: ...

class Actuate(_message.Message):
    __slots__ = ("key", "writes", "ttl_ms", "preconditions", "group", "provenance", "confirmation", "requested_at", "confirm_within_ms", "tier")
    KEY_FIELD_NUMBER: _ClassVar[int]
    WRITES_FIELD_NUMBER: _ClassVar[int]
    TTL_MS_FIELD_NUMBER: _ClassVar[int]
    PRECONDITIONS_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    PROVENANCE_FIELD_NUMBER: _ClassVar[int]
    CONFIRMATION_FIELD_NUMBER: _ClassVar[int]
    REQUESTED_AT_FIELD_NUMBER: _ClassVar[int]
    CONFIRM_WITHIN_MS_FIELD_NUMBER: _ClassVar[int]
    TIER_FIELD_NUMBER: _ClassVar[int]
    key: str
    writes: _containers.RepeatedCompositeFieldContainer[SignalWrite]
    ttl_ms: int
    preconditions: _containers.RepeatedCompositeFieldContainer[Precondition]
    group: str
    provenance: str
    confirmation: str
    requested_at: int
    confirm_within_ms: int
    tier: str
    def __init__(self, key: _Optional[str] = ..., writes: _Optional[_Iterable[_Union[SignalWrite, _Mapping]]] = ..., ttl_ms: _Optional[int] = ..., preconditions: _Optional[_Iterable[_Union[Precondition, _Mapping]]] = ..., group: _Optional[str] = ..., provenance: _Optional[str] = ..., confirmation: _Optional[str] = ..., requested_at: _Optional[int] = ..., confirm_within_ms: _Optional[int] = ..., tier: _Optional[str] = ...) -> None: ...

class Halt(_message.Message):
    __slots__ = ("key", "of", "ttl_ms", "provenance", "requested_at", "confirm_within_ms")
    KEY_FIELD_NUMBER: _ClassVar[int]
    OF_FIELD_NUMBER: _ClassVar[int]
    TTL_MS_FIELD_NUMBER: _ClassVar[int]
    PROVENANCE_FIELD_NUMBER: _ClassVar[int]
    REQUESTED_AT_FIELD_NUMBER: _ClassVar[int]
    CONFIRM_WITHIN_MS_FIELD_NUMBER: _ClassVar[int]
    key: str
    of: str
    ttl_ms: int
    provenance: str
    requested_at: int
    confirm_within_ms: int
    def __init__(self, key: _Optional[str] = ..., of: _Optional[str] = ..., ttl_ms: _Optional[int] = ..., provenance: _Optional[str] = ..., requested_at: _Optional[int] = ..., confirm_within_ms: _Optional[int] = ...) -> None: ...

class WorkUpdate(_message.Message):
    __slots__ = ("work_id", "execution", "delivery", "capability", "request")
    WORK_ID_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_FIELD_NUMBER: _ClassVar[int]
    CAPABILITY_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    work_id: str
    execution: str
    delivery: str
    capability: str
    request: str
    def __init__(self, work_id: _Optional[str] = ..., execution: _Optional[str] = ..., delivery: _Optional[str] = ..., capability: _Optional[str] = ..., request: _Optional[str] = ...) -> None: ...

class Caption(_message.Message):
    __slots__ = ("who", "text", "final", "start", "end", "addressee")
    WHO_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    FINAL_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    ADDRESSEE_FIELD_NUMBER: _ClassVar[int]
    who: str
    text: str
    final: bool
    start: int
    end: int
    addressee: str
    def __init__(self, who: _Optional[str] = ..., text: _Optional[str] = ..., final: _Optional[bool] = ..., start: _Optional[int] = ..., end: _Optional[int] = ..., addressee: _Optional[str] = ...) -> None: ...

class Control(_message.Message):
    __slots__ = ("unit", "token")
    UNIT_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    unit: int
    token: ControlToken
    def __init__(self, unit: _Optional[int] = ..., token: _Optional[_Union[ControlToken, str]] = ...) -> None: ...

class ReplyTiming(_message.Message):
    __slots__ = ("utterance", "work_id", "words_end", "endpoint_ms", "text_ms", "result_ms", "out_ms", "speaker_ms")
    UTTERANCE_FIELD_NUMBER: _ClassVar[int]
    WORK_ID_FIELD_NUMBER: _ClassVar[int]
    WORDS_END_FIELD_NUMBER: _ClassVar[int]
    ENDPOINT_MS_FIELD_NUMBER: _ClassVar[int]
    TEXT_MS_FIELD_NUMBER: _ClassVar[int]
    RESULT_MS_FIELD_NUMBER: _ClassVar[int]
    OUT_MS_FIELD_NUMBER: _ClassVar[int]
    SPEAKER_MS_FIELD_NUMBER: _ClassVar[int]
    utterance: int
    work_id: str
    words_end: int
    endpoint_ms: int
    text_ms: int
    result_ms: int
    out_ms: int
    speaker_ms: int
    def __init__(self, utterance: _Optional[int] = ..., work_id: _Optional[str] = ..., words_end: _Optional[int] = ..., endpoint_ms: _Optional[int] = ..., text_ms: _Optional[int] = ..., result_ms: _Optional[int] = ..., out_ms: _Optional[int] = ..., speaker_ms: _Optional[int] = ...) -> None: ...

class Notice(_message.Message):
    __slots__ = ("code", "text")
    CODE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    code: str
    text: str
    def __init__(self, code: _Optional[str] = ..., text: _Optional[str] = ...) -> None: ...

class Error(_message.Message):
    __slots__ = ("code", "text", "retry_after_ms", "fatal")
    CODE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_MS_FIELD_NUMBER: _ClassVar[int]
    FATAL_FIELD_NUMBER: _ClassVar[int]
    code: str
    text: str
    retry_after_ms: int
    fatal: bool
    def __init__(self, code: _Optional[str] = ..., text: _Optional[str] = ..., retry_after_ms: _Optional[int] = ..., fatal: _Optional[bool] = ...) -> None: ...

class Draining(_message.Message):
    __slots__ = ("deadline_ms",)
    DEADLINE_MS_FIELD_NUMBER: _ClassVar[int]
    deadline_ms: int
    def __init__(self, deadline_ms: _Optional[int] = ...) -> None: ...
