"""Saying a text with a voice, once: what was synthesised is kept on disk, because an evaluation says the same things again and again.

The clips lie in the user's cache folder under a hash of all that can be heard (model, voice, text, version of this code); the oldest are
removed when they outgrow their bound. With all clips there the model is never loaded.

Does not know: levels, rooms, hesitations, or what a scenario is.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from pathlib import Path
from typing import Protocol

import numpy as np

from ridealong.cloud.frontends.cascade.audio import floats_from_pcm16, resample
from ridealong.cloud.frontends.cascade.models import ModelCache
from ridealong.cloud.frontends.cascade.speech_models import SpeechModels
from ridealong.errors import UserError
from ridealong.proto.types import CLOCK_HZ
from ridealong.simulators.scenarios.acoustics import Floats, pcm16, shifted
from ridealong.simulators.scenarios.voices import Voice

VERSION = 1
MODEL = "kokoro/kokoro.onnx"
MAX_BYTES = 1_000_000_000
LOOK_EVERY = 100
"""So many new clips between two looks at the size of the folder."""


class Speech(Protocol):
    """Something that says `text`: mono at 16 kHz, about -20 dBFS, dry. The same for the same arguments."""

    def say(self, text: str, voice: Voice) -> Floats: ...


def default_folder() -> Path:
    """ridealong/scenarios in the user's cache folder."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "ridealong" / "scenarios"


class Kokoro:
    """The embedded synthesiser. One process and thread uses it; several processes may share a folder."""

    def __init__(self, models: SpeechModels | None = None, folder: Path | None = None, max_bytes: int = MAX_BYTES) -> None:
        self._models = models if models is not None else SpeechModels(ModelCache())
        self._folder = folder if folder is not None else default_folder()
        self._max_bytes = max_bytes
        self._taught: set[str] = set()
        self._fingerprints: dict[str, str] = {}
        self.made = self.found = self.removed = 0

    def say(self, text: str, voice: Voice) -> Floats:
        path = self._folder / f"{self._key(text, voice)}.npy"
        try:
            clip = np.load(path)
            os.utime(path)
            self.found += 1
        except (OSError, ValueError):
            clip = pcm16(self._synthesised(text, voice))
            self._keep(path, clip)
        return np.asarray(clip, dtype=np.float32) / np.float32(32768)

    def _key(self, text: str, voice: Voice) -> str:
        if voice.name not in self._fingerprints:
            self._fingerprints[voice.name] = voice.fingerprint()
        heard = [str(VERSION), self._models.cache.files[MODEL].sha256, self._fingerprints[voice.name], voice.locale, text]
        return hashlib.sha256("\n".join(heard).encode()).hexdigest()[:32]

    def _synthesised(self, text: str, voice: Voice) -> Floats:
        synthesiser, name = self._models.synthesiser, f"scenario:{voice.name}"
        if name not in self._taught:
            synthesiser.teach(name, voice.style())
            self._taught.add(name)
        said = synthesiser.synthesise(text, voice.locale, name, voice.synthesis_speed)
        if len(said.pcm) == 0:
            raise UserError(f"The text {text!r} has nothing to say in it; write words.")
        self.made += 1
        return shifted(resample(floats_from_pcm16(said.pcm.tobytes()), said.rate, CLOCK_HZ), voice.shift)

    def _keep(self, path: Path, clip: np.ndarray) -> None:  # type: ignore[type-arg]
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            fresh = path.with_suffix(f".{os.getpid()}.tmp")
            with fresh.open("wb") as file:
                np.save(file, clip)
            fresh.replace(path)
        except OSError as error:
            raise UserError(
                f"Clips of speech could not be kept in {self._folder} ({error.strerror}): free space, or set XDG_CACHE_HOME."
            ) from error
        if self.made % LOOK_EVERY == 0:
            self.prune()

    def prune(self) -> None:
        """Removes the clips longest unused until the rest takes at most the bound."""
        clips = []
        for path in self._folder.glob("*.npy"):
            try:
                found = path.stat()
                clips.append((found.st_mtime_ns, found.st_size, path))
            except FileNotFoundError:
                continue  # another process removed it
        excess = sum(size for _, size, _ in clips) - self._max_bytes
        for _, size, path in sorted(clips):
            if excess <= 0:
                break
            path.unlink(missing_ok=True)
            excess -= size
            self.removed += 1


class Syllables:
    """A stand-in that needs no model: one buzz a syllable at the voice's pitch, 120 ms of silence before and after, 40 ms between."""

    def say(self, text: str, voice: Voice) -> Floats:
        count = max(1, len(text) // (1 if voice.locale == "zh" else 4))
        hz = 90 + zlib.crc32(voice.name.encode()) % 160
        t = np.arange(round(0.16 * CLOCK_HZ)) / CLOCK_HZ
        buzz = sum(np.sin(2 * np.pi * hz * n * t) / n for n in range(1, 12)) * np.sin(np.pi * np.linspace(0, 1, len(t))) ** 0.5
        gap, edge = np.zeros(round(0.04 * CLOCK_HZ)), np.zeros(round(0.12 * CLOCK_HZ))
        return np.concatenate([edge, *[part for _ in range(count) for part in (0.1 * buzz, gap)][:-1], edge]).astype(np.float32)
