"""The session machine: what each rule of the wire does when it is broken, and the bounds of the send buffer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fake_link import HELLO, FakeLink

from ridealong.proto import types as t
from ridealong.proto.errors import LocalProtocolError
from ridealong.proto.send_buffer import RING_SAMPLES, WINDOW
from ridealong.proto.session import LIVENESS_MS, Peer, Role
from ridealong.proto.session_events import Abandon, Commit, Ended, Malformed, Received, Refused, Send, Transmit
from ridealong.proto.session_states import State
from ridealong.proto.v1 import conversation_pb2 as pb

pytestmark = pytest.mark.unit


def said(text: str) -> t.TextInput:
    return t.TextInput(t.Samples(0), text)


def note(text: str) -> t.Notice:
    return t.Notice("n", text)


def part(index: int, samples: int = 3_200) -> t.UnitPart:
    start = t.Samples(index * samples)
    return t.UnitPart(t.UnitIndex(index // 5), index % 5, index % 5 == 4, start, samples, microphone=t.MicrophoneState.LOST)


def opened() -> FakeLink:
    link = FakeLink()
    link.connect()
    link.settle()
    assert link.device.peer.state is link.cloud.peer.state is State.OPEN
    return link


def test_opening_negotiates_capabilities_and_version() -> None:
    link = opened()
    welcome = next(line for line in link.trace if "device opened" in line)
    assert "session_id='s1'" in welcome and "version=1" in welcome
    assert "capabilities=('audio/pcm16',)" in welcome  # the device also offered a camera, the cloud end knows none


def test_a_version_that_is_not_shared_is_refused_with_both_versions() -> None:
    link = FakeLink()
    link.device.peer.hello = replace(HELLO, version_min=7, version_max=9)
    link.connect()
    link.advance(100)
    assert link.device.peer.state is State.DOWN and link.cloud.peer.state is State.DOWN
    refused = [line for line in link.trace if "device refused" in line]
    assert len(refused) == 1 and "version_refused" in refused[0]
    effects = Peer(Role.ACCEPTOR, session_id="s", token="t").on  # the sentence itself
    from ridealong.proto.session_opening import refusal

    error = refusal(link.device.peer.hello)
    assert effects and error is not None and "7 to 9" in error.text and "1 to 1" in error.text


def test_ack_waits_for_commit() -> None:
    link = opened()
    link.cloud.commits = False
    link.send(link.device, said("a"))
    link.send(link.device, said("b"))
    link.advance(1_000)
    assert len(link.device.peer.buffer) == 2
    link.commit(link.cloud, t.Seq(2))  # out of order: the first is not durable yet
    link.advance(1_000)
    assert len(link.device.peer.buffer) == 2
    link.commit(link.cloud, t.Seq(1))
    link.advance(1_000)
    assert len(link.device.peer.buffer) == 0


def test_bare_acks_are_at_most_every_200_ms() -> None:
    link = opened()
    for _ in range(50):
        link.send(link.device, said("x"))
        link.advance(20)
    link.settle()
    acks = [line for line in link.trace if "cloud  send 0 -" in line]
    assert 4 <= len(acks) <= 7


def test_ack_of_something_never_sent_changes_nothing() -> None:
    link = opened()
    link.cloud.commits = False
    link.send(link.device, said("a"))
    link.advance(100)
    link.feed(link.device, Received(link.now_ms, t.Envelope(t.Seq(0), t.Seq(99))))
    assert link.device.peer.counters.bad_acks == 1
    assert link.device.peer.state is State.OPEN and len(link.device.peer.buffer) == 1
    link.feed(link.device, Received(link.now_ms, t.Envelope(t.Seq(1), t.Seq(99), note("still read"))))
    assert link.device.delivered == [note("still read")]


def test_a_gap_ends_the_link_and_the_session_goes_on() -> None:
    link = opened()
    link.send(link.device, said("a"))
    link.settle()
    link.feed(link.cloud, Received(link.now_ms, t.Envelope(t.Seq(5), t.Seq(0), said("future"))))
    assert link.cloud.peer.counters.gaps == 1 and not link.up
    link.connect()
    link.send(link.device, said("b"))
    link.settle()
    assert link.cloud.delivered == [said("a"), said("b")]


def test_one_bad_message_costs_itself() -> None:
    link = opened()
    bad = pb.Uplink(seq=1, unit_part=pb.UnitPart(rate=0, samples=4, pcm16=bytes(8), microphone=1))  # type: ignore[arg-type]
    link.device.peer.buffer.last_sent = 1
    link.inject(link.cloud, bad.SerializeToString())
    link.send(link.device, said("next"))
    link.settle()
    assert link.cloud.delivered == [said("next")]
    assert link.cloud.peer.counters.malformed == 1 and link.up
    (error,) = link.device.delivered
    assert isinstance(error, t.Error) and error.code == "bad_rate" and not error.fatal
    assert link.device.peer.buffer.confirmed == 2


def test_a_flood_of_bad_messages_gets_one_answer_a_second() -> None:
    link = opened()
    for seq in range(1, 201):
        link.feed(link.cloud, Malformed(link.now_ms, t.Seq(seq), t.Seq(0), "bad_rate", "x"))
        link.advance(10)
    answers = [body for body in link.device.delivered if isinstance(body, t.Error)]
    assert 1 <= len(answers) <= 3 and link.up and link.cloud.peer.counters.malformed == 200


def test_unknown_kinds_are_counted_and_acknowledged() -> None:
    link = opened()
    link.device.peer.buffer.last_sent = 1
    link.inject(link.cloud, pb.Uplink(seq=1).SerializeToString() + bytes([0xA2, 0x06, 0x00]))
    link.settle()
    assert link.cloud.peer.counters.bodiless == 1 and link.cloud.delivered == []
    assert link.device.peer.buffer.confirmed == 1


def test_body_without_a_number_and_noise_end_the_link() -> None:
    for message in (pb.Uplink(text_input=pb.TextInput(text="x")).SerializeToString(), b"\xff\xff\xff"):
        link = opened()
        link.inject(link.cloud, message)
        assert not link.up and link.cloud.peer.state is State.DOWN


def test_illegal_input_of_our_own_raises_and_changes_nothing() -> None:
    link = opened()
    before = link.device.peer.buffer.last_sent
    with pytest.raises(LocalProtocolError):
        link.send(link.device, replace(part(0), rate=0))
    with pytest.raises(LocalProtocolError):
        link.feed(link.device, Commit(0, t.Seq(7)))
    assert link.device.peer.buffer.last_sent == before and len(link.device.peer.buffer) == 0


def test_silence_is_a_dead_link_and_heartbeats_prevent_it() -> None:
    link = opened()
    link.advance(10 * LIVENESS_MS)
    assert link.up  # both ends had nothing to say, and said so
    link.cloud.peer.on(Abandon(link.now_ms, "gone"))  # the other end no longer answers
    link.advance(2 * LIVENESS_MS)
    assert link.device.peer.state is State.DOWN and "silent" in "".join(link.trace)


def test_close_is_durable_before_the_link_ends() -> None:
    link = opened()
    link.cloud.commits = False
    link.send(link.device, said("last words"))
    link.send(link.device, t.Close("done"))
    with pytest.raises(LocalProtocolError):
        link.send(link.device, said("too late"))
    link.advance(1_000)
    assert link.device.peer.state is State.OPEN
    link.commit_all()
    link.advance(1_000)
    assert link.device.peer.state is link.cloud.peer.state is State.CLOSED


def test_close_committed_while_the_link_is_down() -> None:
    link = opened()
    link.cloud.commits = False
    link.send(link.device, t.Close("done"))
    link.advance(50)
    link.cut()
    link.commit_all()
    assert link.cloud.peer.state is State.CLOSED
    link.cloud = link.new_cloud("s2", "token-2")  # the directory has forgotten the closed session
    link.connect()
    link.advance(100)
    assert link.device.peer.state is State.CLOSED


def test_a_lost_session_starts_over_with_what_was_not_acknowledged() -> None:
    link = opened()
    link.send(link.device, said("durable"))
    link.settle()
    link.cloud.commits = False
    link.send(link.device, said("taken, not durable"))
    link.advance(50)
    link.cut()
    link.send(link.device, said("offline"))
    link.cloud = link.new_cloud("s2", "token-2")
    link.connect()
    link.settle()
    assert link.cloud.delivered == [said("taken, not durable"), said("offline")]
    assert link.device.peer.session_id == "s2" and link.device.peer.counters.sessions_lost == 1


def test_a_resume_with_impossible_numbers_becomes_a_new_session() -> None:
    link = opened()
    link.cut()
    link.device.peer.receipts.received = 50  # it claims to have what was never sent
    link.connect()
    link.advance(100)
    assert any("device refused code='resume_refused'" in line for line in link.trace)
    assert link.device.peer.token == ""


def test_old_audio_is_dropped_first_and_leaves_no_gap() -> None:
    link = opened()
    link.cloud.commits = False
    for index in range(10):
        link.send(link.device, part(index))
    link.send(link.device, said("keep me"))
    link.cut()  # ten parts numbered, none of them arrived
    for index in range(10, 700):
        link.send(link.device, part(index))
    buffer = link.device.peer.buffer
    assert buffer.dropped == buffer.dropped_parts == 700 - RING_SAMPLES // 3_200
    link.cloud.commits = True
    link.connect()
    link.settle()
    parts = [body for body in link.cloud.delivered if isinstance(body, t.UnitPart)]
    assert len(parts) == 600 and parts[0].start == 100 * 3_200 and parts == sorted(parts, key=lambda body: body.start)
    assert said("keep me") in link.cloud.delivered
    assert link.cloud.peer.counters.bodiless == 10 and link.cloud.peer.counters.gaps == 0
    assert len(buffer) == 0


def test_the_waiting_queue_is_bounded_and_what_is_replaceable_goes_first() -> None:
    peer = Peer(Role.DIALLER, hello=HELLO)
    ack = t.PlaybackAck(t.Epoch(0), t.UtteranceId(0), 1, t.PlaybackState.PROGRESS, t.Samples(0))
    state = t.VehicleState(t.Samples(0), (t.SignalReading("Vehicle.Speed", 1.0),))
    for index in range(WINDOW):
        peer.on(Send(0, ack if index % 2 else state))
    for _ in range(WINDOW // 2):
        peer.on(Send(0, ack))
    assert len(peer.buffer) == WINDOW and peer.buffer.dropped == WINDOW // 2
    assert all(isinstance(body, t.PlaybackAck) for body in peer.buffer.waiting)


def test_the_window_is_bounded_and_moves_with_acks() -> None:
    link = opened()
    link.cloud.commits = False
    for index in range(WINDOW + 100):
        link.send(link.device, said(str(index)))
    link.advance(100)
    assert len(link.cloud.delivered) == WINDOW and link.up
    link.settle()
    assert len(link.cloud.delivered) == WINDOW + 100


def test_a_fatal_error_is_told_with_its_delay() -> None:
    peer = Peer(Role.DIALLER, hello=HELLO)
    from ridealong.proto.session_events import LinkUp

    assert isinstance(peer.on(LinkUp(0))[0], Transmit)
    busy = t.Envelope(t.Seq(0), t.Seq(0), t.Error("busy", "Full.", retry_after_ms=700, fatal=True))
    effects = peer.on(Received(1, busy))
    assert Refused("busy", "Full.", 700) in effects and peer.state is State.DOWN


def test_abandon_ends_from_any_state() -> None:
    for link in (FakeLink(), opened()):
        effects = link.cloud.peer.on(Abandon(0, "expired"))
        assert Ended("expired") in effects and link.cloud.peer.state is State.CLOSED
        assert link.cloud.peer.on(Abandon(0, "again")) == []


def test_what_becomes_durable_during_the_opening_is_acknowledged() -> None:
    link = opened()
    link.device.commits = False
    link.send(link.cloud, note("a"))
    link.advance(50)
    link.cut()
    link.connect()
    link.commit_all()  # after the Hello that still said 0
    link.advance(1_000)
    assert link.cloud.peer.buffer.confirmed == 1
