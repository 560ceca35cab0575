"""The air between the device's speaker and its microphone, on the sample clock: what the speaker plays comes back as an echo.

    microphone(t) = trip(t) + echo of what the speaker rendered + optional noise

The echo path is a delay and a decaying impulse response, made from a seed; its level is the energy of the response in dB. The
loudspeaker may saturate and its clock may drift; the path may change on the way (somebody turned the volume, another device plays).
Positions, not arrival order, decide: the same render at the same place gives the same samples however it was sliced.

Does not know: what a device is, who speaks, or what anything means. All positions are samples of the device clock (16 kHz).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ridealong.proto.types import CLOCK_HZ, SPEECH_HZ, Samples

RENDER_MEMORY_S = 4.0
"""How much of the past render is kept; must exceed delay + response + the longest read."""
REFLECTIONS = 24
DIFFUSE_SHARE = 1.0  # energy of the dense tail beside the direct path's 1
FILTER_TAPS = 97  # at 48 kHz, the common multiple of both rates


@dataclass(frozen=True, slots=True)
class EchoPath:
    """`level_db`: energy of the path (0 dB: the microphone hears the speaker as loud as it was rendered).

    `diffuse`: besides the reflections, a dense tail that falls by 60 dB in `tail_ms`, as a real room's. `clip_dbfs`: the level at
    which the loudspeaker saturates (tanh); None: never.
    """

    level_db: float = -20.0
    delay_ms: float = 60.0
    tail_ms: float = 120.0
    seed: int = 1
    diffuse: bool = False
    clip_dbfs: float | None = None

    def taps(self) -> NDArray[np.float32]:
        """The impulse response at 16 kHz, direct path first."""
        random = np.random.default_rng(self.seed)
        delay = round(self.delay_ms * CLOCK_HZ / 1000)
        tail = max(1, round(self.tail_ms * CLOCK_HZ / 1000))
        response = np.zeros(delay + tail + 1, dtype=np.float64)
        response[delay] = 1.0
        at = np.sort(random.integers(1, tail + 1, REFLECTIONS))
        response[delay + at] += 0.7 * random.choice([-1.0, 1.0], REFLECTIONS) * 10 ** (-1.5 * at / tail)
        if self.diffuse:
            decay = 10 ** (-3 * np.arange(1, tail + 1) / tail)
            response[delay + 1 :] += DIFFUSE_SHARE * decay * random.standard_normal(tail) / np.sqrt(np.sum(decay**2))
        response *= 10 ** (self.level_db / 20) / np.sqrt(np.sum(response**2))
        return response.astype(np.float32)

    def driven(self, rendered: NDArray[np.float32]) -> NDArray[np.float32]:
        """What the loudspeaker makes of its signal."""
        if self.clip_dbfs is None:
            return rendered
        most = np.float32(32768 * 10 ** (self.clip_dbfs / 20))
        return np.asarray(most * np.tanh(rendered / most), dtype=np.float32)


def _lowpass(finer: int = 1) -> NDArray[np.float64]:
    """Windowed sinc at 48 kHz, pass band up to 7.6 kHz, gain 2 (one sample in two is a zero). Kaiser (beta 8): -80 dB.

    `finer`: so many values between two taps, for positions between samples.
    """
    count = (FILTER_TAPS - 1) * finer + 1
    n = (np.arange(count) - (count - 1) / 2) / finer
    cutoff = 7_600 / 48_000
    taps = 2 * cutoff * np.sinc(2 * cutoff * n) * np.kaiser(count, 8.0)
    return np.asarray(2 * finer * taps / np.sum(taps), dtype=np.float64)


FINER = 1024
_LOWPASS = _lowpass()
_FINE = _lowpass(FINER)[(FILTER_TAPS - 1) * FINER // 2 :]


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
    """`trip`: what the microphone hears of the world, from position 0 (16 kHz); silence after its end.

    `changes`: (position, path) from which another path is in force, in order. `drift_ppm`: how much too fast the loudspeaker's
    clock runs, from position 0 on.
    """

    def __init__(
        self,
        trip: NDArray[np.int16],
        echo: EchoPath | None = EchoPath(),
        *,
        noise_dbfs: float | None = None,
        seed: int = 1,
        changes: Sequence[tuple[int, EchoPath]] = (),
        drift_ppm: float = 0.0,
    ) -> None:
        self._paths = [(0, echo)] if echo is not None else []
        self._paths += changes
        if any((path.delay_ms + path.tail_ms) / 1000 > RENDER_MEMORY_S / 2 for _, path in self._paths):
            raise ValueError(f"an echo path may be at most {RENDER_MEMORY_S / 2:g} s long")
        self._taps = [path.taps() for _, path in self._paths]
        self._trip = trip
        self._drift = drift_ppm * 1e-6
        self._noise = _pink_noise(noise_dbfs, seed) if noise_dbfs is not None else None
        self._render = _Render()

    def speaker_sink(self, at: Samples, pcm24k: bytes) -> None:
        """The speaker rendered these samples (24 kHz mono PCM16), beginning at this position of the device clock."""
        self._render.write(at * SPEECH_HZ // CLOCK_HZ, np.frombuffer(pcm24k, dtype="<i2"))

    def microphone_source(self, start: Samples, count: int) -> NDArray[np.int16]:
        """`count` samples from `start` (may be before 0: silence)."""
        mixed = _slice(self._trip, start, count).astype(np.float32)
        mixed += self.echo(start, count)
        if self._noise is not None:
            mixed += self._noise[np.arange(start, start + count) % len(self._noise)]
        return np.clip(np.rint(mixed), -32768, 32767).astype(np.int16)

    def echo(self, start: int, count: int) -> NDArray[np.float32]:
        """The echo alone."""
        out = np.zeros(count, dtype=np.float32)
        for number, ((since, path), taps) in enumerate(zip(self._paths, self._taps, strict=True)):
            until = self._paths[number + 1][0] if number + 1 < len(self._paths) else start + count
            low, high = max(start, since) if number else start, min(start + count, until)
            if low < high:
                history = self.rendered(low - len(taps) + 1, high - low + len(taps) - 1)
                if history.any():
                    out[low - start : high - start] = np.convolve(path.driven(history), taps, mode="valid")
        return out

    def rendered(self, start: int, count: int) -> NDArray[np.float32]:
        """The speaker's signal at 16 kHz: two zero-stuffed, filtered, every third (48 kHz between)."""
        if self._drift:
            return self._drifted(start, count)
        half = (FILTER_TAPS - 1) // 2
        low48, high48 = 3 * start - half, 3 * (start + count - 1) + half + 1
        first24 = -(-low48 // 2)
        samples = self._render.read(first24, (high48 + 1) // 2)
        if not samples.any():
            return np.zeros(count, dtype=np.float32)
        stuffed = np.zeros(high48 - low48, dtype=np.float64)
        stuffed[2 * first24 - low48 :: 2] = samples[: len(stuffed[2 * first24 - low48 :: 2])]
        return np.convolve(stuffed, _LOWPASS, mode="valid")[::3].astype(np.float32)

    def _drifted(self, start: int, count: int) -> NDArray[np.float32]:
        """The same filter taken at any position between two samples."""
        at24 = np.arange(start, start + count) * (1 + self._drift) * SPEECH_HZ / CLOCK_HZ
        half = (FILTER_TAPS - 1) // 4
        first = int(np.floor(at24[0])) - half
        samples = self._render.read(first, int(np.floor(at24[-1])) + half + 2)
        if not samples.any():
            return np.zeros(count, dtype=np.float32)
        index = np.floor(at24).astype(np.int64)[:, None] - first + np.arange(-half, half + 1)  # [sample, tap]
        away = np.abs(at24[:, None] - first - index) * 2 * FINER  # 2: in samples of 48 kHz
        taps = _FINE[np.minimum(np.rint(away).astype(np.int64), len(_FINE) - 1)]
        return np.asarray((taps * samples[index]).sum(axis=1), dtype=np.float32)


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
