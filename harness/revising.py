"""A request with a change worked into it: "find the nearest charger" and "the cheapest" make "find the cheapest charger"; what lasts, made longer
or shorter: "five more minutes". Pure.

Gives the wordings worth trying, best first: the same kind of value put in place of the old one (a duration, a number, "the …est"), then
the change put behind. A change counts only where a skill reads other arguments from one of them. Does not know how work is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ridealong.harness.changes import Arguments
from ridealong.harness.follow_said import Scale, Sense, Step
from ridealong.harness.follow_words import follow_up
from ridealong.harness.skill import Context, Doing, Match, Skill
from ridealong.harness.slots.duration import find_duration
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.text import has_chinese, language, plain

NAMED: Final = 0.9
"""An operation on work with this score or more named the work that it means."""
_MOST_EN: Final = re.compile(r"\b(?:most|least|best|worst|\w{3,}est)\b(?! of)")
_NOT_MOST: Final = frozenset({"rest", "test", "west", "request", "guest", "interest", "forest", "suggest", "invest"})
_MOST_ZH: Final = re.compile(r"最(?:便宜|贵|近|远|快|慢|好|新|早|晚|大|小|短|长|高|低|多|少)")


def rewordings(request: str, change: str, adds: bool) -> tuple[str, ...]:
    """`adds`: beside what was asked for, so with nothing replaced first; else it is another request of the same kind."""
    locale = "zh" if has_chinese(request) else "en"
    old, new = plain(request, locale), plain(change, locale)
    if find_duration(new, locale) is not None and by_so_much(new, locale) is not None:
        return ()  # "ten minutes less" is not ten minutes
    if (past := _past(old, new, locale)) is not None:
        return (past,) if past and past != old else ()
    replaced = [_duration(old, new, locale), _number(old, new, locale), _most(old, new, locale)]
    behind = f"{old}{new}" if locale == "zh" else f"{old} {new}"
    found: list[str] = []
    for text in (behind, *replaced) if adds else (*replaced, behind):
        if text and text != old and text not in found:
            found.append(text)
    return tuple(found)


_TIMER_EN: Final = re.compile(
    r"\b(?:the|my|that|this|our) (?:(?!the\b|my\b|that\b|this\b)\w+ ){0,4}?(?:timer|alarm|countdown|reminder)s?\b"
)
_TIMER_ZH: Final = re.compile(
    r"(?:那个|这个|我的|第[一二三]个)?(?:[零一二两三四五六七八九十百半\d]+个?半?(?:秒钟?|分钟?|小时|钟头)的)?(?:倒?计时器?|闹钟|定时器)"
)


def by_so_much(text: str, locale: str) -> tuple[Step | Scale, str] | None:
    """Longer or shorter by a time or a factor, and what of: "five more minutes" of "", "add a minute to the egg timer" of "the egg timer"."""
    zh = language(text, locale) == "zh"
    form = plain(text, locale)
    named = (_TIMER_ZH if zh else _TIMER_EN).search(form)
    if named is not None:  # a number in its name is not how much
        form = f"{form[: named.start()]}{'计时器' if zh else 'the timer'}{form[named.end() :]}"
    match follow_up(form, locale):
        case Step(size=float() | int(), unit="seconds") | Scale(of="" | "time") as said:
            return said, named.group() if named is not None else ""
        case _:
            return None


def lasting_otherwise(one: Doing, change: str, locale: str, skill: Skill | None) -> Arguments | None:
    """Of what lasts and is under way, for so long from now as is left of it with the change; None where that can't be."""
    amount = skill.changes.amount if skill is not None and skill.changes is not None else None
    found = by_so_much(change, locale)
    if amount is None or "time" not in amount.of or one.left_ms is None or found is None:
        return None
    now_s = one.arguments.get(amount.argument)
    assert isinstance(now_s, int | float)
    match found[0]:
        case Step(sense=sense, size=size) if size is not None:
            by_s = size if sense in (Sense.MORE, Sense.UP) else -size
        case Scale(factor=factor):
            by_s = (factor - 1) * now_s
        case _:
            return None
    wanted_s = round(one.left_ms / 1000 + by_s)
    return {**one.arguments, amount.argument: wanted_s} if amount.least <= wanted_s <= amount.most else None


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
    if lasting_otherwise(one, change, one.locale, skill) is not None:
        return True
    found = (skill.recognise(text, one.locale, context) for text in rewordings(one.words, change, adds))
    return any(match is not None and not match.missing and match.arguments != one.arguments for match in found)


_MINUTES_EN: Final = r"(?:half|a quarter|quarter|twenty five|twenty|five|ten|5|10|20|25)(?: minutes)?"
_PAST_EN: Final = re.compile(rf"(?P<m>{_MINUTES_EN}) past")
_HOUR_EN: Final = re.compile(
    rf"\b(?:{_MINUTES_EN} (?:past|to) )?(?P<h>one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|1[0-2]|[1-9])\b(?! (?:minutes?|hours?|seconds?|past|to)\b)"
)


def _past(old: str, new: str, locale: str) -> str | None:
    """ "Make that twenty past", of the hour that there was; None where it is no such change."""
    said = _PAST_EN.fullmatch(re.sub(r"^(?:(?:no|make|that|it|at|to|actually|sorry) )+", "", new)) if locale == "en" else None
    if said is None:
        return None
    at = re.search(r"\b(?:at|for|by) ", old)
    hour = _HOUR_EN.search(old, at.end()) if at is not None else None
    return f"{old[: hour.start()]}{said['m']} past {hour['h']}{old[hour.end() :]}" if hour is not None else ""


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
