"""The one short question for a value that nobody said: the skill's own where it has one for these words, else one by the kind of value. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ridealong.harness.agent.grounding import Sources
from ridealong.harness.skill import Context, Skill
from ridealong.harness.slots.zone import ZONES

_BY_KIND: Final = {
    "zone": ("Which seat or side do you mean?", "您说的是哪个位置？"),
    "degrees": ("What temperature would you like?", "要调到多少度？"),
    "change": ("By how much?", "调多少？"),
    "percent": ("How far, in percent?", "要多少？百分之几？"),
    "length": ("For how long?", "要多久？"),
    "switch": ("On or off?", "要打开还是关闭？"),
    "place": ("Which place do you mean?", "您说的是哪里？"),
    "number": ("Which number do you mean?", "您说的是多少？"),
    "choice": ("Which one do you mean?", "您说的是哪一个？"),
    "other": ("Could you say that again with a little more detail?", "请再说清楚一点，好吗？"),
}


def question(skill: Skill, name: str, sources: Sources) -> str:
    """What to ask about one argument of a skill, in the language of the words."""
    context = Context(recent=tuple(sources.recent), provenance=sources.provenance, read=sources.read)
    claimed = skill.recognise(sources.words, sources.locale, context)
    if claimed is not None and claimed.question and name in claimed.missing:
        return claimed.question
    properties = skill.arguments_schema.get("properties", {})
    entry = properties.get(name, {}) if isinstance(properties, Mapping) else {}
    english, chinese = _BY_KIND[_kind(name, entry)]
    return chinese if sources.locale.startswith("zh") else english


def _kind(name: str, entry: Mapping[str, Any]) -> str:
    about = f"{name} {entry.get('description', '')}".lower()
    if entry.get("enum"):
        return "zone" if set(entry["enum"]) <= set(ZONES) else "choice"
    if entry.get("type") == "boolean":
        return "switch"
    if entry.get("type") in ("number", "integer"):
        least = entry.get("minimum")
        if isinstance(least, int | float) and least < 0:
            return "change"
        for kind, words in (
            ("degrees", r"celsius|temperature|degrees"),
            ("percent", "percent|share"),
            ("length", r"second|_s\b|duration"),
        ):
            if re.search(words, about):
                return kind
        return "number"
    return "place" if re.search(r"place|destination|address|city|location", about) else "other"
