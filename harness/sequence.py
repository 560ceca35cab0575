"""Several calls of one sentence: which comes after which, by how people join what they ask for. Pure.

    and, comma, 并且          each for itself
    then, after that, 然后, 先…再    in order: begun when every earlier act has ended, whichever way it ended
    "take me there"           needs the earlier call: its argument is that call's result, and without one it is not begun (results.py)

What is only looked up, and what only waits (a timer), holds nothing up: there is nothing of it to be confirmed in the car.
Does not know how a sentence is cut, what a skill is, or how calls are run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ridealong.harness.framing import pieces
from ridealong.harness.skill import Match
from ridealong.harness.slots.text import language, plain

_THEN_EN: Final = re.compile(
    r"\b(?:then|after that|after this|afterwards|and next|(?:once|when|after) (?:that|this|it|they) (?:is|are|has been|have been) (?:done|finished|closed|open|shut|off|on))\b"
)
_THEN_ZH: Final = re.compile(r"然后|之后|随后|接着|完了|完事|再|最后|下一步")
_FIRST_ZH: Final = re.compile(r"^(?:麻烦|请|你|帮我|给我)*先(?!生)")
_TRAILING_EN: Final = re.compile(r"\b(?:after that|afterwards|after this)$")
_OPENING_WORDS: Final = 7
"""Where a word that joins may stand at the beginning of what it joins."""
_OPENING_LETTERS: Final = 4


def comes_after(before: str, between: str, words: str, locale: str) -> bool:
    """What these `words` ask for is to come after what the words `before` them ask for; `between`: what stands between them."""
    form = plain(words, locale)
    if language(words, locale) == "zh":
        return (
            any(map(_THEN_ZH.search, (between, form[:_OPENING_LETTERS]))) or _FIRST_ZH.search(plain(before, locale)) is not None
        )
    opening = " ".join(form.split()[:_OPENING_WORDS])
    at_once = re.match(rf"(?:(?:and|so|ok|okay) )*(?:{_THEN_EN.pattern})", opening)
    trailing = _TRAILING_EN.search(plain(before, locale)) or _TRAILING_EN.search(form)
    return _THEN_EN.search(plain(between, locale)) is not None or at_once is not None or trailing is not None


def in_order(way: Sequence[str], text: str, locale: str) -> tuple[bool, ...]:
    """Of each piece of a way to cut the sentence (`framing.segments`), whether it comes after the one before."""
    cut = pieces(text, locale)
    flags, at = [False], 0
    for before, piece in zip(way, way[1:], strict=False):
        size = 0
        while at < len(cut) and size < len(before):  # as many of the smallest pieces as this one is made of
            size += len(cut[at][1]) + (len(" and ") if size and language(text, locale) != "zh" else 0)
            at += 1
        flags.append(comes_after(before, cut[at][0] if at < len(cut) else "", piece, locale))
    return tuple(flags)


@dataclass(frozen=True, slots=True)
class Part:
    """One call of a sentence as it was found. `after` of its match counts in parts found. `then`: it comes after those before. `kept`: it is to be
    done."""

    match: Match
    then: bool = False
    kept: bool = True


def arranged(parts: Sequence[Part], holds_up: Callable[[Match], bool]) -> tuple[Match, ...]:
    """The calls to make, each once, with the earlier ones that it needs (`after`) or waits for (`behind`) by their places among them. What needs a
    call that is not made is not made either. `holds_up`: others may wait for it."""
    made: list[Match] = []
    stages: list[int] = []  # of those made: what comes "then" is a stage later
    places: list[int | None] = []
    stage = 0
    for part in parts:
        stage += part.then
        needs = [places[position] for position in part.match.after]
        if not part.kept or None in needs:
            places.append(None)
            continue
        match = replace(part.match, after=tuple(place for place in needs if place is not None))
        again = next((place for place, other in enumerate(made) if _same(match, other)), None)
        if again is None:
            earlier = [place for place, other in enumerate(made) if stages[place] < stage and holds_up(other)]
            made.append(replace(match, behind=tuple(place for place in earlier if place not in match.after)))
            stages.append(stage)
        places.append(len(made) - 1 if again is None else again)
    return tuple(made)


def _same(one: Match, other: Match) -> bool:
    return one.capability == other.capability and one.arguments == other.arguments and one.after == other.after


_TELLS_EN: Final = re.compile(r"(?:please |also |then )*(?:tell|show|let|give|warn|remind|how|what|when)\b")
"""Has a verb of its own: "take me to the office and tell me how far it is"."""


def completions(cut: Sequence[str], i: int, locale: str) -> list[str]:
    """A piece as it was said, and with the verb or noun that its neighbours may have taken from it."""
    words = [cut[i]]
    if language(cut[i], locale) == "zh" or _TELLS_EN.match(cut[i]):
        return words
    if i:
        lead = cut[0].split()
        words += [f"{' '.join(lead[:n])} {cut[i]}" for n in (1, 2) if len(lead) > n]
    if i < len(cut) - 1:
        tail = cut[-1].split()
        words += [f"{cut[i]} {tail[-1]}"] if len(tail) > 1 else []
    return words
