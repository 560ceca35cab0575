"""Loudness by ITU-R BS.1770-4: against the standard's own figures, and the levels of our voices."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ridealong.cloud.frontends.cascade.audio import PEAK, Floats, true_peak, with_headroom
from ridealong.cloud.frontends.cascade.loudness import _high_pass, _shelf, integrated_lufs
from ridealong.cloud.frontends.cascade.speak import DEFAULT_VOICES, VOICES, gains

pytestmark = pytest.mark.unit


def tone(seconds: float, db: float, rate: int = 48_000, hz: float = 997.0) -> Floats:
    return (10 ** (db / 20) * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate)) / rate)).astype(np.float32)


@pytest.mark.parametrize("rate", [48_000, 44_100, 24_000, 16_000])
def test_a_full_tone_of_997_hz_is_3_lu_below_full_scale(rate: int) -> None:
    assert integrated_lufs(tone(5, 0.0, rate), rate) == pytest.approx(-3.01, abs=0.05)


def test_the_filters_are_the_standards_at_48_khz() -> None:
    """Tables 1 and 2 of annex 1."""
    b, a = _shelf(48_000)
    assert b == pytest.approx((1.53512485958697, -2.69169618940638, 1.19839281085285), abs=1e-8)
    assert a == pytest.approx((1.0, -1.69065929318241, 0.73248077421585), abs=1e-8)
    b, a = _high_pass(48_000)
    assert (b, a) == ((1.0, -2.0, 1.0), pytest.approx((1.0, -1.99004745483398, 0.99007225036621), abs=1e-8))


def test_pauses_and_what_is_far_softer_do_not_count() -> None:
    """As EBU Tech 3341, cases 3 and 4, ask: -36, -23, -36 dB, and silence, are as loud as the middle alone."""
    parts = [tone(10, -72.0), tone(10, -36.0), tone(60, -23.0), tone(10, -36.0), tone(10, -72.0)]
    assert integrated_lufs(np.concatenate(parts), 48_000) == pytest.approx(-26.01, abs=0.1)
    assert integrated_lufs(np.concatenate([tone(5, -23.0), np.zeros(48_000 * 20, np.float32)]), 48_000) == pytest.approx(
        -26.2, abs=0.3
    )


def test_low_frequencies_count_less_and_high_ones_more() -> None:
    middle = integrated_lufs(tone(3, -20.0), 48_000)
    assert integrated_lufs(tone(3, -20.0, hz=40.0), 48_000) < middle - 4
    assert integrated_lufs(tone(3, -20.0, hz=6_000.0), 48_000) > middle + 2.5


def test_silence_and_what_is_shorter_than_a_block_have_no_loudness() -> None:
    assert integrated_lufs(np.zeros(48_000, np.float32), 48_000) == -math.inf
    assert integrated_lufs(tone(0.3, 0.0), 48_000) == -math.inf


def test_a_peak_between_the_samples_is_found_and_limited() -> None:
    samples = np.tile(
        np.array([1.0, 1.0, -1.0, -1.0], np.float32) * np.float32(0.8), 500
    )  # a quarter of the rate, between its peaks
    assert np.abs(samples).max() < PEAK < true_peak(samples)
    assert true_peak(with_headroom(samples)) <= PEAK + 1e-4


def test_every_voice_has_one_level_of_its_own() -> None:
    factors = gains()
    assert set(factors) == set(VOICES) and all(0.2 < factor < 2.0 for factor in factors.values())
    assert factors[DEFAULT_VOICES["zh"]] < factors[DEFAULT_VOICES["en"]]  # the model makes the Chinese one much louder
