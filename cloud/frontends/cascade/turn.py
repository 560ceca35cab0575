"""Is the turn complete? Smart Turn 3.2 on the last 8 s: intonation and wording together, 60 ms on one core.

Ask only after the VAD fell silent, and act on silence alone after a time-out: the model is trained on turns that end, answers
high for a command cut in the middle now and then, and is unsure of synthetic Chinese. Does not know VAD, text or time-outs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ridealong.cloud.frontends.cascade.audio import Floats
from ridealong.cloud.frontends.cascade.mel import FRAMES_PER_S, RATE_HZ, log_mel

WINDOW_S = 8


class TurnModel:
    """One per process; safe to share between threads."""

    def __init__(self, path: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        self._session: Any = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def completed(self, samples: Floats) -> float:
        """Probability that the speaker has finished, from the turn so far (16 kHz, ending at the silence)."""
        features = log_mel(_normalised(samples), WINDOW_S * FRAMES_PER_S)
        (probability,) = self._session.run(None, {"input_features": features[None]})
        return float(probability[0, 0])  # the output is called logits and is a probability


def _normalised(samples: Floats) -> Floats:
    """The last 8 s, silence before them where they are shorter, zero mean and unit variance over the whole window."""
    window = np.zeros(WINDOW_S * RATE_HZ, dtype=np.float32)
    last = samples[-len(window) :]
    window[len(window) - len(last) :] = last
    return np.asarray((window - window.mean()) / np.sqrt(window.var() + 1e-7), dtype=np.float32)
