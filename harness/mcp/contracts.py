"""A server's description of a tool -> a contract that we can keep, or why we refuse it. Pure.

A contract has only arguments that can be said: text, numbers, yes or no, one of a list. An optional argument of any other kind is
left out; a tool that requires one is refused. What merely narrows a text (a pattern, a length) is left to the server to judge.
Names and descriptions come from outside: they are cleaned, bounded, and never taken for more than labels.
Does not know the protocol, or how a tool is called.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ridealong.harness.polish import without_reserved

MAX_TOOLS: Final = 64
MAX_DESCRIPTION_CHARS: Final = 300
MAX_ARGUMENT_DESCRIPTION_CHARS: Final = 120
MAX_ARGUMENTS: Final = 16
MAX_CHOICES: Final = 64
MAX_CHOICE_CHARS: Final = 100
MAX_NAME_CHARS: Final = 48
_ARGUMENT = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_COMBINED = ("oneOf", "allOf", "anyOf", "not", "if", "$ref", "dependentRequired", "dependentSchemas")
_SCALARS: Final = {"string": str, "number": (int, float), "integer": int, "boolean": bool}


@dataclass(frozen=True, slots=True)
class Described:
    """A tool as its server describes it."""

    name: str
    description: str
    schema: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ToolContract:
    """`tool` is the server's name for it, `name` ours. `left_out`: optional arguments that cannot be said."""

    tool: str
    name: str
    description: str
    schema: Mapping[str, object]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    tool: str
    reason: str


@dataclass(frozen=True, slots=True)
class Listing:
    """`unknown`: tools that the configuration names and the server does not have."""

    taken: tuple[ToolContract, ...] = ()
    refused: tuple[Refused, ...] = ()
    unknown: tuple[str, ...] = ()


class _Unfit(Exception):
    """Why an argument cannot be in a contract."""


@dataclass(slots=True)
class _Collected:
    taken: dict[str, ToolContract] = field(default_factory=dict)
    refused: list[Refused] = field(default_factory=list)


def listing(server: str, tools: Iterable[Described], allow: Sequence[str] = (), named: Iterable[str] = ()) -> Listing:
    """All the tools of one server. `allow`: only these, all where empty; `named`: those that the configuration speaks of."""
    found = _Collected()
    seen: set[str] = set()
    for tool in tools:
        label = _line(tool.name, 64)
        seen.add(tool.name)
        if allow and tool.name not in allow:
            continue
        result = contract(server, tool)
        if isinstance(result, Refused):
            found.refused.append(result)
        elif result.name in found.taken:
            found.refused.append(Refused(label, f"it has the same name as {found.taken[result.name].tool!r}"))
        elif len(found.taken) >= MAX_TOOLS:
            found.refused.append(Refused(label, f"the server has more than {MAX_TOOLS} tools; name those you want in allow"))
        else:
            found.taken[result.name] = result
    unknown = sorted({*allow, *named} - seen)
    return Listing(tuple(found.taken.values()), tuple(found.refused), tuple(unknown))


def contract(server: str, tool: Described) -> ToolContract | Refused:
    """One tool."""
    label = _line(tool.name, 64)
    short = re.sub(r"[^A-Za-z0-9]+", "_", unicodedata.normalize("NFKC", tool.name)).strip("_")
    if not short or len(short) > MAX_NAME_CHARS:
        return Refused(label, f"its name must have letters or digits, and at most {MAX_NAME_CHARS} of them")
    try:
        schema, left_out = _schema(tool.schema)
    except _Unfit as why:
        return Refused(label, str(why))
    description = _line(tool.description, MAX_DESCRIPTION_CHARS) or short.replace("_", " ")
    return ToolContract(tool.name, f"{server}.{short}", description, schema, left_out)


