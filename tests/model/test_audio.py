"""The audio encoder: the reference's numbers, transformers' opinion, and streams that share a cache without a trace of each other."""

from __future__ import annotations

import dataclasses
from functools import lru_cache

import pytest
import torch
from golden import case, tiny_config, tiny_weights
from torch import Tensor
from transformers import WhisperConfig
from transformers.models.whisper.modeling_whisper import WhisperEncoder

from ridealong.cloud.model.audio import AudioCache, AudioEncoder, AudioProjector, Ear
from ridealong.cloud.model.config import AudioConfig
from ridealong.cloud.model.mel import StreamingMel, stack_units

pytestmark = pytest.mark.model


@lru_cache(maxsize=2)
def _ear(reference_parity: bool = False) -> Ear:
    config = tiny_config()
    encoder = AudioEncoder(config.audio, reference_parity=reference_parity)
    encoder.load_state_dict(tiny_weights("apm."))
    projector = AudioProjector(config.audio, config.language.hidden)
    projector.load_state_dict(tiny_weights("audio_projection_layer."))
    return Ear(encoder.eval(), projector.eval())


@lru_cache(maxsize=8)
def _session(seed: int, units: int) -> list[Tensor]:
    """A session's units of mel: the first [80, 102], the others [80, 104]."""
    sound = 0.1 * torch.randn(units * 16_000, generator=torch.Generator().manual_seed(seed))
    stream = StreamingMel()
    return [mel for second in sound.split(16_000) for mel in stream.push(second)]


def _alone(mels: list[Tensor], slot: int = 0, cache: AudioCache | None = None) -> list[Tensor]:
    cache = _ear().cache(1) if cache is None else cache
    return [_ear().units([mel], [slot], cache)[0] for mel in mels]


def _worst(got: list[Tensor], want: list[Tensor]) -> float:
    return max((one - other).abs().max().item() for one, other in zip(got, want, strict=True))


def test_golden_whole_clip() -> None:
    golden, mel = case("audio_encoder_whole"), case("audio_mel_offline").tensors["mel"]
    ear = _ear()
    with torch.no_grad():
        states = ear.encoder.whole(mel)
        projected = ear.projector.linear2(torch.relu(ear.projector.linear1(states)))
        golden.near(ear.encoder.whole(mel, block_causal=False)[:, ::5], "encoder_out_full")
    golden.near(states, "encoder_out_chunk1s")
    golden.near(projected[:, :25], "projected_chunk1s")
    golden.near(ear.clips([mel[0]])[0], "features_chunk1s")
    golden.near(ear.clips([mel[0]], block_causal=False)[0], "features_full")


def test_golden_batch_with_the_references_padding() -> None:
    golden, ear = case("audio_encoder_batch"), _ear(True)
    mel, lengths = golden.tensors["mel"], golden.facts["feature_lens"]
    clips = [mel[number, :, :length] for number, length in enumerate(lengths)]
    first, second = ear.clips(clips)
    golden.near(first, "features_0")
    golden.near(second, "features_1")
    with torch.no_grad():
        golden.near(ear.encoder.whole(mel, torch.tensor(lengths))[1, :24], "encoder_out_1_rows_0_23")
    assert (second - _ear().clips(clips)[1]).abs().max() > 0.01, "done right, the padding is not heard"


def test_golden_stream() -> None:
    golden, mels, ear = case("audio_encoder_stream"), case("audio_mel_stream").tensors, _ear()
    cache = ear.cache(3)
    for number, length in enumerate(golden.facts["kv_length_after"]):
        mel, first = stack_units([mels[f"unit{number}.mel"][0]], 80, 100)
        states = ear.encoder.step(mel, first, torch.tensor([1]), cache)
        golden.near(states, f"unit{number}.encoder_out")
        with torch.no_grad():
            golden.near(ear.projector(states)[0], f"unit{number}.features")
        assert cache.lengths.tolist() == [0, length, 0]
        if number == 1:
            golden.near(cache.keys[1, 0, :100].transpose(0, 1)[None], "unit1.layer0_keys_cached")


def test_transformers_agrees_on_a_whole_clip() -> None:
    config = dataclasses.replace(tiny_config().audio, max_positions=60, layers=3)
    torch.manual_seed(5)
    theirs = WhisperEncoder(
        WhisperConfig(
            d_model=config.hidden,
            encoder_layers=config.layers,
            encoder_attention_heads=config.heads,
            encoder_ffn_dim=config.ffn,
            max_source_positions=config.max_positions,
        )
    ).eval()
    for weight in theirs.parameters():
        torch.nn.init.normal_(weight, std=0.2)
    ours = AudioEncoder(config)
    ours.load_state_dict(theirs.state_dict())
    mel = torch.randn(2, 80, 120)
    with torch.no_grad():
        assert (ours.whole(mel, block_causal=False) - theirs(mel).last_hidden_state).abs().max() < 1e-5


