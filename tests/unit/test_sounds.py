"""Loud events, on made-up sound: a bang over noise, a noise that goes on, and what must not count."""

from __future__ import annotations

import numpy as np
import pytest

from ridealong.cloud.watching.sounds import LoudSounds, pitch_strength
from ridealong.harness.conditions import Noise, SoundShape
from ridealong.proto.types import CLOCK_HZ, Samples

pytestmark = pytest.mark.unit

PART = 3_200
RNG = np.random.default_rng(7)


def noise(seconds: float, dbfs: float) -> np.ndarray:
    return RNG.normal(0, 10 ** (dbfs / 20), round(seconds * CLOCK_HZ))


def bang(dbfs: float, decay_ms: float = 60) -> np.ndarray:
    t = np.arange(round(0.5 * CLOCK_HZ)) / CLOCK_HZ
    return RNG.normal(0, 10 ** (dbfs / 20), len(t)) * np.exp(-t / (decay_ms / 1000))


def vowel(seconds: float, dbfs: float, hertz: float = 140) -> np.ndarray:
    """A pitched sound with syllables: rises over 60 ms, four syllables a second."""
    t = np.arange(round(seconds * CLOCK_HZ)) / CLOCK_HZ
    tone = sum(np.sin(2 * np.pi * hertz * k * t) / k for k in range(1, 12))
    return tone / np.std(tone) * 10 ** (dbfs / 20) * (0.5 - 0.5 * np.cos(2 * np.pi * 4 * t))


def listen(sound: np.ndarray, ours: tuple[float, float] = (0, 0), start: int = 0) -> list[Noise]:
    pcm = (np.clip(sound, -1, 1) * 32767).astype("<i2")
    detector, found = LoudSounds(), []
    for at in range(0, len(pcm) - PART + 1, PART):
        active = ours[0] <= at / CLOCK_HZ < ours[1]
        found += detector.on_part(Samples(start + at), pcm[at : at + PART].tobytes(), active)
    return found


def planted(sound: np.ndarray, at_s: float, event: np.ndarray) -> np.ndarray:
    first = round(at_s * CLOCK_HZ)
    return np.concatenate([sound[:first], sound[first : first + len(event)] + event, sound[first + len(event) :]])


@pytest.mark.parametrize("floor_db", [-70.0, -50.0, -42.0])
def test_a_bang_is_found_where_it_was(floor_db: float) -> None:
    (found,) = listen(planted(noise(12, floor_db), 8.0, bang(floor_db + 40)))
    assert found.shape is SoundShape.BANG
    assert abs(found.at / CLOCK_HZ - 8.0) < 0.05 and found.confidence >= 0.5


def test_a_noise_that_goes_on_is_no_bang() -> None:
    (found,) = listen(planted(noise(15, -60), 8.0, noise(4, -20)))
    assert found.shape is SoundShape.LASTING


def test_the_louder_the_surer() -> None:
    (soft,), (loud,) = (listen(planted(noise(12, -60), 8.0, bang(db))) for db in (-28, -12))
    assert soft.confidence < loud.confidence


@pytest.mark.parametrize("dbfs", [-35.0, -25.0, -15.0])
def test_somebody_who_begins_to_speak_is_no_event(dbfs: float) -> None:
    assert listen(planted(noise(15, -65), 8.0, vowel(4, dbfs))) == []


def test_a_bang_that_is_not_far_above_the_noise_is_none() -> None:
    assert listen(planted(noise(12, -30), 8.0, bang(-14))) == []


def test_a_slow_rise_is_no_event() -> None:
    rise = noise(20, 0) * 10 ** (np.linspace(-60, -20, 20 * CLOCK_HZ) / 20)
    assert listen(rise) == []


def test_our_own_voice_and_its_echo_are_no_event() -> None:
    sound = planted(planted(noise(14, -60), 8.0, bang(-15)), 10.1, bang(-15))
    assert listen(sound, ours=(7.8, 10.0)) == []


def test_the_first_seconds_only_teach_it_the_noise() -> None:
    assert listen(planted(noise(6, -60), 1.0, bang(-15))) == []


def test_a_gap_starts_it_anew() -> None:
    detector = LoudSounds()
    quiet = (noise(5, -60) * 32767).astype("<i2").tobytes()
    detector.on_part(Samples(0), quiet, False)
    late = Samples(60 * CLOCK_HZ)
    loud = (np.clip(bang(-12), -1, 1) * 32767).astype("<i2").tobytes()
    assert detector.on_part(late, loud, False) == []


def test_pitch_tells_a_vowel_from_noise() -> None:
    assert pitch_strength(vowel(0.2, -20)) > 0.8 > 0.4 > pitch_strength(noise(0.2, -20))