def _schema(raw: Mapping[str, object]) -> tuple[dict[str, object], tuple[str, ...]]:
    """The arguments as a schema of the registry's subset, and what had to be left out."""
    if raw.get("type", "object") != "object":
        raise _Unfit("its arguments are not an object")
    if combined := [key for key in _COMBINED if key in raw]:
        raise _Unfit(f"its arguments use {combined[0]}")
    properties = raw.get("properties", {})
    required = raw.get("required", [])
    if not isinstance(properties, Mapping) or not isinstance(required, list) or not all(isinstance(r, str) for r in required):
        raise _Unfit("its arguments are not a JSON schema")
    if undescribed := [name for name in required if name not in properties]:
        raise _Unfit(f"it requires {_line(undescribed[0], 40)!r} without describing it")
    kept: dict[str, object] = {}
    left_out: list[str] = []
    for name in sorted(properties, key=lambda name: name not in required):  # the required ones first, else as given
        try:
            if not isinstance(name, str) or _ARGUMENT.fullmatch(name) is None:
                raise _Unfit("has an odd name")
            if len(kept) >= MAX_ARGUMENTS:
                raise _Unfit(f"is one of more than {MAX_ARGUMENTS}")
            kept[name] = _argument(properties[name])
        except _Unfit as why:
            if name in required:
                raise _Unfit(f"it requires {_line(str(name), 40)!r}, which {why}") from None
            left_out.append(_line(str(name), 40))
    schema = {"type": "object", "properties": kept, "required": list(dict.fromkeys(required)), "additionalProperties": False}
    return schema, tuple(left_out)


def _argument(raw: object) -> dict[str, object]:
    if not isinstance(raw, Mapping):
        raise _Unfit("is not described")
    raw = _without_null(raw)
    if combined := [key for key in _COMBINED if key in raw]:
        raise _Unfit(f"uses {combined[0]}")
    choices = [raw["const"]] if "const" in raw else raw.get("enum")
    kind = raw.get("type")
    if kind is None and isinstance(choices, list) and choices and all(isinstance(choice, str) for choice in choices):
        kind = "string"
    if not isinstance(kind, str) or kind not in _SCALARS:
        raise _Unfit(f"is {kind if isinstance(kind, str) else 'of no single type'}; only text, numbers and yes or no can be said")
    kept: dict[str, object] = {"type": kind}
    if choices is not None:
        kept["enum"] = _choices(choices, kind)
    if kind in ("number", "integer"):
        for bound, exclusive, step in (("minimum", "exclusiveMinimum", 1), ("maximum", "exclusiveMaximum", -1)):
            limit = _number(raw.get(bound))
            beyond = _number(raw.get(exclusive))
            if limit is None and beyond is not None:
                limit = beyond + step if kind == "integer" else beyond  # where it must lie above, the server judges equality
            if limit is not None:
                kept[bound] = limit
    description = raw.get("description")
    if isinstance(description, str) and (line := _line(description, MAX_ARGUMENT_DESCRIPTION_CHARS)):
        kept["description"] = line
    return kept


def _without_null(raw: Mapping[str, object]) -> Mapping[str, object]:
    """ "This or null" is an argument that may be left out: the contract has only this."""
    kind = raw.get("type")
    if isinstance(kind, list) and len(rest := [one for one in kind if one != "null"]) == 1:
        raw = {**raw, "type": rest[0]}
    either = raw.get("anyOf")
    if isinstance(either, list) and all(isinstance(one, Mapping) for one in either):
        rest = [one for one in either if one.get("type") != "null"]
        if len(rest) == 1:
            raw = {**{key: value for key, value in raw.items() if key != "anyOf"}, **rest[0]}
    choices = raw.get("enum")
    return {**raw, "enum": [choice for choice in choices if choice is not None]} if isinstance(choices, list) else raw


def _choices(choices: object, kind: str) -> list[object]:
    if not isinstance(choices, list) or not 1 <= len(choices) <= MAX_CHOICES:
        raise _Unfit(f"has no list of 1 to {MAX_CHOICES} choices")
    for choice in choices:
        if not isinstance(choice, _SCALARS[kind]) or (isinstance(choice, bool) and kind != "boolean"):  # type: ignore[arg-type]
            raise _Unfit("has choices of another type")
        if isinstance(choice, str) and (len(choice) > MAX_CHOICE_CHARS or without_reserved(choice) != choice):
            raise _Unfit("has choices that cannot be said")
    return list(choices)


def _number(value: object) -> int | float | None:
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return value if number else None  # type: ignore[return-value]


def _line(text: str, most: int) -> str:
    """One clean, bounded line."""
    text = without_reserved("".join(" " if unicodedata.category(c)[0] in "CZ" else c for c in text[: 8 * most]))
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
