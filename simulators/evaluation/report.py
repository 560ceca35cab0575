"""The evaluation as tables: what was asked of it first, then by noise and language, what was taken for what, and how long it took.

Does not know rides, files or how tables are printed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from ridealong.simulators.evaluation.figures import INTENTS, RESUMING, Scores, classes, figures, noise_level
from ridealong.simulators.evaluation.scoring import Overlap
from ridealong.simulators.evaluation.statistics import Share
from ridealong.simulators.evaluation.tables import Table
from ridealong.simulators.replay.figures import Figure

NOISE_LEVELS = ("clean", "10 dB", "5 dB", "0 dB")
NO_VERDICT = "no verdict"
CHARGED = "Latency: on virtual time, computing charged with its measured time; network with 60 ms round trip; the simulated sound device adds 100 ms."
REAL = "Latency: in real time over gRPC through a network with 60 ms round trip; the simulated sound device adds 100 ms."
UNTIMED = (
    "Latency that depends on computing is not measured, and decisions came as if computing took no time: more rides ran at once than there are"
    " pairs of cores."
)
STRICT = (
    "Responds: speech stopped, was not taken up again, and a reply or an action followed (after “stop”, silence will do). Goes on: speech was"
    " never cut, went on, and nothing was done. Lenient: it stopped; or what was cut was taken up again by itself."
)


def tables(scores: Scores, *, real_time: bool) -> list[Table]:
    found = [_figures(scores, real_time)]
    if scores.judged:
        found += [_by_noise(scores.judged), _by(scores.judged, "language", lambda one: one.locale)]
        found += [_by_intent(scores.judged)]
        if any(one.person for one in scores.judged):
            found.append(_by(scores.judged, "origin", lambda one: "people" if one.person else "synthetic voices and noises"))
        found += [table for level in NOISE_LEVELS if (table := confusion(scores.judged, level)) is not None]
        found += [table for language in ("en", "zh") if (table := confusion(scores.judged, "", language)) is not None]
    return found


def overview(rows: Sequence[Figure], title: str, note: str) -> Table:
    """Only what has a label, with its goal and whether it was reached."""
    shown = [row for row in rows if row.label]
    return Table(
        title, ("figure", "value", "95 % interval", "n", "goal", ""),
        tuple((row.label, _value(row), _interval(row), str(row.n), row.goal, _reached(row)) for row in shown), note,
    )  # fmt: skip


def _figures(scores: Scores, real_time: bool) -> Table:
    clock = REAL if real_time else CHARGED if scores.timed else UNTIMED
    left_out = len(scores.overlaps) - len(scores.judged)
    note = f"{STRICT} {clock}"
    if left_out:
        note += f" {left_out} of {len(scores.overlaps)} overlaps are left out: the assistant was silent, or its reply was just ending."
    if scores.broken:
        kinds = Counter(why for _, why in scores.broken)
        note += f" Rides without a result: {', '.join(f'{why} ({count})' for why, count in sorted(kinds.items()))}."
    return overview([row for row in figures(scores) if row.n or row.goal], "Figures", note)


def _by_noise(judged: Sequence[Overlap]) -> Table:
    present = [level for level in NOISE_LEVELS if any(noise_level(one.snr_db) == level for one in judged)]
    rows = []
    for _, kind, found in classes(judged):
        cells = [Share.of(one.right for one in found if noise_level(one.snr_db) == level).shown() for level in present]
        rows.append((_name(kind), *cells, Share.of(one.right for one in found).shown()))
    return Table("By noise (strict)", ("", *present, "all"), tuple(rows))


def _by(judged: Sequence[Overlap], what: str, key: Callable[[Overlap], str]) -> Table:
    values = sorted({key(one) for one in judged})
    rows = [
        (_name(kind), *(Share.of(one.right for one in found if key(one) == value).shown() for value in values))
        for _, kind, found in classes(judged)
    ]
    return Table(f"By {what} (strict)", ("", *values), tuple(rows))


def _by_intent(judged: Sequence[Overlap]) -> Table:
    rows = []
    for intent in INTENTS:
        found = [one for one in judged if one.kind == "interruption" and one.intent == intent]
        right = Share.of(one.verdict.endswith(f":{intent}") for one in found)
        strict, lenient = Share.of(one.right for one in found), Share.of(one.right_lenient for one in found)
        rows.append((intent.replace("_", " "), strict.shown(), lenient.shown(), right.shown()))
    return Table("Interruptions by intent", ("", "responds", "lenient", "intent recognised"), tuple(rows))


def confusion(judged: Sequence[Overlap], level: str = "", language: str = "") -> Table | None:
    """What was there (rows) against the first verdict (columns); None where there was nothing."""
    chosen = [one for one in judged if level in ("", noise_level(one.snr_db)) and language in ("", one.locale)]
    if not chosen:
        return None
    intents = [f"interruption:{intent}" for intent in INTENTS]
    named = [*RESUMING, *(intents if any(":" in one.verdict for one in chosen) else []), "interruption"]
    columns = [name for name in named if name in {one.verdict for one in chosen} or name in (*RESUMING, "interruption")] + [
        NO_VERDICT
    ]
    rows = []
    for truth in (*RESUMING, *intents, "interruption"):
        found = [one for one in chosen if _truth(one) == truth]
        counts = Counter(
            one.verdict if one.verdict in columns else NO_VERDICT if not one.verdict else one.verdict for one in found
        )
        other = sum(count for verdict, count in counts.items() if verdict not in columns)
        if found:
            cells = [counts[column] + (other if column == NO_VERDICT else 0) for column in columns]
            rows.append((_name(truth), *(str(cell or "·") for cell in cells)))
    where = ", ".join(part for part in (level, {"en": "English", "zh": "Chinese"}.get(language, language)) if part)
    return Table(f"Verdicts, {where or 'all'} (rows: what it was)", ("", *map(_name, columns)), tuple(rows))


def _truth(overlap: Overlap) -> str:
    return f"interruption:{overlap.intent}" if overlap.kind == "interruption" and overlap.intent else overlap.kind


def _name(kind: str) -> str:
    return kind.replace("_", " ").replace("interruption:", "interruption: ")


def _value(row: Figure) -> str:
    if row.value is None:
        return "not measured"
    if row.unit == "share":
        return f"{row.value:.3f}"
    return (
        f"{row.value:,.0f} {row.unit}".strip()
        if row.value == int(row.value) or row.unit == "ms"
        else f"{row.value:,.2f} {row.unit}".strip()
    )


def _interval(row: Figure) -> str:
    return f"{row.low:.3f} – {row.high:.3f}" if row.low is not None and row.high is not None else ""


def _reached(row: Figure) -> str:
    if not row.goal or row.value is None:
        return ""
    sign, _, number = row.goal.rpartition(" ")
    wanted = float(number)
    good = row.value >= wanted if sign == ">=" else row.value <= wanted if sign == "<=" else row.value == wanted
    return "yes" if good else "no"
