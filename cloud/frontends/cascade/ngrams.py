"""How likely words are, one unit after another: counts of one, two and three in a row, smoothed after Witten and Bell (1991).

    units("把空调调到22度") -> ["把", "空", "调", "调", "到", "#", "度"]
    words("Set it to 22, please.") -> ["set", "it", "to", "#", "please"]

Of Chinese a character is a unit, of English a word; any number is "#". Units are numbered. Counted by tools/tune_spelling.py in sentences that were
written for training, as many of talk as of requests. Does not know sounds, what was heard, or what words ask for.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ridealong.cloud.frontends.cascade.numbers_en import ONES, TENS

ORDER: Final = 3
BEGIN, END, NUMBER = "<", ">", "#"
UNSEEN: Final = 1e-6
REMEMBERED: Final = 1_024
"""Units behind which all likelihoods are kept ready, 10 kB each."""
FILES: Final = {"zh": "spelling_zh.npz", "en": "phrasing_en.npz"}
Arrays = Mapping[str, NDArray[Any]]
Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]
Run = tuple[int, ...]

CLAUSE: Final = re.compile(r"(?:[\u4e00-\u9fff]|[A-Za-z]+|\d+(?:\.\d+)?)+")
PIECE: Final = re.compile(r"\d+(?:\.\d+)?|[A-Za-z]+|[\u4e00-\u9fff]")
_WORD = re.compile(r"\d+(?:[.:]\d+)?|[a-z]+(?:'[a-z]+)*")
_SENTENCE_END = re.compile(r"[.!?;]+(?:\s|$)")
_NUMBER_WORDS = frozenset((*ONES, *TENS, "hundred", "thousand"))
_SIGNS = str.maketrans({"’": "'", "%": " percent", "°": " degrees"})


def units(clause: str) -> list[str]:
    """Of a clause of Chinese."""
    return [NUMBER if piece[0].isdigit() else piece.lower() for piece in PIECE.findall(clause)]


def words(sentence: str) -> list[str]:
    """Of a sentence of English; a number of several words is one."""
    found: list[str] = []
    for word in _WORD.findall(sentence.lower().translate(_SIGNS)):
        unit = NUMBER if word[0].isdigit() or word in _NUMBER_WORDS else word
        if not (unit == NUMBER and found and found[-1] == NUMBER):
            found.append(unit)
    return found


def clauses(text: str, locale: str) -> list[list[str]]:
    """The units of each clause of Chinese, of each sentence of English."""
    if locale == "zh":
        return [units(clause) for clause in CLAUSE.findall(text)]
    return [found for sentence in _SENTENCE_END.split(text) if (found := words(sentence))]


def counted(texts: Iterable[str], locale: str = "zh") -> dict[str, NDArray[Any]]:
    """`units`: UTF-8, one a line, in order. `runs1` … `runs3`: [length, runs] numbers of units, in order; `counts1` …: how often each came."""
    counts: list[Counter[tuple[str, ...]]] = [Counter() for _ in range(ORDER)]
    for text in texts:
        for clause in clauses(text, locale):
            run = (*[BEGIN] * (ORDER - 1), *clause, END)
            for end in range(ORDER, len(run) + 1):
                for length in range(1, ORDER + 1):
                    counts[length - 1][run[end - length : end]] += 1
    names = sorted({unit for (unit,) in counts[0]} | {BEGIN})
    number = {name: place for place, name in enumerate(names)}
    found: dict[str, NDArray[Any]] = {"units": np.frombuffer("\n".join(names).encode(), np.uint8)}
    for length, some in enumerate(counts, 1):
        rows = sorted((tuple(number[unit] for unit in run), count) for run, count in some.items())
        found[f"runs{length}"] = np.array([run for run, _ in rows], np.uint16).T.copy()
        found[f"counts{length}"] = np.array([min(count, 65_535) for _, count in rows], np.uint16)
    return found


class Ngrams:
    """Immutable but for its memory."""

    def __init__(self, arrays: Arrays) -> None:
        self.names: tuple[str, ...] = tuple(arrays["units"].tobytes().decode().split("\n"))
        self._number = {name: number for number, name in enumerate(self.names)}
        self.unknown: Final = len(self.names)
        self._behind = [_Behind(arrays[f"runs{length}"], arrays[f"counts{length}"]) for length in range(1, ORDER + 1)]
        flat = np.full(len(self.names) + 1, UNSEEN)
        self._alone = self._behind[0].smoothed((), np.arange(len(flat)), flat)
        self._behind_one: dict[int, Floats] = {}

    def number(self, unit: str) -> int:
        """`unknown` for what it has not seen."""
        return self._number.get(unit, self.unknown)

    def log_probabilities(self, before: Run, options: Numbers) -> Floats:
        """[options] of each of these units, in ascending order, behind the two before it."""
        last = self._behind_one.get(before[-1])
        if last is None:
            if len(self._behind_one) >= REMEMBERED:
                self._behind_one.clear()
            every = np.arange(len(self._alone))
            last = self._behind_one[before[-1]] = self._behind[1].smoothed(before[-1:], every, self._alone)
        return np.asarray(np.log(self._behind[2].smoothed(before, options, last[options])))

    def of_clause(self, clause: Iterable[str]) -> float:
        """The log-probability of all its units and of its end."""
        likelihood, before = 0.0, (self.number(BEGIN),) * (ORDER - 1)
        for unit in (*clause, END):
            option = np.array([self.number(unit)])
            alone = self._behind[1].smoothed(before[-1:], option, self._alone[option])
            likelihood += float(np.log(self._behind[2].smoothed(before, option, alone)[0]))
            before = (*before[1:], int(option[0]))
        return likelihood


class _Behind:
    """What came behind each run of so many units, and how often."""

    def __init__(self, runs: NDArray[np.uint16], counts: NDArray[np.uint16]) -> None:
        """`runs`: [length, runs], in order."""
        self._last, self._counts = runs[-1].astype(np.int64), counts.astype(np.float64)
        places = runs[:-1].T
        begins = np.flatnonzero(np.r_[True, (places[1:] != places[:-1]).any(axis=1)])
        ends = [*begins[1:].tolist(), len(places)]
        self._spans = {tuple(places[begin].tolist()): (begin, end) for begin, end in zip(begins.tolist(), ends, strict=True)}

    def smoothed(self, before: Run, options: Numbers, shorter: Floats) -> Floats:
        """[options] `shorter`: the probabilities by one unit less of what came before. Options in ascending order."""
        span = self._spans.get(before)
        if span is None:
            return shorter
        seen, counts = self._last[span[0] : span[1]], self._counts[span[0] : span[1]]
        at = np.minimum(np.searchsorted(seen, options), len(seen) - 1)
        came = np.where(seen[at] == options, counts[at], 0.0)
        return np.asarray((came + len(seen) * shorter) / (counts.sum() + len(seen)))


def load_ngrams(locale: str = "zh") -> Ngrams:
    raw = resources.files("ridealong.cloud.frontends.cascade").joinpath(FILES[locale]).read_bytes()
    with np.load(io.BytesIO(raw)) as arrays:
        return Ngrams({name: arrays[name] for name in arrays.files})
