"""From decisions and what was spoken to figures and tables: external recall, routine specificity, false facts and claims. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ridealong.simulators.evaluation.delegation.deciding import Decided, Way
from ridealong.simulators.evaluation.delegation.utterances import EXTERNAL, ROUTINE
from ridealong.simulators.evaluation.statistics import Share
from ridealong.simulators.evaluation.tables import Table
from ridealong.simulators.replay.figures import Figure

GOAL = ">= 0.95"


def recall(rows: Sequence[Decided]) -> Share:
    """Of what needs the harness: the share that reaches it."""
    return Share.of(row.way.delegated for row in rows if row.utterance.external)


def specificity(rows: Sequence[Decided]) -> Share:
    """Of what needs nothing: the share that is left alone."""
    return Share.of(not row.way.delegated for row in rows if not row.utterance.external)


def figures(rows: Sequence[Decided]) -> list[Figure]:
    found = [
        _figure("external_recall", recall(rows), GOAL, "external recall: what needs the harness reaches it"),
        _figure("routine_specificity", specificity(rows), GOAL, "routine specificity: what needs nothing is left alone"),
    ]
    for locale, part in _grouped(rows, lambda row: row.utterance.locale):
        found.append(_figure(f"external_recall@{locale}", recall(part)))
        found.append(_figure(f"routine_specificity@{locale}", specificity(part)))
    found.append(_figure("skill_found", _called(rows), "", "external requests for which a skill was called or asked back for"))
    asking = [row for row in rows if row.utterance.asks]
    acts = float(sum(row.acts for row in asking))
    found.append(
        Figure("questions_bound_to_acts", acts, "", len(asking), goal="0", label="questions that were bound to a skill that acts")
    )
    return found


def _called(rows: Sequence[Decided]) -> Share:
    return Share.of(row.way in (Way.CALLED, Way.ASKED) for row in rows if row.utterance.external)


def _figure(name: str, share: Share, goal: str = "", label: str = "") -> Figure:
    low, high = share.interval or (None, None)
    return Figure(name, share.value, "share", share.n, low, high, goal, label)


def tables(rows: Sequence[Decided]) -> list[Table]:
    return [_languages(rows), _kinds(rows), _confusion(rows)]


def _languages(rows: Sequence[Decided]) -> Table:
    lines = tuple(
        (name, str(len(part)), recall(part).shown(), specificity(part).shown())
        for name, part in [("all", list(rows)), *_grouped(rows, lambda row: row.utterance.locale)]
    )
    return Table("Delegation", ("", "utterances", "external recall", "routine specificity"), lines, NOTE)


def _kinds(rows: Sequence[Decided]) -> Table:
    lines = []
    for kind in (*EXTERNAL, *ROUTINE):
        part = [row for row in rows if row.utterance.kind == kind]
        if part:
            by = [Share.of(row.right for row in part if row.utterance.locale == locale).shown() for locale in ("en", "zh")]
            half = "external" if kind in EXTERNAL else "routine"
            lines.append((f"{half}: {kind}", str(len(part)), Share.of(row.right for row in part).shown(), *by))
    return Table("Right, by kind", ("", "utterances", "all", "en", "zh"), tuple(lines))


def _confusion(rows: Sequence[Decided]) -> Table:
    lines = []
    for external in (True, False):
        part = [row for row in rows if row.utterance.external is external]
        lines.append(
            ("external" if external else "routine", *(str(sum(row.way is way for row in part)) for way in Way), str(len(part)))
        )
    return Table("What became of them", ("", *(way.value for way in Way), "in all"), tuple(lines), WAYS_NOTE)


def wrong(rows: Sequence[Decided]) -> Table:
    found = tuple(
        (row.utterance.kind, row.utterance.locale, row.utterance.text, f"{row.way.value}: {row.detail}")
        for row in rows
        if not row.right
    )
    return Table("Not right", ("kind", "", "words", "what became of it"), found)


def _grouped(rows: Sequence[Decided], of: Callable[[Decided], str]) -> list[tuple[str, list[Decided]]]:
    return [(name, [row for row in rows if of(row) == name]) for name in sorted({of(row) for row in rows})]


NOTE = "In brackets 95 % intervals (Wilson)."
WAYS_NOTE = (
    "Called, asked back and handed on (a request without a skill: an honest sentence, or the language model) count as delegated; answered "
    "and nothing do not."
)
