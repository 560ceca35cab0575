"""The recorder from the agent's events: frames put together, values once, whose change it was, acks, the speaker, a full disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ridealong.device.observing import AgentEvent, LinkChanged, Received, Rendered, Sent, SourceEnded
from ridealong.proto import types as t
from ridealong.proto.trip import TripReader, TripWriter
from ridealong.proto.trip_records import AckRecord, CameraFrame, MicBlock, SignalSample, SpeakerBlock, TextEvent
from ridealong.simulators.trip.recording import TripRecorder

pytestmark = pytest.mark.unit

FAN, SPEED = "Vehicle.Fan", "Vehicle.Speed"


class Scene:
    def __init__(self, path: Path) -> None:
        self.stops = 0
        self.recorder = TripRecorder(path, {"name": "x"}, self._stop, lambda: 10_000_000_000)

    def _stop(self) -> None:
        self.stops += 1

    def tell(self, at: int, item: Any) -> None:
        self.recorder(AgentEvent(t.Samples(at), item))

    def sent(self, at: int, body: t.UplinkBody) -> None:
        self.tell(at, Sent(body))


def state(at: int, **values: Any) -> t.VehicleState:
    paths = {"fan": FAN, "speed": SPEED}
    return t.VehicleState(t.Samples(at), tuple(t.SignalReading(paths[name], value, 100) for name, value in values.items()))


def test_what_the_agent_tells_is_in_the_trip(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    scene = Scene(path)
    at = t.Samples(3_200)
    gate = t.GateNote(True, t.GateReason.FIRST)
    scene.sent(3_200, t.UnitPart(t.UnitIndex(0), 0, False, t.Samples(0), 3_200, b"\x01\x00" * 3_000, gap_samples=200))
    scene.sent(6_400, t.UnitPart(t.UnitIndex(0), 1, False, at, 3_200, microphone=t.MicrophoneState.MUTED))
    for index, data in enumerate((b"ab", b"cd")):
        scene.sent(6_400, t.FrameFragment(t.FrameId(0), index, 2, data, t.UnitIndex(0), at, 8, 6, gate))
    scene.sent(6_400, t.FrameTombstone(t.FrameId(1), t.UnitIndex(0), at, "budget", gate))
    scene.sent(16_000, state(16_000, fan=1, speed=10.0))
    scene.sent(32_000, state(32_000, fan=1, speed=12.0))
    scene.tell(40_000, Received(t.Actuate("k", (t.SignalWrite(FAN, 3),), "climate", "heard")))
    scene.sent(48_000, state(48_000, fan=3, speed=None))
    scene.sent(48_000, t.PlaybackAck(t.Epoch(1), t.UtteranceId(1), 5, t.PlaybackState.STARTED, t.Samples(47_000)))
    scene.tell(48_000, Rendered(t.Samples(47_500), b"\x05\x00" * 480))
    scene.recorder.close()
    with TripReader(path) as reader:
        records = list(reader.records())
        assert reader.meta == {"name": "x", "start_utc_ns": 10_000_000_000 - 200_000_000}
    assert [(r.at, len(r.pcm16)) for r in records if isinstance(r, MicBlock)] == [(200, 6_000)]
    assert [(r.at, r.jpeg, r.width) for r in records if isinstance(r, CameraFrame)] == [(3_200, b"abcd", 8)]
    gates = [r.values for r in records if isinstance(r, TextEvent) and r.channel == "gate"]
    assert [(row["frame"], row["sent"], row["because"]) for row in gates] == [(0, True, ""), (1, False, "budget")]
    assert [(r.at, r.path, r.value, r.source) for r in records if isinstance(r, SignalSample)] == [
        (14_400, FAN, 1, ""), (14_400, SPEED, 10.0, ""), (30_400, SPEED, 12.0, ""), (46_400, FAN, 3, "car"), (46_400, SPEED, None, ""),
    ]  # fmt: skip
    assert [r.at for r in records if isinstance(r, AckRecord)] == [47_000]
    assert [(r.at, r.rate) for r in records if isinstance(r, SpeakerBlock)] == [(47_500, 24_000)]
    assert scene.recorder.frames == 1 and scene.recorder.signals == 5 and scene.recorder.duration_s == 0.4


def test_the_end_of_a_file_stops_only_without_a_node(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "a.mcap")
    scene.tell(0, LinkChanged("open"))
    scene.tell(1, SourceEnded())
    assert scene.stops == 0
    scene.tell(2, LinkChanged("offline"))
    scene.tell(3, SourceEnded())
    assert scene.stops == 1
    scene.recorder.close()


def test_a_full_disk_stops_it_once_and_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(tmp_path / "a.mcap")
    scene.tell(0, LinkChanged("offline"))

    def full(self: TripWriter, *rest: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(TripWriter, "mic", full)
    for start in (0, 3_200):
        scene.sent(start + 3_200, t.UnitPart(t.UnitIndex(0), 0, False, t.Samples(start), 3_200, bytes(6_400)))
    assert scene.stops == 1 and scene.recorder.failed == "No space left on device"
    scene.recorder.close()
