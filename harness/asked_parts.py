"""Which parts of a sentence only ask: "turn the fan up and is the boot open?", 风大一点，后备箱关了吗. Pure.

A part is what stands between conjunctions and stops (`framing.pieces`). What is asked for beside a question is an order; what is named within one is not
switched by it: "set it to 22 and is the recirculation on?". A wish in the form of a question ("could my window come down") is none, and neither is
a word that somebody looks for ("er, what's the word").
Does not know what a part means, or who answers it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from ridealong.harness.framing import asks_the_way, commands, frame, pieces
from ridealong.harness.framing_questions import asks_for, is_command
from ridealong.harness.slots.text import language

_WORDS: Final = 3
_ASKS_ZH: Final = re.compile(r"[吗么呢谁哪几]|没$|多[少远久长快高大冷热]|什么|啥|怎|是不是|有没有|能不能|会不会|告诉我|看看|查")
_LOOKS_FOR: Final = re.compile(r"\bwhat (?:is|was) (?:the (?:word|name|thing)|it called|that thing)\b")
_STILL_ZH: Final = re.compile(r"百分|[一二两三四五六七八九十\d]")
"""What 还有 is no "and" before, either: 还有百分之几."""


@lru_cache(maxsize=512)
def questions(text: str, locale: str) -> tuple[str, ...]:
    """The parts that ask, in order, in plain words; none where the sentence has one part only."""
    cut = _parts(text, locale)
    return tuple(piece for piece in cut if len(cut) > 1 and asks(piece, locale))


def asks(part: str, locale: str) -> bool:
    """Only for something to be told."""
    if not frame(part, locale).question or asks_for(part, locale) or asks_the_way(part, locale):
        return False
    if language(part, locale) == "zh":
        return len(part) >= _WORDS and _ASKS_ZH.search(part) is not None
    return len(part.split()) >= _WORDS and _LOOKS_FOR.search(part) is None


def within_a_question(words: str, text: str, locale: str) -> bool:
    """What these words of the sentence name is all in parts that ask, and they are no command by themselves ("is it cold out close them")."""
    if is_command(words, locale):
        return False
    found, asking = letters(words), questions(text, locale)
    held = [piece for piece in _parts(text, locale) if found and (found in letters(piece) or letters(piece) in found)]
    held = [piece for piece in held if piece in asking or commands(piece, locale)]
    return bool(held) and all(piece in asking for piece in held)


def orders(text: str, locale: str) -> str:
    """The sentence without the parts that ask; as it is where nothing is commanded beside them."""
    asking = questions(text, locale)
    rest = [piece for piece in _parts(text, locale) if piece not in asking]
    if not asking or not any(commands(piece, locale) for piece in rest):
        return text
    return ("，" if language(text, locale) == "zh" else ", ").join(rest)


def letters(words: str) -> str:
    return "".join(letter for letter in words.casefold() if letter.isalnum())


def _parts(text: str, locale: str) -> list[str]:
    found: list[str] = []
    for joiner, piece in pieces(text, locale):
        if found and joiner == "还有" and _STILL_ZH.match(piece):
            found[-1] += joiner + piece
        else:
            found.append(piece)
    return found
