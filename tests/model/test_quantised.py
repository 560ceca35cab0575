"""Weights in 8 bits: how far off they may be, what they save, and that only the layers' linears are touched."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from checkpoints import tiny_folder
from torch import nn

from ridealong.cloud.model.kv_cache import KvCache
from ridealong.cloud.model.model import LoadedModel, load_model
from ridealong.cloud.model.quantised import KINDS, QuantisedLinear, rounded
from ridealong.errors import UserError

pytestmark = pytest.mark.model
TYPES = {"int8": torch.int8, "fp8": torch.float8_e4m3fn}


def loaded(kind: str | None, dtype: torch.dtype = torch.float32) -> LoadedModel:
    return load_model(Path(tiny_folder()), dtype=dtype, quantise=kind)


@pytest.mark.parametrize("kind", KINDS)
def test_a_weight_is_off_by_half_a_step_at_most(kind: str) -> None:
    draws = torch.Generator().manual_seed(1)
    weight = torch.randn(64, 96, generator=draws) * torch.logspace(-6, 3, 64)[:, None]  # rows of very different sizes
    weight[5] = 0.0
    weight[7, 3] = 1e4  # one value far above its row
    small, scale = rounded(weight, TYPES[kind])
    off = (small.float() * scale[:, None] - weight).abs()
    even = scale[:, None] / 2  # int8: steps are the row's largest / 127
    grown = torch.maximum(weight.abs() / 16, scale[:, None] * 2**-10)  # fp8: three bits after the first, or the least step
    assert bool((off <= (even if kind == "int8" else grown) * 1.001).all())
    assert not off[5].any() and bool(torch.isfinite(small.float()).all())


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("rows", [1, 40])
@pytest.mark.parametrize("kind", KINDS)
def test_a_linear_is_that_of_its_rounded_weight(kind: str, rows: int, dtype: torch.dtype) -> None:
    draws = torch.Generator().manual_seed(2)
    weight, x = torch.randn(32, 64, generator=draws).to(dtype), torch.randn(rows, 64, generator=draws).to(dtype)
    linear = QuantisedLinear(weight, TYPES[kind])
    want = x.float() @ (linear.weight.float() * linear.scale.float()[:, None]).T
    assert linear(x).dtype == dtype and linear(x).shape == (rows, 32)
    torch.testing.assert_close(linear(x).float(), want, **({"atol": 0.2, "rtol": 0.02} if dtype == torch.bfloat16 else {}))
    torch.testing.assert_close(linear(x[None])[0], linear(x))


@pytest.mark.parametrize(("kind", "most"), [("int8", 0.02), ("fp8", 0.08)])
def test_states_of_a_loaded_model_stay_near(kind: str, most: float) -> None:
    states = []
    for one in (loaded(None), loaded(kind)):
        model = one.module.llm
        ids = torch.arange(30)[None] + 20
        cache = KvCache.empty(model.config, 1, 64)
        with torch.inference_mode():
            states.append(model(model.embed(ids), cache, torch.tensor([0]), torch.tensor([30])))
    assert float((states[1] - states[0]).norm() / states[0].norm()) < most


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_layers_change_and_they_halve(kind: str) -> None:
    plain, made = loaded(None, torch.bfloat16), loaded(kind, torch.bfloat16)
    assert any(f"layers are {kind}" in remark for remark in made.remarks)
    small = [part for part in made.module.llm.model.layers.modules() if isinstance(part, QuantisedLinear)]
    assert len(small) == 7 * plain.config.language.layers
    before = sum(part.weight.nbytes for part in plain.module.llm.model.layers.modules() if isinstance(part, nn.Linear))
    after = sum(part.weight.nbytes + part.scale.nbytes for part in small)
    assert 0.5 <= after / before < 0.52
    for name in ("lm_head.weight", "model.embed_tokens.weight", "model.norm.weight"):
        assert torch.equal(made.module.llm.get_parameter(name), plain.module.llm.get_parameter(name))
    assert not any(isinstance(part, QuantisedLinear) for part in made.module.tts.modules())


def test_another_kind_is_a_sentence() -> None:
    with pytest.raises(UserError, match="int8 or fp8"):
        loaded("int4")
