"""The mean of several low-rank changes is theirs, as far as the rank goes."""

import runpy
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.unit

mean_of = runpy.run_path(str(Path(__file__).parents[2] / "tools/mean_of_tunings.py"))["mean_of"]


def test_with_rank_enough_nothing_is_lost() -> None:
    random = np.random.default_rng(1)
    factors = [(random.normal(size=(3, 12)).astype(np.float32), random.normal(size=(9, 3)).astype(np.float32)) for _ in range(2)]
    a, b, lost = mean_of(factors, 6)
    assert (a.shape, b.shape) == ((6, 12), (9, 6)) and lost < 1e-9
    assert np.allclose(b @ a, sum(other @ one for one, other in factors) / 2, atol=1e-4)


def test_with_less_the_most_stays() -> None:
    random = np.random.default_rng(2)
    factors = [(random.normal(size=(3, 12)).astype(np.float32), random.normal(size=(9, 3)).astype(np.float32)) for _ in range(2)]
    a, b, lost = mean_of(factors, 2)
    mean = sum(other @ one for one, other in factors) / 2
    assert 0 < lost < 1 and abs(float(((b @ a - mean) ** 2).sum() / (mean**2).sum()) - lost) < 1e-3
