"""A skill's contract as data: written in the worker, read and judged in the node. Pure.

What the node must be able to do without the package's code travels: name, description, group, schema, examples, patterns, paths, limits, what it gives. What
would be code in the node (`recognise` other than `patterns`, `begins`) is refused with a sentence, not left out.
Does not know names that are taken, or how a contract came here.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Final

from ridealong.harness.patterns import PatternError, Patterns
from ridealong.harness.registry import schema_problems
from ridealong.harness.skill import OURS, Confirmation, ContractError, Motion, Provenance, Risk, Skill, SkillFunction

MAX_SKILLS: Final = 32
MAX_TEXT: Final = 300
MAX_LIST: Final = 200
MAX_TIMEOUT_MS: Final = 300_000
MAX_GIVES: Final = 8

NOT_THERE: Final = (
    "there is no such module here: install it, or name the folder that it lies in (`path` in the settings, --path)."
)

_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}(\.[a-z][a-z0-9_]{0,31}){1,3}")
_GROUP = re.compile(r"[a-z][a-z0-9_]{0,31}")
_PATH = re.compile(r"[A-Za-z0-9_]{1,64}(\.(\*|[A-Za-z0-9_]{1,64})){1,15}")


@dataclass(frozen=True, slots=True)
class Declared:
    """A contract that was judged. `skill` is without what runs it."""

    skill: Skill

    @property
    def name(self) -> str:
        return self.skill.name


def skills_of(module: ModuleType) -> tuple[Skill, ...]:
    """A package's skills: what it lists as `SKILLS`, else every skill among its names."""
    listed = getattr(module, "SKILLS", None)
    found: Iterable[object] = listed if isinstance(listed, list | tuple) else vars(module).values()
    unique = {id(one): one for one in found if isinstance(one, Skill)}
    return tuple(unique.values())


def import_skills(module: str) -> tuple[ModuleType, tuple[Skill, ...]]:
    """Imports a package. Raises ContractError where there is none, and whatever its own code raises."""
    try:
        imported = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module}.".startswith(f"{error.name}."):  # not something that it imports itself
            raise ContractError(NOT_THERE) from None
        raise
    return imported, skills_of(imported)


def as_data(skill: Skill) -> dict[str, object]:
    """In the worker. Raises ContractError for what can't travel."""
    if not isinstance(skill.recognise, Patterns):
        raise ContractError(
            f"{skill.name} recognises words with code, which would have to run in the node; give `recognise=patterns(…)`."
        )
    if skill.begins is not None:
        raise ContractError(f"{skill.name} has `begins`, which is code that would have to run in the node; leave it out.")
    return {
        "name": skill.name,
        "description": skill.description,
        "group": skill.group,
        "arguments_schema": skill.arguments_schema,
        "examples": {locale: list(some) for locale, some in skill.examples.items()},
        "patterns": skill.recognise.as_data(),
        "actuates": list(skill.actuates),
        "reads": list(skill.reads),
        "timeout_ms": skill.timeout_ms,
        "confirmation": skill.confirmation.value,
        "usual_ms": skill.usual_ms,
        "idempotent": skill.idempotent,
        "gives": list(skill.gives),
        "renewable": skill.renewable,
        "risk": skill.risk.value,
        "motion": skill.motion.value,
        "by": sorted(one.value for one in skill.by),
        "doing": dict(skill.doing),
    }


def contracts_of(skills: Sequence[Skill]) -> list[dict[str, object]]:
    """In the worker. Raises ContractError."""
    if not skills:
        raise ContractError("the module has no skill: declare one with @skill, or list them as SKILLS.")
    return [as_data(skill) for skill in skills]


def read_contracts(data: object, run: Mapping[str, SkillFunction] | None = None) -> tuple[Declared, ...]:
    """In the node: whatever arrived, judged. Raises ContractError."""
    if not isinstance(data, list) or not 1 <= len(data) <= MAX_SKILLS:
        raise ContractError(f"a package gives between 1 and {MAX_SKILLS} skills.")
    found = tuple(_read(one) for one in data)
    names = [one.name for one in found]
    if len(set(names)) < len(names):
        raise ContractError("the package gives two skills of one name.")
    return found


def fingerprint(data: object) -> str:
    """Tells whether a restarted worker declares the same."""
    return json.dumps(data, sort_keys=True)


async def _nobody(call: object) -> object:
    raise AssertionError("a contract is not run")


