"""How long the voice will sound, and how long making it will take: running estimates from what was made so far. Pure, but for a lock.

    measured(text, locale, audio_s, took_s)  ->  audio_s(text, locale), takes_s(text, locale), ratio

`ratio`: seconds of computing for a second of speech. It follows a slower machine at once and a faster one slowly: an estimate that is too low tears
speech apart, one that is too high costs little. One per process: sessions share the machine.

Does not know voices, clocks, or what is done with it.
"""

from __future__ import annotations

from threading import Lock
from typing import Final

RATIO: Final = 0.5
"""Until something was measured: Kokoro on two cores with other work beside it."""
S_PER_LETTER: Final = {"en": 0.065, "zh": 0.22}
DIGIT: Final = {"en": 4.0, "zh": 1.2}
"""Letters of its language that a digit is spoken with."""
SLOWER, FASTER, LENGTH = 0.5, 0.1, 0.2
KEPT: Final = 0.03
"""What takes less of its length than this was not made but kept, and says nothing about the speed."""


class SynthesisSpeed:
    def __init__(self) -> None:
        self.ratio = RATIO
        self._s_per_letter = dict(S_PER_LETTER)
        self._lock = Lock()

    def measured(self, text: str, locale: str, audio_s: float, took_s: float) -> None:
        if audio_s <= 0 or not (letters := _letters(text, locale)):
            return
        with self._lock:
            kind = _kind(locale)
            self._s_per_letter[kind] += LENGTH * (audio_s / letters - self._s_per_letter[kind])
            ratio = took_s / audio_s
            if ratio > KEPT:
                self.ratio += (SLOWER if ratio > self.ratio else FASTER) * (ratio - self.ratio)

    def audio_s(self, text: str, locale: str) -> float:
        return _letters(text, locale) * self._s_per_letter[_kind(locale)]

    def takes_s(self, text: str, locale: str) -> float:
        return self.ratio * self.audio_s(text, locale)


def _kind(locale: str) -> str:
    return "zh" if locale.startswith("zh") else "en"


def _letters(text: str, locale: str) -> float:
    """How long a text is when it is spoken, in letters."""
    return sum(DIGIT[_kind(locale)] if char.isdigit() else float(char.isalpha()) + 0.5 * char.isspace() for char in text)
