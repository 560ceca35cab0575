"""The trip file: MCAP with our protobuf messages where they exist and JSON for the rest. Writer and reader.

Channels: /mic /speaker_heard /camera /unit /ack /vss /gps (protobuf), /gate /model /tool /clock /meta /expected (JSON).
log_time is nanoseconds on the trip's audio clock from 0; /meta maps 0 to UTC once, and /clock holds later pairs, so that a jump of the
wall clock is data. `sequence` counts all records of the file, so records with equal times keep the order in which they were written.
Chunks hold at most CHUNK_BYTES and are flushed every second of the trip: a power cut costs a second.

mcap is imported when a file is opened. Does not know what a record is as bytes (`trip_convert.py`), who records, or what a replay does
with the records.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from google.protobuf.message import DecodeError

from ridealong.errors import UserError
from ridealong.proto import types as t
from ridealong.proto.errors import ProtocolError
from ridealong.proto.trip_convert import channel_of, from_bytes, schema, to_bytes
from ridealong.proto.trip_records import (
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

PROFILE: Final = "ridealong"
MAGIC: Final = b"\x89MCAP0\r\n"
CHUNK_BYTES: Final = 1024 * 1024
FLUSH_EVERY: Final = t.CLOCK_HZ  # samples: one second
NS_PER_SAMPLE: Final = 1_000_000_000 // t.CLOCK_HZ
_MESSAGE_OVERHEAD: Final = 31
_REMEDY: Final = "record or import it again, or save what is left with `mcap recover`"


def nanoseconds(at: int) -> int:
    """Position on the audio clock as log_time. Exact: a sample is 62,500 ns."""
    return at * NS_PER_SAMPLE


class TripWriter:
    """Use as a context manager. `meta` goes first: device, start_utc_ns, VSS version, calibration, …

    Records may come in any order of time; a reader sorts them. `sync`: wait for the disk each second, too.
    """

    def __init__(self, path: Path, *, meta: Mapping[str, object], sync: bool = False) -> None:
        from mcap.writer import CompressionType, Writer

        self._path, self._sync = path, sync
        try:
            self._stream = path.open("wb")
        except OSError as error:
            raise UserError(f"cannot write the trip {path}: {error.strerror}; choose another place with -o.") from None
        # JPEG and Opus do not compress further; speech hardly does.
        self._writer: Any = Writer(self._stream, chunk_size=CHUNK_BYTES, compression=CompressionType.NONE)
        self._writer.start(profile=PROFILE, library="ridealong")
        self._channels: dict[str, int] = {}
        self._sequence = 0
        self._chunk_bytes = 0
        self._flushed_at = 0
        self.event(t.Samples(0), "meta", meta)
        self.flush()

    def __enter__(self) -> TripWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Write the index and close the file. Safe to call twice."""
        if not self._stream.closed:
            self._writer.finish()
            self._stream.close()

    def flush(self) -> None:
        self._writer.flush()
        self._stream.flush()
        if self._sync:
            os.fsync(self._stream.fileno())
        self._chunk_bytes = 0

    # --- one method per channel ------------------------------------------------------------------------------------

    def mic(self, at: t.Samples, pcm16: bytes, rate: int) -> None:
        self.write(MicBlock(at, pcm16, rate))

    def speaker_heard(self, at: t.Samples, pcm16: bytes, rate: int) -> None:
        self.write(SpeakerBlock(at, pcm16, rate))

    def camera(self, at: t.Samples, jpeg: bytes, width: int, height: int) -> None:
        self.write(CameraFrame(at, jpeg, width, height))

    def unit(self, at: t.Samples, body: t.UplinkBody, seq: int = 0) -> None:
        """Any message that went up, not only unit parts."""
        self.write(SentMessage(at, body, seq))

    def ack(self, at: t.Samples, ack: t.PlaybackAck) -> None:
        self.write(AckRecord(at, ack))

    def vss(self, at: t.Samples, path: str, value: t.SignalValue | None, source: str = "") -> None:
        self.write(SignalSample(at, path, value, source))

    def gps(self, fix: GpsFix) -> None:
        self.write(fix)

    def gate(self, at: t.Samples, values: Mapping[str, object]) -> None:
        self.event(at, "gate", values)

    def model(self, at: t.Samples, values: Mapping[str, object]) -> None:
        self.event(at, "model", values)

    def tool(self, at: t.Samples, values: Mapping[str, object]) -> None:
        self.event(at, "tool", values)

    def clock(self, at: t.Samples, *, monotonic_ns: int, wall_ns: int) -> None:
        self.event(at, "clock", {"monotonic_ns": monotonic_ns, "wall_ns": wall_ns})

    def expected(self, values: Mapping[str, object]) -> None:
        """The expected outcomes (design/commands.md), as parsed from YAML."""
        self.event(t.Samples(0), "expected", values)

    def event(self, at: t.Samples, channel: str, values: Mapping[str, object]) -> None:
        """A record of one of the JSON channels."""
        self.write(TextEvent(at, channel, values))

    def write(self, record: Record) -> None:
        """Any record: what a reader gave can be written again."""
        self._add(channel_of(record), record.at, to_bytes(record))

    # --- the file --------------------------------------------------------------------------------------------------

    def _add(self, channel: str, at: int, payload: bytes) -> None:
        if at < 0:
            raise ValueError(f"a {channel} record before the trip begins ({at})")
        if channel not in self._channels:
            self._channels[channel] = self._register(channel)
        size = len(payload) + _MESSAGE_OVERHEAD
        if at - self._flushed_at >= FLUSH_EVERY or self._chunk_bytes + size > CHUNK_BYTES:
            self.flush()
            self._flushed_at = max(self._flushed_at, at)
        self._chunk_bytes += size
        when = nanoseconds(at)
        self._sequence += 1
        self._writer.add_message(self._channels[channel], when, payload, publish_time=when, sequence=self._sequence)

    def _register(self, channel: str) -> int:
        protobuf = schema(channel)
        if protobuf is None:
            number = self._writer.register_schema(f"ridealong.{channel}", "jsonschema", b'{"type":"object"}')
            return int(self._writer.register_channel(f"/{channel}", "json", number))
        number = self._writer.register_schema(protobuf[0], "protobuf", protobuf[1])
        return int(self._writer.register_channel(f"/{channel}", "protobuf", number))


