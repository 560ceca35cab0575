"""`ridealong eval tools`: the car suite, or a case file of yours, through the local router, or with a language model behind it."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from ridealong.command import Command
from ridealong.errors import UserError

if TYPE_CHECKING:
    from ridealong.simulators.evaluation.calls.routing import LocalRouting

COMMAND = "eval tools"
SUITE = Path(__file__).parent / "cases"


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--cases",
        type=Path,
        action="append",
        metavar="FILE",
        help="JSON lines of cases instead of the car suite (may be repeated)",
    )
    parser.add_argument(
        "--router", choices=("local", "model"), default="local",
        help="model: a language model where the local router finds nothing, and for cases with functions of their own",
    )  # fmt: skip
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="of a cloud node: its language_model is asked (--router model)"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the choice that --limit makes (default 1)")
    parser.add_argument("--limit", type=int, metavar="N", help="so many cases at most")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as JSON")
    parser.add_argument("--wrong", action="store_true", help="list what was not right")


def _run(options: argparse.Namespace) -> int:
    from ridealong.cloud.tagger import load_tagger
    from ridealong.simulators.evaluation.calls.cases import check_tools, read_cases, tools_beside
    from ridealong.simulators.evaluation.calls.model import ModelRouting
    from ridealong.simulators.evaluation.calls.routing import LocalRouting
    from ridealong.simulators.evaluation.calls.scores import answered, figures, tables, wrong
    from ridealong.simulators.evaluation.tables import as_text
    from ridealong.simulators.replay.figures import to_json
    from ridealong.vehicle_skills.builtin import builtin_registry

    if options.limit is not None and options.limit < 1:
        raise UserError("--limit must be at least 1.")
    if options.config is not None and options.router != "model":
        raise UserError("--config names the language model of --router model; the local router needs none.")
    if options.seed < 0:
        raise UserError("--seed must not be negative.")
    cases = []
    for path in options.cases or sorted(SUITE.rglob("*.jsonl")):
        found, known = read_cases(path), tools_beside(path)
        check_tools(path, found, [skill.name for skill in builtin_registry() if known is None or skill.name in known])
        cases += [replace(case, tools=known) for case in found]
    if options.limit is not None and options.limit < len(cases):
        cases = Random(options.seed).sample(cases, options.limit)
    routing = _model_routing(options.config) if options.router == "model" else LocalRouting(builtin_registry(), load_tagger())
    parameters = {name: dict(schema) for name, schema in routing.parameters.items()}
    rows = [answered(case, routing.calls(case), parameters | {k: dict(v) for k, v in case.functions.items()}) for case in cases]
    shown = tables(rows)
    if options.wrong:
        shown.append(wrong(rows))
    print(as_text(shown), end="")
    shares = figures(rows)
    for figure in shares:
        print(f"{figure.label}: {'–' if figure.value is None else f'{figure.value:.3f}'}  (n {figure.n}, goal {figure.goal})")
    if isinstance(routing, ModelRouting) and routing.faults:
        told = ", ".join(f"{reason} {count}" for reason, count in sorted(routing.faults.items()))
        print(f"ridealong: the language model gave no answer to some requests, which count as no call: {told}", file=sys.stderr)
    if options.json is not None:
        try:
            options.json.write_text(to_json(COMMAND, options.seed, shares) + "\n", encoding="utf-8")
        except OSError as error:
            raise UserError(f"{error.filename} cannot be written ({error.strerror}): give another --json.") from None
    return 0


def _model_routing(config: Path | None) -> LocalRouting:
    from ridealong.cloud.tagger import load_tagger
    from ridealong.simulators.evaluation.calls.configured import configured_model
    from ridealong.simulators.evaluation.calls.model import ModelRouting
    from ridealong.vehicle_skills.builtin import builtin_registry

    return ModelRouting(builtin_registry(), configured_model(config), load_tagger())


TOOLS = Command("Score tool calls from words: the car suite, or case files of yours, by the product's router.", _configure, _run)
