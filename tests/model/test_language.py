"""Qwen3 over slots: the reference's numbers, transformers' opinion, and that sessions don't touch one another."""

from __future__ import annotations

import dataclasses
import shutil
import sysconfig
from pathlib import Path

import pytest
import torch
from golden import case, tiny_config, tiny_weights
from plain_encoders import picture, sound
from torch import Tensor

from ridealong.cloud.model.config import LanguageConfig
from ridealong.cloud.model.kv_cache import KvCache
from ridealong.cloud.model.language import Language, compiled, last_rows
from ridealong.cloud.model.rotary import moved

pytestmark = pytest.mark.model
SMALL = LanguageConfig(
    hidden=48, layers=3, ffn=80, heads=6, kv_heads=2, head_dim=16, vocab=97, rope_theta=1e6, norm_eps=1e-6, max_positions=512
)


def _tiny() -> Language:
    with torch.device("meta"):
        model = Language(tiny_config().language)
    model.load_state_dict(tiny_weights("llm."), assign=True)
    return model.eval().requires_grad_(False)


def _random(config: LanguageConfig = SMALL, dtype: torch.dtype = torch.float32) -> Language:
    model = Language(config)
    made = torch.Generator().manual_seed(3)
    for name, value in model.named_parameters():
        value.data = torch.randn(value.shape, generator=made) * (0.5 if value.dim() > 1 else 0.1) + (
            1.0 if "norm" in name else 0.0
        )
    return model.to(dtype).eval().requires_grad_(False)


def _feed(model: Language, cache: KvCache, rows: Tensor, start: int, slot: int = 0) -> Tensor:
    """rows: [count, hidden] to one slot. Returns [count, hidden]."""
    one = torch.tensor([slot])
    with torch.inference_mode():
        return model(rows[None], cache, torch.tensor([start]), torch.tensor([len(rows)]), slots=one)[0]


def test_whole_and_in_pieces_as_the_reference() -> None:
    golden, model = case("llm_forward_cache"), _tiny()
    rows = golden.tensors["inputs_embeds"]
    after_first: list[Tensor] = []
    model.model.layers[0].register_forward_hook(lambda _module, _inputs, out: after_first.append(out))
    cache = KvCache.empty(model.config, 2, 40)
    states = _feed(model, cache, rows, 0)
    golden.near(states, "hidden_final_normed")
    golden.near(model.logits(states), "logits_all")
    golden.near(after_first[0][0], "hidden_after_layer0")
    golden.near(cache.keys[:1, 0, :24].transpose(1, 2), "layer0_keys")
    golden.near(cache.values[:1, 0, :24].transpose(1, 2), "layer0_values")

    _feed(model, cache, rows[:9], 0, slot=1)
    states = _feed(model, cache, rows[9:], 9, slot=1)[-1:]
    ids, logits, hidden = [], [model.logits(states)[0]], []
    for step in range(6):
        ids.append(int(logits[-1].argmax()))
        states = _feed(model, cache, model.embed(torch.tensor(ids[-1:])), 24 + step, slot=1)
        hidden.append(states[0])
        logits.append(model.logits(states)[0])
    golden.near(torch.tensor(ids), "step_token_ids")
    golden.near(torch.stack(hidden), "step_hidden_final_normed")
    golden.near(torch.stack(logits[1:]), "step_logits")
    assert cache.ends.tolist() == [24, 30]


def test_rows_of_a_picture_and_a_sound_as_the_reference() -> None:
    golden, model, weights = case("llm_merge_forward"), _tiny(), tiny_weights("")
    given = golden.tensors
    rows = model.embed(given["input_ids"]).clone()
    height, width = given["tgt_size"][0].tolist()
    for bound, seen in (
        ("image_bound", picture(weights, given["pixels"], height, width)),
        ("audio_bound", sound(weights, given["mel"][0])),
    ):
        first, last = given[bound][0].tolist()
        rows[first:last] = seen
    golden.near(rows[::4], "merged_embeds_every_4th")
    states = _feed(model, KvCache.empty(model.config, 1, 80), rows, 0)
    golden.near(model.logits(states[-1]), "last_logits")


