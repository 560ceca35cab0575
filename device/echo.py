"""Takes the assistant's own voice out of the microphone: a partitioned-block frequency-domain filter with a step per frequency.

    rendered(at, pcm24k)  then  clean(start, pcm16) -> Cleaned(pcm16, residual_db, bypassed)

The reference is what the speaker really rendered, resampled 24 -> 16 kHz, on the device clock. Blocks of 10 ms (FFT of 20 ms), 24
partitions: 240 ms of tail. The step size is a Kalman gain (Enzner and Vary 2006; partitioned: Kuech et al. 2014): each bin adapts as its
uncertainty is to the observed error, so that near-end speech, which raises the error, stops adaptation instead of spoiling the filter.

`residual_db` is how much echo may be left: the filter's own uncertainty times what was rendered, at its highest in 40 ms. It is high
until the filter has learnt, and does not depend on who talks meanwhile. When the filter makes things worse for a while, the path has
changed and it starts anew. Nothing rendered for a second: samples pass untouched.

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
FORGET: Final = 0.999
FIRST_UNCERTAINTY: Final = 0.01  # of a partition's gain squared: an echo path of -6 dB in all
DECIMATE_TAPS: Final = 48
LEFT_BLOCKS: Final = 4
SLACK: Final = CLOCK_HZ // 100  # the speaker plays on without a seam, so a clock that moves less than this moves nothing
WORSE_DECAY: Final = 0.95
WORSE_RATIO: Final = 1.2  # more power after the filter than before it: the echo path is another


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

    def add(self, at: int, pcm24k: NDArray[np.int16]) -> int:
        """Blocks of a multiple of 3 frames. Returns by how many samples the reference now lies later than it did.

        A clock that is corrected by a sample now and then moves nothing: the reference runs up to SLACK ahead of it, and is set half
        of that ahead when it fell behind or ran further. A longer stretch that was skipped was silence; what would lie before
        `end` is cut.
        """
        moved = 0
        ahead = self.end - at
        if -SLACK < ahead < 0 and self.end:
            moved = SLACK // 2 - ahead
            self._write(np.zeros(moved))
        elif ahead < 0:
            self._silence(-ahead)
        elif SLACK < ahead < 2 * SLACK:
            moved = SLACK // 2 - ahead
        samples = pcm24k.astype(np.float64)
        up = np.zeros(2 * len(samples))
        up[::2] = samples
        joined = np.concatenate([self._history, up])
        self._history = joined[len(joined) - DECIMATE_TAPS :]
        filtered = np.convolve(joined, self._taps, "valid")[1:]
        down = filtered[::3]
        if moved < 0:
            down = down[-moved:]
        elif ahead >= 2 * SLACK:
            down = down[min(len(down), ahead) :]
        self._write(down)
        if np.abs(samples).max(initial=0.0) > ACTIVE_LEVEL:
            self.last_active = self.end
        return moved

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
        self.resets = 0
        self.restarts = 0
        self.reset()
        self.resets = 0

    def reset(self) -> None:
        """The microphone or its rate changed: what was learnt is of another path."""
        self._filters = np.zeros((PARTITIONS, BINS), np.complex128)  # [partition, bin]
        self._uncertainty = np.full((PARTITIONS, BINS), FIRST_UNCERTAINTY)
        self._spectra = np.zeros((PARTITIONS, BINS), np.complex128)  # newest first
        self._previous = np.zeros(BLOCK)
        self._error_power = np.zeros(BINS)
        self._left = np.zeros(LEFT_BLOCKS)  # power of the echo that may be left, newest first
        self._before = self._after = 0.0  # microphone and error power while the speaker sounds, smoothed
        self.resets += 1

    def rendered(self, at: Samples, pcm24k: NDArray[np.int16]) -> None:
        moved = self.reference.add(at + self._delay, pcm24k)
        if moved:
            self._shift(moved)

    def clean(self, start: Samples, pcm16: NDArray[np.int16]) -> Cleaned:
        """Same length, no delay: whole 10 ms blocks are cleaned; a shorter rest (other block lengths only) is cleaned by the filter as is."""
        if self._position != start:  # a gap: the spectra of the past no longer fit
            self._spectra[:] = 0
            self._previous = self.reference.get(start - BLOCK, BLOCK)
        self._position = start + len(pcm16)
        if start - self.reference.last_active > PASS_AFTER:
            self._spectra[:] = 0
            self._previous = np.zeros(BLOCK)
            self._left[:] = 0
            return Cleaned(pcm16, SILENCE_DB, True)
        out = np.empty(len(pcm16), np.float64)
        for at in range(0, len(pcm16), BLOCK):
            piece = pcm16[at : at + BLOCK].astype(np.float64)
            out[at : at + len(piece)] = self._block(start + at, piece)
        cleaned = np.clip(np.rint(out), -32768, 32767).astype(np.int16)
        residual = max(SILENCE_DB, 10 * math.log10(float(self._left.max()) + 1e-12))
        return Cleaned(cleaned, residual, False)

    def _shift(self, samples: int) -> None:
        """The reference lies so much later: the echo follows it so much sooner."""
        taps = np.fft.irfft(self._filters, FFT, axis=1)[:, :BLOCK].ravel()
        moved = np.zeros_like(taps)
        if samples > 0:
            moved[:-samples] = taps[samples:]
        else:
            moved[-samples:] = taps[:samples]
        padded = np.zeros((PARTITIONS, FFT))
        padded[:, :BLOCK] = moved.reshape(PARTITIONS, BLOCK)
        self._filters = np.fft.rfft(padded, axis=1)

    def _block(self, start: int, microphone: NDArray[np.float64]) -> NDArray[np.float64]:
        far = self.reference.get(start, BLOCK)
        self._spectra = np.roll(self._spectra, 1, axis=0)
        self._spectra[0] = np.fft.rfft(np.concatenate([self._previous, far]) / 32768.0)
        self._previous = far
        echo = np.fft.irfft((self._spectra * self._filters).sum(axis=0), FFT)[BLOCK:] * 32768.0
        error = microphone - echo[: len(microphone)]
        if len(microphone) == BLOCK:
            self._adapt(error)
            self._watch(far, microphone, error)
        return error

    def _adapt(self, error: NDArray[np.float64]) -> None:
        error_spectrum = np.fft.rfft(np.concatenate([np.zeros(BLOCK), error]) / 32768.0)
        power = np.abs(self._spectra) ** 2
        self._error_power = 0.9 * self._error_power + 0.1 * np.abs(error_spectrum) ** 2
        explained = (self._uncertainty * power).sum(axis=0) * 0.5
        self._left = np.roll(self._left, 1)
        self._left[0] = 2 * float(explained.sum()) / (FFT * BLOCK)
        noise = np.maximum(self._error_power, np.abs(error_spectrum) ** 2)
        gain = self._uncertainty / (explained + noise + 1e-9)
        update = gain * self._spectra.conj() * error_spectrum
        taps = np.fft.irfft(update, FFT, axis=1)
        taps[:, BLOCK:] = 0.0  # linear, not circular, convolution
        self._filters += np.fft.rfft(taps, axis=1)
        self._uncertainty *= FORGET**2 * (1 - 0.5 * np.minimum(1.0, gain * power))
        self._uncertainty += (1 - FORGET**2) * np.abs(self._filters) ** 2

    def _watch(self, far: NDArray[np.float64], microphone: NDArray[np.float64], error: NDArray[np.float64]) -> None:
        """Start anew when the filter makes it worse: what was learnt is of another path."""
        if float(np.mean(far**2)) <= ACTIVE_LEVEL**2:
            return
        self._before = WORSE_DECAY * self._before + (1 - WORSE_DECAY) * float(np.mean(microphone**2))
        self._after = WORSE_DECAY * self._after + (1 - WORSE_DECAY) * float(np.mean(error**2))
        if self._after > WORSE_RATIO * self._before + ACTIVE_LEVEL**2:
            self._filters[:] = 0
            self._uncertainty[:] = FIRST_UNCERTAINTY
            self._before = self._after = 0.0
            self.restarts += 1


def near_end(now: bool, cleaned: Cleaned, margin_db: float = 6.0) -> bool:
    """Somebody speaks here: it sounds like speech and is louder than the echo that may be left."""
    return now and level_db(cleaned.pcm16) > cleaned.residual_db + margin_db
