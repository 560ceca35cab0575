"""What a recording says, by our own voice activity and recogniser: segments, and words with rough times.

The recogniser gives no word times: the words of a segment are spread over it by their length. Does not know what the words are for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ridealong.cloud.frontends.cascade.listener import Recognise, SpeechProbability
from ridealong.cloud.frontends.cascade.segment import FRAME
from ridealong.proto.types import CLOCK_HZ
from ridealong.simulators.evaluation.fdb import Segment, Word, merged

# As Silero's own segmentation has it.
START, STOP = 0.5, 0.35
SILENCE_S, SPEECH_S, PAD_S = 0.1, 0.25, 0.03
PIECE_GAP_S, PIECE_S = 0.3, 25.0


class Transcriber(Protocol):
    def __call__(self, pcm16: NDArray[np.int16]) -> tuple[list[Segment], list[Word]]: ...


class OwnTranscriber:
    """`vad` makes a fresh stream; `recognise` is the product's recogniser."""

    def __init__(self, vad: Callable[[], SpeechProbability], recognise: Recognise) -> None:
        self._vad, self._recognise = vad, recognise

    def __call__(self, pcm16: NDArray[np.int16]) -> tuple[list[Segment], list[Word]]:
        segments = self.segments(pcm16)
        words: list[Word] = []
        for piece in merged(segments, PIECE_GAP_S):
            start = piece.start
            while start < piece.end - 0.05:
                end = min(piece.end, start + PIECE_S)
                text = self._recognise(_floats(pcm16[round(start * CLOCK_HZ) : round(end * CLOCK_HZ)]), "").text
                words += spread(text, start, end)
                start = end
        return segments, words

    def segments(self, pcm16: NDArray[np.int16]) -> list[Segment]:
        vad, samples = self._vad(), _floats(pcm16)
        whole = np.zeros(-(-len(samples) // FRAME) * FRAME, np.float32)
        whole[: len(samples)] = samples
        return speech_segments([vad(whole[at : at + FRAME]) for at in range(0, len(whole), FRAME)], len(pcm16) / CLOCK_HZ)


def speech_segments(probabilities: list[float], duration: float) -> list[Segment]:
    """From one probability a frame: hysteresis, short silences bridged, short sounds left out, a little margin."""
    frame_s = FRAME / CLOCK_HZ
    found: list[Segment] = []
    began: float | None = None
    last = 0.0
    for number, probability in enumerate([*probabilities, *[0.0] * (round(SILENCE_S / frame_s) + 1)]):
        if probability >= (START if began is None else STOP):
            began = number * frame_s if began is None else began
            last = (number + 1) * frame_s
        elif began is not None and (number + 1) * frame_s - last >= SILENCE_S:
            if last - began >= SPEECH_S:
                found.append(Segment(max(0.0, began - PAD_S), min(duration, last + PAD_S)))
            began = None
    return found


def spread(text: str, start: float, end: float) -> list[Word]:
    """Words over [start, end), each as long as its share of the letters."""
    parts = re.findall(r"[\u4e00-\u9fff]|[^\s\u4e00-\u9fff]+", text)
    parts = [part for part in parts if re.search(r"\w", part)]
    lengths = [3 if "\u4e00" <= part[0] <= "\u9fff" else len(part) + 1 for part in parts]
    at, words = start, []
    for part, length in zip(parts, lengths, strict=True):
        stop = at + (end - start) * length / sum(lengths)
        words.append(Word(part, at, stop))
        at = stop
    return words


def _floats(pcm16: NDArray[np.int16]) -> NDArray[np.float32]:
    return pcm16.astype(np.float32) / np.float32(32768)
