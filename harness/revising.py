"""A request with a change worked into it: "find the nearest charger" and "the cheapest" make "find the cheapest charger". Pure.

Gives the wordings worth trying, best first: the same kind of value put in place of the old one (a duration, a number, "the …est"), then
the change put behind. A change counts only where a skill reads other arguments from one of them. Does not know how work is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ridealong.harness.skill import Context, Doing, Match, Skill
from ridealong.harness.slots.duration import find_duration
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.text import has_chinese, plain

NAMED: Final = 0.9
"""An operation on work with this score or more named the work that it means."""
_MOST_EN: Final = re.compile(r"\b(?:most|least|best|worst|\w{3,}est)\b(?! of)")
_NOT_MOST: Final = frozenset({"rest", "test", "west", "request", "guest", "interest", "forest", "suggest", "invest"})
_MOST_ZH: Final = re.compile(r"最(?:便宜|贵|近|远|快|慢|好|新|早|晚|大|小|短|长|高|低|多|少)")


def rewordings(request: str, change: str, adds: bool) -> tuple[str, ...]:
    """`adds`: beside what was asked for, so with nothing replaced first; else it is another request of the same kind."""
    locale = "zh" if has_chinese(request) else "en"
    old, new = plain(request, locale), plain(change, locale)
    replaced = [_duration(old, new, locale), _number(old, new, locale), _most(old, new, locale)]
    behind = f"{old}{new}" if locale == "zh" else f"{old} {new}"
    found: list[str] = []
    for text in (behind, *replaced) if adds else (*replaced, behind):
        if text and text != old and text not in found:
            found.append(text)
    return tuple(found)


def revisable(match: Match, context: Context, skill: Callable[[str], Skill | None]) -> Match | None:
    """A claim on a change of work, left with the items that the change means something to: the same kind of work with other arguments.
    Of work that was named it may be said that the change means nothing."""
    change = match.arguments.get("change")
    if not isinstance(change, str) or match.missing or match.score >= NAMED:
        return match
    ids, adds = str(match.arguments["items"]).split(), match.arguments.get("adds") is True
    able = [one.id for one in context.doing if one.id in ids and _another(one, change, adds, context, skill(one.capability))]
    return replace(match, arguments={**match.arguments, "items": " ".join(able)}) if able else None


def _another(one: Doing, change: str, adds: bool, context: Context, skill: Skill | None) -> bool:
    if skill is None:
        return False
    found = (skill.recognise(text, one.locale, context) for text in rewordings(one.words, change, adds))
    return any(match is not None and not match.missing and match.arguments != one.arguments for match in found)


def _put(old: str, span: tuple[int, int], words: str) -> str:
    return f"{old[: span[0]]}{words}{old[span[1] :]}"


def _duration(old: str, new: str, locale: str) -> str:
    was, wanted = find_duration(old, locale), find_duration(new, locale)
    return _put(old, was.span, wanted.words) if was is not None and wanted is not None else ""


def _number(old: str, new: str, locale: str) -> str:
    """Only a bare number: "make it ten" of "a timer for five minutes", not "a quarter to ten"."""
    was, wanted = find_numbers(old, locale), find_numbers(new, locale)
    if len(was) != 1 or len(wanted) != 1 or _put(new, wanted[0].span, "").split() not in ([], ["about"], ["just"], ["大概"]):
        return ""
    return _put(old, was[0].span, new[wanted[0].span[0] : wanted[0].span[1]])


def _most(old: str, new: str, locale: str) -> str:
    was, wanted = _superlative(old, locale), _superlative(new, locale)
    return _put(old, was.span(), wanted.group()) if was is not None and wanted is not None else ""


def _superlative(form: str, locale: str) -> re.Match[str] | None:
    pattern = _MOST_ZH if locale == "zh" else _MOST_EN
    return next((found for found in pattern.finditer(form) if found.group() not in _NOT_MOST), None)
