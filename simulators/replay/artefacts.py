"""What a run leaves: its folder, the trip file of the run, the stereo recording, decisions, outcomes, record and report.

One run has one folder: it is locked while the run writes, so that two runs never mix. Does not know how the run was made.
"""

from __future__ import annotations

import fcntl
import json
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from ridealong.errors import UserError
from ridealong.proto.trip import TripWriter
from ridealong.proto.trip_records import CameraFrame, GpsFix, SignalSample
from ridealong.proto.types import (
    CLOCK_HZ,
    SPEECH_HZ,
    Actuate,
    ActuationResult,
    Caption,
    Control,
    DownlinkBody,
    FrameFragment,
    FrameTombstone,
    Halt,
    PlaybackAck,
    Samples,
    SignalValue,
    UnitPart,
    UplinkBody,
    UtteranceId,
    WorkUpdate,
)
from ridealong.simulators.network import Traffic
from ridealong.simulators.replay.decisions import DecisionLog
from ridealong.simulators.replay.figures import Figure, figures
from ridealong.simulators.replay.observing import RunObserver
from ridealong.simulators.replay.recorder import Recorder, write_mixed
from ridealong.simulators.replay.report import Report, render
from ridealong.simulators.trip.expected import Expected, from_raw
from ridealong.simulators.trip.judge import OutcomeResult, judge
from ridealong.simulators.trip.loading import Trip, load_trip
from ridealong.simulators.trip.record import FrameFact, RunRecord

THUMBNAIL_PX = 320
QUIET_DBFS, LOUD_DBFS = -55.0, -10.0


class RunFolder:
    """A folder of one's own. `wanted` None: a new one under runs/, named by the time."""

    def __init__(self, wanted: Path | None, runs: Path = Path("runs")) -> None:
        try:
            self.path = wanted if wanted is not None else _fresh(runs)
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock: TextIO = (self.path / ".lock").open("w")
        except OSError as error:
            raise UserError(f"{wanted or runs} cannot be written ({error.strerror}): choose another place with --out.") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.close()
            raise UserError(
                f"another replay is writing into {self.path}: wait until it is done, or give another --out."
            ) from error

    def close(self) -> None:
        self._lock.close()
        (self.path / ".lock").unlink(missing_ok=True)


def _fresh(runs: Path) -> Path:
    """runs/<time>, with a number when somebody else began in the same second."""
    runs.mkdir(parents=True, exist_ok=True)
    stamp = time.strftime("%Y-%m-%d_%H-%M-%S")
    for number in range(1, 1000):
        path = runs / (stamp if number == 1 else f"{stamp}_{number}")
        try:
            path.mkdir()
        except FileExistsError:
            continue
        return path
    raise UserError(f"{runs} is full of runs of this second: try again.")


