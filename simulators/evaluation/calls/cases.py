"""Cases: what is said, the calls that should come of it, and what is known then. Read from JSON lines and checked.

    {"id", "question": [[{"role", "content"}], …], "ground_truth": [{tool: {argument: [accepted, …]}}, …],
     "locale"?, "category"?, "function"?: [{"name", "description", "parameters"}], "alternatives"?: [ground_truth, …], "situation"?}

The format of the Berkeley Function-Calling Leaderboard, whose answers lie in a file of the same name in `possible_answer/` beside; in its
irrelevance files the right answer is no call. `situation` is ours (see `Situation`). The last turn is judged; those before it set the
scene. Does not know who answers.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ridealong.errors import UserError
from ridealong.simulators.evaluation.calls.matching import Wanted

TOOLS: Final = "tools.json"
ANSWERS = "possible_answer"
SPEAKERS = ("driver", "passenger")


@dataclass(frozen=True, slots=True)
class Situation:
    """`temperature`: what the climate is set to, by zone, in degrees Celsius; `windows`: percent open, by zone."""

    speed_kmh: float = 0.0
    speaker: str = "driver"
    temperature: Mapping[str, float] = field(default_factory=dict)
    windows: Mapping[str, int] = field(default_factory=dict)
    trunk_open: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """`answers`: any of them is right; each is the calls wanted. `functions`: tools that the case brings, by name, as JSON schemas;
    `descriptions`: what they say of themselves."""

    id: str
    turns: tuple[str, ...]
    answers: tuple[tuple[Wanted, ...], ...]
    locale: str = "en"
    category: str = ""
    functions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    situation: Situation = Situation()
    descriptions: Mapping[str, str] = field(default_factory=dict)
    tools: frozenset[str] | None = None
    """The skills that there are in this case; None: all."""


def read_cases(path: Path) -> list[Case]:
    """Raises UserError, naming file and line, for whatever is not as it must be."""
    rows = _lines(path)
    answers = _answers(path, rows)
    found: dict[str, Case] = {}
    for number, row in rows:
        where = f"{path}, line {number}"
        try:
            case = _case(row, answers.get(str(row.get("id"))))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            what = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) and error.args else str(error)
            raise UserError(f"{where}: not a case ({what}); docs/guides/tools.md shows one.") from None
        if case.id in found:
            raise UserError(f"{where}: the id {case.id!r} is there twice; give each case its own.")
        found[case.id] = case
    if not found:
        raise UserError(f"{path} holds no case; docs/guides/tools.md shows one.")
    return list(found.values())


def tools_beside(path: Path) -> frozenset[str] | None:
    """The tools that the writer of the cases knew of, where `tools.json` lies beside them: what another tool could do meanwhile, "no tool" in these cases
    still can't. None: all that there are. Raises UserError."""
    beside = path.parent / TOOLS
    if not beside.is_file():
        return None
    try:
        tools = json.loads(beside.read_text(encoding="utf-8"))["tools"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f'{beside} is not as it must be ({error}); it holds {{"tools": [names]}}.') from None
    if not isinstance(tools, list) or not all(isinstance(name, str) for name in tools):
        raise UserError(f"{beside} must hold the names of tools as a list.")
    return frozenset(tools)


def check_tools(path: Path, cases: Sequence[Case], known: Collection[str]) -> None:
    """Raises UserError for an answer that calls a tool that is neither the case's own nor `known`: nobody could be right."""
    for case in cases:
        tools = case.functions or known
        for name in (wanted.name for answer in case.answers for wanted in answer):
            if name not in tools:
                near = difflib.get_close_matches(name, tools, n=1, cutoff=0.6)
                hint = f"did you mean {near[0]!r}?" if near else "`ridealong skills list` shows those that there are."
                whose = "none of its own functions" if case.functions else "no skill"
                raise UserError(f"{path}, case {case.id!r}: the ground truth calls {name!r}, which is {whose}; {hint}")


