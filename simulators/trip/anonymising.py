"""A trip without the people in it: no pictures, places, device ids or words; signals, figures, acks and timings stay.

The sound becomes silence of the same length unless it is asked for; a kept voice is personal. Texts become their length
(`redacting.py`); a message whose whole point is content is left out. The date goes, differences between clocks stay.
Does not know how a trip is replayed; the names that its author gave (trip, expectations) stay and are the author's to check.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, assert_never

from ridealong.proto import types as t
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
from ridealong.simulators.trip.expected import CHECK_KEYS
from ridealong.simulators.trip.redacting import is_code, private_signal, redacted
from ridealong.simulators.trip.writing import new_file, trip_file

META_KEPT: Final = ("name", "source", "seed", "frontend", "network", "clock", "vss", "trimmed")
"""Everything else of /meta goes: device, ids, the date, the camera's video, whatever a recorder adds."""
SPEAKERS: Final = ("driver", "passenger", "child", "radio", "phone", "navigation", "assistant", "other")
PRIVATE_VALUES: Final = "values of private signals (place, destination, media, identity)"
PHRASES: Final = ("contains_any", "contains_all")


@dataclass(slots=True)
class Anonymised:
    duration_s: float = 0.0
    removed: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    """What was removed, in words, and how many."""


def anonymise(trip: Path, out: Path, *, keep_sound: bool = False, force: bool = False) -> Anonymised:
    """Raises UserError for what cannot be read or written."""
    done = Anonymised()
    with TripReader(trip_file(trip)) as reader:
        done.duration_s = reader.duration / t.CLOCK_HZ
        raw = None if reader.expected is None else _expected(reader.expected, done.removed)
        with new_file(out, force=force) as scratch, TripWriter(scratch, meta=_meta(reader.meta or {}, done.removed)) as writer:
            if raw is not None:
                writer.expected(raw)
            pass_on = _Pass(keep_sound, done.removed)
            for record in reader.records():
                if (clean := pass_on.record(record)) is not None:
                    writer.write(clean)
        if reader.ignored:
            done.removed["records of unknown kinds"] += reader.ignored
    return done


class _Pass:
    def __init__(self, keep_sound: bool, removed: defaultdict[str, float]) -> None:
        self._keep_sound, self._removed = keep_sound, removed
        self._first_clock: dict[str, int] = {}

    def record(self, record: Record) -> Record | None:
        match record:
            case MicBlock() | SpeakerBlock():
                return replace(record, pcm16=self._sound(record.pcm16, record.rate))
            case CameraFrame():
                self._gone("pictures")
                return None
            case GpsFix():
                self._gone("GPS fixes")
                return None
            case SignalSample(path=path) if private_signal(path):
                self._gone(PRIVATE_VALUES)
                return None
            case SignalSample():
                return record
            case AckRecord():
                return record
            case SentMessage():
                body = self._message(record.body)
                return None if body is None else replace(record, body=body)
            case TextEvent(channel="meta" | "expected"):
                return None  # written anew
            case TextEvent(channel="clock"):
                return replace(record, values={name: self._clock(name, value) for name, value in record.values.items()})
            case TextEvent():
                return replace(record, values=self._event(dict(record.values)))
            case _:
                assert_never(record)

    def _gone(self, what: str) -> None:
        self._removed[what] += 1

    def _sound(self, pcm16: bytes, rate: int) -> bytes:
        if self._keep_sound:
            return pcm16
        self._removed["seconds of sound (now silence)"] += len(pcm16) / 2 / rate
        return bytes(len(pcm16))

    def _clock(self, name: str, value: object) -> object:
        if isinstance(value, int) and not isinstance(value, bool):
            return value - self._first_clock.setdefault(name, value)
        return None

    def _event(self, values: dict[str, Any]) -> dict[str, Any]:
        clean: dict[str, Any] = redacted(values)
        self._removed["texts and values of the assistant's log"] += _changed(values, clean)
        return clean

    def _message(self, body: t.UplinkBody) -> t.UplinkBody | None:
        match body:
            case t.UnitPart():
                return body if self._keep_sound else replace(body, pcm16=bytes(len(body.pcm16)))
            case t.FrameFragment():
                self._gone("pieces of sent pictures")
                return None
            case t.Location():
                self._gone("GPS fixes")
                return None
            case t.TextInput() | t.Attachment() | t.SpeakerHint():
                self._gone("typed requests, attachments, speaker names")
                return None
            case t.VehicleState(signals=signals):
                kept = self._readings(signals)
                return replace(body, signals=kept) if kept else None
            case t.ActuationResult(observed=observed, reason=reason):
                return replace(body, observed=self._readings(observed), reason=reason if is_code(reason) else "")
            case t.Close(reason=reason):
                return replace(body, reason=reason if is_code(reason) else "")
            case t.Consent(scope=scope):
                return replace(body, scope=scope if is_code(scope) else "")
            case t.FrameTombstone() | t.Input() | t.PlaybackAck():
                return body
            case _:
                assert_never(body)

    def _readings(self, signals: tuple[t.SignalReading, ...]) -> tuple[t.SignalReading, ...]:
        kept = tuple(reading for reading in signals if not private_signal(reading.path))
        if len(kept) < len(signals):
            self._removed[PRIVATE_VALUES] += len(signals) - len(kept)
        return kept


