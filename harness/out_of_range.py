"""What is said to a number that a typed skill does not take: its limits, as a question. Pure.

    out_of_range(skill, match, "en")     # the match without that number, asking "It goes from 0 to 100 percent. How much?"

From the schema: minimum, maximum, whole numbers, and the unit (`description`: percent, degrees Celsius, seconds). The answer to it completes the match.
Of skills that are recognised by sentences (patterns.py): those that read words with code of their own know what to ask.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ridealong.harness.patterns import Patterns
from ridealong.harness.skill import Match, Skill
from ridealong.harness.slots.number import digits
from ridealong.harness.slots.text import language
from ridealong.harness.spoken_values import spoken_number


def out_of_range(skill: Skill, match: Match, text: str, locale: str) -> Match | None:
    """None where every number of it is allowed."""
    if not isinstance(skill.recognise, Patterns):
        return None
    properties = skill.arguments_schema.get("properties", {})
    assert isinstance(properties, Mapping)
    for name, value in match.arguments.items():
        entry = properties.get(name)
        if not isinstance(entry, Mapping) or isinstance(value, bool) or not isinstance(value, int | float):
            continue
        low, high, whole = (
            entry.get("minimum"),
            entry.get("maximum"),
            entry.get("type") == "integer" and not float(value).is_integer(),
        )
        if not whole and (low is None or value >= low) and (high is None or value <= high):
            continue
        spoken = language(text, locale)
        known = {key: one for key, one in match.arguments.items() if key != name}
        question = f"{limits(entry, spoken, whole)}{'要多少？' if spoken == 'zh' else ' How much?'}"
        grounds = {key: ground for key, ground in match.grounds.items() if key != name}
        return replace(match, arguments=known, grounds=grounds, missing=(name,), question=question)
    return None


def limits(entry: Mapping[str, object], locale: str, whole: bool = False) -> str:
    """ "It goes from 0 to 100 percent." `whole`: it must be said that parts of one are not taken."""
    low, high = (bound if isinstance(bound, int | float) else None for bound in (entry.get("minimum"), entry.get("maximum")))
    unit = str(entry.get("description", ""))
    zh = locale == "zh"
    only = "" if not whole else "只能是整数。" if zh else "It takes whole numbers only. "
    if low is None and high is None:
        return only.rstrip() if not zh else only
    if low is None or high is None:
        bound, most = (high, True) if low is None else (low, False)
        assert bound is not None
        said = spoken_number(bound, unit, locale)
        return (
            f"{only}{'最多' if most else '最少'}{said}。" if zh else f"{only}It can be {said} at {'most' if most else 'least'}."
        )
    if zh:
        return f"{only}可以是{spoken_number(low, unit, locale)}到{spoken_number(high, unit, locale)}。"
    first = digits(low).replace("-", "minus ") if unit != "seconds" else spoken_number(low, unit, locale)
    return f"{only}It goes from {first} to {spoken_number(high, unit, locale)}."
