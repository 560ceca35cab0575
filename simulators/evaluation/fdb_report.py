"""Full-Duplex-Bench's own figures from ridden items, as figures and tables. Pure. Names the conventions that are used.

Does not know rides or files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ridealong.simulators.evaluation import fdb
from ridealong.simulators.evaluation.fdb_data import V1_0, V1_5, Benchmark, Item
from ridealong.simulators.evaluation.fdb_riding import BenchOutcome, Recorded
from ridealong.simulators.evaluation.figures import share_figure
from ridealong.simulators.evaluation.report import overview
from ridealong.simulators.evaluation.statistics import Share, percentile
from ridealong.simulators.evaluation.tables import Table
from ridealong.simulators.replay.figures import Figure

CONVENTIONS = (
    "Outputs are transcribed with our own voice activity and recogniser (the benchmark uses parakeet): word times are spread over each"
    " segment. Relevance (0–5 by a language model) is not scored. Backchannels: take-over when any segment is more than one; `last decides` is"
    " the published script's convention."
)
JUDGED = (
    "Labels are given by rules instead of the benchmark's language-model judge. Strict: without a new segment after the overlap's onset"
    " C_UNKNOWN, even when the assistant simply talks on. Lenient: talking on is C_RESUME, any new content C_RESPOND."
)
STOOD_IN = (
    "No language model is configured: a stand-in answered each item's first request with a neutral text, so that the assistant talked when"
    " the overlap came ({count} of {of} items)."
)
Pair = tuple[Item, Recorded, BenchOutcome]


def fdb_figures(found: Benchmark, outcomes: Sequence[BenchOutcome]) -> list[Figure]:
    rows: list[Figure] = []
    for task in V1_0:
        pairs = list(_pairs(found, outcomes, "v1.0", task))
        if pairs:
            rows += _v1_0(task, pairs)
    for task in V1_5:
        pairs = list(_pairs(found, outcomes, "v1.5", task))
        if pairs:
            rows += _v1_5(task, pairs)
    broken = len(found.broken) + sum(bool(outcome.broken) for outcome in outcomes)
    return [*rows, Figure("fdb.broken_items", float(broken), "", len(found.items) + len(found.broken), label="items left out")]


def fdb_tables(found: Benchmark, outcomes: Sequence[BenchOutcome], language_model: bool) -> list[Table]:
    note = f"{CONVENTIONS} {JUDGED}"
    done = [outcome for outcome in outcomes if not outcome.broken]
    if not language_model:
        note += " " + STOOD_IN.format(count=sum(outcome.stood_in for outcome in done), of=len(done))
    tables = [overview(fdb_figures(found, outcomes), "Full-Duplex-Bench", note)]
    broken = [*found.broken, *((outcome.id, outcome.broken) for outcome in outcomes if outcome.broken)]
    if broken:
        tables.append(Table("Items left out", ("item", "why"), tuple(broken)))
    return tables


def _pairs(found: Benchmark, outcomes: Sequence[BenchOutcome], version: str, task: str) -> Iterator[Pair]:
    by_id = {outcome.id: outcome for outcome in outcomes}
    for item in found.items:
        outcome = by_id.get(item.id)
        if (
            item.version == version
            and item.task == task
            and outcome is not None
            and outcome.main is not None
            and not outcome.broken
        ):
            yield item, outcome.main, outcome


def _v1_0(task: str, pairs: Sequence[Pair]) -> list[Figure]:
    stem, kind = f"fdb1.{task}", V1_0[task]
    if kind == "backchannel":
        return _backchannels(stem, pairs)
    latencies: list[float] = []
    taken: list[bool] = []
    for item, main, _ in pairs:
        match kind:
            case "interruption" if item.marker is not None:
                taken.append(fdb.takes_over(fdb.after(main.words, item.marker[1])))
                latency = fdb.interruption_latency_s(main.words, item.marker[1])
            case "turn" if item.marker is not None:
                taken.append(fdb.takes_over(main.words))
                latency = fdb.turn_latency_s(main.words, item.marker[0])
            case _:
                taken.append(fdb.takes_over(main.words))
                latency = None
        latencies += [] if latency is None else [latency]
    better = "lower" if kind == "pause" else "higher"
    rows = [share_figure(f"{stem}.tor", Share.of(taken), "", f"{task}: take-over ({better} is better)")]
    return rows if kind == "pause" else [*rows, *_seconds(f"{stem}.latency", latencies, f"{task}: latency")]


def _backchannels(stem: str, pairs: Sequence[Pair]) -> list[Figure]:
    found = [(item, fdb.backchannels(main.segments, main.words, main.duration)) for item, main, _ in pairs]
    rates = [one.per_s for _, one in found]
    divergences = [fdb.backchannel_divergence(one, item.reference) for item, one in found if item.reference]
    rows = [
        share_figure(f"{stem}.tor", Share.of(one.take_over for _, one in found), "", "icc_backchannel: take-over (lower is better)"),
        share_figure(f"{stem}.tor_last_decides", Share.of(one.last_decides for _, one in found), "", "icc_backchannel: take-over, last decides"),
        Figure(f"{stem}.per_s", sum(rates) / len(rates), "1/s", len(rates), label="icc_backchannel: backchannels a second"),
    ]  # fmt: skip
    if divergences:
        mean = sum(divergences) / len(divergences)
        rows.append(
            Figure(f"{stem}.jsd", mean, "bits", len(divergences), label="icc_backchannel: divergence from listeners (base 2)")
        )
    return rows


def _v1_5(task: str, pairs: Sequence[Pair]) -> list[Figure]:
    stem = f"fdb15.{task}"
    rows: list[Figure] = []
    for strict in (True, False):
        labels = [fdb.label(_behaviour(item, main, outcome), strict=strict) for item, main, outcome in pairs]
        way = "strict" if strict else "lenient"
        rows += [
            share_figure(
                f"{stem}.{label.value}.{way}", Share.of(one is label for one in labels), "", f"{task}: {label.value} ({way})"
            )
            for label in fdb.Label
        ]
    stops = [latency for _, main, _ in pairs for latency in fdb.stops(main.user, main.segments)]
    answers = [latency for _, main, _ in pairs for latency in fdb.responses(main.user, main.segments)]
    return [
        *rows,
        *_seconds(f"{stem}.stop", stops, f"{task}: stop latency"),
        *_seconds(f"{stem}.response", answers, f"{task}: response latency"),
    ]


def _behaviour(item: Item, main: Recorded, outcome: BenchOutcome) -> fdb.Behaviour:
    assert item.marker is not None  # every v1.5 item has one
    clean = outcome.clean.words if outcome.clean is not None else ()
    return fdb.Behaviour(fdb.Segment(*item.marker), item.overlap, main.segments, main.words, clean)


def _seconds(name: str, values: list[float], label: str) -> list[Figure]:
    """The benchmark gives means; the median is beside it."""
    mean = sum(values) / len(values) if values else None
    return [
        Figure(f"{name}_mean_s", mean, "s", len(values), label=f"{label}, mean"),
        Figure(f"{name}_p50_s", percentile(values, 0.5), "s", len(values), label=f"{label}, median"),
    ]
