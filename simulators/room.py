"""The air between the device's speaker and its microphone, on the sample clock: what the speaker plays comes back as an echo.

    microphone(t) = trip(t) + echo of what the speaker rendered + optional noise

The echo path is a delay and a short decaying impulse response, made from a seed; its level is the energy of the response in
dB. Positions, not arrival order, decide: the same render at the same place gives the same samples however it was sliced.

Does not know: what a device is, who speaks, or what anything means. All positions are samples of the device clock (16 kHz).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ridealong.proto.types import CLOCK_HZ, SPEECH_HZ, Samples

RENDER_MEMORY_S = 4.0
"""How much of the past render is kept; must exceed delay + response + the longest read."""
REFLECTIONS = 24
FILTER_TAPS = 97  # at 48 kHz, the common multiple of both rates


@dataclass(frozen=True, slots=True)
class EchoPath:
    """`level_db`: energy of the path (0 dB: the microphone hears the speaker as loud as it was rendered)."""

    level_db: float = -20.0
    delay_ms: float = 60.0
    tail_ms: float = 120.0
    seed: int = 1

    def taps(self) -> NDArray[np.float32]:
        """The impulse response at 16 kHz, direct path first."""
        random = np.random.default_rng(self.seed)
        delay = round(self.delay_ms * CLOCK_HZ / 1000)
        tail = max(1, round(self.tail_ms * CLOCK_HZ / 1000))
        response = np.zeros(delay + tail + 1, dtype=np.float64)
        response[delay] = 1.0
        at = np.sort(random.integers(1, tail + 1, REFLECTIONS))
        response[delay + at] += 0.7 * random.choice([-1.0, 1.0], REFLECTIONS) * 10 ** (-1.5 * at / tail)
        response *= 10 ** (self.level_db / 20) / np.sqrt(np.sum(response**2))
        return response.astype(np.float32)


def _lowpass() -> NDArray[np.float64]:
    """Windowed sinc at 48 kHz, pass band up to 7.6 kHz, gain 2 (one sample in two is a zero). Kaiser (beta 8): -80 dB."""
    n = np.arange(FILTER_TAPS) - (FILTER_TAPS - 1) / 2
    cutoff = 7_600 / 48_000
    taps = 2 * cutoff * np.sinc(2 * cutoff * n) * np.kaiser(FILTER_TAPS, 8.0)
    return np.asarray(2 * taps / np.sum(taps), dtype=np.float64)


_LOWPASS = _lowpass()


class _Render:
    """What the speaker played, by absolute position at 24 kHz; silence where nothing was."""

    def __init__(self) -> None:
        self._size = int(RENDER_MEMORY_S * SPEECH_HZ)
        self._ring: NDArray[np.float32] = np.zeros(self._size, dtype=np.float32)
        self._end = 0

    def write(self, at24: int, pcm: NDArray[np.int16]) -> None:
        if at24 + len(pcm) > self._end:
            fresh = min(self._size, at24 + len(pcm) - self._end)
            self._ring[np.arange(at24 + len(pcm) - fresh, at24 + len(pcm)) % self._size] = 0
            self._end = at24 + len(pcm)
        keep = max(0, self._end - self._size - at24)
        self._ring[np.arange(at24 + keep, at24 + len(pcm)) % self._size] = pcm[keep:]

    def read(self, start24: int, end24: int) -> NDArray[np.float32]:
        index = np.arange(start24, end24)
        known = (index >= max(0, self._end - self._size)) & (index < self._end)
        return np.where(known, self._ring[index % self._size], np.float32(0))


class Room:
    """`trip`: what the microphone hears of the world, from position 0 (16 kHz); silence after its end."""

    def __init__(
        self, trip: NDArray[np.int16], echo: EchoPath | None = EchoPath(), *, noise_dbfs: float | None = None, seed: int = 1
    ) -> None:
        if echo is not None and (echo.delay_ms + echo.tail_ms) / 1000 > RENDER_MEMORY_S / 2:
            raise ValueError(f"an echo path may be at most {RENDER_MEMORY_S / 2:g} s long")
        self._trip = trip
        self._taps = echo.taps() if echo is not None else None
        self._noise = _pink_noise(noise_dbfs, seed) if noise_dbfs is not None else None
        self._render = _Render()

    def speaker_sink(self, at: Samples, pcm24k: bytes) -> None:
        """The speaker rendered these samples (24 kHz mono PCM16), beginning at this position of the device clock."""
        self._render.write(at * SPEECH_HZ // CLOCK_HZ, np.frombuffer(pcm24k, dtype="<i2"))

    def microphone_source(self, start: Samples, count: int) -> NDArray[np.int16]:
        """`count` samples from `start` (may be before 0: silence)."""
        mixed = _slice(self._trip, start, count).astype(np.float32)
        if self._taps is not None:
            history = self.rendered(start - len(self._taps) + 1, count + len(self._taps) - 1)
            if history.any():
                mixed += np.convolve(history, self._taps, mode="valid")
        if self._noise is not None:
            mixed += self._noise[np.arange(start, start + count) % len(self._noise)]
        return np.clip(np.rint(mixed), -32768, 32767).astype(np.int16)

    def rendered(self, start: int, count: int) -> NDArray[np.float32]:
        """The speaker's signal at 16 kHz: two zero-stuffed, filtered, every third (48 kHz between)."""
        half = (FILTER_TAPS - 1) // 2
        low48, high48 = 3 * start - half, 3 * (start + count - 1) + half + 1
        first24 = -(-low48 // 2)
        samples = self._render.read(first24, (high48 + 1) // 2)
        if not samples.any():
            return np.zeros(count, dtype=np.float32)
        stuffed = np.zeros(high48 - low48, dtype=np.float64)
        stuffed[2 * first24 - low48 :: 2] = samples[: len(stuffed[2 * first24 - low48 :: 2])]
        return np.convolve(stuffed, _LOWPASS, mode="valid")[::3].astype(np.float32)


def _slice(samples: NDArray[np.int16], start: int, count: int) -> NDArray[np.int16]:
    out = np.zeros(count, dtype=np.int16)
    low, high = max(0, start), min(len(samples), start + count)
    if high > low:
        out[low - start : high - start] = samples[low:high]
    return out


def _pink_noise(dbfs: float, seed: int, seconds: int = 10) -> NDArray[np.float32]:
    """A loop of pink noise with this RMS level."""
    count = seconds * CLOCK_HZ
    spectrum = np.fft.rfft(np.random.default_rng(seed).standard_normal(count))
    spectrum[1:] /= np.sqrt(np.arange(1, len(spectrum)))
    spectrum[0] = 0
    noise = np.fft.irfft(spectrum, count)
    return np.asarray(noise * (32768 * 10 ** (dbfs / 20) / np.sqrt(np.mean(noise**2))), dtype=np.float32)
