"""Sees patches: a SigLIP encoder over grids of any shape (spec: model.md 1.2). Attribute names are the checkpoint's keys under `vpm.`.

    patches of several images, packed -> embeddings -> padded to the longest -> layers -> states

Does not know: what an image file is, how an image was cut, or what the states are for.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from ridealong.cloud.model.config import VisionConfig

CHANNELS: Final = 3
_LANES: Final = 8


class Grid(NamedTuple):
    """How many patches high and wide an image is. Its patches are numbered row by row."""

    rows: int
    columns: int

    @property
    def patches(self) -> int:
        return self.rows * self.columns


class Patches(NamedTuple):
    """An image, or a tile of one, as the encoder takes it."""

    values: Tensor  # [grid.patches, 3 * patch * patch] in -1..1; a patch is channel by channel, row by row
    grid: Grid


def position_buckets(side: int, table_side: int) -> Tensor:  # [side], whole numbers on the CPU
    """Which of the `table_side` learned positions each of `side` patches takes.

    The patch's place i/side is looked up among the edges k/table_side, in float32. Where the two are the same number, rounding
    decides, and the weights were trained with what the reference's range function yields: a step rounded to float32, and
    sums formed in runs of eight. It is done here by hand, since the range function itself rounds differently on other machines.
    """
    step = (1 / torch.tensor(side, dtype=torch.float32, device="cpu")).double()
    index = torch.arange(side, device="cpu")
    lane = index % _LANES
    run = ((index - lane).double() * step).float().double()
    in_runs = index < side - side % _LANES
    places = torch.where(in_runs, run + lane.double() * step, index.double() * step).float()
    edges = (torch.arange(1, table_side, dtype=torch.float64, device="cpu") / table_side).float()
    return torch.bucketize(places, edges, right=True)


@lru_cache(maxsize=256)
def position_ids(grid: Grid, table_side: int, device: torch.device) -> Tensor:  # [grid.patches]
    """Rows of the learned position table for a grid's patches."""
    with torch.inference_mode(False):  # kept, so it must be good for every later caller
        rows = position_buckets(grid.rows, table_side)
        columns = position_buckets(grid.columns, table_side)
        return (rows[:, None] * table_side + columns).flatten().to(device)


def key_mask(grids: Sequence[Grid], device: torch.device) -> Tensor | None:  # [images, 1, 1, longest], True: a patch
    """Which keys of a padded batch are patches. None where nothing is padded."""
    lengths = [grid.patches for grid in grids]
    if min(lengths) == max(lengths):
        return None
    ends = torch.tensor(lengths, device=device)
    return (torch.arange(max(lengths), device=device) < ends[:, None])[:, None, None]


def padded(packed: Tensor, grids: Sequence[Grid]) -> Tensor:  # [all patches, n] -> [images, longest, n]
    lengths = [grid.patches for grid in grids]
    if min(lengths) == max(lengths):
        return packed.view(len(lengths), lengths[0], packed.shape[-1])
    return pad_sequence(packed.split(lengths), batch_first=True)


class Vision(nn.Module):
    """`layers`: how many the checkpoint holds (count them in its index); without it, what the configuration says."""

    def __init__(self, config: VisionConfig, layers: int | None = None) -> None:
        super().__init__()
        self.embeddings = Embeddings(config)
        self.encoder = Encoder(config, config.layers - config.drop_last_layer if layers is None else layers)
        self.post_layernorm = nn.LayerNorm(config.hidden, eps=config.norm_eps)

    @property
    def device(self) -> torch.device:
        return self.post_layernorm.weight.device

    def forward(self, packed: Tensor, grids: Sequence[Grid]) -> Tensor:
        """[all patches, 3 * patch * patch], of the images one after another -> [images, longest, hidden].

        Rows of an image beyond its own number of patches are rubbish. Raises `ValueError` where the numbers of patches differ.
        """
        total = sum(grid.patches for grid in grids)
        if not grids or packed.shape[0] != total:
            raise ValueError(f"{len(grids)} grids of {total} patches in all were given {packed.shape[0]} patches")
        states = padded(self.embeddings(packed, grids), grids)
        return self.post_layernorm(self.encoder(states, key_mask(grids, states.device)))


class Embeddings(nn.Module):
    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.table_side = config.positions_side
        self.patch_embedding = nn.Conv2d(CHANNELS, config.hidden, config.patch, config.patch)
        self.position_embedding = nn.Embedding(config.positions_side**2, config.hidden)

    def forward(self, packed: Tensor, grids: Sequence[Grid]) -> Tensor:  # -> [all patches, hidden]
        weight = self.patch_embedding.weight  # [hidden, 3, patch, patch]: over one patch a convolution is a linear map
        ids = torch.cat([position_ids(grid, self.table_side, weight.device) for grid in grids])
        states = F.linear(packed.to(weight.device, weight.dtype), weight.flatten(1), self.patch_embedding.bias)
        return states + self.position_embedding(ids)


class Encoder(nn.Module):
    def __init__(self, config: VisionConfig, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer(config) for _ in range(layers))

    def forward(self, states: Tensor, mask: Tensor | None) -> Tensor:  # [images, longest, hidden], [images, 1, 1, longest]
        for layer in self.layers:
            states = layer(states, mask)
        return states


class Layer(nn.Module):
    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.layer_norm1 = nn.LayerNorm(config.hidden, eps=config.norm_eps)
        self.self_attn = Attention(config)
        self.layer_norm2 = nn.LayerNorm(config.hidden, eps=config.norm_eps)
        self.mlp = Mlp(config)

    def forward(self, states: Tensor, mask: Tensor | None) -> Tensor:  # [images, longest, hidden]
        states = states + self.self_attn(self.layer_norm1(states), mask)
        return states + self.mlp(self.layer_norm2(states))


class Attention(nn.Module):
    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.q_proj = nn.Linear(config.hidden, config.hidden)
        self.k_proj = nn.Linear(config.hidden, config.hidden)
        self.v_proj = nn.Linear(config.hidden, config.hidden)
        self.out_proj = nn.Linear(config.hidden, config.hidden)

    def forward(self, states: Tensor, mask: Tensor | None) -> Tensor:  # [images, longest, hidden]
        query, key, value = (
            project(states).unflatten(-1, (self.heads, -1)).transpose(1, 2)  # [images, heads, longest, head_dim]
            for project in (self.q_proj, self.k_proj, self.v_proj)
        )
        seen = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return self.out_proj(seen.transpose(1, 2).flatten(2))


class Mlp(nn.Module):
    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.fc1 = nn.Linear(config.hidden, config.ffn)
        self.fc2 = nn.Linear(config.ffn, config.hidden)

    def forward(self, states: Tensor) -> Tensor:  # [images, longest, hidden]
        return self.fc2(F.gelu(self.fc1(states), approximate="tanh"))
