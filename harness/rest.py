"""What becomes of the words that were not heard when a reply is cut: one table, and where to take it up again. Pure.

    why it was cut, how much was heard, does it matter  ->  Fate
    text, heard                                         ->  the rest, from the last whole clause before the cut

Does not know playback, work items, or how the cut was judged.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final, NamedTuple


class Why(Enum):
    """What ended an utterance before its last sample. The first four are the intents of an interruption."""

    STOP = "stop"
    CORRECT = "correct"
    REDIRECT = "redirect"
    FOLLOW_UP = "follow_up"
    INTERRUPTED = "interrupted"  # by somebody who spoke; what for is not known
    BUTTON = "button"
    DEVICE = "device"  # the device dropped it by itself
    LINK = "link"  # nothing was heard of it any more, or the session ended


class Fate(Enum):
    DROPPED = "dropped"  # not said by itself; "go on" finds it
    SUPERSEDED = "superseded"  # not said by itself; once the correction is understood, "go on" doesn't find it either
    KEPT = "kept"  # not said by itself; "go on" finds it
    AGAIN = "again"  # offered once more, after the new answer
    RESUMED = "resumed"  # offered once more as soon as it may: nobody wanted that cut


class Row(NamedTuple):
    """By how much was heard. `barely`: an important result of which less than BARELY was heard."""

    nothing: Fate
    nothing_important: Fate
    barely: Fate
    enough: Fate


BARELY: Final = 0.3
FATES: Final[dict[Why, Row]] = {
    Why.STOP: Row(Fate.DROPPED, Fate.DROPPED, Fate.DROPPED, Fate.DROPPED),
    Why.CORRECT: Row(Fate.SUPERSEDED, Fate.SUPERSEDED, Fate.SUPERSEDED, Fate.SUPERSEDED),
    Why.REDIRECT: Row(Fate.KEPT, Fate.AGAIN, Fate.AGAIN, Fate.KEPT),
    Why.FOLLOW_UP: Row(Fate.AGAIN, Fate.AGAIN, Fate.AGAIN, Fate.KEPT),
    Why.INTERRUPTED: Row(Fate.AGAIN, Fate.AGAIN, Fate.AGAIN, Fate.KEPT),
    Why.BUTTON: Row(Fate.DROPPED, Fate.DROPPED, Fate.DROPPED, Fate.DROPPED),
    Why.DEVICE: Row(Fate.RESUMED, Fate.RESUMED, Fate.RESUMED, Fate.RESUMED),
    Why.LINK: Row(Fate.RESUMED, Fate.RESUMED, Fate.RESUMED, Fate.RESUMED),
}
AGAIN: Final = {"en": "Again: ", "zh": "再说一次："}
DATED: Final = {"en": "A moment ago: ", "zh": "刚才："}
"""Before an answer that is not so any more, and could not be found anew in time."""

_CLAUSE_END = re.compile(r"(?<!\bDr)(?<!\bMr)(?<!\bMrs)(?<!\bSt)[.!?;:,]+[\"')\]”’]*\s+|[。！？；：，、]+[”’』」）]*\s*")
_WORD = re.compile(r"[\u3400-\u9fff]|[^\s\u3400-\u9fff，。！？；：、]+")


def fate(why: Why, text: str, heard: str, important: bool) -> Fate:
    """What becomes of `text`, of which `heard` was heard."""
    row = FATES[why]
    share = heard_share(text, heard)
    if not share:
        return row.nothing_important if important else row.nothing
    return row.barely if important and share < BARELY else row.enough


def position(text: str, heard: str) -> int:
    """How far into `text` the words of `heard` reach: behind the last of them and its punctuation. Marks and spaces don't count."""
    wanted = [char.lower() for char in heard if char.isalnum()]
    matched = end = 0
    for index, char in enumerate(text):
        if not char.isalnum():
            continue
        if matched == len(wanted) or char.lower() != wanted[matched]:
            break
        matched, end = matched + 1, index + 1
    while 0 < end < len(text) and not text[end].isalnum() and not text[end].isspace():
        end += 1
    return end


def heard_share(text: str, heard: str) -> float:
    """Share of the words (Chinese: characters) of `text` that were heard, 0..1."""
    total = len(_WORD.findall(text))
    return len(_WORD.findall(text[: position(text, heard)])) / total if total else 1.0


def unheard(text: str, heard: str) -> str:
    """The words after the cut."""
    return text[position(text, heard) :].strip()


def resumption(text: str, heard: str) -> str:
    """What to say when going on: the rest, from the last whole clause before the cut, so that it makes sense. "" when all was heard."""
    cut = position(text, heard)
    if not unheard(text, heard):
        return ""
    starts = [match.end() for match in _CLAUSE_END.finditer(text) if match.end() - _blank(match.group()) <= cut]
    return text[starts[-1] if starts else 0 :].strip()


def _blank(mark: str) -> int:
    return len(mark) - len(mark.rstrip())


def lead(text: str, heard: str, locale: str) -> str:
    """What goes before a reply that is offered again: nothing where nothing of it was heard."""
    return AGAIN["zh" if locale.startswith("zh") else "en"] if heard and text else ""


def dated(locale: str) -> str:
    return DATED["zh" if locale.startswith("zh") else "en"]


def without_lead(text: str) -> str:
    for words in (*AGAIN.values(), *DATED.values()):
        if text.startswith(words.strip()):
            return text.removeprefix(words.strip()).lstrip()
    return text
