"""Cuts a stretch out of a trip: every channel from one time to another, and the times counted from 0 again.

What lies only partly inside goes: a message whose sound, or a caption whose words, began before the cut. Sound itself is cut to the
sample. The car's values at the cut are carried to 0, so that the car begins as it was. Numbers on the wire (seq, unit, epoch, frame) stay
as they were. Does not know what any of it means.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, assert_never

from ridealong.errors import UserError
from ridealong.proto.trip import TripReader, TripWriter
from ridealong.proto.trip_records import (
    AckRecord,
    CameraFrame,
    GpsFix,
    MicBlock,
    Record,
    SentMessage,
    SignalSample,
    SpeakerBlock,
    TextEvent,
)
from ridealong.proto.types import CLOCK_HZ, Samples, UnitPart
from ridealong.simulators.trip.expected import from_raw
from ridealong.simulators.trip.writing import new_file, trip_file

WIRE_TIMES: Final = ("at", "start", "capture")


@dataclass(slots=True)
class Trimmed:
    duration_s: float = 0.0
    records: int = 0
    carried: int = 0
    kept: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)


def trim(trip: Path, out: Path, start_s: float, end_s: float | None, *, force: bool = False) -> Trimmed:
    """Raises UserError when the stretch is empty, lies beyond the trip's end, or holds no sound. `end_s` None: to the end."""
    with TripReader(trip_file(trip)) as reader:
        length = reader.duration
        end = length if end_s is None else _position(end_s)
        start = _position(start_s)
        if start < 0 or start >= end:
            raise UserError(f"--from ({start_s:g} s) must be at least 0 and lie before --to ({end / CLOCK_HZ:g} s).")
        if end > length:
            raise UserError(f"--to ({end_s:g} s) lies beyond the end: the trip is {length / CLOCK_HZ:.3f} s long.")
        done = Trimmed((end - start) / CLOCK_HZ)
        raw = None if reader.expected is None else _expected(reader.expected, start / CLOCK_HZ, end / CLOCK_HZ, done)
        with new_file(out, force=force) as scratch:
            with TripWriter(scratch, meta=_meta(dict(reader.meta or {}), start, end)) as writer:
                if raw is not None:
                    writer.expected(raw)
                heard = _copy(reader, writer, start, end, done)
            if not heard:
                raise UserError(
                    f"there is no sound from {start_s:g} s to {end / CLOCK_HZ:g} s: a trip needs some; cut elsewhere."
                )
    return done


def _copy(reader: TripReader, writer: TripWriter, start: Samples, end: Samples, done: Trimmed) -> bool:
    """Whether there was sound of the microphone."""
    values: dict[tuple[str, str], SignalSample] = {}
    heard = begun = False
    for record in reader.records():
        if isinstance(record, SignalSample) and record.at < start:
            values[record.path, record.source] = record
            continue
        cut = rebased(record, start, end)
        if cut is None:
            continue
        if not begun:
            begun = True
            done.carried = _carry(values, writer)
        writer.write(cut)
        done.records += 1
        heard = heard or isinstance(cut, MicBlock)
    if not begun:
        done.carried = _carry(values, writer)
    return heard


def _carry(values: dict[tuple[str, str], SignalSample], writer: TripWriter) -> int:
    for sample in sorted(values.values(), key=lambda sample: sample.at):
        writer.write(replace(sample, at=Samples(0)))
    return len(values)


def rebased(record: Record, start: Samples, end: Samples) -> Record | None:
    """The part of a record that lies in [start, end), counted from `start`; None: nothing of it does."""
    match record:
        case MicBlock() | SpeakerBlock():
            return _cut_sound(record, start, end)
        case SentMessage(body=UnitPart(start=first, samples=samples)) if first < start or first + samples > end:
            return None
        case TextEvent(channel="meta" | "expected"):
            return None  # written anew
        case _ if not start <= record.at < end:
            return None
        case CameraFrame() | SignalSample() | GpsFix():
            return replace(record, at=Samples(record.at - start))
        case SentMessage():
            return replace(record, at=Samples(record.at - start), body=_moved(record.body, start))
        case AckRecord():
            return replace(record, at=Samples(record.at - start), ack=_moved(record.ack, start))
        case TextEvent():
            values = _event(record.values, start)
            return None if values is None else TextEvent(Samples(record.at - start), record.channel, values)
        case _:
            assert_never(record)


