"""What differs between two runs of a trip (or two trips): decisions, outcomes, the rendered sound. Pure, after reading.

Does not say which of the two is right.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ridealong.errors import UserError
from ridealong.proto.trip import TripReader
from ridealong.proto.trip_records import MicBlock, SpeakerBlock
from ridealong.simulators.trip.record import RunRecord

MAX_SHOWN = 40


@dataclass(slots=True)
class Difference:
    """`what`: decisions, outcomes, sound, figures or records. `lines`: - only in A, + only in B."""

    what: str
    lines: list[str] = field(default_factory=list)


def compare(a: Path, b: Path) -> list[Difference]:
    """Empty when the two are equal. Run folders are compared by what was decided, trip files by what they hold."""
    for path in (a, b):
        if not path.exists():
            raise UserError(f"{path}: there is no such run folder or trip; check the name.")
    if a.is_dir() != b.is_dir():
        raise UserError("a run folder and a trip file cannot be compared: give two of a kind.")
    return _compare_runs(a, b) if a.is_dir() else _compare_trips(a, b)


def _compare_runs(a: Path, b: Path) -> list[Difference]:
    found = []
    if lines := _diff(_lines(a / "decisions.jsonl"), _lines(b / "decisions.jsonl")):
        found.append(Difference("decisions", lines))
    if lines := _diff(_outcomes(a), _outcomes(b)):
        found.append(Difference("outcomes", lines))
    first, second = RunRecord.load(a), RunRecord.load(b)
    if first.audio_sha256 != second.audio_sha256:
        found.append(Difference("sound", [f"- speaker {first.audio_sha256[:16]}", f"+ speaker {second.audio_sha256[:16]}"]))
    return found


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UserError(
            f"{path.parent} is not a run folder (no readable {path.name}): give a folder that `trip replay` wrote."
        ) from error


def _outcomes(folder: Path) -> list[str]:
    try:
        rows = json.loads((folder / "outcomes.json").read_text(encoding="utf-8"))["outcomes"]
        return [f"{row['id']}: {row['status']}" for row in rows]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{folder} has no readable outcomes.json: replay the trip again.") from error


def _diff(a: list[str], b: list[str]) -> list[str]:
    return [
        line
        for line in difflib.unified_diff(a, b, lineterm="", n=0)
        if line[:3] not in ("---", "+++") and not line.startswith("@@")
    ]


def _compare_trips(a: Path, b: Path) -> list[Difference]:
    first, second = list(_summaries(a)), list(_summaries(b))
    lines = _diff(first, second)
    return [Difference("records", lines)] if lines else []


def _summaries(path: Path) -> Iterator[str]:
    """One line a record; sound as the hash of each channel as a whole, however it was cut into blocks."""
    sound = {MicBlock: hashlib.sha256(), SpeakerBlock: hashlib.sha256()}
    ends: dict[type, int] = {MicBlock: 0, SpeakerBlock: 0}
    with TripReader(path) as reader:
        yield "expected " + json.dumps(reader.expected, sort_keys=True, ensure_ascii=False)
        for record in reader.records():
            if isinstance(record, MicBlock | SpeakerBlock):
                if record.at != ends[type(record)]:
                    sound[type(record)].update(f"at {record.at}".encode())
                sound[type(record)].update(record.pcm16)
                ends[type(record)] = record.at + len(record.pcm16) // 2
                continue
            yield f"{record.at / 16_000:.4f} {type(record).__name__} {hashlib.sha256(repr(record).encode()).hexdigest()[:12]}"
    for kind, digest in sound.items():
        yield f"{kind.__name__} {digest.hexdigest()[:16]} to {ends[kind] / 16_000:.3f} s"


def shown(differences: list[Difference], a: Path, b: Path) -> str:
    """For the terminal."""
    if not differences:
        return f"no difference between {a} and {b}."
    out = [f"- {a}", f"+ {b}"]
    for difference in differences:
        out.append(f"{difference.what}: {len(difference.lines)} lines differ")
        out += [f"  {line[:160]}" for line in difference.lines[:MAX_SHOWN]]
        if len(difference.lines) > MAX_SHOWN:
            out.append(f"  … and {len(difference.lines) - MAX_SHOWN} more")
    return "\n".join(out)