def _changed(before: Any, after: Any) -> int:
    """How many leaves differ."""
    if isinstance(before, dict):
        return sum(_changed(value, after[str(key)]) for key, value in before.items())
    if isinstance(before, list | tuple) and isinstance(after, list):
        return sum(map(_changed, before, after))
    return int(before != after)


def _meta(meta: dict[str, object], removed: defaultdict[str, float]) -> dict[str, object]:
    kept = {name: value for name, value in meta.items() if name in META_KEPT}
    for name in meta.keys() - kept.keys():
        removed[f"the trip's {name}"] += 1
    return {**kept, "anonymised": True}


def _expected(raw: dict[str, Any], removed: defaultdict[str, float]) -> dict[str, Any]:
    rows = [row for row in (_expectation(row, removed) for row in raw.get("expect") or []) if row is not None]
    ids = {row["id"] for row in rows}
    for row in rows:
        reply = row.get("reply")
        if isinstance(reply, dict) and reply.get("after") not in ids:
            reply.pop("after", None)
    out = {**raw, "expect": rows}
    car = raw.get("car")
    if isinstance(car, dict) and isinstance(initial := car.get("initial"), dict):
        out["car"] = {**car, "initial": {path: value for path, value in initial.items() if not private_signal(path)}}
    return out


def _expectation(row: dict[str, Any], removed: defaultdict[str, float]) -> dict[str, Any] | None:
    """None when nothing is left that can be checked."""
    row = dict(row)
    said = dict(row["said"])
    if said.pop("text", None) is not None:
        removed["texts of expected outcomes"] += 1
    if said.get("by", "driver") not in SPEAKERS:
        removed["names of speakers"] += 1
        del said["by"]
    row["said"] = said
    for kind in ("reply", "asks"):
        check = row.get(kind)
        if isinstance(check, dict):
            removed["phrases of expected replies (any reply counts now)"] += sum(name in check for name in PHRASES)
            row[kind] = {name: value for name, value in check.items() if name not in PHRASES}
    for kind in ("signal", "not_signal"):
        if kind in row:
            checks = row[kind] if isinstance(row[kind], list) else [row[kind]]
            kept = [check for check in checks if not private_signal(str(check.get("path")))]
            removed["expected private signals"] += len(checks) - len(kept)
            row[kind] = kept
            if not kept:
                del row[kind]
    if not any(kind in row for kind in CHECK_KEYS):
        removed["expected outcomes of which nothing was left"] += 1
        return None
    return row
