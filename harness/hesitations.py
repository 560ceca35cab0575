"""A sentence without the sounds made while thinking: "navigate to, uh, the airport", 导航到，嗯，机场. Pure.

A pause is no part of a name, a place or a text. What a sentence begins with stays: 嗯 can be a yes there, and "hmm" a doubt. So does what stands alone.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_GAP: Final = r"[\s,，、.…—–-]"
_SOUND_EN: Final = re.compile(
    rf"(?P<before>[\w'’%°]+)(?P<gap>{_GAP}+)(?:(?:[Uu]+[hm]+m*|[Ee]rm*|[Hh]m+|[Aa]hm+)(?![\w'’])(?!-| (?:oh|huh|uh)\b){_GAP}*)+(?=\w)"
)
_SOUND_ZH: Final = re.compile(
    r"(?P<before>[\u4e00-\u9fff\d%])(?P<gap>[\s，,、…]*)(?:(?:[嗯呃唔]+|(?<=[\s，,、…])(?:额+|那个)(?=[，,、…]))[\s，,、…]*)+(?=[\u4e00-\u9fff\d])"
)
_WITHIN_ZH: Final = re.compile(r"(?P<verb>[是能会要有])(?:那个|[嗯呃额啊]+)+(?=[不没](?P=verb))")
"""是那个不是: a question taken apart."""
_JOINED_EN: Final = frozenset(
    [
        "to",
        "the",
        "a",
        "an",
        "my",
        "your",
        "his",
        "her",
        "our",
        "their",
        "this",
        "that",
        "these",
        "those",
        "at",
        "for",
        "of",
        "in",
        "on",
        "by",
        "from",
        "with",
        "into",
        "than",
        "and",
        "or",
        "then",
        "please",
        "about",
        "between",
        "is",
        "are",
        "be",
        "it's",
        "set",
        "navigate",
        "call",
        "ring",
        "play",
        "open",
        "close",
        "turn",
        "put",
        "make",
        "find",
        "read",
        "take",
        "remind",
        "text",
        "tell",
        "drive",
        "go",
        "get",
        "show",
    ]
)
"""Behind these nothing has come to an end: no comma stays."""
_JOINED_ZH: Final = frozenset("到去把给在的和跟是成为请要别将往向从找放开关调打")


@lru_cache(maxsize=512)
def without_hesitations(text: str) -> str:
    """The same words; where a pause parted two clauses, a comma stays."""
    return _WITHIN_ZH.sub(r"\g<verb>", _SOUND_ZH.sub(_rest_zh, _SOUND_EN.sub(_rest_en, text)))


def _rest_en(found: re.Match[str]) -> str:
    parted = found["gap"].strip() or found[0].rstrip()[-1] in ",.…"
    return found["before"] + (", " if parted and found["before"].casefold() not in _JOINED_EN else " ")


def _rest_zh(found: re.Match[str]) -> str:
    parted = found["gap"] or found[0][-1] in "，,、… "
    return found["before"] + ("，" if parted and found["before"] not in _JOINED_ZH else "")
