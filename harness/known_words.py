"""The words of the tagger's texts, and those of them that built-in skills are asked for with (known_words.txt, written by tools/known_words.py).

Does not know skills, or what the words are looked up for.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import resources


@lru_cache(maxsize=1)
def known_words() -> tuple[frozenset[str], frozenset[str]]:
    """(what built-in skills are asked for with: words, and pairs of Chinese characters; every word of the texts)"""
    text = resources.files("ridealong.harness").joinpath("known_words.txt").read_text(encoding="utf-8")
    words, pairs, others = (frozenset(line.split()) for line in text.splitlines())
    return words | pairs, words | others
