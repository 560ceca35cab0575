"""Words to a sentence: spaces between them where the writing has spaces. Pure."""

from __future__ import annotations

from collections.abc import Iterable


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
