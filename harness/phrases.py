"""Is a phrase in these words? For what a recogniser wrote (of a voice) and what was read off a picture. Pure.

Numbers in words and in digits are the same ("gate B twelve", "Gate B12"); a picture's reader confuses 0 and O, 1 and I, and runs words
together; a voice's recogniser writes other characters with the same sound, and spells names its own way. Digits must be right: exit 12
is not exit 120. Does not know where the words came from.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.text import has_chinese, plain
from ridealong.harness.sound import edit_distance, readings

EXACT: Final = 1.0
RUN_TOGETHER: Final = 0.9
SAME_SOUND: Final = 0.8
LOOKS_ALIKE: Final = 0.8
ONE_OFF: Final = 0.7
ONE_OFF_FROM: Final = 5
"""Characters that a phrase must have before one wrong letter is forgiven."""
_CJK = "\u3400-\u9fff\u3007"
_ALIKE = str.maketrans("oilz", "0112")


def similarity(phrase: str, text: str, heard: bool) -> float:
    """How surely the phrase occurs in the text, 0..1. `heard`: the text is of a voice, otherwise of a picture."""
    wanted, found = tokens(phrase), tokens(text)
    if not wanted or not found:
        return 0.0
    if _contains(found, wanted):
        return EXACT
    best = 0.0
    short = "".join(wanted)
    if not heard and len(short) >= ONE_OFF_FROM or has_chinese(phrase):
        best = max(best, RUN_TOGETHER * _runs(short, "".join(found)))
    if not heard and re.search(r"\d", short) and len(short) >= 3:
        best = max(best, LOOKS_ALIKE * _runs(short.translate(_ALIKE), "".join(found).translate(_ALIKE)))
    if heard and has_chinese(phrase) and len(wanted) >= 2:
        best = max(best, SAME_SOUND * _sounds(wanted, found))
    return max(best, ONE_OFF * _one_off(wanted, found))


@lru_cache(maxsize=512)
def tokens(text: str) -> tuple[str, ...]:
    """Words and numbers in small letters, Chinese one by one; number words as digits, a lone letter joined to its number."""
    locale = "zh" if has_chinese(text) else "en"
    form = plain(text, locale)
    for number in reversed(find_numbers(form, locale)):
        value = int(number.value) if number.value == int(number.value) else number.value
        form = f"{form[: number.span[0]]} {value} {form[number.span[1] :]}"
    form = re.sub(r"\b([a-z]) (?=\d)", r"\1", re.sub(r"\s+", " ", form))
    return tuple(re.findall(rf"[a-z]+\d*|\d+(?:\.\d+)?[a-z]*|[{_CJK}]", form))


def _contains(found: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    length = len(wanted)
    return any(found[at : at + length] == wanted for at in range(len(found) - length + 1))


def _runs(short: str, text: str) -> bool:
    """As a stretch of letters, whatever the word boundaries; a number is never a part of a longer one."""
    for m in re.finditer(re.escape(short), text):
        before, after = text[: m.start()][-1:], text[m.end() :][:1]
        if not (short[0].isdigit() and before.isdigit()) and not (short[-1].isdigit() and after.isdigit()):
            return True
    return False


def _sounds(wanted: tuple[str, ...], found: tuple[str, ...]) -> bool:
    """The same syllables without their tones."""
    target, length = [set(readings(c)) or {c} for c in wanted], len(wanted)
    heard = [set(readings(c)) or {c} for c in found]
    return any(all(a & b for a, b in zip(target, heard[at:], strict=False)) for at in range(len(heard) - length + 1))


def _one_off(wanted: tuple[str, ...], found: tuple[str, ...]) -> bool:
    """One letter wrong, missing or too many in a phrase of some length; never in a word with a digit."""
    short = "".join(wanted)
    if len(short) < ONE_OFF_FROM or not short.isascii():
        return False
    exact = [token for token in wanted if re.search(r"\d", token)]
    for length in (len(wanted), len(wanted) + 1):
        for at in range(len(found) - length + 1):
            other = "".join(found[at : at + length])
            alike = short[0] == other[0] and abs(len(short) - len(other)) <= 1
            numbered = [token for token in found[at : at + length] if re.search(r"\d", token)] == exact
            if alike and numbered and edit_distance(short, other) <= 1:
                return True
    return False
