"""How loud speech is: integrated loudness by ITU-R BS.1770-4, mono. Pure.

K-weighting (annex 1: a shelf of +4 dB above 1.5 kHz and a high-pass at 38 Hz), blocks of 400 ms that overlap by three quarters, gated at
-70 LUFS and then at 10 LU below the mean of what is left. (The true peak of annex 2 is `audio.true_peak`.)

Does not know voices, texts, or what follows from it.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from ridealong.cloud.frontends.cascade.audio import Floats

BLOCK_S: Final = 0.4
STEP_S: Final = 0.1
ABSOLUTE_LUFS: Final = -70.0
RELATIVE_LU: Final = -10.0


def integrated_lufs(samples: Floats, rate: int) -> float:
    """[samples] in -1..1. -inf where nothing is louder than the gate, or there is less than a block of it."""
    weighted = k_weighted(samples, rate) ** 2
    block, step = round(BLOCK_S * rate), round(STEP_S * rate)
    if len(weighted) < block:
        return -math.inf
    sums = np.concatenate([[0.0], np.cumsum(weighted)])
    starts = np.arange(0, len(weighted) - block + 1, step)
    powers = (sums[starts + block] - sums[starts]) / block
    powers = powers[powers > _power(ABSOLUTE_LUFS)]
    if not len(powers):
        return -math.inf
    return _lufs(float(powers[powers > float(powers.mean()) * 10 ** (RELATIVE_LU / 10)].mean()))


def k_weighted(samples: Floats, rate: int) -> Any:
    """float64, as long. By the filters' responses: a second of padding is longer than they ring."""
    length = len(samples) + rate
    z = np.exp(-2j * np.pi * np.fft.rfftfreq(length))
    spectrum = np.fft.rfft(samples.astype(np.float64), length)
    for b, a in (_shelf(rate), _high_pass(rate)):
        spectrum *= (b[0] + b[1] * z + b[2] * z * z) / (a[0] + a[1] * z + a[2] * z * z)
    return np.fft.irfft(spectrum, length)[: len(samples)]


def _power(lufs: float) -> float:
    return float(10 ** ((lufs + 0.691) / 10))


def _lufs(power: float) -> float:
    return -0.691 + 10 * math.log10(power)


Coefficients = tuple[tuple[float, float, float], tuple[float, float, float]]


def _shelf(rate: int) -> Coefficients:
    """Stage 1 for any rate: the bilinear transform of the analogue filter behind the 48 kHz coefficients of the standard."""
    frequency, gain_db, quality = 1681.974450955533, 3.999843853973347, 0.7071752369554196
    k = math.tan(math.pi * frequency / rate)
    high = 10 ** (gain_db / 20)
    band = high**0.4996667741545416
    a0 = 1 + k / quality + k * k
    b = ((high + band * k / quality + k * k) / a0, 2 * (k * k - high) / a0, (high - band * k / quality + k * k) / a0)
    return b, (1.0, 2 * (k * k - 1) / a0, (1 - k / quality + k * k) / a0)


def _high_pass(rate: int) -> Coefficients:
    """Stage 2."""
    frequency, quality = 38.13547087602444, 0.5003270373238773
    k = math.tan(math.pi * frequency / rate)
    a0 = 1 + k / quality + k * k
    return (1.0, -2.0, 1.0), (1.0, 2 * (k * k - 1) / a0, (1 - k / quality + k * k) / a0)
