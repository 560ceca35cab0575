"""Every bound of the wire, checked on values: `fault(body)` says what is wrong with a message, or None.

Used by `convert.py` in both directions and by the session machine before it numbers a message. Pure. Does not know
protobuf, nor whose fault a bad message is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Final, NamedTuple

from ridealong.proto import types as t

MAX_NAME_CHARS: Final = 256
"""Identifiers, codes, VSS paths, MIME types, single words, string values of signals."""
MAX_CAPABILITIES: Final = 64
MAX_PRECONDITIONS: Final = 16
SPEECH_HZ_MIN: Final = 8_000
SPEECH_HZ_MAX: Final = 48_000

_U32 = 2**32 - 1
_U64 = 2**64 - 1
_I64_MIN, _I64_MAX = -(2**63), 2**63 - 1
_FLOAT32_MAX = 3.4028234663852886e38

# fmt: off
_U32_FIELDS: Final = frozenset((
    "part", "samples", "rate", "gap_samples", "index", "count", "width", "height", "age_ms", "version",
    "version_min", "version_max", "unit_ms", "part_ms", "ttl_ms", "confirm_within_ms", "chunk", "retry_after_ms",
    "deadline_ms", "endpoint_ms", "text_ms", "result_ms", "out_ms", "speaker_ms", "message_bytes", "fragment_bytes", "frame_bytes", "unacked_messages",
))
# fmt: on
_TEXT_FIELDS: Final = frozenset(("text", "request", "heard"))
_DOUBLE_FIELDS: Final = frozenset(("latitude", "longitude"))
_SIGNAL_VALUE_FIELDS: Final = frozenset(("value", "at_most", "equals"))


class Fault(NamedTuple):
    code: str
    text: str


def fault(body: object) -> Fault | None:
    """What is wrong with a message, if anything: its own rules first, then the bounds of every field in it."""
    return _own_rules(body) or next(_field_faults(body), None) or _size(body)


def bytes_at_most(value: object) -> int:
    """An upper bound of the serialised size, without serialising. Also the weight of a buffered message."""
    if isinstance(value, bytes):
        return len(value) + 8
    if isinstance(value, str):
        return (len(value) if value.isascii() else 4 * len(value)) + 8
    if isinstance(value, tuple):
        return sum(bytes_at_most(item) for item in value)
    if is_dataclass(value):
        return 8 + sum(bytes_at_most(getattr(value, field.name)) for field in fields(value))
    return 12


def _size(body: object) -> Fault | None:
    size = bytes_at_most(body) + 32
    if size > t.MAX_MESSAGE_BYTES:
        return Fault("message_too_large", f"{_name(body)} may take {size} bytes; at most {t.MAX_MESSAGE_BYTES} are allowed")
    return None


def _own_rules(body: object) -> Fault | None:
    match body:
        case t.UnitPart():
            return _unit_part(body)
        case t.Speech():
            return _speech(body)
        case t.FrameFragment(index=index, count=count, data=data):
            if not data or len(data) > t.FRAGMENT_BYTES:
                return Fault("fragment_too_large", f"a frame fragment holds 1 to {t.FRAGMENT_BYTES} bytes, not {len(data)}")
            if count * t.FRAGMENT_BYTES > t.MAX_FRAME_BYTES:
                return Fault("frame_too_large", f"a frame of {count} fragments is larger than {t.MAX_FRAME_BYTES} bytes")
            if not 0 <= index < count:
                return Fault("bad_fragment", f"fragment {index} of {count} does not exist")
        case t.VehicleState(signals=signals):
            return _count("too_many_signals", "signals", len(signals), 1, t.MAX_SIGNALS)
        case t.ActuationResult(observed=observed):
            return _count("too_many_signals", "observed signals", len(observed), 0, t.MAX_SIGNALS)
        case t.Attachment(data=data):
            return _count("attachment_too_large", "bytes of an attachment", len(data), 0, t.MAX_ATTACHMENT_BYTES)
        case t.Actuate():
            return _actuate(body)
        case t.Halt():
            return _keyed(body)
        case t.Location(latitude=latitude, longitude=longitude):
            if not (-90 <= latitude <= 90 and -180 <= longitude <= 180):
                return Fault("bad_location", "a position outside the globe")
        case t.Hello() | t.Welcome():
            if not body.unit_ms or not body.part_ms or body.part_ms > body.unit_ms:
                return Fault("bad_unit_length", f"parts of {body.part_ms} ms in units of {body.unit_ms} ms are impossible")
            return _count("too_many_capabilities", "capabilities", len(body.capabilities), 0, MAX_CAPABILITIES)
    return None


def _unit_part(part: t.UnitPart) -> Fault | None:
    if len(part.pcm16) > t.MAX_PCM_BYTES:
        return Fault("unit_too_large", f"{len(part.pcm16)} bytes of audio in one part; at most {t.MAX_PCM_BYTES} are allowed")
    if part.rate != t.CLOCK_HZ:
        return Fault("bad_rate", f"uplink audio is {t.CLOCK_HZ} Hz, not {part.rate}")
    if part.gap_samples > part.samples:
        return Fault("bad_length", f"a gap of {part.gap_samples} samples in a part of {part.samples}")
    expected = (part.samples - part.gap_samples) * 2 if part.microphone is t.MicrophoneState.LIVE else 0
    if len(part.pcm16) != expected:
        return Fault(
            "bad_length", f"{len(part.pcm16)} bytes of audio where {expected} belong ({part.microphone.value} microphone)"
        )
    return None


def _speech(speech: t.Speech) -> Fault | None:
    if len(speech.pcm16) > t.MAX_PCM_BYTES:
        return Fault(
            "speech_too_large", f"{len(speech.pcm16)} bytes of speech in one chunk; at most {t.MAX_PCM_BYTES} are allowed"
        )
    if not SPEECH_HZ_MIN <= speech.rate <= SPEECH_HZ_MAX:
        return Fault("bad_rate", f"speech is {SPEECH_HZ_MIN} to {SPEECH_HZ_MAX} Hz, not {speech.rate}")
    if len(speech.pcm16) % 2:
        return Fault("bad_length", f"{len(speech.pcm16)} bytes of speech are not whole 16-bit samples")
    return _count("too_many_words", "word times", len(speech.words), 0, t.MAX_WORDS)


def _actuate(actuate: t.Actuate) -> Fault | None:
    if wrong := _keyed(actuate):
        return wrong
    if any(item.at_most is None and item.equals is None for item in actuate.preconditions):
        return Fault("bad_precondition", "a precondition that asks for nothing")
    return _count("too_many_writes", "writes", len(actuate.writes), 1, t.MAX_WRITES) or _count(
        "too_many_preconditions", "preconditions", len(actuate.preconditions), 0, MAX_PRECONDITIONS
    )


def _keyed(order: t.Actuate | t.Halt) -> Fault | None:
    if not order.key:
        return Fault("no_key", "an actuation without a key could not be applied at most once")
    if not 1 <= order.ttl_ms <= t.MAX_TTL_MS:
        return Fault("bad_ttl", f"an actuation lives 1 to {t.MAX_TTL_MS} ms, not {order.ttl_ms}")
    return None


def _count(code: str, what: str, found: int, least: int, most: int) -> Fault | None:
    return None if least <= found <= most else Fault(code, f"{found} {what}; {least} to {most} are allowed")


def _field_faults(value: object) -> Iterator[Fault]:
    if not is_dataclass(value):
        return
    for field in fields(value):
        item = getattr(value, field.name)
        if is_dataclass(item):
            yield from _field_faults(item)
        elif isinstance(item, tuple):
            for entry in item:
                if isinstance(entry, str):
                    yield from _scalar(value, field.name, entry)
                else:
                    yield from _field_faults(entry)
        else:
            yield from _scalar(value, field.name, item)


def _scalar(owner: object, name: str, item: object) -> Iterator[Fault]:
    where = f"{_name(owner)}.{name}"
    if item is None or isinstance(item, (bool, Enum, bytes)):
        return
    if isinstance(item, int):
        least, most = (0, _U32 if name in _U32_FIELDS or isinstance(owner, t.WordTime) else _U64)
        if name in _SIGNAL_VALUE_FIELDS:
            least, most = _I64_MIN, _I64_MAX
        if not least <= item <= most:
            yield Fault("out_of_range", f"{where} is {item}; {least} to {most} are allowed")
    elif isinstance(item, float):
        if not math.isfinite(item):
            yield Fault("not_a_number", f"{where} is not a finite number")
        elif name not in _DOUBLE_FIELDS | _SIGNAL_VALUE_FIELDS and abs(item) > _FLOAT32_MAX:
            yield Fault("out_of_range", f"{where} is too large")
    elif isinstance(item, str):
        most = t.MAX_TEXT_CHARS if name in _TEXT_FIELDS else MAX_NAME_CHARS
        if len(item) > most:
            yield Fault("text_too_long", f"{where} has {len(item)} characters; at most {most} are allowed")
        elif not item.isascii() and not _is_unicode(item):
            yield Fault("bad_text", f"{where} holds characters that are not valid Unicode")


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _name(body: object) -> str:
    return type(body).__name__
