"""A sentence as people type it, and as a recogniser writes it: whether there is a capital at its beginning and a stop at its end decides nothing. Pure.

    as_typed                                                                as_heard
    "Reading light on."                 reading light on                    Reading light on.
    "Get the Demister going."           get the demister going              Get the Demister going.
    "Close them. But not mine."         close them, but not mine            Close them. But not mine.
    "Tom, not Anna. Two degrees more."  Tom, not Anna. two degrees more     Tom, not Anna. Two degrees more.
    打开车窗                                打开车窗                                打开车窗。

Only words that requests are made of are written small: a name stays as it is. Every character keeps its place, but for the stop at the end. Does not know skills.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from ridealong.harness.car_things import ANY_EN
from ridealong.harness.framing import commands
from ridealong.harness.known_words import known_words
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.text import has_chinese

FEW: Final = 5
ENDS: Final = ".?!。？！…"
_STOP: Final = re.compile(r"(?<![.][a-zA-Z])(?<![.])[.。]\s*$")
_BETWEEN: Final = re.compile(
    r"(?P<stop>(?<![.][a-zA-Z])(?<![.])(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\bMrs)[.]\s+)(?=(?P<next>[^.?!]+)(?:[.?!]|$))"
)
"""No "Dr." or "Mrs."."""
_FIRST: Final = re.compile(
    r"(?:^|(?<!Mr[.] )(?<!Ms[.] )(?<!Dr[.] )(?<!St[.] )(?<!Mrs[.] )(?<=[.!?;,]\s))(?P<word>[A-Z][a-z]*(?:'[a-z]+)?)\b(?P<does>(?= (?:the|my|all|both|it|us|me)\b))?"
)
"""Before "the" or "my" stands a word that asks for something, however rare: "Lean the seat back"."""
_BEGINS: Final = re.compile(r"(?:^|(?<=[.!?] ))[a-z]")
_THING: Final = re.compile(rf"(?P<before>\b[a-z][a-z']*,? )(?P<thing>(?={ANY_EN}\b)[A-Z][a-z]+)\b", re.IGNORECASE)
_SOUNDS: Final = frozenset(
    [
        "ah", "argh", "aw", "blimey", "crikey", "ew", "gah", "gosh", "haha", "hahaha", "hey", "hm", "hmm", "huh", "jeez", "mm", "nah", "nope", "ooh", "oof", "oops",
        "ouch", "ow", "pff", "phew", "psst", "ugh", "uh", "um", "urgh", "whew", "whoa", "whoops", "wow", "yeah", "yep", "yikes", "yo",
    ]
)  # fmt: skip


def spellings(text: str) -> tuple[str, ...]:
    """Those by which a sentence is to be judged, the same ones however it was written. Chinese has no capitals: with its stop it is understood best."""
    return (as_heard(text),) if has_chinese(text) else (as_typed(text), as_heard(text))


def as_heard(text: str) -> str:
    """With a capital where a sentence begins and a stop at its end."""
    text = text.rstrip()
    if has_chinese(text):
        return text if text[-1:] in ENDS else f"{text}。"
    return _BEGINS.sub(lambda letter: letter.group().upper(), text) + ("" if text[-1:] in ENDS else ".")


@lru_cache(maxsize=512)
def as_typed(text: str) -> str:
    """See the module's first lines."""
    text = _STOP.sub("", text)
    if has_chinese(text):
        return text
    text = _THING.sub(_thing, _FIRST.sub(_first, text))
    return _BETWEEN.sub(lambda found: found["stop"].replace(".", ",") if _adds_to_it(found["next"]) else found["stop"], text)


def opening_small(text: str) -> str:
    """ "Whoa, I only meant one": what people begin with is no name of anybody, nor is a number."""
    first = re.match(r"[A-Z][a-z]+\b", text)
    small = first is not None and (first.group().lower() in _SOUNDS or bool(find_numbers(first.group(), "en")))
    return text[0].lower() + text[1:] if small else text


def _first(found: re.Match[str]) -> str:
    word = found["word"]
    return word.lower() if found["does"] is not None or _is_known(word) else word


def _thing(found: re.Match[str]) -> str:
    """Behind a name it may be part of it."""
    thing = found["thing"]
    return found["before"] + (thing.lower() if not found["before"][0].isupper() and _is_known(thing) else thing)


def _is_known(word: str) -> bool:
    known, _ = known_words()
    parts = word.lower().split("'")
    return parts[0] != "i" and all(part in known or part in _SOUNDS for part in parts)


def _adds_to_it(words: str) -> bool:
    """Few words, of which requests are made, that ask for nothing by themselves: "Close the windows. But not mine"."""
    known, _ = known_words()
    said = re.findall(r"\w+", words.lower())
    return len(said) <= FEW and all(word in known or word.isdigit() for word in said) and not commands(words, "en")
