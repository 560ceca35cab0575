"""The weights of a scored combination, in one readable file: a row for each input, a column for each class.

    score(class) = sum over inputs of input x weight;   probability = softmax of the scores

Does not know where the inputs come from or what follows from a probability. `tools/tune_judge.py` writes the file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

import yaml


@dataclass(frozen=True, slots=True)
class Table:
    """`weights[input][class]`; an input that has no row has no say."""

    classes: tuple[str, ...]
    weights: Mapping[str, Mapping[str, float]]

    def scores(self, inputs: Mapping[str, float]) -> dict[str, float]:
        total = dict.fromkeys(self.classes, 0.0)
        for name, value in inputs.items():
            row = self.weights.get(name)
            if row is not None and value:
                for one in self.classes:
                    total[one] += value * row.get(one, 0.0)
        return total

    def probabilities(self, inputs: Mapping[str, float]) -> dict[str, float]:
        scores = self.scores(inputs)
        top = max(scores.values())
        powers = {one: math.exp(score - top) for one, score in scores.items()}
        whole = sum(powers.values())
        return {one: power / whole for one, power in powers.items()}


@dataclass(frozen=True, slots=True)
class Weights:
    """`kinds` judges overlaps; `intents` sorts interruptions. The thresholds are probabilities: of an interruption (at the end, and to say
    so early), and of anything else (to say so early). `prior`: added to a class's score."""

    kinds: Table
    intents: Table
    early_interruption: float
    early_other: float
    interruption: float
    prior: Mapping[str, float]


def load_weights() -> Weights:
    """The committed table. Raises ValueError when it is not one (a mistake of ours, caught by a test)."""
    raw = yaml.safe_load(resources.files(__package__).joinpath("weights.yaml").read_text(encoding="utf-8"))
    thresholds = raw["thresholds"]
    return Weights(
        _table(raw["kinds"]), _table(raw["intents"]), float(thresholds["early_interruption"]), float(thresholds["early_other"]),
        float(thresholds["interruption"]), {name: float(value) for name, value in raw["prior"].items()},
    )  # fmt: skip


def _table(raw: Mapping[str, Mapping[str, float]]) -> Table:
    classes = tuple(next(iter(raw.values())))
    for name, row in raw.items():
        if tuple(row) != classes:
            raise ValueError(f"the row {name} has the columns {tuple(row)}, not {classes}")
    return Table(classes, {name: {one: float(weight) for one, weight in row.items()} for name, row in raw.items()})
