"""The reference's numbers (tests/data/model_golden): cases, tiny weights, and how near is near enough."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor

from ridealong.cloud.model.config import ModelConfig, read_config

GOLDEN = Path(__file__).parents[1] / "data" / "model_golden"
TINY = GOLDEN / "tiny"


@dataclass(frozen=True, slots=True)
class Case:
    """`facts`: the JSON. `tensors`: inputs and expected outputs by name."""

    name: str
    facts: Mapping[str, Any]
    tensors: Mapping[str, Tensor]

    def near(self, got: Tensor, name: str, tolerance: float | None = None) -> None:
        """`got` equals the tensor `name`: whole numbers exactly, others within the case's tolerance."""
        want = self.tensors[name]
        assert tuple(got.shape) == tuple(want.shape), f"{self.name}/{name}: {tuple(got.shape)} for {tuple(want.shape)}"
        if not want.is_floating_point():
            assert torch.equal(got.to(want.dtype), want), f"{self.name}/{name}: whole numbers differ"
            return
        bound = float(self.facts["tolerance"]) if tolerance is None else tolerance
        worst = (got.float() - want.float()).abs().max().item()
        assert worst <= bound, f"{self.name}/{name}: off by {worst:.3g}, allowed {bound:.3g}"


def case(name: str) -> Case:
    path = GOLDEN / "cases" / f"{name}.safetensors"
    facts = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    return Case(name, facts, load_file(path) if path.exists() else {})


def tiny_config() -> ModelConfig:
    return read_config(TINY)


def tiny_weights(prefix: str, file: str = "model.safetensors") -> dict[str, Tensor]:
    """The tiny checkpoint's tensors whose keys begin with `prefix`, without it."""
    return {key.removeprefix(prefix): value for key, value in load_file(TINY / file).items() if key.startswith(prefix)}
