"""`ridealong trip trim | anonymise`: the command line over trimming and anonymising. Decides nothing itself."""

from __future__ import annotations

import argparse
from pathlib import Path

from ridealong.command import Command


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trip", type=Path, metavar="TRIP", help="a trip file, or a run folder for the trip of that run")
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="OUT.mcap", help="the trip to write")
    parser.add_argument("--force", action="store_true", help="replace a file that is there already")


def _configure_trim(parser: argparse.ArgumentParser) -> None:
    _common(parser)
    parser.add_argument("--from", dest="start", type=float, default=0.0, metavar="S", help="where to begin (default 0)")
    parser.add_argument("--to", dest="end", type=float, metavar="S", help="where to end (default: the trip's end)")


def _run_trim(options: argparse.Namespace) -> int:
    from ridealong.simulators.trip.trimming import trim

    done = trim(options.trip, options.out, options.start, options.end, force=options.force)
    print(
        f"{options.out}: {done.duration_s:.3f} s, {done.records} records, {done.carried} signal values carried to the start, "
        f"{len(done.kept)} expected outcomes kept"
    )
    for name in done.dropped:
        print(f"  dropped: {name} (not wholly inside)")
    return 0


def _configure_anonymise(parser: argparse.ArgumentParser) -> None:
    _common(parser)
    parser.add_argument("--sound", choices=("drop", "keep"), default="drop", help="drop: silence of the same length (default)")


def _run_anonymise(options: argparse.Namespace) -> int:
    from ridealong.simulators.trip.anonymising import anonymise

    keep = options.sound == "keep"
    done = anonymise(options.trip, options.out, keep_sound=keep, force=options.force)
    print(f"{options.out}: {done.duration_s:.1f} s. Removed:")
    for what, count in sorted(done.removed.items()):
        if count:
            print(f"  {count:>7.0f} {what}")
    print("Kept: signals, gate figures, acks, timings, and the names of the trip and its expected outcomes.")
    if keep:
        print("The sound is kept: a voice is personal, and what it says may be; share it only with the speakers' consent.")
    return 0


TRIM = Command("Cut a stretch out of a trip; its times count from 0 again.", _configure_trim, _run_trim)
ANONYMISE = Command("Remove pictures, places, ids and words from a trip.", _configure_anonymise, _run_anonymise)
