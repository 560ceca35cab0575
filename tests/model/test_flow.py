"""The flow against the reference's numbers, both releases; batches, sessions side by side, and what ours does otherwise."""

from __future__ import annotations

import pytest
import torch
from golden import case
from speech import off, some_codes, tiny_flow
from torch import Tensor

from ridealong.cloud.model.flow import FlowState, moment_waves, noise_table
from ridealong.cloud.model.flow_encoder import Release, _positions, _shifted

pytestmark = pytest.mark.model
GOLDEN = case("t2w_flow")
NOISE = GOLDEN.tensors["rand_noise"][0]


@pytest.fixture(autouse=True)
def _no_gradients() -> object:
    with torch.inference_mode():
        yield


def _prompted(speaker: Tensor | None = None, steps: int = 4) -> FlowState:
    tensors, flow = GOLDEN.tensors, tiny_flow()
    state = flow.begin(tensors["speaker"] if speaker is None else speaker, steps)
    codes = torch.cat([tensors["prompt_tokens"], tensors["prompt_lookahead_tokens"]], dim=1)
    return flow.prompt(codes, tensors["prompt_mel"], state, NOISE)


def _codes(count: int, seed: int) -> Tensor:
    return torch.tensor([some_codes(count, seed)])


def test_the_encoder() -> None:
    tensors, flow = GOLDEN.tensors, tiny_flow()
    codes = torch.cat([tensors["prompt_tokens"], tensors["tokens"][:, :31]], dim=1)
    heard, _ = flow.encoder(flow.input_embedding(codes), flow.encoder.begin(1), True)
    GOLDEN.near(heard, "encoder_out_41_tokens")


def test_the_estimator() -> None:
    tensors, estimator = GOLDEN.tensors, tiny_flow().decoder.estimator
    speaker = tensors["est_spk"][:, :, None].expand(-1, -1, 9)
    rows = torch.cat([tensors["est_x"], tensors["est_mu"], speaker, tensors["est_cond"]], dim=1).transpose(1, 2)
    fresh = tiny_flow().begin(tensors["speaker"], 1)
    moment = estimator.t_embedder(moment_waves(tensors["est_t"]))[:, None]
    got, _, _ = estimator(rows, moment, fresh.conv[0].flatten(1, 2), fresh.attention[0].flatten(1, 2))
    GOLDEN.near(got.transpose(1, 2), "est_out")


def test_all_at_once() -> None:
    tensors, flow = GOLDEN.tensors, tiny_flow()
    state = flow.begin(tensors["speaker"], 4)
    got = flow.whole(tensors["tokens"][:, :31], tensors["prompt_tokens"], tensors["prompt_mel"], state, NOISE)
    GOLDEN.near(got, "mel_whole_31_tokens")


@pytest.mark.parametrize("release", [Release.V1_0_6, Release.V1_0_7])
def test_a_stream(release: Release) -> None:
    state = _prompted()
    for at, (first, end, last) in enumerate(GOLDEN.facts["chunks"]):
        mel, state = tiny_flow()(GOLDEN.tensors["tokens"][:, first:end], state, NOISE, last=last, release=release)
        older = at == 3 and release is Release.V1_0_6
        GOLDEN.near(mel, f"stream_mel_{at}_older_trim" if older else f"stream_mel_{at}")
        shapes = GOLDEN.facts["cache_shapes"][at]["after_trim"]
        assert state.frames == shapes["estimator_att_cache"][4] and state.encoder.frames == shapes["conformer_att_cache"][3]


def test_ours_is_the_reference_until_something_is_forgotten() -> None:
    state = _prompted()
    for at, (first, end, last) in enumerate(GOLDEN.facts["chunks"][:3]):
        mel, state = tiny_flow()(GOLDEN.tensors["tokens"][:, first:end], state, NOISE, last=last)
        GOLDEN.near(mel, f"stream_mel_{at}")


def test_ours_keeps_the_prompt_and_the_newest() -> None:
    whole, flow = _prompted(), tiny_flow()
    prompt = whole.attention
    for at in range(3):
        before = whole
        _, whole = flow(_codes(28, at), whole, NOISE, last=False)
    assert whole.frames == 20 + 100 and whole.encoder.coarse.shape[3] == 10 + 50
    assert torch.equal(whole.attention[..., :20, :], prompt)
    assert torch.equal(whole.attention[..., 20:70, :], before.attention[..., 70:120, :])  # the window before the last
    assert torch.equal(whole.encoder.coarse[..., 10:35, :], before.encoder.coarse[..., 35:60, :])


