"""The resampler: the reference's numbers, torch's own attention, and grids that outgrow the table."""

from __future__ import annotations

import pytest
import torch
from eyes import tiny_eye, tiny_resampler
from golden import case, tiny_config, tiny_weights
from torch import Tensor, nn

from ridealong.cloud.model.config import ResamplerConfig
from ridealong.cloud.model.resampler import Resampler, position_table
from ridealong.cloud.model.vision import Grid, key_mask

pytestmark = pytest.mark.model

CPU = torch.device("cpu")


def _table(rows: int, columns: int, width: int) -> Tensor:
    return position_table(Grid(rows, columns), width, torch.float32, CPU)


def test_position_table() -> None:
    golden = case("resampler_pos_table")
    golden.near(_table(32, 32, 32), "table_d32_32x32")
    golden.near(_table(10, 20, 64), "table_d64_10x20")
    index = torch.arange(70)
    golden.near(_table(70, 70, 256)[index, 69 - index], "model_table_d256_at_row_i_col_69_minus_i")


def test_the_table_grows() -> None:
    large = _table(12, 286, 64)
    assert large.shape == (12, 286, 64)
    assert torch.equal(large[:, :70], _table(12, 70, 64))


def _states(images: int, longest: int, seed: int) -> Tensor:
    return torch.randn(images, longest, 24, generator=torch.Generator().manual_seed(seed))


def test_attention_of_torch_agrees() -> None:
    ours = tiny_eye()[1]
    theirs = nn.MultiheadAttention(256, 2, batch_first=True)
    theirs.load_state_dict(tiny_weights("resampler.attn."))
    grids = [Grid(3, 4), Grid(2, 3)]
    mask = key_mask(grids, CPU)
    assert mask is not None
    values = torch.randn(2, 12, 256, generator=torch.Generator().manual_seed(1))
    keys = values + torch.randn(2, 12, 256, generator=torch.Generator().manual_seed(2))
    query = ours.ln_q(ours.query)
    with torch.no_grad():
        wanted, _ = theirs(query.expand(2, -1, -1), keys, values, key_padding_mask=~mask[:, 0, 0])
        torch.testing.assert_close(ours.attn(query, keys, values, mask), wanted, atol=1e-5, rtol=0)


def test_padding_is_not_read() -> None:
    resampler, grids = tiny_eye()[1], [Grid(3, 4), Grid(2, 3)]
    states = _states(2, 12, seed=3)
    other = states.clone()
    other[1, 6:] = 1e3
    with torch.no_grad():
        rows = resampler(states, grids)
        assert torch.equal(resampler(other, grids), rows)
        torch.testing.assert_close(rows[1:], resampler(states[1:, :6], grids[1:]), atol=1e-5, rtol=0)


def test_bfloat16_is_near() -> None:
    states, grids = _states(1, 12, seed=4), [Grid(3, 4)]
    with torch.no_grad():
        exact = tiny_eye()[1](states, grids)
        near = tiny_resampler(torch.bfloat16)(states.bfloat16(), grids)
    assert near.dtype == torch.bfloat16
    assert (near.float() - exact).abs().mean() < 0.02 * exact.abs().mean()


def test_state_dict_has_the_checkpoint_s_keys() -> None:
    config = tiny_config().resampler
    assert config is not None
    with torch.device("meta"):
        resampler = Resampler(config)
    assert {key: value.shape for key, value in resampler.state_dict().items()} == {
        key: value.shape for key, value in tiny_weights("resampler.").items()
    }
    assert not list(resampler.buffers())


def test_full_size_has_the_published_number_of_parameters() -> None:
    with torch.device("meta"):
        resampler = Resampler(ResamplerConfig(queries=64, hidden=4096, heads=32, vision_hidden=1152))
    assert sum(value.numel() for value in resampler.parameters()) == 88_907_776


def test_states_must_be_those_of_the_grids() -> None:
    with pytest.raises(ValueError, match="1 grids of at most 12 patches were given states of"):
        tiny_eye()[1](_states(1, 11, seed=5), [Grid(3, 4)])
