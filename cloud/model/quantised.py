"""Weights of the language model's layers in 8 bits: half the memory of bfloat16, a number of its own for each row to scale it by.

    W [out, in] ~ q [out, in] * scale [out];    |W - q * scale| is at most half a step of the row

int8: steps are even, the largest of a row is 127. fp8 (e4m3): steps grow with the value, the largest is 448. Only the linears inside the
layers; embeddings, norms and the head keep their type, since the head decides between listening and speaking (spec model.md 6, 11).
Activations keep their type too. A weight is widened as it is used, except for few rows of bfloat16 and int8 on a CPU, where torch has a
kernel that needn't: on a GPU this saves memory and costs time, until there is such a kernel. Never run on a GPU, and no real checkpoint was compared by what it says.
"""

from __future__ import annotations

import re
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from ridealong.cloud.model.language import Language
from ridealong.errors import UserError

KINDS: Final = ("int8", "fp8")
_PACKED_ROWS: Final = 16
"""Up to so many rows torch's int8 kernel of the CPU is the faster way (measured: 16 times at 1 row, a third at 90)."""
_LARGEST: Final = {torch.int8: 127.0, torch.float8_e4m3fn: 448.0}


def rounded(weight: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """weight: [out, in] -> the same in 8 bits, and scale [out] float32. A row of zeros stays zeros."""
    wide = weight.float()
    scale = wide.abs().amax(1) / _LARGEST[dtype]
    steps = wide / scale.clamp(min=1e-30)[:, None]
    return (steps.round() if dtype == torch.int8 else steps).to(dtype), scale


class QuantisedLinear(nn.Module):
    """In a linear's place; without a bias, as all of them here are."""

    def __init__(self, weight: Tensor, dtype: torch.dtype) -> None:
        super().__init__()
        small, scale = rounded(weight, dtype)
        self.register_buffer("weight", small)  # [out, in]
        self.register_buffer("scale", scale.to(weight.dtype))  # [out]
        self._packed = dtype == torch.int8 and weight.device.type == "cpu" and weight.dtype == torch.bfloat16

    def forward(self, x: Tensor) -> Tensor:  # [..., in] -> [..., out]
        if self._packed and x[..., 0].numel() <= _PACKED_ROWS:
            return torch._weight_int8pack_mm(x.reshape(-1, x.shape[-1]), self.weight, self.scale).view(*x.shape[:-1], -1)
        return fn.linear(x, self.weight.to(x.dtype)) * self.scale.to(x.dtype)


_OF_LAYERS: Final = re.compile(r"llm\.model\.layers\.\d+\.(?:self_attn|mlp)\.\w+_proj\.weight")


def is_quantised(key: str) -> bool:
    """Whether the tensor of that name in a checkpoint becomes one of 8 bits."""
    return _OF_LAYERS.fullmatch(key) is not None


@torch.no_grad()
def quantise(model: Language, kind: str, device: torch.device | str | None = None) -> tuple[int, int]:
    """Replaces the layers' linears, one after another. Returns their bytes before and after. Raises `UserError` for another kind.

    device: where they are wanted, so that wide ones never lie there together; None: where they are.
    """
    if kind not in KINDS:
        raise UserError(f"quantise can be {' or '.join(KINDS)}; it is {kind!r}.")
    dtype = torch.int8 if kind == "int8" else torch.float8_e4m3fn
    before = after = 0
    for layer in model.model.layers:
        for part in (layer.self_attn, layer.mlp):
            for name, linear in list(part.named_children()):
                if isinstance(linear, nn.Linear):
                    small = QuantisedLinear(linear.weight.to(device), dtype)
                    setattr(part, name, small)
                    before += linear.weight.nbytes
                    after += small.weight.nbytes + small.scale.nbytes
    return before, after
