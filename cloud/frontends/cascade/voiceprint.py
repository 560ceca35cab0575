"""Who is it? A unit vector per stretch of speech; two of the same voice lie close (cosine), two of different voices less so.

GE2E (Wan et al. 2018) as trained by Resemblyzer: 40 mel bands, three LSTM layers of 256, a linear layer, ReLU, unit length; windows of
1.6 s. In NumPy: 160 small steps need no runtime of their own. Does not know whose voice is whose, or speech from noise.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ridealong.cloud.frontends.cascade.audio import Floats
from ridealong.cloud.frontends.cascade.legacy_checkpoint import Tensors, read_tensors
from ridealong.errors import UserError

RATE_HZ = 16_000
WINDOW, HOP, BANDS = 400, 160, 40
FRAMES = 160
HIDDEN, LAYERS = 256, 3
LEVEL_DBFS = -30.0
LEAST_SAMPLES = RATE_HZ // 4
MOST_WINDOWS = 3
SHAPES = {"linear.weight": (HIDDEN, HIDDEN), "linear.bias": (HIDDEN,)} | {
    f"lstm.{kind}_l{layer}": shape
    for layer in range(LAYERS)
    for kind, shape in {
        "weight_ih": (4 * HIDDEN, BANDS if layer == 0 else HIDDEN),
        "weight_hh": (4 * HIDDEN, HIDDEN),
        "bias_ih": (4 * HIDDEN,),
        "bias_hh": (4 * HIDDEN,),
    }.items()
}


class VoicePrint:
    """One per process; safe to share between threads."""

    def __init__(self, path: Path) -> None:
        tensors = read_tensors(path, "model_state")
        for name, shape in SHAPES.items():
            found = tensors[name].shape if name in tensors else None
            if found != shape:
                raise UserError(f"{path}: {name} is {found}, not {shape}; run `ridealong models fetch` again.")
        self._tensors: Tensors = tensors

    def embed(self, speech: Floats) -> NDArray[np.float32] | None:
        """[256], unit length, of mostly voiced samples; None below a quarter of a second. At most the last 4 s count."""
        if len(speech) < LEAST_SAMPLES:
            return None
        windows = _windows(_mel(_levelled(speech)))  # [windows, frames, bands]
        state = windows.transpose(1, 0, 2)  # [frames, windows, bands]
        for layer in range(LAYERS):
            state = self._layer(state, layer)
        raw = np.maximum(0.0, state[-1] @ self._tensors["linear.weight"].T + self._tensors["linear.bias"])
        each = raw / (np.linalg.norm(raw, axis=1, keepdims=True) + 1e-9)
        mean = each.mean(axis=0)
        return np.asarray(mean / (np.linalg.norm(mean) + 1e-9), np.float32)

    def _layer(self, inputs: NDArray[np.float32], layer: int) -> NDArray[np.float32]:
        """[frames, windows, n] -> [frames, windows, 256]; gates in the order input, forget, cell, output.

        One product a gate: so small that the linear algebra library computes it in this thread. Its worker threads cost more than they
        give here, and on a busy machine they made a step take a hundred times as long."""
        get = self._tensors
        across = inputs @ get[f"lstm.weight_ih_l{layer}"].T + get[f"lstm.bias_ih_l{layer}"] + get[f"lstm.bias_hh_l{layer}"]
        backs = [np.ascontiguousarray(gate.T) for gate in np.split(get[f"lstm.weight_hh_l{layer}"], 4)]
        hidden = np.zeros((inputs.shape[1], HIDDEN), np.float32)
        cell = np.zeros_like(hidden)
        out = np.empty((*inputs.shape[:2], HIDDEN), np.float32)
        for step in range(len(inputs)):
            given = np.split(across[step], 4, axis=1)
            into, forget, candidate, output = (given[gate] + hidden @ backs[gate] for gate in range(4))
            cell = _sigmoid(forget) * cell + _sigmoid(into) * np.tanh(candidate)
            hidden = _sigmoid(output) * np.tanh(cell)
            out[step] = hidden
        return out


def similarity(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """Cosine; the vectors have unit length and no negative entries, so 0..1."""
    return float(one @ other)


def _sigmoid(values: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(1.0 / (1.0 + np.exp(-np.maximum(values, -80.0))), np.float32)


def _levelled(speech: Floats) -> Floats:
    """Raised to -30 dBFS where softer, as in training."""
    rms = float(np.sqrt(np.mean(speech**2))) + 1e-9
    return np.asarray(speech * max(1.0, 10 ** (LEVEL_DBFS / 20) / rms), np.float32)


def _mel(speech: Floats) -> NDArray[np.float32]:
    """[frames, 40]: mel power (not logarithmic), frames of 25 ms every 10 ms, centred."""
    padded = np.pad(speech, WINDOW // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP]
    power = np.abs(np.fft.rfft(frames * _hann(), axis=1)) ** 2
    return np.asarray(power @ _filters().T, np.float32)


def _windows(mel: NDArray[np.float32]) -> NDArray[np.float32]:
    """[windows, 160, 40]: the last ones, overlapping by a half; a short stretch is repeated to fill one."""
    if len(mel) < FRAMES:
        return np.resize(mel, (FRAMES, BANDS))[None]
    starts = range(len(mel) - FRAMES, -1, -FRAMES // 2)
    return np.stack([mel[start : start + FRAMES] for start in list(starts)[:MOST_WINDOWS]])


@lru_cache(1)
def _hann() -> NDArray[np.float32]:
    return np.asarray(0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW), np.float32)


@lru_cache(1)
def _filters() -> NDArray[np.float32]:
    """[40, 201]: triangles equally spaced on the Slaney mel scale (linear up to 1 kHz), each of unit area."""
    top = _to_mel(np.array([RATE_HZ / 2]))[0]
    edges = _to_hertz(np.linspace(0.0, top, BANDS + 2))
    bins = np.arange(WINDOW // 2 + 1) * RATE_HZ / WINDOW
    rise = (bins[None] - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    fall = (edges[2:, None] - bins[None]) / (edges[2:] - edges[1:-1])[:, None]
    triangles = np.maximum(0.0, np.minimum(rise, fall))
    return np.asarray(triangles * (2.0 / (edges[2:] - edges[:-2]))[:, None], np.float32)


def _to_mel(hertz: NDArray[np.float64]) -> NDArray[np.float64]:
    linear = hertz * 3 / 200
    return np.where(hertz < 1000, linear, 15 + np.log(np.maximum(hertz, 1) / 1000) * 27 / np.log(6.4))


def _to_hertz(mel: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(mel < 15, mel * 200 / 3, 1000 * np.exp((mel - 15) * np.log(6.4) / 27))
