"""Which of several hearings of the same Chinese words was said, and with which characters: 打开前排车床 was 打开前排车窗.

    Spelling(ngrams).best([Hearing("车床", -4.1), Hearing("车船", -4.6)]) -> (number of the hearing, its text)

Each hearing's own likelihood, by the recogniser, and that of its words in the order in which people say them (`ngrams.py`) are added. A character may
be put in the place of another of the same or a near sound, toneless, at a price; numerals are neither changed nor put in, negations are never lost. Everything but Chinese
characters stays as it is. Does not know sound itself, nor what words ask for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ridealong.cloud.frontends.cascade.ngrams import BEGIN, CLAUSE, END, ORDER, PIECE, Floats, Ngrams, Numbers, Run, units
from ridealong.harness.sound import readings, syllables_cost

NUMERALS: Final = frozenset("零一二两三四五六七八九十百千万半")
TURNING: Final = frozenset("不别没勿甭或除非莫")
"""Heard, these stay: without them the words ask for something else."""
CHANGE: Final = 3.0
CHANGE_WHERE_SURE: Final = 10.0
SURE_LOG_PROBABILITY: Final = -0.4
"""What another character costs, in nats, and how much more for each nat of the mean over the hearing's tokens above this: the recogniser was sure."""
CHANGE_PER_COST: Final = 8.0
"""What the distance between the two sounds (0 to 1) costs besides."""
NEAR: Final = 0.45
PER_UNIT: Final = 2.0
"""For each unit: without it the shortest hearing would be the likeliest."""
LOOPED: Final = 3.0
KEPT: Final = 16
"""Spellings that are followed up at each character."""
REMEMBERED_NEAR: Final = 8_192
"""Units of which it is kept what sounds like them."""


@dataclass(frozen=True, slots=True)
class Hearing:
    """`log_probability`: the recogniser's, of all tokens together; `tokens`: how many; `looped`: the decoder repeated itself."""

    text: str
    log_probability: float
    tokens: int = 1
    looped: bool = False


class Spelling:
    """One per process; safe to share between threads."""

    def __init__(self, ngrams: Ngrams) -> None:
        self._ngrams = ngrams
        self._of_sound: dict[str, list[int]] = defaultdict(list)
        for number, name in enumerate(ngrams.names):
            if name not in NUMERALS and (sounds := readings(name) if len(name) == 1 else ()):
                self._of_sound[sounds[0]].append(number)
        self._near: dict[str, tuple[Numbers, Floats]] = {}

    def best(self, hearings: Sequence[Hearing]) -> tuple[int, str]:
        """The number of the likeliest, and how it is written. Raises ValueError where there is none."""
        known: dict[tuple[str, float], tuple[float, list[str]]] = {}  # hearings differ in a clause, or in nothing but commas
        scored = [(*self._spelt(one, known), number) for number, one in enumerate(hearings)]
        _, text, number = max(scored, key=lambda one: one[0])
        return number, text

    def _spelt(self, hearing: Hearing, known: dict[tuple[str, float], tuple[float, list[str]]]) -> tuple[float, str]:
        """How likely it is at its likeliest, and how it is then written."""
        mean = hearing.log_probability / max(hearing.tokens, 1)
        change = CHANGE + CHANGE_WHERE_SURE * max(0.0, mean - SURE_LOG_PROBABILITY)
        score = hearing.log_probability - (LOOPED if hearing.looped else 0.0)
        written: list[str] = []
        at = 0
        for clause in CLAUSE.finditer(hearing.text):
            pieces = PIECE.findall(clause[0])
            if (clause[0], change) not in known:
                known[clause[0], change] = self._clause(units(clause[0]), change)
            likelihood, others = known[clause[0], change]
            score += likelihood + PER_UNIT * len(pieces)
            written += [hearing.text[at : clause.start()], *(other or piece for piece, other in zip(pieces, others, strict=True))]
            at = clause.end()
        return score, "".join([*written, hearing.text[at:]])

    def _clause(self, heard: list[str], change: float) -> tuple[float, list[str]]:
        """The likeliest spelling, by beam search: of each unit what stands in its place, "" where it stays."""
        begin, end = self._ngrams.number(BEGIN), self._ngrams.number(END)
        beam: list[tuple[float, Run]] = [(0.0, (begin,) * (ORDER - 1))]
        for unit in heard:
            options, costs = self._options(unit)
            costs = np.where(costs < 0, 0.0, costs + change)
            places: dict[int, tuple[Floats, list[Run]]] = {}
            for score, path in beam:
                likelihood = score - costs + self._ngrams.log_probabilities(path[1 - ORDER :], options)
                if path[-1] not in places:
                    places[path[-1]] = (likelihood, [path] * len(options))
                    continue
                known, paths = places[path[-1]]  # the same two units in the end: only the likelier counts
                better = likelihood > known
                places[path[-1]] = (
                    np.where(better, likelihood, known),
                    [path if new else old for new, old in zip(better, paths, strict=True)],
                )
            scores = np.concatenate([likelihood for likelihood, _ in places.values()])
            befores = [path for _, paths in places.values() for path in paths]
            kept = np.argsort(-scores, kind="stable")[:KEPT].tolist()
            beam = [(float(scores[at]), (*befores[at], int(options[at % len(options)]))) for at in kept]
        last = np.array([end])
        ended = [(score + float(self._ngrams.log_probabilities(path[1 - ORDER :], last)[0]), path) for score, path in beam]
        best, path = max(ended)
        return best, [self._other(unit, number) for unit, number in zip(heard, path[ORDER - 1 :], strict=True)]

    def _other(self, unit: str, number: int) -> str:
        return "" if number == self._ngrams.number(unit) else self._ngrams.names[number]

    def _options(self, unit: str) -> tuple[Numbers, Floats]:
        """The unit itself, at −1, and the characters that sound like it, each with what the distance costs; in ascending order."""
        found = self._near.get(unit)
        if found is None:
            heard = readings(unit)[:1] if len(unit) == 1 and unit not in NUMERALS | TURNING else ()
            costs: dict[int, float] = {}
            for sound, numbers in self._of_sound.items() if heard else ():
                if (cost := syllables_cost(heard, (sound,))) <= NEAR:
                    costs |= dict.fromkeys(numbers, CHANGE_PER_COST * cost)
            costs[self._ngrams.number(unit)] = -1.0
            order = sorted(costs)
            found = np.array(order, np.int64), np.array([costs[one] for one in order])
            if len(self._near) < REMEMBERED_NEAR:
                self._near[unit] = found
        return found
