"""Makes a trip file from a recording: sound, picture, signals, place, and what was expected. One clock: the sound's.

Nothing is written before everything that can be checked has been; a failed import leaves no file. Does not know how the
sources are decoded (`sources.py`) or stored (`proto.trip`).
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ridealong.errors import UserError
from ridealong.proto.trip import TripWriter
from ridealong.proto.trip_records import GpsFix
from ridealong.proto.types import CLOCK_HZ, Samples
from ridealong.simulators.car.controls import PREFIX
from ridealong.simulators.car.plant import SignalSample
from ridealong.simulators.trip import sources
from ridealong.simulators.trip.expected import MAX_YAML_BYTES, Expected, parse
from ridealong.vehicle_skills.signals import SIGNALS, SPEED

BLOCK = CLOCK_HZ // 5
END_SLACK_S = 1.0
GPX_GUESS_UNCERTAIN_S = 60.0


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What to take in. Offsets are where the first picture or fix lies on the sound's clock."""

    audio: Path
    video: Path | None = None
    signals: Path | None = None
    gpx: Path | None = None
    expect: Path | None = None
    video_offset_s: float = 0.0
    gpx_offset_s: float | None = None
    frames_per_s: float = sources.FRAMES_PER_S
    max_side_px: int = sources.MAX_SIDE_PX
    jpeg_quality: int = sources.JPEG_QUALITY
    name: str = ""


@dataclass(slots=True)
class ImportSummary:
    """What came in, and what is worth saying about it."""

    name: str
    duration_s: float
    frames: int = 0
    signals: int = 0
    fixes: int = 0
    expectations: int = 0
    notes: list[str] = field(default_factory=list)


def build_trip(plan: ImportPlan, out: Path) -> ImportSummary:
    """Write the trip. Raises UserError and leaves no file when anything is wrong with a source."""
    sound, rate, channels = sources.read_audio(plan.audio)
    duration_s = len(sound) / CLOCK_HZ
    summary = ImportSummary(plan.name or plan.audio.stem, duration_s)
    if channels > 1:
        summary.notes.append(f"of {channels} channels the first (left) is taken as the user's microphone")
    expected = read_expected(plan.expect, duration_s) if plan.expect else None
    if expected and expected.trip and not plan.name:
        summary.name = expected.trip
    rows = _within(sources.read_signals(plan.signals), duration_s, str(plan.signals), summary) if plan.signals else []
    fixes, gps_meta = _place(plan, rows, duration_s, summary)
    if fixes and not any(row.path == SPEED for row in rows):
        rows = sorted(
            [*rows, *(SignalSample(fix.at_s, SPEED, round(fix.speed_kmh, 1)) for fix in fixes)], key=lambda row: row.at_s
        )
        summary.notes.append("the car's speed is taken from GPS")
    meta = {
        "name": summary.name, "duration_s": round(duration_s, 3), "source": "import", "audio": {"rate": rate, "channels": channels},
        "video_offset_s": plan.video_offset_s, **gps_meta,
    }  # fmt: skip
    summary.signals, summary.fixes = len(rows), len(fixes)
    summary.expectations = len(expected.expect) if expected else 0
    summary.notes += unknown_paths({row.path for row in rows} | (expected.paths() if expected else set()))
    frames = _frames(plan, duration_s, summary)
    write_trip(out, meta, sound, frames, rows, fixes, expected)
    return summary


def unknown_paths(paths: set[str]) -> list[str]:
    """Notes on paths that the simulated car does not have: allowed, since cars have more signals than our table, but often a slip."""
    notes = []
    for path in sorted(one for one in paths - SIGNALS.keys() if not one.startswith(PREFIX)):
        near = difflib.get_close_matches(path, SIGNALS, n=1, cutoff=0.8)
        notes.append(f"{path} is no signal that the simulated car has" + (f"; did you mean {near[0]}?" if near else ""))
    return notes


def read_expected(path: Path, duration_s: float | None = None) -> Expected:
    return parse(sources.read_text(path, "file of expected outcomes", MAX_YAML_BYTES), str(path), duration_s=duration_s)


