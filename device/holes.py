"""Silence that tears an utterance apart where nobody meant a pause: the voice was made too slowly, the link was late, or the agent was. Sans-IO.

    heard(epoch, utterance, first, frames, at)  ->  the hole before it, if there is one;  paused()  ->  the next gap is meant

Measured where it is heard: between what the sound device took of an utterance and what it took next of the same one. Does not know why there was
nothing to play, or what was said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ridealong.proto.types import CLOCK_HZ, SPEECH_HZ, Epoch, Samples, UtteranceId, samples_from_ms

LEAST: Final = samples_from_ms(40)
"""What is shorter is no longer than the stops within words."""


@dataclass(frozen=True, slots=True)
class Hole:
    """`at`: where the speech stopped, in device time."""

    epoch: Epoch
    utterance: UtteranceId
    at: Samples
    samples: int


@dataclass(slots=True)
class Holes:
    """`…_samples` at 16 kHz."""

    holes: int = 0
    hole_samples: int = 0
    longest_hole_samples: int = 0
    _key: tuple[Epoch, UtteranceId] | None = None
    _end: Samples = Samples(0)
    _next: int = 0  # the frame that follows
    _meant: bool = False

    def paused(self) -> None:
        """Speech is held from here on."""
        self._meant = True

    def heard(self, epoch: Epoch, utterance: UtteranceId, first: int, frames: int, at: Samples) -> Hole | None:
        """These frames (24 kHz) of an utterance, the first of them at `at`."""
        key, missing = (epoch, utterance), at - self._end
        torn = key == self._key and first == self._next and missing >= LEAST and not self._meant
        hole = Hole(epoch, utterance, self._end, missing) if torn else None
        if hole is not None:
            self.holes += 1
            self.hole_samples += missing
            self.longest_hole_samples = max(self.longest_hole_samples, missing)
        self._key, self._next, self._meant = key, first + frames, False
        self._end = Samples(at + frames * CLOCK_HZ // SPEECH_HZ)
        return hole