def _lines(path: Path) -> list[tuple[int, Mapping[str, Any]]]:
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}); check --cases.") from error
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8 text; --cases takes JSON lines.") from None
    rows: list[tuple[int, Mapping[str, Any]]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UserError(f"{path}, line {number}: not JSON ({error}); --cases takes one JSON object a line.") from None
        if not isinstance(row, dict):
            raise UserError(f"{path}, line {number}: not a JSON object; --cases takes one a line.")
        rows.append((number, row))
    return rows


def _answers(path: Path, rows: Sequence[tuple[int, Mapping[str, Any]]]) -> dict[str, Any]:
    """Ground truths that are not in the rows themselves."""
    if all("ground_truth" in row for _, row in rows):
        return {}
    if "irrelevance" in path.name:
        return {str(row.get("id")): [] for _, row in rows}
    beside = path.parent / ANSWERS / path.name
    if not beside.exists():
        raise UserError(f"{path} has cases without ground_truth, and there is no {beside}; put the answers there.")
    return {str(row.get("id")): row.get("ground_truth") for _, row in _lines(beside)}


def _case(row: Mapping[str, Any], answer: Any) -> Case:
    truth = row.get("ground_truth", answer)
    if truth is None:
        raise ValueError("there is no ground_truth for it")
    if not isinstance(row["question"], list) or not all(isinstance(turn, list) for turn in row["question"]):
        raise ValueError("question must be a list of turns, each a list of messages")
    turns = tuple(_said(turn) for turn in row["question"])
    if not turns:
        raise ValueError("question holds no turn")
    locale = row.get("locale", "en")
    if locale not in ("en", "zh"):
        raise ValueError(f"locale must be en or zh, not {locale!r}")
    functions = {one["name"]: one["parameters"] for one in row.get("function", [])}
    if not all(isinstance(schema, dict) for schema in functions.values()):
        raise ValueError("parameters of a function must be a JSON schema")
    return Case(
        id=_text(row["id"], "id"),
        turns=turns,
        answers=(_wanted(truth), *(_wanted(one) for one in row.get("alternatives", []))),
        locale=locale,
        category=_text(row.get("category", ""), "category"),
        functions=functions,
        situation=_situation(row.get("situation", {})),
        descriptions={one["name"]: _text(one.get("description", ""), "description") for one in row.get("function", [])},
    )


def _said(turn: Any) -> str:
    """The user's words of a turn; a benchmark's system message is not for us."""
    words = [message["content"] for message in turn if message["role"] == "user"]
    if not words:
        raise ValueError("a turn holds no words of the user")
    return _text("\n".join(words), "content")


def _wanted(truth: Any) -> tuple[Wanted, ...]:
    if not isinstance(truth, list):
        raise ValueError("ground_truth must be a list of calls")
    found = []
    for call in truth:
        for name, accepted in call.items():
            if any(not isinstance(values, list) or not values for values in accepted.values()):
                raise ValueError(f"every argument of {name} needs a list of accepted values")
            found.append(Wanted(_text(name, "tool"), accepted))
    return tuple(found)


def _situation(raw: Mapping[str, Any]) -> Situation:
    if unknown := sorted(raw.keys() - Situation.__dataclass_fields__.keys()):
        raise ValueError(f"situation knows no {unknown[0]}")
    found = Situation(**raw)
    if found.speaker not in SPEAKERS:
        raise ValueError(f"speaker must be one of {', '.join(SPEAKERS)}")
    if not isinstance(found.speed_kmh, int | float) or not isinstance(found.trunk_open, bool):
        raise ValueError("speed_kmh must be a number and trunk_open true or false")
    if not all(isinstance(value, int | float) for value in (*found.temperature.values(), *found.windows.values())):
        raise ValueError("temperature and windows hold numbers by zone")
    return found


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{what} must be text")
    return value
