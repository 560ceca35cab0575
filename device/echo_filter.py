"""The linear part of echo cancellation: a partitioned-block frequency-domain filter with a step per frequency.

    block(far, microphone) -> error: the microphone without what the filter explains by the reference

Blocks of 10 ms (FFT of 20 ms), 32 partitions: 320 ms of tail. The step size is a Kalman gain (Enzner and Vary 2006; partitioned:
Kuech et al. 2014): each bin adapts as its uncertainty is to the observed error, so that near-end speech, which raises the error,
stops adaptation instead of spoiling the filter. The constraint to linear convolution is applied to a quarter of the partitions a
block, in turn.

A filter that is sure of itself learns slowly, so a path that changed must be noticed: then the error goes with the filter's own
output (they are coherent), which a user's speech does not. The filter is scaled to what still fits (a new path: zero, another
volume: that volume) and is made uncertain again.

Samples are floats in [-1, 1]. Does not know positions, speech, delays or decisions.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ridealong.proto.types import CLOCK_HZ

Floats = NDArray[np.float32]

BLOCK: Final = CLOCK_HZ // 100
FFT: Final = 2 * BLOCK
BINS: Final = FFT // 2 + 1
PARTITIONS: Final = 32
FORGET: Final = 0.9995
FIRST_UNCERTAINTY: Final = 0.08  # of the first partition's gain squared: a path of 0 dB in all
UNCERTAINTY_FALL_DB: Final = 0.5  # a partition later
CONSTRAIN_EVERY: Final = 4
FLOOR: Final = 1e-9
LESS: Final = -0.4  # of coherence: another path
MORE: Final = 0.5  # the same path, louder
COHERENT_BLOCKS: Final = 3
SURE: Final = 0.05  # of the filter's output: with more doubt than that it is still learning, and fits to noise
SPEECH_BINS: Final = slice(3, 76)  # 150 to 3800 Hz
NOTABLE: Final = 0.03  # of the filter's output: an error below is left to adaptation
SHOWN: Final = 1e-3  # of the strongest bin's power: bins that say something about coherence
ENOUGH_BINS: Final = 20
COHERENCE_DECAY: Final = 0.88  # 80 ms


class LinearFilter:
    def __init__(self) -> None:
        self.restarts = 0
        self.clear()

    def clear(self) -> None:
        """Nothing is known of the path."""
        self.filters = np.zeros((PARTITIONS, BINS), np.complex64)  # [partition, bin]
        self._prior = (FIRST_UNCERTAINTY * 10 ** (-UNCERTAINTY_FALL_DB * np.arange(PARTITIONS) / 10)).astype(np.float32)[:, None]
        self._uncertainty = np.repeat(self._prior, BINS, axis=1)
        self._error_power = np.zeros(BINS, np.float32)
        self._turn = 0
        self.explained = np.zeros(BINS, np.float32)  # power spectrum of the echo that may be left, by the filter's own doubt
        self.echo = np.zeros(BLOCK, np.float32)
        self._forget_coherence()
        self.forget_far()

    def forget_far(self) -> None:
        """What was rendered before no longer continues."""
        self._spectra = np.zeros((PARTITIONS, BINS), np.complex64)  # newest first
        self._previous = np.zeros(BLOCK, np.float32)

    def recall(self, far: Floats) -> None:
        """What was rendered lately: (PARTITIONS + 1) blocks, the newest last."""
        frames = np.concatenate([far[:-BLOCK].reshape(-1, BLOCK), far[BLOCK:].reshape(-1, BLOCK)], axis=1)
        self._spectra = np.fft.rfft(frames, axis=1)[::-1].astype(np.complex64)
        self._previous = far[-BLOCK:]

    def block(self, far: Floats, microphone: Floats) -> Floats:
        """A microphone block of less than BLOCK samples is filtered but teaches nothing."""
        self._spectra[1:] = self._spectra[:-1].copy()
        self._spectra[0] = np.fft.rfft(np.concatenate([self._previous, far]))
        self._previous = far
        self.echo = np.fft.irfft((self._spectra * self.filters).sum(axis=0), FFT)[BLOCK:].astype(np.float32)
        error: Floats = microphone - self.echo[: len(microphone)]
        if len(microphone) == BLOCK:
            spectrum = np.fft.rfft(np.concatenate([np.zeros(BLOCK, np.float32), error])).astype(np.complex64)
            self._adapt(spectrum)
            self._watch(spectrum)
        return error

    def shift(self, samples: int) -> None:
        """The reference lies so much later: the echo follows it so much sooner."""
        taps = np.fft.irfft(self.filters, FFT, axis=1)[:, :BLOCK].ravel()
        moved = np.zeros_like(taps)
        if abs(samples) < len(taps):
            if samples > 0:
                moved[:-samples] = taps[samples:]
            else:
                moved[-samples:] = taps[: len(taps) + samples]
        padded = np.zeros((PARTITIONS, FFT), np.float32)
        padded[:, :BLOCK] = moved.reshape(PARTITIONS, BLOCK)
        self.filters = np.fft.rfft(padded, axis=1).astype(np.complex64)
        partitions = int(np.ceil(abs(samples) / BLOCK))
        if partitions > 1:
            self.doubt()

    def doubt(self) -> None:
        """The path may be another: learn quickly again."""
        np.maximum(self._uncertainty, self._prior, out=self._uncertainty)

    def _adapt(self, spectrum: NDArray[np.complex64]) -> None:
        power = self._spectra.real**2 + self._spectra.imag**2
        error_power = spectrum.real**2 + spectrum.imag**2
        self._error_power = 0.9 * self._error_power + 0.1 * error_power
        self.explained = (self._uncertainty * power).sum(axis=0) * np.float32(0.5)
        gain = self._uncertainty / (self.explained + np.maximum(self._error_power, error_power) + FLOOR)
        self.filters += gain * self._spectra.conj() * spectrum
        mine = slice(self._turn % CONSTRAIN_EVERY, None, CONSTRAIN_EVERY)
        self._turn += 1
        taps = np.fft.irfft(self.filters[mine], FFT, axis=1)
        taps[:, BLOCK:] = 0.0
        self.filters[mine] = np.fft.rfft(taps, axis=1)
        self._uncertainty *= FORGET**2 * (1 - 0.5 * np.minimum(1.0, gain * power))
        self._uncertainty += (1 - FORGET**2) * (self.filters.real**2 + self.filters.imag**2)

    def _forget_coherence(self) -> None:
        self._cross = np.zeros(BINS, np.float32)  # smoothed, of the filter's output and the error
        self._echo_power = np.zeros(BINS, np.float32)
        self._left_power = np.zeros(BINS, np.float32)
        self._coherent = 0
        self.coherence = 0.0  # of output and error, where it can be told: another path, not somebody

    def _watch(self, spectrum: NDArray[np.complex64]) -> None:
        """Scale the filter to what still fits when the error goes with its output."""
        echo = np.fft.rfft(np.concatenate([np.zeros(BLOCK, np.float32), self.echo]))
        new = 1 - COHERENCE_DECAY
        for kept, now in (
            (self._cross, echo.real * spectrum.real + echo.imag * spectrum.imag),
            (self._echo_power, echo.real**2 + echo.imag**2),
            (self._left_power, spectrum.real**2 + spectrum.imag**2),
        ):
            kept *= COHERENCE_DECAY
            kept += new * now
        played, left = self._echo_power[SPEECH_BINS], self._left_power[SPEECH_BINS]
        shown = played > SHOWN * float(played.max()) + FLOOR
        played, left = played[shown], left[shown]
        power = float(played.sum())
        sure = float(self.explained[SPEECH_BINS].sum()) < SURE * power
        if len(played) < ENOUGH_BINS or not sure or float(left.sum()) < NOTABLE * power:
            self._coherent, self.coherence = 0, 0.0
            return
        cross = self._cross[SPEECH_BINS][shown]
        self.coherence = float(np.mean(cross / np.sqrt(played * left)))
        self._coherent = 0 if LESS < self.coherence < MORE else self._coherent + 1
        if self._coherent == COHERENT_BLOCKS:
            self.filters *= max(0.0, 1 + float(np.median(cross / played)))
            self.doubt()
            self._forget_coherence()
            self.restarts += 1
