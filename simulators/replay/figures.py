"""The figures of a run, and their file format (`--json`). Pure, apart from naming the machine and the commit.

On virtual time no latency is a measurement: those figures have no value there and print as "not measured".
"""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path

from ridealong import __version__
from ridealong.simulators.trip.expected import Asks, Expectation, Refused, ReplyExpected, SignalExpected
from ridealong.simulators.trip.judge import OutcomeResult
from ridealong.simulators.trip.record import RunRecord

ANSWER_WITHIN_S = 12.0
EARLY_S = 0.3


@dataclass(frozen=True, slots=True)
class Figure:
    """`value` None: not measured. `low`, `high`: 95 % interval where it is a share. `label` is for people."""

    name: str
    value: float | None
    unit: str
    n: int
    low: float | None = None
    high: float | None = None
    goal: str = ""
    label: str = ""

    def shown(self) -> str:
        if self.value is None:
            return "not measured"
        if self.unit == "share":
            return f"{self.value * 100:.0f} %"
        if self.unit == "bytes" and self.value >= 10_000:
            return f"{self.value / 1000:,.0f} kB" if self.value < 1_000_000 else f"{self.value / 1_000_000:,.1f} MB"
        number = (
            f"{self.value:,.0f}" if self.unit in ("ms", "bytes", "") or self.value == int(self.value) else f"{self.value:,.2f}"
        )
        return f"{number} {self.unit}".strip()


def percentile(values: list[float], share: float) -> float | None:
    """Nearest rank: a value that occurred."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def wilson(good: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """95 % interval of a share (Wilson score)."""
    if n == 0:
        return 0.0, 1.0
    share = good / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, centre - half), min(1.0, centre + half)


@dataclass(frozen=True, slots=True)
class FirstSound:
    """Of the answer to one request: `utterance` is the first that began after its words."""

    id: str
    ms: float
    utterance: int


def first_sounds(expectations: tuple[Expectation, ...], record: RunRecord) -> list[FirstSound]:
    """From the annotated end of the words to the first rendered sample of the answer, for each request that got one. A result that comes
    after a "One moment." is none."""
    asked = [
        item
        for item in expectations
        if any(isinstance(check, ReplyExpected | Refused | Asks | SignalExpected) for check in item.checks)
    ]
    found: list[FirstSound] = []
    for item in asked:
        # A sound after the next request has ended is that one's answer, or a late result: neither is a first sound.
        next_s = min((other.said.end_s for other in asked if other.said.end_s > item.said.end_s), default=float("inf"))
        latest_s = min(item.said.end_s + ANSWER_WITHIN_S, next_s)
        starts = [
            (utterance.started_s, utterance.utterance)
            for utterance in record.utterances
            if utterance.started_s is not None and item.said.end_s - EARLY_S <= utterance.started_s <= latest_s
        ]
        if starts:
            started_s, utterance = min(starts)
            found.append(FirstSound(item.id, max(0.0, started_s - item.said.end_s) * 1000, utterance))
    return found


def figures(expectations: tuple[Expectation, ...], record: RunRecord, outcomes: list[OutcomeResult]) -> list[Figure]:
    counted = [outcome for outcome in outcomes if outcome.status != "later"]
    held = sum(outcome.status == "passed" for outcome in counted)
    holes = record.holes
    waits = [sound.ms for sound in first_sounds(expectations, record)] if record.real_time else []
    low, high = wilson(held, len(counted))
    minutes = max(record.duration_s, 1e-9) / 60
    executed = {fact.work_id: fact.capability for fact in record.work if fact.execution.casefold() not in ("queued", "none", "")}
    delivered = {fact.work_id for fact in record.work if fact.delivery.casefold() == "delivered"}
    return [
        Figure("outcomes_held", held / len(counted) if counted else None, "share", len(counted), low, high, "1", "expected outcomes that held"),
        Figure("first_sound_p50_ms", percentile(waits, 0.5), "ms", len(waits), label="time to first sound, half of the requests"),
        Figure("first_sound_p95_ms", percentile(waits, 0.95), "ms", len(waits), label="time to first sound, 95 % of the requests"),
        Figure("utterances_finished", _count(record, "finished"), "", len(record.utterances), label="answers played to the end"),
        Figure("utterances_cut", _count(record, "flushed"), "", len(record.utterances), label="answers cut off"),
        Figure("speech_holes", float(len(holes)) if record.real_time else None, "", len(record.utterances), goal="0", label="holes in the assistant's speech"),
        Figure("longest_speech_hole_ms", max((hole.length_s * 1000 for hole in holes), default=0.0) if record.real_time else None, "ms", len(holes), label="the longest of them"),
        Figure("speaker_samples_at_full_scale", float(record.clipped_samples), "", 1, goal="0", label="samples of the speaker that were clipped"),
        Figure("acks", float(sum(record.acks.values())), "", sum(record.acks.values()), label="playback acknowledgements"),
        Figure("skills_run", float(len(executed)), "", len(executed), label="skills run"),
        Figure("results_delivered", float(len(delivered)), "", len(executed), label="results spoken and heard to the end"),
        Figure("actuations", float(len(record.actuations)), "", len(record.actuations), label="requests to the car"),
        Figure("frames_captured", float(len(record.frames)), "", len(record.frames), label="camera frames captured"),
        Figure("frames_sent", float(sum(frame.sent for frame in record.frames)), "", len(record.frames), label="camera frames sent"),
        Figure("frames_archived", float(sum(frame.kept for frame in record.frames)), "", len(record.frames), label="camera frames worth keeping"),
        Figure("uplink_bytes", float(record.uplink_bytes), "bytes", 1, label="sent to the cloud"),
        Figure("uplink_bytes_per_min", record.uplink_bytes / minutes, "bytes", 1, label="sent to the cloud per minute"),
        Figure("downlink_bytes", float(record.downlink_bytes), "bytes", 1, label="received from the cloud"),
    ]  # fmt: skip


def _count(record: RunRecord, state: str) -> float:
    return float(sum(utterance.state == state for utterance in record.utterances))


def machine() -> str:
    """Enough to compare figures by; names nobody."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}"


def commit() -> str:
    """The commit of this checkout, or the version of an installed package."""
    try:
        found = subprocess.run(
            ["git", "rev-parse", "--short=12", "HEAD"],
            cwd=Path(__file__).resolve().parent,
            capture_output=True,
            text=True,
            timeout=5,
        )
    except (OSError, subprocess.SubprocessError):
        return __version__
    return found.stdout.strip() if found.returncode == 0 else __version__


def to_json(command: str, seed: int, rows: list[Figure]) -> str:
    shown = [{key: value for key, value in asdict(row).items() if key != "label"} for row in rows]
    return json.dumps({"command": command, "seed": seed, "machine": machine(), "commit": commit(), "figures": shown}, indent=1)
