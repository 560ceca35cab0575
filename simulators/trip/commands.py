"""`ridealong trip import | info | diff | report`: the command line over the trip modules. Decides nothing itself."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from ridealong.command import Command
from ridealong.errors import UserError


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value <= 60:
        raise ValueError(text)
    return value


# --- import ----------------------------------------------------------------------------------------------------------


def _configure_import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--audio",
        type=Path,
        required=True,
        metavar="WAV",
        help="the microphone: mono, or stereo with the user on the left; any rate",
    )
    parser.add_argument("--video", type=Path, metavar="FILE", help="the camera: any container; frames by their time stamps")
    parser.add_argument(
        "--signals", type=Path, metavar="CSV", help="time_s,path,value with VSS paths; the simulated car follows them"
    )
    parser.add_argument("--gpx", type=Path, metavar="FILE", help="the place; its wall-clock times are used as differences only")
    parser.add_argument("--expect", type=Path, metavar="YAML", help="expected outcomes, times in seconds on the sound's clock")
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="TRIP.mcap", help="the trip to write")
    parser.add_argument(
        "--video-offset", type=float, default=0.0, metavar="S", help="where the first picture lies on the sound's clock"
    )
    parser.add_argument(
        "--gpx-offset", type=float, metavar="S", help="where the first fix lies (default: found by the car's speed, else 0)"
    )
    parser.add_argument("--frames-per-s", type=_positive, default=2.0, metavar="N", help="pictures taken in a second (default 2)")
    parser.add_argument("--name", default="", help="the trip's name (default: from --expect or the sound's file name)")


def _run_import(options: argparse.Namespace) -> int:
    from ridealong.simulators.trip.importer import ImportPlan, build_trip

    summary = build_trip(
        ImportPlan(
            audio=options.audio, video=options.video, signals=options.signals, gpx=options.gpx, expect=options.expect,
            video_offset_s=options.video_offset, gpx_offset_s=options.gpx_offset, frames_per_s=options.frames_per_s, name=options.name,
        ),
        options.out,
    )  # fmt: skip
    for note in summary.notes:
        print(f"note: {note}")
    print(
        f"{options.out}: {summary.name!r}, {summary.duration_s:.1f} s, {summary.frames} frames, {summary.signals} signal values, "
        f"{summary.fixes} fixes, {summary.expectations} expected outcomes, {options.out.stat().st_size / 1e6:.1f} MB"
    )
    return 0


# --- info ------------------------------------------------------------------------------------------------------------


def _configure_info(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trip", type=Path, help="a trip file or a run folder")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write it as JSON")


def _run_info(options: argparse.Namespace) -> int:
    from ridealong.proto.trip import TripReader
    from ridealong.simulators.trip.loading import load_trip

    trip = load_trip(options.trip)
    path = options.trip / "trip.mcap" if options.trip.is_dir() else options.trip
    with TripReader(path) as reader:
        counts = Counter(type(record).__name__ for record in reader.records())
    info = {
        "name": trip.name, "duration_s": round(trip.duration_s, 3), "meta": trip.meta, "records": dict(sorted(counts.items())),
        "signals": dict(sorted(Counter(sample.path for sample in trip.signals).items())),
        "locale": trip.expected.locale, "expected": [item.id for item in trip.expected.expect],
    }  # fmt: skip
    if options.json:
        options.json.write_text(json.dumps(info, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"{trip.name}: {trip.duration_s:.1f} s, {path.stat().st_size / 1e6:.1f} MB")
    for name, count in sorted(counts.items()):
        print(f"  {count:>7} {name}")
    for item in trip.expected.expect:
        kinds = ", ".join(type(check).__name__.removesuffix("Expected") for check in item.checks)
        print(f"  {item.said.start_s:7.1f} s  {item.id}{' (later)' if item.later else ''}: {kinds}  {item.said.text!r}")
    return 0


# --- diff ------------------------------------------------------------------------------------------------------------


def _configure_diff(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("a", type=Path, help="a run folder or a trip")
    parser.add_argument("b", type=Path, help="another of the same kind")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the differences as JSON")


def _run_diff(options: argparse.Namespace) -> int:
    from ridealong.simulators.trip.compare import compare, shown

    differences = compare(options.a, options.b)
    if options.json:
        rows = [asdict(difference) for difference in differences]
        options.json.write_text(
            json.dumps({"equal": not rows, "differences": rows}, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
        )
    print(shown(differences, options.a, options.b))
    return 1 if differences else 0


# --- report ----------------------------------------------------------------------------------------------------------


def _configure_report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", type=Path, help="a run folder that `trip replay` wrote")
    parser.add_argument("-o", "--out", type=Path, metavar="HTML", help="where to write it (default: report.html in the folder)")


def _run_report(options: argparse.Namespace) -> int:
    from ridealong.simulators.replay.artefacts import report_of_run

    if not options.run.is_dir():
        raise UserError(f"{options.run} is no run folder: give one that `trip replay` wrote.")
    out = options.out or options.run / "report.html"
    try:
        out.write_text(report_of_run(options.run), encoding="utf-8")
    except OSError as error:
        raise UserError(f"{out} cannot be written ({error.strerror}): choose another place with -o.") from error
    print(out)
    return 0


IMPORT = Command("Make a trip from sound, picture, signals, place and expected outcomes.", _configure_import, _run_import)
INFO = Command("What a trip holds.", _configure_info, _run_info)
DIFF = Command("Compare two run folders or two trips; exit 1 when they differ.", _configure_diff, _run_diff)
REPORT = Command("Write the HTML report of a run again.", _configure_report, _run_report)
