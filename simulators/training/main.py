"""`ridealong train materialise`: records for training from the scenario generator."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ridealong.command import Command
from ridealong.errors import UserError
from ridealong.simulators.training.materialise import KINDS, Order, materialise


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="a new or empty folder")
    parser.add_argument("--count", type=int, default=100, metavar="N", help="samples (default: 100)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the same seed gives the same records (default: 0)")
    parser.add_argument("--mix", default="4:3:3", metavar="R:R:C", help="requests, rides and chats in turn (default: 4:3:3)")
    parser.add_argument("--seen", type=float, default=0.25, metavar="SHARE", help="of the sessions have frames (default: 0.25)")
    parser.add_argument("--locale", choices=("en", "zh"), action="append", help="only this language (may be repeated)")
    parser.add_argument(
        "--voices",
        choices=("kokoro", "syllables"),
        default="kokoro",
        help="syllables: buzzes in place of speech, at once and without models",
    )


def _mix(text: str) -> tuple[int, int, int]:
    parts = text.split(":")
    if len(parts) != len(KINDS) or not all(part.isdecimal() for part in parts) or not any(map(int, parts)):
        raise UserError(f"--mix {text} must be three numbers, of {', '.join(KINDS)}: 4:3:3 for instance.")
    return int(parts[0]), int(parts[1]), int(parts[2])


def _run(options: argparse.Namespace) -> int:
    from ridealong.simulators.scenarios.generate import Studio
    from ridealong.simulators.scenarios.scenario import Split
    from ridealong.simulators.scenarios.speech import Syllables

    if options.count < 1 or not 0 <= options.seen <= 1:
        raise UserError("--count must be at least 1 and --seen between 0 and 1.")
    order = Order(
        options.count, options.seed, _mix(options.mix), options.seen, tuple(dict.fromkeys(options.locale or ("en", "zh")))
    )
    studio = Studio.of(Split.TUNE, Syllables() if options.voices == "syllables" else None)

    def told(done: int) -> None:
        if sys.stderr.isatty():
            print(f"\r\033[K{done} of {order.count}", end="" if done < order.count else "\n", file=sys.stderr, flush=True)

    made = materialise(options.out, studio, order, told)
    print(f"{options.out}: " + ", ".join(f"{made[kind]} {kind}s" for kind in KINDS))
    return 0


MATERIALISE = Command("make records for training from the scenario generator", _configure, _run)
