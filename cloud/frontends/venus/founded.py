"""Whether a request that the model wrote is about the words that were heard. Pure. Knows no skill and no speaker."""

from __future__ import annotations

import re
from typing import Final

ENOUGH: Final = 0.5
_WORD: Final = re.compile(r"[a-z0-9]+(?:'[a-z]+)?|[\u4e00-\u9fff]")
_EMPTY: Final = frozenset(
    [
        "a",
        "an",
        "the",
        "to",
        "of",
        "in",
        "on",
        "at",
        "for",
        "and",
        "or",
        "is",
        "are",
        "be",
        "it",
        "its",
        "this",
        "that",
        "my",
        "your",
        "our",
        "his",
        "her",
        "their",
        "me",
        "you",
        "i",
        "we",
        "us",
        "do",
        "does",
        "did",
        "can",
        "could",
        "will",
        "would",
        "please",
        "的",
        "了",
        "吗",
        "呢",
        "吧",
        "把",
        "请",
        "我",
        "你",
        "给",
        "一",
        "下",
        "个",
        "是",
    ]
)


def founded(request: str, words: str) -> bool:
    """Half of what the request says was said by the user. Words that carry nothing count neither way."""
    asked = {word for word in _WORD.findall(request.lower()) if word not in _EMPTY}
    said = set(_WORD.findall(words.lower()))
    return bool(asked) and len(asked & said) >= ENOUGH * len(asked)
