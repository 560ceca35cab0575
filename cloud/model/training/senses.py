"""Sounds and frames of records as rows for the language model, by the frozen encoders; and how many rows that will be, without them.

A session's sound goes through the encoder unit by unit, with its cache, as it does live. Rows are kept while they fit a bound, since a
record comes again in every epoch. Knows no tokens and no targets.
"""

from __future__ import annotations

import wave
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor

from ridealong.cloud.model.eye import look
from ridealong.cloud.model.images import BadImage, cut, decode
from ridealong.cloud.model.mel import CLIP_SAMPLES, HOP, SAMPLE_RATE, MelFrontEnd
from ridealong.cloud.model.model import LoadedModel
from ridealong.cloud.model.training.layout import Frame, Media, Voice
from ridealong.cloud.model.training.records import RATE_HZ, SoundAt

KEPT_BYTES: Final = 1 << 30
assert RATE_HZ == SAMPLE_RATE


class Undecodable(Exception):
    """One sentence: why a record's sound or frame can't be used."""


class Senses:
    """Of one model and one folder of records. `dropped`: how often rows that had been kept gave way."""

    def __init__(self, model: LoadedModel, folder: Path, kept_bytes: int = KEPT_BYTES) -> None:
        self._model, self._folder, self._bound = model, folder, kept_bytes
        self._unit_samples = round(model.config.audio.unit_s * SAMPLE_RATE)
        self._kept: OrderedDict[str, list[Tensor]] = OrderedDict()
        self._bytes = 0
        self.dropped = 0

    def rows_of(self, media: Media) -> int:
        """How many rows it will have. Raises `Undecodable`, here and not later."""
        pool = self._model.config.audio.pool
        match media:
            case SoundAt(file, start):
                if start + self._unit_samples > (length := samples_in(self._folder / file)):
                    raise Undecodable(f"{file} has {length} samples, a unit from {start} on needs {self._unit_samples}")
                return self._model.module.apm.unit_states // pool
            case Voice(file):
                length = samples_in(self._folder / file)
                counts = [-(-length // HOP)] if length <= CLIP_SAMPLES else []
                counts = counts or [-(-min(CLIP_SAMPLES, length - at) // HOP) for at in range(0, length, CLIP_SAMPLES)]
                rows = [(count + 1) // 2 // pool for count in counts]
                if not all(rows) or not rows:
                    raise Undecodable(f"{file} has an end too short to be heard ({length} samples)")
                return sum(rows)
            case Frame(file):
                self._seeing(file)
                return self._model.config.resampler.queries if self._model.config.resampler is not None else 0

    def _seeing(self, file: str) -> None:
        if self._model.module.vpm is None:
            raise Undecodable(f"{file} is a picture, and this model only hears")
        try:
            decode((self._folder / file).read_bytes())
        except (OSError, BadImage) as error:
            raise Undecodable(f"{file}: {error}") from None

    def rows(self, key: str, media: Sequence[Media]) -> list[Tensor]:
        """Each medium's rows [rows, hidden], in order. key: the record's. Sounds of units are one stream in their order."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        with torch.no_grad():
            found = self._encoded(media)
        size = sum(rows.nbytes for rows in found)
        self._kept[key] = found
        self._bytes += size
        while self._bytes > self._bound and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= sum(rows.nbytes for rows in oldest)
            self.dropped += 1
        return found

    def _encoded(self, media: Sequence[Media]) -> list[Tensor]:
        config, module = self._model.config, self._model.module
        front = MelFrontEnd(config.audio.mel_bins, config.audio.unit_s)
        stream, cache = front.stream(), module.ear.cache(1)
        frames = iter(self._seen([one.file for one in media if isinstance(one, Frame)]))
        found: list[Tensor] = []
        for one in media:
            match one:
                case SoundAt(file, start):
                    samples = _samples(self._folder / file)[start : start + self._unit_samples]
                    (mel,) = stream.push(torch.from_numpy(samples))
                    found.append(module.ear.units([mel], [0], cache)[0])
                case Voice(file):
                    clips = front.clips(torch.from_numpy(_samples(self._folder / file)))
                    found.append(torch.cat(module.ear.clips(clips)))
                case Frame():
                    found.append(next(frames))
        return found

    def _seen(self, files: Sequence[str]) -> Tensor:  # [files, queries, hidden]
        vpm, resampler, vision = self._model.module.vpm, self._model.module.resampler, self._model.config.vision
        if not files or vpm is None or resampler is None or vision is None:
            return torch.empty(0)
        image, weight = replace(self._model.config.image, max_slices=1), resampler.proj
        overviews = [cut((self._folder / file).read_bytes(), image).overview for file in files]
        placed = [patches._replace(values=patches.values.to(weight.device, weight.dtype)) for patches in overviews]
        return look(vpm, resampler, placed, vision.batch)


def samples_in(path: Path) -> int:
    """Of a WAV file, by its header. Raises `Undecodable` for another kind of file."""
    try:
        with wave.open(str(path), "rb") as file:
            if (file.getnchannels(), file.getsampwidth(), file.getframerate()) != (1, 2, RATE_HZ):
                raise Undecodable(f"{path.name} must be mono, 16 bit and {RATE_HZ} Hz")
            return file.getnframes()
    except (OSError, EOFError, wave.Error) as error:
        raise Undecodable(f"{path.name} is no WAV file that can be read ({error})") from None


@lru_cache(maxsize=4)
def _samples(path: Path) -> np.ndarray:  # type: ignore[type-arg]
    """[samples] float32 in -1..1. A few files are kept, since units of one follow each other."""
    with wave.open(str(path), "rb") as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / np.float32(32768)
