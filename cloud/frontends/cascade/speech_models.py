"""The embedded models of one process, loaded once each and shared by its sessions.

Every property loads on first use, under a lock; `warm` loads and runs them all, so that the first request pays nothing. Does
not know sessions, threads or which executor calls it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar

import numpy as np

from ridealong.cloud.frontends.cascade.hear import Recogniser
from ridealong.cloud.frontends.cascade.lexicon import Lexicon
from ridealong.cloud.frontends.cascade.meaning import Meaning, load_meaning
from ridealong.cloud.frontends.cascade.models import ModelCache
from ridealong.cloud.frontends.cascade.speak import Synthesiser
from ridealong.cloud.frontends.cascade.turn import TurnModel
from ridealong.cloud.frontends.cascade.vad import VadSession
from ridealong.cloud.frontends.cascade.voiceprint import VoicePrint
from ridealong.cloud.tagger import Tagger, load_tagger
from ridealong.errors import UserError
from ridealong.proto.types import CLOCK_HZ

Model = TypeVar("Model")


class SpeechModels:
    """Raises UserError, naming the file and the remedy, where a model is absent or damaged."""

    def __init__(self, cache: ModelCache, threads: int = 2, espeak: bool = False) -> None:
        self.cache = cache
        self._threads = threads
        self._espeak = espeak
        self._lock = RLock()
        self._loaded: dict[str, Any] = {}

    @property
    def vad_session(self) -> VadSession:
        return self._once("vad", lambda: VadSession(self.cache.path("turn/silero_vad.onnx")))

    @property
    def turn(self) -> TurnModel:
        return self._once("turn", lambda: TurnModel(self.cache.path("turn/smart-turn-v3.2-cpu.onnx")))

    @property
    def recogniser(self) -> Recogniser:
        def build() -> Recogniser:
            for name in ("config.json", "tokenizer.json", "vocabulary.json"):
                self.cache.path(f"whisper-base/{name}")
            return Recogniser(self.cache.path("whisper-base/model.bin").parent, self._threads)

        return self._once("recogniser", build)

    @property
    def lexicon(self) -> Lexicon:
        return self._once(
            "lexicon",
            lambda: Lexicon(self.cache.path("lexicon/us_gold.json"), self.cache.path("lexicon/us_silver.json"), self._espeak),
        )

    @property
    def synthesiser(self) -> Synthesiser:
        return self._once(
            "synthesiser",
            lambda: Synthesiser(
                self.cache.path("kokoro/kokoro.onnx"), self.cache.path("kokoro/vocab.json"), self.lexicon, self._threads
            ),
        )

    @property
    def voice_print(self) -> VoicePrint:
        return self._once("voice_print", lambda: VoicePrint(self.cache.path("speaker/ge2e.pt")))

    @property
    def meaning(self) -> Meaning:
        return self._once("meaning", load_meaning)

    @property
    def tagger(self) -> Tagger:
        return self._once("tagger", load_tagger)

    def check(self) -> None:
        """Are all files of the speech models there? Without loading any."""
        wanted = [name for name in self.cache.files if not name.startswith(("video/", "text/"))]
        if missing := [name for name in self.cache.missing() if name in wanted]:
            raise UserError(
                f"{len(missing)} of {len(wanted)} model files are missing or damaged in {self.cache.root} "
                f"({', '.join(missing)}): run `ridealong models fetch`."
            )

    def warm(self) -> None:
        """Loads everything and runs it once (about 3 s)."""
        second = np.zeros(CLOCK_HZ, dtype=np.float32)
        self.vad_session.stream().feed(second)
        self.turn.completed(second)
        self.recogniser.transcribe(second)
        self.voice_print.embed(second)
        self.meaning.read("Ready.")
        self.tagger("Ready.")
        self.synthesiser.synthesise("Ready.", "en")
        self.synthesiser.synthesise("好的。", "zh")

    def _once(self, name: str, build: Callable[[], Model]) -> Model:
        with self._lock:
            if name not in self._loaded:
                self._loaded[name] = build()
            loaded: Model = self._loaded[name]
            return loaded


def load(cache_dir: Path | None = None, threads: int = 2, espeak: bool = False) -> SpeechModels:
    """The models of a cache folder (default: `ModelCache`'s); nothing is read before it is needed."""
    return SpeechModels(ModelCache(cache_dir), threads, espeak)
