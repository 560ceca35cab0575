"""Which skills there are, and whether arguments fit a contract: the schema, and a ground for every value.

A small subset of JSON schema is enough for spoken arguments and is checked when a skill is registered: object, string, number,
integer, boolean, enum, minimum, maximum, default, required, additionalProperties false.

Does not know how a skill is chosen (router.py) or run (runner).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ridealong.harness.skill import Confirmation, Motion, Provenance, Risk, Skill
from ridealong.harness.slots.text import plain
from ridealong.harness.sound import repair


class RegistrationError(ValueError):
    """A skill that cannot be registered: its name is taken, or its contract is wrong."""


@dataclass(frozen=True, slots=True)
class Contract:
    """What a router or a person may read about a skill. What it needs: `reads`; its cost: `usual_ms`, of at most `timeout_ms`."""

    name: str
    description: str
    group: str
    read_only: bool
    arguments_schema: Mapping[str, object]
    examples: Mapping[str, tuple[str, ...]]
    actuates: tuple[str, ...]
    reads: tuple[str, ...]
    confirmation: Confirmation
    usual_ms: int
    timeout_ms: int
    idempotent: bool
    languages: tuple[str, ...]
    risk: Risk
    motion: Motion
    by: frozenset[Provenance]
    zones: tuple[str, ...]


class Registry:
    """Skills by name, in the order of registration. Safe to read from other threads: every change makes a new table."""

    def __init__(self, skills: Iterable[Skill] = ()) -> None:
        self._skills: dict[str, Skill] = {}
        self._offered: dict[str, frozenset[str]] = {}
        for skill in skills:
            self.register(skill)

    def register(self, skill: Skill) -> None:
        """Raises RegistrationError and changes nothing when the name is taken or the schema is outside the subset."""
        _admit(skill, self._skills)
        self._skills = {**self._skills, skill.name: skill}

    def offer(self, source: str, skills: Iterable[Skill]) -> list[tuple[str, str]]:
        """What a source outside has now, in place of what it had before. Returns (name, why) of each that can't be registered."""
        earlier = self._offered.get(source, frozenset())
        table = {name: skill for name, skill in self._skills.items() if name not in earlier}
        taken: set[str] = set()
        problems: list[tuple[str, str]] = []
        for skill in skills:
            try:
                _admit(skill, table)
            except RegistrationError as error:
                problems.append((skill.name, str(error)))
            else:
                table[skill.name] = skill
                taken.add(skill.name)
        self._skills, self._offered[source] = table, frozenset(taken)
        return problems

    def get(self, name: str) -> Skill | None:
        return self._skills.get(name)

    def __iter__(self) -> Iterator[Skill]:
        return iter(self._skills.values())

    def __len__(self) -> int:
        return len(self._skills)

    def __contains__(self, name: object) -> bool:
        return name in self._skills

    def contracts(self) -> tuple[Contract, ...]:
        return tuple(
            Contract(
                s.name,
                s.description,
                s.group,
                s.read_only,
                s.arguments_schema,
                s.examples,
                s.actuates,
                s.reads,
                s.confirmation,
                s.usual_ms,
                s.timeout_ms,
                s.idempotent,
                tuple(sorted(s.examples)),
                Risk.READS if s.read_only else s.risk,
                s.motion,
                s.by,
                _zones(s.arguments_schema),
            )
            for s in self
        )

    def check(self, name: str, arguments: Mapping[str, object], grounds: Mapping[str, str], words: str, locale: str) -> list[str]:
        """Why these arguments may not be run, empty when they may: schema first, then grounding."""
        skill = self.get(name)
        if skill is None:
            return [f"there is no skill {name!r}"]
        return argument_problems(skill.arguments_schema, arguments) + grounding_problems(arguments, grounds, words, locale)


def _zones(schema: Mapping[str, object]) -> tuple[str, ...]:
    """The places that it can be told apart for: what its argument `zone` may be."""
    properties = schema.get("properties", {})
    assert isinstance(properties, Mapping)
    return tuple(properties.get("zone", {}).get("enum", ()))