def test_keys_move_as_the_reference_moves_them() -> None:
    golden = case("rope_realign")
    keys = golden.tensors["keys"].transpose(1, 2)  # [1, positions, heads, head_dim]
    by = golden.tensors["new_positions"] - golden.tensors["old_positions"]
    golden.near(moved(keys, by, 1e6).transpose(1, 2), "keys_realigned")


@pytest.mark.parametrize("theta", [1e6, 1e4])
def test_transformers_agrees(theta: float) -> None:
    from transformers import Qwen3Config, Qwen3ForCausalLM

    config = dataclasses.replace(SMALL, rope_theta=theta)
    model = _random(config)
    theirs = Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=config.vocab, hidden_size=config.hidden, intermediate_size=config.ffn, num_hidden_layers=config.layers,
            num_attention_heads=config.heads, num_key_value_heads=config.kv_heads, head_dim=config.head_dim,
            max_position_embeddings=config.max_positions, rms_norm_eps=config.norm_eps,
            rope_parameters={"rope_type": "default", "rope_theta": theta}, tie_word_embeddings=False,
        )
    ).eval()  # fmt: skip
    theirs.load_state_dict(model.state_dict())
    ids = torch.randint(0, config.vocab, (40,), generator=torch.Generator().manual_seed(1))
    states = _feed(model, KvCache.empty(config, 1, 64), model.embed(ids), 0)
    with torch.inference_mode():
        want = theirs.model(inputs_embeds=model.embed(ids)[None]).last_hidden_state[0]
        torch.testing.assert_close(states, want, atol=2e-4, rtol=1e-4)
        torch.testing.assert_close(model.logits(states), theirs(ids[None]).logits[0], atol=2e-3, rtol=1e-4)


def test_theta_matters_and_is_the_config_s() -> None:
    ids = torch.arange(30)
    made = []
    for theta in (1e6, 1e4):
        model = _random(dataclasses.replace(SMALL, rope_theta=theta))
        made.append(_feed(model, KvCache.empty(SMALL, 1, 64), model.embed(ids), 0))
    assert (made[0] - made[1]).abs().max() > 0.05


def test_a_ragged_batch_is_so_many_single_runs() -> None:
    model = _random()
    made = torch.Generator().manual_seed(5)
    lengths, counts, order = [7, 0, 23, 12], [5, 3, 0, 1], torch.tensor([2, 0, 3, 1])
    whole = [torch.randn(length + count, SMALL.hidden, generator=made) for length, count in zip(lengths, counts, strict=True)]
    for slots in (order, 0, 1):
        cache, alone = KvCache.empty(SMALL, 5, 40), KvCache.empty(SMALL, 5, 40)
        batch = torch.full((4, 6, SMALL.hidden), 1e3)  # padding is never looked at
        names = torch.arange(slots, slots + 4) if isinstance(slots, int) else slots
        for index, rows in enumerate(whole):
            slot = int(names[index])
            if lengths[index]:
                _feed(model, cache, rows[: lengths[index]], 0, slot)
                _feed(model, alone, rows[: lengths[index]], 0, slot)
            batch[index, : counts[index]] = rows[lengths[index] :]
        before = cache.keys[int(names[2]), :, :40].clone()
        with torch.inference_mode():
            states = model(batch, cache, torch.tensor(lengths), torch.tensor(counts), slots=slots, span=32)
        assert states.isfinite().all()
        assert torch.equal(cache.keys[int(names[2]), :, :40], before)  # a count of 0 leaves the slot alone
        last = last_rows(states, torch.tensor(counts))
        for index, rows in enumerate(whole):
            if counts[index] == 0:
                continue
            want = _feed(model, alone, rows[lengths[index] :], lengths[index], int(names[index]))
            torch.testing.assert_close(states[index, : counts[index]], want, atol=2e-5, rtol=1e-5)
            torch.testing.assert_close(last[index], want[-1], atol=2e-5, rtol=1e-5)
        torch.testing.assert_close(cache.keys[:, :, :40], alone.keys[:, :, :40], atol=2e-5, rtol=1e-5)
        assert cache.ends[names].tolist() == [12, 3, 23, 13]


