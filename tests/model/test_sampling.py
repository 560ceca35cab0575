"""Drawing an id: the reference's distributions, what is done otherwise on purpose, and that chance is the session's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
import torch
from golden import case
from torch import Tensor

from ridealong.cloud.model.decoding import HUB, Decoding
from ridealong.cloud.model.sampling import Chance, Drawn, Knobs, Sampler, empty_history
from ridealong.cloud.model.tokens import PROTOCOL_NAMES, ProtocolIds

pytestmark = pytest.mark.model
REAL: Mapping[str, int] = case("token_ids").facts["real"]
IDS = ProtocolIds(**{field: 384 + REAL[name] - 151_643 for field, name in PROTOCOL_NAMES.items()})
PLAIN = replace(HUB, top_k=0, top_p=1.0, temperature=1.0, penalty=1.0)


def _settings(row: Mapping[str, Any]) -> Decoding:
    args = row["args"]
    return Decoding(
        greedy=row["mode"] == "greedy",
        temperature=args["temperature"],
        top_k=args["top_k"],
        top_p=args["top_p"],
        listen_top_k=args["listen_top_k"] or 0,
        listen_scale=args["listen_prob_scale"],
        penalty=args["text_repetition_penalty"],
        penalty_window=args["text_repetition_window_size"],
        length_penalty=args["length_penalty"],
        reference_parity=True,
    )


def _spread(drawn: Drawn, vocab: int) -> Tensor:  # [batch, vocab]
    return torch.zeros(len(drawn.tokens), vocab).scatter(1, drawn.candidates, drawn.chances)


def test_every_step_as_the_reference_in_one_batch() -> None:
    golden = case("decode_step")
    rows, logits = golden.facts["rows"], golden.tensors["logits"]
    history = empty_history(len(rows))
    for index, row in enumerate(rows):
        if row["history"]:
            history[index, -len(row["history"]) :] = torch.tensor(row["history"])
    # The reference's draws were replaced by the likeliest id, or by a given one: chance 0 stops and chance 1 doesn't.
    forced = [row["first_draw_forced"] for row in rows]
    first = [token if token is not None else int(line.argmax()) for token, line in zip(forced, logits, strict=True)]
    chance = torch.tensor([[0.0 if token == IDS.chunk_eos else 1.0, 0.0] for token in first])
    banned = [token for token in golden.facts["forbidden_ids"] if token not in (IDS.chunk_eos, IDS.tts_pad)]
    knobs = Knobs.of([_settings(row) for row in rows])
    sampler = Sampler(IDS, banned, logits.shape[-1])
    before = logits.clone()
    drawn = sampler.draw(logits, history, chance, knobs)
    assert torch.equal(logits, before)
    assert drawn.tokens.tolist() == [row["returned"] for row in rows]
    for index, row in enumerate(rows):
        kept = history[index][history[index] >= 0].tolist()
        assert kept == row["history_after"], row["name"]
    sampled = torch.tensor([row["mode"] == "sampling" for row in rows])[:, None]
    reached = torch.tensor([row["reached_final_draw"] for row in rows])[:, None]
    golden.near(_spread(drawn, logits.shape[-1]) * reached, "final_draw_probs")
    want = golden.tensors["first_draw_probs"][:, IDS.chunk_eos]
    worst = (drawn.stop_chance * sampled[:, 0] - want).abs().max()
    assert worst < golden.facts["tolerance"]


def _one(logits: Tensor, settings: Decoding, history: Tensor | None = None, second: float = 0.0, first: float = 1.0) -> Drawn:
    batch = logits.expand(1, -1)
    kept = empty_history(1) if history is None else history
    return Sampler(IDS, [], logits.shape[-1]).draw(batch, kept, torch.tensor([[first, second]]), Knobs.of([settings]))


def test_the_penalty_lowers_negative_logits_too() -> None:
    logits, history = torch.linspace(-2, 2, 512), empty_history(1)
    history[0, -2:] = torch.tensor([5, 500])  # a negative logit and a positive one
    plain = _spread(_one(logits, PLAIN), 512)[0]
    aware = _spread(_one(logits, replace(PLAIN, penalty=1.5), history.clone()), 512)[0]
    blind = _spread(_one(logits, replace(PLAIN, penalty=1.5, reference_parity=True), history.clone()), 512)[0]
    for token, other in ((5, 6), (500, 499)):
        assert aware[token] / aware[other] < plain[token] / plain[other]
    assert blind[5] / blind[6] > plain[5] / plain[6]  # the reference makes it likelier


def test_the_penalty_looks_back_so_far() -> None:
    logits, history = torch.linspace(1, 2, 512), empty_history(1)
    history[0, -3:] = torch.tensor([20, 21, 21])
    plain = _spread(_one(logits, PLAIN), 512)[0]
    for window, lowered in ((0, []), (1, [21]), (2, [21]), (3, [20, 21]), (512, [20, 21])):
        spread = _spread(_one(logits, replace(PLAIN, penalty=2.0, penalty_window=window), history.clone()), 512)[0]
        ratio = spread / plain / (spread[30] / plain[30])
        assert (ratio < 0.9).nonzero().flatten().tolist() == lowered


def test_the_scale_is_of_the_odds_to_listen() -> None:
    logits = torch.linspace(-2, 2, 512)
    logits[IDS.listen] = -1.0
    for scale in (0.5, 3.0):
        plain, scaled = (_spread(_one(logits, replace(PLAIN, listen_scale=value)), 512)[0] for value in (1.0, scale))
        odds = [chances[IDS.listen] / (1 - chances[IDS.listen]) for chances in (plain, scaled)]
        torch.testing.assert_close(odds[1] / odds[0], torch.tensor(scale), rtol=1e-4, atol=0)
        torch.testing.assert_close(scaled[IDS.im_end] / scaled[3], plain[IDS.im_end] / plain[3])


def test_listen_among_the_likeliest_is_taken() -> None:
    logits = torch.linspace(-2, 2, 512)
    logits[IDS.listen] = 1.99  # two are likelier
    history = empty_history(1)
    assert int(_one(logits, replace(PLAIN, listen_top_k=3), history).tokens) == IDS.listen
    assert int(_one(logits, replace(PLAIN, listen_top_k=2), history).tokens) == 511
    assert history[0, -2:].tolist() == [-1, 511]


def test_draws_follow_the_chances() -> None:
    """20,000 draws of one session's generator against the distribution: stops by their own draw, the rest by the second."""
    logits = torch.zeros(512).index_fill(0, torch.arange(20, 512), -30.0)
    logits[:20] = torch.linspace(0, 3, 20)
    logits[IDS.chunk_eos] = 3.0
    count = 20_000
    settings = replace(HUB, penalty=1.0, top_k=8, top_p=0.9)
    drawn = Sampler(IDS, [], 512).draw(
        logits.expand(count, -1), empty_history(count, 1), Chance(3).take(count), Knobs.of([settings] * count)
    )
    stops = (drawn.tokens == IDS.chunk_eos).float().mean()
    assert abs(stops - logits.softmax(0)[IDS.chunk_eos]) < 0.01
    seen = torch.bincount(drawn.tokens[drawn.tokens != IDS.chunk_eos], minlength=512) / count / (1 - stops)
    assert (seen - _spread(drawn, 512)[0]).abs().max() < 0.015
    assert (seen > 0).sum() < 8  # top-p cut what top-k had left


