"""Speech that is ducked so far that nobody understands it: what is cut there was heard up to where it became soft; what goes on, goes on at the next sample."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ridealong.cloud.conversation import Acked, Conversation, Noted, Produced
from ridealong.cloud.frontends.base import ControlToken, Output, SpeechSlice
from ridealong.device import mixer as mix
from ridealong.device.config import DeviceConfig, SoundConfig
from ridealong.device.playout import FAINT_WAIT_FRAMES
from ridealong.proto.types import (
    Epoch,
    Flush,
    OverlapKind,
    PlaybackAck,
    PlaybackState,
    Unduck,
    UnitIndex,
    UtteranceId,
    WordTime,
)
from tests.unit.device_ride import Ride, run, speech, talk
from tests.unit.sound_bench import BLOCK, SoundBench, chunk

pytestmark = pytest.mark.unit


def counting(frames: int) -> np.ndarray:
    return (1 + np.arange(frames) % 20_000).astype(np.int16)


def bench_saying(frames: int, cushion: int = 0) -> SoundBench:
    bench = SoundBench(cushion)
    bench.on(chunk(0, 1, 0, frames, last=True, pcm16=counting(frames)))
    return bench


@pytest.mark.parametrize("blocks", [1, 10, 40])
def test_it_goes_on_with_the_exact_next_sample_and_what_was_soft_counts_then(blocks: int) -> None:
    bench = bench_saying(48_000)
    bench.run(20)
    bench.on(mix.Duck(-18.0))
    bench.run(blocks)
    assert max(ack.played_samples for ack in bench.acks) == 20 * BLOCK
    bench.on(mix.Unduck())
    bench.run(100)
    assert bench.heard(0, 1) == [(0, 48_000)]
    assert bench.acks[-1].state is PlaybackState.FINISHED and bench.acks[-1].played_samples == 48_000


def test_a_duck_that_leaves_it_intelligible_changes_nothing() -> None:
    bench = bench_saying(48_000)
    bench.run(20)
    bench.on(mix.Duck(mix.FAINT_DB + 1))
    bench.run(100)
    assert bench.acks[-1].state is PlaybackState.FINISHED


def test_a_pause_within_it_costs_nothing() -> None:
    """As the reflex does it: softer, a pause when they go on, softly on, and at last the verdict."""
    bench = bench_saying(48_000, cushion=1_680)
    bench.run(20)
    bench.on(mix.Duck(-18.0))
    bench.run(30)
    bench.on(mix.Hold())
    bench.run(20)
    bench.on(mix.Release())
    bench.run(20)
    bench.on(mix.Unduck())
    bench.run(120)
    assert bench.heard(0, 1) == [(0, 48_000)]
    assert bench.acks[-1].state is PlaybackState.FINISHED


def test_an_end_that_nobody_could_hear_is_no_end() -> None:
    bench = bench_saying(24_000)
    bench.on(chunk(0, 2, 0, 4_800, last=True))
    bench.run(20)
    bench.on(mix.Duck(-18.0))
    bench.run(60)
    assert bench.playout.playing and not [ack for ack in bench.acks if ack.state is PlaybackState.FINISHED]
    bench.on(mix.Unduck())
    bench.run(80)
    assert [(ack.utterance, ack.played_samples) for ack in bench.acks if ack.state is PlaybackState.FINISHED] == [
        (1, 24_000),
        (2, 4_800),
    ]


def test_a_duck_that_nobody_ends_ends_the_utterance_as_cut() -> None:
    bench = bench_saying(24_000)
    bench.run(20)
    bench.on(mix.Duck(-18.0))
    bench.run(30 + FAINT_WAIT_FRAMES // BLOCK)
    assert bench.acks[-1].state is PlaybackState.FLUSHED and bench.acks[-1].played_samples == 20 * BLOCK
    assert not bench.playout.playing


def test_what_is_flushed_while_it_is_faint_was_not_heard() -> None:
    bench = bench_saying(48_000)
    bench.run(20)
    bench.on(mix.Duck(-18.0))
    bench.run(3)
    bench.flush(0)
    assert bench.acks[-1].state is PlaybackState.FLUSHED and bench.acks[-1].played_samples == 20 * BLOCK


def test_the_resumed_speech_does_not_click() -> None:
    bench = SoundBench(1_680)
    wave = (8_000 * np.sin(2 * np.pi * 200 * np.arange(48_000) / 24_000)).astype(np.int16)
    bench.on(chunk(0, 1, 0, 48_000, last=True, pcm16=wave))
    bench.run(20)
    bench.on(mix.Duck(-18.0))
    bench.run(33)
    bench.on(mix.Unduck())
    bench.run(60)
    step = 8_000 * 2 * np.pi * 200 / 24_000
    assert np.abs(np.diff(bench.sound.astype(int))).max() < 1.6 * step


STEP = st.one_of(
    st.integers(1, 18),
    st.sampled_from([mix.Duck(-18.0), mix.Duck(-40.0), mix.Duck(-6.0), mix.Hold(), mix.Release(), mix.Unduck()]),
)


@given(st.lists(STEP, max_size=12), st.sampled_from([0, 1_680]))
def test_whatever_is_ducked_or_held_all_is_said_and_in_the_end_all_counts(steps: list[object], cushion: int) -> None:
    bench = bench_saying(36_000, cushion)
    bench.on(chunk(0, 2, 0, 4_800, last=True))
    counted = 0
    for step in [*steps, mix.Release(), mix.Unduck(), 150]:
        if isinstance(step, int):
            bench.run(step)
        else:
            bench.on(step)  # type: ignore[arg-type]
        acked = max((ack.played_samples for ack in bench.acks if ack.utterance == 1), default=0)
        assert acked >= counted
        counted = acked
    ended = [
        (ack.utterance, ack.state.value, ack.played_samples) for ack in bench.acks if ack.state.value in ("finished", "flushed")
    ]
    assert ended == [(1, "finished", 36_000), (2, "finished", 4_800)]
    assert bench.heard(0, 1) == [(0, 36_000)]  # nothing is missing, nothing twice


def heard(words: list[str], acks: list[PlaybackAck]) -> str:
    """What the cloud takes for heard, by these acks; a word each half second."""
    conversation = Conversation(epoch=Epoch(1))
    times = tuple(WordTime(word, 12_000 * at, 12_000 * (at + 1)) for at, word in enumerate(words))
    piece = SpeechSlice(
        UtteranceId(1), True, 24_000, bytes(2 * 12_000 * len(words)), " ".join(words), times, "w1", " ".join(words)
    )
    conversation.on(Produced(Output(ControlToken.SPEAK, speech=(piece,)), UnitIndex(1), False))
    notes = [effect for ack in acks for effect in conversation.on(Acked(ack)) if isinstance(effect, Noted)]
    return notes[-1].saying.heard


def ducked_ride(*script: tuple[float, object], seconds: float = 12.0) -> Ride:
    """Eight seconds of speech from 1 s on; somebody speaks over it from 3.0 to 3.5 s."""
    ride = Ride(talk((3.0, 3.5)), DeviceConfig(sound=SoundConfig(echo_cancellation=False)))

    def begin() -> None:
        for piece in speech(1, 1, 8.0):
            ride.link.on_message(piece)

    actions = [(at, (lambda body=body: ride.link.on_message(body))) for at, body in script]  # type: ignore[misc]
    run(ride.go(seconds, (1.0, begin), *actions))
    return ride


WORDS = [
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
]


def test_words_under_a_backchannel_count_when_it_goes_on() -> None:
    ride = ducked_ride((4.0, Unduck(OverlapKind.BACKCHANNEL)))
    acks = ride.sent(PlaybackAck)
    assert acks[-1].state is PlaybackState.FINISHED and heard(WORDS, acks) == " ".join(WORDS)
    assert not ride.agent.sounding.holes.holes


def test_words_that_nobody_could_hear_are_not_heard_when_they_were_cut() -> None:
    ride = ducked_ride((4.0, Flush(Epoch(1))))
    last = ride.sent(PlaybackAck)[-1]
    assert last.state is PlaybackState.FLUSHED and last.played_samples < 24_000 * 2.1
    assert heard(WORDS, ride.sent(PlaybackAck)).split()[-1] in ("three", "four")


def test_a_noise_that_never_gets_a_verdict_does_not_keep_speech_from_being_heard() -> None:
    """Bursts without end, as from a bad echo path: it is said, in the end, and not over and over."""
    ride = Ride(
        talk(*[(start, start + 0.3) for start in np.arange(1.0, 40.0, 0.8)]),
        DeviceConfig(sound=SoundConfig(echo_cancellation=False)),
    )
    run(ride.go(40.0, (1.0, lambda: [ride.link.on_message(piece) for piece in speech(1, 1, 8.0)] and None)))
    last = ride.sent(PlaybackAck)[-1]
    assert last.state is PlaybackState.FINISHED and last.at / 16_000 < 1 + 8 + 3 * 4.5
