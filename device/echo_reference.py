"""What was rendered, at 16 kHz by device position; read at any position, between samples too.

    add(at, pcm24k)  then  get(start, samples)

A render that continues the last one is joined without a seam. The conversion from 24 kHz delays it by 0.5 ms: less than any real
echo path. Does not know the microphone, delays or filters.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ridealong.proto.types import CLOCK_HZ

Floats = NDArray[np.float32]

MEMORY: Final = 2 * CLOCK_HZ
ACTIVE_LEVEL: Final = 8.0  # peak of int16 below which a render counts as silence
DECIMATE_TAPS: Final = 48
SLACK: Final = CLOCK_HZ // 100  # the speaker plays on without a seam, so a clock that moves less than this moves nothing
LONG_AGO: Final = -(1 << 40)
BETWEEN_TAPS: Final = 16
FINENESS: Final = 256  # positions between two samples


def _between() -> NDArray[np.float32]:
    """[fraction, tap]: windowed sincs that read the signal so many 256ths of a sample later."""
    taps = np.arange(BETWEEN_TAPS) - (BETWEEN_TAPS // 2 - 1)
    away = taps[None, :] - np.arange(FINENESS + 1)[:, None] / FINENESS
    window = np.cos(np.pi * away / BETWEEN_TAPS) ** 2
    table = np.sinc(away) * window
    return np.asarray(table / table.sum(axis=1, keepdims=True), np.float32)


_BETWEEN: Final = _between()


class Reference:
    def __init__(self) -> None:
        taps = np.arange(DECIMATE_TAPS) - (DECIMATE_TAPS - 1) / 2
        window = np.kaiser(DECIMATE_TAPS, 6.0)
        sinc = np.sinc(2 * 7_400 / 48_000 * taps) * window
        self._taps = 2 * sinc / sinc.sum()  # gain 2: every other sample at 48 kHz is a zero
        self._history = np.zeros(DECIMATE_TAPS, np.float64)
        self._ring = np.zeros(MEMORY, np.float32)
        self.end = 0  # device position up to which the render is known
        self.last_active = LONG_AGO

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

    def get(self, start: float, samples: int) -> Floats:
        """Zeros where nothing is known (yet, or any more)."""
        whole = int(np.floor(start))
        step = round((start - whole) * FINENESS)
        if not step:
            return self._read(whole, samples)
        before = BETWEEN_TAPS // 2 - 1
        around = self._read(whole - before, samples + BETWEEN_TAPS - 1)
        return np.convolve(around, _BETWEEN[step][::-1], "valid").astype(np.float32)

    def _read(self, start: int, samples: int) -> Floats:
        out = np.zeros(samples, np.float32)
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
