"""An answer from what was just said: the sentence of it that the question shares most with. Pure, English and Chinese.

It understands nothing: it quotes. Where no sentence shares a word of content, there is no answer. Does not know who said it or when.
"""

from __future__ import annotations

import re
from typing import Final

_SENTENCE: Final = re.compile(r"[^.!?。！？]*(?:[.!?](?=\s|$)|[。！？]|$)")
_WORD: Final = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]+")
_EMPTY_EN: Final = frozenset(
    [
        "a",
        "an",
        "the",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "it",
        "its",
        "that",
        "this",
        "these",
        "those",
        "there",
        "here",
        "of",
        "to",
        "in",
        "on",
        "at",
        "for",
        "from",
        "by",
        "with",
        "about",
        "and",
        "or",
        "but",
        "so",
        "if",
        "as",
        "do",
        "does",
        "did",
        "done",
        "have",
        "has",
        "had",
        "will",
        "would",
        "can",
        "could",
        "should",
        "shall",
        "may",
        "might",
        "must",
        "not",
        "no",
        "yes",
        "i",
        "you",
        "he",
        "she",
        "we",
        "they",
        "me",
        "him",
        "her",
        "us",
        "them",
        "my",
        "your",
        "his",
        "our",
        "their",
        "what",
        "which",
        "who",
        "whom",
        "whose",
        "when",
        "where",
        "why",
        "how",
        "much",
        "many",
        "long",
        "far",
        "say",
        "said",
        "tell",
        "told",
        "mean",
        "meant",
        "again",
        "please",
        "wait",
        "sorry",
        "okay",
        "ok",
        "one",
        "ones",
        "bit",
        "last",
        "first",
        "just",
        "now",
        "then",
        "also",
        "exactly",
        "did",
    ]
)
_EMPTY_ZH: Final = frozenset(
    "的了吗呢吧啊呀是在有我你您他她它们这那哪个么什怎样多少几说讲刚才再遍请等一下不就都也还和跟到从把给能会要为因对"
)


def quote(said: str, question: str) -> str:
    """The best sentence of `said`, or ""."""
    asked = content(question)
    sentences = [sentence.strip() for sentence in _SENTENCE.findall(said) if sentence.strip()]
    scored = [(len(asked & content(sentence)), -len(sentence), sentence) for sentence in sentences]
    best = max(scored, default=(0, 0, ""))
    return best[2] if best[0] > 0 else ""


def content(text: str) -> frozenset[str]:
    """Words that mean something, without their endings; of Chinese every pair of characters with one that does."""
    found: set[str] = set()
    for run in _WORD.findall(text.lower().replace("'", "")):
        if run[0] < "\u4e00":
            if run not in _EMPTY_EN:
                found.add(re.sub(r"(?<=\w{3})(?:ing|ed|es|s)$", "", run))
            continue
        pairs = zip(run[:-1], run[1:], strict=True)
        found |= {one + two for one, two in pairs if one not in _EMPTY_ZH and two not in _EMPTY_ZH}
    return frozenset(found)
