"""How late the echo is, and how fast that changes: what the filter's tail alone cannot follow.

DelayFinder: correlation of microphone and reference with flattened spectra (generalised cross-correlation, Knapp and Carter 1976)
over -0.2 to 0.6 s, four times a second while the assistant sounds. Two agreeing peaks, or a very clear one, are a finding.
DriftFinder: the loudspeaker's clock against the microphone's, from how the learnt filter's phase turns within half a second.

Neither knows positions of the device clock, levels, speech or what is done with a finding.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ridealong.proto.types import CLOCK_HZ

Floats = NDArray[np.float32]

EARLIEST: Final = -CLOCK_HZ // 5
LATEST: Final = CLOCK_HZ * 6 // 10
LISTENED: Final = CLOCK_HZ // 2
NEEDED_REFERENCE: Final = LISTENED + LATEST - EARLIEST
SIZE: Final = 1 << 14  # of the transform, at 8 kHz: longer than the reference needed
FLATTEN: Final = 0.8
KEEP: Final = 0.6
SIGNIFICANT: Final = 7.0  # peak by the spread of all; chance reaches 6, rarely 8
CERTAIN: Final = 12.0  # no second look is needed
AGREE: Final = CLOCK_HZ // 500
DIRECT_SHARE: Final = 0.5  # of the highest peak: an earlier one as high as this is the direct path
DIRECT_WITHIN: Final = CLOCK_HZ // 20


class DelayFinder:
    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self._cross = np.zeros(SIZE // 2 + 1, np.complex64)
        self._last: int | None = None

    def look(self, microphone: Floats, reference: Floats) -> int | None:
        """LISTENED samples of the microphone, and of the reference from LATEST before these to -EARLIEST after. The delay in samples."""
        near, far = (np.fft.rfft(sound.reshape(-1, 2).sum(axis=1), SIZE) for sound in (microphone, reference))
        cross = far.conj() * near
        size = np.abs(cross)
        self._cross *= KEEP
        self._cross += cross / (size + 1e-12) ** FLATTEN
        correlation = np.abs(np.fft.irfft(self._cross, SIZE))
        lags = (LATEST - EARLIEST) // 2
        found = np.roll(correlation, lags)[:lags]  # the reference begins LATEST earlier: lag -LATEST/2 .. is index 0
        peak = int(np.argmax(found))
        significance = float(found[peak] / (np.sqrt(np.mean(found**2)) + 1e-20))
        if significance < SIGNIFICANT:
            self._last = None
            return None
        first = max(0, peak - DIRECT_WITHIN // 2)
        peak = first + int(np.argmax(found[first : peak + 1] >= DIRECT_SHARE * found[peak]))
        delay = 2 * peak + EARLIEST
        agreed = significance > CERTAIN or (self._last is not None and abs(self._last - delay) <= AGREE)
        self._last = delay
        return delay if agreed else None


class DriftFinder:
    """`rate`: by how many samples a sample the echo's delay grows."""

    LIMIT: Final = 3e-4
    FIRST_GAIN: Final = 0.6
    GAIN: Final = 0.25
    LIKE: Final = 0.8  # two filters less like each other are of different paths
    BINS: Final = slice(4, 72)  # 200 to 3600 Hz

    def __init__(self) -> None:
        self.rate = 0.0
        self._gain = self.FIRST_GAIN
        self._old: NDArray[np.complex64] | None = None

    def clear(self) -> None:
        self._old = None

    def look(self, filters: NDArray[np.complex64], samples: int) -> None:
        """The filter as it is now, so many samples after the last look."""
        new = filters[:, self.BINS].copy()
        old, self._old = self._old, new
        if old is None:
            return
        cross = (new * old.conj()).sum(axis=0)
        like = np.abs(cross).sum() / np.sqrt((np.abs(new) ** 2).sum() * (np.abs(old) ** 2).sum() + 1e-20)
        if like < self.LIKE:
            return
        bins = np.arange(self.BINS.start, self.BINS.stop)
        weight = np.abs(cross)
        turned = -(weight * bins * np.angle(cross)).sum() / ((weight * bins**2).sum() + 1e-20) * (filters.shape[1] - 1) / np.pi
        self.rate = float(np.clip(self.rate + self._gain * turned / samples, -self.LIMIT, self.LIMIT))
        self._gain = max(self.GAIN, 0.85 * self._gain)
