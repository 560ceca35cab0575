"""Playout and mixer joined as the agent joins them, on a clock of their own: for tests of what is heard and what is acknowledged."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ridealong.device import mixer as mix
from ridealong.device import playout as out
from ridealong.proto.types import CLOCK_HZ, SPEECH_HZ, Epoch, PlaybackAck, Samples, UtteranceId

BLOCK = 480


def chunk(
    epoch: int,
    utterance: int,
    number: int,
    frames: int,
    *,
    last: bool = False,
    value: int = 1000,
    end: int | None = None,
    pcm16: NDArray[np.int16] | None = None,
) -> out.SpeechChunk:
    pcm = np.full(frames, value, np.int16) if pcm16 is None else pcm16
    total = end if end is not None else (number + 1) * frames
    return out.SpeechChunk(Epoch(epoch), UtteranceId(utterance), number, last, pcm, total)


class SoundBench:
    """Frames at 24 kHz are taken as they are queued (`cushion` 0) or so much later. Keeps the sound, its spans and the acks."""

    def __init__(self, cushion_frames: int = 0) -> None:
        self.playout = out.Playout()
        self.mixer = mix.Mixer(cushion_frames)
        self.frames = 0  # taken
        self.sound = np.zeros(0, np.int16)
        self.spans: list[tuple[int, mix.Span]] = []  # (frame at which it lies in the sound, span)
        self.acks: list[PlaybackAck] = []

    @property
    def at(self) -> Samples:
        return Samples(self.frames * CLOCK_HZ // SPEECH_HZ)

    def on(self, event: out.SpeechChunk | out.FlushUpTo | mix.Change) -> None:
        match event:
            case out.SpeechChunk():
                self._acked(self.playout.on(event))
            case out.FlushUpTo(epoch=epoch):
                self.mixer.on(mix.FlushUpTo(epoch))
                self._acked(self.playout.on(event))
            case mix.Unduck():
                self._acked(self.playout.on(out.LoudAgain()))
                self.mixer.on(event)
            case _:
                self.mixer.on(event)

    def flush(self, epoch: int) -> None:
        self.on(out.FlushUpTo(Epoch(epoch), self.at))

    def pull(self, frames: int = BLOCK) -> None:
        """Playout gives so much, unless the mixer is full."""
        if not self.mixer.full:
            for effect in self.playout.on(out.Pull(self.at, frames)):
                if isinstance(effect, out.Render):
                    self.mixer.on(mix.Queue(effect.pieces))
                else:
                    self._acked([effect])

    def take(self, frames: int = BLOCK) -> None:
        """The device takes so much."""
        (mixed,) = self.mixer.on(mix.Take(frames))
        began = self.at
        for span in mixed.spans:
            self.spans.append((self.frames + span.offset, span))
            at = Samples(began + span.offset * CLOCK_HZ // SPEECH_HZ)
            self._acked(self.playout.on(out.Heard(span.epoch, span.utterance, span.first, span.frames, at, span.faint)))
        self.sound = np.concatenate([self.sound, mixed.pcm16])
        self.frames += frames

    def run(self, blocks: int) -> None:
        for _ in range(blocks):
            self.pull()
            self.take()

    def trace(self) -> str:
        return " | ".join(f"{ack.utterance}:{ack.state.value} {ack.played_samples} @{ack.at}" for ack in self.acks)

    def heard(self, epoch: int, utterance: int) -> list[tuple[int, int]]:
        """Ranges of the utterance's frames that were heard, in order, adjoining ones joined."""
        ranges: list[tuple[int, int]] = []
        for _, span in self.spans:
            if (span.epoch, span.utterance) == (epoch, utterance):
                if ranges and ranges[-1][1] == span.first:
                    ranges[-1] = (ranges[-1][0], span.first + span.frames)
                else:
                    ranges.append((span.first, span.first + span.frames))
        return ranges

    def _acked(self, effects: list[out.Effect]) -> None:
        for effect in effects:
            if isinstance(effect, out.Ack):
                self.acks.append(effect.ack)
