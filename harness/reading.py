"""How much of an utterance a recogniser has explained: the base of every score.

A recogniser takes the words that it understands (`take`, `slot`); `score(base)` is lowered by each content word that nobody took.
So "open the window halfway" scores high, and a sentence of a novel in which a window is opened does not.

Does not know what the words mean.
"""

from __future__ import annotations

import re
from typing import Protocol

from ridealong.harness.framing import Frame, frame

_LIGHT_EN = frozenset(
    [
        "the",
        "a",
        "an",
        "my",
        "our",
        "your",
        "this",
        "that",
        "these",
        "those",
        "to",
        "at",
        "in",
        "on",
        "of",
        "up",
        "down",
        "it",
        "is",
        "be",
        "for",
        "me",
        "us",
        "all",
        "please",
        "little",
        "bit",
        "more",
        "some",
        "there",
        "here",
        "both",
        "then",
        "by",
        "so",
        "and",
        "with",
        "from",
        "now",
        "just",
        "too",
        "very",
        "really",
        "car",
        "vehicle",
        "side",
        "one",
        "ones",
        "go",
        "get",
        "going",
        "do",
        "i",
        "we",
        "you",
        "am",
        "are",
        "would",
        "could",
        "can",
        "will",
        "like",
        "again",
        "as",
        "back",
        "over",
        "into",
        "about",
        "around",
        "out",
        "s",
        "inside",
        "cabin",
        "make",
        "set",
        "put",
        "have",
        "currently",
        "right",
        "exactly",
        "still",
        "actually",
    ]
)
_LIGHT_ZH = frozenset(
    "把将给我帮请一下吧啊呢了的地得那个这车里上去到成为你您下就再都也在着是有很太点儿些先能可以要想让呀哦嘛嗯来和与往并往个又给边侧现"
)


class Spanned(Protocol):
    """Anything that says where in the plain form it came from."""

    @property
    def span(self) -> tuple[int, int]: ...


class Reading:
    """One recogniser's reading of one utterance."""

    def __init__(self, text: str, locale: str) -> None:
        self.frame: Frame = frame(text, locale)
        self.core = self.frame.core
        self.zh = self.frame.locale == "zh"
        self.locale = self.frame.locale
        self._taken: list[tuple[int, int]] = []

    def take(self, pattern: str) -> re.Match[str] | None:
        """Find the pattern in the core (whole words in English) and count every occurrence as explained."""
        compiled = pattern if self.zh else rf"\b(?:{pattern})\b"
        first = None
        for m in re.finditer(compiled, self.core):
            first = first or m
            self._taken.append(m.span())
        return first

    def has(self, pattern: str) -> bool:
        return re.search(pattern if self.zh else rf"\b(?:{pattern})\b", self.core) is not None

    def slot(self, value: Spanned | None) -> None:
        """Count a slot's words as explained. The slot must have been parsed from `core`."""
        if value is not None:
            self._taken.append(value.span)

    def unexplained(self) -> list[str]:
        """Content words (English) or characters (Chinese) that nobody took."""
        pieces = re.finditer(r"\S", self.core) if self.zh else re.finditer(r"\S+", self.core)
        light = _LIGHT_ZH if self.zh else _LIGHT_EN
        return [
            m.group()
            for m in pieces
            if m.group() not in light and not any(start <= m.start() and m.end() <= end for start, end in self._taken)
        ]

    def score(self, base: float) -> float:
        """`base` less 0.12 a word or 0.06 a character that is unexplained, never below 0."""
        return max(0.0, round(base - (0.06 if self.zh else 0.12) * len(self.unexplained()), 3))