def write_trip(
    out: Path,
    meta: dict[str, object],
    sound: NDArray[np.int16],
    frames: Iterable[sources.Frame] = (),
    rows: Iterable[SignalSample] = (),
    fixes: Iterable[sources.Fix] = (),
    expected: Expected | None = None,
) -> None:
    """The file appears whole or not at all. Records are written in order of time, so that a cut-off file is a shorter trip."""
    if not out.parent.is_dir():
        raise UserError(f"{out.parent} is no folder: make it, or choose another place with -o.")
    scratch = out.with_name(f".{out.name}.{os.getpid()}.part")
    pending: list[tuple[float, int, SignalSample | sources.Fix]] = sorted(
        [*((fix.at_s, 0, fix) for fix in fixes), *((row.at_s, 1, row) for row in rows)], key=lambda item: item[:2]
    )
    pictures = iter(frames)
    picture = next(pictures, None)
    position = 0
    try:
        with TripWriter(scratch, meta=meta) as writer:
            if expected is not None:
                writer.expected(expected.raw)
            for start in range(0, len(sound), BLOCK):
                block = sound[start : start + BLOCK]
                writer.mic(Samples(start), block.astype("<i2").tobytes(), CLOCK_HZ)
                end_s = (start + len(block)) / CLOCK_HZ
                while position < len(pending) and pending[position][0] < end_s:
                    _write_row(writer, pending[position][2])
                    position += 1
                while picture is not None and picture.at_s < end_s:
                    writer.camera(_at(picture.at_s), picture.jpeg, picture.width, picture.height)
                    picture = next(pictures, None)
        scratch.replace(out)
    except OSError as error:
        raise UserError(f"{out} cannot be written ({error.strerror}): choose another place with -o.") from error
    finally:
        scratch.unlink(missing_ok=True)


def _write_row(writer: TripWriter, row: SignalSample | sources.Fix) -> None:
    if isinstance(row, SignalSample):
        writer.vss(_at(row.at_s), row.path, row.value, "trip")
    else:
        writer.gps(GpsFix(_at(row.at_s), row.latitude, row.longitude, 0.0, row.speed_kmh, row.heading_deg))


def _at(at_s: float) -> Samples:
    return Samples(round(at_s * CLOCK_HZ))


def _within(rows: list[SignalSample], duration_s: float, name: str, summary: ImportSummary) -> list[SignalSample]:
    kept = [row for row in rows if row.at_s <= duration_s + END_SLACK_S]
    if rows and not kept:
        raise UserError(
            f"{name}: all times lie after the end of the sound ({duration_s:.1f} s): are they seconds from its start?"
        )
    if len(kept) < len(rows):
        summary.notes.append(f"{len(rows) - len(kept)} signal rows after the end of the sound are left out")
    return kept


def _place(
    plan: ImportPlan, rows: list[SignalSample], duration_s: float, summary: ImportSummary
) -> tuple[list[sources.Fix], dict[str, object]]:
    """Fixes on the sound's clock, and how sure that is. Wall-clock times are never believed, only their differences."""
    if plan.gpx is None:
        return [], {}
    fixes = sources.read_gpx(plan.gpx)
    estimate = sources.gps_offset(fixes, [row for row in rows if row.path == SPEED]) if plan.gpx_offset_s is None else None
    if plan.gpx_offset_s is not None:
        offset_s, source, uncertain_s = plan.gpx_offset_s, "given", 1.0
    elif estimate is not None:
        offset_s, source, uncertain_s = estimate, "speed", 1.0
        summary.notes.append(f"the first GPS fix lies at {offset_s:g} s, by the car's own speed")
    else:
        offset_s, source, uncertain_s = 0.0, "assumed", GPX_GUESS_UNCERTAIN_S
        summary.notes.append("the first GPS fix is assumed at the start of the sound; give --gpx-offset when you know better")
    placed = [
        sources.Fix(fix.at_s + offset_s, fix.latitude, fix.longitude, fix.speed_kmh, fix.heading_deg)
        for fix in fixes
        if 0 <= fix.at_s + offset_s <= duration_s
    ]
    if not placed:
        raise UserError(f"{plan.gpx}: no fix falls within the sound's {duration_s:.1f} s: give another --gpx-offset.")
    if len(placed) < len(fixes):
        summary.notes.append(f"{len(fixes) - len(placed)} GPS fixes outside the sound are left out")
    return placed, {"gpx_offset_s": offset_s, "gpx_offset_source": source, "gpx_uncertainty_s": uncertain_s}


def _frames(plan: ImportPlan, duration_s: float, summary: ImportSummary) -> Iterator[sources.Frame]:
    if plan.video is None:
        return
    for frame in sources.read_video(
        plan.video, frames_per_s=plan.frames_per_s, max_side_px=plan.max_side_px, quality=plan.jpeg_quality
    ):
        at_s = frame.at_s + plan.video_offset_s
        if at_s >= duration_s:
            summary.notes.append("the picture goes on after the sound; the rest is left out")
            break
        if at_s >= 0:
            summary.frames += 1
            yield sources.Frame(at_s, frame.jpeg, frame.width, frame.height)
    if summary.frames == 0:
        raise UserError(f"{plan.video}: no picture falls within the sound: give another --video-offset.")
