"""When each word of a unit's speech sounds, as well as the model lets anybody tell. Pure.

The model gives a unit's text and a unit's sound, and no times within it. So the words of a unit are spread over that unit's sound, from where it
begins to be heard to its end, each as long as it is written (a Chinese character counts as much as three and a half letters). What a talker carries
over from one unit into the next is not seen: a word may be off by some tenths of a second, and by no more than a unit.

A word that a unit ends in the middle of waits for its other half, and then has the time of both; only an utterance's first word never waits, so that
what has been heard is never nothing. Does not know who speaks, or why.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ridealong.proto.types import WordTime
from ridealong.proto.words import unspaced

AUDIBLE: Final = 0.004
"""-48 dBFS: what is softer at a unit's beginning is the silence that it was filled up with."""
CHARACTER: Final = 3.5
_PIECES: Final = re.compile(r"\s*[\u3400-\u9fff]|\s*[^\s\u3400-\u9fff]+")


def onset(sound: npt.NDArray[np.float32]) -> int:
    """The first audible sample; 0 where none is."""
    return int(np.argmax(np.abs(sound) > AUDIBLE))


def pieces(text: str) -> list[str]:
    """Words and single Chinese characters, each with the space before it."""
    return _PIECES.findall(text)


def weight(piece: str) -> float:
    word = piece.strip()
    return sum(CHARACTER if unspaced(char) else 1.0 for char in word) + (0.0 if unspaced(word[:1]) else 1.0)


@dataclass(slots=True)
class Wording:
    """The words of one utterance, in its own samples."""

    held: WordTime | None = None
    begun: bool = False

    def take(self, text: str, start: int, end: int, *, over: bool) -> tuple[WordTime, ...]:
        """Words that are whole now. `text` sounds from `start` to `end`; `over`: nothing comes after it."""
        found = pieces(text)
        weights = [weight(piece) for piece in found]
        share = (end - start) / (sum(weights) or 1.0)
        words: list[WordTime] = []
        at = float(start)
        for piece, size in zip(found, weights, strict=True):
            words.append(WordTime(piece.strip(), round(at), round(at + size * share)))
            at += size * share
        held, self.held = self.held, None
        if held is not None:
            if words and not found[0][0].isspace() and not unspaced(found[0][0]):
                words[0] = WordTime(held.word + words[0].word, held.start, words[0].end)
            elif words or over:
                words.insert(0, held)
            else:
                self.held = held
        if len(words) > (not self.begun) and not over and self._unfinished(words[-1].word, text):
            self.held = words.pop()
        self.begun = self.begun or bool(words)
        return tuple(words)

    @staticmethod
    def _unfinished(word: str, text: str) -> bool:
        return word[-1].isalnum() and not unspaced(word[-1]) and not text[-1].isspace()