def test_units_equal_the_whole_until_the_reset() -> None:
    mels = _session(1, 4)[:3]  # 3 units: 150 of 200 positions
    whole = torch.cat([mels[0], *(mel[:, 4:] for mel in mels[1:])], dim=1)  # [80, 302]: the last 2 are the last unit's look-ahead
    with torch.no_grad():
        states = _ear().encoder.whole(whole[None])[:, :150]  # the look-ahead's state stands in a unit of its own and isn't seen
        rows = _ear().projector(states)[0]
    assert _worst([torch.cat(_alone(mels))], [rows]) < 1e-5


def test_a_full_cache_is_forgotten() -> None:
    """At 150 states and 200 positions the next unit begins at position 0, with its neighbours' frames but without their states."""
    mels, cache = _session(2, 5), _ear().cache(1)
    heard = _alone(mels, cache=cache)
    assert cache.lengths.tolist() == [100]
    fresh = _ear().cache(1)
    assert _worst(heard[3:], _alone(mels[3:], cache=fresh)) == 0.0


@pytest.mark.parametrize("positions, length", [(202, 50), (203, 200)])
def test_the_reset_counts_the_margins_states(positions: int, length: int) -> None:
    encoder = AudioEncoder(dataclasses.replace(tiny_config().audio, max_positions=positions))
    ear = Ear(encoder, _ear().projector)
    cache = ear.cache(1)
    for mel in _session(2, 5)[:4]:
        ear.units([mel], [0], cache)
    assert cache.lengths.tolist() == [length]


def test_a_batch_equals_single_sessions() -> None:
    """Sessions that begin at different moments, so first units, full caches and long pasts meet in one step."""
    ear, sessions, begins = _ear(), [_session(seed, 5) for seed in range(3)], [0, 2, 3]
    slots, cache = [4, 0, 2], ear.cache(5)
    heard: list[list[Tensor]] = [[], [], []]
    for moment in range(8):
        here = [number for number in range(3) if 0 <= moment - begins[number] < 5]
        rows = ear.units(
            [sessions[number][moment - begins[number]] for number in here], [slots[number] for number in here], cache
        )
        for number, row in zip(here, rows, strict=True):
            heard[number].append(row)
    for number in range(3):
        assert _worst(heard[number], _alone(sessions[number])) < 2e-6
    assert cache.lengths.tolist() == [100, 0, 100, 0, 100] and not cache.keys[[1, 3]].any()


@pytest.mark.parametrize("reset", [True, False])
def test_a_slot_given_away_tells_nothing(reset: bool) -> None:
    """Not even NaN, which a hidden key would still spread; a first unit begins anew even where nobody reset the slot."""
    ear, mels = _ear(), _session(3, 3)
    cache = ear.cache(2)
    cache.keys.fill_(1e4)
    cache.values.fill_(-1e4)
    assert _worst(_alone(mels, 1, cache), _alone(mels)) == 0.0
    broken = [torch.full_like(mel, float("nan")) for mel in mels]
    spoilt, fine = ear.units([broken[0], mels[0]], [1, 0], cache)
    assert spoilt.isnan().all() and _worst([fine], _alone(mels[:1])) < 2e-6
    assert cache.keys.isfinite().all() and cache.values.isfinite().all()
    if reset:
        cache.reset([1])
        assert cache.lengths.tolist() == [50, 0]
    assert _worst(_alone(mels, 1, cache), _alone(mels)) == 0.0


def test_under_parity_a_session_hears_the_last_one() -> None:
    mels, ear = _session(4, 2), _ear(True)
    cache = ear.cache(1)
    first, _ = ear.units([mels[0]], [0], cache), ear.units([mels[1]], [0], cache)
    assert (ear.units([mels[0]], [0], cache) - first).abs().max() > 1e-3 and cache.lengths.tolist() == [150]


