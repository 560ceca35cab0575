"""Every frame gets an id and exactly one fate."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.device.uplink_buffer import Encode, Encoded, EncodeFailed, Event, Judged, LinkPoor, Send, UplinkBuffer
from ridealong.proto.types import (
    FRAGMENT_BYTES,
    MAX_FRAME_BYTES,
    FrameFragment,
    FrameId,
    FrameTombstone,
    GateNote,
    GateReason,
    Samples,
)

pytestmark = pytest.mark.unit

KEEP, DROP = GateNote(True, GateReason.CHANGED, 0.05), GateNote(False, GateReason.SIMILAR)


def sent(buffer: UplinkBuffer, event: Event) -> list[FrameFragment | FrameTombstone]:
    return [effect.body for effect in buffer.on(event) if isinstance(effect, Send)]


def test_a_frame_goes_out_in_fragments_of_at_most_8_kib() -> None:
    buffer = UplinkBuffer()
    assert buffer.on(Judged(Samples(40_000), DROP)) == [Encode(FrameId(0))]
    jpeg = bytes(range(256)) * 80
    fragments = sent(buffer, Encoded(FrameId(0), jpeg, 448, 252))
    assert all(isinstance(body, FrameFragment) and len(body.data) <= FRAGMENT_BYTES for body in fragments)
    assert b"".join(body.data for body in fragments if isinstance(body, FrameFragment)) == jpeg
    assert [(body.index, body.count, body.unit) for body in fragments if isinstance(body, FrameFragment)] == [
        (k, 3, 2) for k in range(3)
    ]
    assert (buffer.counters.sent, buffer.counters.archived, buffer.counters.bytes) == (1, 0, len(jpeg))


def test_byte_saving_leaves_a_tombstone_for_what_the_gate_dropped() -> None:
    buffer = UplinkBuffer(save_bytes=True)
    (stone,) = sent(buffer, Judged(Samples(0), DROP))
    assert isinstance(stone, FrameTombstone) and (stone.frame, stone.reason, stone.gate) == (0, "byte_saving", DROP)
    assert buffer.on(Judged(Samples(16_000), KEEP)) == [Encode(FrameId(1))]
    sent(buffer, Encoded(FrameId(1), b"x" * 10, 4, 4))
    counters = buffer.counters
    assert (counters.kept, counters.sent, counters.archived, counters.tombstoned) == (1, 1, 1, 1)


def test_the_budget_is_a_rolling_minute() -> None:
    buffer, fates = UplinkBuffer(bytes_per_min=25_000), []
    for second in range(125):
        (encode,) = buffer.on(Judged(Samples(16_000 * second), KEEP))
        assert isinstance(encode, Encode)
        bodies = sent(buffer, Encoded(encode.frame, b"x" * 10_000, 4, 4))
        fates.append("sent" if isinstance(bodies[0], FrameFragment) else bodies[0].reason)
    assert [k for k, fate in enumerate(fates) if fate == "sent"] == [0, 1, 60, 61, 120, 121]
    assert set(fates) == {"sent", "budget"}


def test_frames_that_the_gate_did_not_keep_never_cost_one_that_it_did() -> None:
    buffer, fates = UplinkBuffer(bytes_per_min=40_000), []
    for second in range(8):
        (encode,) = buffer.on(Judged(Samples(16_000 * second), KEEP if second >= 6 else DROP))
        assert isinstance(encode, Encode)
        bodies = sent(buffer, Encoded(encode.frame, b"x" * 10_000, 4, 4))
        fates.append("sent" if isinstance(bodies[0], FrameFragment) else "budget")
    assert fates == ["sent"] * 2 + ["budget"] * 4 + ["sent"] * 2


@pytest.mark.parametrize("setting", [True, False])
def test_a_poor_link_saves_bytes_and_a_good_one_gives_the_setting_back(setting: bool) -> None:
    buffer, fates = UplinkBuffer(save_bytes=setting), []
    for second, poor in enumerate([None, True, None, False, None]):
        if poor is not None:
            assert buffer.on(LinkPoor(poor)) == []
        (effect,) = buffer.on(Judged(Samples(16_000 * second), DROP))
        fates.append(isinstance(effect, Encode))
        if isinstance(effect, Encode):
            buffer.on(EncodeFailed(effect.frame))
    assert fates == [not setting, False, False, not setting, not setting]


@pytest.mark.parametrize("size", [1, FRAGMENT_BYTES, FRAGMENT_BYTES + 1, MAX_FRAME_BYTES])
def test_sizes_at_the_bounds_go_out_and_one_byte_more_does_not(size: int) -> None:
    buffer = UplinkBuffer()
    for extra, reason in ((0, None), (MAX_FRAME_BYTES + 1 - size, "too_large")):
        (encode,) = buffer.on(Judged(Samples(0), KEEP))
        assert isinstance(encode, Encode)
        bodies = sent(buffer, Encoded(encode.frame, b"x" * (size + extra), 4, 4))
        if reason:
            assert [body.reason for body in bodies if isinstance(body, FrameTombstone)] == [reason] and len(bodies) == 1
        else:
            assert len(bodies) == -(-size // FRAGMENT_BYTES)
            assert sum(len(body.data) for body in bodies if isinstance(body, FrameFragment)) == size


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from(["keep", "drop", "done", "fail", "big", "save", "spend"]), max_size=80))
def test_ids_are_contiguous_and_every_frame_has_one_fate(words: list[str]) -> None:
    buffer, waiting, fates, at = UplinkBuffer(), [], {}, 0
    for word in [*words, *["done"] * 10]:
        effects = []
        match word:
            case "keep" | "drop":
                at += 16_000
                effects = buffer.on(Judged(Samples(at), KEEP if word == "keep" else DROP))
            case "done" | "fail" | "big" if waiting:
                frame = waiting.pop(0)
                size = 600_000 if word == "big" else 9_000
                effects = buffer.on(EncodeFailed(frame) if word == "fail" else Encoded(frame, b"x" * size, 4, 4))
            case "save" | "spend":
                effects = buffer.on(LinkPoor(word == "save"))
        for effect in effects:
            match effect:
                case Encode(frame=frame):
                    waiting.append(frame)
                case Send(body=FrameFragment(frame=frame, index=index)):
                    assert (frame in fates) == (index > 0)
                    fates[frame] = "sent"
                case Send(body=FrameTombstone(frame=frame)):
                    assert frame not in fates
                    fates[frame] = "stone"
    assert sorted(fates) == list(range(buffer.newest + 1))
    assert buffer.counters.sent + buffer.counters.tombstoned == len(fates)
