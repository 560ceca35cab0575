"""The tiny checkpoint's vision encoder and resampler, and patches that stand for images."""

from __future__ import annotations

from functools import cache

import torch
from golden import tiny_config, tiny_weights
from torch import Tensor

from ridealong.cloud.model.resampler import Resampler
from ridealong.cloud.model.vision import Grid, Patches, Vision

PATCH = 14


def tiny_vision(dtype: torch.dtype = torch.float32) -> Vision:
    config = tiny_config().vision
    assert config is not None
    weights = {key: value.to(dtype) for key, value in tiny_weights("vpm.").items()}
    with torch.device("meta"):
        vision = Vision(config)
    vision.load_state_dict(weights, assign=True)
    return vision.eval()


def tiny_resampler(dtype: torch.dtype = torch.float32) -> Resampler:
    config = tiny_config().resampler
    assert config is not None
    weights = {key: value.to(dtype) for key, value in tiny_weights("resampler.").items()}
    with torch.device("meta"):
        resampler = Resampler(config)
    resampler.load_state_dict(weights, assign=True)
    return resampler.eval()


@cache
def tiny_eye() -> tuple[Vision, Resampler]:
    return tiny_vision(), tiny_resampler()


def from_strip(strip: Tensor, grid: Grid) -> Patches:
    """[3, 14, 14 * patches], patches side by side as the reference lays them -> as ours."""
    return Patches(strip.unflatten(2, (-1, PATCH)).permute(2, 0, 1, 3).flatten(1), grid)


def to_strip(patches: Patches) -> Tensor:  # [3, 14, 14 * patches]
    return patches.values.unflatten(1, (3, PATCH, PATCH)).permute(1, 2, 0, 3).flatten(2)


def noise(rows: int, columns: int, seed: int) -> Patches:
    generator = torch.Generator().manual_seed(seed)
    return Patches(torch.rand(rows * columns, 3 * PATCH * PATCH, generator=generator) * 2 - 1, Grid(rows, columns))
