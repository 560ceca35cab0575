"""Words to a sentence, and how many of them were heard: one rule for whoever tells it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ridealong.proto.types import WordTime

_WORDS = re.compile(r"\s*[^\s\u3400-\u9fff]+|\s*[\u3400-\u9fff]")


def joined(words: Iterable[str]) -> str:
    """`["Set", "to", "20."]` -> "Set to 20."; `["设", "为", "24", "度"]` -> "设为24度"."""
    text = ""
    for word in words:
        bare = not text or not word or text[-1].isspace() or word[0].isspace() or unspaced(text[-1]) or unspaced(word[0])
        text += word if bare else f" {word}"
    return text.strip()


def unspaced(char: str) -> bool:
    """A character of a writing without spaces: Chinese and its punctuation."""
    return bool(char) and ("\u3000" <= char <= "\u9fff" or "\uff00" <= char <= "\uffef")


def heard_of(words: Sequence[WordTime], played_samples: int) -> int:
    """How many of the words were heard: a word counts when at least half of it was played."""
    return sum((word.start + word.end) / 2 <= played_samples for word in words)


def heard_share(text: str, share: float) -> str:
    """The beginning of a text without word times that was heard, when that share (0 to 1) of its samples was played: whole words."""
    words = _WORDS.findall(text)
    return "".join(words[: round(max(0.0, min(1.0, share)) * len(words))]).rstrip()


def first_word(text: str) -> str:
    return next((word.strip() for word in _WORDS.findall(text)), "")
