"""Are these the calls that were wanted? The matching rules of the Berkeley Function-Calling Leaderboard (BFCL v3, AST evaluation). Pure.

    matched(calls, wanted, parameters) -> Matched

Names are equal ('.' is as good as '_'); every required argument is there and none beside the contract; a value is one of those accepted, of
the same type (an integer does for a number); strings are equal without case, spaces and light punctuation; lists in order; mappings by
key. `""` among the accepted values: the argument may be left out. Several calls match in any order. Does not know who made the calls.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Accepted = Mapping[str, Sequence[Any]]  # argument -> accepted values
LEFT_OUT = ""


@dataclass(frozen=True, slots=True)
class Made:
    """A call that was made."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A call that should be made."""

    name: str
    accepted: Accepted


@dataclass(frozen=True, slots=True)
class Matched:
    """`right`: all calls, and no other. `named`: calls whose name was wanted; `arguments`, `arguments_right`: of those calls."""

    right: bool
    made: int
    wanted: int
    named: int
    arguments: int
    arguments_right: int
    problems: tuple[str, ...]


def matched(made: Sequence[Made], wanted: Sequence[Wanted], parameters: Mapping[str, Mapping[str, Any]]) -> Matched:
    """`parameters`: the JSON schema of each tool, by name; a tool that is not there is checked by the accepted values alone."""
    pairs = _paired(made, wanted, parameters)
    whole = sum(not problems(call, want, parameters.get(call.name)) for call, want in pairs)
    told = [problem for call, want in pairs for problem in problems(call, want, parameters.get(call.name))]
    told += [f"{call.name} was not wanted" for call in _rest(made, [call for call, _ in pairs])]
    told += [f"{want.name} is missing" for want in _rest(wanted, [want for _, want in pairs])]
    return Matched(
        right=len(made) == len(wanted) == whole,
        made=len(made),
        wanted=len(wanted),
        named=len(pairs),
        arguments=sum(len(set(want.accepted) | set(call.arguments)) for call, want in pairs),
        arguments_right=sum(_right(call, want, parameters.get(call.name)) for call, want in pairs),
        problems=tuple(told),
    )


def problems(call: Made, want: Wanted, parameters: Mapping[str, Any] | None = None) -> list[str]:
    """Why a call is not the one that was wanted; empty when it is."""
    if not same_name(call.name, want.name):
        return [f"{call.name} is not {want.name}"]
    found = []
    required = parameters.get("required", ()) if parameters is not None else ()
    for name in required:
        if name not in call.arguments:
            found.append(f"{call.name}: {name} is missing")
    for name, value in call.arguments.items():
        if name not in want.accepted:
            found.append(f"{call.name}: {name} is not an argument that was wanted")
        elif not any(same(value, typed(one, name, parameters)) for one in want.accepted[name]):
            found.append(f"{call.name}: {name} is {value!r}")
    for name, values in want.accepted.items():
        if name not in call.arguments and name not in required and LEFT_OUT not in values:
            found.append(f"{call.name}: {name} is missing")
    return found


def typed(accepted: Any, name: str, parameters: Mapping[str, Any] | None) -> Any:
    """An accepted value in the type of its argument: where the schema says number, 21 is written for 21.0. Which type an argument has is a
    matter of the schema, not of how somebody wrote the answer."""
    entry = parameters.get("properties", {}).get(name, {}) if parameters is not None else {}
    whole = isinstance(accepted, int) and not isinstance(accepted, bool)
    return float(accepted) if whole and entry.get("type") == "number" else accepted


def same_name(one: str, other: str) -> bool:
    return one.replace(".", "_") == other.replace(".", "_")


def same(value: Any, accepted: Any) -> bool:
    """One value against one accepted value."""
    if isinstance(accepted, bool) or isinstance(value, bool):
        return isinstance(accepted, bool) and isinstance(value, bool) and value == accepted
    if isinstance(accepted, float):
        return isinstance(value, int | float) and float(value) == accepted
    if isinstance(accepted, int):
        return isinstance(value, int) and value == accepted
    if isinstance(accepted, str):
        return isinstance(value, str) and bare(value) == bare(accepted)
    if isinstance(accepted, list):
        return isinstance(value, list) and len(value) == len(accepted) and all(map(same, value, accepted))
    if isinstance(accepted, dict):
        return isinstance(value, dict) and _same_keys(value, accepted)
    return value is accepted


def bare(text: str) -> str:
    """Without case, spaces and , . / - _ * ^, and one kind of quotes."""
    return re.sub(r"[ ,./\-_*^]", "", text).lower().replace("'", '"')


def _same_keys(value: Mapping[str, Any], accepted: Mapping[str, Any]) -> bool:
    """In a mapping every key has a list of accepted values, as an argument has."""
    for key, one in value.items():
        if key not in accepted or not any(same(one, other) for other in _listed(accepted[key])):
            return False
    return all(key in value or LEFT_OUT in _listed(values) for key, values in accepted.items())


def _listed(values: Any) -> Sequence[Any]:
    return values if isinstance(values, list) else [values]


def _right(call: Made, want: Wanted, parameters: Mapping[str, Any] | None) -> int:
    """Arguments that are as wanted, those rightly left out among them."""
    return sum(
        any(same(call.arguments[name], typed(one, name, parameters)) for one in values)
        if name in call.arguments
        else LEFT_OUT in values
        for name, values in want.accepted.items()
    )


def _paired(
    made: Sequence[Made], wanted: Sequence[Wanted], parameters: Mapping[str, Mapping[str, Any]]
) -> list[tuple[Made, Wanted]]:
    """As many calls as can be are given to wanted ones that they fit wholly (Kuhn's augmenting paths); the others to what is left of
    their name, the most alike first."""
    fits = [[index for index, want in enumerate(wanted) if not problems(call, want, parameters.get(call.name))] for call in made]
    owner: dict[int, int] = {}  # wanted -> made

    def give(call: int, seen: set[int]) -> bool:
        for index in fits[call]:
            if index not in seen:
                seen.add(index)
                if index not in owner or give(owner[index], seen):
                    owner[index] = call
                    return True
        return False

    for call in range(len(made)):
        give(call, set())
    left = [
        (_right(made[call], want, parameters.get(made[call].name)), call, index)
        for call in set(range(len(made))) - set(owner.values())
        for index, want in enumerate(wanted)
        if index not in owner and same_name(made[call].name, want.name)
    ]
    placed = set(owner.values())
    for _, call, index in sorted(left, key=lambda one: (-one[0], one[1], one[2])):
        if index not in owner and call not in placed:
            owner[index] = call
            placed.add(call)
    return [(made[call], wanted[index]) for index, call in sorted(owner.items(), key=lambda pair: pair[1])]


def _rest(all_of: Sequence[Any], taken: Sequence[Any]) -> list[Any]:
    left = list(all_of)
    for one in taken:
        left.remove(one)
    return left
