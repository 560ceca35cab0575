"""The known user's voice, learnt from use: requests that were taken make the voice print, nothing is asked for. Sans-IO.

A print counts from `KNOWN_MS` of voice on. What does not resemble it is learnt only slowly, so that a passenger's request does not
take it over. It lives in the session and is gone with it; `enabled=False` (the user's wish) learns and tells nothing.
Does not know: models, words, or who the user is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

KNOWN_MS = 700.0
LONGEST_MS = 20_000.0
STRANGE = 0.6
STRANGE_SHARE = 0.15
Print = NDArray[np.float32]


@dataclass(slots=True)
class Wearer:
    enabled: bool = True
    heard_ms: float = 0.0
    _mean: Print | None = None

    def learn(self, voice: Print, voiced_ms: float) -> None:
        """A request of `voiced_ms` with this print [256], unit length, was taken."""
        if not self.enabled or voiced_ms <= 0:
            return
        if self._mean is None:
            self._mean, self.heard_ms = voice.copy(), voiced_ms
            return
        share = voiced_ms * (1.0 if float(self._mean @ voice) >= STRANGE else STRANGE_SHARE)
        mixed = self._mean * self.heard_ms + voice * share
        self._mean = np.asarray(mixed / (np.linalg.norm(mixed) + 1e-9), np.float32)
        self.heard_ms = min(LONGEST_MS, self.heard_ms + share)

    def similarity(self, voice: Print | None) -> float | None:
        """Cosine with the known voice; None while it is not known well enough."""
        if not self.enabled or voice is None or self._mean is None or self.heard_ms < KNOWN_MS:
            return None
        return float(self._mean @ voice)

    def forget(self) -> None:
        self._mean, self.heard_ms = None, 0.0
