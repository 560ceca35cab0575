"""Takes the assistant's own voice out of the microphone: a partitioned-block frequency-domain filter with a step per frequency.

    rendered(at, pcm24k)  then  clean(start, pcm16) -> Cleaned(pcm16, residual_db, bypassed)

The reference is what the speaker really rendered, resampled 24 -> 16 kHz, on the device clock. Blocks of 10 ms (FFT of 20 ms), 24
partitions: 240 ms of tail. The step size is a Kalman gain (Enzner and Vary 2006; partitioned: Kuech et al. 2014): each bin adapts as its
uncertainty is to the observed error, so that near-end speech, which raises the error, stops adaptation instead of spoiling the filter.

`residual_db` estimates how much echo is left: the coupling (cleaned over reference power, falling fast and rising slowly) times the
loudest reference of the last tail. Nothing rendered for a second: samples pass untouched.

Does not know: speech, ducking, or devices. One caller at a time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ridealong.device.voice_activity import SILENCE_DB, level_db
from ridealong.proto.types import CLOCK_HZ, Samples

BLOCK: Final = CLOCK_HZ // 100
FFT: Final = 2 * BLOCK
BINS: Final = FFT // 2 + 1
PARTITIONS: Final = 24
PASS_AFTER: Final = CLOCK_HZ
MEMORY: Final = 2 * CLOCK_HZ
ACTIVE_LEVEL: Final = 8.0  # peak of int16 below which a render counts as silence
FORGET: Final = 0.9995
FIRST_UNCERTAINTY: Final = 0.01  # of a partition's gain squared: an echo path of -6 dB in all
FIRST_COUPLING: Final = 0.25
LEAST_COUPLING: Final = 1e-6
COUPLING_RISE: Final = 1.002
DECIMATE_TAPS: Final = 48
HELD_BLOCKS: Final = PARTITIONS


@dataclass(frozen=True, slots=True)
class Cleaned:
    pcm16: NDArray[np.int16]
    residual_db: float
    bypassed: bool


class Reference:
    """What was rendered, at 16 kHz by device position. The filter delays it by 0.5 ms: less than any real echo path."""

    def __init__(self) -> None:
        taps = np.arange(DECIMATE_TAPS) - (DECIMATE_TAPS - 1) / 2
        window = np.kaiser(DECIMATE_TAPS, 6.0)
        sinc = np.sinc(2 * 7_400 / 48_000 * taps) * window
        self._taps = 2 * sinc / sinc.sum()  # gain 2: every other sample at 48 kHz is a zero
        self._history = np.zeros(DECIMATE_TAPS, np.float64)
        self._ring = np.zeros(MEMORY, np.float64)
        self.end = 0  # device position up to which the render is known
        self.last_active = -PASS_AFTER - 1

    def add(self, at: int, pcm24k: NDArray[np.int16]) -> None:
        """Blocks of a multiple of 3 frames. A skipped stretch was silence; what would lie before `end` is cut."""
        if at > self.end:
            self._silence(at - self.end)
        samples = pcm24k.astype(np.float64)
        up = np.zeros(2 * len(samples))
        up[::2] = samples
        joined = np.concatenate([self._history, up])
        self._history = joined[len(joined) - DECIMATE_TAPS :]
        filtered = np.convolve(joined, self._taps, "valid")[1:]
        down = filtered[::3]
        if at < self.end:
            down = down[min(len(down), self.end - at) :]
        self._write(down)
        if np.abs(samples).max(initial=0.0) > ACTIVE_LEVEL:
            self.last_active = self.end

    def get(self, start: int, samples: int) -> NDArray[np.float64]:
        """Zeros where nothing is known (yet, or any more)."""
        out = np.zeros(samples, np.float64)
        low, high = max(start, self.end - MEMORY, 0), min(start + samples, self.end)
        if low < high:
            out[low - start : high - start] = self._ring[np.arange(low, high) % MEMORY]
        return out

    def _silence(self, samples: int) -> None:
        self._history = np.zeros(DECIMATE_TAPS, np.float64)
        if samples >= MEMORY:
            self._ring[:] = 0.0
            self.end += samples
        else:
            self._write(np.zeros(samples))

    def _write(self, values: NDArray[np.float64]) -> None:
        self._ring[np.arange(self.end, self.end + len(values)) % MEMORY] = values
        self.end += len(values)


class EchoCanceller:
    def __init__(self, delay_ms: float = 0.0) -> None:
        """`delay_ms`: known delay of the sound system, taken off the reference so that the tail covers the room."""
        self._delay = round(delay_ms * CLOCK_HZ / 1000)
        self.reference = Reference()
        self._position: int | None = None
        self._rest = np.zeros(0, np.float64)
        self.resets = 0
        self.reset()
        self.resets = 0

    def reset(self) -> None:
        """The microphone or its rate changed: what was learnt is of another path."""
        self._filters = np.zeros((PARTITIONS, BINS), np.complex128)  # [partition, bin]
        self._uncertainty = np.full((PARTITIONS, BINS), FIRST_UNCERTAINTY)
        self._spectra = np.zeros((PARTITIONS, BINS), np.complex128)  # newest first
        self._previous = np.zeros(BLOCK)
        self._error_power = np.zeros(BINS)
        self._coupling = FIRST_COUPLING
        self._powers = np.zeros(HELD_BLOCKS)
        self.resets += 1

    def rendered(self, at: Samples, pcm24k: NDArray[np.int16]) -> None:
        self.reference.add(at + self._delay, pcm24k)

    def clean(self, start: Samples, pcm16: NDArray[np.int16]) -> Cleaned:
        """Same length, no delay: whole 10 ms blocks are cleaned; a shorter rest (other block lengths only) is cleaned by the filter as is."""
        if self._position != start:  # a gap: the spectra of the past no longer fit
            self._spectra[:] = 0
            self._previous = self.reference.get(start - BLOCK, BLOCK)
        self._position = start + len(pcm16)
        if start - self.reference.last_active > PASS_AFTER:
            self._spectra[:] = 0
            self._previous = np.zeros(BLOCK)
            self._powers[:] = 0
            return Cleaned(pcm16, SILENCE_DB, True)
        out = np.empty(len(pcm16), np.float64)
        for at in range(0, len(pcm16), BLOCK):
            piece = pcm16[at : at + BLOCK].astype(np.float64)
            out[at : at + len(piece)] = self._block(start + at, piece)
        cleaned = np.clip(np.rint(out), -32768, 32767).astype(np.int16)
        loudest = float(self._powers.max())
        residual = SILENCE_DB if loudest <= 0 else max(SILENCE_DB, 10 * math.log10(self._coupling * loudest / 32768.0**2 + 1e-12))
        return Cleaned(cleaned, residual, False)

    def _block(self, start: int, microphone: NDArray[np.float64]) -> NDArray[np.float64]:
        far = self.reference.get(start, BLOCK)
        self._spectra = np.roll(self._spectra, 1, axis=0)
        self._spectra[0] = np.fft.rfft(np.concatenate([self._previous, far]) / 32768.0)
        self._previous = far
        echo = np.fft.irfft((self._spectra * self._filters).sum(axis=0), FFT)[BLOCK:] * 32768.0
        error = microphone - echo[: len(microphone)]
        self._track_coupling(far, error)
        if len(microphone) == BLOCK:
            self._adapt(error)
        return error

    def _adapt(self, error: NDArray[np.float64]) -> None:
        error_spectrum = np.fft.rfft(np.concatenate([np.zeros(BLOCK), error]) / 32768.0)
        power = np.abs(self._spectra) ** 2
        self._error_power = 0.9 * self._error_power + 0.1 * np.abs(error_spectrum) ** 2
        explained = (self._uncertainty * power).sum(axis=0) * 0.5
        noise = np.maximum(self._error_power, np.abs(error_spectrum) ** 2)
        gain = self._uncertainty / (explained + noise + 1e-9)
        update = gain * self._spectra.conj() * error_spectrum
        taps = np.fft.irfft(update, FFT, axis=1)
        taps[:, BLOCK:] = 0.0  # linear, not circular, convolution
        self._filters += np.fft.rfft(taps, axis=1)
        self._uncertainty *= FORGET**2 * (1 - 0.5 * np.minimum(1.0, gain * power))
        self._uncertainty += (1 - FORGET**2) * np.abs(self._filters) ** 2

    def _track_coupling(self, far: NDArray[np.float64], error: NDArray[np.float64]) -> None:
        self._powers = np.roll(self._powers, 1)
        self._powers[0] = float(np.mean(far**2))
        loudest = float(self._powers.max())
        if loudest > ACTIVE_LEVEL**2 and len(error):
            seen = float(np.mean(error**2)) / loudest
            if seen < self._coupling:
                self._coupling = max(LEAST_COUPLING, self._coupling + 0.15 * (seen - self._coupling))
            else:
                self._coupling = min(1.0, self._coupling * COUPLING_RISE, seen)


def near_end(now: bool, cleaned: Cleaned, margin_db: float = 6.0) -> bool:
    """Somebody speaks here: it sounds like speech and is louder than the echo that may be left."""
    return now and level_db(cleaned.pcm16) > cleaned.residual_db + margin_db
