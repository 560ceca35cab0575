"""Is somebody speaking? Silero's probability for each 32 ms frame of one microphone.

Positions are samples of the device clock (16 kHz). Does not know: where an utterance begins and ends (`listener.py`), what was said, or
who makes the sound; loud music with singing is speech to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ridealong.cloud.frontends.cascade.audio import Floats
from ridealong.proto.types import CLOCK_HZ, Samples

START = Samples(0)
FRAME_SAMPLES = 512
CONTEXT_SAMPLES = 64
FRESH_AFTER_QUIET_FRAMES = 156
"""After 5 s of clear non-speech the recurrent state starts anew: long noise otherwise drags it down."""
CLEARLY_QUIET = 0.1


@dataclass(frozen=True, slots=True)
class Frame:
    """`at` is the first of its 512 samples."""

    at: Samples
    probability: float


class VadSession:
    """Silero's network. One per process; it keeps no state of its own, so streams may share it between threads."""

    def __init__(self, path: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        self._session: Any = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self._rate = np.array(CLOCK_HZ, dtype=np.int64)

    def step(self, samples: Floats, state: Floats) -> tuple[float, Floats]:
        """`samples` [1, 64 + 512] (the last 64 of the frame before, then the frame), `state` [2, 1, 128]."""
        probability, after = self._session.run(None, {"input": samples, "state": state, "sr": self._rate})
        return float(probability[0, 0]), after

    def stream(self, at: Samples = START) -> VadStream:
        return VadStream(self, at)


class VadStream:
    """The state of one microphone. Feed contiguous audio of any length; `restart` after a gap."""

    def __init__(self, session: VadSession, at: Samples = START) -> None:
        self._session = session
        self.restart(at)

    def restart(self, at: Samples) -> None:
        """Forgets everything; the next sample is `at`."""
        self._at = at
        self._rest = np.zeros(0, dtype=np.float32)
        self._forget()

    def _forget(self) -> None:
        self._state: Floats = np.zeros((2, 1, 128), dtype=np.float32)
        self._context: Floats = np.zeros(CONTEXT_SAMPLES, dtype=np.float32)
        self._quiet_frames = 0

    def feed(self, samples: Floats) -> list[Frame]:
        """The frames that became whole; up to 511 samples wait for the next call."""
        waiting = np.concatenate([self._rest, samples])
        whole = len(waiting) // FRAME_SAMPLES * FRAME_SAMPLES
        self._rest = waiting[whole:]
        return list(self._frames(waiting[:whole]))

    def _frames(self, samples: Floats) -> Iterator[Frame]:
        for start in range(0, len(samples), FRAME_SAMPLES):
            frame = samples[start : start + FRAME_SAMPLES]
            probability, self._state = self._session.step(np.concatenate([self._context, frame])[None], self._state)
            self._context = frame[-CONTEXT_SAMPLES:]
            self._quiet_frames = self._quiet_frames + 1 if probability < CLEARLY_QUIET else 0
            if self._quiet_frames >= FRESH_AFTER_QUIET_FRAMES:
                self._forget()
            yield Frame(self._at, probability)
            self._at = Samples(self._at + FRAME_SAMPLES)
