"""Whisper's log-mel spectrogram in NumPy: shared by the recogniser and the turn model, which use the same front-end.

Source: Radford et al. 2022 (Whisper), section 2.2: 80 Slaney mel bands, 25 ms Hann windows every 10 ms, log10, 8 decades of
range, scaled to about [-1, 1]. Knows no model.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from ridealong.cloud.frontends.cascade.audio import Floats

RATE_HZ = 16_000
HOP_SAMPLES = 160
FFT_SAMPLES = 400
BANDS = 80
FRAMES_PER_S = RATE_HZ // HOP_SAMPLES


@cache
def _filters() -> npt.NDArray[np.float32]:
    """[80, 201]: triangles of unit area on the Slaney scale (linear to 1 kHz, logarithmic above), 0 to 8 kHz."""
    linear_hz, corner_hz, log_step = 200.0 / 3, 1000.0, np.log(6.4) / 27.0
    corner_mel = corner_hz / linear_hz
    top_mel = corner_mel + np.log(RATE_HZ / 2 / corner_hz) / log_step
    mels = np.linspace(0.0, top_mel, BANDS + 2)
    edges_hz = np.where(mels < corner_mel, mels * linear_hz, corner_hz * np.exp(log_step * (mels - corner_mel)))
    bins_hz = np.fft.rfftfreq(FFT_SAMPLES, 1 / RATE_HZ)
    low, centre, high = edges_hz[:-2, None], edges_hz[1:-1, None], edges_hz[2:, None]
    triangles = np.minimum((bins_hz - low) / (centre - low), (high - bins_hz) / (high - centre))
    return np.asarray(np.maximum(triangles, 0.0) * (2.0 / (high - low)), dtype=np.float32)


@cache
def _window() -> npt.NDArray[np.float32]:
    return np.asarray(np.hanning(FFT_SAMPLES + 1)[:-1], dtype=np.float32)


def log_mel(samples: Floats, frames: int) -> npt.NDArray[np.float32]:
    """[80, frames] of 16 kHz audio, cut or padded with silence at its end to `frames` frames of 10 ms."""
    wanted = frames * HOP_SAMPLES
    padded = np.zeros(wanted, dtype=np.float32)
    kept = min(wanted, len(samples))
    padded[:kept] = samples[:kept]
    around = np.pad(padded, FFT_SAMPLES // 2, mode="reflect")
    slices = np.lib.stride_tricks.sliding_window_view(around, FFT_SAMPLES)[::HOP_SAMPLES][:frames]
    power = np.abs(np.fft.rfft(slices * _window(), axis=1)).astype(np.float32) ** 2
    decades = np.log10(np.maximum(_filters() @ power.T, 1e-10))
    return np.asarray((np.maximum(decades, decades.max() - 8.0) + 4.0) / 4.0, dtype=np.float32)
