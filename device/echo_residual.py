"""What the filter leaves: how much of it is still echo, whether somebody speaks here, and by how much to turn it down.

    block(error, echo, doubt, coherence) -> Judged(evidence_db, left, gain, lasting)

In 17 bands of the telephone's range (a microphone that drops to 8 kHz changes nothing here) three things are followed:
* the echo that is left: the larger of the filter's own doubt and what the filter's output has lately left behind in this band (late
  reverberation, a loudspeaker that saturates), learnt while nobody speaks here;
* the noise: the least level within a second;
* the excess of what is heard over both.
The mean excess of all bands, less what chance brings, is summed from block to block (Page's cumulative sum: the earliest decision for
a given number of false ones): a loud voice counts within two blocks, a weak one within five, a click never; less is asked for where noise
and not echo is what it must stand out of, since that is better known. `lasting` tells a voice from a click in a single block: it is still
there in the last 5 ms. While nobody speaks, what
is left is turned down to the noise, never further.

Does not know the room, the filter's state, units or ducking. Powers are of samples in [-1, 1].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ridealong.device.echo_filter import BLOCK, FFT

Floats = NDArray[np.float32]

EDGES_HZ: Final = (150, 250, 350, 450, 560, 680, 820, 980, 1160, 1360, 1600, 1850, 2150, 2450, 2800, 3150, 3550, 3750)
BANDS: Final = len(EDGES_HZ) - 1
MOST_DB: Final = 15.0  # of excess that a band may claim
REVERBERATION: Final = 0.75  # of power, a block later: 60 dB in half a second
LATE: Final = 0.9
LATE_SHARE: Final = 0.01
ELSEWHERE: Final = 1e-3  # of all bands' power, in each: what a loudspeaker that saturates puts there
NOISE_BIAS: Final = 10**0.5  # the least of a second lies so far below the mean and the chance above it
NOISE_WINDOWS: Final = 5
NOISE_BLOCKS: Final = 20
QUIETEST: Final = 1e-10
LEVELS_DB: Final = (-16.0, -8.0)  # below the loudest echo: what is left differs (reverberation, saturation)
LOUDEST_DECAY: Final = 0.999
LEFT_FIRST_DB: Final = -6.0
LEFT_LEAST_DB: Final = -40.0
LEFT_MOST_DB: Final = 0.0
LEFT_RISE: Final = 0.2  # of the distance
LEFT_RISE_DB: Final = 0.5  # at most, a block
LEFT_FALL_DB: Final = 0.04  # a block
DEAF_RISE_DB: Final = 0.02  # a block, while somebody speaks: what never ends is not a user
HOLD_BLOCKS: Final = 40
DOUBT: Final = 2.0
CHANCE_DB: Final = 1.5  # of mean excess that echo and noise reach by chance
MOST_A_BLOCK_DB: Final = 6.0  # so that a click is not enough
ENOUGH_DB: Final = 8.0  # summed: somebody speaks, where what is left of the echo is what speech must stand out of
ENOUGH_IN_NOISE_DB: Final = 5.0  # where it is the noise, which is followed better
EVIDENCE_DB: Final = 6.0
COHERENT: Final = 0.3
LASTING_DB: Final = 3.0  # of mean excess in the last half of a block
OVER: Final = 2.0
LEAST_GAIN: Final = 10 ** (-18 / 20)
GAIN_FALL: Final = 0.3


@dataclass(frozen=True, slots=True)
class Judged:
    """`evidence_db`: 6 and more say that somebody speaks. `left`: power of the echo that may be left, of a sample. `gain`: for this block.
    `lasting`: the excess lasts to the block's end."""

    evidence_db: float
    left: float
    gain: float
    lasting: bool = False


def _band_matrix() -> NDArray[np.float32]:
    hertz = np.fft.rfftfreq(FFT, 1 / 16_000)
    low, high = np.array(EDGES_HZ[:-1])[:, None], np.array(EDGES_HZ[1:])[:, None]
    return ((hertz >= low) & (hertz < high)).astype(np.float32)


_MATRIX: Final = _band_matrix()  # [band, bin]
_WINDOW: Final = np.hanning(FFT + 1)[:-1].astype(np.float32)
TO_POWER: Final = 1.0 / (FFT / 2 * float((_WINDOW**2).sum()))  # from a one-sided windowed spectrum to the power of a sample
_HALF: Final = BLOCK // 2
_HALF_WINDOW: Final = np.hanning(_HALF + 2)[1:-1].astype(np.float32)
_HALF_SCALE: Final = np.float32(float((_WINDOW**2).sum() / (_HALF_WINDOW**2).sum()))  # its power in terms of the whole window's
DOUBT_SCALE: Final = np.float32(0.75)  # a block's energy, in terms of the windowed spectrum