def _cut_sound(block: MicBlock | SpeakerBlock, start: Samples, end: Samples) -> MicBlock | SpeakerBlock | None:
    def frame(at: int) -> int:
        """The first sample of the block at or after this position on the trip's clock."""
        return -(-(at - block.at) * block.rate // CLOCK_HZ)

    first = max(0, frame(start))
    last = min(len(block.pcm16) // 2, frame(end))
    if first >= last:
        return None
    at = block.at + first * CLOCK_HZ // block.rate
    return replace(block, at=Samples(max(0, at - start)), pcm16=block.pcm16[2 * first : 2 * last])


def _moved(body: Any, start: Samples) -> Any:
    times = {f.name for f in dataclasses.fields(body)} & set(WIRE_TIMES)
    return replace(body, **{name: Samples(max(0, getattr(body, name) - start)) for name in times})


def _event(values: Mapping[str, object], start: Samples) -> dict[str, object] | None:
    """A caption carries the times of its words."""
    moved = dict(values)
    for name in ("start", "end"):
        at = moved.get(name)
        if isinstance(at, int) and not isinstance(at, bool):
            if at < start:
                return None
            moved[name] = at - start
    return moved


def _meta(meta: dict[str, object], start: Samples, end: Samples) -> dict[str, object]:
    utc_ns = meta.get("start_utc_ns")
    if isinstance(utc_ns, int):
        meta["start_utc_ns"] = utc_ns + start * 1_000_000_000 // CLOCK_HZ
    camera = meta.get("camera")
    if isinstance(camera, dict):
        before = camera.get("from_s", 0.0)
        meta["camera"] = {**camera, "from_s": (before if isinstance(before, int | float) else 0.0) + start / CLOCK_HZ}
    return {**meta, "trimmed": {"from_s": start / CLOCK_HZ, "to_s": end / CLOCK_HZ}}


def _expected(raw: dict[str, object], start_s: float, end_s: float, done: Trimmed) -> dict[str, object]:
    """Those whose words lie wholly inside; one that is timed by another (`after`) goes with it."""
    parsed = from_raw(raw, "the expected outcomes in the trip")
    slack = 1 / CLOCK_HZ
    kept = {item.id for item in parsed.expect if item.said.start_s >= start_s - slack and item.said.end_s <= end_s + slack}
    rows: list[Any] = list(parsed.raw.get("expect") or [])
    while lost := {row["id"] for row in rows if row["id"] in kept and _after(row) not in kept | {""}}:
        kept -= lost
    done.kept = [row["id"] for row in rows if row["id"] in kept]
    done.dropped = [row["id"] for row in rows if row["id"] not in kept]
    inside = [
        {**row, "said": {**row["said"], "from": _second(row["said"]["from"], start_s), "to": _second(row["said"]["to"], start_s)}}
        for row in rows
        if row["id"] in kept
    ]
    return {**parsed.raw, "expect": inside}


def _after(row: dict[str, Any]) -> str:
    reply = row.get("reply")
    return str(reply.get("after", "")) if isinstance(reply, dict) else ""


def _second(at_s: float, start_s: float) -> float:
    return max(0.0, round(at_s - start_s, 6))


def _position(at_s: float) -> Samples:
    if not math.isfinite(at_s):
        raise UserError("--from and --to must be numbers of seconds, for example --from 12.5.")
    return Samples(round(at_s * CLOCK_HZ))
