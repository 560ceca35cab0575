"""One utterance on its way through the device: what waits, what the mixer was given, and how much of it was heard. Sans-IO, at 24 kHz.

    received: [ heard | faint | given | waiting ]

What passes the speaker too softly (`faint`) does not count as heard as it passes (`playout` says when it does).

Does not know chunks' order, other utterances, gain, or acks.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ridealong.proto.types import SPEECH_HZ, Epoch, Samples, UtteranceId

Key = tuple[Epoch, UtteranceId]


@dataclass(slots=True)
class Outgoing:
    epoch: Epoch
    utterance: UtteranceId
    rate: int
    waiting: int = 0  # frames not yet given
    received: int = 0  # frames, at 24 kHz
    source_end: int = 0
    next_chunk: int = 0
    complete: bool = False
    cut: bool = False  # a chunk is missing: ends as flushed
    given: int = 0  # frames given to the mixer
    passed: int = 0  # frames of these that the speaker took
    played: int = 0  # frames of these that count as heard
    acked_at: int = 0
    started: bool = False
    told_at: Samples = Samples(0)  # the last ack's time
    last_heard: Samples = Samples(0)
    _reported: int = 0
    _pieces: deque[NDArray[np.int16]] = field(default_factory=deque)  # waiting

    @property
    def over(self) -> bool:
        """Nothing more comes, and all that came was heard."""
        return self.complete and not self.waiting and self.played == self.given

    @property
    def key(self) -> Key:
        return self.epoch, self.utterance

    @property
    def faint(self) -> int:
        """Frames that passed too softly, and of which it is open whether they count."""
        return self.passed - self.played

    def played_samples(self) -> int:
        """In the utterance's own rate; monotone, never beyond what arrived."""
        exact = self.source_end if self.played == self.received else self.played * self.rate // SPEECH_HZ
        self._reported = max(self._reported, min(self.source_end, exact))
        return self._reported

    def put(self, pcm16: NDArray[np.int16]) -> None:
        if len(pcm16):
            self._pieces.append(pcm16)
            self.waiting += len(pcm16)
            self.received += len(pcm16)

    def take(self, frames: int) -> NDArray[np.int16]:
        """The next 0 to `frames` frames."""
        taken: list[NDArray[np.int16]] = []
        while frames and self._pieces:
            piece = self._pieces.popleft()
            if len(piece) > frames:
                self._pieces.appendleft(piece[frames:])
                piece = piece[:frames]
            taken.append(piece)
            frames -= len(piece)
            self.waiting -= len(piece)
            self.given += len(piece)
        return np.concatenate(taken) if taken else np.zeros(0, np.int16)

    def heard_to(self, frame: int) -> None:
        """All before `frame` counts as heard."""
        self.played = frame
