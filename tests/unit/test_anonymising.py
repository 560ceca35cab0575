"""Nothing of the people is left: the bytes of the file hold none of the words, places, ids or pictures that went in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ridealong.cli import main
from ridealong.proto import types as t
from ridealong.proto.trip import TripReader, TripWriter
from ridealong.proto.trip_records import AckRecord, CameraFrame, GpsFix, MicBlock, SentMessage, SignalSample, TextEvent
from ridealong.simulators.trip.loading import load_trip
from ridealong.simulators.trip.redacting import redacted

pytestmark = pytest.mark.unit

LATITUDE = "Vehicle.CurrentLocation.Latitude"
VIN = "Vehicle.VehicleIdentification.VIN"
SECRETS = ("SECRET", "秘密", "car-17", "WVW123", "anna", "street.mp4", "openaddress")
SOUND = (np.arange(16_000) % 30_000 + 1).astype("<i2").tobytes()
GATE = t.GateNote(True, t.GateReason.FIRST, 0.5)


def make(path: Path) -> Path:
    at = t.Samples(100)
    meta = {"name": "drive", "device": "car-17", "start_utc_ns": 1, "camera": {"fetched": "street.mp4"}, "note": "SECRET"}
    with TripWriter(path, meta=meta) as trip:
        trip.expected({
            "trip": "drive", "car": {"initial": {LATITUDE: 48.1}},
            "expect": [
                {"id": "a", "said": {"from": 0.1, "to": 0.5, "text": "SECRET 秘密", "by": "anna"}, "reply": {"contains_any": ["SECRET"], "heard": True}},
                {"id": "b", "said": {"from": 0.1, "to": 0.5, "by": "driver"}, "signal": {"path": LATITUDE, "value": 48.1}},
                {"id": "c", "said": {"from": 0.1, "to": 0.5}, "reply": {"after": "b"}, "silence": {"within_ms": 900}},
            ],
        })  # fmt: skip
        trip.mic(t.Samples(0), SOUND, 16_000)
        trip.speaker_heard(t.Samples(0), SOUND, 24_000)
        trip.camera(at, b"SECRET", 4, 4)
        trip.gps(GpsFix(at, 48.1, 11.5))
        trip.vss(at, "Vehicle.Speed", 50.0)
        trip.vss(at, "Vehicle.Powertrain.Transmission.Mode", "SPORT")
        trip.vss(at, LATITUDE, 48.1)
        trip.vss(at, VIN, "WVW123")
        trip.unit(at, t.UnitPart(t.UnitIndex(0), 0, False, t.Samples(0), 3_200, SOUND[:6_400]), 1)
        trip.unit(at, t.FrameFragment(t.FrameId(0), 0, 1, b"SECRET", t.UnitIndex(0), at, 4, 4, GATE), 2)
        trip.unit(at, t.TextInput(at, "SECRET"), 3)
        trip.unit(at, t.SpeakerHint(at, "anna", 0.9), 4)
        trip.unit(at, t.Location(at, 48.1, 11.5), 5)
        readings = (t.SignalReading("Vehicle.Speed", 50.0), t.SignalReading(VIN, "WVW123"))
        trip.unit(at, t.VehicleState(at, readings), 6)
        trip.unit(at, t.ActuationResult("k1", t.ActuationState.REFUSED, "moving SECRET", readings[1:], at), 7)
        trip.ack(at, t.PlaybackAck(t.Epoch(1), t.UtteranceId(1), 5, t.PlaybackState.STARTED, at))
        trip.gate(at, {"frame": 0, "keep": True, "reason": "first", "cost": 0.5})
        trip.model(at, {"what": "caption", "who": "user", "text": "SECRET 秘密", "start": 5, "end": 9, "final": True})
        trip.tool(at, {"what": "work", "request": "SECRET", "capability": "navigation.set", "execution": "running"})
        trip.tool(
            at,
            {"what": "actuate", "group": "climate", "writes": [["Vehicle.Cabin.Fan", 3], [LATITUDE, 48.1]], "to": "openaddress"},
        )
        trip.clock(at, monotonic_ns=1_000, wall_ns=1_790_000_000_000_000_000)
        trip.clock(t.Samples(200), monotonic_ns=1_500, wall_ns=1_790_000_000_000_000_700)
    return path


def test_nothing_of_the_people_is_left_and_the_rest_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = make(tmp_path / "a.mcap"), tmp_path / "b.mcap"
    assert all(secret.encode() in source.read_bytes() for secret in SECRETS)
    assert main(["trip", "anonymise", str(source), "-o", str(out)]) == 0
    data = out.read_bytes()
    assert not [secret for secret in SECRETS if secret.encode() in data]
    with TripReader(out) as reader:
        assert reader.meta == {"name": "drive", "anonymised": True}
        records, duration = list(reader.records()), reader.duration
    assert not [r for r in records if isinstance(r, CameraFrame | GpsFix)]
    assert [r.pcm16 for r in records if isinstance(r, MicBlock)] == [bytes(32_000)] and duration == 16_000
    assert [(r.path, r.value) for r in records if isinstance(r, SignalSample)] == [
        ("Vehicle.Speed", 50.0), ("Vehicle.Powertrain.Transmission.Mode", "SPORT"),
    ]  # fmt: skip
    sent = [r.body for r in records if isinstance(r, SentMessage)]
    assert [type(body).__name__ for body in sent] == ["UnitPart", "VehicleState", "ActuationResult"]
    assert isinstance(sent[0], t.UnitPart) and sent[0].pcm16 == bytes(6_400)
    assert len([r for r in records if isinstance(r, AckRecord)]) == 1
    events = {(r.channel, r.values.get("what")): r.values for r in records if isinstance(r, TextEvent)}
    assert events["gate", None] == {"frame": 0, "keep": True, "reason": "first", "cost": 0.5}
    assert events["model", "caption"] == {
        "what": "caption", "who": "user", "text": "(9 characters)", "start": 5, "end": 9, "final": True,
    }  # fmt: skip
    assert events["tool", "actuate"]["writes"] == [["Vehicle.Cabin.Fan", 3], [LATITUDE, "(removed)"]]
    assert events["clock", None] == {"monotonic_ns": 500, "wall_ns": 700}
    expected = load_trip(out).expected
    assert [item.id for item in expected.expect] == ["a", "c"] and not expected.car.initial
    shown = capsys.readouterr().out
    for words in ("1 pictures", "1 texts of expected outcomes", "GPS fixes", "seconds of sound", "the trip's device"):
        assert words in shown, shown
    assert "a voice is personal" not in shown


def test_a_kept_voice_is_said_to_be_personal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "b.mcap"
    assert main(["trip", "anonymise", str(make(tmp_path / "a.mcap")), "-o", str(out), "--sound", "keep"]) == 0
    assert "a voice is personal" in capsys.readouterr().out
    assert load_trip(out).microphone.astype("<i2").tobytes() == SOUND
    assert not [secret for secret in SECRETS if secret.encode() in out.read_bytes()]
    assert main(["trip", "anonymise", str(tmp_path / "a.mcap"), "-o", str(out)]) == 2
    assert "--force" in capsys.readouterr().err


def test_only_codes_survive_and_only_where_codes_belong() -> None:
    assert redacted({"what": "say", "text": "hello", "who": "Anna Smith", "reason": "", "new_key": "x", "n": 3, "ok": True}) == {
        "what": "say", "text": "(5 characters)", "who": "(10 characters)", "reason": "", "new_key": "(1 characters)", "n": 3, "ok": True,
    }  # fmt: skip
    assert redacted({"latitude": 48.1, "inner": [{"lon": 1.0}]}) == {"latitude": "(removed)", "inner": [{"lon": "(removed)"}]}
    assert redacted({"path": LATITUDE, "value": 48.1})["value"] == "(removed)"
    assert redacted({"path": "Vehicle.Gear", "value": "PARK"})["value"] == "PARK"
