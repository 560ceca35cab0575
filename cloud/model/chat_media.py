"""What a person shows and plays in a chat by turns: pictures, clips and videos, from values or from files, ready for eye and ear.

A video is cut into stretches of a second: the frame that begins each, and the sound of it. Files need Pillow for pictures; a WAV file needs
nothing, other sound needs soundfile and soxr, a video needs OpenCV, which reads no sound: give that as a file of its own.
Raises `UserError` for a file that is none. Knows no model and no order of tokens (`chat`).
"""

from __future__ import annotations

import math
import wave
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from ridealong.cloud.model.features import resampled
from ridealong.cloud.model.images import FORMATS, BadImage, decode
from ridealong.cloud.model.mel import SAMPLE_RATE, as_samples
from ridealong.errors import UserError

LEAST_SAMPLES: Final = SAMPLE_RATE // 10
MOST_AUDIO_S: Final = 3_600
MOST_FRAMES: Final = 64
"""Of a video; the frames of a longer one are further apart (the published limit)."""
MOST_VIDEO_S: Final = 4 * 3_600
MOST_PHOTO_BYTES: Final = 100_000_000
FRAME_SIDE_PX: Final = 1_280
"""Larger frames of a video file are made smaller at once: what the model sees is smaller still, and many are held."""


@dataclass(frozen=True, slots=True)
class Photo:
    image: Image.Image


@dataclass(frozen=True, slots=True)
class Clip:
    """`samples`: [samples] float32 in -1..1, 16 kHz."""

    samples: Tensor


@dataclass(frozen=True, slots=True)
class Stretch:
    """`sound`: [samples] as in `Clip`, None where there is none."""

    frame: Image.Image
    sound: Tensor | None


@dataclass(frozen=True, slots=True)
class Video:
    """`step_s`: from frame to frame."""

    stretches: tuple[Stretch, ...]
    step_s: float


Part = str | Photo | Clip | Video


def clip(samples: Tensor) -> Clip:
    """Raises `UserError` for less than a tenth of a second, and for what is no sound."""
    try:
        heard = as_samples(samples)
    except ValueError as error:
        raise UserError(f"That is no sound: {error}.") from None
    if len(heard) < LEAST_SAMPLES:
        raise UserError("A sound has at least a tenth of a second: was the recording finished?")
    return Clip(heard)


def video(frames: Sequence[tuple[float, Image.Image]], sound: Tensor | None = None, *, most: int = MOST_FRAMES) -> Video:
    """frames: with their times in seconds, growing. sound: of all of it, [samples] at 16 kHz.

    A frame a second, the last one shown at that time; fewer where that would be more than `most`. Raises `UserError`.
    """
    times = [at_s for at_s, _ in frames]
    if not frames or times != sorted(times) or not all(math.isfinite(at_s) for at_s in times):
        raise UserError("A video has at least one frame, and frames have growing times.")
    heard = None if sound is None else clip(sound).samples
    first_s = times[0]
    length_s = max(times[-1] - first_s + 1e-3, 0.0 if heard is None else len(heard) / SAMPLE_RATE)
    step_s = float(max(1, math.ceil(length_s / most)))
    stretches, shown = [], 0
    for number in range(math.ceil(length_s / step_s)):
        at_s = number * step_s
        while shown + 1 < len(frames) and times[shown + 1] - first_s <= at_s + 1e-6:
            shown += 1
        piece = None
        if heard is not None:
            piece = heard[int(at_s * SAMPLE_RATE) : int((at_s + step_s) * SAMPLE_RATE)]
        stretches.append(Stretch(frames[shown][1], piece if piece is not None and len(piece) >= LEAST_SAMPLES else None))
    return Video(tuple(stretches), step_s)


# -- files -------------------------------------------------------------------------------------------------------------


def read_photo(path: Path) -> Photo:
    try:
        data = _bytes(path, MOST_PHOTO_BYTES + 1)
        if len(data) > MOST_PHOTO_BYTES:
            raise UserError(f"{path} has more than {MOST_PHOTO_BYTES // 1_000_000} MB: that is no picture to be looked at.")
        return Photo(decode(data))
    except BadImage as error:
        raise UserError(f"{path}: {error}. Give a JPEG, PNG or WebP file.") from None


def read_clip(path: Path) -> Clip:
    """A sound file as one channel at 16 kHz (the mean of its channels)."""
    if _bytes(path, 4) == b"RIFF" and (read := _pcm_wave(path)) is not None:
        samples, rate_hz = read
    else:
        samples, rate_hz = _sound_file(path)
    if len(samples) > MOST_AUDIO_S * rate_hz:
        raise UserError(f"{path} is longer than {MOST_AUDIO_S // 60} minutes: cut it.")
    if not rate_hz >= 4_000:
        raise UserError(f"{path} says {rate_hz} Hz: at least 4000 are needed.")
    heard = torch.from_numpy(samples)
    try:
        return clip(resampled(heard, rate_hz, SAMPLE_RATE) if len(heard) else heard)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None


