"""Layers that the language model and the talker share. Knows nothing of what a cache holds, and of a checkpoint's keys only those of `Layer`."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as fn


class RmsNorm(nn.Module):
    """x / root of its mean square, times a learned weight; the mean in float32, the product in x's type. (arXiv 1910.07467)"""

    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width))
        self._eps = eps

    def forward(self, x: Tensor) -> Tensor:  # [..., width] -> the same
        # The weight is applied by itself: within the norm it would be multiplied before the rounding to x's type.
        return self.weight * fn.rms_norm(x.float(), self.weight.shape, None, self._eps).to(x.dtype)


class FeedForward(nn.Module):
    """SwiGLU (arXiv 2002.05202), without biases."""

    def __init__(self, hidden: int, ffn: int) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(hidden, ffn, bias=False)
        self.up_proj = nn.Linear(hidden, ffn, bias=False)
        self.down_proj = nn.Linear(ffn, hidden, bias=False)

    def forward(self, x: Tensor) -> Tensor:  # [..., hidden] -> the same
        return self.down_proj(fn.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nn.Module):
    """Attention, then feed-forward: each behind a norm, and added to what came in. Its attributes are the checkpoint's keys."""

    def __init__(self, attention: nn.Module, hidden: int, ffn: int, norm_eps: float) -> None:
        """attention: called as this layer is, with x normed."""
        super().__init__()
        self.self_attn = attention
        self.mlp = FeedForward(hidden, ffn)
        self.input_layernorm = RmsNorm(hidden, norm_eps)
        self.post_attention_layernorm = RmsNorm(hidden, norm_eps)

    def forward(self, x: Tensor, keys: Tensor, values: Tensor, where: tuple[object, ...]) -> Tensor:
        """x: [batch, rows, hidden] -> the same. keys, values, where: the attention's."""
        x = x + self.self_attn(self.input_layernorm(x), keys, values, where)
        return x + self.mlp(self.post_attention_layernorm(x))


def added(unseen: Tensor, dtype: torch.dtype) -> Tensor:
    """A mask of what is not seen as numbers to add to scores, 0 or -inf: once a step, where attention would do it once a layer."""
    return torch.zeros(unseen.shape, dtype=dtype, device=unseen.device).masked_fill_(unseen, float("-inf"))
