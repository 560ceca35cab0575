"""The trip file: what is written is read back in order of time; a damaged file is one sentence, and what is whole can be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import float32, names, signal_values, uplink_bodies

from ridealong.errors import UserError
from ridealong.proto import types as t
from ridealong.proto.trip import CHUNK_BYTES, TripReader, TripWriter
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

pytestmark = pytest.mark.unit

META = {"device": "glasses", "start_utc_ns": 1_790_000_000_000_000_000, "vss": "5.1"}

ats = st.integers(0, 3_600 * t.CLOCK_HZ).map(t.Samples)
audio = st.binary(max_size=20).map(lambda raw: raw[: len(raw) // 2 * 2])
records: st.SearchStrategy[Record] = st.one_of(
    st.builds(MicBlock, ats, audio, st.integers(1, 96_000)),
    st.builds(SpeakerBlock, ats, audio, st.integers(1, 96_000)),
    st.builds(CameraFrame, ats, st.binary(max_size=20), st.integers(0, 4_000), st.integers(0, 4_000)),
    st.builds(SentMessage, ats, uplink_bodies, st.integers(0, 2**63)),
    st.builds(
        AckRecord,
        ats,
        st.builds(
            t.PlaybackAck, st.just(t.Epoch(1)), st.just(t.UtteranceId(2)), st.just(3), st.sampled_from(t.PlaybackState), ats
        ),
    ),
    st.builds(SignalSample, ats, names, st.none() | signal_values, names),
    st.builds(GpsFix, ats, st.floats(-90, 90), st.floats(-180, 180), float32, float32, float32),
    st.builds(
        TextEvent,
        ats,
        st.sampled_from([c for c in JSON_CHANNELS if c not in ("meta", "expected")]),
        st.dictionaries(names, names),
    ),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(records, max_size=12))
def test_round_trip_in_order_of_time(tmp_path: Path, written: list[Record]) -> None:
    path = tmp_path / "trip.mcap"
    with TripWriter(path, meta=META) as trip:
        for record in written:
            trip.write(record)
    with TripReader(path) as reader:
        assert reader.meta == META and reader.expected is None
        read = [record for record in reader.records() if not (isinstance(record, TextEvent) and record.channel == "meta")]
    assert read == sorted(written, key=lambda record: record.at)  # stable: equal times as written
    with TripReader(path, recover=True) as reader:
        assert list(reader.records())[1:] == read and not reader.damaged


def long_trip(path: Path, seconds: int = 20) -> list[MicBlock]:
    blocks = [MicBlock(t.Samples(i * 1_600), bytes([i % 256, 1] * 1_600), 16_000) for i in range(seconds * 10)]
    with TripWriter(path, meta=META) as trip:
        trip.expected({"trip": "test", "expect": []})
        for block in blocks:
            trip.write(block)
            if block.at % 16_000 == 0:
                trip.clock(block.at, monotonic_ns=block.at * 62_500, wall_ns=5)
                trip.camera(block.at, bytes(300_000), 448, 252)
    return blocks


def test_chunks_are_small_and_a_second_long(tmp_path: Path) -> None:
    from mcap.reader import make_reader

    path = tmp_path / "trip.mcap"
    long_trip(path)
    with path.open("rb") as stream:
        summary = make_reader(stream).get_summary()
    assert summary is not None and len(summary.chunk_indexes) >= 20
    assert all(chunk.uncompressed_size <= CHUNK_BYTES + 4_096 for chunk in summary.chunk_indexes)
    assert all(chunk.message_end_time - chunk.message_start_time <= 1_000_000_000 for chunk in summary.chunk_indexes)
    topics = {channel.topic for channel in summary.channels.values()}
    assert topics == {"/mic", "/camera", "/clock", "/meta", "/expected"}


def test_selected_channels_duration_and_expected(tmp_path: Path) -> None:
    path = tmp_path / "trip.mcap"
    blocks = long_trip(path, 3)
    with TripReader(path) as reader:
        assert list(reader.records("mic")) == blocks
        assert reader.duration == 3 * 16_000
        assert reader.expected == {"trip": "test", "expect": []}


def test_a_recording_that_was_cut_off_loses_at_most_a_second(tmp_path: Path) -> None:
    path = tmp_path / "trip.mcap"
    trip = TripWriter(path, meta=META)
    for index in range(100):
        trip.mic(t.Samples(index * 1_600), bytes(3_200), 16_000)
    on_disk = path.read_bytes()  # the power is cut here: nothing was closed
    trip.close()
    path.write_bytes(on_disk)
    with pytest.raises(UserError, match=r"trip\.mcap: it is cut off or damaged; .*mcap recover"):
        TripReader(path)
    with TripReader(path, recover=True) as reader:
        saved = list(reader.records("mic"))
        assert reader.damaged and len(saved) >= 90


@pytest.mark.parametrize("keep", [0.2, 0.5, 0.9, 0.999])
def test_truncated(tmp_path: Path, keep: float) -> None:
    path = tmp_path / "trip.mcap"
    blocks = long_trip(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * keep)])
    with pytest.raises(UserError, match="cut off or damaged"):
        TripReader(path)
    with TripReader(path, recover=True) as reader:
        saved = list(reader.records("mic"))
    assert saved == blocks[: len(saved)] and len(saved) >= (keep - 0.1) * len(blocks)


def test_a_damaged_chunk_costs_itself(tmp_path: Path) -> None:
    path = tmp_path / "trip.mcap"
    blocks = long_trip(path)
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 0xFF
    path.write_bytes(whole)
    with pytest.raises(UserError, match="cut off or damaged"), TripReader(path) as reader:
        list(reader.records())
    with TripReader(path, recover=True) as reader:
        assert len(list(reader.records("mic"))) >= len(blocks) - 10 and reader.damaged


def test_what_is_not_a_trip(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="check the path"):
        TripReader(tmp_path / "missing.mcap")
    for name, content in {"empty": b"", "text": b"hello", "wav": b"RIFF" + bytes(500)}.items():
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(UserError, match="trip import"):
            TripReader(path)
        with pytest.raises(UserError, match="trip import"):
            TripReader(path, recover=True)
    with pytest.raises(UserError, match="cannot write"):
        TripWriter(tmp_path / "no" / "where.mcap", meta=META)


def test_noise_instead_of_a_trip_is_always_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "trip.mcap"
    long_trip(path, 2)
    whole = path.read_bytes()
    for position in range(8, len(whole), len(whole) // 60):
        path.write_bytes(whole[:position] + bytes(b ^ 0x5A for b in whole[position : position + 64]) + whole[position + 64 :])
        try:
            with TripReader(path) as reader:
                list(reader.records())
        except UserError:
            pass


def test_unknown_channels_are_ignored_and_counted(tmp_path: Path) -> None:
    from mcap.writer import CompressionType, Writer

    path = tmp_path / "trip.mcap"
    writer = Writer(str(path), compression=CompressionType.NONE)
    writer.start()
    for topic, payload in (("/meta", b"{}"), ("/lidar", b"\0\1")):
        schema = writer.register_schema("x", "", b"")
        writer.add_message(writer.register_channel(topic, "json", schema), 0, payload, 0, 1)
    writer.finish()
    with TripReader(path) as reader:
        assert [record.channel for record in reader.records() if isinstance(record, TextEvent)] == ["meta"]
        assert reader.ignored == 1
