"""What a skill in a worker said, as data: written in the worker, read and judged in the node. Pure.

A result is plain data of bounded size: a text, what makes it worth saying (`Spoken.holds`) and what it found (`Spoken.gives`). What it depends on are signals that the
skill has declared, what it gives are names that it has declared; anything else is no result, and is refused whole.
Does not know how a result came here, or what becomes of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Final, TypeVar

from ridealong.harness.holds import ALWAYS, Holds, Near, Still
from ridealong.harness.port import declared
from ridealong.harness.skill import Outcome, Skill, Spoken
from ridealong.harness.worker.answers import MAX_NUMBER, MAX_PRECONDITIONS, fits, preconditions
from ridealong.harness.worker.frames import Message

MAX_TEXT: Final = 3_000
MAX_STILL: Final = 32
MAX_NEAR: Final = 4
MAX_FOR_MS: Final = 24 * 3_600_000
MAX_WITHIN_M: Final = 1_000_000.0
MAX_GIVEN_CHARS: Final = 300
_REASON = re.compile(r"[a-z0-9_]{0,64}")


class UnfitResult(ValueError):
    """Which part of it does not fit, in a few words of ours."""


def spoken_as_data(spoken: Spoken) -> Message:
    """In the worker."""
    data: Message = {"text": spoken.text, "outcome": spoken.outcome.value, "reason": spoken.reason}
    if spoken.holds != ALWAYS:
        data["holds"] = asdict(spoken.holds)
    if spoken.gives:
        data["gives"] = dict(spoken.gives)
    return data


def spoken_from_data(data: Mapping[str, object], skill: Skill) -> Spoken:
    """In the node: whatever arrived, judged. Raises UnfitResult."""
    text, outcome, reason = data.get("text"), data.get("outcome"), data.get("reason")
    _need(isinstance(text, str) and len(text) <= MAX_TEXT and bool(text.strip()), "text")
    _need(outcome in [one.value for one in Outcome], "outcome")
    _need(isinstance(reason, str) and _REASON.fullmatch(reason) is not None, "reason")
    holds = _holds(data["holds"], (*skill.reads, *skill.actuates)) if "holds" in data else ALWAYS
    return Spoken(str(text), Outcome(outcome), str(reason), holds, _gives(data.get("gives", {}), skill.gives))


def _holds(data: object, known: tuple[str, ...]) -> Holds:
    """`known`: the paths that the skill has declared."""
    if not isinstance(data, dict) or set(data) - {"conditions", "still", "for_ms", "near"}:
        raise UnfitResult("holds")
    conditions, for_ms = preconditions(data.get("conditions", [])), data.get("for_ms")
    if conditions is None:
        raise UnfitResult(f"holds.conditions, of which {MAX_PRECONDITIONS} are allowed")
    _need(for_ms is None or (_number(for_ms, 0, MAX_FOR_MS) and isinstance(for_ms, int)), "holds.for_ms")
    still = _each(data.get("still", []), MAX_STILL, _still, "holds.still")
    near = _each(data.get("near", []), MAX_NEAR, _near, "holds.near")
    paths = (
        *(one.path for one in conditions),
        *(one.path for one in still),
        *(path for one in near for path in (one.latitude_path, one.longitude_path)),
    )
    _need(all(declared(path, known) for path in paths), "holds, which names a signal that the skill does not declare")
    return Holds(conditions, still, for_ms if isinstance(for_ms, int) else None, near)


def _still(one: Mapping[str, object]) -> Still | None:
    path, value, slack, read = (one.get(key) for key in ("path", "value", "slack", "read"))
    if not _path(path) or not (value is None or fits(value)) or not _number(slack, 0, MAX_NUMBER) or not isinstance(read, bool):
        return None
    return Still(path, value, slack, read)  # type: ignore[arg-type]


def _near(one: Mapping[str, object]) -> Near | None:
    paths, values = (
        (one.get("latitude_path"), one.get("longitude_path")),
        (one.get("latitude"), one.get("longitude"), one.get("within_m")),
    )
    most = zip(values, ((-90, 90), (-180, 180), (0, MAX_WITHIN_M)), strict=True)
    if not all(map(_path, paths)) or not all(_number(value, *bounds) for value, bounds in most):
        return None
    return Near(*paths, *values)  # type: ignore[arg-type]


_Part = TypeVar("_Part", Still, Near)


def _each(value: object, most: int, read: Callable[[Mapping[str, object]], _Part | None], name: str) -> tuple[_Part, ...]:
    if not isinstance(value, list) or len(value) > most:
        raise UnfitResult(f"{name}, of which {most} are allowed")
    found = [read(one) if isinstance(one, dict) else None for one in value]
    _need(None not in found, name)
    return tuple(one for one in found if one is not None)


def _gives(data: object, names: tuple[str, ...]) -> Mapping[str, object]:
    if not isinstance(data, dict):
        raise UnfitResult("gives")
    _need(set(data) <= set(names), "gives, which names what the skill does not declare")
    for value in data.values():
        text = isinstance(value, str) and 0 < len(value) <= MAX_GIVEN_CHARS and value.isprintable()
        _need(text or (not isinstance(value, str) and fits(value)), "gives, whose values are texts, numbers, yes or no")
    return data


def _path(value: object) -> bool:
    return isinstance(value, str) and len(value) <= 256


def _number(value: object, least: float, most: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most


def _need(fits: bool, what: str) -> None:
    if not fits:
        raise UnfitResult(what)
