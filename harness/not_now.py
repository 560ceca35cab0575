"""Why an act that the words seem to ask for is not done: they only ask a question, or they mean later or for a while, which can't be done yet. Pure.

One guard before every act, whoever routed it. A time that is an argument says what, and not when. Does not know the policy, or how an act is begun.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ridealong.harness.deferred import deferred, refusal
from ridealong.harness.framing import frame
from ridealong.harness.framing_questions import asks_about
from ridealong.harness.lasting import lasting, no_undoing
from ridealong.harness.polish import sentences
from ridealong.harness.sentences import sentence
from ridealong.harness.skill import Match, Outcome, Skill, Spoken
from ridealong.harness.work_items import Asked

NOT_NOW: Final = "not_now"
"""The capability under which it is said."""
CALLS: Final = "phone:"
"""Of the effects outside the car only these are refused: others ("mcp:calendar.add") may well be for later."""
CONTACT: Final = "contact"
"""No name of a person holds a time."""
_NOT_WORDS = re.compile(r"[\W_]+")


def not_now(asked: Asked, match: Match, skill: Skill) -> Spoken | None:
    """What is said instead of doing it; None where it may be done."""
    if _only_asked(asked):
        return Spoken(sentence("heard_a_question", asked.locale), Outcome.REFUSED, "question")
    return other_time(match, skill, asked.locale, asked.request, asked.words)


def other_time(match: Match, skill: Skill, locale: str, *texts: str) -> Spoken | None:
    """What is said where an act in the car, or a call, is asked for later, or for a while only; None where it is not, or where the time is one of its
    arguments."""
    if all(":" in path and not path.startswith(CALLS) for path in skill.actuates):
        return None
    grounds = [ground for name, ground in match.grounds.items() if _may_hold_a_time(name, skill)]
    later = next((found for text in texts if (found := deferred(text, locale)) is not None), None)
    if later is not None and not any(later.covers(ground) for ground in grounds):
        return Spoken(refusal(later), Outcome.REFUSED, "later")
    while_only = next((only for text in texts if (only := lasting(text, locale)) is not None), None)
    if while_only is None or any(while_only.covers(ground) for ground in grounds):
        return None
    return Spoken(no_undoing(while_only), Outcome.REFUSED, "for_a_while")


def _may_hold_a_time(name: str, skill: Skill) -> bool:
    """It is in words of the user's own: no number, no choice, no yes."""
    properties = skill.arguments_schema.get("properties")
    entry = properties.get(name, {}) if isinstance(properties, Mapping) else {}
    return name != CONTACT and entry.get("type") == "string" and "enum" not in entry


def _only_asked(asked: Asked) -> bool:
    """The user's own words are a question, whatever the front-end made of them: a question changes nothing."""
    said = sentences(asked.words)
    if said and all(asks_about(one, asked.locale) for one in said):
        return True
    if _NOT_WORDS.sub("", asked.words.casefold()) == _NOT_WORDS.sub("", asked.request.casefold()):
        return False  # the router has judged them
    return bool(said) and all(frame(one, asked.locale).question for one in said)
