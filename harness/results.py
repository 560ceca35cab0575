"""An argument that an earlier call of the same request finds: "find a charger and take me there". Pure.

The match says so by its ground: `grounds["place"] == "result:place"`, no such argument yet, and `after` naming the call. A skill that finds something
declares it (`Skill.gives`) and says it with its sentence (`Spoken.gives`). The value is put in as the later call begins, and fits the contract
like any other; without one the call is not begun.
Does not know how calls are run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ridealong.harness.registry import argument_problems, grounding_problems
from ridealong.harness.skill import Match, Skill

RESULT: Final = "result:"


def owed(match: Match) -> dict[str, str]:
    """Argument -> what it is called in the earlier call's result."""
    return {
        name: ground.removeprefix(RESULT)
        for name, ground in match.grounds.items()
        if ground.startswith(RESULT) and name not in match.arguments
    }


def match_problems(skill: Skill, match: Match, words: str, locale: str) -> list[str]:
    """Why a match may not become a call: the schema, then a ground for every value; what a result is to bring counts as there."""
    expected = owed(match)
    missing = {f"{name} is missing" for name in expected}
    problems = [problem for problem in argument_problems(skill.arguments_schema, match.arguments) if problem not in missing]
    if expected and not match.after:
        problems.append(f"{next(iter(expected))} is to come from no call")
    return problems or grounding_problems(match.arguments, match.grounds, words, locale)


def completed(skill: Skill, match: Match, found: Sequence[Mapping[str, object]]) -> Mapping[str, object] | None:
    """All arguments, once the earlier calls have ended: `found[i]` is what the call at place i gave. None where something is not there."""
    sources = {name: (match.after[-1], key) for name, key in owed(match).items()} if match.after else {}
    return with_results(skill, match.arguments, {name: (found[place], key) for name, (place, key) in sources.items()})


def with_results(
    skill: Skill, arguments: Mapping[str, object], sources: Mapping[str, tuple[Mapping[str, object], str]]
) -> Mapping[str, object] | None:
    """`sources`: argument -> (a result, what it is called there)."""
    if not sources:
        return arguments
    if any(key not in result for result, key in sources.values()):
        return None
    whole = {**arguments, **{name: result[key] for name, (result, key) in sources.items()}}
    return None if argument_problems(skill.arguments_schema, whole) else whole


@dataclass(frozen=True, slots=True)
class Order:
    """Of one call among the work items of its request. `needs`: must have been done. `behind`: must have ended. `takes`: argument -> (the item that
    finds it, what it is called there)."""

    needs: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    takes: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def instead(self, old: str, new: str) -> Order:
        """A newer version has taken the place of an item."""

        def swapped(ids: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(new if id == old else id for id in ids)

        takes = {name: (new if source == old else source, key) for name, (source, key) in self.takes.items()}
        return Order(swapped(self.needs), swapped(self.behind), takes)


UNORDERED: Final = Order()


def order(match: Match, begun: Sequence[str | None]) -> Order | None:
    """`begun`: the items of the earlier calls, None where nothing was begun. None where this one needs one of those: it is not begun either."""
    needs = [begun[place] for place in match.after]
    ids = tuple(id for id in needs if id is not None)
    if len(ids) < len(needs):
        return None
    takes = {name: (ids[-1], key) for name, key in owed(match).items()} if ids else {}
    return Order(ids, tuple(id for place in match.behind if (id := begun[place]) is not None), takes)
