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


def heard(room: Room, sound: np.ndarray, seconds: float) -> np.ndarray:
    room.speaker_sink(Samples(0), sound.astype("<i2").tobytes())
    return room.echo(0, round(16_000 * seconds)).astype(np.float64)


def test_a_path_that_changes_is_in_force_from_its_position_on() -> None:
    sound, near, far = tone(400, 1.0, 24_000), EchoPath(-6, 10), EchoPath(-20, 40, seed=3)
    changed = heard(Room(np.zeros(0, np.int16), near, changes=[(8_000, far)]), sound, 1.0)
    assert np.array_equal(changed[:8_000], heard(Room(np.zeros(0, np.int16), near), sound, 1.0)[:8_000])
    assert np.array_equal(changed[8_000:], heard(Room(np.zeros(0, np.int16), far), sound, 1.0)[8_000:])


def test_a_clock_that_drifts_moves_the_echo_and_slices_do_not_matter() -> None:
    """1,000 ppm fast: after a second the echo is 16 samples early."""
    random = np.random.default_rng(1).normal(0, 3_000, 36_000).astype(np.int16)
    steady = heard(Room(np.zeros(0, np.int16), EchoPath(0, 10, 30)), random, 1.4)
    room = Room(np.zeros(0, np.int16), EchoPath(0, 10, 30), drift_ppm=1_000)
    fast = heard(room, random, 1.4)
    lags = [float(np.dot(fast[16_000:16_400], steady[16_000 + lag : 16_400 + lag])) for lag in range(40)]
    assert int(np.argmax(lags)) == 16
    assert np.allclose(np.concatenate([room.echo(0, 7_777), room.echo(7_777, 8_000)]), fast[:15_777], atol=2)


def test_a_loudspeaker_that_saturates_bends_loud_sound_only() -> None:
    for amplitude, harmonic_db in ((300, -60), (20_000, -25)):
        echo = heard(Room(np.zeros(0, np.int16), EchoPath(0, 0, 1, clip_dbfs=-10)), tone(500, 1.0, 24_000, amplitude), 1.0)
        spectrum = np.abs(np.fft.rfft(echo[4_000:12_000] * np.hanning(8_000)))
        third_db = 20 * np.log10(spectrum[750] / spectrum[250])
        assert third_db < harmonic_db if amplitude == 300 else third_db > harmonic_db


def test_a_diffuse_tail_is_dense_and_dies_away() -> None:
    taps = EchoPath(-6, 10, 200, diffuse=True).taps()
    assert np.count_nonzero(taps[160:]) > 3_000 and np.sum(taps**2) == pytest.approx(10**-0.6, rel=1e-3)
    assert np.sum(taps[160 + 1_600 :] ** 2) < 0.03 * np.sum(taps**2)
