"""What a trip holds, as values. `at` is the position on the trip's audio clock (samples at 16 kHz from 0).

Does not know files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ridealong.proto import types as t

JSON_CHANNELS: Final = ("gate", "model", "tool", "clock", "meta", "expected")
"""Channels whose records are TextEvent."""


@dataclass(frozen=True, slots=True)
class MicBlock:
    """What the microphone heard: mono, little-endian."""

    at: t.Samples
    pcm16: bytes
    rate: int


@dataclass(frozen=True, slots=True)
class SpeakerBlock:
    """What the device's speaker really played."""

    at: t.Samples
    pcm16: bytes
    rate: int


@dataclass(frozen=True, slots=True)
class CameraFrame:
    at: t.Samples
    jpeg: bytes
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class SentMessage:
    """A message that went up on the link. `seq` 0 when the recorder did not know it."""

    at: t.Samples
    body: t.UplinkBody
    seq: int = 0


@dataclass(frozen=True, slots=True)
class AckRecord:
    at: t.Samples
    ack: t.PlaybackAck


@dataclass(frozen=True, slots=True)
class SignalSample:
    """A VSS value as the car had it. None: unknown."""

    at: t.Samples
    path: str
    value: t.SignalValue | None
    source: str = ""


@dataclass(frozen=True, slots=True)
class GpsFix:
    at: t.Samples
    latitude: float
    longitude: float
    accuracy_m: float = 0.0
    speed_kmh: float = 0.0
    heading_deg: float = 0.0


@dataclass(frozen=True, slots=True)
class TextEvent:
    """Anything that is text: `channel` is one of JSON_CHANNELS, `values` whatever JSON can hold."""

    at: t.Samples
    channel: str
    values: Mapping[str, object]


Record = MicBlock | SpeakerBlock | CameraFrame | SentMessage | AckRecord | SignalSample | GpsFix | TextEvent