class RunLog:
    """A RunObserver that writes the trip file of the run: the trip's own sound and pictures, and all that came of them."""

    def __init__(self, path: Path, trip: Trip, meta: dict[str, object]) -> None:
        self._writer = TripWriter(path, meta=meta)
        if trip.expected.raw:
            self._writer.expected(trip.expected.raw)
        self._trip = trip
        self._heard = 0
        rows: list[CameraFrame | SignalSample | GpsFix] = [*trip.frames, *trip.signals, *trip.fixes]
        self._world_rows = deque(sorted(rows, key=lambda row: row.at))

    def sent(self, at: Samples, body: UplinkBody) -> None:
        match body:
            case UnitPart():
                self._writer.unit(body.start, body)
                self._world(body.start + body.samples)
            case PlaybackAck():
                self._writer.ack(body.at, body)
            case FrameFragment() if body.index == 0:
                self._writer.gate(body.capture, {"frame": body.frame, "sent": True, **_gate(body)})
            case FrameTombstone():
                self._writer.gate(body.capture, {"frame": body.frame, "sent": False, "because": body.reason, **_gate(body)})
            case ActuationResult():
                self._writer.tool(at, {"what": "result", "key": body.key, "state": body.state.value, "reason": body.reason})
            case _:
                pass

    def received(self, at: Samples, body: DownlinkBody) -> None:
        match body:
            case Control():
                self._writer.model(at, {"what": "control", "unit": body.unit, "token": body.token.value})
            case Caption():
                self._writer.model(at, {"what": "caption", "who": body.who, "text": body.text, "final": body.final,
                                        "start": body.start, "end": body.end, "addressee": body.addressee})  # fmt: skip
            case WorkUpdate():
                self._writer.tool(at, {"what": "work", **asdict(body)})
            case Actuate():
                writes = [[write.path, write.value] for write in body.writes]
                self._writer.tool(at, {"what": "actuate", "key": body.key, "group": body.group, "writes": writes})
            case Halt():
                self._writer.tool(at, {"what": "halt", "key": body.key, "of": body.of})
            case _:
                pass

    def rendered(self, at: Samples, pcm24k: bytes) -> None:
        self._writer.speaker_heard(at, pcm24k, SPEECH_HZ)

    def hole(self, at: Samples, utterance: UtteranceId, samples: int) -> None:
        self._writer.model(at, {"what": "hole", "utterance": utterance, "samples": samples})

    def signal(self, at: Samples, path: str, value: SignalValue) -> None:
        self._writer.vss(at, path, value, "car")

    def _world(self, until: int) -> None:
        """The trip's own sound, pictures and signals up to here."""
        block = self._trip.microphone[self._heard : until]
        if len(block):
            self._writer.mic(Samples(self._heard), block.astype("<i2").tobytes(), CLOCK_HZ)
        self._heard = max(self._heard, until)
        while self._world_rows and self._world_rows[0].at < until:
            row = self._world_rows.popleft()
            self._writer.write(replace(row, source="trip") if isinstance(row, SignalSample) else row)

    def close(self) -> None:
        self._writer.close()


def _gate(body: FrameFragment | FrameTombstone) -> dict[str, object]:
    gate = body.gate
    return {
        "keep": gate.keep,
        "reason": gate.reason.value,
        "cost": gate.cost,
        "residual_q99": gate.residual_q99,
        "changed_share": gate.changed_share,
    }


@dataclass(frozen=True, slots=True)
class RunResult:
    record: RunRecord
    outcomes: list[OutcomeResult]
    figures: list[Figure]

    @property
    def failed(self) -> bool:
        return any(outcome.status == "failed" for outcome in self.outcomes)


class Artefacts:
    """Opens everything that a run writes; `observers` are to be fed; `finish` completes the folder."""

    def __init__(self, folder: Path, trip: Trip, about: dict[str, object], *, real_time: bool) -> None:
        self.folder, self._trip, self._about = folder, trip, about
        for stale in (
            "trip.mcap",
            "mixed.wav",
            "decisions.jsonl",
            "outcomes.json",
            "record.json",
            "report.html",
            "journal.sqlite",
            "journal.sqlite-wal",
            "journal.sqlite-shm",
        ):
            (folder / stale).unlink(missing_ok=True)  # a run that dies must not leave the results of an older one
        self.recorder = Recorder(folder / ".rendered", real_time=real_time)
        self._decisions = (folder / "decisions.jsonl").open("w", encoding="utf-8")
        self.log = RunLog(folder / "trip.mcap", trip, {"name": trip.name, "source": "replay", **about})
        self.observers: list[RunObserver] = [self.recorder, DecisionLog(self._write_decision), self.log]

    def _write_decision(self, line: str) -> None:
        self._decisions.write(line + "\n")

    def finish(self, traffic: Traffic) -> RunResult:
        """Judge, and write what is still to be written."""
        self._close()
        record = self.recorder.record
        record.uplink_bytes, record.downlink_bytes = traffic.up_bytes, traffic.down_bytes
        result = _judged(self._trip.expected, record)
        (self.folder / "record.json").write_text(record.to_json() + "\n", encoding="utf-8")
        (self.folder / "outcomes.json").write_text(outcomes_json(self._trip.name, self._about, result), encoding="utf-8")
        write_mixed(self.folder / "mixed.wav", self._trip.microphone, self.recorder.rendered_path, max(record.duration_s, 0.1))
        self.recorder.rendered_path.unlink(missing_ok=True)
        page = _report(self._trip, record, result.outcomes, result.figures, _notes(self._about))
        (self.folder / "report.html").write_text(page, encoding="utf-8")
        return result

    def abandon(self) -> None:
        """The run failed: close what is open; the trip file and the decisions so far stay."""
        self._close()
        self.recorder.rendered_path.unlink(missing_ok=True)

    def _close(self) -> None:
        self.recorder.finish()
        self._decisions.close()
        self.log.close()


