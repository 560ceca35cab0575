"""The facts of one run, timed in seconds on the device's audio clock: what was said, heard, asked of the car and done.

Values only: written by `replay.recorder`, read by `trip.judge`, `replay.report` and `trip diff`. Does not know what was expected.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args, get_type_hints

from ridealong.errors import UserError
from ridealong.proto.types import SignalValue


@dataclass(frozen=True, slots=True)
class SignalChange:
    """A value of the car, as the car had it. The first one of a path is its value at the start."""

    at_s: float
    path: str
    value: SignalValue


@dataclass(frozen=True, slots=True)
class ActuationFact:
    """One request to the car and how it ended (`state` is empty when no result came)."""

    at_s: float
    requested_at_s: float  # when the words that asked for it ended
    key: str
    group: str
    writes: tuple[tuple[str, SignalValue], ...]
    state: str = ""
    reason: str = ""
    result_at_s: float = 0.0

    @property
    def applied(self) -> bool:
        """The car was, or may have been, changed: only a refusal is certain."""
        return self.state != "refused"


@dataclass(frozen=True, slots=True)
class UtteranceFact:
    """One thing the assistant said. Never started: `started_s` is None, nothing of it was heard."""

    utterance: int
    epoch: int
    received_s: float  # first chunk at the device
    started_s: float | None
    ended_s: float | None
    text: str
    heard: str
    state: str  # started, progress, finished, flushed or "" (never acknowledged)
    samples: int = 0
    played_samples: int = 0
    rate: int = 24_000
    work_id: str = ""


@dataclass(frozen=True, slots=True)
class CaptionFact:
    """What the node understood (`who` = user) or shows of its own words (`who` = assistant). Final ones only."""

    at_s: float
    who: str
    text: str
    start_s: float
    end_s: float
    addressee: str = ""


@dataclass(frozen=True, slots=True)
class WorkFact:
    """A work item entered these states."""

    at_s: float
    work_id: str
    execution: str
    delivery: str
    capability: str = ""
    request: str = ""


@dataclass(frozen=True, slots=True)
class ControlFact:
    at_s: float
    unit: int
    token: str


@dataclass(frozen=True, slots=True)
class FlushFact:
    at_s: float
    epoch: int


@dataclass(frozen=True, slots=True)
class FrameFact:
    """One camera frame: the gate's decision, and whether its last fragment left the device."""

    at_s: float
    frame: int
    kept: bool
    reason: str
    sent: bool
    cost: float = 0.0
    residual_q99: float = 0.0
    changed_share: float = 0.0
    not_sent_because: str = ""


@dataclass(frozen=True, slots=True)
class Sound:
    """A stretch during which the device speaker was audible (pauses under 250 ms do not end one)."""

    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class HoleFact:
    """Silence within an utterance that nobody meant: what followed was not there in time."""

    at_s: float
    utterance: int
    length_s: float


@dataclass(frozen=True, slots=True)
class TimingFact:
    """Where the time of one reply went, from the end of the words to its first sample at the speaker (`proto.types.ReplyTiming`)."""

    at_s: float
    utterance: int
    work_id: str
    words_end_s: float
    endpoint_ms: int
    text_ms: int
    result_ms: int
    out_ms: int
    speaker_ms: int

    @property
    def total_ms(self) -> int:
        return self.endpoint_ms + self.text_ms + self.result_ms + self.out_ms + self.speaker_ms


@dataclass(frozen=True, slots=True)
class NoticeFact:
    at_s: float
    code: str
    text: str


@dataclass(slots=True)
class RunRecord:
    """Everything that a run left, in order of time within each list."""

    duration_s: float = 0.0
    real_time: bool = False
    signals: list[SignalChange] = field(default_factory=list)
    actuations: list[ActuationFact] = field(default_factory=list)
    utterances: list[UtteranceFact] = field(default_factory=list)
    captions: list[CaptionFact] = field(default_factory=list)
    work: list[WorkFact] = field(default_factory=list)
    controls: list[ControlFact] = field(default_factory=list)
    flushes: list[FlushFact] = field(default_factory=list)
    frames: list[FrameFact] = field(default_factory=list)
    sounds: list[Sound] = field(default_factory=list)
    holes: list[HoleFact] = field(default_factory=list)
    notices: list[NoticeFact] = field(default_factory=list)
    timings: list[TimingFact] = field(default_factory=list)
    acks: dict[str, int] = field(default_factory=dict)
    uplink_bytes: int = 0
    downlink_bytes: int = 0
    audio_sha256: str = ""
    clipped_samples: int = 0
    """Of the speaker: those at full scale."""

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self), ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> RunRecord:
        """Raises UserError when the text is no run record."""
        try:
            raw = json.loads(text)
            kinds = get_type_hints(cls)
            values: dict[str, Any] = {}
            for name, value in raw.items():
                if name not in kinds:
                    continue
                inner = get_args(kinds[name])
                if inner and dataclasses.is_dataclass(inner[0]):
                    value = [_fact(inner[0], row) for row in value]
                values[name] = value
            return cls(**values)
        except (ValueError, TypeError, AttributeError) as error:
            raise UserError(f"this is no record of a run ({error}): replay the trip again to make one.") from error

    @classmethod
    def load(cls, folder: Path) -> RunRecord:
        path = folder / "record.json"
        try:
            return cls.from_json(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise UserError(
                f"{folder} is not a run folder (no readable record.json): give a folder that `trip replay` wrote."
            ) from error


def _fact(kind: Any, row: dict[str, Any]) -> Any:
    if kind is ActuationFact:
        row = {**row, "writes": tuple((path, value) for path, value in row["writes"])}
    return kind(**row)
