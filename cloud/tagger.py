"""Which words of a sentence ask for what: multilingual e5-small with low-rank changes and a label for every token (tools/tune_tagger.py).

A label is a capability, with what is wanted of it where that is a matter of words ("climate.switch/recirculation/off"), or one of those
that ask for nothing here (`told`, `others`, `chat`, …). Neighbouring tokens of one label make a stretch. A sentence is judged in the spellings of
harness/as_typed.py, English in two, and the mean of the odds counts. 10 to 20 ms a spelling on one core. Does not know: what a capability takes, the car, who spoke.
"""

from __future__ import annotations

from collections import OrderedDict
from importlib import resources
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from ridealong.cloud.frontends.cascade.meaning import Head, model_file
from ridealong.cloud.frontends.cascade.sentence_encoder import Floats, SentenceEncoder
from ridealong.harness.as_typed import spellings
from ridealong.harness.tagged import NO_REQUEST, TALK, Stretch

FILE: Final = "tagger.npz"
OUT: Final = Path(__file__).with_name(FILE)
CHANGE: Final = 3.0
"""What a change of label costs, in the logarithm of odds: words in the middle of a request don't break it."""
KEPT: Final = 128
LONGEST_CHARS: Final = 400


class Tagger:
    """One per process; safe to share between threads."""

    def __init__(self, encoder: SentenceEncoder, head: Head) -> None:
        self.labels = head.classes
        self.capabilities = frozenset(label.partition("/")[0] for label in head.classes if "." in label)
        self._encoder, self._head = encoder, head
        self._asking = np.array([label not in NO_REQUEST and not label.startswith(TALK) for label in head.classes])
        self._kept: OrderedDict[str, tuple[Stretch, ...]] = OrderedDict()
        self._lock = Lock()

    def __call__(self, text: str) -> tuple[Stretch, ...]:
        text = text[:LONGEST_CHARS]
        with self._lock:
            if text not in self._kept:
                self._kept[text] = self._stretches(text)
                if len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(text)
            return self._kept[text]

    def _stretches(self, text: str) -> tuple[Stretch, ...]:
        spans = [span for span in self._encoder.placed(text)[1] if text[slice(*span)].strip()]
        if not spans:
            return ()
        odds = np.stack([self._odds(form, spans) for form in spellings(text)]).mean(axis=0)
        odds -= _logsumexp(odds)
        found: list[Stretch] = []
        for first, last, label in _runs(smoothed(odds)):
            share = float(np.exp(odds[first : last + 1, label].mean()))
            asks = float(np.exp(odds[first : last + 1, self._asking]).sum(axis=-1).mean())
            begin, end = spans[first][0], spans[last][1]
            found.append(Stretch(self.labels[label], text[begin:end].strip(), (begin, end), share, asks))
        return tuple(found)

    def _odds(self, form: str, spans: list[tuple[int, int]]) -> Floats:
        """[spans, labels]: the logarithms of the labels' likelihoods where these characters stand in another spelling of the same text, whose tokens may be others."""
        ids, placed = self._encoder.placed(form)
        there = [place for place, span in enumerate(placed) if form[slice(*span)].strip()]
        logits = self._encoder.states(ids)[there] @ self._head.weights.T + self._head.bias
        of_tokens = logits - _logsumexp(logits)
        token_at = {char: row for row, place in enumerate(there) for char in range(*placed[place])}
        rows = [sorted({token_at[char] for char in range(*span) if char in token_at}) or [len(there) - 1] for span in spans]
        return np.stack([of_tokens[row].mean(axis=0) for row in rows])


def smoothed(odds: Floats) -> NDArray[np.int64]:
    """[tokens]: the likeliest labels [tokens, labels] where each change costs CHANGE (Viterbi)."""
    best, came = odds[0].copy(), np.zeros(odds.shape, np.int64)
    for place in range(1, len(odds)):
        leader = int(best.argmax())
        stays = best >= best[leader] - CHANGE
        came[place] = np.where(stays, np.arange(len(best)), leader)
        best = np.where(stays, best, best[leader] - CHANGE) + odds[place]
    path = [int(best.argmax())]
    for place in range(len(odds) - 1, 0, -1):
        path.append(int(came[place][path[-1]]))
    return np.array(path[::-1])


def _runs(path: NDArray[np.int64]) -> list[tuple[int, int, int]]:
    """(first token, last token, label)."""
    runs: list[tuple[int, int, int]] = []
    for place, label in enumerate(path.tolist()):
        if runs and runs[-1][2] == label:
            runs[-1] = (runs[-1][0], place, label)
        else:
            runs.append((place, place, label))
    return runs


def _logsumexp(logits: Floats) -> Floats:
    most = logits.max(axis=-1, keepdims=True)
    return np.asarray(most + np.log(np.exp(logits - most).sum(axis=-1, keepdims=True)), np.float32)


def load_tagger() -> Tagger:
    """With the committed changes. As `meaning.load_meaning`, products then run in the thread that asks for them."""
    threadpool_limits(limits=1, user_api="blas")
    raw = resources.files("ridealong.cloud").joinpath(FILE).read_bytes()
    with np.load(BytesIO(raw), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    return Tagger(SentenceEncoder(model_file(), arrays), Head.of(arrays, "tags"))
