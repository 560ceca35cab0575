"""From images to rows: the reference's numbers, and a batch of many is many of one."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pytest
import torch
from eyes import from_strip, noise, tiny_eye, tiny_resampler, tiny_vision
from golden import case, tiny_config
from PIL import Image
from torch import Tensor

from ridealong.cloud.model.config import ResamplerConfig
from ridealong.cloud.model.eye import look
from ridealong.cloud.model.images import cut
from ridealong.cloud.model.resampler import Resampler
from ridealong.cloud.model.vision import Grid, Patches, Vision

pytestmark = pytest.mark.model


def _look(images: Sequence[Patches], batch: int = 16) -> Tensor:
    return look(*tiny_eye(), images, batch)


def test_one_image() -> None:
    golden = case("vision_single_448")
    overview = cut(Image.fromarray(golden.tensors["image_u8"].numpy()), tiny_config().image).overview
    with torch.no_grad():
        golden.near(tiny_eye()[0](overview.values, [overview.grid]), "encoder_last_hidden")
    golden.near(_look([overview]), "resampler_out")


def test_an_image_in_tiles() -> None:
    golden = case("vision_multislice")
    pixels = golden.tensors["image_lowres_u8"].repeat_interleave(10, 0).repeat_interleave(10, 1)
    parts = cut(Image.fromarray(pixels.numpy()), dataclasses.replace(tiny_config().image, max_slices=9)).parts
    grids = [part.grid for part in parts]
    with torch.no_grad():
        states = tiny_eye()[0](torch.cat([part.values for part in parts]), grids)[:, ::16]
    wanted = golden.tensors["encoder_last_hidden_every_16th_patch"]
    for index, grid in enumerate(grids):
        kept = -(-grid.patches // 16)  # rows after these are padding
        worst = (states[index, :kept] - wanted[index, :kept]).abs().max().item()
        assert worst <= golden.facts["tolerance"], f"part {index}: off by {worst:.3g}"
    golden.near(_look(parts)[:, ::4], "resampler_out_every_4th_query")


def test_two_grids_side_by_side() -> None:
    golden = case("vision_direct_padded_batch")
    grids = [Grid(*row) for row in golden.tensors["tgt_sizes"].tolist()]
    images = [from_strip(golden.tensors[f"pixels_{index}"], grid) for index, grid in enumerate(grids)]
    golden.near(_look(images)[:, ::4], "resampler_out_every_4th_query")


GRIDS = [(3, 4), (4, 3), (2, 5), (6, 6), (1, 1), (3, 4), (12, 1), (2, 72)]


@pytest.mark.parametrize("batch", [1, 3, 16])
def test_a_batch_is_its_images_one_by_one(batch: int) -> None:
    images = [noise(rows, columns, seed) for seed, (rows, columns) in enumerate(GRIDS)]
    rows = _look(images, batch)
    assert rows.shape == (len(GRIDS), 64, 256)
    for image, got in zip(images, rows, strict=True):
        torch.testing.assert_close(got, _look([image])[0], atol=1e-5, rtol=0)


def test_at_most_a_batch_runs_at_once() -> None:
    vision, resampler = tiny_vision(), tiny_eye()[1]
    seen: list[int] = []
    vision.register_forward_pre_hook(lambda _module, given: seen.append(len(given[1])))
    look(vision, resampler, [noise(2, 2, seed) for seed in range(7)], 3)
    assert seen == [3, 3, 1]


def test_nothing_is_read_back_from_the_device() -> None:
    """The meta device has shapes and no values: whatever reads one raises. At full size, as it costs nothing."""
    config = tiny_config().vision
    assert config is not None
    with torch.device("meta"):
        vision = Vision(dataclasses.replace(config, hidden=1152, ffn=4304, heads=16), layers=2)
        resampler = Resampler(ResamplerConfig(queries=64, hidden=4096, heads=32, vision_hidden=1152))
    images = [noise(24, 43, 1), noise(28, 37, 2), noise(24, 43, 3)]
    rows = look(vision, resampler, images, 16)
    assert rows.is_meta and rows.shape == (3, 64, 4096)


def test_bfloat16() -> None:
    images = [noise(3, 4, 1), noise(5, 5, 2)]
    near = look(tiny_vision(torch.bfloat16), tiny_resampler(torch.bfloat16), images, 16)
    exact = _look(images)
    assert near.dtype == torch.bfloat16
    assert (near.float() - exact).abs().mean() < 0.03 * exact.abs().mean()


def test_no_images() -> None:
    assert _look([]).shape == (0, 64, 256)


@pytest.mark.parametrize("grid", [Grid(2, 2), Grid(0, 6), Grid(6, 6)])
def test_an_image_that_does_not_fill_its_grid_is_named(grid: Grid) -> None:
    with pytest.raises(ValueError, match=f"a grid of {grid.rows} x {grid.columns} was given 6 patches"):
        _look([noise(3, 4, 1), Patches(noise(2, 3, 2).values, grid)])
