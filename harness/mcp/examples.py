"""Sentences from the configuration, understood word for word: how the local router knows a server's tools. Pure.

"put {item} on the list" is met by the same words in the same order, politeness aside (framing.py); what stands where {item} does is the
argument. Nothing else is recognised: no synonyms, no guesses. A router with a language model reads the contracts instead.
Does not know servers, or what a tool does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ridealong.harness.framing import frame
from ridealong.harness.skill import Match
from ridealong.harness.slots.number import parse_number
from ridealong.harness.slots.text import has_chinese, plain

SCORE: Final = 0.9
MAX_SLOT_CHARS: Final = 200
_SLOT = re.compile(r"\{([^{}]*)\}")
_STAND_IN: Final = "qzslot"
"""Stands for a slot while a sentence is brought into plain form: letters that no rule touches."""


class UnfitExample(ValueError):
    """An example that cannot call its tool. The text says why."""


@dataclass(frozen=True, slots=True)
class Example:
    """`pattern` is met by a whole core; its groups are the slots' words, in order of `slots`."""

    sentence: str
    locale: str
    pattern: re.Pattern[str]
    slots: tuple[str, ...]


def understood(sentences: Sequence[str], schema: Mapping[str, object]) -> tuple[Example, ...]:
    """Raises UnfitExample for a sentence with no words, a slot that the contract has not, or an argument that nobody would give."""
    return tuple(_example(sentence, schema) for sentence in sentences)


def _example(sentence: str, schema: Mapping[str, object]) -> Example:
    properties, required = schema["properties"], schema["required"]
    assert isinstance(properties, Mapping) and isinstance(required, Sequence)
    slots = tuple(_SLOT.findall(sentence))
    if len(set(slots)) != len(slots):
        raise UnfitExample("uses an argument twice")
    for slot in slots:
        if slot not in properties:
            raise UnfitExample(f"uses {{{slot}}}, which is no argument of the tool")
        if properties[slot]["type"] == "boolean":
            raise UnfitExample(f"uses {{{slot}}}, which is yes or no: that can't be taken from words")
    if missing := [name for name in required if name not in slots]:
        raise UnfitExample(f"leaves out {{{missing[0]}}}, which the tool requires")
    if re.search(r"\}\s*\{", sentence):
        raise UnfitExample("has two arguments with no word between them")
    locale = "zh" if has_chinese(sentence) else "en"
    core = frame(_SLOT.sub(f" {_STAND_IN} ", sentence), locale).core
    pieces = [piece.strip() for piece in core.split(_STAND_IN)]
    if not any(pieces) or len(pieces) != len(slots) + 1:
        raise UnfitExample("has no words of its own")
    gap = "" if locale == "zh" else " "
    written = re.escape(pieces[0])
    for piece in pieces[1:]:
        written += (gap if written else "") + rf"(.{{1,{MAX_SLOT_CHARS}}}?)" + (gap + re.escape(piece) if piece else "")
    return Example(sentence, locale, re.compile(written), slots)


def recognise(capability: str, examples: Sequence[Example], schema: Mapping[str, object], text: str, locale: str) -> Match | None:
    """The first example that the words meet, with arguments of the right kind."""
    framing = frame(text, locale)
    properties = schema["properties"]
    assert isinstance(properties, Mapping)
    for example in examples:
        met = example.pattern.fullmatch(framing.core) if example.locale == framing.locale else None
        if met is None:
            continue
        grounds = dict(zip(example.slots, (words.strip() for words in met.groups()), strict=True))
        arguments = {name: _value(words, properties[name], framing.locale) for name, words in grounds.items()}
        if all(value is not None for value in arguments.values()):
            return Match(capability, SCORE, arguments, grounds)
    return None


def _value(words: str, entry: Mapping[str, object], locale: str) -> object | None:
    """The words as the argument's kind asks; None where they are not of it."""
    choices = entry.get("enum")
    if entry["type"] == "string":
        if not isinstance(choices, list):
            return words
        return next((choice for choice in choices if plain(choice, locale) == words), None)
    number = parse_number(words, locale)
    if number is None or (entry["type"] == "integer" and number.value != int(number.value)):
        return None
    value = int(number.value) if number.value == int(number.value) else number.value
    return value if not isinstance(choices, list) or value in choices else None