class Residual:
    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self._error = np.zeros(BLOCK, np.float32)
        self._echo = np.zeros(BLOCK, np.float32)
        self._echo_power = np.zeros(BANDS, np.float32)
        self._late_power = np.zeros(BANDS, np.float32)
        self._left_db = np.full((len(LEVELS_DB) + 1, BANDS), LEFT_FIRST_DB, np.float32)  # [level of the echo, band]
        self._loudest = QUIETEST
        self._smooth = np.zeros(BANDS, np.float32)
        self._least = np.full((NOISE_WINDOWS, BANDS), np.inf, np.float32)
        self._blocks = 0
        self._hold = 0
        self._sum = 0.0
        self._gain = 1.0
        self.noise = np.full(BANDS, QUIETEST, np.float32)

    def block(self, error: Floats, echo: Floats, doubt: Floats, coherence: float = 0.0) -> Judged:
        """`coherence` of error and echo: what goes with the echo is no evidence of somebody."""
        heard = self._bands(np.concatenate([self._error, error]))
        played = self._bands(np.concatenate([self._echo, echo]))
        self._error, self._echo = error, echo
        self._follow_noise(heard)
        self._echo_power = np.maximum(played, REVERBERATION * self._echo_power)
        self._late_power = np.maximum(LATE_SHARE * played, LATE * self._late_power)
        reverberant = self._echo_power + self._late_power
        spread = reverberant + ELSEWHERE * reverberant.sum() + QUIETEST
        doubted = _MATRIX @ doubt * DOUBT_SCALE
        total = float(reverberant.sum())
        self._loudest = max(total, LOUDEST_DECAY * self._loudest, QUIETEST)
        left_db = self._left_db[int(np.searchsorted(LEVELS_DB, 10 * math.log10(total / self._loudest + 1e-9)))]
        left = np.maximum(spread * 10 ** (left_db / 10), DOUBT * doubted)
        expected = left + self.noise + QUIETEST
        excess = _excess_db(heard, expected)
        if abs(coherence) > COHERENT:
            excess = 0.0
        of_noise = float((self.noise / (left + self.noise)).mean())
        enough = ENOUGH_DB + (ENOUGH_IN_NOISE_DB - ENOUGH_DB) * of_noise
        self._sum = min(max(0.0, self._sum + min(excess, MOST_A_BLOCK_DB) - CHANCE_DB), 2 * enough)
        if self._sum > enough:
            self._hold = HOLD_BLOCKS
        self._learn(heard, spread, left_db)
        self._hold = max(0, self._hold - 1)
        self._turn_down(heard, left)
        lasting = _excess_db(self._end_bands(error), expected) > LASTING_DB
        return Judged(EVIDENCE_DB * self._sum / enough, float(left.sum()) * TO_POWER, self._gain, lasting)

    def retract(self) -> None:
        """What seemed to be somebody was another path."""
        self._sum, self._hold = 0.0, 0

    def idle(self, sound: Floats) -> None:
        """Nothing is played: the noise alone is followed."""
        self._follow_noise(self._bands(np.concatenate([self._error, sound])))
        self._error, self._gain, self._sum = sound, 1.0, 0.0

    def _turn_down(self, heard: Floats, left: Floats) -> None:
        """At once up, gradually down."""
        if self._hold:
            self._gain = 1.0
            return
        kept = np.maximum(1 - OVER * left / (heard + QUIETEST), np.minimum(1.0, self.noise / NOISE_BIAS / (heard + QUIETEST)))
        target = max(LEAST_GAIN, float(np.sqrt((kept * heard).sum() / (heard.sum() + BANDS * QUIETEST))))
        self._gain = target if target > self._gain else self._gain + GAIN_FALL * (target - self._gain)

    def _bands(self, sound: Floats) -> Floats:
        spectrum = np.fft.rfft(sound * _WINDOW)
        return np.asarray(_MATRIX @ (spectrum.real**2 + spectrum.imag**2).astype(np.float32), np.float32)

    def _end_bands(self, error: Floats) -> Floats:
        """Of the block's last half alone."""
        spectrum = np.fft.rfft(error[-_HALF:] * _HALF_WINDOW, FFT)
        return np.asarray(_MATRIX @ (spectrum.real**2 + spectrum.imag**2).astype(np.float32) * _HALF_SCALE, np.float32)

    def _follow_noise(self, heard: Floats) -> None:
        self._smooth += 0.3 * (heard - self._smooth)
        index = self._blocks // NOISE_BLOCKS % NOISE_WINDOWS
        if self._blocks % NOISE_BLOCKS == 0:
            self._least[index] = np.inf
        np.minimum(self._least[index], self._smooth, out=self._least[index])
        self._blocks += 1
        self.noise = self._least.min(axis=0) * NOISE_BIAS + QUIETEST

    def _learn(self, heard: Floats, spread: Floats, left_db: Floats) -> None:
        """How much the filter leaves, near its highest; not while somebody speaks, and not what drowns in the noise."""
        now_db = 10 * np.log10(np.maximum(heard - self.noise, 0) / spread + 1e-9)
        above = now_db - left_db
        if self._hold:
            change = np.clip(above, 0, DEAF_RISE_DB)
        else:
            change = np.where(above > 0, np.minimum(LEFT_RISE * above, LEFT_RISE_DB), -LEFT_FALL_DB)
        left_db += (change * (spread > self.noise)).astype(np.float32)
        np.clip(left_db, LEFT_LEAST_DB, LEFT_MOST_DB, out=left_db)


def _excess_db(heard: Floats, expected: Floats) -> float:
    """Mean of the bands."""
    return float(np.clip(10 * np.log10((heard + QUIETEST) / expected), 0.0, MOST_DB).mean())
