"""`ridealong eval delegation`: does what needs a skill reach one, is the rest left alone, and what is said when nothing works.

Joins the pieces of this folder.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ridealong.command import Command
from ridealong.errors import UserError

if TYPE_CHECKING:
    from ridealong.simulators.evaluation.calls.routing import LocalRouting
    from ridealong.simulators.evaluation.delegation.utterances import Utterance
    from ridealong.simulators.evaluation.tables import Table
    from ridealong.simulators.replay.figures import Figure

COMMAND = "eval delegation"
SPLITS = ("report", "develop")
PARTS = ("decisions", "honesty")


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--split", choices=SPLITS, help="which wordings: report (default) gives figures, develop is the one to tune on"
    )
    parser.add_argument(
        "--router", choices=("local", "model"), default="local",
        help="model: a language model is asked where the local router finds no skill",
    )  # fmt: skip
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="of a cloud node: its language_model is asked (--router model)"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the utterances (default 1)")
    parser.add_argument("--limit", type=int, metavar="N", help="so many utterances at most, half of them external")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as JSON")
    parser.add_argument("--only", choices=PARTS, help="only the decisions, or only the probe with all backends down")
    parser.add_argument("--wrong", action="store_true", help="list what was not right; needs --split")


def _run(options: argparse.Namespace) -> int:
    from ridealong.simulators.evaluation.delegation.utterances import Split, generate, limited
    from ridealong.simulators.evaluation.tables import as_text
    from ridealong.simulators.replay.figures import to_json

    _check(options)
    utterances = generate(Split(options.split or "report"), options.seed)
    if options.limit is not None:
        utterances = limited(utterances, options.limit, options.seed)
    shown: list[Table] = []
    found: list[Figure] = []
    for part in (options.only,) if options.only else PARTS:
        tables, figures = _decisions(options, utterances) if part == "decisions" else _honesty(options, utterances)
        shown += tables
        found += figures
    print(as_text(shown), end="")
    for figure in found:
        if figure.goal:
            value = f"{figure.value:.3f}" if figure.unit == "share" and figure.value is not None else figure.shown()
            print(f"{figure.label}: {value}  (n {figure.n}, goal {figure.goal})")
    if options.json is not None:
        try:
            options.json.write_text(to_json(COMMAND, options.seed, found) + "\n", encoding="utf-8")
        except OSError as error:
            raise UserError(f"{error.filename} cannot be written ({error.strerror}): give another --json.") from None
    return 0


def _decisions(options: argparse.Namespace, utterances: Sequence[Utterance]) -> tuple[list[Table], list[Figure]]:
    from ridealong.simulators.evaluation.calls.model import ModelRouting
    from ridealong.simulators.evaluation.delegation import scores
    from ridealong.simulators.evaluation.delegation.deciding import decided

    routing = _routing(options)
    modelled = isinstance(routing, ModelRouting)
    rows = [decided(utterance, routing, modelled=modelled) for utterance in utterances]
    if isinstance(routing, ModelRouting) and routing.faults:
        told = ", ".join(f"{reason} {count}" for reason, count in sorted(routing.faults.items()))
        print(
            f"ridealong: the language model gave no answer to some words, which count as not delegated: {told}", file=sys.stderr
        )
    return [*scores.tables(rows), *([scores.wrong(rows)] if options.wrong else [])], scores.figures(rows)


def _honesty(options: argparse.Namespace, utterances: Sequence[Utterance]) -> tuple[list[Table], list[Figure]]:
    from ridealong.simulators.evaluation.delegation import honesty
    from ridealong.simulators.evaluation.delegation.faults import FAULTS, working
    from ridealong.simulators.evaluation.delegation.probe import ride

    requests = [one for one in utterances if one.external]
    down = [one for name, fault in FAULTS.items() for one in ride(requests, fault, name)]
    asked = ride([one for one in utterances if one.asks], working, "none")
    return [honesty.table(down), *([honesty.dishonest(down, asked)] if options.wrong else [])], honesty.figures(down, asked)


def _check(options: argparse.Namespace) -> None:
    if options.limit is not None and options.limit < 2:
        raise UserError("--limit must be at least 2: one utterance of each half.")
    if options.seed < 0:
        raise UserError("--seed must not be negative.")
    if options.config is not None and options.router != "model":
        raise UserError("--config names the language model of --router model; the local router needs none.")
    if options.router == "model" and options.only == "honesty":
        raise UserError("--only honesty asks no language model: leave --router out.")
    if options.wrong and options.split is None:
        raise UserError(
            "--wrong lists errors to tune on: give --split develop with it (or --split report, to look and not to tune)."
        )
    if options.json is not None and not options.json.absolute().parent.is_dir():
        raise UserError(f"{options.json.parent} is no folder: give another --json.")
    if options.json is not None and options.json.is_dir():
        raise UserError(f"{options.json} is a folder: give --json the name of a file.")


def _routing(options: argparse.Namespace) -> LocalRouting:
    from ridealong.simulators.evaluation.calls.configured import configured_model
    from ridealong.simulators.evaluation.delegation.routers import local_routing, model_routing
    from ridealong.vehicle_skills.builtin import builtin_registry

    if options.router == "local":
        return local_routing(builtin_registry())
    return model_routing(builtin_registry(), configured_model(options.config))


DELEGATION = Command(
    "Score what is delegated: generated words, half of which need a skill, by the product's router.", _configure, _run
)
