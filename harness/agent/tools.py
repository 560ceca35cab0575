"""Contracts as tools of a chat completion: what is offered for which words, under names that every server takes.

An act is offered only to somebody who may act, for words that ask for one: a question sees nothing but readers. What the harness answers by
itself (`talk.*`) and what only our own question may set (`confirmed`) is never shown.
Does not know the endpoint, or whether arguments that come back were said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from ridealong.harness.framing import Frame
from ridealong.harness.provenance import may_act, may_ask
from ridealong.harness.quoting import content
from ridealong.harness.router import STANDING_GROUPS
from ridealong.harness.skill import KEEPING, QUOTING, TALK, Confirmation, Provenance, Skill
from ridealong.harness.skills.seeing import SEEING

MAX_NAME: Final = 64
MAX_TOOLS: Final = 100
"""More than this no server takes with pleasure: of many skills those are offered whose contracts share most words with the request."""
UNSHOWN: Final = frozenset({TALK, "work", SEEING, QUOTING, KEEPING})
"""Groups that steer the conversation and its work: understood locally or not at all. What is seen goes with the words, or not at all; what a user has
asked to be kept stays in the node."""
QUOTES: Final = "said"
"""A tool's extra argument: for each argument the user's own words that it comes from."""
CONFIRMED: Final = "confirmed"
EXAMPLES: Final = 2


class Kind(Enum):
    """How a call of it is run: READ inside the loop; ACT and STAND as work of their own, behind the same guards as the local router's."""

    READ = "read"
    STAND = "stand"
    ACT = "act"


def kind_of(skill: Skill) -> Kind:
    if skill.actuates:
        return Kind.ACT
    return Kind.STAND if skill.group in STANDING_GROUPS else Kind.READ


def offered(skills: Iterable[Skill], framing: Frame, provenance: Provenance, *, acts: bool = True) -> tuple[Skill, ...]:
    """What may be called for these words. `acts` False: nothing that changes anything."""
    if not may_ask(provenance) or framing.to_other:
        return ()
    asks_for_it = not (framing.question or framing.negated or framing.reported or framing.narrated)
    allowed = {
        Kind.READ: True,
        Kind.STAND: asks_for_it and acts,
        Kind.ACT: asks_for_it and acts and may_act(provenance),
    }
    found = [skill for skill in skills if skill.group not in UNSHOWN and allowed[kind_of(skill)]]
    if len(found) > MAX_TOOLS:
        asked = content(framing.text)
        found.sort(key=lambda skill: -len(asked & content(_about(skill))))
    return tuple(found[:MAX_TOOLS])


def _about(skill: Skill) -> str:
    return " ".join([skill.name, skill.description, *(sentence for said in skill.examples.values() for sentence in said)])


def hidden(skill: Skill) -> dict[str, bool]:
    """Arguments that no request sets, with the value that they have in one."""
    properties = skill.arguments_schema.get("properties", {})
    held = isinstance(properties, Mapping) and CONFIRMED in properties and skill.confirmation is Confirmation.EXPLICIT
    return {CONFIRMED: False} if held else {}


@dataclass(frozen=True, slots=True)
class Toolbox:
    """`names`: the wire's name of each skill; two that would read alike are numbered."""

    skills: Mapping[str, Skill]
    schemas: tuple[Mapping[str, Any], ...]

    @staticmethod
    def of(skills: Iterable[Skill], locale: str) -> Toolbox:
        by_name: dict[str, Skill] = {}
        for skill in skills:
            by_name[wire_name(skill.name, by_name)] = skill
        return Toolbox(by_name, tuple(_tool(name, skill, locale) for name, skill in by_name.items()))

    def readers(self) -> tuple[Mapping[str, Any], ...]:
        """Those that change nothing."""
        return tuple(
            schema for schema, skill in zip(self.schemas, self.skills.values(), strict=True) if kind_of(skill) is Kind.READ
        )

    def find(self, name: str) -> Skill | None:
        """By the wire's name, or by the skill's own where a model writes it so."""
        return self.skills.get(name) or next((skill for skill in self.skills.values() if skill.name == name), None)


def wire_name(name: str, taken: Mapping[str, object]) -> str:
    """Letters, digits, `_` and `-`, at most 64."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:MAX_NAME] or "tool"
    number, found = 2, plain
    while found in taken:
        tail = f"_{number}"
        found, number = plain[: MAX_NAME - len(tail)] + tail, number + 1
    return found


def _tool(name: str, skill: Skill, locale: str) -> Mapping[str, Any]:
    properties = skill.arguments_schema.get("properties", {})
    required = skill.arguments_schema.get("required", ())
    assert isinstance(properties, Mapping) and isinstance(required, list | tuple)
    kept = {key: dict(value) for key, value in properties.items() if key not in hidden(skill)}
    if kept:
        said = {"type": "object", "description": "for each argument the user's own words that it comes from, copied exactly", "additionalProperties": {"type": "string"}}  # fmt: skip
        kept[QUOTES] = said
    examples = skill.examples.get(locale) or skill.examples.get("en") or ()
    description = " ".join([skill.description, *([f"For example: {' / '.join(examples[:EXAMPLES])}"] if examples else [])])
    parameters = {"type": "object", "properties": kept, "required": [key for key in required if key in kept], "additionalProperties": False}  # fmt: skip
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}
