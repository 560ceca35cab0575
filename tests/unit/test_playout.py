"""What the speaker plays and what is acknowledged as heard."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.device.playout import (
    TRANSITIONS,
    Ack,
    Duck,
    FlushUpTo,
    Hold,
    Playout,
    Pull,
    Release,
    Render,
    SpeechChunk,
    State,
    Unduck,
)
from ridealong.device.speech_rate import SpeechRates, UnsupportedRate
from ridealong.proto.types import Epoch, PlaybackAck, PlaybackState, Samples, Speech, UtteranceId

pytestmark = pytest.mark.unit

BLOCK = 480


def chunk(
    epoch: int, utterance: int, number: int, frames: int, *, last: bool = False, value: int = 1000, end: int | None = None
) -> SpeechChunk:
    pcm = np.full(frames, value, np.int16)
    total = end if end is not None else (number + 1) * frames
    return SpeechChunk(Epoch(epoch), UtteranceId(utterance), number, last, pcm, total)


class Bench:
    """Pulls 20 ms blocks and keeps what came out."""

    def __init__(self) -> None:
        self.playout = Playout()
        self.slot = 0
        self.sound = np.zeros(0, np.int16)
        self.acks: list[PlaybackAck] = []

    @property
    def at(self) -> Samples:
        return Samples(self.slot * 320)

    def on(self, event: object) -> None:
        for effect in self.playout.on(event):  # type: ignore[arg-type]
            match effect:
                case Render(pcm16=pcm16):
                    self.sound = np.concatenate([self.sound, np.frombuffer(pcm16, "<i2")])
                case Ack(ack=ack):
                    self.acks.append(ack)

    def run(self, blocks: int) -> None:
        for _ in range(blocks):
            self.on(Pull(self.at, BLOCK))
            self.slot += 1

    def trace(self) -> str:
        return " | ".join(f"{ack.utterance}:{ack.state.value} {ack.played_samples} @{ack.at}" for ack in self.acks)


def test_one_utterance_start_to_end() -> None:
    bench = Bench()
    bench.on(chunk(0, 1, 0, 4800))
    bench.on(chunk(0, 1, 1, 4800, last=True))
    bench.run(25)
    assert bench.trace() == "1:started 0 @0 | 1:progress 4800 @3200 | 1:progress 9600 @6400 | 1:finished 9600 @6400"
    assert np.count_nonzero(bench.sound[:9600] == 1000) == 9600
    assert not bench.sound[9600 + 120 :].any()
    assert bench.playout.state is State.IDLE


def test_short_first_chunk_waits_for_the_jitter_buffer_then_starts() -> None:
    bench = Bench()
    bench.on(chunk(0, 1, 0, 1200))
    bench.run(5)
    assert not bench.sound.any()
    bench.on(SpeechChunk(Epoch(0), UtteranceId(1), 1, False, np.full(2400, 7, np.int16), 3600))
    bench.run(1)
    assert bench.sound[-BLOCK] == 1000


def test_short_utterance_that_ends_starts_at_once() -> None:
    bench = Bench()
    bench.on(chunk(0, 1, 0, 600, last=True))
    bench.run(2)
    assert bench.trace() == "1:started 0 @0 | 1:finished 600 @400"


def test_lone_short_chunk_starts_after_300_ms() -> None:
    bench = Bench()
    bench.on(chunk(0, 1, 0, 1200))
    bench.run(17)
    assert bench.acks and bench.acks[0].at == 15 * 320


def test_underrun_inserts_silence_that_is_not_played_speech() -> None:
    bench = Bench()
    bench.on(chunk(0, 1, 0, 4800))
    bench.run(30)  # 600 ms wanted, 200 ms there
    assert bench.playout.underruns == 1 and bench.playout.underrun_frames == 20 * BLOCK
    assert max(ack.played_samples for ack in bench.acks) == 4800
    bench.on(chunk(0, 1, 1, 4800, last=True))
    bench.run(12)
    assert bench.acks[-1] == PlaybackAck(Epoch(0), UtteranceId(1), 9600, PlaybackState.FINISHED, Samples(6400 + 20 * 320))


def test_units_with_uneven_gaps_ack_exactly_what_was_rendered() -> None:
    bench = Bench()
    for number, gap_ms in enumerate((700, 1400, 900, 1600)):
        bench.on(chunk(0, 1, number, 24_000, last=number == 3))
        bench.run(gap_ms // 20)
    bench.run(120)
    assert bench.acks[-1].state is PlaybackState.FINISHED and bench.acks[-1].played_samples == 96_000
    assert bench.playout.played_frames == 96_000
    assert bench.playout.underruns == 1  # from 2.0 s to 2.1 s


def test_flush_ends_sound_within_5_ms_and_says_what_was_heard() -> None:
    bench = Bench()
    bench.on(chunk(3, 1, 0, 48_000))
    bench.on(chunk(3, 2, 0, 4_800, last=True))
    bench.run(10)
    bench.on(FlushUpTo(Epoch(3), bench.at))
    bench.run(10)
    assert bench.trace().endswith("1:flushed 4800 @3200 | 2:flushed 0 @3200")
    tail = bench.sound[4800:]
    assert not tail[120:].any()
    assert abs(int(tail[0]) - 1000) < 20  # decays: no click
    bench.on(chunk(3, 1, 1, 48_000))
    bench.on(chunk(3, 9, 0, 48_000))  # was on its way: dead, and nobody heard it
    bench.run(5)
    assert not bench.sound[4800 + 120 :].any()
    assert bench.playout.dead_chunks == 2
    assert bench.trace().endswith("9:flushed 0 @6080")


def test_old_epoch_after_flush_is_silent_and_the_new_one_plays() -> None:
    bench = Bench()
    bench.on(chunk(7, 1, 0, 9_600))
    bench.run(3)
    bench.on(FlushUpTo(Epoch(7), bench.at))
    for number in (1, 2, 3):
        bench.on(chunk(7, 1, number, 480))
    bench.on(chunk(8, 2, 0, 4_800, last=True, value=-500))
    bench.run(12)
    after = bench.sound[3 * BLOCK + 120 :]
    assert set(np.unique(after[: 4_800 - 120])) == {-500}
    assert bench.acks[-1].utterance == 2 and bench.acks[-1].state is PlaybackState.FINISHED


def test_duck_ramps_over_10_ms_and_back() -> None:
    bench = Bench()
    bench.on(chunk(0, 1, 0, 48_000, value=10_000))
    bench.run(2)
    bench.on(Duck(-18.0))
    bench.run(2)
    bench.on(Unduck())
    bench.run(2)
    ducked = bench.sound[2 * BLOCK : 4 * BLOCK].astype(int)
    assert ducked[-1] == round(10_000 * 10 ** (-18 / 20))
    assert ducked[240] == ducked[-1] and np.all(np.diff(ducked[:240]) < 0)
    assert np.abs(np.diff(bench.sound.astype(int))).max() < 60
    assert bench.sound[-1] == 10_000


def test_hold_pauses_at_an_exact_sample_and_is_bounded() -> None:
    bench = Bench()
    pcm = np.arange(1, 14_401).astype(np.int16)
    bench.on(SpeechChunk(Epoch(0), UtteranceId(1), 0, True, pcm, len(pcm)))
    bench.run(5)
    bench.on(Hold())
    bench.run(10)
    assert not bench.sound[5 * BLOCK + 120 :].any()
    bench.on(Release())
    bench.run(3)
    assert bench.sound[15 * BLOCK + 200] == 5 * BLOCK + 201
    bench.on(Hold())
    bench.run(101)
    assert bench.playout.state is not State.HELD
    bench.run(30)
    assert bench.acks[-1].state is PlaybackState.FINISHED and bench.acks[-1].played_samples == 14_400


def test_missing_chunk_cuts_the_utterance_and_it_never_counts_as_finished() -> None:
    bench = Bench()
    bench.on(chunk(0, 1, 0, 4_800))
    bench.on(chunk(0, 1, 2, 4_800, last=True))
    bench.on(chunk(0, 2, 0, 2_400, last=True))
    bench.run(20)
    assert [
        (ack.utterance, ack.state.value, ack.played_samples) for ack in bench.acks if ack.state.value in ("finished", "flushed")
    ] == [
        (1, "flushed", 4_800),
        (2, "finished", 2_400),
    ]
    assert bench.playout.missing_chunks == 1


def test_queue_is_bounded_at_60_s() -> None:
    bench = Bench()
    for number in range(70):
        bench.on(chunk(0, 1, number, 24_000))
    assert bench.playout.queued_frames == 60 * 24_000
    assert bench.playout.overflow_chunks == 1 and bench.playout.repeated_chunks == 9


def test_an_utterance_that_nobody_continues_does_not_block_the_next() -> None:
    bench = Bench()
    bench.on(chunk(0, 1, 0, 4_800))
    bench.on(chunk(0, 2, 0, 4_800, last=True))
    bench.run(300)
    assert bench.playout.abandoned == 1
    assert bench.acks[-1].utterance == 2 and bench.acks[-1].state is PlaybackState.FINISHED


def test_every_state_is_reached_in_the_table() -> None:
    assert {state for state, _ in TRANSITIONS} == set(State)
    assert set(TRANSITIONS.values()) == set(State)


def test_other_rates_are_resampled_statefully_and_acked_in_their_own_rate() -> None:
    rates, bench = SpeechRates(), Bench()
    tone = (8_000 * np.sin(2 * np.pi * 440 * np.arange(22_050) / 22_050)).astype("<i2")
    for number in range(50):
        piece = tone[number * 441 : (number + 1) * 441]
        bench.on(
            rates.convert(Speech(Epoch(0), UtteranceId(1), number, number == 49, 22_050, piece.tobytes(), offset=number * 441))
        )
    bench.run(60)
    assert bench.acks[-1].played_samples == 22_050 and bench.acks[-1].state is PlaybackState.FINISHED
    assert bench.playout.played_frames == pytest.approx(24_000, abs=2)
    spectrum = np.abs(np.fft.rfft(bench.sound[:24_000].astype(float)))
    assert np.argmax(spectrum) == 440
    played = [ack.played_samples for ack in bench.acks]
    assert played == sorted(played)


@pytest.mark.parametrize("rate", [0, 4_000, 96_000])
def test_an_impossible_rate_is_refused(rate: int) -> None:
    with pytest.raises(UnsupportedRate):
        SpeechRates().convert(Speech(Epoch(0), UtteranceId(1), 0, True, rate, b"\0\0"))


def test_a_rate_that_changes_within_an_utterance_is_refused() -> None:
    rates = SpeechRates()
    rates.convert(Speech(Epoch(0), UtteranceId(1), 0, False, 24_000, b"\0\0"))
    with pytest.raises(UnsupportedRate):
        rates.convert(Speech(Epoch(0), UtteranceId(1), 1, False, 22_050, b"\0\0"))


LENGTHS = (3_000, 0, 500, 6_000, 100)
EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just("chunk"), st.integers(0, 5), st.integers(0, 3), st.integers(0, 4), st.booleans()),
        st.tuples(st.just("flush"), st.integers(0, 5)),
        st.tuples(st.just("pull"), st.integers(1, 20)),
        st.sampled_from([("duck",), ("unduck",), ("hold",), ("release",)]),
    ),
    max_size=60,
)


@settings(max_examples=120, deadline=None)
@given(EVENTS)
def test_nothing_stale_sounds_and_acks_are_honest_in_any_order(events: list[tuple[int, ...]]) -> None:
    """Each epoch's samples carry its own value (gain stays 1 without duck), so that every rendered sample tells its epoch."""
    bench = Bench()
    flushed = -1
    received: dict[tuple[int, int], int] = {}
    ducked = any(event[0] == "duck" for event in events)
    for event in events:
        before = len(bench.sound)
        match event:
            case ("chunk", epoch, utterance, number, last):
                end = sum(LENGTHS[: number + 1])
                bench.on(chunk(epoch, utterance, number, LENGTHS[number], last=bool(last), value=1_000 * (epoch + 1), end=end))
                received[epoch, utterance] = max(received.get((epoch, utterance), 0), end)
            case ("flush", epoch):
                flushed = max(flushed, epoch)
                bench.on(FlushUpTo(Epoch(epoch), bench.at))
            case ("pull", blocks):
                bench.run(blocks)
                if not ducked:
                    new = bench.sound[before:]
                    for dead in range(flushed + 1):  # a dead value may only appear inside the 5 ms decay of a later, louder sound
                        runs = np.flatnonzero(new == 1_000 * (dead + 1))
                        assert len(runs) == 0 or np.diff(runs).min(initial=99) > 1
            case ("duck",):
                bench.on(Duck())
            case ("unduck",):
                bench.on(Unduck())
            case ("hold",):
                bench.on(Hold())
            case ("release",):
                bench.on(Release())
    bench.run(20)
    ends: set[tuple[int, int]] = set()
    latest: dict[tuple[int, int], PlaybackAck] = {}
    for ack in bench.acks:
        key = (ack.epoch, ack.utterance)
        assert key not in ends, "an ack after the end"
        if key in latest:
            assert ack.played_samples >= latest[key].played_samples
            assert ack.at >= latest[key].at
        assert ack.played_samples <= received[key]
        latest[key] = ack
        if ack.state in (PlaybackState.FINISHED, PlaybackState.FLUSHED):
            ends.add(key)
    assert bench.playout.played_frames <= sum(received.values())
