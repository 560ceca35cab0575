"""Between `types.Envelope` and the bytes on the wire, both directions, with every limit checked on the way in and out.

    uplink_to_bytes(Envelope) -> bytes        uplink_from_bytes(bytes) -> Envelope        (and the same for downlink)

A field has the same name in `types.py` and in the schema; each class gets one conversion plan, made once from its type hints.
An unknown message kind, or a kind whose deciding enum value is unknown, arrives as an Envelope with `body` None that keeps
`seq` and `acked`: with `seq` above 0 that is "a message that we don't know", with 0 a bare ack. Unknown fields are ignored.

Does not know sessions, order, or what anybody does with a message.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType
from typing import Any, Final, get_args, get_type_hints

from google.protobuf.message import DecodeError, Message

from ridealong.proto import types as t
from ridealong.proto.errors import LocalProtocolError, RemoteProtocolError
from ridealong.proto.limits import fault
from ridealong.proto.v1 import conversation_pb2 as pb

UPLINK_KINDS: Final[dict[type, str]] = {
    t.Hello: "hello",
    t.UnitPart: "unit_part",
    t.FrameFragment: "frame_fragment",
    t.FrameTombstone: "frame_tombstone",
    t.VehicleState: "vehicle_state",
    t.Location: "location",
    t.Input: "input",
    t.Consent: "consent",
    t.TextInput: "text_input",
    t.Attachment: "attachment",
    t.SpeakerHint: "speaker_hint",
    t.PlaybackAck: "playback_ack",
    t.ActuationResult: "actuation_result",
    t.Close: "close",
}
DOWNLINK_KINDS: Final[dict[type, str]] = {
    t.Welcome: "welcome",
    t.Speech: "speech",
    t.Flush: "flush",
    t.Duck: "duck",
    t.Unduck: "unduck",
    t.Actuate: "actuate",
    t.Halt: "halt",
    t.WorkUpdate: "work_update",
    t.Caption: "caption",
    t.Control: "control",
    t.ReplyTiming: "reply_timing",
    t.Notice: "notice",
    t.Error: "error",
    t.Draining: "draining",
    t.Close: "close",
}


class _UnknownKind(Exception):
    """A value without which the message means nothing here: it is treated like an unknown message kind."""


def uplink_to_bytes(envelope: t.Envelope) -> bytes:
    """Raises LocalProtocolError when a limit is broken or the body does not travel up."""
    return _to_bytes(envelope, pb.Uplink(), UPLINK_KINDS)


def downlink_to_bytes(envelope: t.Envelope) -> bytes:
    """Raises LocalProtocolError when a limit is broken or the body does not travel down."""
    return _to_bytes(envelope, pb.Downlink(), DOWNLINK_KINDS)


def uplink_from_bytes(message: bytes) -> t.Envelope:
    """Raises RemoteProtocolError, with the `seq` and `acked` that could still be read."""
    return _from_bytes(message, pb.Uplink(), UPLINK_KINDS)


def downlink_from_bytes(message: bytes) -> t.Envelope:
    """Raises RemoteProtocolError, with the `seq` and `acked` that could still be read."""
    return _from_bytes(message, pb.Downlink(), DOWNLINK_KINDS)


def _to_bytes(envelope: t.Envelope, wire: Any, kinds: dict[type, str]) -> bytes:
    body = envelope.body
    wire.seq, wire.acked = envelope.seq, envelope.acked
    if body is not None:
        kind = kinds.get(type(body))
        if kind is None:
            raise LocalProtocolError("wrong_direction", f"{type(body).__name__} does not travel in this direction")
        if wrong := fault(body):
            raise LocalProtocolError(wrong.code, wrong.text)
        target = getattr(wire, kind)
        target.SetInParent()
        _write(body, target)
    message: bytes = wire.SerializeToString(deterministic=True)
    return message


def _from_bytes(message: bytes, wire: Any, kinds: dict[type, str]) -> t.Envelope:
    try:
        wire.ParseFromString(message)
    except DecodeError:
        raise RemoteProtocolError("undecodable", f"{len(message)} bytes that are no message of this protocol") from None
    seq, acked = t.Seq(wire.seq), t.Seq(wire.acked)
    if len(message) > t.MAX_MESSAGE_BYTES:
        text = f"a message of {len(message)} bytes; at most {t.MAX_MESSAGE_BYTES} are allowed"
        raise RemoteProtocolError("message_too_large", text, seq, acked)
    kind = wire.WhichOneof("body")
    if kind is None:
        return t.Envelope(seq, acked)
    cls = _classes(kinds is UPLINK_KINDS)[kind]
    try:
        body = _read(cls, getattr(wire, kind))
    except _UnknownKind:
        return t.Envelope(seq, acked)
    except RemoteProtocolError as error:
        raise RemoteProtocolError(error.code, error.text, seq, acked) from None
    if wrong := fault(body):
        raise RemoteProtocolError(wrong.code, wrong.text, seq, acked)
    return t.Envelope(seq, acked, body)


@cache
def _classes(up: bool) -> dict[str, type]:
    return {kind: cls for cls, kind in (UPLINK_KINDS if up else DOWNLINK_KINDS).items()}


# --- enums: the wire's number is the position in this tuple, 0 is "unspecified" ------------------------------------

_ENUMS: Final[dict[type[Enum], tuple[Enum, ...]]] = {
    cls: tuple(cls)
    for cls in (
        t.MicrophoneState,
        t.GateReason,
        t.InputKind,
        t.PlaybackState,
        t.ActuationState,
        t.ControlToken,
        t.OverlapKind,
    )
}


def _enum_from_wire(cls: type[Enum], number: int, message: Any) -> Enum:
    members = _ENUMS[cls]
    if 1 <= number <= len(members):
        return members[number - 1]
    if cls is t.MicrophoneState:  # samples prove that it is live; without them nothing was heard
        return t.MicrophoneState.LIVE if message.pcm16 else t.MicrophoneState.LOST
    if cls is t.GateReason:
        return t.GateReason.CHANGED if message.keep else t.GateReason.SIMILAR
    if cls is t.PlaybackState:  # acks are cumulative: the position still counts
        return t.PlaybackState.PROGRESS
    raise _UnknownKind  # a button, an outcome or a control token that we don't know must not be guessed


# --- one plan per class --------------------------------------------------------------------------------------------

_Writer = Callable[[Any, Message, str], None]
_Reader = Callable[[Any, str], Any]


@cache
def _plan(cls: Any) -> tuple[tuple[str, _Writer, _Reader], ...]:
    hints = get_type_hints(cls)
    return tuple((field.name, *_field_plan(hints[field.name])) for field in fields(cls))


def _field_plan(hint: Any) -> tuple[_Writer, _Reader]:
    hint = getattr(hint, "__supertype__", hint)
    alternatives = set(get_args(hint))
    if alternatives >= {bool, int, float, str}:
        return _write_value, _read_optional_value if NoneType in alternatives else _read_value
    if getattr(hint, "__origin__", None) is tuple:
        inner: Any = get_args(hint)[0]
        if is_dataclass(inner):
            return _write_many, lambda message, name: tuple(_read(inner, item) for item in getattr(message, name))
        return _write_strings, lambda message, name: tuple(getattr(message, name))
    if len(alternatives) == 2 and NoneType in alternatives:
        (kind,) = alternatives - {NoneType}
        return _write_optional_enum, lambda message, name: _optional_enum(kind, getattr(message, name))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _write_enum, lambda message, name: _enum_from_wire(hint, getattr(message, name), message)
    if is_dataclass(hint):
        return _write_one, lambda message, name: _read(hint, getattr(message, name))
    return _write_scalar, getattr


def _write_scalar(value: Any, message: Message, name: str) -> None:
    setattr(message, name, value)


def _write_enum(value: Any, message: Message, name: str) -> None:
    setattr(message, name, _ENUMS[type(value)].index(value) + 1)


def _write_optional_enum(value: Any, message: Message, name: str) -> None:
    if value is not None:
        _write_enum(value, message, name)


def _optional_enum(cls: type[Enum], number: int) -> Enum | None:
    """None: not said, or something newer than this end."""
    members = _ENUMS[cls]
    return members[number - 1] if 1 <= number <= len(members) else None


def _write_one(value: Any, message: Message, name: str) -> None:
    nested = getattr(message, name)
    nested.SetInParent()
    _write(value, nested)


def _write_many(value: Any, message: Message, name: str) -> None:
    repeated = getattr(message, name)
    for item in value:
        _write(item, repeated.add())


def _write_strings(value: Any, message: Message, name: str) -> None:
    getattr(message, name).extend(value)


def _write_value(value: Any, message: Message, name: str) -> None:
    nested = getattr(message, name)
    match value:
        case None:
            pass
        case bool():
            nested.boolean = value
        case int():
            nested.integer = value
        case float():
            nested.real = value
        case str():
            nested.text = value


def _read_value(message: Any, name: str) -> t.SignalValue:
    value = _read_optional_value(message, name)
    if value is None:
        raise RemoteProtocolError("no_value", "a signal is to be written without a value")
    return value


def _read_optional_value(message: Any, name: str) -> t.SignalValue | None:
    if not message.HasField(name):
        return None
    nested = getattr(message, name)
    kind = nested.WhichOneof("kind")
    if kind is None:
        if isinstance(message, pb.Precondition):  # forgetting a condition would let through what it forbids
            raise RemoteProtocolError("unknown_value", "a precondition with a kind of value that is not known here")
        return None
    value: t.SignalValue = getattr(nested, kind)
    return value


def _write(body: Any, message: Message) -> None:
    cls: Any = type(body)
    for name, write, _ in _plan(cls):
        write(getattr(body, name), message, name)


def _read(cls: Any, message: Any) -> Any:
    values = {name: read(message, name) for name, _, read in _plan(cls)}
    if cls in _ZERO_MEANS_DEFAULT:
        defaults = {field.name: field.default for field in fields(cls) if field.name in _ZERO_MEANS_DEFAULT[cls]}
        values |= {name: default for name, default in defaults.items() if not values[name]}
    return cls(**values)


_ZERO_MEANS_DEFAULT: Final[dict[type, frozenset[str]]] = {
    t.Hello: frozenset(("unit_ms", "part_ms")),
    t.Welcome: frozenset(("unit_ms", "part_ms")),
    t.Limits: frozenset(("message_bytes", "fragment_bytes", "frame_bytes", "unacked_messages")),
}
"""Settings that an older or simpler peer leaves out. Nothing else has a default on the wire."""
