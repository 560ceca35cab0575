"""Rotary positions: a pair of values of a head is turned by an angle that grows with the position.

Half-split pairs, as in the published checkpoints: value i of the first half turns with value i of the second. Angles are float64, so
that positions may grow for as long as a session lasts; products are float32 whatever the type of the values. Source: Su et al. 2021 (arXiv 2104.09864), section 3.4.2. Knows no cache and no layer.
"""

from __future__ import annotations

from functools import lru_cache

import torch
from torch import Tensor

Turn = tuple[Tensor, Tensor]
"""Cosine and sine of a set of positions: [*positions, 1, head_dim / 2], float32. The 1 stands for the heads."""


@lru_cache(maxsize=32)
def frequencies(theta: float, head_dim: int, device: torch.device) -> Tensor:  # [head_dim / 2], float64
    """How fast each pair turns: theta ** (-2i / head_dim), as float32 holds it, which is what models were trained with. Computed on the CPU,
    so that every device gets the same bits."""
    with torch.device("cpu"), torch.inference_mode(False):  # kept, so it must be good for every later caller
        exponents = torch.arange(0, head_dim, 2, dtype=torch.float32) / head_dim
        return (1.0 / theta**exponents).double().to(device)


def turn_to(positions: Tensor, theta: float, head_dim: int) -> Turn:
    """positions: [...] whole numbers, negative ones turn back. Returns the turn from position 0 to each."""
    angles = positions[..., None, None].double() * frequencies(theta, head_dim, positions.device)
    return angles.cos().float(), angles.sin().float()


def turned(x: Tensor, turn: Turn) -> Tensor:  # [*positions, heads, head_dim] -> the same
    """x, each head's pairs turned by `turn`. Turns add up: turned(turned(x, a), b) is x at position a + b."""
    cos, sin = turn
    first, second = x.float().chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1).to(x.dtype)


def moved(keys: Tensor, by: Tensor, theta: float) -> Tensor:
    """Keys that stood at position p as they would stand at p + by: one turn by the difference, not two by the positions.

    keys: [*positions, heads, head_dim]. by: [*positions] or whatever spreads to it.
    """
    return turned(keys, turn_to(by, theta, keys.shape[-1]))
