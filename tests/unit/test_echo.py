"""Echo is taken out, near-end speech is not, and nothing is touched when nothing was played."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr
from numpy.typing import NDArray

from ridealong.device.echo import EchoCanceller, near_end
from ridealong.device.echo_filter import BINS, BLOCK
from ridealong.device.echo_reference import Reference
from ridealong.device.echo_residual import EVIDENCE_DB, Judged, Residual
from ridealong.proto.types import Samples

pytestmark = pytest.mark.unit

SECONDS = 8


def voice(rate: int, seconds: float, seed: int) -> NDArray[np.float64]:
    """Noise with a speech-like spectrum and syllables; peak 8,000."""
    random = np.random.default_rng(seed)
    samples = round(rate * seconds)
    spectrum = np.fft.rfft(random.normal(0, 1, samples))
    hertz = np.fft.rfftfreq(samples, 1 / rate)
    spectrum *= (hertz > 80) * (hertz < 7_000) / (1 + (hertz / 500) ** 2) ** 0.6
    t = np.arange(samples) / rate
    sound = np.fft.irfft(spectrum, samples) * np.clip(np.sin(2 * np.pi * 3.1 * t + seed) + 0.5, 0.05, None)
    return np.asarray(sound / np.abs(sound).max() * 8_000)


def room(seed: int = 1, level_db: float = -12.0, delay_ms: int = 60, tail_ms: int = 120) -> NDArray[np.float64]:
    random = np.random.default_rng(seed)
    delay, tail = 16 * delay_ms, 16 * tail_ms
    taps = np.zeros(delay + tail + 1)
    taps[delay] = 1
    at = random.integers(1, tail, 24)
    taps[delay + at] += 0.7 * random.choice([-1, 1], 24) * 10 ** (-1.5 * at / tail)
    return taps * 10 ** (level_db / 20) / np.sqrt((taps**2).sum())


def at_16k(sound: NDArray[np.float64]) -> NDArray[np.float64]:
    """24 -> 16 kHz of the whole, independent of the canceller's own filter."""
    return np.fft.irfft(np.fft.rfft(sound)[: len(sound) // 3 + 1], len(sound) * 2 // 3) * 2 / 3


def run(
    near: NDArray[np.float64], far: NDArray[np.float64], *paths: NDArray[np.float64], steps: tuple[int, ...] = (0,)
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[bool]]:
    """(echo, cleaned, near-end decisions if everything sounded like speech) of 20 ms blocks.

    The path is the next one after each equal share of the time. `steps`: by how much the clock is off, anew each 1.2 s.
    """
    source, share = at_16k(far), len(near) // len(paths)
    echo = np.zeros(len(near))
    for number, path in enumerate(paths):
        mine = slice(number * share, (number + 1) * share)
        echo[mine] = np.convolve(source, path)[: len(near)][mine]
    microphone = np.clip(echo + near + np.random.default_rng(3).normal(0, 10, len(near)), -32768, 32767).astype(np.int16)
    canceller, out, heard = EchoCanceller(), np.zeros(len(near)), []
    for k in range(len(near) // 320):
        moved = steps[k // 60 % len(steps)]
        canceller.rendered(Samples(k * 320 + moved), far[k * 480 : (k + 1) * 480].astype(np.int16))
        cleaned = canceller.clean(Samples(k * 320), microphone[k * 320 : (k + 1) * 320])
        out[k * 320 : (k + 1) * 320] = cleaned.pcm16
        heard.append(near_end(True, cleaned, 6.0))
    return echo, out, heard


def db(sound: NDArray[np.float64]) -> float:
    return float(10 * np.log10(np.mean(sound**2) + 1e-9))


def test_erle_and_double_talk() -> None:
    far = voice(24_000, SECONDS, 1)
    near = np.zeros(16_000 * SECONDS)
    talk = slice(16_000 * 4, 16_000 * 6)
    near[talk] = voice(16_000, SECONDS, 7)[talk] * 0.5
    echo, out, heard = run(near, far, room())
    before, during, after = slice(16_000 * 2, 16_000 * 4), talk, slice(16_000 * 6, 16_000 * 8)
    assert db(echo[before]) - db(out[before]) >= 18
    assert db(echo[after]) - db(out[after]) >= 18  # double talk did not spoil the filter
    distortion = out[during] - near[during]
    assert db(near[during]) - db(distortion) >= 12  # the user comes through
    assert abs(db(out[during]) - db(near[during])) < 0.5
    assert sum(heard[:200]) <= 2  # the assistant's own voice is not the user
    assert sum(heard[200:300]) > 50 and any(heard[205:210])  # the first syllable is loud from block 207 on


def test_a_clean_microphone_is_left_alone() -> None:
    far = voice(24_000, 4, 1)
    near = voice(16_000, 4, 9) * 0.5
    _, out, heard = run(near, far, np.zeros(10))
    assert db(near[16_000:]) - db((out - near)[16_000:]) >= 12
    assert sum(heard[50:]) > 70


def test_nothing_played_for_a_second_passes_untouched() -> None:
    canceller = EchoCanceller()
    sound = voice(16_000, 1, 2).astype(np.int16)
    cleaned = canceller.clean(Samples(0), sound[:320])
    assert cleaned.bypassed and cleaned.pcm16 is not None and np.array_equal(cleaned.pcm16, sound[:320])
    canceller.rendered(Samples(0), np.full(480, 5_000, np.int16))
    assert not canceller.clean(Samples(320), sound[320:640]).bypassed
    assert canceller.clean(Samples(16_000 * 2), sound[:320]).bypassed


def test_the_reference_keeps_place_over_skipped_blocks_and_odd_lengths() -> None:
    reference, tone = Reference(), voice(24_000, 1, 4).astype(np.int16)
    for at in range(0, 24_000, 480):
        reference.add(at * 2 // 3, tone[at : at + 480])
    assert reference.end == 16_000
    expected = at_16k(tone.astype(float))
    got = reference.get(4_000, 8_000)
    assert np.corrcoef(got, expected[4_000 - 8 : 12_000 - 8])[0, 1] > 0.99  # delayed by 0.5 ms
    reference.add(20_000, tone[:480])
    assert reference.end == 20_320 and not reference.get(16_100, 3_000).any()


@pytest.mark.parametrize("length", [160, 320, 333, 512])
def test_any_block_length_comes_back_whole(length: int) -> None:
    canceller = EchoCanceller()
    canceller.rendered(Samples(0), np.full(4_800, 5_000, np.int16))
    assert len(canceller.clean(Samples(0), np.zeros(length, np.int16)).pcm16) == length


@pytest.mark.parametrize("level_db", [-12.0, -16.0, -20.0])
def test_a_later_echo_at_several_levels(level_db: float) -> None:
    far = voice(24_000, 5, 1)
    echo, out, heard = run(np.zeros(16_000 * 5), far, room(5, level_db, 80, 150))
    assert db(echo[48_000:]) - db(out[48_000:]) >= 15
    assert sum(heard[:50]) == 0  # the first second of the first answer, nothing learnt yet


def test_a_clock_that_is_corrected_by_a_sample_now_and_then_costs_nothing() -> None:
    """A microphone 50 ppm off the loop's clock: without slack the echo loss fell from 26 to 13 dB."""
    far = voice(24_000, SECONDS, 1)
    silence, path = np.zeros(16_000 * SECONDS), room(5, -12, 80, 150)
    echo, out, _ = run(silence, far, path, steps=(0, 1, 2, 3, 2, 3, 4))
    assert db(echo[48_000:]) - db(out[48_000:]) >= 22
    echo, out, _ = run(silence, far, path, steps=(0, -1, -2, -3, -2, -3, -4))
    assert db(echo[48_000:]) - db(out[48_000:]) >= 22


def test_what_was_learnt_moves_with_the_reference() -> None:
    """The correction of 10 ms that slack postpones: the filter is moved along, so that the echo loss holds."""
    far = voice(24_000, SECONDS, 1)
    echo, out, _ = run(np.zeros(16_000 * SECONDS), far, room(5, -12, 80, 150), steps=(0, 0, 0, 0, 159, 159, 159))
    after = slice(round(16_000 * 4.8) + 8_000, None)  # a second and a half after the step
    assert db(echo[after]) - db(out[after]) >= 20


def test_another_path_is_learnt_within_two_seconds() -> None:
    """Somebody moved the device. Before, it took eight seconds and the assistant ducked under its own voice all the while."""
    far = voice(24_000, SECONDS, 1)
    echo, out, heard = run(np.zeros(16_000 * SECONDS), far, room(5, -14, 80, 150), room(6, -14, 70, 120))
    assert db(echo[96_000:]) - db(out[96_000:]) >= 15
    assert sum(heard[250:]) <= 10


def test_the_user_who_talks_from_the_start_is_heard_when_the_echo_is_known() -> None:
    """In the very first second nobody can tell a loud echo from a user; in the second one the canceller does."""
    far, near = voice(24_000, 4, 1), voice(16_000, 4, 7) * 0.5
    _, out, heard = run(near, far, room(5, -14, 80, 150))
    assert sum(heard[50:100]) > 10 and sum(heard[100:]) > 35
    assert abs(db(out) - db(near)) < 3


def test_a_minute_with_much_double_talk_does_not_diverge() -> None:
    far, near = voice(24_000, 60, 2), voice(16_000, 60, 8) * 0.4
    near *= np.arange(len(near)) // 48_000 % 2
    echo, out, _ = run(near, far, room(5, -14, 80, 150))
    losses = [db(echo[at : at + 48_000]) - db((out - near)[at : at + 48_000]) for at in range(48_000, len(near), 48_000)]
    assert min(losses) >= 15


def test_a_microphone_that_hears_nothing_of_the_speaker_is_given_nothing_of_it() -> None:
    """A headset, or a speaker turned down: the canceller put the assistant's own voice in, and the recogniser could read it."""
    speech, rate = soundfile.read(str(Path(__file__).parents[2] / "simulators" / "scenarios" / "sounds" / "austen_0870.flac"))
    far = 32_767 * soxr.resample(speech, rate, 24_000)
    _, out, heard = run(np.zeros(len(far) * 2 // 3), far, np.zeros(1))
    loudest = max(db(out[at : at + 1_600]) for at in range(0, len(out) - 1_600, 1_600))
    assert loudest <= 20 + 3 and not any(heard)  # the microphone's own noise has 20


def test_an_overloaded_microphone_still_ends() -> None:
    far = voice(24_000, 4, 1) * 4
    echo, out, _ = run(np.zeros(64_000), far, room(5, 3, 80, 150))
    assert np.isfinite(out).all() and db(out[32_000:]) < db(echo[32_000:])


def judged(sound: NDArray[np.float64], noise_db: float) -> list[Judged]:
    """A second in which the noise is learnt, half a second of it, then `sound` over it; no echo."""
    random, residual, nothing = np.random.default_rng(3), Residual(), np.zeros(BLOCK, np.float32)
    near = random.normal(0, 10 ** (noise_db / 20), 150 * BLOCK + len(sound) // BLOCK * BLOCK)
    near[150 * BLOCK :] += sound[: len(sound) // BLOCK * BLOCK]
    blocks = near.reshape(-1, BLOCK).astype(np.float32)
    for block in blocks[:100]:
        residual.idle(block)
    return [residual.block(block, nothing, np.zeros(BINS, np.float32)) for block in blocks[100:]]


@pytest.mark.parametrize("noise_db", [-70.0, -50.0, -42.0])
@pytest.mark.parametrize("begins", range(0, BLOCK, 20))
def test_a_click_is_over_before_the_evidence_is_there_and_a_voice_lasts(noise_db: float, begins: int) -> None:
    """A click of 5 ms, wherever in a block it begins."""
    click = np.zeros(10 * BLOCK)
    click[begins : begins + BLOCK // 2] = np.random.default_rng(begins).normal(0, 0.1, BLOCK // 2)
    assert not any(one.lasting and one.evidence_db > EVIDENCE_DB for one in judged(click, noise_db))
    late = np.concatenate([np.zeros(begins), voice(16_000, 0.5, 2)[4_000:] / 32_768])
    decided = [one.lasting for one in judged(late, noise_db) if one.evidence_db > EVIDENCE_DB]
    assert decided[0]
