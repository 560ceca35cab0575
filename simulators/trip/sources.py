"""Reading what field testers have: WAV, video, signal tables, GPX. Each reader yields plain values on the trip's clock.

Every fault of a file is a UserError that names the file, the place in it and the remedy. Does not know the trip file format.
Wall-clock times in a GPX file are used only as differences: a "Z" is often a lie in the field.
"""

from __future__ import annotations

import math
import os
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridealong.errors import UserError
from ridealong.proto.types import CLOCK_HZ
from ridealong.simulators.car.plant import SignalSample
from ridealong.simulators.car.script import read_script

MAX_AUDIO_S = 6 * 3600
MAX_TABLE_BYTES = 200_000_000
MAX_GPX_BYTES = 100_000_000
MAX_SIDE_PX = 640
JPEG_QUALITY = 85
FRAMES_PER_S = 2.0


@dataclass(frozen=True, slots=True)
class Frame:
    at_s: float
    jpeg: bytes
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Fix:
    """A GPS fix; `at_s` counts from the first fix of the file."""

    at_s: float
    latitude: float
    longitude: float
    speed_kmh: float
    heading_deg: float


def _existing(path: Path, what: str) -> Path:
    if not path.exists():
        raise UserError(f"{path}: there is no such {what}; check the name.")
    if path.is_dir():
        raise UserError(f"{path} is a folder, not a {what}.")
    return path


# --- audio -----------------------------------------------------------------------------------------------------------


def read_audio(path: Path) -> tuple[NDArray[np.int16], int, int]:
    """(16 kHz mono samples, the file's rate, the file's channels). Of several channels the first is taken: left = user."""
    import soundfile
    import soxr

    _existing(path, "audio file")
    pieces: list[NDArray[np.int16]] = []
    length = 0
    try:
        with soundfile.SoundFile(path) as source:
            rate, channels = int(source.samplerate), int(source.channels)
            if rate < 4_000 or channels < 1:
                raise UserError(f"{path} says {rate} Hz and {channels} channels: at least 4000 Hz and one channel are needed.")
            resampler = soxr.ResampleStream(rate, CLOCK_HZ, 1, dtype="int16")
            for block in source.blocks(rate, dtype="int16", always_2d=True):
                pieces.append(resampler.resample_chunk(np.ascontiguousarray(block[:, 0])))
                length += len(pieces[-1])
                if length > MAX_AUDIO_S * CLOCK_HZ:
                    raise UserError(f"{path} is longer than {MAX_AUDIO_S // 3600} hours: cut it into several trips.")
            pieces.append(resampler.resample_chunk(np.zeros(0, dtype=np.int16), last=True))
    except (soundfile.SoundFileError, OSError, ValueError, TypeError) as error:
        raise UserError(f"{path} is not a sound file that can be read ({_reason(error)}): give a WAV file.") from error
    samples = np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.int16)
    if len(samples) < CLOCK_HZ // 10:
        raise UserError(f"{path} holds less than a tenth of a second of sound: was the recording finished?")
    return samples, rate, channels


