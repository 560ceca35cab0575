"""A long text in parts that can be said at once: so much now, the rest for "go on". Pure.

    portion(text, locale)  ->  (what is said now, what is left)

A part is a few whole sentences; a sentence that is too long by itself is cut at a comma, else between words. Does not know who wrote the text.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.polish import sentences
from ridealong.harness.slots.text import has_chinese

AT_ONCE: Final = 2
"""Sentences of the text: with the words that say that there is more they are three."""
MAX_CHARS: Final = 240
MAX_CHARS_ZH: Final = 90
MAX_SOURCE_CHARS: Final = 6_000

_CLAUSE: Final = re.compile(r"[,;:]\s+|[，；：、]")
_MORE: Final = {"en": "Say “go on” for more.", "zh": "说“继续”听后面的。"}


def portion(text: str, limit: int = AT_ONCE) -> tuple[str, str]:
    """At most `limit` sentences and MAX_CHARS; "" as the second where that was all."""
    text = " ".join(text[:MAX_SOURCE_CHARS].split())
    most = MAX_CHARS_ZH if has_chinese(text) else MAX_CHARS
    taken = 0
    for number, sentence in enumerate(sentences(text)):
        end = text.index(sentence, taken) + len(sentence)
        if number == limit or (number and end > most):
            break
        taken = end
        if end > most:
            taken = _cut(text, most)
            break
    return text[:taken].strip(), text[taken:].strip()


def more(locale: str) -> str:
    """How to hear the rest."""
    return _MORE["zh" if locale.startswith("zh") else "en"]


def said_in_parts(text: str, locale: str, lead: str = "") -> tuple[str, str]:
    """The first part as it is said, with what comes before it and the word that there is more; and what is left."""
    now, rest = portion(text)
    said = f"{lead}{now}"
    return (f"{said}{'' if has_chinese(said[-2:]) else ' '}{more(locale)}" if rest else said), rest


def _cut(text: str, most: int) -> int:
    clauses = [found.end() for found in _CLAUSE.finditer(text, 0, most)]
    if clauses and clauses[-1] > most // 3:
        return clauses[-1]
    space = text.rfind(" ", 0, most)
    return space + 1 if space > most // 3 else most
