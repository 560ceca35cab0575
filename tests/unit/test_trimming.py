"""A stretch of a trip: sound to the sample, times from 0, expectations wholly inside, and mistakes in one sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ridealong.cli import main
from ridealong.proto import types as t
from ridealong.proto.trip import TripReader, TripWriter
from ridealong.proto.trip_records import AckRecord, CameraFrame, MicBlock, SentMessage, SignalSample, SpeakerBlock, TextEvent
from ridealong.simulators.trip.loading import load_trip

pytestmark = pytest.mark.unit

SPEED = "Vehicle.Speed"
EXPECT = [
    {"id": "early", "said": {"from": 0.5, "to": 0.9, "text": "one"}, "reply": True},
    {"id": "across", "said": {"from": 2.9, "to": 3.4}, "reply": True},
    {"id": "inside", "said": {"from": 1.5, "to": 2.0, "text": "two"}, "reply": True},
    {"id": "tied", "said": {"from": 2.0, "to": 2.5}, "reply": {"after": "early"}},
]
SOUND = (np.arange(4 * 16_000) % 30_000).astype("<i2")


def make(path: Path) -> Path:
    with TripWriter(path, meta={"name": "drive", "start_utc_ns": 1_000_000_000}) as trip:
        trip.expected({"trip": "drive", "expect": EXPECT})
        trip.vss(t.Samples(0), SPEED, 10.0)
        trip.vss(t.Samples(8_000), SPEED, 20.0)
        for second in range(4):
            trip.mic(t.Samples(second * 16_000), SOUND[second * 16_000 : (second + 1) * 16_000].tobytes(), 16_000)
            trip.speaker_heard(t.Samples(second * 16_000), bytes(48_000), 24_000)
            trip.camera(t.Samples(second * 16_000 + 100), b"jpeg%d" % second, 4, 4)
        trip.vss(t.Samples(32_000), SPEED, 30.0)
        part = t.UnitPart(t.UnitIndex(1), 0, False, t.Samples(16_000), 3_200, bytes(6_400))
        trip.unit(t.Samples(19_200), part, 7)
        trip.unit(t.Samples(30_000), t.UnitPart(t.UnitIndex(1), 4, True, t.Samples(28_800), 3_200, bytes(6_400)), 8)
        trip.ack(t.Samples(30_000), t.PlaybackAck(t.Epoch(1), t.UtteranceId(1), 5, t.PlaybackState.STARTED, t.Samples(29_000)))
        trip.model(t.Samples(21_000), {"what": "caption", "text": "private", "start": 8_000, "end": 12_000})
        trip.model(t.Samples(33_000), {"what": "caption", "text": "public", "start": 24_000, "end": 32_000})
        trip.clock(t.Samples(25_000), monotonic_ns=5, wall_ns=6)
    return path


def test_every_channel_is_cut_and_counts_from_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "cut.mcap"
    assert main(["trip", "trim", str(make(tmp_path / "a.mcap")), "--from", "1.25", "--to", "3.1", "-o", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "1.850 s" in shown and "1 expected outcomes kept" in shown
    assert [line.split()[1] for line in shown.splitlines() if "dropped:" in line] == ["early", "across", "tied"]
    trip = load_trip(out)
    assert np.array_equal(trip.microphone, SOUND[20_000:49_600])
    assert [(s.at, s.value) for s in trip.signals] == [(0, 20.0), (12_000, 30.0)]
    assert [(item.id, item.said.start_s, item.said.end_s) for item in trip.expected.expect] == [("inside", 0.25, 0.75)]
    assert trip.meta["start_utc_ns"] == 2_250_000_000 and trip.meta["trimmed"] == {"from_s": 1.25, "to_s": 3.1}
    with TripReader(out) as reader:
        records = list(reader.records())
    assert [(r.at, r.jpeg) for r in records if isinstance(r, CameraFrame)] == [(12_100, b"jpeg2"), (28_100, b"jpeg3")]
    assert sum(len(r.pcm16) for r in records if isinstance(r, SpeakerBlock)) == 2 * 44_400
    assert [(r.at, r.body.start, r.seq) for r in records if isinstance(r, SentMessage)] == [(10_000, 8_800, 8)]  # type: ignore[union-attr]
    assert [(r.at, r.ack.at) for r in records if isinstance(r, AckRecord)] == [(10_000, 9_000)]
    captions = [r for r in records if isinstance(r, TextEvent) and r.channel == "model"]
    assert [(r.at, r.values["text"], r.values["start"]) for r in captions] == [(13_000, "public", 4_000)]
    assert [r.at for r in records if isinstance(r, TextEvent) and r.channel == "clock"] == [5_000]


def test_the_whole_trip_is_the_same_trip(tmp_path: Path) -> None:
    source, out = make(tmp_path / "a.mcap"), tmp_path / "b.mcap"
    assert main(["trip", "trim", str(source), "-o", str(out)]) == 0
    with TripReader(source) as a, TripReader(out) as b:
        before, after = (
            [r for r in reader.records() if not (isinstance(r, TextEvent) and r.channel == "meta")] for reader in (a, b)
        )
    assert before == after and any(isinstance(r, MicBlock) for r in after) and any(isinstance(r, SignalSample) for r in after)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--from", "2", "--to", "2"], "must be at least 0 and lie before --to"),
        (["--from", "3", "--to", "1"], "must be at least 0 and lie before --to"),
        (["--from", "-1"], "must be at least 0"),
        (["--to", "99"], "beyond the end: the trip is 4.000 s long"),
        (["--from", "nan"], "must be"),
    ],
)
def test_stretches_that_cannot_be(options: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "b.mcap"
    assert main(["trip", "trim", str(make(tmp_path / "a.mcap")), *options, "-o", str(out)]) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["a.mcap"]


def test_places_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = make(tmp_path / "a.mcap"), tmp_path / "b.mcap"
    out.write_text("mine")
    assert main(["trip", "trim", str(source), "--to", "1", "-o", str(out)]) == 2
    assert "--force" in capsys.readouterr().err and out.read_text() == "mine"
    assert main(["trip", "trim", str(source), "--to", "1", "-o", str(out), "--force"]) == 0 and out.stat().st_size > 1_000
    assert main(["trip", "trim", str(source), "--to", "1", "-o", str(tmp_path / "no" / "b.mcap")]) == 2
    assert main(["trip", "trim", str(source), "--to", "1", "-o", str(tmp_path)]) == 2
    assert main(["trip", "trim", str(source), "--to", "2", "-o", str(source), "--force"]) == 0  # in place
    assert load_trip(source).duration_s == 2.0
    assert main(["trip", "trim", str(tmp_path / "none.mcap"), "-o", str(tmp_path / "c.mcap")]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_stretch_without_sound_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "a.mcap"
    with TripWriter(source, meta={}) as trip:
        trip.mic(t.Samples(0), bytes(32_000), 16_000)
        trip.vss(t.Samples(64_000), SPEED, 1.0)
    assert main(["trip", "trim", str(source), "--from", "2", "-o", str(tmp_path / "b.mcap")]) == 2
    assert "no sound" in capsys.readouterr().err and not (tmp_path / "b.mcap").exists()