def _admit(skill: Skill, table: Mapping[str, Skill]) -> None:
    if skill.name in table:
        raise RegistrationError(f"a skill named {skill.name!r} is already registered")
    if skill.idempotent and skill.actuates:
        raise RegistrationError(f"the skill {skill.name!r} acts, so it can't be idempotent: an effect is begun once")
    if skill.renewable and skill.actuates:
        raise RegistrationError(f"the skill {skill.name!r} acts, so it can't be renewable: nothing is done twice for one request")
    problems = schema_problems(skill.arguments_schema)
    if problems:
        raise RegistrationError(f"the arguments schema of {skill.name!r} {problems[0]}")


_TYPES: Mapping[str, tuple[type, ...]] = {"string": (str,), "number": (int, float), "integer": (int,), "boolean": (bool,)}
_PROPERTY_KEYS = {"type", "enum", "minimum", "maximum", "description", "default"}


def schema_problems(schema: Mapping[str, object]) -> list[str]:
    """Where a schema leaves the subset."""
    if schema.get("type") != "object":
        return ["must have type object"]
    if schema.get("additionalProperties") is not False:
        return ["must say additionalProperties: false"]
    properties = schema.get("properties", {})
    if not isinstance(properties, Mapping):
        return ["must have an object of properties"]
    problems = []
    if unknown := set(schema) - {"type", "properties", "required", "additionalProperties"}:
        problems.append(f"uses {sorted(unknown)}, which is outside the subset")
    for name, entry in properties.items():
        if not isinstance(entry, Mapping) or entry.get("type") not in _TYPES:
            problems.append(f"gives {name!r} no type out of {sorted(_TYPES)}")
        elif unknown := set(entry) - _PROPERTY_KEYS:
            problems.append(f"uses {sorted(unknown)} for {name!r}, which is outside the subset")
        elif "default" in entry and argument_problems({"properties": {name: entry}}, {name: entry["default"]}):
            problems.append(f"gives {name!r} a default that does not fit it")
    required = schema.get("required", ())
    if not isinstance(required, Sequence) or any(name not in properties for name in required):
        problems.append("requires a property that it does not have")
    return problems


def argument_problems(schema: Mapping[str, object], arguments: Mapping[str, object]) -> list[str]:
    """Why arguments do not fit a schema of the subset. NaN and infinity never fit a number."""
    properties = schema.get("properties", {})
    assert isinstance(properties, Mapping)
    required = schema.get("required", ())
    assert isinstance(required, Sequence)
    problems = [f"{name} is missing" for name in required if name not in arguments]
    for name, value in arguments.items():
        entry = properties.get(name)
        if entry is None:
            problems.append(f"{name} is not in the contract")
            continue
        kind = entry["type"]
        if not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean"):
            problems.append(f"{name} must be of type {kind}")
            continue
        if isinstance(value, float) and not math.isfinite(value):
            problems.append(f"{name} must be a finite number")
            continue
        if "enum" in entry and value not in entry["enum"]:
            problems.append(f"{name} must be one of {list(entry['enum'])}")
        if isinstance(value, (int, float)) and "minimum" in entry and value < entry["minimum"]:
            problems.append(f"{name} must be at least {entry['minimum']}")
        if isinstance(value, (int, float)) and "maximum" in entry and value > entry["maximum"]:
            problems.append(f"{name} must be at most {entry['maximum']}")
    return problems


def grounding_problems(arguments: Mapping[str, object], grounds: Mapping[str, str], words: str, locale: str) -> list[str]:
    """Which arguments nobody said. A ground is "default:…", "context:…", "signal:…", or words that occur in what was said,
    as written or with domain words put back (sound.py)."""
    forms = [plain(words, locale), repair(words, locale) or ""]
    problems = []
    for name in arguments:
        ground = grounds.get(name, "")
        if not ground or not plain(ground, locale).strip():
            problems.append(f"{name} has no ground")
        elif ground.partition(":")[0] in ("default", "context", "signal") and ":" in ground:
            continue
        elif not any(plain(ground, locale) in form for form in forms):
            problems.append(f"{name} is not in the words that were said")
    return problems
