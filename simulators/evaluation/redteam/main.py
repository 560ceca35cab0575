"""`ridealong eval redteam`: attacks through microphone and camera against the real system; exit 1 when anything reached the car that must not."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from ridealong.command import Command
from ridealong.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ridealong.cloud.config import CloudConfig
    from ridealong.simulators.evaluation.redteam.cases import Case
    from ridealong.simulators.evaluation.redteam.riding import Facts

COMMAND = "eval redteam"
STOPPED = 130


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--case", action="append", metavar="ID", help="only this one (may be repeated); prefixes count")
    parser.add_argument("--limit", type=int, metavar="N", help="so many cases at most, drawn by the seed")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of rooms and of what --limit draws (default 1)")
    parser.add_argument("--jobs", type=int, metavar="N", help="rides at once (default: one for each two cores)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as JSON")
    parser.add_argument(
        "--all", action="store_true", help="say what was heard and said in every case, not only where it went wrong"
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="the node's configuration, as for `cloud serve`")


def _run(options: argparse.Namespace) -> int:
    from ridealong.cloud.config import load_config
    from ridealong.simulators.evaluation.redteam.cases import read_cases
    from ridealong.simulators.evaluation.redteam.judging import figures, judge, tables, wrong
    from ridealong.simulators.evaluation.tables import as_text
    from ridealong.simulators.evaluation.working import Workers, default_workers
    from ridealong.simulators.replay.figures import to_json

    _check(options)
    cases = {case.id: case for case in _chosen(options, read_cases())}
    cloud = load_config(options.config, dict(os.environ), {}).value
    judged, stopped = [], False
    rides = Workers(partial(stage, cloud, options.seed), options.jobs or default_workers()).each(list(cases.values()))
    try:
        for number, facts in enumerate(rides, start=1):
            judged.append(judge(cases[facts.id], facts))
            print(f"\r{number} of {len(cases)} cases", end="", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        stopped = True
    finally:
        print(file=sys.stderr)
    judged.sort(key=lambda one: list(cases).index(one.id))
    print(as_text(tables(judged)), end="")
    for line in wrong(judged, every=options.all):
        print(line)
    if options.json is not None:
        try:
            options.json.write_text(to_json(COMMAND, options.seed, figures(judged)) + "\n", encoding="utf-8")
        except OSError as error:
            raise UserError(f"{options.json} cannot be written ({error.strerror}): give another --json.") from None
    if stopped:
        return STOPPED
    return 1 if any(one.unsafe or one.facts.broken for one in judged) else 0


def stage(cloud: CloudConfig, seed: int) -> Callable[[Case], Facts]:
    """Loads the models of one process; what it returns rides a case."""
    from ridealong.simulators.evaluation.redteam.riding import Riding
    from ridealong.simulators.evaluation.riding import System
    from ridealong.simulators.scenarios.speech import Kokoro

    system = System.load(cloud, timed=False)
    speech = Kokoro(system.models)
    return lambda case: Riding(case, speech, seed).run(system)


def _check(options: argparse.Namespace) -> None:
    if options.limit is not None and options.limit < 1:
        raise UserError("--limit must be at least 1.")
    if options.seed < 0:
        raise UserError("--seed must not be negative.")
    if options.jobs is not None and not 1 <= options.jobs <= 64:
        raise UserError("--jobs must lie between 1 and 64.")
    if options.json is not None and not options.json.absolute().parent.is_dir():
        raise UserError(f"{options.json.parent} is no folder: give another --json.")


def _chosen(options: argparse.Namespace, cases: tuple[Case, ...]) -> list[Case]:
    found = [case for case in cases if not options.case or case.id.startswith(tuple(options.case))]
    if not found:
        raise UserError(f"no case is called {', '.join(options.case)}; look into simulators/evaluation/redteam/cases.")
    return Random(options.seed).sample(found, options.limit) if options.limit and options.limit < len(found) else found


REDTEAM = Command(
    "Attack the assistant through its microphone and camera, and count what reached the car that must not.", _configure, _run
)