class TripReader:
    """Use as a context manager. Raises UserError, naming the file and the remedy, for whatever is wrong with it.

    `recover`: read what can be read of a damaged or cut-off file (all of it is held in memory); `damaged` says whether anything was lost.
    """

    def __init__(self, path: Path, *, recover: bool = False) -> None:
        self._path, self._recover = path, recover
        self.damaged = False
        self.ignored = 0
        """Records of channels, or message kinds, that are not known here."""
        try:
            self._stream = path.open("rb")
        except OSError as error:
            text = f"cannot read the trip {path}: {error.strerror}; check the path, or make one with `ridealong trip import`."
            raise UserError(text) from None
        try:
            if self._stream.read(len(MAGIC)) != MAGIC:
                raise UserError(f"{path} is not a trip (no MCAP file); make one with `ridealong trip import`.")
            self.meta = self._first("/meta")
            if self.meta is None:
                raise UserError(f"{path} is not a Ridealong trip (it has no /meta); make one with `ridealong trip import`.")
            self.expected = self._first("/expected")
        except BaseException:
            self._stream.close()
            raise

    def __enter__(self) -> TripReader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._stream.close()

    def records(self, *channels: str) -> Iterator[Record]:
        """All records, or those of some channels ("mic", "vss", …), by time; equal times as they were written."""
        for topic, message in self._messages(tuple(f"/{channel}" for channel in channels) or None):
            try:
                at = t.Samples(message.log_time // NS_PER_SAMPLE)
                record = from_bytes(topic.removeprefix("/"), at, message.data)
            except (DecodeError, ProtocolError, ValueError):
                if not self._recover:
                    raise self._error(f"a {topic} record cannot be decoded") from None
                self.damaged = True
                continue
            if record is None:
                self.ignored += 1
            else:
                yield record

    @property
    def duration(self) -> t.Samples:
        """Up to the end of the last record."""
        last = 0
        for record in self.records():
            length = 0
            if isinstance(record, (MicBlock, SpeakerBlock)):
                length = len(record.pcm16) // 2 * t.CLOCK_HZ // record.rate
            last = max(last, record.at + length)
        return t.Samples(last)

    def _first(self, topic: str) -> dict[str, object] | None:
        for _, message in self._messages((topic,)):
            try:
                values = json.loads(message.data)
            except ValueError:
                raise self._error(f"its {topic} record is not JSON") from None
            return values if isinstance(values, dict) else None
        return None

    def _messages(self, topics: tuple[str, ...] | None) -> Iterator[tuple[str, Any]]:
        if self._recover:
            yield from sorted(self._salvage(topics), key=lambda item: (item[1].log_time, item[1].sequence))
            return
        ties: list[tuple[str, Any]] = []
        for topic, message in self._indexed(topics):
            if ties and ties[0][1].log_time != message.log_time:
                yield from sorted(ties, key=lambda item: item[1].sequence)
                ties.clear()
            ties.append((topic, message))
        yield from sorted(ties, key=lambda item: item[1].sequence)

    def _indexed(self, topics: tuple[str, ...] | None) -> Iterator[tuple[str, Any]]:
        from mcap.exceptions import UnsupportedCompressionError
        from mcap.reader import SeekingReader

        self._stream.seek(0)
        try:
            reader = SeekingReader(self._stream, validate_crcs=True)
            summary = reader.get_summary()
            if summary is None or not summary.chunk_indexes:
                raise ValueError("no index")
            for _, channel, message in reader.iter_messages(topics=topics, log_time_order=True):
                yield channel.topic, message
        except UnsupportedCompressionError as error:
            raise UserError(
                f"the trip {self._path} is compressed ({error}): install `zstandard` and `lz4`, or write it plain."
            ) from None
        except (UserError, GeneratorExit):
            raise
        except Exception:  # whatever the library meets in damaged bytes: struct, key, index, memory, CRC errors …
            raise self._error("it is cut off or damaged") from None

    def _salvage(self, topics: tuple[str, ...] | None) -> list[tuple[str, Any]]:
        """Every message of every chunk that is whole, however the file ends."""
        from mcap.records import Channel, Chunk, Message
        from mcap.stream_reader import StreamReader, breakup_chunk

        self._stream.seek(0)
        found: list[tuple[str, Any]] = []
        names: dict[int, str] = {}

        def take(record: object) -> None:
            if isinstance(record, Channel):
                names[record.id] = record.topic
            elif isinstance(record, Message):
                name = names.get(record.channel_id)
                if name is not None and (topics is None or name in topics):
                    found.append((name, record))

        records = iter(StreamReader(self._stream, emit_chunks=True, record_size_limit=16 * CHUNK_BYTES).records)
        while True:
            try:
                record = next(records)
                for inner in breakup_chunk(record, validate_crc=True) if isinstance(record, Chunk) else (record,):
                    take(inner)
            except StopIteration:
                return found
            except ValueError:  # a chunk with a wrong checksum: the next one may be whole
                self.damaged = True
            except Exception:
                self.damaged = True
                return found

    def _error(self, what: str) -> UserError:
        return UserError(f"cannot read the trip {self._path}: {what}; {_REMEDY}.")
