"""The wire's conversion: every message survives it, every limit is checked both ways, the unknown is ignored."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from strategies import downlinks, uplinks

from ridealong.proto import types as t
from ridealong.proto.convert import (
    DOWNLINK_KINDS,
    UPLINK_KINDS,
    downlink_from_bytes,
    downlink_to_bytes,
    uplink_from_bytes,
    uplink_to_bytes,
)
from ridealong.proto.errors import LocalProtocolError, RemoteProtocolError
from ridealong.proto.v1 import conversation_pb2 as pb

pytestmark = pytest.mark.unit

PART = t.UnitPart(t.UnitIndex(0), 0, False, t.Samples(0), 2, b"\0\0\1\0")
GATE = t.GateNote(True, t.GateReason.FIRST)
FRAGMENT = t.FrameFragment(t.FrameId(0), 0, 1, b"x", t.UnitIndex(0), t.Samples(0), 448, 252, GATE)
SPEECH = t.Speech(t.Epoch(0), t.UtteranceId(0), 0, True, 24_000, b"\0\0")
ACTUATE = t.Actuate("k", (t.SignalWrite("Vehicle.A", 1),), "climate", "driver")


@settings(max_examples=300, deadline=None)
@given(uplinks)
def test_uplink_round_trip(envelope: t.Envelope) -> None:
    assert uplink_from_bytes(uplink_to_bytes(envelope)) == envelope


@settings(max_examples=300, deadline=None)
@given(downlinks)
def test_downlink_round_trip(envelope: t.Envelope) -> None:
    assert downlink_from_bytes(downlink_to_bytes(envelope)) == envelope


def test_bool_int_and_float_stay_apart() -> None:
    for value in (True, 1, 1.0, "1", False, 0, 0.0, ""):
        body = t.VehicleState(t.Samples(0), (t.SignalReading("Vehicle.A", value),))
        back = uplink_from_bytes(uplink_to_bytes(t.Envelope(t.Seq(1), t.Seq(0), body))).body
        assert isinstance(back, t.VehicleState)
        assert type(back.signals[0].value) is type(value) and back.signals[0].value == value


@pytest.mark.parametrize(("kinds", "wire"), [(UPLINK_KINDS, pb.Uplink), (DOWNLINK_KINDS, pb.Downlink)])
def test_types_and_schema_name_the_same_fields(kinds: dict[type, str], wire: type) -> None:
    oneof = wire.DESCRIPTOR.oneofs_by_name["body"]  # type: ignore[attr-defined]
    assert {field.name for field in oneof.fields} == set(kinds.values())
    for field in oneof.fields:
        cls = next(cls for cls, kind in kinds.items() if kind == field.name)
        assert {item.name for item in fields(cls)} == {item.name for item in field.message_type.fields}


BAD_UPLINK = {
    "unit_too_large": replace(PART, samples=100_000, pcm16=bytes(200_000)),
    "bad_rate": replace(PART, rate=0),
    "bad_length": replace(PART, samples=3),
    "fragment_too_large": replace(FRAGMENT, data=bytes(t.FRAGMENT_BYTES + 1)),
    "frame_too_large": replace(FRAGMENT, count=65),
    "bad_fragment": replace(FRAGMENT, index=1),
    "too_many_signals": t.VehicleState(t.Samples(0), (t.SignalReading("p", 1),) * (t.MAX_SIGNALS + 1)),
    "attachment_too_large": t.Attachment(t.Samples(0), "a", "image/png", bytes(t.MAX_ATTACHMENT_BYTES + 1)),
    "text_too_long": t.TextInput(t.Samples(0), "x" * (t.MAX_TEXT_CHARS + 1)),
    "bad_location": t.Location(t.Samples(0), 91.0, 0.0),
    "not_a_number": t.VehicleState(t.Samples(0), (t.SignalReading("p", float("nan")),)),
}
BAD_DOWNLINK = {
    "speech_too_large": replace(SPEECH, pcm16=bytes(t.MAX_PCM_BYTES + 2)),
    "bad_rate": replace(SPEECH, rate=0),
    "bad_length": replace(SPEECH, pcm16=b"\0"),
    "too_many_words": replace(SPEECH, words=(t.WordTime("a", 0, 1),) * (t.MAX_WORDS + 1)),
    "too_many_writes": replace(ACTUATE, writes=ACTUATE.writes * 17),
    "bad_ttl": replace(ACTUATE, ttl_ms=t.MAX_TTL_MS + 1),
    "no_key": replace(ACTUATE, key=""),
    "bad_precondition": replace(ACTUATE, preconditions=(t.Precondition("p"),)),
    "text_too_long": t.Caption("user", "x" * (t.MAX_TEXT_CHARS + 1), True, t.Samples(0), t.Samples(0)),
}


@pytest.mark.parametrize(("code", "body"), BAD_UPLINK.items(), ids=BAD_UPLINK)
def test_uplink_limits_both_ways(code: str, body: t.UplinkBody, monkeypatch: pytest.MonkeyPatch) -> None:
    envelope = t.Envelope(t.Seq(7), t.Seq(3), body)
    with pytest.raises(LocalProtocolError) as ours:
        uplink_to_bytes(envelope)
    assert ours.value.code == code
    with monkeypatch.context() as careless:
        careless.setattr("ridealong.proto.convert.fault", lambda body: None)
        message = uplink_to_bytes(envelope)
    with pytest.raises(RemoteProtocolError) as theirs:
        uplink_from_bytes(message)
    assert (theirs.value.code, theirs.value.seq, theirs.value.acked) == (code, 7, 3)


@pytest.mark.parametrize(("code", "body"), BAD_DOWNLINK.items(), ids=BAD_DOWNLINK)
def test_downlink_limits_both_ways(code: str, body: t.DownlinkBody, monkeypatch: pytest.MonkeyPatch) -> None:
    envelope = t.Envelope(t.Seq(7), t.Seq(3), body)
    with pytest.raises(LocalProtocolError) as ours:
        downlink_to_bytes(envelope)
    assert ours.value.code == code
    with monkeypatch.context() as careless:
        careless.setattr("ridealong.proto.convert.fault", lambda body: None)
        message = downlink_to_bytes(envelope)
    with pytest.raises(RemoteProtocolError) as theirs:
        downlink_from_bytes(message)
    assert (theirs.value.code, theirs.value.seq) == (code, 7)


def test_large_values_inside_one_message_are_refused_together() -> None:
    signals = (t.SignalReading("p" * 250, "水" * 250),) * t.MAX_SIGNALS
    with pytest.raises(LocalProtocolError) as error:
        uplink_to_bytes(t.Envelope(t.Seq(1), t.Seq(0), t.VehicleState(t.Samples(0), signals)))
    assert error.value.code == "message_too_large"


def test_unknown_kind_keeps_its_numbers() -> None:
    later_version = pb.Uplink(seq=9, acked=4).SerializeToString() + bytes([0xA2, 0x06, 0x02, 0x08, 0x01])  # field 100
    assert uplink_from_bytes(later_version) == t.Envelope(t.Seq(9), t.Seq(4), None)


def test_unknown_enum_values() -> None:
    def read(**body: object) -> object:
        return uplink_from_bytes(pb.Uplink(seq=1, **body).SerializeToString()).body  # type: ignore[arg-type]

    silent = read(unit_part=pb.UnitPart(rate=16_000, samples=10, microphone=99))  # type: ignore[arg-type]
    assert isinstance(silent, t.UnitPart) and silent.microphone is t.MicrophoneState.LOST
    ack = read(playback_ack=pb.PlaybackAck(played_samples=5, state=77))  # type: ignore[arg-type]
    assert isinstance(ack, t.PlaybackAck) and ack.state is t.PlaybackState.PROGRESS
    assert read(actuation_result=pb.ActuationResult(key="k", state=50)) is None  # type: ignore[arg-type]
    assert read(input=pb.Input(kind=50)) is None  # type: ignore[arg-type]


def test_a_condition_that_is_not_understood_is_never_dropped() -> None:
    wire = pb.Downlink(seq=2)
    wire.actuate.CopyFrom(pb.Actuate(key="k", ttl_ms=100, writes=[pb.SignalWrite(path="p", value=pb.SignalValue(integer=1))]))
    condition = wire.actuate.preconditions.add(path="Vehicle.Speed", equals=pb.SignalValue(integer=0))
    condition.at_most.SetInParent()
    with pytest.raises(RemoteProtocolError) as error:
        downlink_from_bytes(wire.SerializeToString())
    assert error.value.code == "unknown_value"


def test_noise_is_undecodable() -> None:
    with pytest.raises(RemoteProtocolError) as error:
        uplink_from_bytes(b"\xff\xff\xff\xff")
    assert error.value.code == "undecodable"


def test_wrong_direction_is_our_own_error() -> None:
    with pytest.raises(LocalProtocolError) as error:
        uplink_to_bytes(t.Envelope(t.Seq(1), t.Seq(0), SPEECH))
    assert error.value.code == "wrong_direction"
