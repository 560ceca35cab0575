"""Brings each utterance to the speaker's rate before playout: one stateful resampler per utterance, never one per chunk.

Does not know epochs' order, playout or the link. A rate that no speech has is refused with a typed error.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

import numpy as np
import soxr

from ridealong.device.playout import SpeechChunk
from ridealong.proto.types import SPEECH_HZ, Epoch, Speech, UtteranceId

RATES: Final = range(8_000, 48_001)
STREAMS: Final = 16


class UnsupportedRate(ValueError):
    """The peer labelled speech with a rate outside 8–48 kHz (0 included), or changed it within an utterance."""


@dataclass(slots=True)
class _Stream:
    rate: int
    resampler: soxr.ResampleStream | None
    source: int = 0
    produced: int = 0


class SpeechRates:
    """At most `STREAMS` utterances are in the making; the oldest is forgotten and counted."""

    def __init__(self) -> None:
        self._streams: OrderedDict[tuple[Epoch, UtteranceId], _Stream] = OrderedDict()
        self.forgotten = 0

    def convert(self, speech: Speech) -> SpeechChunk:
        """Raises UnsupportedRate; nothing changes then."""
        key = (speech.epoch, speech.utterance)
        stream = self._streams.get(key)
        if speech.rate not in RATES or (stream is not None and stream.rate != speech.rate):
            raise UnsupportedRate(f"speech of utterance {speech.utterance} is labelled {speech.rate} Hz")
        if stream is None:
            resampler = None
            if speech.rate != SPEECH_HZ:
                resampler = soxr.ResampleStream(speech.rate, SPEECH_HZ, 1, dtype="int16", quality="HQ")
            stream = self._streams[key] = _Stream(speech.rate, resampler)
            if len(self._streams) > STREAMS:
                self._streams.popitem(last=False)
                self.forgotten += 1
        pcm16 = np.frombuffer(speech.pcm16, "<i2").astype(np.int16)
        stream.source += len(pcm16)
        if stream.resampler is not None:
            pcm16 = np.asarray(stream.resampler.resample_chunk(pcm16, last=speech.last), np.int16)
        stream.produced += len(pcm16)
        if speech.last:
            source_end = stream.source
            del self._streams[key]
        else:  # the resampler still holds some: count only what came out
            source_end = min(stream.source, stream.produced * speech.rate // SPEECH_HZ)
        return SpeechChunk(speech.epoch, speech.utterance, speech.chunk, speech.last, pcm16, source_end, speech.rate)

    def forget_up_to(self, epoch: Epoch) -> None:
        """Speech of these epochs is dead."""
        for key in [key for key in self._streams if key[0] <= epoch]:
            del self._streams[key]