@pytest.mark.parametrize("lengths", [[120, 48], [121, 47], [9, 299], [130, 130]])
def test_clips_together_equal_clips_alone(lengths: list[int]) -> None:
    clips = [torch.randn(80, length, generator=torch.Generator().manual_seed(length)) for length in lengths]
    together = _ear().clips(clips)
    assert [rows.shape[0] for rows in together] == [(length + 1) // 2 // 5 for length in lengths]
    assert _worst(together, [_ear().clips([clip])[0] for clip in clips]) < 5e-6


def test_a_step_reads_nothing_back() -> None:
    """On the meta device reading a value fails. It is also where a model is made before its file is mapped."""
    config = tiny_config()
    with torch.device("meta"):
        encoder, projector = AudioEncoder(config.audio), AudioProjector(config.audio, config.language.hidden)
        mel, first, rows = torch.zeros(2, 80, 104), torch.zeros(2, dtype=torch.bool), torch.zeros(2, dtype=torch.int64)
        ear = Ear(encoder, projector)
        assert projector(encoder.step(mel, first, rows, ear.cache(2))).shape == (2, 10, 256)
    encoder.load_state_dict(tiny_weights("apm."), assign=True)
    projector.load_state_dict(tiny_weights("audio_projection_layer."), assign=True)
    mels = _session(5, 2)
    cache = ear.cache(1)
    assert _worst([ear.units([each], [0], cache)[0] for each in mels], _alone(mels)) == 0.0


def test_bfloat16() -> None:
    config = tiny_config()
    ear = Ear(AudioEncoder(config.audio), AudioProjector(config.audio, config.language.hidden))
    ear.encoder.load_state_dict({key: value.bfloat16() for key, value in tiny_weights("apm.").items()}, assign=True)
    weights = tiny_weights("audio_projection_layer.")
    ear.projector.load_state_dict({key: value.bfloat16() for key, value in weights.items()}, assign=True)
    cache, mels = ear.cache(1), _session(6, 5)
    rows = [ear.units([mel], [0], cache)[0] for mel in mels]
    assert rows[0].dtype == cache.keys.dtype == torch.bfloat16
    exact = _alone(mels)
    assert _worst([row.float() for row in rows], exact) < 0.05 * max(row.abs().max().item() for row in exact)
    assert ear.clips([mels[1]])[0].dtype == torch.bfloat16


def test_no_unit_at_all() -> None:
    cache = _ear().cache(1)
    assert _ear().units([], [], cache).shape == (0, 10, 256) and cache.lengths.tolist() == [0]


def test_bad_input_is_named_and_changes_nothing() -> None:
    ear, (first, later) = _ear(), _session(7, 2)
    cache = ear.cache(2)
    ear.units([first], [1], cache)
    for mels, slots, words in [
        ([later], [2], r"slots are different numbers from 0 to 1, not \[2\]"),
        ([later], [-1], "slots are different"),
        ([later, later], [1, 1], "slots are different"),
        ([later], [0, 1], "1 units, 2 slots"),
        ([later[:, :100]], [1], r"this is \[80, 100\]"),
        ([later[:40]], [1], r"this is \[40, 104\]"),
    ]:
        with pytest.raises(ValueError, match=words):
            ear.units(mels, slots, cache)
    assert cache.lengths.tolist() == [0, 50]
    with pytest.raises(ValueError, match="slots are different"):
        cache.reset([2])
    with pytest.raises(ValueError, match="8 frames is too short for a row: 9 are needed"):
        ear.clips([torch.zeros(80, 30), torch.zeros(80, 8)])
    with pytest.raises(ValueError, match="1 to 400 frames, this one has 401"):
        ear.clips([torch.zeros(80, 401)])
    with pytest.raises(ValueError, match="80 mel bins, these have 40"):
        ear.clips([torch.zeros(40, 30)])
    with pytest.raises(ValueError, match="same bins"):
        ear.clips([])


def test_a_config_that_makes_no_units_is_named() -> None:
    config = tiny_config().audio
    with pytest.raises(ValueError, match="a unit of 0.25 s is no whole number of rows of 5 states"):
        AudioEncoder(dataclasses.replace(config, unit_s=0.25))
    with pytest.raises(ValueError, match="52 positions are too few"):
        AudioEncoder(dataclasses.replace(config, max_positions=52))


def test_the_real_size() -> None:
    """Parameters of the published checkpoint (model.md 1.5)."""
    real = AudioConfig(hidden=1024, layers=24, ffn=4096, heads=16, mel_bins=80, max_positions=1500, pool=5, unit_s=1.0)
    with torch.device("meta"):
        encoder, projector = AudioEncoder(real), AudioProjector(real, 4096)
    assert sum(weight.numel() for weight in encoder.parameters()) == 307_216_384 and len(encoder.state_dict()) == 367
    assert sum(weight.numel() for weight in projector.parameters()) == 20_979_712


def test_the_keys_are_the_checkpoints() -> None:
    ear = _ear()
    assert set(ear.encoder.state_dict()) == set(tiny_weights("apm."))
    assert set(ear.projector.state_dict()) == set(tiny_weights("audio_projection_layer."))
