"""`ridealong eval duplex`: rides generated scenarios, or a benchmark folder, through the real system and prints what came of it.

Joins the pieces of this folder. A run that is stopped prints what is done so far; with the same `--out` it goes on.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ridealong.command import Command
from ridealong.errors import UserError

if TYPE_CHECKING:
    from ridealong.cloud.config import CloudConfig
    from ridealong.simulators.evaluation.results import Results
    from ridealong.simulators.evaluation.tables import Table
    from ridealong.simulators.replay.figures import Figure

RUNS = Path("runs")
STOPPED = 130
COMMAND = "eval duplex"
SUITES = ("overlaps", "turns", "noise", "self")
J = TypeVar("J")
R = TypeVar("R")


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--suite", action="append", choices=SUITES, help="only this one (may be repeated; default: all)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the scenarios (default 1)")
    parser.add_argument(
        "--limit", type=int, metavar="N", help="so many overlaps a class, requests and minutes at most; of --fdb, items a task"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as JSON")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables as Markdown")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="folder of results; one begun before goes on (default: a new one)"
    )
    parser.add_argument("--fdb", type=Path, metavar="DIR", help="a Full-Duplex-Bench v1.0 or v1.5 folder instead of scenarios")
    parser.add_argument(
        "--split", choices=("report", "tune"), default="report", help="which voices, texts, noises (default report)"
    )
    parser.add_argument(
        "--recordings",
        type=Path,
        metavar="DIR",
        help="a folder of people's speech (WAV …) to be heard beside the shipped recordings",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        metavar="N",
        help="rides at once (default: one for each two cores; with more, latency is not measured)",
    )
    parser.add_argument("--real-time", action="store_true", help="over real gRPC instead of virtual time with charged computing")
    parser.add_argument("--config", type=Path, metavar="FILE", help="the node's configuration, as for `cloud serve`")


def _run(options: argparse.Namespace) -> int:
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from ridealong.cloud.config import load_config
    from ridealong.simulators.evaluation.results import fresh_folder, prepare
    from ridealong.simulators.evaluation.working import default_workers
    from ridealong.simulators.replay.figures import commit

    _check(options)
    cloud = load_config(options.config, dict(os.environ), {}).value
    workers = options.jobs or (1 if options.real_time else default_workers())
    timed = workers <= default_workers()
    work = _benchmark if options.fdb is not None else _scenarios
    folder = options.out or fresh_folder(RUNS)
    about: dict[str, Any] = {
        "seed": options.seed, "split": options.split, "clock": "real time" if options.real_time else "virtual time", "timed": timed,
        "commit": commit(), "fdb": str(options.fdb.resolve()) if options.fdb is not None else False,
        "recordings": str(options.recordings.resolve()) if options.recordings is not None else False,
        "config": hashlib.sha256(options.config.read_bytes()).hexdigest()[:12] if options.config is not None else None,
    }  # fmt: skip
    return work(options, cloud, workers, timed, partial(_prepared, prepare, folder, about))


def _prepared(prepare: Callable[[Path, dict[str, Any]], None], folder: Path, about: dict[str, Any]) -> Path:
    prepare(folder, about)
    return folder


def _check(options: argparse.Namespace) -> None:
    if options.limit is not None and options.limit < 1:
        raise UserError("--limit must be at least 1.")
    if options.seed < 0:
        raise UserError("--seed must not be negative.")
    if options.jobs is not None and not 1 <= options.jobs <= 64:
        raise UserError("--jobs must lie between 1 and 64.")
    for name in ("json", "markdown"):
        path = getattr(options, name)
        if path is not None and not path.absolute().parent.is_dir():
            raise UserError(f"{path.parent} is no folder: give another --{name}.")
        if path is not None and path.is_dir():
            raise UserError(f"{path} is a folder: give --{name} the name of a file.")


def _scenarios(options: argparse.Namespace, cloud: CloudConfig, workers: int, timed: bool, folder_of: Callable[[], Path]) -> int:
    from ridealong.simulators.evaluation.facts import from_raw, to_raw
    from ridealong.simulators.evaluation.figures import figures, scores_of
    from ridealong.simulators.evaluation.report import tables
    from ridealong.simulators.evaluation.results import Results
    from ridealong.simulators.evaluation.suites import jobs_of, stage_ride
    from ridealong.simulators.scenarios.generate import Studio
    from ridealong.simulators.scenarios.scenario import Split

    split = Split(options.split)
    suites = tuple(options.suite or SUITES)
    jobs = jobs_of(Studio.of(split, recordings=options.recordings), suites, options.seed, options.limit)
    folder = folder_of()
    with Results(folder / "rides.jsonl", to_raw, from_raw) as results:
        wanted = {(job.suite, job.plan.id) for job in jobs}
        done = {(facts.suite, facts.id) for facts in results.items}
        left = [job for job in jobs if (job.suite, job.plan.id) not in done]
        make = partial(stage_ride, cloud, split, options.real_time, timed, options.recordings)
        stopped = _work(make, left, results, workers, len(jobs))
        scores = scores_of(facts for facts in results.items if (facts.suite, facts.id) in wanted)
    title = f"Duplex: seed {options.seed}, {options.split} split"
    _conclude(options, folder, title, tables(scores, real_time=options.real_time), figures(scores), stopped)
    return STOPPED if stopped else 0


def _benchmark(options: argparse.Namespace, cloud: CloudConfig, workers: int, timed: bool, folder_of: Callable[[], Path]) -> int:
    from ridealong.simulators.evaluation.fdb_data import read_folder
    from ridealong.simulators.evaluation.fdb_report import fdb_figures, fdb_tables
    from ridealong.simulators.evaluation.fdb_riding import bench_ride, outcome_from_raw, outcome_to_raw
    from ridealong.simulators.evaluation.results import Results

    found = read_folder(options.fdb, options.limit)
    folder = folder_of()
    with Results(folder / "items.jsonl", outcome_to_raw, outcome_from_raw) as results:
        done = {outcome.id for outcome in results.items}
        left = [item for item in found.items if item.id not in done]
        make = partial(bench_ride, cloud, folder, options.seed, options.real_time, timed)
        stopped = _work(make, left, results, workers, len(found.items))
        wanted = {item.id for item in found.items}
        outcomes = [outcome for outcome in results.items if outcome.id in wanted]
    shown = fdb_tables(found, outcomes, bool(cloud.language_model.base_url))
    _conclude(options, folder, "Full-Duplex-Bench", shown, fdb_figures(found, outcomes), stopped)
    return STOPPED if stopped else 0


def _work(make: Callable[[], Callable[[J], R]], left: Sequence[J], results: Results[R], workers: int, of: int) -> bool:
    """Ride what is left; True when it was stopped."""
    from ridealong.simulators.evaluation.working import Workers

    began_s = time.monotonic()
    before = of - len(left)
    rides = Workers[Any, Any](make, workers).each(left) if left else iter(())
    try:
        for number, item in enumerate(rides, start=1):
            results.add(item)
            took_s = time.monotonic() - began_s
            minutes = took_s / number * (len(left) - number) / 60
            _progress(f"{before + number} of {of} rides, about {minutes:.0f} min left")
    except KeyboardInterrupt:
        _progress("")
        return True
    finally:
        if left:
            print(file=sys.stderr)
    return False


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
    elif text:
        print(text, file=sys.stderr, flush=True)


def _conclude(
    options: argparse.Namespace, folder: Path, title: str, shown: Sequence[Table], rows: Sequence[Figure], stopped: bool
) -> None:
    from ridealong.simulators.evaluation.tables import as_markdown, as_text
    from ridealong.simulators.replay.figures import commit, machine, to_json

    print(as_text(shown), end="")
    try:
        if options.json is not None:
            options.json.write_text(to_json(COMMAND, options.seed, list(rows)) + "\n", encoding="utf-8")
        if options.markdown is not None:
            about = f"Written by `ridealong {COMMAND}` at commit {commit()} on {machine()}."
            options.markdown.write_text(f"# {title}\n\n{about}\n\n{as_markdown(shown)}", encoding="utf-8")
    except OSError as error:
        raise UserError(f"{error.filename} cannot be written ({error.strerror}): give another --json or --markdown.") from None
    if stopped:
        print(
            f"ridealong: stopped; this is what was done so far. To go on: --out {folder} with the same options.", file=sys.stderr
        )
    else:
        print(f"\nresults: {folder}")


DUPLEX = Command(
    "Ride labelled conversations, or Full-Duplex-Bench, through the real system and print the figures.", _configure, _run
)
