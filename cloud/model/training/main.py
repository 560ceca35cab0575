"""`ridealong train`. Torch is imported when it runs, so that its help needs nothing."""

from __future__ import annotations

import argparse
from pathlib import Path

from ridealong.command import Command
from ridealong.errors import UserError


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "Records come from `ridealong train materialise`, or are written by hand: docs/guides/training.md."
    parser.add_argument("--model", type=Path, required=True, metavar="FOLDER", help="the checkpoint to begin with")
    parser.add_argument("--records", type=Path, required=True, metavar="FOLDER", help="records.jsonl with its sounds and frames")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FOLDER", help="states, loss log, checkpoint; goes on with its run"
    )
    parser.add_argument("--steps", type=_count, default=1000, metavar="N", help="(default: 1000)")
    parser.add_argument("--lr", type=_positive, default=1e-5, metavar="RATE", help="the highest rate (default: 1e-5)")
    parser.add_argument("--warmup", type=_count, default=0, metavar="N", help="steps until it is reached (default: 0)")
    parser.add_argument("--batch", type=_count, default=8, metavar="N", help="samples a step (default: 8)")
    parser.add_argument("--micro", type=_count, default=0, metavar="N", help="of them computed at once (default: all)")
    parser.add_argument("--seed", type=_count, default=0, metavar="N", help="of the order of samples (default: 0)")
    parser.add_argument(
        "--max-rows", type=_count, default=0, metavar="N", help="drop longer samples (default: the model's positions)"
    )
    parser.add_argument("--save-every", type=_count, default=100, metavar="N", help="steps between states (default: 100)")
    parser.add_argument("--recompute", action="store_true", help="keep no layer's insides: less memory, a third more work")
    for part in ("control", "words", "delegate"):
        parser.add_argument(
            f"--{part}-weight", type=_positive, default=1.0, metavar="W", help="of its ids in the loss (default: 1)"
        )
    parser.add_argument("--rehearse", type=_count, default=0, metavar="N", help="afterwards, play N sessions to it and compare")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, cuda:1 … (default: cpu)")


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"a whole number of at least 0 is needed, not {text!r}")
    return int(text)


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"a number above 0 is needed, not {text!r}")
    return value


def _run(options: argparse.Namespace) -> int:
    if not options.steps or not options.batch or not options.save_every:
        raise UserError("--steps, --batch and --save-every must be at least 1.")
    if options.lr > 1:
        raise UserError(f"--lr {options.lr:g} is no rate that anything is learnt with: it must be at most 1.")
    if options.warmup >= options.steps:
        raise UserError(f"--warmup {options.warmup} must be less than --steps {options.steps}: the rate would never be reached.")
    if options.micro > options.batch:
        raise UserError(f"--micro {options.micro} can't be more than --batch {options.batch}.")
    try:
        from ridealong.cloud.model.training.lessons import Weights
        from ridealong.cloud.model.training.run import Plan, prepared, rehearsed, train
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("ridealong"):
            raise
        raise UserError(
            f"`ridealong train` needs the package {error.name!r}: install it with  pip install 'ridealong[model]'."
        ) from error

    def say(line: str) -> None:
        print(line, flush=True)

    plan = Plan(
        steps=options.steps,
        lr=options.lr,
        warmup=options.warmup,
        batch=options.batch,
        micro=options.micro,
        seed=options.seed,
        max_rows=options.max_rows,
        save_every=options.save_every,
        recompute=options.recompute,
        weights=Weights(options.control_weight, options.words_weight, options.delegate_weight),
    )
    model = train(options.model, options.records, options.out, plan, options.device, say)
    if options.rehearse:
        sessions, units, right = rehearsed(model, prepared(model, options.records, plan), options.rehearse)
        say(f"rehearsed {sessions} sessions: {right} of {units} units are said exactly as taught")
    return 0


TRAIN = Command("train the Thinker of a 9B model's checkpoint on records", _configure, _run)