def _reason(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or str(error)
    return str(text).splitlines()[0][:120] if text else type(error).__name__


# --- video -----------------------------------------------------------------------------------------------------------


def read_video(
    path: Path, *, frames_per_s: float = FRAMES_PER_S, max_side_px: int = MAX_SIDE_PX, quality: int = JPEG_QUALITY
) -> Iterator[Frame]:
    """Frames by presentation time, from the first one on; turned upright when the file says how it was held."""
    import cv2

    _existing(path, "video file")
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # its words about a bad file; ours follow
    video = cv2.VideoCapture(str(path))  # turns frames upright as the file says
    count, due_s = 0, 0.0
    origin_s: float | None = None
    try:
        while video.isOpened() and video.grab():
            time_s = video.get(cv2.CAP_PROP_POS_MSEC) / 1000
            origin_s = time_s if origin_s is None else origin_s
            at_s = time_s - origin_s
            if at_s + 1e-6 < due_s:
                continue
            good, image = video.retrieve()
            if not good:
                break  # a cut-off end (battery, crash) is usual for dashcams: what was decoded is good
            due_s = max(due_s + 1 / frames_per_s, at_s + 0.5 / frames_per_s)
            count += 1
            yield _encode(image, at_s, max_side_px, quality)
    finally:
        video.release()
    if count == 0:
        raise UserError(f"{path} is not a video that can be read, or holds no whole picture: was the recording finished?")


def _encode(image: Any, at_s: float, max_side_px: int, quality: int) -> Frame:
    import cv2

    height, width = image.shape[:2]
    scale = min(1.0, max_side_px / max(width, height))
    size = (max(2, 2 * round(width * scale / 2)), max(2, 2 * round(height * scale / 2)))
    image = cv2.resize(image, size, interpolation=cv2.INTER_AREA) if size != (width, height) else image
    good, jpeg = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not good:
        raise ValueError("a picture could not be encoded")
    return Frame(at_s, jpeg.tobytes(), image.shape[1], image.shape[0])


# --- signals ---------------------------------------------------------------------------------------------------------


def read_text(path: Path, what: str, limit: int) -> str:
    """A UTF-8 text file (a byte-order mark is welcome)."""
    _existing(path, what)
    if path.stat().st_size > limit:
        raise UserError(f"{path} is larger than {limit // 1_000_000} MB.")
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text (byte {error.start}): save it as UTF-8.") from error
    except OSError as error:
        raise UserError(f"{path} cannot be read ({_reason(error)}).") from error


def read_signals(path: Path) -> list[SignalSample]:
    """The table `time_s,path,value`, in order of time."""
    _existing(path, "signal table")
    if path.stat().st_size > MAX_TABLE_BYTES:
        raise UserError(f"{path} is larger than {MAX_TABLE_BYTES // 1_000_000} MB: cut it into several trips.")
    return sorted(read_script(path), key=lambda row: row.at_s)


# --- GPX -------------------------------------------------------------------------------------------------------------


def read_gpx(path: Path) -> list[Fix]:
    """Track points in the order of the file; those that step back in time are left out."""
    return parse_gpx(read_text(path, "GPX file", MAX_GPX_BYTES), str(path))


def parse_gpx(text: str, name: str) -> list[Fix]:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise UserError(f"{name} declares a document type, which a GPX track never needs: export it again.")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise UserError(f"{name}, line {error.position[0]}: this is not GPX ({error}).") from error
    points: list[tuple[float, float, float, float | None]] = []
    untimed = 0
    for index, node in enumerate((node for node in root.iter() if _local(node.tag) == "trkpt"), start=1):
        fields = {_local(child.tag): (child.text or "").strip() for child in node.iter()}
        try:
            latitude, longitude = float(node.attrib["lat"]), float(node.attrib["lon"])
        except (KeyError, ValueError):
            raise UserError(f"{name}, track point {index}: latitude or longitude is missing or no number.") from None
        if not (-90 <= latitude <= 90 and -180 <= longitude <= 180):
            raise UserError(f"{name}, track point {index}: {latitude:g}, {longitude:g} is no place on Earth.")
        if not fields.get("time"):
            untimed += 1
            continue
        try:
            stamp = datetime.fromisoformat(fields["time"].replace("Z", "+00:00"))
        except ValueError:
            raise UserError(f"{name}, track point {index}: {fields['time']!r} is no time.") from None
        wall_s = (stamp.replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds()
        speed = fields.get("speed", "")
        points.append((wall_s, latitude, longitude, float(speed) * 3.6 if re.fullmatch(r"\d+(\.\d+)?", speed) else None))
    if not points:
        raise UserError(f"{name} holds no track point with a time" + (f" ({untimed} without one)." if untimed else "."))
    return _fixes(points)


def _local(tag: object) -> str:
    return str(tag).rpartition("}")[2]


def _fixes(points: list[tuple[float, float, float, float | None]]) -> list[Fix]:
    fixes: list[Fix] = []
    first_s = last_s = points[0][0]
    for index, (wall_s, latitude, longitude, speed) in enumerate(points):
        if index and wall_s <= last_s:
            continue
        previous = fixes[-1] if fixes else None
        moved_m, heading = _step(previous, latitude, longitude) if previous else (0.0, 0.0)
        measured = speed if speed is not None else (moved_m / (wall_s - last_s) * 3.6 if previous else 0.0)
        fixes.append(
            Fix(wall_s - first_s, latitude, longitude, measured, heading if moved_m > 1 or not previous else previous.heading_deg)
        )
        last_s = wall_s
    return fixes


def _step(before: Fix, latitude: float, longitude: float) -> tuple[float, float]:
    """Metres and heading between two near points (flat Earth)."""
    north = math.radians(latitude - before.latitude) * 6_371_000
    east = math.radians(longitude - before.longitude) * 6_371_000 * math.cos(math.radians(latitude))
    return math.hypot(north, east), math.degrees(math.atan2(east, north)) % 360


def gps_offset(fixes: list[Fix], speeds: list[SignalSample], search_s: int = 120) -> float | None:
    """Where the first fix lies on the trip's clock, from the car's own speed; None when the two don't agree clearly.

    The lag with the highest correlation of the two speed curves at 1 Hz; clear means above 0.85 over 20 s or more.
    """
    if len(fixes) < 20 or len(speeds) < 10:
        return None
    gps = np.interp(np.arange(0, fixes[-1].at_s), [fix.at_s for fix in fixes], [fix.speed_kmh for fix in fixes])
    car = np.interp(np.arange(0, speeds[-1].at_s), [row.at_s for row in speeds], [float(row.value) for row in speeds])
    best: tuple[float, int] | None = None
    for lag in range(-search_s, search_s + 1):
        low, high = max(0, lag), min(len(car), lag + len(gps))
        if high - low < 20:
            continue
        ours, theirs = car[low:high], gps[low - lag : high - lag]
        if ours.std() < 1 or theirs.std() < 1:
            continue
        agreement = float(np.corrcoef(ours, theirs)[0, 1])
        best = max(best, (agreement, lag)) if best else (agreement, lag)
    return float(best[1]) if best and best[0] > 0.85 else None
