"""Words that break off ahead of what they would have named: "set the fan to", 把温度调到, "close my". Nothing is done by halves: what is lacking is asked for. Pure.

    "set the fan to"       To what?              the fan, so that "forty" is an answer
    "open the"             the beginning alone   what was wanted is asked for

Who pauses there is cut off by the end of the turn; the words that are left mean something else: "set the fan to" is no "set the fan". What is to be kept as it was said
may end in any word. Does not know skills by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from ridealong.harness.framing import commands, frame
from ridealong.harness.router import Also, AskBack, Calls, ChitChat, Decision
from ridealong.harness.skill import KEEPING, Match, Skill
from ridealong.harness.slots.text import language, plain

_VALUE_EN: Final = re.compile(r"\b(?P<way>to|at|by)(?: (?:uh+|um+|er+|about|around|exactly|like|maybe))*$")
_VALUE_ZH: Final = re.compile(
    r"(?:[调设改换升降放加减移弄定整置高低大小]|(?:[开关拉摇打]|[窗风温度量帘灯]).{0,4})(?P<way>到|至|(?<![一二两三四五六七八九十几\d])成|为)(?:嗯|呃|那个|大概|差不多)*$|(?P<share>百分之)$"
)
_THING_EN: Final = re.compile(r"\b(?:the|a|an|my|our|their|your)$")
_FILLING: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "en": {"to": (" 20", " 20 percent"), "by": (" 2", " 20 percent")},
    "zh": {"to": ("二十", "百分之二十"), "by": ()},
}
QUESTIONS: Final = {
    "to": {"en": "To what?", "zh": "调到多少？"},
    "by": {"en": "By how much?", "zh": "调多少？"},
    "thing": {"en": "Sorry, I didn't catch the rest. What would you like?", "zh": "我没有听清后面的话。您想要什么？"},
}
Skills = Callable[[str], Skill | None]


def in_full(decision: Decision, text: str, locale: str, skill_of: Skills, decide: Callable[[str], Decision]) -> Decision:
    """The question for what is lacking, in the place of the call that was made without it. `decide`: of any words."""
    words, locale = plain(text, locale), language(text, locale)
    value = (_VALUE_ZH if locale == "zh" else _VALUE_EN).search(words)
    thing = _THING_EN.search(words) if locale == "en" else None
    if decision == ChitChat("unsupported") and (value or thing) and commands(words, locale):
        return AskBack(QUESTIONS["thing"][locale], reason="broken_off")
    if not isinstance(decision, Calls) or not decision.matches:
        return decision
    skill = skill_of(decision.matches[-1].capability)
    if (value is None and thing is None) or skill is None or not _asks(words, skill, locale):
        return decision
    if skill.group == KEEPING or _in_words(decision.matches[-1], words, locale):
        return decision
    if value is None:
        return _with(decision, AskBack(QUESTIONS["thing"][locale], reason="broken_off"), text)
    way = "by" if value["way"] == "by" else "to"
    question = QUESTIONS[way][locale]
    filled = [decide(words.removesuffix("百分之") + filling) for filling in _FILLING[locale][way]]
    whole = [one.matches for one in filled if isinstance(one, Calls) and one.matches]
    for matches in whole:
        if (part := _behind(decision.matches, matches, skill_of, question)) is not None:
            return replace(decision, also=(*decision.also, Also(text, AskBack(question, part, reason="broken_off"))))
    able = (_lacking(matches[-1], skill, skill_of, question) for matches in whole)
    return _with(decision, AskBack(question, next(filter(None, able), None), reason="broken_off"), text)


def _behind(made: Sequence[Match], whole: Sequence[Match], skill_of: Skills, question: str) -> Match | None:
    """What lacks its amount, where that comes behind all the calls that were made."""
    if len(whole) <= len(made) or [one.capability for one in made] != [one.capability for one in whole[: len(made)]]:
        return None
    skill = skill_of(whole[-1].capability)
    return _lacking(whole[-1], skill, skill_of, question) if skill is not None else None


def _asks(words: str, skill: Skill, locale: str) -> bool:
    return not frame(words, locale).question and (not skill.read_only or commands(words, locale))


def _in_words(match: Match, words: str, locale: str) -> bool:
    """What they end in is a part of a text, a name or a place."""
    texts = [plain(value, locale) for value in match.arguments.values() if isinstance(value, str)]
    return any(words.endswith(text) and _THING_EN.sub("", text).strip() for text in texts)


def _lacking(match: Match, made: Skill, skill_of: Skills, question: str) -> Match | None:
    """The call without its amount, which was only put in; of the thing that was named."""
    skill = skill_of(match.capability)
    amount = skill.changes.amount if skill is not None and skill.changes is not None else None
    same = match.capability.partition(".")[0] == made.name.partition(".")[0]
    if amount is None or amount.argument not in match.arguments or not (same or made.read_only):
        return None
    known, grounds = dict(match.arguments), dict(match.grounds)
    known.pop(amount.argument), grounds.pop(amount.argument, None)
    return replace(match, arguments=known, grounds=grounds, missing=(amount.argument,), question=question)


def _with(decision: Calls, asked: AskBack, text: str) -> Decision:
    """The calls before the last stay."""
    *before, _ = decision.matches
    return replace(decision, matches=tuple(before), also=(*decision.also, Also(text, asked))) if before else asked