def test_the_last_place_is_never_one_without_a_chance() -> None:
    drawn = _one(torch.linspace(-2, 2, 512), replace(HUB, top_k=50, top_p=0.3, penalty=1.0), second=1.0)
    chosen = int((drawn.candidates[0] == drawn.tokens[0]).nonzero())
    assert drawn.chances[0, chosen] > 0 and drawn.chances[0, chosen + 1] == 0


def test_company_and_seed_decide_nothing_and_everything() -> None:
    logits = torch.randn(4, 512, generator=torch.Generator().manual_seed(2))
    settings = [HUB, replace(HUB, greedy=True), replace(HUB, top_k=0), replace(HUB, temperature=2.0, top_k=100)]
    sampler, chance = Sampler(IDS, [7], 512), torch.stack([Chance(seed).take(3)[2] for seed in range(4)])
    together = sampler.draw(logits, empty_history(4), chance, Knobs.of(settings)).tokens
    for index in range(4):
        one = slice(index, index + 1)
        alone = sampler.draw(logits[one], empty_history(1), chance[one], Knobs.of(settings[one])).tokens
        assert torch.equal(alone, together[one])
    assert torch.equal(Chance(9).take(5), Chance(9).take(5)) and not torch.equal(Chance(9).take(5), Chance(8).take(5))


def test_a_step_reads_nothing_back() -> None:
    with torch.device("meta"):
        sampler = Sampler(IDS, [], 512, device="meta")
        knobs = Knobs.of([HUB, HUB], device="meta")
        drawn = sampler.draw(torch.zeros(2, 512), empty_history(2, device="meta"), torch.zeros(2, 2), knobs)
    assert drawn.tokens.shape == (2,) and drawn.chances.shape == (2, 20)
