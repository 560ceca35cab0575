"""Words that are to be kept, or are a name, and not done: "take a note: open all the windows", "a timer called close the roof", 记一下：打开车门. Pure.

`introduction(text, locale)` is what comes before such words, with what introduces them; None where nothing does. Only that may ask for an act in the
car; the rest is somebody's text, whatever it says. Does not know skills, or what the words are kept for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Final

from ridealong.harness.router import AskBack, Calls, Decision, Nothing
from ridealong.harness.skill import Confirmation, Match, Skill
from ridealong.harness.slots.text import language

_KEEP = r"(?:take|make|write|add|put|create|leave|save|record|dictate)"
_KEPT = r"(?:note|memo|reminder|message|entry|voice memo|list item|text)"
_EN: Final = (
    # what it is called
    r"\b(?:called|named|labelled|labeled|titled|entitled)\b",
    r"\b(?:timer|alarm|reminder|note|list|memo|place)\b[^.?!]*?,? (?:cold|called|calls|named)\b",  # as the recogniser writes "called"
    r"\b(?:that|which) (?:says|reads|goes)\b|\bsaying\b|\bwith the (?:words?|text|title|name|label|message)\b",
    # what is to be written down
    rf"\b{_KEEP}(?: me)?(?: (?:a|an|the|this|that|my|another|new|quick|voice))* {_KEPT}\b(?: (?:down|that|to|saying|of|for me))*",
    r"\b(?:write|note|jot|take|put)(?: (?:this|that|it|the following))? down\b(?: that)?",
    r"\b(?:remember|memori[sz]e)(?: (?:this|that|the following))?(?= ?[,:;]| that\b| the (?:words|sentence)\b)",
    r"\b(?:send|write|text|post)\b[^,:;]*\b(?:message|text|mail|e-?mail|note)\b[^,:;]*(?=[,:;])",
)
_ZH: Final = (
    r"(?:叫做|叫作|名叫|名为|取名|命名为|名字(?:叫|是)|标题(?:叫|是|为)|内容(?:是|为)|写着|写上|备注(?:是|为)?)",
    r"(?:记(?:个|条|一个|一条|下)?笔记|做(?:个|条)?笔记|写(?:个|条)?(?:笔记|备忘录?)|记一下|记下来?|记一笔|记个?备忘录?|写下来?|记录一下|录个?备忘)",
    r"(?:记住|记着)(?=[，,：:；])",
    r"(?:发|写)(?:个|条|一条|封)?[^，,：:；]{0,6}(?:短信|消息|信息|邮件|微信)[^，,：:；]{0,6}(?=[，,：:；])",
)
_PATTERNS: Final = {"en": re.compile("|".join(_EN), re.I), "zh": re.compile("|".join(_ZH))}
_WORDS: Final = re.compile(r"\w")


@lru_cache(maxsize=256)
def introduction(text: str, locale: str) -> str | None:
    found = _PATTERNS[language(text, locale)].search(text)
    if found is None or not _WORDS.search(text[found.end() :]):
        return None
    return text[: found.end()]


def only_before(
    decision: Decision, text: str, locale: str, skill_of: Callable[[str], Skill | None], decide: Callable[[str], Decision]
) -> Decision:
    """Of what acts in the car, or must be agreed to, only what the words ask for that come before a text to be kept. `decide`: of those words alone."""
    before = introduction(text, locale)
    acting = [match for match in _asked_for(decision) if _weighty(skill_of(match.capability))] if before is not None else []
    if before is None or not acting:
        return decision
    named = {match.capability for match in _asked_for(decide(before))}
    if all(match.capability in named for match in acting):
        return decision
    kept = [match for match in _asked_for(decision) if match not in acting or match.capability in named]
    return Calls(tuple(replace(match, after=(), behind=()) for match in kept)) if kept else Nothing("reported")


def _weighty(skill: Skill | None) -> bool:
    return skill is not None and (
        skill.confirmation is Confirmation.EXPLICIT or any(path.startswith("Vehicle.") for path in skill.actuates)
    )


def _asked_for(decision: Decision) -> tuple[Match, ...]:
    match decision:
        case Calls(matches=matches):
            return tuple(matches)
        case AskBack(match=one) if one is not None:
            return (one,)
        case _:
            return ()
