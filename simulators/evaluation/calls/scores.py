"""From matched cases to figures and tables: F1 of the tools named, share of arguments right, share of cases wholly right. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ridealong.simulators.evaluation.calls.cases import Case
from ridealong.simulators.evaluation.calls.matching import Made, Matched, matched
from ridealong.simulators.evaluation.statistics import Share
from ridealong.simulators.evaluation.tables import Table
from ridealong.simulators.replay.figures import Figure

F1_GOAL, ARGUMENTS_GOAL, PASS_GOAL, NOTHING_GOAL = ">= 0.95", ">= 0.90", ">= 0.85", ">= 0.95"


@dataclass(frozen=True, slots=True)
class Answered:
    case: Case
    made: tuple[Made, ...]
    matched: Matched

    @property
    def nothing_wanted(self) -> bool:
        return any(not answer for answer in self.case.answers)


def answered(case: Case, made: Sequence[Made], parameters: dict[str, dict[str, object]]) -> Answered:
    """By the answer that it comes nearest to."""
    found = [matched(made, answer, parameters) for answer in case.answers]
    best = max(found, key=lambda one: (one.right, one.named - abs(one.made - one.wanted), one.arguments_right))
    return Answered(case, tuple(made), best)


def figures(rows: Sequence[Answered]) -> list[Figure]:
    right, arguments = passed(rows), arguments_right(rows)
    quiet = Share.of(not row.made for row in rows if row.nothing_wanted)
    return [
        Figure("f1", f1(rows), "", sum(row.matched.made + row.matched.wanted for row in rows), goal=F1_GOAL, label="F1 of the tools that were called"),
        _figure("argument_accuracy", arguments, ARGUMENTS_GOAL, "arguments right, of the tools rightly called"),
        _figure("pass_at_1", right, PASS_GOAL, "cases wholly right (pass@1)"),
        _figure("nothing_specificity", quiet, NOTHING_GOAL, "nothing called where nothing must be"),
    ]  # fmt: skip


def _figure(name: str, share: Share, goal: str, label: str) -> Figure:
    low, high = share.interval or (None, None)
    return Figure(name, share.value, "share", share.n, low, high, goal, label)


def f1(rows: Sequence[Answered]) -> float | None:
    """Micro-averaged over calls; None where none was wanted and none made."""
    named, made, wanted = (sum(getattr(row.matched, what) for row in rows) for what in ("named", "made", "wanted"))
    return 2 * named / (made + wanted) if made + wanted else None


def arguments_right(rows: Sequence[Answered]) -> Share:
    return Share(sum(row.matched.arguments_right for row in rows), sum(row.matched.arguments for row in rows))


def passed(rows: Sequence[Answered]) -> Share:
    return Share.of(row.matched.right for row in rows)


def tables(rows: Sequence[Answered], how: str = "") -> list[Table]:
    """`how`: how the words came, for the titles."""
    behind = f", {how}" if how else ""
    everything: list[tuple[str, Sequence[Answered]]] = [("all", rows)]
    return [
        _table(f"Tool calls{behind}", everything + _groups(rows, lambda row: row.case.locale), NOTE),
        _table(f"By category{behind}", _groups(rows, lambda row: row.case.category or "–")),
    ]


def wrong(rows: Sequence[Answered]) -> Table:
    """What was not wholly right, with why."""
    found = [
        (row.case.id, " / ".join(row.case.turns), "; ".join(row.matched.problems) or "nothing was called")
        for row in rows
        if not row.matched.right
    ]
    return Table("Not right", ("case", "words", "why"), tuple(found))


def _groups(rows: Sequence[Answered], of: Callable[[Answered], str]) -> list[tuple[str, Sequence[Answered]]]:
    return [(name, [row for row in rows if of(row) == name]) for name in sorted({of(row) for row in rows})]


def _table(title: str, groups: Sequence[tuple[str, Sequence[Answered]]], note: str = "") -> Table:
    lines = []
    for name, rows in groups:
        score = f1(rows)
        lines.append(
            (name, str(len(rows)), "–" if score is None else f"{score:.3f}", arguments_right(rows).shown(), passed(rows).shown())
        )
    return Table(title, ("", "cases", "F1", "arguments right", "wholly right"), tuple(lines), note)


NOTE = (
    "F1: of the tools called, counted over all calls. Arguments right: of calls whose tool was wanted. Wholly right: every call with every "
    "argument, and no other (pass@1). In brackets 95 % intervals (Wilson)."
)
__all__ = ["Answered", "answered", "arguments_right", "f1", "figures", "passed", "tables", "wrong"]
