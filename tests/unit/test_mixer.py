"""The last stage before the sound device: gain, hold and flush on what is already queued."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sound_bench import BLOCK, SoundBench, chunk

from ridealong.device.mixer import Duck, FlushUpTo, Hold, Mixer, Queue, Release, Take, Unduck
from ridealong.device.playout import Silence, Spoken
from ridealong.device.speech_rate import SpeechRates
from ridealong.proto.types import Epoch, PlaybackState, Speech, UtteranceId

pytestmark = pytest.mark.unit


def test_duck_ramps_over_5_ms_and_back_on_what_is_queued() -> None:
    bench = SoundBench(1_920)
    bench.on(chunk(0, 1, 0, 48_000, value=10_000))
    bench.run(6)  # four blocks of cushion, then two of speech; as much speech waits
    bench.on(Duck(-18.0))
    bench.run(2)
    bench.on(Unduck())
    bench.run(2)
    sound = bench.sound[4 * BLOCK :].astype(int)
    ducked = sound[2 * BLOCK : 4 * BLOCK]
    assert ducked[-1] == round(10_000 * 10 ** (-18 / 20))
    assert ducked[120] == ducked[-1] and np.all(np.diff(ducked[:120]) < 0)
    assert np.abs(np.diff(sound)).max() < 90
    assert sound[-1] == 10_000


def test_a_hold_stops_before_the_next_sample_and_a_release_goes_on_with_it() -> None:
    bench = SoundBench(480)
    pcm = np.arange(1, 14_401).astype(np.int16)
    bench.on(chunk(0, 1, 0, 0, last=True, end=14_400, pcm16=pcm))
    bench.run(6)
    bench.on(Hold())
    bench.take(77)
    bench.run(10)
    began = 6 * BLOCK
    assert not bench.sound[began + 120 :].any() and bench.heard(0, 1) == [(0, 5 * BLOCK)]
    bench.on(Release())
    released = bench.frames
    bench.run(30)
    assert bench.heard(0, 1) == [(0, 14_400)] and bench.acks[-1].state is PlaybackState.FINISHED
    assert np.array_equal(bench.sound[released + 120 : released + 1_000], pcm[5 * BLOCK + 120 : 5 * BLOCK + 1_000])


def test_a_release_is_at_full_level_at_once() -> None:
    bench = SoundBench()
    bench.on(chunk(0, 1, 0, 48_000, value=10_000))
    bench.run(2)
    bench.on(Duck(-18.0))
    bench.run(2)
    bench.on(Hold())
    bench.run(2)
    bench.on(Release())
    bench.on(Unduck())
    bench.run(1)
    assert np.all(bench.sound[6 * BLOCK + 120 :] == 10_000)  # after the fade-in of 5 ms


def test_a_hold_that_nobody_releases_ends_after_5_s() -> None:
    bench = SoundBench(BLOCK)
    bench.on(chunk(0, 1, 0, 4_800, last=True))
    bench.run(2)
    bench.on(Hold())
    bench.run(251)
    assert not bench.mixer.held and bench.mixer.holds_expired == 1
    bench.run(20)
    assert bench.heard(0, 1) == [(0, 4_800)] and bench.acks[-1].state is PlaybackState.FINISHED
    assert bench.spans[1][0] == 2 * BLOCK + 120_000


def test_a_flush_leaves_silence_in_its_place_so_that_what_follows_keeps_its_time() -> None:
    mixer = Mixer()
    old = Spoken(Epoch(1), UtteranceId(1), 0, np.full(960, 5_000, np.int16))
    new = Spoken(Epoch(2), UtteranceId(2), 0, np.full(480, -4_000, np.int16))
    mixer.on(Queue((old, Silence(240), new)))
    mixer.on(Take(480))
    mixer.on(FlushUpTo(Epoch(1)))
    (mixed,) = mixer.on(Take(1_200))
    assert [(span.epoch, span.first, span.offset, span.frames) for span in mixed.spans] == [(2, 0, 720, 480)]
    assert not mixed.pcm16[120:720].any() and np.all(mixed.pcm16[720:] == -4_000)
    assert np.all(np.diff(mixed.pcm16[:120].astype(int)) <= 0)  # decays: no click


def test_what_was_dropped_or_held_back_was_not_heard() -> None:
    bench = SoundBench(2_400)  # 100 ms between playout and the device
    bench.on(chunk(1, 1, 0, 24_000))
    bench.run(15)  # 200 ms heard, 100 ms queued
    bench.on(Hold())
    bench.run(5)
    bench.flush(1)
    assert bench.heard(1, 1) == [(0, 4_800)]
    assert (bench.acks[-1].state, bench.acks[-1].played_samples) == (PlaybackState.FLUSHED, 4_800)


def test_a_queue_that_ran_dry_is_as_long_again() -> None:
    bench = SoundBench(1_920)
    bench.on(chunk(1, 1, 0, 4_800))
    bench.run(20)
    for _ in range(10):
        bench.take()  # the agent is late
    assert bench.mixer.dry == 1
    bench.on(chunk(1, 1, 1, 4_800, last=True))
    began = bench.frames
    bench.run(30)
    assert bench.spans[-10][0] - began == 1_920 and bench.heard(1, 1) == [(0, 9_600)]


CHANGES = st.sampled_from(
    [Duck(-6.0), Duck(-18.0), Unduck(), Hold(), Release(), FlushUpTo(Epoch(1)), "speech", "speech", "pause"]
)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from([32_767, -32_768]), st.lists(st.tuples(CHANGES, st.integers(1, 300)), max_size=40))
def test_the_loudest_speech_is_limited_and_never_wraps_around(value: int, steps: list[tuple[object, int]]) -> None:
    """A decay on top of what goes on may exceed full scale; a sample that wrapped would be of the other sign."""
    mixer, utterance = Mixer(), 0
    for change, frames in steps:
        match change:
            case "speech":  # alternately at its beginning, and in the middle, where it fades in
                utterance += 1
                piece = Spoken(Epoch(2), UtteranceId(utterance), 240 * (utterance % 2), np.full(240, value, np.int16))
                mixer.on(Queue((piece,)))
            case "pause":
                mixer.on(Queue((Silence(7),)))
            case Duck() | Unduck() | Hold() | Release() | FlushUpTo():
                mixer.on(change)
        (mixed,) = mixer.on(Take(frames))
        assert np.all(np.sign(mixed.pcm16) * np.sign(value) >= 0)


@pytest.mark.parametrize("rate", [8_000, 16_000, 22_050, 44_100, 48_000])
def test_speech_at_another_rate_is_limited_and_never_wraps_around(rate: int) -> None:
    """A square wave at full scale overshoots when it is resampled."""
    square = np.where(np.arange(rate // 2) // (rate // 100) % 2, 32_767, -32_768).astype("<i2")
    chunk = SpeechRates().convert(Speech(Epoch(0), UtteranceId(1), 0, True, rate, square.tobytes(), offset=0))
    found = chunk.pcm16.astype(int)
    middle = np.arange(len(found)) % 240  # half a period at 24 kHz
    settled = found[(middle > 40) & (middle < 200)]
    assert np.abs(settled).min() > 28_000 and np.abs(np.diff(found)).max() < 60_000
    wanted = np.where(np.arange(len(found)) // 240 % 2, 1, -1)[(middle > 40) & (middle < 200)]
    assert np.all(np.sign(settled) == wanted)