def read_video(path: Path, sound: Path | None = None) -> Video:
    """sound: the file with its sound, if it is to be heard. A picture is no video, even where it could be read as one of a single frame."""
    _bytes(path, 1)
    frames, there = _frames(path)
    if there <= 1 and _is_picture(path):
        raise UserError(f"{path} is a picture and not a video: give it as a picture (--image).")
    if there == 1:
        raise UserError(f"{path} has a single frame: save that as a JPEG or PNG file and give it as a picture (--image).")
    if not frames:
        raise UserError(f"{path} is not a video that can be read: give an MP4, MKV or AVI file.")
    return video(frames, None if sound is None else read_clip(sound).samples)


def _is_picture(path: Path) -> bool:
    """A still one. (A telephone's JPEG may hold a second, smaller picture.)"""
    try:
        with Image.open(path, formats=FORMATS) as opened:
            return opened.format in ("JPEG", "MPO") or getattr(opened, "n_frames", 1) == 1
    except Exception:  # of files from outside, decoders raise about everything
        return False


def _bytes(path: Path, count: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(count)
    except OSError as error:
        raise UserError(f"{path} can't be read: {error.strerror or error}.") from None


def _pcm_wave(path: Path) -> tuple[np.ndarray[Any, Any], int] | None:
    """None for a WAV file of another kind than 16-bit numbers."""
    try:
        with wave.open(str(path), "rb") as file:
            if file.getsampwidth() != 2:
                return None
            channels, rate_hz = file.getnchannels(), file.getframerate()
            data = file.readframes(min(file.getnframes(), (MOST_AUDIO_S + 1) * rate_hz))
    except (wave.Error, EOFError):
        return None
    whole = len(data) // (2 * channels) * channels
    numbers = np.frombuffer(data, dtype="<i2", count=whole).reshape(-1, channels)
    return numbers.astype(np.float32).mean(axis=1) / np.float32(32_768), rate_hz


def _sound_file(path: Path) -> tuple[np.ndarray[Any, Any], int]:
    try:
        import soundfile
    except ModuleNotFoundError:
        raise UserError(f"{path} is no WAV file of 16 bits: give one, or  pip install soundfile  for other kinds.") from None
    try:
        with soundfile.SoundFile(path) as file:
            rate_hz = int(file.samplerate)
            numbers = file.read((MOST_AUDIO_S + 1) * rate_hz, dtype="float32", always_2d=True)
    except (soundfile.SoundFileError, OSError, ValueError, TypeError) as error:
        told = str(error).partition("\n")[0][:120]
        raise UserError(f"{path} is not a sound file that can be read ({told}): give a WAV file.") from None
    return np.ascontiguousarray(numbers.mean(axis=1, dtype=np.float32)), rate_hz


def _frames(path: Path) -> tuple[list[tuple[float, Image.Image]], int]:
    """With their times: one a second, and of long videos fewer, evenly, about as many as may be used. And how many there are in all."""
    try:
        import cv2
    except ModuleNotFoundError:
        raise UserError("A video needs OpenCV:  pip install 'ridealong[camera]'.") from None
    source = cv2.VideoCapture(str(path))
    frames: list[tuple[float, Image.Image]] = []
    step_s, due_s, at_s, number = 1.0, 0.0, 0.0, 0
    try:
        while source.isOpened() and source.grab():
            told_s = source.get(cv2.CAP_PROP_POS_MSEC) / 1000
            rate = source.get(cv2.CAP_PROP_FPS)
            at_s = max(at_s, told_s if told_s > 0 or not number else number / (rate if rate > 0 else 25.0))
            number += 1
            if at_s > MOST_VIDEO_S:
                raise UserError(f"{path} is longer than {MOST_VIDEO_S // 3600} hours: cut it.")
            if at_s + 1e-6 < due_s:
                continue
            whole, pixels = source.retrieve()
            if not whole:
                continue
            smaller = FRAME_SIDE_PX / max(pixels.shape[:2])
            if smaller < 1:
                pixels = cv2.resize(pixels, None, fx=smaller, fy=smaller, interpolation=cv2.INTER_AREA)
            frames.append((at_s, Image.fromarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2RGB))))
            if len(frames) > 2 * MOST_FRAMES:  # every other one, and from now on half as many
                frames, step_s = frames[::2], 2 * step_s
            due_s = frames[-1][0] + step_s
    finally:
        source.release()
    return frames, number
