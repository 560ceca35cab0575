"""The room: echo level and delay are as stated, slicing does not matter, resampling is clean and position-exact."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.proto.types import Samples
from ridealong.simulators.room import EchoPath, Room

pytestmark = pytest.mark.unit


def tone(hz: float, seconds: float, rate: int, amplitude: float = 8000) -> np.ndarray:
    return np.rint(amplitude * np.sin(2 * np.pi * hz * np.arange(int(seconds * rate)) / rate)).astype(np.int16)


def play(room: Room, pcm: np.ndarray, at: int = 0, block: int = 480) -> None:
    for start in range(0, len(pcm), block):
        room.speaker_sink(Samples(at + start * 2 // 3), pcm[start : start + block].tobytes())


def rms(samples: np.ndarray) -> float:
    return float(np.sqrt(np.mean(samples.astype(np.float64) ** 2)))


def test_without_a_speaker_the_microphone_hears_the_trip_and_silence_after_it() -> None:
    trip = tone(300, 1.0, 16_000)
    room = Room(trip)
    assert np.array_equal(room.microphone_source(Samples(0), 16_000), trip)
    assert not room.microphone_source(Samples(16_000), 800).any()
    assert not room.microphone_source(Samples(-800), 800).any()


def test_the_echo_comes_after_its_delay_and_not_before() -> None:
    room = Room(np.zeros(0, dtype=np.int16), EchoPath(level_db=-6, delay_ms=100))
    click = np.zeros(480, dtype=np.int16)
    click[0] = 20_000
    play(room, click, at=1600)
    heard = room.microphone_source(Samples(0), 8000)
    assert not heard[: 1600 + 1600 - 20].any()
    assert np.argmax(np.abs(heard)) == 3200


@pytest.mark.parametrize("level_db", [-6.0, -20.0, -40.0])
def test_the_level_is_as_stated(level_db: float) -> None:
    noise = (np.random.default_rng(3).standard_normal(48_000) * 3000).astype(np.int16)
    room = Room(np.zeros(0, dtype=np.int16), EchoPath(level_db=level_db, delay_ms=40))
    play(room, noise)
    dry = Room(np.zeros(0, dtype=np.int16))
    play(dry, noise)
    ratio_db = 20 * np.log10(rms(room.microphone_source(Samples(8000), 16_000)) / rms(dry.rendered(8000, 16_000)))
    assert ratio_db == pytest.approx(level_db, abs=1.0)


def test_resampling_keeps_the_pitch_and_adds_nothing() -> None:
    room = Room(np.zeros(0, dtype=np.int16))
    play(room, tone(1000, 1.0, 24_000))
    wanted = 8000 * np.sin(2 * np.pi * 1000 * np.arange(16_000) / 16_000)
    assert np.max(np.abs(room.rendered(0, 16_000)[100:-100] - wanted[100:-100])) < 8  # -60 dB
    high = Room(np.zeros(0, dtype=np.int16))
    play(high, tone(10_000, 1.0, 24_000))  # above what 16 kHz can carry
    assert rms(high.rendered(1000, 8000)) < 8


@settings(max_examples=25, deadline=None)
@given(st.integers(100, 4000), st.integers(100, 3000), st.integers(0, 10_000))
def test_slicing_does_not_matter(read: int, write: int, at: int) -> None:
    pcm = (np.random.default_rng(1).standard_normal(12_000) * 5000).astype(np.int16)
    at -= at % 2
    write -= write % 3
    whole, sliced = Room(tone(200, 1.0, 16_000)), Room(tone(200, 1.0, 16_000))
    play(whole, pcm, at, len(pcm))
    play(sliced, pcm, at, write)
    expected = whole.microphone_source(Samples(0), 24_000)
    pieces = [sliced.microphone_source(Samples(start), min(read, 24_000 - start)) for start in range(0, 24_000, read)]
    assert np.array_equal(np.concatenate(pieces), expected)


def test_old_render_is_forgotten_and_gaps_are_silent() -> None:
    room = Room(np.zeros(0, dtype=np.int16), EchoPath(level_db=0, delay_ms=40))
    play(room, tone(440, 0.5, 24_000))
    play(room, tone(440, 0.5, 24_000), at=10 * 16_000)
    assert not room.microphone_source(Samples(9 * 16_000), 8000).any()
    assert room.microphone_source(Samples(10 * 16_000), 8000).any()
    assert not room.microphone_source(Samples(0), 8000).any()  # older than the memory


def test_noise_has_its_level_and_comes_from_the_seed() -> None:
    one = Room(np.zeros(0, dtype=np.int16), None, noise_dbfs=-40, seed=5).microphone_source(Samples(0), 160_000)
    assert 20 * np.log10(rms(one) / 32768) == pytest.approx(-40, abs=0.3)
    assert np.array_equal(
        one, Room(np.zeros(0, dtype=np.int16), None, noise_dbfs=-40, seed=5).microphone_source(Samples(0), 160_000)
    )
    assert not np.array_equal(
        one, Room(np.zeros(0, dtype=np.int16), None, noise_dbfs=-40, seed=6).microphone_source(Samples(0), 160_000)
    )


def test_loud_mixtures_clip_instead_of_wrapping() -> None:
    room = Room(np.full(16_000, 30_000, dtype=np.int16), EchoPath(level_db=0, delay_ms=40))
    play(room, tone(300, 0.5, 24_000, 30_000))
    assert room.microphone_source(Samples(0), 8000).max() == 32767
