"""The talker says the reference's codes; a batch says what its sessions say alone."""

from __future__ import annotations

import pytest
import torch
from golden import case, tiny_config, tiny_weights
from torch import Tensor
from transformers import LlamaConfig, LlamaModel

from ridealong.cloud.model.talker import Talker, TalkerCache, TalkerRules, drawn, likeliest, penalised

pytestmark = pytest.mark.model
RULES = TalkerRules()


def talker() -> Talker:
    with torch.device("meta"):
        made = Talker(tiny_config().talker)
    weights = {key: value for key, value in tiny_weights("tts.").items() if not key.startswith(Talker.UNUSED)}
    made.load_state_dict(weights, strict=True, assign=True)
    made.fold()
    return made.eval()


def cache(slots: int = 1, window: int = 128) -> TalkerCache:
    return TalkerCache.empty(tiny_config().talker, slots, window)


def one(rows: Tensor) -> tuple[Tensor, Tensor]:
    return rows, torch.tensor([rows.shape[1]])


@torch.no_grad()
def rows_of(made: Talker, ids: Tensor, hidden: Tensor) -> Tensor:
    return torch.cat((made.condition(ids[None], hidden[None]), made.audio_bos()[None, None]), 1)


@torch.no_grad()
def test_condition_rows() -> None:
    golden, made = case("tts_talker"), talker()
    for chunk in ("1", "2"):
        golden.near(rows_of(made, golden.tensors[f"text_ids_{chunk}"], golden.tensors[f"hidden_{chunk}"]), f"cond_{chunk}")
    golden.near(made.audio_bos()[None, None], "cond_empty")


@torch.no_grad()
def test_teacher_forced_logits() -> None:
    golden, made, kept = case("tts_talker"), talker(), cache()
    states = [made.prefill(*one(golden.tensors["cond_1"]), kept)]
    for code in golden.tensors["teacher_codes"]:
        states.append(made.prefill(*one(made.emb_code[0](code)[None, None]), kept))
    hidden = torch.cat(states)
    golden.near(hidden, "teacher_hidden")
    golden.near(made.head_code[0](hidden), "teacher_logits")


@torch.no_grad()
def test_greedy_chunks_go_on_from_each_other() -> None:
    golden, made, kept = case("tts_talker"), talker(), cache()
    for chunk, draws in (("1", 26), ("2", 12)):
        seen: list[Tensor] = []
        codes, valid = made.chunk(
            *one(golden.tensors[f"cond_{chunk}"]), kept, may_end=torch.tensor([False]), rules=RULES, draws=draws, seen=seen
        )
        assert valid.tolist() == [draws - 1]
        golden.near(codes[0], f"greedy_codes_{chunk}")
        golden.near(torch.cat(seen), f"greedy_probs_{chunk}")
        assert kept.lengths.tolist() == [golden.facts[f"chunk{chunk}"]["cache_len_after"]]


@torch.no_grad()
def test_the_end_code_ends_a_chunk() -> None:
    golden, made, kept = case("tts_talker"), talker(), cache()
    seen: list[Tensor] = []
    made.chunk(*one(golden.tensors["cond_1"]), cache(), may_end=torch.tensor([True]), rules=RULES, seen=seen)
    aims = torch.full((1, 26), 0.5)
    for draw, chances in enumerate(seen[:4]):  # a uniform in the middle of the likeliest code's stretch
        best = int(chances.argmax())
        aims[0, draw] = chances[0, :best].sum() + chances[0, best] / 2
    aims[0, 4] = 1 - 1e-9  # the end code is the last: the highest uniform draws it
    codes, valid = made.chunk(*one(golden.tensors["cond_1"]), kept, may_end=torch.tensor([True]), rules=RULES, uniforms=aims)
    assert valid.tolist() == [4]
    golden.near(codes[0, :4], "eos_stop_codes")
    assert kept.lengths.tolist() == [golden.tensors["cond_1"].shape[1] + 4]


@torch.no_grad()
def test_a_chunk_without_words() -> None:
    golden, made = case("tts_talker"), talker()
    codes, valid = made.chunk(*one(golden.tensors["cond_empty"]), cache(), may_end=torch.tensor([False]), rules=RULES, draws=5)
    assert valid.tolist() == [4]
    golden.near(codes[0], "empty_cond_codes")


def test_penalty_counts_occurrences() -> None:
    golden = case("tts_logit_rules")
    golden.near(penalised(golden.tensors["logits"], golden.tensors["history"], 1.2), "after_penalty")
    golden.near(penalised(golden.tensors["logits"], golden.tensors["long_history"][:, -16:], 1.2), "after_penalty_long")


