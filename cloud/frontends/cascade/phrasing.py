"""Which of several hearings of the same English words was said: "Timer for 10 minutes", not "Time for 10 minutes".

    Phrasing(ngrams).best([Hearing("Pop the boots.", -3.0), Hearing("Pop the boot.", -3.6)]) -> 1

Each hearing's own likelihood, by the recogniser, and that of its words in the order in which people say them (`ngrams.py`) are added, the
latter at a weight. Numbers are all alike: which one was said is for the recogniser alone. Nothing is put in the place of what was heard. Does not know
sounds, nor what words ask for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ridealong.cloud.frontends.cascade.ngrams import Ngrams, clauses
from ridealong.cloud.frontends.cascade.spelling import LOOPED, Hearing

WEIGHT: Final = 0.5
"""Of how people put things, beside the recogniser's own."""


class Phrasing:
    """One per process; safe to share between threads."""

    def __init__(self, ngrams: Ngrams) -> None:
        self._ngrams = ngrams

    def best(self, hearings: Sequence[Hearing]) -> int:
        """The number of the likeliest. Raises ValueError where there is none."""
        scores = [self._score(one) for one in hearings]
        return scores.index(max(scores))

    def _score(self, hearing: Hearing) -> float:
        put = sum(self._ngrams.of_clause(clause) for clause in clauses(hearing.text, "en"))
        return hearing.log_probability + WEIGHT * put - (LOOPED if hearing.looped else 0.0)
