"""The vision encoder: the reference's numbers, transformers' layers, and any grid beside any other."""

from __future__ import annotations

import dataclasses

import pytest
import torch
from eyes import from_strip, noise, tiny_eye, tiny_vision
from golden import case, tiny_config, tiny_weights
from torch import Tensor, nn

from ridealong.cloud.model.config import VisionConfig
from ridealong.cloud.model.vision import Grid, Vision, key_mask, padded, position_buckets, position_ids

pytestmark = pytest.mark.model

CPU = torch.device("cpu")


def test_position_buckets_of_every_side() -> None:
    table = case("vision_position_buckets").tensors["buckets"]  # [70, 70]
    for side in range(1, 71):
        assert position_buckets(side, 70).tolist() == table[side - 1, :side].tolist(), f"side {side}"


@pytest.mark.parametrize("side", [71, 82, 314, 1000])
def test_sides_longer_than_the_table(side: int) -> None:
    """Of 2000 x 300 px there are 82 columns. Only a tie may fall one place below the whole number."""
    buckets = position_buckets(side, 70).tolist()
    for index, bucket in enumerate(buckets):
        whole, rest = divmod(70 * index, side)
        assert bucket == whole or (rest == 0 and bucket == whole - 1)


def test_a_padded_batch() -> None:
    golden = case("vision_direct_padded_batch")
    grids = [Grid(*row) for row in golden.tensors["tgt_sizes"].tolist()]
    vision, _ = tiny_eye()
    images = [from_strip(golden.tensors[f"pixels_{index}"], grid) for index, grid in enumerate(grids)]
    ids = [position_ids(grid, 70, CPU) for grid in grids]
    golden.near(padded(torch.cat(ids)[:, None], grids)[..., 0], "position_ids")
    with torch.no_grad():
        states = vision(torch.cat([image.values for image in images]), grids)
    golden.near(states[0], "encoder_last_hidden_0")
    golden.near(states[1, :12], "encoder_last_hidden_1_valid")


def test_nothing_is_masked_where_nothing_is_padded() -> None:
    assert key_mask([Grid(2, 3), Grid(3, 2)], CPU) is None
    mask = key_mask([Grid(2, 3), Grid(1, 4)], CPU)
    assert mask is not None and mask.int().tolist() == [[[[1, 1, 1, 1, 1, 1]]], [[[1, 1, 1, 1, 0, 0]]]]


def test_padding_is_not_seen() -> None:
    vision, _ = tiny_eye()
    small, large = noise(2, 3, seed=1), noise(5, 4, seed=2)
    with torch.no_grad():
        alone = vision(small.values, [small.grid])
        together = vision(torch.cat((large.values, small.values)), [large.grid, small.grid])
    torch.testing.assert_close(together[1, :6], alone[0], atol=1e-5, rtol=0)


def test_layers_of_transformers_agree() -> None:
    siglip = pytest.importorskip("transformers.models.siglip.modeling_siglip")
    transformers = pytest.importorskip("transformers")
    ours = tiny_vision()
    config = transformers.SiglipVisionConfig(hidden_size=24, intermediate_size=48, num_hidden_layers=2, num_attention_heads=2)
    config._attn_implementation = "eager"
    theirs = siglip.SiglipEncoder(config).eval()
    theirs.load_state_dict(tiny_weights("vpm.encoder."))
    states = torch.randn(2, 20, 24, generator=torch.Generator().manual_seed(3))
    mask = key_mask([Grid(4, 5), Grid(3, 3)], CPU)
    assert mask is not None
    added = torch.zeros(2, 1, 20, 20).masked_fill(~mask, torch.finfo(torch.float32).min)
    with torch.no_grad():
        wanted = theirs(inputs_embeds=states, attention_mask=added).last_hidden_state
        torch.testing.assert_close(ours.encoder(states, mask), wanted, atol=1e-5, rtol=0)


def test_embeddings_are_a_convolution_over_the_image() -> None:
    vision, _ = tiny_eye()
    image = noise(3, 5, seed=4)
    pixels = image.values.unflatten(1, (3, 14, 14)).unflatten(0, (3, 5)).permute(2, 0, 3, 1, 4).reshape(1, 3, 42, 70)
    with torch.no_grad():
        wanted = vision.embeddings.patch_embedding(pixels).flatten(2)[0].T
        wanted = wanted + vision.embeddings.position_embedding.weight[position_ids(image.grid, 70, CPU)]
        torch.testing.assert_close(vision.embeddings(image.values, [image.grid]), wanted, atol=1e-5, rtol=0)


def test_bfloat16_is_near() -> None:
    image = noise(4, 4, seed=5)
    with torch.no_grad():
        exact = tiny_eye()[0](image.values, [image.grid])
        near = tiny_vision(torch.bfloat16)(image.values, [image.grid])
    assert near.dtype == torch.bfloat16
    assert (near.float() - exact).abs().mean() < 0.02


def _config() -> VisionConfig:
    config = tiny_config().vision
    assert config is not None
    return config


def test_as_many_layers_as_the_checkpoint_holds() -> None:
    with torch.device("meta"):
        assert len(Vision(_config()).encoder.layers) == 2  # of 3 the last is dropped
        vision = Vision(_config(), layers=1)
    assert len(vision.encoder.layers) == 1
    assert all(value.is_meta for value in vision.state_dict().values()) and not list(vision.buffers())


@pytest.mark.parametrize(("layers", "parameters"), [(27, 417_792_240), (26, 402_552_736)])
def test_full_size_has_the_published_number_of_parameters(layers: int, parameters: int) -> None:
    config = dataclasses.replace(_config(), hidden=1152, ffn=4304, heads=16)
    with torch.device("meta"):
        assert sum(value.numel() for value in Vision(config, layers).parameters()) == parameters


def test_state_dict_has_the_checkpoint_s_keys() -> None:
    assert {key: value.shape for key, value in tiny_vision().state_dict().items()} == {
        key: value.shape for key, value in tiny_weights("vpm.").items()
    }


def test_tables_made_in_inference_serve_training_too() -> None:
    vision, _ = tiny_eye()
    image = noise(6, 11, seed=6)
    with torch.inference_mode():
        vision(image.values, [image.grid])
    states: Tensor = vision(image.values, [image.grid])
    states.sum().backward()
    gradient = vision.post_layernorm.bias.grad
    assert isinstance(gradient, Tensor)
    nn.Module.zero_grad(vision)


@pytest.mark.parametrize("grids", [[], [Grid(2, 2)], [Grid(2, 3), Grid(1, 1)]])
def test_patches_must_fill_their_grids(grids: list[Grid]) -> None:
    with pytest.raises(ValueError, match="patches in all were given 6 patches"):
        tiny_eye()[0](noise(2, 3, seed=7).values, grids)