def _judged(expected: Expected, record: RunRecord) -> RunResult:
    outcomes = judge(expected.expect, record)
    return RunResult(record, outcomes, figures(expected.expect, record, outcomes))


def outcomes_json(name: str, about: dict[str, object], result: RunResult) -> str:
    rows = [asdict(outcome) for outcome in result.outcomes]
    counts = {status: sum(row["status"] == status for row in rows) for status in ("passed", "failed", "later")}
    return json.dumps({"trip": name, **about, **counts, "outcomes": rows}, ensure_ascii=False, indent=1) + "\n"


def _notes(about: dict[str, object]) -> list[str]:
    return [
        f"{key.replace('_', ' ')}: {value}" for key, value in about.items() if key in ("frontend", "clock", "network", "seed")
    ]


def report_of_run(folder: Path) -> str:
    """The report again, from what the folder holds."""
    record = RunRecord.load(folder)
    trip = load_trip(folder / "trip.mcap")
    try:
        about = json.loads((folder / "outcomes.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{folder} has no readable outcomes.json: replay the trip again.") from error
    result = _judged(from_raw(trip.expected.raw) if trip.expected.raw else trip.expected, record)
    return _report(trip, record, result.outcomes, result.figures, _notes(about if isinstance(about, dict) else {}))


def _report(trip: Trip, record: RunRecord, outcomes: list[OutcomeResult], rows: list[Figure], notes: Sequence[str]) -> str:
    return render(
        Report(
            trip.name,
            record,
            trip.expected.expect,
            outcomes,
            rows,
            thumbnails(trip, record.frames),
            loudness(trip.microphone),
            notes,
        )
    )


def thumbnails(trip: Trip, frames: list[FrameFact], count: int = 60) -> dict[int, bytes]:
    """Small JPEGs of up to `count` frames, evenly over the run: the trip's picture at or before the time of capture."""
    import cv2

    if not trip.frames:
        return {}
    if len(frames) > count:
        frames = [frames[round(index * (len(frames) - 1) / (count - 1))] for index in range(count)]
    times = np.array([frame.at / CLOCK_HZ for frame in trip.frames])
    found: dict[int, bytes] = {}
    for fact in frames:
        index = max(0, int(np.searchsorted(times, fact.at_s + 1e-6, side="right")) - 1)
        image = cv2.imdecode(np.frombuffer(trip.frames[index].jpeg, dtype=np.uint8), cv2.IMREAD_COLOR)
        if image is None:
            continue
        scale = min(1.0, THUMBNAIL_PX / max(image.shape[:2]))
        small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        good, jpeg = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 72])
        if good:
            found[fact.frame] = jpeg.tobytes()
    return found


def loudness(sound: NDArray[np.int16]) -> list[float]:
    """0..1 for each tenth of a second, on a dB scale."""
    step = CLOCK_HZ // 10
    count = len(sound) // step
    if count == 0:
        return []
    rms = np.sqrt(np.mean(sound[: count * step].reshape(count, step).astype(np.float64) ** 2, axis=1)) / 32768
    level = (20 * np.log10(np.maximum(rms, 1e-6)) - QUIET_DBFS) / (LOUD_DBFS - QUIET_DBFS)
    return [round(float(value), 3) for value in np.clip(level, 0.02, 1)]
