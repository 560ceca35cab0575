"""Three kinds of log mel features of a reference voice, each as the model that reads it was trained on; and resampling.

Sources: Slaney's mel scale and area norm (Auditory Toolbox, 1998); Kaldi's feature-mel and feature-window pages; windowed-sinc
interpolation (J. O. Smith, Digital Audio Resampling). Runs on the CPU. Knows no models.
"""

from __future__ import annotations

import math
from functools import lru_cache

import torch
from torch import Tensor
from torch.nn import functional as F


@lru_cache(maxsize=8)
def slaney_filters(rate_hz: int, fft: int, bins: int, low_hz: float, high_hz: float) -> Tensor:
    """Triangles of equal area, linear below 1 kHz and logarithmic above. [bins, fft / 2 + 1] float32."""
    step, start, growth = 200.0 / 3, 1000.0, math.log(6.4) / 27

    def to_mel(hz: float) -> float:
        return hz / step if hz < start else start / step + math.log(hz / start) / growth

    marks = torch.linspace(to_mel(low_hz), to_mel(high_hz), bins + 2, dtype=torch.float64)
    corner = start / step
    hz = torch.where(marks < corner, marks * step, start * torch.exp(growth * (marks - corner)))  # [bins + 2]
    at = torch.linspace(0, rate_hz / 2, fft // 2 + 1, dtype=torch.float64)
    rising = (at - hz[:-2, None]) / (hz[1:-1] - hz[:-2])[:, None]
    falling = (hz[2:, None] - at) / (hz[2:] - hz[1:-1])[:, None]
    area = 2.0 / (hz[2:] - hz[:-2])[:, None]
    return (torch.minimum(rising, falling).clamp(min=0) * area).float()


def prompt_mel(samples: Tensor) -> Tensor:
    """The flow's features. samples: 24 kHz, [rows, samples]. Returns natural logs, [rows, 80, samples / 480]."""
    fft, hop = 1920, 480
    edge = (fft - hop) // 2
    padded = F.pad(samples[:, None], (edge, edge), mode="reflect")[:, 0]
    found = torch.stft(padded, fft, hop, window=torch.hann_window(fft), center=False, return_complex=True)
    size = torch.sqrt(found.real.square() + found.imag.square() + 1e-9)  # [rows, 961, frames]
    return (slaney_filters(24_000, fft, 80, 0, 8000) @ size).clamp(min=1e-5).log()


def tokenizer_mel(samples: Tensor) -> Tensor:
    """The speech tokenizer's features. samples: 16 kHz, [samples]. Returns [128, samples / 160], about -1 ... 1.5."""
    found = torch.stft(samples, 400, 160, window=torch.hann_window(400), return_complex=True)[:, :-1]
    power = found.real.square() + found.imag.square()
    logs = (slaney_filters(16_000, 400, 128, 0, 8000) @ power).clamp(min=1e-10).log10()
    return (torch.maximum(logs, logs.max() - 8.0) + 4.0) / 4.0


@lru_cache(maxsize=1)
def _kaldi_filters() -> Tensor:
    """80 triangles on Kaldi's mel scale, 20 Hz to 8 kHz, for 16 kHz and 512 points. [80, 257] float32."""

    def to_mel(hz: Tensor) -> Tensor:
        return 1127.0 * torch.log1p(hz / 700.0)

    low, high = (float(to_mel(torch.tensor(hz, dtype=torch.float64))) for hz in (20.0, 8000.0))
    step = (high - low) / 81
    at = to_mel(torch.arange(257, dtype=torch.float64) * (16_000 / 512))
    left = low + step * torch.arange(80, dtype=torch.float64)[:, None]
    found = torch.minimum((at - left) / step, (left + 2 * step - at) / step).clamp(min=0)
    found[:, -1] = 0  # Kaldi leaves out the highest frequency
    return found.float()


def kaldi_fbank(samples: Tensor) -> Tensor:
    """The speaker model's features, undithered. samples: 16 kHz, -1 ... 1, [samples]. Returns natural logs, [frames, 80].

    Frames of 25 ms every 10 ms, those that fit whole; mean out, pre-emphasis 0.97, Povey's window, power.
    """
    if samples.shape[0] < 400:
        return samples.new_zeros(0, 80)
    frames = samples.unfold(0, 400, 160)  # [frames, 400]
    frames = frames - frames.mean(dim=1, keepdim=True)
    frames = frames - 0.97 * torch.cat([frames[:, :1], frames[:, :-1]], dim=1)
    frames = frames * torch.hann_window(400, periodic=False).pow(0.85)
    power = torch.fft.rfft(F.pad(frames, (0, 112))).abs().square()  # [frames, 257]
    return (power @ _kaldi_filters().T).clamp(min=torch.finfo(torch.float32).eps).log()


def resampled(samples: Tensor, from_hz: int, to_hz: int) -> Tensor:
    """samples: [samples]. At another rate: a sinc in a Hann window, six zero crossings a side, cut a little below the lower Nyquist rate."""
    if from_hz == to_hz:
        return samples
    common = math.gcd(from_hz, to_hz)
    old, new = from_hz // common, to_hz // common
    cut = min(old, new) * 0.99  # in units of the common rate
    reach = math.ceil(6 * old / cut)
    taps = torch.arange(-reach, reach + old, dtype=torch.float64) / old
    phases = torch.arange(new, dtype=torch.float64)[:, None] / new
    place = ((taps - phases) * cut).clamp(-6, 6)  # [new, taps]
    kernel = torch.sinc(place) * torch.cos(place * (math.pi / 12)).square() * (cut / old)
    padded = F.pad(samples, (reach, reach + old))
    found = F.conv1d(padded[None, None], kernel[:, None].to(samples.dtype), stride=old)  # [1, new, blocks]
    return found[0].T.flatten()[: math.ceil(samples.shape[0] * new / old)]
