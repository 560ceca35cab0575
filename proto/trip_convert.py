"""A trip's records as the bytes on its channels, and back: protobuf messages where they exist, JSON for the rest. Pure.

    channel_of(record), to_bytes(record) -> bytes        from_bytes(channel, at, bytes) -> record        schema(channel)

Every channel has one kind of record (`trip_records.py`). Protobuf carries the record's time too; the file's own time is the one that counts.
Does not know files, MCAP, or the order of records.
"""

from __future__ import annotations

import json
from typing import Any, Final, assert_never

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from ridealong.proto import types as t
from ridealong.proto.convert import uplink_from_bytes, uplink_to_bytes
from ridealong.proto.trip_records import (
    JSON_CHANNELS,
    AckRecord,
    CameraFrame,
    GpsFix,
    MicBlock,
    Record,
    SentMessage,
    SignalSample,
    SpeakerBlock,
    TextEvent,
)
from ridealong.proto.v1 import conversation_pb2 as pb
from ridealong.proto.v1 import trip_pb2 as trip_pb

_PROTOBUF_CHANNELS: Final[dict[str, Any]] = {
    "mic": trip_pb.AudioBlock,
    "speaker_heard": trip_pb.AudioBlock,
    "camera": trip_pb.CameraImage,
    "unit": pb.Uplink,
    "ack": pb.PlaybackAck,
    "vss": trip_pb.SignalSample,
    "gps": pb.Location,
}


def channel_of(record: Record) -> str:
    """Raises ValueError for text on a channel that holds none."""
    match record:
        case MicBlock():
            return "mic"
        case SpeakerBlock():
            return "speaker_heard"
        case CameraFrame():
            return "camera"
        case SentMessage():
            return "unit"
        case AckRecord():
            return "ack"
        case SignalSample():
            return "vss"
        case GpsFix():
            return "gps"
        case TextEvent(channel=channel):
            if channel not in JSON_CHANNELS:
                raise ValueError(f"{channel} is not one of the text channels {', '.join(JSON_CHANNELS)}")
            return channel
        case _:
            assert_never(record)


def to_bytes(record: Record) -> bytes:
    """The same record gives the same bytes. Raises ValueError for what no channel can hold."""
    match record:
        case MicBlock() | SpeakerBlock():
            if record.rate <= 0 or len(record.pcm16) % 2:
                raise ValueError(f"{len(record.pcm16)} bytes at {record.rate} Hz are not 16-bit audio")
            wire: Any = trip_pb.AudioBlock(at=record.at, rate=record.rate, pcm16=record.pcm16)
        case CameraFrame():
            wire = trip_pb.CameraImage(at=record.at, width=record.width, height=record.height, jpeg=record.jpeg)
        case SentMessage():
            return uplink_to_bytes(t.Envelope(t.Seq(record.seq), t.Seq(0), record.body))
        case AckRecord():
            wire = pb.Uplink.FromString(uplink_to_bytes(t.Envelope(t.Seq(0), t.Seq(0), record.ack))).playback_ack
        case SignalSample():
            wire = _signal(record)
        case GpsFix():
            wire = pb.Location(
                at=record.at,
                latitude=record.latitude,
                longitude=record.longitude,
                accuracy_m=record.accuracy_m,
                speed_kmh=record.speed_kmh,
                heading_deg=record.heading_deg,
            )
        case TextEvent():
            text = json.dumps(record.values, ensure_ascii=False, sort_keys=True, allow_nan=False, separators=(",", ":"))
            return text.encode()
        case _:
            assert_never(record)
    return bytes(wire.SerializeToString(deterministic=True))


def _signal(record: SignalSample) -> Any:
    sample = trip_pb.SignalSample(at=record.at, path=record.path, source=record.source)
    match record.value:
        case None:
            pass
        case bool():
            sample.value.boolean = record.value
        case int():
            sample.value.integer = record.value
        case float():
            sample.value.real = record.value
        case str():
            sample.value.text = record.value
        case _:
            assert_never(record.value)
    return sample


def from_bytes(channel: str, at: t.Samples, data: bytes) -> Record | None:
    """None: a channel, or a kind of message, that is not known here. Raises DecodeError, ProtocolError or ValueError for broken bytes."""
    match channel:
        case "mic" | "speaker_heard":
            block = trip_pb.AudioBlock.FromString(data)
            if not block.rate or len(block.pcm16) % 2:
                raise ValueError("audio without a rate, or half a sample")
            return (MicBlock if channel == "mic" else SpeakerBlock)(at, block.pcm16, block.rate)
        case "camera":
            image = trip_pb.CameraImage.FromString(data)
            return CameraFrame(at, image.jpeg, image.width, image.height)
        case "unit":
            envelope = uplink_from_bytes(data)
            return None if envelope.body is None else SentMessage(at, envelope.body, envelope.seq)  # type: ignore[arg-type]
        case "ack":
            ack = uplink_from_bytes(pb.Uplink(playback_ack=pb.PlaybackAck.FromString(data)).SerializeToString()).body
            return AckRecord(at, ack) if isinstance(ack, t.PlaybackAck) else None
        case "vss":
            sample = trip_pb.SignalSample.FromString(data)
            kind = sample.value.WhichOneof("kind")
            return SignalSample(at, sample.path, getattr(sample.value, kind) if kind else None, sample.source)
        case "gps":
            fix = pb.Location.FromString(data)
            return GpsFix(at, fix.latitude, fix.longitude, fix.accuracy_m, fix.speed_kmh, fix.heading_deg)
        case _ if channel in JSON_CHANNELS:
            values = json.loads(data)
            if not isinstance(values, dict):
                raise ValueError("not a JSON object")
            return TextEvent(at, channel, values)
        case _:
            return None


def schema(channel: str) -> tuple[str, bytes] | None:
    """A protobuf channel's message name and descriptors; None for JSON."""
    message = _PROTOBUF_CHANNELS.get(channel)
    return None if message is None else (message.DESCRIPTOR.full_name, _descriptors(message))


def _descriptors(message: Any) -> bytes:
    """The schema and everything it imports, as viewers want it."""
    files = FileDescriptorSet()
    seen: set[str] = set()

    def add(file: Any) -> None:
        if file.name not in seen:
            seen.add(file.name)
            for needed in file.dependencies:
                add(needed)
            file.CopyToProto(files.file.add())

    add(message.DESCRIPTOR.file)
    return files.SerializeToString(deterministic=True)
