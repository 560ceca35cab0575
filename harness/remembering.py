"""What a user has asked to be kept: notes, and where things are. The interface of a store, and how a thing is found among what was said. Pure.

    Kept, newest first, and the words for a thing  ->  found(…)  ->  the newest that speaks of it

A thing is found by its words: plural, spelling and a short list of words for the same thing (in both languages) apart; its last word, which names it,
must be there. Does not know meanings beyond that list, how things are kept (memory_file.py), or what is said.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, Protocol

from ridealong.harness.slots.text import has_chinese, plain


class Kind(Enum):
    THING = "thing"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Spot:
    """Where the device was. `accuracy_m`: as the device gave it."""

    latitude: float
    longitude: float
    accuracy_m: float


@dataclass(frozen=True, slots=True)
class Kept:
    """`text`: in the user's words. `seen`: words in the picture that was there, evidence only. `ago_s`: how long ago it was kept, when it is read."""

    id: int
    kind: Kind
    text: str
    ago_s: float
    spot: Spot | None = None
    seen: str = ""
    pictured: bool = False


class Memory(Protocol):
    """Of one device. Raises OSError where the store can't be used; waits for the disk off the loop."""

    async def keep(self, kind: Kind, text: str, spot: Spot | None = None, seen: str = "", picture: bytes = b"") -> None: ...

    async def kept(self, kind: Kind) -> Sequence[Kept]:
        """Newest first, a bounded number."""

    async def forget(self, ids: Sequence[int]) -> int:
        """How many there were. They are gone from the disk."""

    async def forget_all(self) -> int: ...


_SAME: Final = (
    frozenset({"car", "vehicle", "auto", "parked", "park", "parking", "车", "停车", "车位", "机车"}),
    frozenset({"key", "钥匙", "锁匙"}),
    frozenset({"glasses", "spectacle", "spec", "眼镜"}),
    frozenset({"phone", "mobile", "cellphone", "smartphone", "手机"}),
    frozenset({"wallet", "billfold", "钱包"}),
    frozenset({"bike", "bicycle", "cycle", "自行车", "单车"}),
    frozenset({"umbrella", "brolly", "雨伞", "伞"}),
    frozenset({"torch", "flashlight", "手电", "手电筒"}),
    frozenset({"remote", "zapper", "遥控器"}),
    frozenset({"tablet", "pill", "medicine", "med", "药"}),
    frozenset({"passport", "护照"}),
    frozenset({"charger", "充电器"}),
    frozenset({"headphone", "earphone", "earbud", "airpod", "耳机"}),
    frozenset({"suitcase", "luggage", "行李"}),
    frozenset({"couch", "sofa", "沙发"}),
)
"""Words for the same thing."""
_EMPTY: Final = frozenset(
    [
        "a",
        "an",
        "the",
        "my",
        "our",
        "your",
        "his",
        "her",
        "their",
        "i",
        "we",
        "it",
        "is",
        "are",
        "was",
        "were",
        "do",
        "did",
        "have",
        "has",
        "of",
        "to",
        "that",
        "this",
        "these",
        "those",
        "again",
        "please",
        "mate",
        "now",
    ]
)
OTHER_WORD: Final = 0.8
"""Of a word that is not the same, but means the same thing."""
LEAST_ZH: Final = 0.5
"""Of a thing's characters so many must stand together in what was said."""


_OTHER_WHEELS: Final = re.compile(r"(?:自行|单|摩托|火|公交|婴儿|手推|购物)车")


def found(kept: Sequence[Kept], thing: str) -> Kept | None:
    """The best, and of equals the newest: they come newest first."""
    best, most = None, 0.0
    for one in kept:
        share = likeness(thing, f"{one.text}")
        if share > most:
            best, most = one, share
    return best


def likeness(thing: str, text: str) -> float:
    """Share of the thing's words that the text has; 0 where the word that names it is not there."""
    if has_chinese(thing) or not _words(thing):
        return _likeness_zh(plain(thing, "zh"), text)
    words, there = _words(thing), set(_words(text))
    has = [
        1.0 if word in there else OTHER_WORD if any(one in there or _in_chinese(one, text) for one in _same(word)) else 0.0
        for word in words
    ]
    return sum(has) / len(has) if has[-1] else 0.0


def _likeness_zh(thing: str, text: str) -> float:
    thing = re.sub(r"^(?:我们?的?|咱们?的?|那[个把本张]|这[个把本张])+", "", thing)
    if not thing:
        return 0.0
    form = plain(text, "zh") if has_chinese(text) else ""
    if _in_chinese(thing, text):
        return 1.0
    there = set(_words(text))
    if any(one in there or _in_chinese(one, text) for one in _same(thing)):
        return OTHER_WORD
    tail = next((thing[at:] for at in range(1, len(thing) - 1) if thing[at:] in form), "")
    share = len(tail) / len(thing)
    if share >= LEAST_ZH:
        return share
    inner = next(
        (one for group in _SAME for one in group if has_chinese(one) and 1 < len(one) < len(thing) and thing.endswith(one)), ""
    )
    return LEAST_ZH if inner and likeness(inner, text) else 0.0


def _in_chinese(word: str, text: str) -> bool:
    if not has_chinese(word) or not has_chinese(text):
        return False
    form = plain(text, "zh")
    return word in (_OTHER_WHEELS.sub("", form) if word == "车" else form)


def _words(text: str) -> list[str]:
    form = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")  # noqa: RUF001
    return [_one(word) for word in re.findall(r"[a-z0-9]+", re.sub(r"'s?\b", " ", form)) if word not in _EMPTY]


def _one(word: str) -> str:
    """Without the plural's ending."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _same(word: str) -> frozenset[str]:
    """The words for the same thing, plural endings off."""
    return next((frozenset(map(_one, group)) for group in _SAME if word in set(map(_one, group))), frozenset({word}))