def _read(data: object) -> Declared:
    if not isinstance(data, dict):
        raise ContractError("a contract is no object.")
    name = data.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ContractError("a skill's name must be small letters with a dot, such as scent.set.")

    def need(fits: bool, what: str) -> None:
        if not fits:
            raise ContractError(f"{name} {what}.")

    description, group, schema = data.get("description"), data.get("group"), data.get("arguments_schema")
    need(
        isinstance(description, str) and 0 < len(description) <= MAX_TEXT and description.isprintable(),
        "needs a short description",
    )
    need(isinstance(group, str) and bool(_GROUP.fullmatch(group)), "needs a policy group")
    need(group not in OURS, f"is of the group {group}, which is not open to skills from outside")
    try:
        problems = schema_problems(schema) if isinstance(schema, dict) else ["must be an object"]
    except Exception as error:  # a schema of odd types
        problems = [f"can't be read ({type(error).__name__})"]
    need(not problems, f"has an arguments schema that {problems[0] if problems else ''}")
    examples = data.get("examples")
    need(
        isinstance(examples, dict) and set(examples) <= {"en", "zh"} and all(_texts(some) for some in examples.values()),
        "needs examples as lists of sentences in en and zh",
    )
    for key in ("actuates", "reads"):
        need(_texts(data.get(key)) and all(_PATH.fullmatch(path) for path in data[key]), f"has {key} that are no VSS paths")
    timeout_ms, usual_ms, confirmation = data.get("timeout_ms"), data.get("usual_ms"), data.get("confirmation")
    need(_whole(timeout_ms, 100, MAX_TIMEOUT_MS), f"must have a timeout_ms between 100 and {MAX_TIMEOUT_MS}")
    need(_whole(usual_ms, 0, MAX_TIMEOUT_MS), "must have a usual_ms that is not negative")
    need(confirmation in [one.value for one in Confirmation], "has an unknown confirmation")
    risk, motion, by = data.get("risk"), data.get("motion"), data.get("by")
    need(risk in [one.value for one in Risk], "has an unknown risk")
    need(motion in [one.value for one in Motion], "has an unknown motion tier")
    need(isinstance(by, list) and all(one in [who.value for who in Provenance] for one in by), "has unknown speakers in `by`")
    doing = data.get("doing")
    fits = isinstance(doing, dict) and set(doing) <= {"en", "zh"} and _texts(list(doing.values()))
    need(fits, "must have `doing` as words in en and zh")
    need(isinstance(data.get("idempotent"), bool), "must say whether it is idempotent")
    need(not (data["idempotent"] and data["actuates"]), "acts, so it can't be idempotent: an effect is begun once")
    gives = data.get("gives", [])
    need(
        _texts(gives) and len(gives) <= MAX_GIVES and all(map(_GROUP.fullmatch, gives)), "has gives that are no names of results"
    )
    need(isinstance(data.get("renewable", False), bool), "must say whether it is renewable")
    need(
        not (data.get("renewable") and data["actuates"]), "acts, so it can't be renewable: nothing is done twice for one request"
    )
    try:
        recognise = Patterns.from_data(data.get("patterns"))
    except PatternError as error:
        raise ContractError(f"{name}: {error}") from None
    need(recognise.capability == name, f"has patterns for {recognise.capability[:64]!r}")
    assert isinstance(description, str) and isinstance(group, str) and isinstance(schema, dict) and isinstance(examples, dict)
    assert isinstance(timeout_ms, int) and isinstance(usual_ms, int) and isinstance(by, list) and isinstance(doing, dict)
    return Declared(
        Skill(
            name=name, description=description, run=_nobody, recognise=recognise, group=group, arguments_schema=schema,  # type: ignore[arg-type]
            examples={locale: tuple(some) for locale, some in examples.items()}, actuates=tuple(data["actuates"]),
            reads=tuple(data["reads"]), timeout_ms=timeout_ms, confirmation=Confirmation(confirmation), usual_ms=usual_ms,
            idempotent=data["idempotent"], gives=tuple(gives), renewable=data.get("renewable", False), risk=Risk(risk), motion=Motion(motion), by=frozenset(map(Provenance, by)), doing=doing,
        )
    )  # fmt: skip


def _texts(value: object) -> bool:
    return (
        isinstance(value, list) and len(value) <= MAX_LIST and all(isinstance(one, str) and len(one) <= MAX_TEXT for one in value)
    )


def _whole(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