def test_the_likeliest_outside_the_duplex_path() -> None:
    golden = case("tts_logit_rules")
    got, want = (
        t[0] for t in (likeliest(golden.tensors["after_penalty"], top_p=0.7, top_k=20), golden.tensors["after_penalty_topp_topk"])
    )
    assert torch.equal(got.isfinite(), want.isfinite())
    torch.testing.assert_close(got[got.isfinite()], want[want.isfinite()], atol=1e-5, rtol=0)


@torch.no_grad()
def test_a_batch_is_its_sessions_alone() -> None:
    """Three sessions, one of them with nothing to say, and one late: each draws what it draws alone; the silent one is untouched."""
    made = talker()
    golden = case("tts_talker")
    first, second = golden.tensors["cond_1"], golden.tensors["cond_2"]
    uniforms = torch.rand((3, 26), generator=torch.Generator().manual_seed(7))
    rows = torch.zeros(3, 7, first.shape[2])
    rows[0], rows[1, :4] = first[0], second[0]
    together = cache(3)
    together.keys.normal_(generator=torch.Generator().manual_seed(1))  # what an earlier session left
    together.values.fill_(9.0)
    together.lengths[2] = 5
    codes, valid = made.chunk(
        rows,
        torch.tensor([7, 4, 0]),
        together,
        may_end=torch.tensor([True, False, True]),
        rules=RULES,
        uniforms=uniforms,
        span=64,
    )
    assert valid[2] == 0 and together.lengths[2] == 5
    for slot, (alone, may_end) in enumerate(((first, True), (second, False))):
        kept = cache(1)
        want, length = made.chunk(
            *one(alone), kept, may_end=torch.tensor([may_end]), rules=RULES, uniforms=uniforms[slot : slot + 1]
        )
        assert torch.equal(codes[slot], want[0]) and valid[slot] == length[0]
        n = int(kept.lengths[0])
        assert together.lengths[slot] == n
        torch.testing.assert_close(together.keys[:, slot, :n], kept.keys[:, 0, :n], atol=1e-5, rtol=0)


@torch.no_grad()
def test_agrees_with_llama_of_transformers() -> None:
    config = tiny_config().talker
    theirs = LlamaModel(
        LlamaConfig(
            vocab_size=8,
            hidden_size=config.hidden,
            intermediate_size=config.ffn,
            num_hidden_layers=config.layers,
            num_attention_heads=config.heads,
            num_key_value_heads=config.heads,
            rms_norm_eps=config.norm_eps,
        )
    ).eval()
    made = talker()
    missing = theirs.load_state_dict(made.model.state_dict(), strict=False)
    assert missing.missing_keys == ["embed_tokens.weight"] and not missing.unexpected_keys
    rows = torch.randn((2, 9, config.hidden), generator=torch.Generator().manual_seed(3))
    ours = made.prefill(rows, torch.tensor([9, 9]), cache(2))
    torch.testing.assert_close(ours, theirs(inputs_embeds=rows).last_hidden_state[:, -1], atol=1e-5, rtol=0)


def test_draws_follow_the_chances() -> None:
    chances = torch.tensor([[0.0, 0.25, 0.0, 0.75]]).expand(4000, 4)
    got = drawn(chances, torch.rand(4000, generator=torch.Generator().manual_seed(5)))
    assert set(got.tolist()) == {1, 3}
    assert 0.22 < (got == 1).float().mean().item() < 0.28
    assert drawn(chances[:1], torch.tensor([0.0])).item() == 1 and drawn(chances[:1], torch.tensor([1.0])).item() == 3


def test_reset_of_one_slot_only() -> None:
    kept = cache(2)
    kept.lengths[:] = torch.tensor([4, 6])
    kept.reset(torch.tensor([True, False]))
    assert kept.lengths.tolist() == [0, 6]


@torch.no_grad()
def test_bfloat16_runs() -> None:
    made = talker().to(torch.bfloat16)
    made.fold()
    rows = case("tts_talker").tensors["cond_1"].to(torch.bfloat16)
    kept = TalkerCache.empty(made.config, 1, 64, dtype=torch.bfloat16)
    codes, valid = made.chunk(*one(rows), kept, may_end=torch.tensor([False]), rules=RULES)
    assert valid.tolist() == [25] and int(codes.max()) < made.config.end_code
