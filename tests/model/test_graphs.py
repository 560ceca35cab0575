"""What holds of captured steps: they read the tensors of their capture, for as long as they are replayed. Stand-ins for CUDA's graphs."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from test_engine import SETTINGS, engine, unit
from torch import Tensor

from ridealong.cloud.model import graphs
from ridealong.cloud.model.engine import Engine
from ridealong.cloud.model.sampling import Knobs

pytestmark = pytest.mark.model


def says(made: Engine, **decoding: Any) -> list[str]:
    made.open(0, replace(SETTINGS, seed=5, decoding=replace(SETTINGS.decoding, **decoding)))
    words = [made.run({0: unit(5, second)})[0].words for second in range(3)]
    made.close(0)
    return words


def test_a_step_that_is_replayed_reads_the_settings_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a graph does, `Bound` runs with the tensors that were there when it was made."""
    made = engine(slots=1)

    class Bound(graphs.Captured):
        def __init__(self, step: graphs.Step, inputs: tuple[Tensor, ...], restore: tuple[Tensor, ...], *, graph: bool) -> None:
            self.knobs = made.thinking._knobs
            super().__init__(step, inputs, restore, graph=graph)

        def __call__(self, *inputs: Tensor) -> tuple[Tensor, ...]:
            now = made.thinking._knobs
            made.thinking._knobs = self.knobs
            try:
                return super().__call__(*inputs)
            finally:
                made.thinking._knobs = now

    monkeypatch.setattr(graphs, "Captured", Bound)
    says(made)
    says(made, top_k=100)
    captured = set(made.thinking._graphs._known.values())
    greedy = says(made, greedy=True)
    assert len(captured) == 2 and set(made.thinking._graphs._known.values()) == captured
    assert greedy == says(engine(slots=1), greedy=True)
    assert greedy != says(engine(slots=1))


def test_the_settings_tensors_are_never_others() -> None:
    made = engine(slots=2)
    columns = [field.name for field in fields(Knobs) if field.name != "most"]
    before = [getattr(made.thinking._knobs, name).data_ptr() for name in columns]
    for top_k in (100, 20, 0, 3):
        made.open(1, replace(SETTINGS, decoding=replace(SETTINGS.decoding, top_k=top_k, temperature=1, greedy=True)))
        made.close(1)
        knobs = made.thinking._knobs
        assert [getattr(knobs, name).data_ptr() for name in columns] == before
        assert (int(knobs.top_k[1]) == top_k or top_k == 0) and bool(knobs.greedy[1]) and float(knobs.temperature[1]) == 1.0
    assert made.thinking._knobs.most == 20, "the other place's setting counts, too"
