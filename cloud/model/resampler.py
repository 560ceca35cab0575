"""Sums up what was seen: any number of patches -> a fixed number of rows for the language model (spec: model.md 1.4).

Learned queries attend once to the encoder's states. Keys carry a 2-D sine and cosine position, values none. Attribute names are the
checkpoint's keys under `resampler.`. Does not know: images, and where its rows are put.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ridealong.cloud.model.config import ResamplerConfig
from ridealong.cloud.model.vision import Grid, key_mask, padded


@lru_cache(maxsize=16)
def _codes(side: int, width: int, dtype: torch.dtype, device: torch.device) -> Tensor:  # [side, width]
    """Of the places 0..side-1: width/2 sines, then their cosines, of place * 10000^(-i / (width/2))."""
    with torch.inference_mode(False):  # kept, so it must be good for every later caller
        half = width // 2
        speeds = 10_000.0 ** -(torch.arange(half, dtype=torch.float64, device="cpu") / half)
        angles = torch.arange(side, dtype=torch.float64, device="cpu")[:, None] * speeds
        return torch.cat((angles.sin(), angles.cos()), dim=1).float().to(device, dtype)


def position_table(grid: Grid, width: int, dtype: torch.dtype, device: torch.device, grid_side: int = 70) -> Tensor:
    """-> [rows, columns, width]: the first half tells the column, the second the row. Grows in steps of `grid_side`."""
    longest = max(grid)
    codes = _codes(longest + -longest % grid_side, width // 2, dtype, device)
    along = codes[: grid.columns].expand(grid.rows, -1, -1)
    down = codes[: grid.rows, None].expand(-1, grid.columns, -1)
    return torch.cat((along, down), dim=-1)


class Resampler(nn.Module):
    """Keys as under `resampler.` of a checkpoint; see the module."""

    def __init__(self, config: ResamplerConfig) -> None:
        super().__init__()
        self.grid_side = config.grid_side
        self.query = nn.Parameter(torch.empty(config.queries, config.hidden))
        self.kv_proj = nn.Linear(config.vision_hidden, config.hidden, bias=False)
        self.attn = CrossAttention(config.hidden, config.heads)
        self.ln_q = nn.LayerNorm(config.hidden, eps=config.norm_eps)
        self.ln_kv = nn.LayerNorm(config.hidden, eps=config.norm_eps)
        self.ln_post = nn.LayerNorm(config.hidden, eps=config.norm_eps)
        self.proj = nn.Parameter(torch.empty(config.hidden, config.hidden))

    @property
    def queries(self) -> int:
        return int(self.query.shape[0])

    def forward(self, states: Tensor, grids: Sequence[Grid]) -> Tensor:
        """[images, longest, vision_hidden] -> [images, queries, hidden]. `grids`: one an image; rows beyond a grid are not read.

        Raises `ValueError` where `states` can't be those of `grids`.
        """
        longest = max((grid.patches for grid in grids), default=0)
        if states.shape[:2] != (len(grids), longest):
            raise ValueError(f"{len(grids)} grids of at most {longest} patches were given states of {tuple(states.shape)}")
        values = self.ln_kv(self.kv_proj(states))  # [images, longest, hidden]
        rows = self.attn(self.ln_q(self.query), values + self._positions(values, grids), values, key_mask(grids, values.device))
        return self.ln_post(rows) @ self.proj

    def _positions(self, like: Tensor, grids: Sequence[Grid]) -> Tensor:  # [images or 1, longest, hidden]
        grids = grids[:1] if len(set(grids)) == 1 else grids
        tables = [position_table(grid, like.shape[-1], like.dtype, like.device, self.grid_side).flatten(0, 1) for grid in grids]
        return padded(torch.cat(tables), grids)


class CrossAttention(nn.Module):
    """The same queries for every image. Projections of query, key and value lie one below another in `in_proj_*`."""

    def __init__(self, hidden: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * hidden, hidden))
        self.in_proj_bias = nn.Parameter(torch.empty(3 * hidden))
        self.out_proj = nn.Linear(hidden, hidden)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> Tensor:
        """[queries, hidden], twice [images, longest, hidden], [images, 1, 1, longest] -> [images, queries, hidden]"""
        query, keys, values = (
            F.linear(rows, weight, bias).unflatten(-1, (self.heads, -1)).transpose(-3, -2)  # [.., heads, rows, head_dim]
            for rows, weight, bias in zip(
                (query, keys, values), self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3), strict=True
            )
        )
        seen = F.scaled_dot_product_attention(query.expand(keys.shape[0], -1, -1, -1), keys, values, attn_mask=mask)
        return self.out_proj(seen.transpose(1, 2).flatten(2))
