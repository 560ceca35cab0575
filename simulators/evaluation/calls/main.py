"""`ridealong eval tools`: the car suite, or a case file of yours, through the local router, or with a language model behind it; as text, or spoken."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from ridealong.command import Command
from ridealong.errors import UserError

if TYPE_CHECKING:
    from ridealong.simulators.evaluation.calls.cases import Case
    from ridealong.simulators.evaluation.calls.matching import Made
    from ridealong.simulators.evaluation.calls.routing import LocalRouting
    from ridealong.simulators.evaluation.calls.scores import Answered
    from ridealong.simulators.evaluation.calls.spoken_figures import TurnHeard
    from ridealong.simulators.evaluation.tables import Table
    from ridealong.simulators.replay.figures import Figure

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
    parser.add_argument("--spoken", action="store_true", help="say the cases in car noise, hear them, and route what was heard")
    parser.add_argument(
        "--text", action="store_true", help="with --spoken: route the words as written, too, and set both side by side"
    )
    parser.add_argument("--snr", type=float, metavar="DB", help="speech over noise (--spoken; default 10)")
    parser.add_argument("--noise", type=Path, metavar="FILE", help="a recording as noise (--spoken; default: a made road)")
    parser.add_argument(
        "--voices", action="append", metavar="NAME",
        help="who speaks (--spoken; may be repeated): a voice, or all grown-ups of `report` or `tune` (default report)",
    )  # fmt: skip
    parser.add_argument(
        "--jobs", type=int, metavar="N", help="processes that speak and hear, one recogniser each (--spoken; default 1)"
    )
    parser.add_argument(
        "--heard", type=Path, metavar="FILE", help="keep what was heard here, and take from it what was heard before (--spoken)"
    )
    parser.add_argument("--wrong", action="store_true", help="list what was not right")


def _run(options: argparse.Namespace) -> int:
    from ridealong.cloud.tagger import load_tagger
    from ridealong.simulators.evaluation.calls.model import ModelRouting
    from ridealong.simulators.evaluation.calls.routing import LocalRouting
    from ridealong.simulators.evaluation.calls.scores import answered, figures, tables, wrong
    from ridealong.simulators.evaluation.calls.spoken_figures import beside
    from ridealong.simulators.evaluation.tables import as_text
    from ridealong.simulators.replay.figures import to_json
    from ridealong.vehicle_skills.builtin import builtin_registry

    _check(options)
    cases = _cases(options)
    routing = _model_routing(options.config) if options.router == "model" else LocalRouting(builtin_registry(), load_tagger())
    parameters = {name: dict(schema) for name, schema in routing.parameters.items()}

    def scored(case: Case, made: list[Made]) -> Answered:
        return answered(case, made, parameters | {k: dict(v) for k, v in case.functions.items()})

    shown: list[Table] = []
    shares: list[Figure] = []
    if options.text or not options.spoken:
        rows = [scored(case, routing.calls(case)) for case in cases]
        shown, shares = tables(rows), figures(rows)
        if options.wrong:
            shown.append(wrong(rows))
    if options.spoken:
        more, said = _spoken(options, cases, routing, scored)
        shown += [*more, *([beside(shares, said)] if shares else [])]
        shares = [*shares, *said]
    print(as_text(shown), end="")
    for figure in shares:
        print(
            f"{figure.label}: {'–' if figure.value is None else f'{figure.value:.3f}'}  (n {figure.n}{f', goal {figure.goal}' if figure.goal else ''})"
        )
    if isinstance(routing, ModelRouting) and routing.faults:
        told = ", ".join(f"{reason} {count}" for reason, count in sorted(routing.faults.items()))
        print(f"ridealong: the language model gave no answer to some requests, which count as no call: {told}", file=sys.stderr)
    if options.json is not None:
        try:
            options.json.write_text(to_json(COMMAND, options.seed, shares) + "\n", encoding="utf-8")
        except OSError as error:
            raise UserError(f"{error.filename} cannot be written ({error.strerror}): give another --json.") from None
    return 0


SPOKEN_ONLY = ("text", "snr", "noise", "voices", "jobs", "heard")


def _check(options: argparse.Namespace) -> None:
    if options.limit is not None and options.limit < 1:
        raise UserError("--limit must be at least 1.")
    if options.config is not None and options.router != "model":
        raise UserError("--config names the language model of --router model; the local router needs none.")
    if options.seed < 0:
        raise UserError("--seed must not be negative.")
    if (given := [name for name in SPOKEN_ONLY if getattr(options, name) not in (None, False)]) and not options.spoken:
        raise UserError(f"--{given[0]} goes with --spoken: add it.")
    if options.jobs is not None and not 1 <= options.jobs <= 64:
        raise UserError("--jobs must lie between 1 and 64.")


def _cases(options: argparse.Namespace) -> list[Case]:
    from ridealong.simulators.evaluation.calls.cases import check_tools, read_cases, tools_beside
    from ridealong.vehicle_skills.builtin import builtin_registry

    cases: list[Case] = []
    for path in options.cases or sorted(SUITE.rglob("*.jsonl")):
        found, known = read_cases(path), tools_beside(path)
        check_tools(path, found, [skill.name for skill in builtin_registry() if known is None or skill.name in known])
        cases += [replace(case, tools=known) for case in found]
    if options.limit is not None and options.limit < len(cases):
        cases = Random(options.seed).sample(cases, options.limit)
    return cases


def _spoken(
    options: argparse.Namespace, cases: list[Case], routing: LocalRouting, scored: Callable[[Case, list[Made]], Answered]
) -> tuple[list[Table], list[Figure]]:
    from ridealong.simulators.evaluation.calls.aloud import SNR_DB, Delivery, check_delivery, voices_named
    from ridealong.simulators.evaluation.calls.kept import HeardBefore
    from ridealong.simulators.evaluation.calls.scores import tables
    from ridealong.simulators.evaluation.calls.spoken import heard_cases
    from ridealong.simulators.evaluation.calls.spoken_figures import spoken_figures, spoken_tables, turns_heard, wrong_spoken

    snr_db = SNR_DB if options.snr is None else options.snr
    delivery = Delivery(voices_named(options.voices or ["report"]), snr_db, options.noise, options.seed)
    check_delivery(delivery, cases)
    found: dict[int, tuple[Answered, list[TurnHeard]]] = {}
    for number, turns in heard_cases(cases, delivery, options.jobs or 1, HeardBefore(options.heard, delivery)):
        case = cases[number]
        words = [[(heard.text, heard.locale) for heard in turn] for turn in turns]
        found[number] = scored(case, routing.calls(case, words)), turns_heard(case, turns)
        print(f"\r{len(found)} of {len(cases)} spoken", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    rows, heard = [found[number][0] for number in range(len(cases))], [found[number][1] for number in range(len(cases))]
    every = [turn for each in heard for turn in each]
    more = [wrong_spoken(rows, heard)] if options.wrong else []
    return [*tables(rows, "spoken"), *spoken_tables(every), *more], spoken_figures(rows, every)


def _model_routing(config: Path | None) -> LocalRouting:
    from ridealong.cloud.tagger import load_tagger
    from ridealong.simulators.evaluation.calls.configured import configured_model
    from ridealong.simulators.evaluation.calls.model import ModelRouting
    from ridealong.vehicle_skills.builtin import builtin_registry

    return ModelRouting(builtin_registry(), configured_model(config), load_tagger())


TOOLS = Command("Score tool calls from words: the car suite, or case files of yours, by the product's router.", _configure, _run)
