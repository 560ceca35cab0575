"""Which piece of work somebody speaks of: "the charging search", "it", "both timers", 那个计时器. Pure.

What was named decides, by the words of the request first and by what the registry says of its kind second; without a name the newest
does, if it was asked for just now. Where several fit as well as each other, none is taken: the answer is the question. Does not know
what is to be done with it, or which words ask for that (work_words.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ridealong.harness.doing import JUST_NOW_MS, Doing
from ridealong.harness.phrases import tokens
from ridealong.harness.slots.text import has_chinese

FITS: Final = 0.5
"""Share of the naming words that an item must explain."""
ALIKE: Final = 0.15
"""Items that explain as much, give or take this, fit as well as each other."""
BY_KIND: Final = 0.6
"""A word of the registry's, against one of the user's own."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """These, newest first; more than one only where more than one was asked for. `named`: by words of its own, not by recency."""

    items: tuple[Doing, ...]
    named: bool


@dataclass(frozen=True, slots=True)
class Which:
    """Two or more that fit as well as each other, the oldest first, in the order in which a question names them."""

    items: tuple[Doing, ...]

    @property
    def newest(self) -> Doing:
        return self.items[-1]


@dataclass(frozen=True, slots=True)
class NoneFits:
    """`named`: something was named that is not there."""

    named: bool


Choice = Chosen | Which | NoneFits

_ALL = re.compile(r"\b(?:all|both|everything|every|each)\b|所有|全部|一切|都|全|(?<!第)两个(?!半|小时|钟头|月)")
_NEWEST = re.compile(r"\b(?:last|latest|newest|most recent|latter)\b|最后|最新|后一个|刚才|刚刚")
_OLDEST = re.compile(r"\b(?:first|oldest|former|earlier)\b|第一|最早|前一个")
_SECOND = re.compile(r"(?:^|\b(?:the|my|that) )second\b|第二")
_LATER = tuple(re.compile(one) for one in (r"\bthird\b|第三", r"\bfourth\b|第四", r"\bfifth\b|第五"))
_BOTH = re.compile(r"\bboth\b|(?<!第)两个(?!半|小时|钟头|月)")
_ORDER = re.compile(r"\bones?\b(?! (?:minute|hour|second|hundred|and)\b)|\b(?:first|third|fourth|fifth)\b")
"""Which of them, and no number."""
_BARE = frozenset(
    [
        "the",
        "a",
        "an",
        "my",
        "our",
        "your",
        "that",
        "this",
        "these",
        "those",
        "it",
        "them",
        "all",
        "both",
        "everything",
        "every",
        "each",
        "of",
        "for",
        "on",
        "with",
        "about",
        "to",
        "in",
        "thing",
        "things",
        "task",
        "work",
        "job",
        "request",
        "last",
        "latest",
        "newest",
        "oldest",
        "most",
        "recent",
        "former",
        "latter",
        "earlier",
        "just",
        "now",
        "you",
        "i",
        "we",
        "asked",
        "me",
        "please",
        "again",
        "still",
        "yet",
        "already",
        "is",
        "are",
        "was",
        "were",
        "at",
        "by",
        "from",
        "and",
        "too",
        "result",
        "results",
        "outcome",
        "answer",
    ]
)
_BARE_ZH = re.compile(
    r"一个(?!小时|钟头|半)|结果|答案|所有|全部|一切|两个|第[一二三四五]|最后|最新|最早|前一|后一|刚才|刚刚|那个|这个|那些|这些|任务|事情|工作|请求|都|全|它|我|你|您|的|了|个|件|那|这|把|给|在|就|是|吧|掉|呢|啊"
)
_SAME = {
    **dict.fromkeys(("find", "look", "hunt", "query", "lookup", "locat", "research"), "search"),
    **dict.fromkeys(("countdown", "alarm", "remind", "reminder"), "tim"),
    **dict.fromkeys(("rout", "direction", "navigat"), "navigation"),
}
_SEARCH_ZH = "搜"
_SAME_ZH = ((re.compile(r"搜索|查找|查询|寻找|搜寻|搜|找|查"), _SEARCH_ZH), (re.compile(r"倒?计时器?|闹钟|定时器?|提醒"), "计时"))


def choose(doings: Sequence[Doing], about: str) -> Choice:
    """The one that `about` means. `doings` newest first; only what the operation could be done to."""
    wanted = _keys(about)
    fits = _fitting(doings, wanted) if wanted else list(doings)
    if not fits:
        return NoneFits(bool(wanted))
    if _ALL.search(about):
        every = tuple(_every(doings, wanted))
        more = _BOTH.search(about) is not None and len(every) > 2  # whoever says both knows of two
        return Which(every[::-1]) if more else Chosen(every, bool(wanted))
    if _NEWEST.search(about) or len(fits) == 1:
        return Chosen((fits[0],), bool(wanted))
    if _OLDEST.search(about):
        return Chosen((fits[-1],), bool(wanted))
    if _SECOND.search(about):
        return Chosen((fits[-2],), bool(wanted))
    if (later := next((number for number, one in enumerate(_LATER, 3) if one.search(about)), 0)) != 0:
        return Chosen((fits[-later],), bool(wanted)) if later <= len(fits) else NoneFits(bool(wanted))
    if not wanted and fits[0].asked_ms_ago <= JUST_NOW_MS:
        return Chosen((fits[0],), False)
    return Which(tuple(fits[::-1]))


def points(about: str) -> bool:
    """True where the words point by order or number: "the first one", "both"."""
    return any(pattern.search(about) for pattern in (_ALL, _BOTH, _NEWEST, _OLDEST, _SECOND, *_LATER))


def is_named(about: str) -> bool:
    """True where the words name something, and do not only point at it ("it", "all of them")."""
    return bool(_keys(about))


def fit(one: Doing, about: str) -> float:
    """How well an item fits what was named, 0..1."""
    wanted = _keys(about)
    return _score(one, wanted) if wanted else 0.0


def _every(doings: Sequence[Doing], wanted: frozenset[str]) -> list[Doing]:
    return [one for one in doings if not wanted or _score(one, wanted) >= FITS]


def _fitting(doings: Sequence[Doing], wanted: frozenset[str]) -> list[Doing]:
    scored = [(one, _score(one, wanted)) for one in doings]
    best = max((score for _, score in scored), default=0.0)
    fits = [one for one, score in scored if score >= FITS and best - score < ALIKE]
    if len({(one.words, one.locale) for one in fits}) > 1:
        return fits
    # of one sentence that asked for all of them: what each is says more than the words that they share
    kinds = [len(wanted & _kind(one.topics)) for one in fits]
    return [one for one, kind in zip(fits, kinds, strict=True) if kind == max(kinds)]


def _score(one: Doing, wanted: frozenset[str]) -> float:
    own = _keys(one.words, whole=False) | _keys(one.english, whole=False) | _keys(one.chinese, whole=False)
    said, known = _numbers(wanted), _numbers(own)
    if said and known and not said & known:
        return 0.0  # "the timer for six" is not the one for five
    kind = _kind(one.topics)
    return sum(1.0 if word in own else BY_KIND if word in kind else 0.0 for word in wanted) / len(wanted)


def _numbers(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if word[0].isdigit())


@lru_cache(maxsize=256)
def _kind(topics: str) -> frozenset[str]:
    """Lines in either language."""
    words = frozenset[str]().union(*(_keys(line, whole=False) for line in topics.splitlines()))
    return frozenset(word for word in words if not word[0].isdigit())  # an example's numbers are nobody's


@lru_cache(maxsize=1024)
def _keys(text: str, *, whole: bool = True) -> frozenset[str]:
    """What is compared: stems of English words, pairs of Chinese characters, numbers as digits; without words that name nothing.
    `whole`: of a name, all of which must be found; otherwise of what it is looked for in."""
    if has_chinese(text):
        return _keys_zh(text, whole)
    form = _ORDER.sub(" ", _SECOND.sub(" ", text.lower()))
    return frozenset(_stem(word) for word in tokens(form) if word not in _BARE)


def _stem(word: str) -> str:
    short = re.sub(r"(?:ations?|ing|ers?|ed|es|s|e)$", "", word) if len(word) > 4 and not word.isdigit() else word
    return _SAME.get(short, _SAME.get(word, short))


def _keys_zh(text: str, whole: bool) -> frozenset[str]:
    for pattern, word in _SAME_ZH:
        text = pattern.sub(word, text)
    parts = tokens(_BARE_ZH.sub("", text))
    words = frozenset(_stem(part) for part in parts if part.isascii() and part.isalpha() and part not in _BARE)
    search = frozenset(part for part in parts if part == _SEARCH_ZH)
    others = [part for part in parts if part != _SEARCH_ZH and not (part.isascii() and part.isalpha())]
    pairs = frozenset(a + b for a, b in zip(others, others[1:], strict=False))
    return words | search | pairs | (frozenset(others) if whole and len(others) == 1 else frozenset())
