"""What the speaker plays and what is acknowledged as heard."""

from __future__ import annotations

import numpy as np
import pytest
from sound_bench import BLOCK, SoundBench, chunk

from ridealong.device.playout import TRANSITIONS, SpeechChunk, State
from ridealong.device.speech_rate import SpeechRates, UnsupportedRate
from ridealong.proto.types import Epoch, PlaybackAck, PlaybackState, Samples, Speech, UtteranceId

pytestmark = pytest.mark.unit


def test_one_utterance_start_to_end() -> None:
    bench = SoundBench()
    bench.on(chunk(0, 1, 0, 4800))
    bench.on(chunk(0, 1, 1, 4800, last=True))
    bench.run(25)
    assert bench.trace() == "1:started 0 @0 | 1:progress 4800 @3200 | 1:progress 9600 @6400 | 1:finished 9600 @6400"
    assert np.count_nonzero(bench.sound[:9600] == 1000) == 9600
    assert not bench.sound[9600 + 120 :].any()
    assert bench.playout.state is State.IDLE


def test_short_first_chunk_waits_for_the_jitter_buffer_then_starts() -> None:
    bench = SoundBench()
    bench.on(chunk(0, 1, 0, 1200))
    bench.run(5)
    assert not bench.sound.any()
    bench.on(SpeechChunk(Epoch(0), UtteranceId(1), 1, False, np.full(2400, 7, np.int16), 3600))
    bench.run(1)
    assert bench.sound[-BLOCK] == 1000


def test_short_utterance_that_ends_starts_at_once() -> None:
    bench = SoundBench()
    bench.on(chunk(0, 1, 0, 600, last=True))
    bench.run(2)
    assert bench.trace() == "1:started 0 @0 | 1:finished 600 @400"


def test_lone_short_chunk_starts_after_300_ms() -> None:
    bench = SoundBench()
    bench.on(chunk(0, 1, 0, 1200))
    bench.run(17)
    assert bench.acks and bench.acks[0].at == 15 * 320


def test_underrun_inserts_silence_that_is_not_played_speech() -> None:
    bench = SoundBench()
    bench.on(chunk(0, 1, 0, 4800))
    bench.run(30)  # 600 ms wanted, 200 ms there
    assert bench.playout.underruns == 1 and bench.playout.underrun_frames == 20 * BLOCK
    assert max(ack.played_samples for ack in bench.acks) == 4800
    bench.on(chunk(0, 1, 1, 4800, last=True))
    bench.run(12)
    assert bench.acks[-1] == PlaybackAck(Epoch(0), UtteranceId(1), 9600, PlaybackState.FINISHED, Samples(6400 + 20 * 320))


def test_units_with_uneven_gaps_ack_exactly_what_was_rendered() -> None:
    bench = SoundBench()
    for number, gap_ms in enumerate((700, 1400, 900, 1600)):
        bench.on(chunk(0, 1, number, 24_000, last=number == 3))
        bench.run(gap_ms // 20)
    bench.run(120)
    assert bench.acks[-1].state is PlaybackState.FINISHED and bench.acks[-1].played_samples == 96_000
    assert bench.playout.played_frames == 96_000
    assert bench.playout.underruns == 1  # from 2.0 s to 2.1 s


def test_flush_ends_sound_within_5_ms_and_says_what_was_heard() -> None:
    bench = SoundBench()
    bench.on(chunk(3, 1, 0, 48_000))
    bench.on(chunk(3, 2, 0, 4_800, last=True))
    bench.run(10)
    bench.flush(3)
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
    bench = SoundBench()
    bench.on(chunk(7, 1, 0, 9_600))
    bench.run(3)
    bench.flush(7)
    for number in (1, 2, 3):
        bench.on(chunk(7, 1, number, 480))
    bench.on(chunk(8, 2, 0, 4_800, last=True, value=-500))
    bench.run(12)
    after = bench.sound[3 * BLOCK + 120 :]
    assert set(np.unique(after[: 4_800 - 120])) == {-500}
    assert bench.acks[-1].utterance == 2 and bench.acks[-1].state is PlaybackState.FINISHED


def test_missing_chunk_cuts_the_utterance_and_it_never_counts_as_finished() -> None:
    bench = SoundBench()
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
    bench = SoundBench()
    for number in range(70):
        bench.on(chunk(0, 1, number, 24_000))
    assert bench.playout.queued_frames == 60 * 24_000
    assert bench.playout.overflow_chunks == 1 and bench.playout.repeated_chunks == 9


def test_an_utterance_that_nobody_continues_does_not_block_the_next() -> None:
    bench = SoundBench()
    bench.on(chunk(0, 1, 0, 4_800))
    bench.on(chunk(0, 2, 0, 4_800, last=True))
    bench.run(300)
    assert bench.playout.abandoned == 1
    assert bench.acks[-1].utterance == 2 and bench.acks[-1].state is PlaybackState.FINISHED


def test_every_state_is_reached_in_the_table() -> None:
    assert {state for state, _ in TRANSITIONS} == set(State)
    assert set(TRANSITIONS.values()) == set(State)


def test_other_rates_are_resampled_statefully_and_acked_in_their_own_rate() -> None:
    rates, bench = SpeechRates(), SoundBench()
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