def test_noise_goes_on_and_around() -> None:
    state, flow = _prompted(), tiny_flow()
    assert state.made == (20,)
    _, state = flow(_codes(28, 0), state, NOISE, last=False)
    assert state.made == (70,)
    short = NOISE[:, :60]  # the window of frames 70 to 120 is read from 10 on, and the next from 0
    got, after = flow(_codes(28, 1), state, short, last=False)
    turned = torch.cat([short, short[:, :10]], dim=1)
    want, _ = flow(_codes(28, 1), state, torch.cat([turned[:, 10:60], NOISE[:, :20], turned[:, 10:60]], dim=1), last=False)
    assert off(got, want) == 0 and after.made == (120,)


def test_a_batch_equals_its_single_runs() -> None:
    flow = tiny_flow()
    speakers = torch.randn(3, 24, generator=torch.Generator().manual_seed(5))
    alone = [_prompted(speakers[at : at + 1], steps=2) for at in range(3)]
    _, alone[1] = flow(_codes(7, 9), alone[1], NOISE, last=False)  # this one is elsewhere in the noise ...
    for at in (0, 2):
        _, alone[at] = flow(_codes(7, 20 + at), alone[at], NOISE, last=False)
    for at in range(3):
        for unit in range(3):
            _, alone[at] = flow(_codes(28, 30 * at + unit), alone[at], NOISE, last=False)
    _, alone[1] = flow(_codes(28, 77), alone[1], NOISE, last=False)  # ... by a window more, and just as long
    assert len({state.shape for state in alone}) == 1 and len({state.made for state in alone}) == 2
    codes = torch.cat([_codes(28, 100 + at) for at in range(3)])
    together, after = flow(codes, FlowState.stack(alone), NOISE, last=False)
    for at, state in enumerate(after.split()):
        mel, single = flow(codes[at : at + 1], alone[at], NOISE, last=False)
        assert off(together[at : at + 1], mel) < 1e-5
        assert off(state.attention, single.attention) < 1e-5 and off(state.encoder.coarse, single.encoder.coarse) < 1e-5
        assert state.made == single.made and state.shape == single.shape


def test_lengths_that_disagree_are_no_batch() -> None:
    first = _prompted(steps=2)
    _, second = tiny_flow()(_codes(7, 0), first, NOISE, last=False)
    with pytest.raises(ValueError, match="different lengths"):
        FlowState.stack([first, second])
    with pytest.raises(ValueError, match="mel frames"):
        tiny_flow().prompt(_codes(10, 0), torch.zeros(1, 5, 20), first, NOISE)


def test_sessions_side_by_side_are_strangers() -> None:
    flow = tiny_flow()

    def spoken(seed: int, beside: bool) -> list[Tensor]:
        state, other, mels = _prompted(steps=2), _prompted(steps=2), []
        for unit in range(3):
            mel, state = flow(_codes(28, seed + unit), state, NOISE, last=False)
            mels.append(mel)
            if beside:
                _, other = flow(_codes(28, 50 + unit), other, NOISE, last=False)
        return mels

    for got, want in zip(spoken(3, True), spoken(3, False), strict=True):
        assert torch.equal(got, want)


def test_a_state_is_a_value() -> None:
    flow, state = tiny_flow(), _prompted(steps=2)
    kept = (state.attention.clone(), state.conv.clone(), state.encoder.fine.clone(), state.encoder.up.clone())
    first, _ = flow(_codes(28, 1), state, NOISE, last=False)
    assert all(
        torch.equal(a, b) for a, b in zip(kept, (state.attention, state.conv, state.encoder.fine, state.encoder.up), strict=True)
    )
    again, _ = flow(_codes(28, 1), state, NOISE, last=False)
    assert torch.equal(first, again)


def test_noise_is_drawn_once_a_seed() -> None:
    cpu = torch.device("cpu")
    assert noise_table(20, 3, cpu) is noise_table(20, 3, cpu) and not torch.equal(
        noise_table(20, 3, cpu), noise_table(20, 4, cpu)
    )
    assert noise_table(20, 3, cpu).shape == (20, 30_000)


@pytest.mark.parametrize(("new", "total"), [(1, 1), (1, 4), (3, 3), (2, 7), (5, 6)])
def test_relative_positions(new: int, total: int) -> None:
    """Query i stands at total - new + i; its score for key j is the one of the distance between them."""
    distances = torch.arange(total - 1, -new, -1.0).expand(1, new, -1)
    got = _shifted(distances, new, total)[0]
    assert torch.equal(got, torch.arange(total - new, total)[:, None] - torch.arange(total, dtype=torch.float32))
    assert _positions(new, total, torch.zeros(1, 8)).shape == (new + total - 1, 8)