def test_a_slot_used_again_knows_nothing_of_the_last_session() -> None:
    model = _random()
    rows = torch.randn(10, SMALL.hidden, generator=torch.Generator().manual_seed(6))
    cache = KvCache.empty(SMALL, 2, 30)
    clean = _feed(model, cache, rows, 0, slot=0)
    _feed(model, cache, torch.full((30, SMALL.hidden), 3.0), 0, slot=1)
    cache.keys[1, :, 20:] = float("inf")
    cache.values[1, :, 20:] = float("nan")
    cache.clear(1)
    assert torch.equal(_feed(model, cache, rows, 0, slot=1), clean)
    cache.clear(1)
    cache.begin(1, cache.keys[0, :, :4], cache.values[0, :, :4])
    torch.testing.assert_close(_feed(model, cache, rows[4:], 4, slot=1), clean[4:], atol=1e-5, rtol=1e-5)


def test_a_step_reads_nothing_back() -> None:
    """On the meta device there is nothing to read: an `.item()` or a shape that depends on values would raise."""
    with torch.device("meta"):
        model = Language(SMALL)
        cache = KvCache.empty(SMALL, 3, 16, device="meta")
        places = torch.zeros(3, dtype=torch.long)
        states = model(torch.zeros(3, 2, SMALL.hidden), cache, places, places, slots=places, at=torch.zeros(3, 2).long(), span=8)
        assert model.logits(last_rows(states, places)).shape == (3, SMALL.vocab)


def test_bfloat16_stays_near() -> None:
    rows = torch.randn(20, SMALL.hidden, generator=torch.Generator().manual_seed(8))
    exact = _feed(_random(), KvCache.empty(SMALL, 1, 20), rows, 0)
    half = _feed(_random(dtype=torch.bfloat16), KvCache.empty(SMALL, 1, 20, dtype=torch.bfloat16), rows.bfloat16(), 0)
    assert half.dtype == torch.bfloat16
    assert torch.nn.functional.cosine_similarity(half.float(), exact, dim=-1).min() > 0.98


def test_what_can_t_be_is_refused() -> None:
    with pytest.raises(ValueError, match="window 1 to 512"):
        KvCache.empty(SMALL, 1, 513)
    cache = KvCache.empty(SMALL, 1, 8)
    with pytest.raises(ValueError, match="span must be 1 to 8"):
        _random()(torch.zeros(1, 1, SMALL.hidden), cache, torch.tensor([0]), torch.tensor([1]), span=9)


def test_compiled_layers_give_the_same_states() -> None:
    if not (shutil.which("g++") or shutil.which("clang++")) or not (Path(sysconfig.get_path("include")) / "Python.h").is_file():
        pytest.skip("torch.compile needs a C++ compiler and Python's headers, and this machine lacks one of them")
    model, run = _random(dataclasses.replace(SMALL, layers=2)), compiled()
    rows = torch.randn(1, 9, SMALL.hidden, generator=torch.Generator().manual_seed(8))
    starts, counts = torch.tensor([0]), torch.tensor([9])
    states = []
    for way in (None, run):
        cache = KvCache.empty(model.config, 1, 32)
        with torch.inference_mode():
            first = model(rows, cache, starts, counts, span=16, run=way)
            states.append(torch.cat((first, model(rows[:, :1], cache, counts, counts * 0 + 1, span=16, run=way)), dim=1))
    torch.testing.assert_close(states[1], states[0], atol=2e-5, rtol=1e-5)
