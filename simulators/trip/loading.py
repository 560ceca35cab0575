"""A whole trip in memory, as a replay needs it: the microphone's samples, frames and signals in order, what was expected.

Long trips fit (an hour of sound is 115 MB; pictures stay compressed). Does not know how a trip is replayed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ridealong.errors import UserError
from ridealong.proto.trip import TripReader
from ridealong.proto.trip_records import CameraFrame, GpsFix, MicBlock, SignalSample
from ridealong.proto.types import CLOCK_HZ, Samples
from ridealong.simulators.trip.expected import Expected, from_raw

MAX_TRIP_S = 6 * 3600
WORLD_SOURCES = ("", "trip", "script", "set")
"""Whose signals the car follows on a replay: the world's, not what a former run's assistant did."""


@dataclass(slots=True)
class Trip:
    """`microphone`: 16 kHz from position 0; stretches without a record are silence."""

    name: str
    meta: dict[str, object]
    microphone: NDArray[np.int16]
    frames: list[CameraFrame] = field(default_factory=list)
    signals: list[SignalSample] = field(default_factory=list)
    fixes: list[GpsFix] = field(default_factory=list)
    expected: Expected = field(default_factory=Expected)

    @property
    def duration_s(self) -> float:
        return len(self.microphone) / CLOCK_HZ


def load_trip(path: Path, expect: Path | None = None) -> Trip:
    """Raises UserError for whatever is wrong. `expect`: expected outcomes instead of those in the file."""
    from ridealong.simulators.trip.importer import read_expected

    if path.is_dir():
        path = path / "trip.mcap"
    with TripReader(path) as reader:
        meta = dict(reader.meta or {})
        trip = Trip(str(meta.get("name") or path.stem), meta, np.zeros(0, dtype=np.int16))
        blocks: list[MicBlock] = []
        end = 0
        for record in reader.records("mic", "camera", "vss", "gps"):
            match record:
                case MicBlock():
                    if record.rate != CLOCK_HZ:
                        raise UserError(f"{path} holds sound at {record.rate} Hz: import the recording again.")
                    end = max(end, record.at + len(record.pcm16) // 2)
                    if end > MAX_TRIP_S * CLOCK_HZ:
                        raise UserError(f"{path} is longer than {MAX_TRIP_S // 3600} hours: cut it into several trips.")
                    blocks.append(record)
                case CameraFrame():
                    trip.frames.append(record)
                case SignalSample() if record.source in WORLD_SOURCES:
                    trip.signals.append(record)
                case GpsFix():
                    trip.fixes.append(record)
                case _:
                    pass
        if not blocks:
            raise UserError(f"{path} holds no sound: a trip needs at least the microphone.")
        trip.microphone = np.zeros(end, dtype=np.int16)
        for block in blocks:
            samples = np.frombuffer(block.pcm16, dtype="<i2")
            trip.microphone[block.at : block.at + len(samples)] = samples
        raw = reader.expected
    if not trip.frames and "camera" in meta:
        trip.frames = fetched_frames(meta["camera"], trip.duration_s, path)
    if expect is not None:
        trip.expected = read_expected(expect, trip.duration_s)
    elif raw is not None:
        trip.expected = from_raw(raw, f"the expected outcomes in {path}", duration_s=trip.duration_s)
    return trip


def fetched_frames(camera: object, duration_s: float, path: Path) -> list[CameraFrame]:
    """Pictures that a trip names instead of holding them: a fetched video, openly looped to the trip's length."""
    from ridealong.cloud.frontends.cascade.models import ModelCache
    from ridealong.simulators.trip.sources import read_video

    if not isinstance(camera, dict) or not isinstance(camera.get("fetched"), str):
        raise UserError(f"{path} names its camera in a way that is not known; import the recording again.")
    video = ModelCache().path(camera["fetched"])
    per_s = float(camera.get("frames_per_s", 1))
    from_s = float(camera.get("from_s", 0.0))  # a trimmed trip begins later in the video
    once = list(read_video(video, frames_per_s=per_s))
    frames: list[CameraFrame] = []
    for number in range(math.ceil(from_s * per_s), int((from_s + duration_s) * per_s)):
        if number >= len(once) and not camera.get("loop"):
            break
        frame = once[number % len(once)]
        at = Samples(round((number / per_s - from_s) * CLOCK_HZ))
        frames.append(CameraFrame(at, frame.jpeg, frame.width, frame.height))
    return frames
