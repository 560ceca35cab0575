"""Which parts of a sentence only ask: "turn the fan up and is the boot open?", 风大一点，后备箱关了吗. Pure.

A part is what stands between conjunctions and stops (`framing.pieces`). What is asked for beside a question is an order; what stands within one is not,
however it is put: "set it to 22 and is the recirculation on?". A wish in the form of a question ("could my window come down") is none.
Does not know what a part means, or who answers it.
"""

from __future__ import annotations

from functools import lru_cache

from ridealong.harness.framing import asks_the_way, commands, frame, pieces
from ridealong.harness.framing_questions import asks_for
from ridealong.harness.slots.text import language


@lru_cache(maxsize=512)
def questions(text: str, locale: str) -> tuple[str, ...]:
    """The parts that ask, in order, in plain words; none where the sentence has one part only."""
    cut = [piece for _, piece in pieces(text, locale)]
    return tuple(piece for piece in cut if len(cut) > 1 and asks(piece, locale))


def asks(part: str, locale: str) -> bool:
    """Only for something to be told."""
    return frame(part, locale).question and not asks_for(part, locale) and not asks_the_way(part, locale)


def within_a_question(words: str, text: str, locale: str) -> bool:
    """What these words of the sentence ask for is all in parts that ask."""
    found, asking = letters(words), questions(text, locale)
    held = [piece for _, piece in pieces(text, locale) if found and (found in letters(piece) or letters(piece) in found)]
    held = [piece for piece in held if piece in asking or commands(piece, locale)]
    return bool(held) and all(piece in asking for piece in held)


def orders(text: str, locale: str) -> str:
    """The sentence without the parts that ask; as it is where nothing is commanded beside them."""
    asking = questions(text, locale)
    rest = [piece for _, piece in pieces(text, locale) if piece not in asking]
    if not asking or not any(commands(piece, locale) for piece in rest):
        return text
    return ("，" if language(text, locale) == "zh" else ", ").join(rest)


def letters(words: str) -> str:
    return "".join(letter for letter in words.casefold() if letter.isalnum())
