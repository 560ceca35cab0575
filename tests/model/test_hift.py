"""Both vocoders against the reference's numbers; batches; what ours does otherwise."""

from __future__ import annotations

import itertools

import pytest
import torch
from golden import case
from speech import off, tiny_causal, tiny_hift
from torch import Tensor

from ridealong.cloud.model.causal_vocoder import CausalState, history_frames
from ridealong.cloud.model.hift import HELD, HOP, HiftState, fold_weight_norm, noise_at, noise_table

pytestmark = pytest.mark.model
CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def _no_gradients() -> object:
    with torch.inference_mode():
        yield


def _mel(frames: int, seed: int) -> Tensor:
    return torch.randn(1, 20, frames, generator=torch.Generator().manual_seed(seed)) * 2


def test_one_piece() -> None:
    golden, wave = case("t2w_hift"), tiny_hift()
    mel = golden.tensors["mel"]
    pitch = wave.f0_predictor(mel)
    source, _ = wave.source(pitch, None, parity=True)
    golden.near(pitch, "f0")
    golden.near((pitch > wave.config.voiced_hz).float(), "voiced")
    golden.near(source, "source_no_noise")
    golden.near(wave.wave(mel, source), "wave_no_noise")
    golden.near(wave.wave(mel, golden.tensors["source_no_noise"]), "wave_from_source")


def test_a_stream_by_overlap() -> None:
    golden, mels, wave = case("t2w_stream_vocoder"), case("t2w_flow").tensors, tiny_hift()
    state = wave.begin(1)
    for at, length in enumerate(golden.facts["wave_lengths"]):
        mel = mels["stream_mel_3_older_trim" if at == 3 else f"stream_mel_{at}"]
        samples, state = wave(mel, state, None, last=at == 3, parity=True)
        assert samples.shape == (1, length)
        golden.near(samples[0, ::8], f"wave_{at}_every_8th")
        if at == 1:
            golden.near(samples[0, :400], "wave_1_first_400")
        if at == 0:
            assert not samples[:, :HELD].any()


def test_the_causal_kind() -> None:
    golden, wave = case("t2w_causal_vocoder"), tiny_causal()
    limits, mel = golden.facts["limits"], golden.tensors["mel"]
    assert history_frames(wave.config) == limits["decoder_history_frames"] and wave.delay_frames == limits["delay_frames"]
    golden.near(wave.pitch(mel), "f0_whole")
    state, first = wave.begin(1), 0
    for at, frames in enumerate((20, 13, 13)):
        samples, state = wave(mel[:, :, first : first + frames], state, None, last=at == 2)
        first += frames
        if at == 0:
            assert not samples[:, :HELD].any()
            samples = samples[:, HELD:]
            golden.near(samples[0, :400], "wave_0_first_400")
        assert samples.shape[1] == golden.facts["wave_lengths"][at]
        golden.near(samples[0, ::8], f"wave_{at}_every_8th")
        assert state.mel.shape[2] <= limits["mel_cache_frames"] and state.source.shape[2] <= limits["source_cache_frames"] * HOP


def test_the_causal_kind_is_the_same_in_any_pieces() -> None:
    wave, mel, noise = tiny_causal(), _mel(90, 1), noise_table(9, 0, False, CPU)
    whole, _ = wave(mel, wave.begin(1), noise, last=True)
    for cuts in ((50,), (5, 12, 60), (1, 2, 3, 4, 88)):
        state, parts, edges = wave.begin(1), [], (0, *cuts, 90)
        for first, end in itertools.pairwise(edges):
            samples, state = wave(mel[:, :, first:end], state, noise, last=end == 90)
            parts.append(samples)
        assert off(torch.cat(parts, dim=1)[:, HELD:], whole) < 1e-5


def test_ours_goes_on_where_the_reference_begins_anew() -> None:
    """A steady tone: the harmonics stand a window later where an uninterrupted source has them. The reference's jump."""
    wave = tiny_hift()
    pitch = torch.full((1, 100), 216.6)
    whole, _ = wave.source(pitch, None, parity=False)
    first, cycles = wave.source(pitch[:, :50], None, parity=False)
    more, _ = wave.source(pitch[:, 42:], None, parity=False, since=cycles)
    assert off(torch.cat([first, more[:, :, HELD:]], dim=2), whole) < 1e-5
    first, _ = wave.source(pitch[:, :50], None, parity=True)
    more, _ = wave.source(pitch[:, 42:], None, parity=True)
    assert off(torch.cat([first, more[:, :, HELD:]], dim=2), whole) > 0.01


@pytest.mark.parametrize("parity", [False, True])
def test_the_source_at_the_join(parity: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the kept source meets the new one, the reference jumps a hundred times as far as from sample to sample. Ours doesn't."""
    wave, sources = tiny_hift(), []
    plain = wave.wave
    monkeypatch.setattr(wave, "wave", lambda mel, source: (sources.append(source), plain(mel, source))[1])
    mel = torch.nn.functional.interpolate(_mel(60, 1), scale_factor=10, mode="linear") * 0.75
    state = wave.begin(1)
    for unit in range(12):
        _, state = wave(mel[:, :, 50 * unit : 50 * unit + 50], state, None, last=unit == 11, parity=parity)
    steps = torch.cat([source.diff(dim=2)[0, 0] for source in sources]).abs().median()
    jumps = torch.stack([(source[0, 0, HELD] - source[0, 0, HELD - 1]).abs() for source in sources[1:]]).mean() / steps
    assert jumps > 50 if parity else jumps < 10


@pytest.mark.parametrize(("parity", "level"), [(False, 1.0), (True, 1.08)])
def test_the_fade_keeps_the_level(parity: bool, level: float, monkeypatch: pytest.MonkeyPatch) -> None:
    wave = tiny_hift()
    monkeypatch.setattr(wave, "wave", lambda mel, _: torch.ones(1, mel.shape[2] * HOP))
    _, state = wave(_mel(50, 0), wave.begin(1), None, last=False, parity=parity)
    samples, _ = wave(_mel(50, 1), state, None, last=False, parity=parity)
    assert float(samples.max()) == pytest.approx(level, abs=1e-3) and float(samples.min()) == pytest.approx(1.0, abs=1e-6)


def test_a_batch_equals_its_single_runs() -> None:
    wave, causal = tiny_hift(), tiny_causal()
    noise, uniform = noise_table(9, 0, True, CPU), noise_table(9, 0, False, CPU)
    mels = [[_mel(frames, 10 * session + at) for at, frames in enumerate((50, 50, 12))] for session in range(3)]
    alone = [wave.begin(1) for _ in range(3)]
    lagging = [causal.begin(1) for _ in range(3)]
    _, alone[1] = wave(_mel(50, 99), alone[1], noise, last=False)
    for session in (0, 2):  # elsewhere in the noise, equally far remembered
        _, alone[session] = wave(_mel(20, 98), alone[session], noise, last=False)
    for at in range(3):
        last, mel = at == 2, torch.cat([mels[session][at] for session in range(3)])
        together, after = wave(mel, HiftState.stack(alone), noise, last=last)
        later, beyond = causal(mel, CausalState.stack(lagging), uniform, last=last)
        for session in range(3):
            samples, alone[session] = wave(mel[session : session + 1], alone[session], noise, last=last)
            assert off(together[session : session + 1], samples) < 1e-5
            assert off(after.split()[session].speech, alone[session].speech) < 1e-5
            samples, lagging[session] = causal(mel[session : session + 1], lagging[session], uniform, last=last)
            assert off(later[session : session + 1], samples) < 1e-5
            assert beyond.split()[session].shape == lagging[session].shape


def test_lengths_that_disagree_are_no_batch() -> None:
    wave, causal = tiny_hift(), tiny_causal()
    _, after = wave(_mel(9, 0), wave.begin(1), None, last=False)
    with pytest.raises(ValueError, match="different lengths"):
        HiftState.stack([wave.begin(1), after])
    _, later = causal(_mel(9, 0), causal.begin(1), None, last=False)
    with pytest.raises(ValueError, match="different lengths"):
        CausalState.stack([causal.begin(1), later])


def test_the_end_of_a_turn_with_nothing_new() -> None:
    for wave, lag in ((tiny_hift(), HELD), (tiny_causal(), 8 * HOP)):
        _, state = wave(_mel(20, 0), wave.begin(1), None, last=False)
        rest, _ = wave(_mel(0, 0), state, None, last=True)
        assert rest.shape == (1, lag)
        nothing, _ = wave(_mel(0, 0), wave.begin(1), None, last=True)
        assert nothing.shape == (1, 0)


def test_noise_at_a_place() -> None:
    table = noise_table(2, 0, True, CPU)
    got = noise_at(table, [3, 996], 2)
    assert torch.equal(got[0], table[3 * HOP : 5 * HOP]) and torch.equal(got[1], torch.cat([table[-HOP:], table[:HOP]]))


@pytest.mark.parametrize(
    "names", [("parametrizations.weight.original0", "parametrizations.weight.original1"), ("weight_g", "weight_v")]
)
def test_weight_norm_is_folded(names: tuple[str, str]) -> None:
    direction = torch.randn(4, 3, 5, generator=torch.Generator().manual_seed(0))
    want = torch.nn.utils.parametrizations.weight_norm(torch.nn.Conv1d(3, 4, 5))
    want.parametrizations.weight.original1.copy_(direction)
    length = want.parametrizations.weight.original0.clone()
    folded = fold_weight_norm({f"a.b.{names[0]}": length, f"a.b.{names[1]}": direction, "a.b.bias": torch.zeros(4)})
    assert set(folded) == {"a.b.weight", "a.b.bias"} and off(folded["a.b.weight"], want.weight) < 1e-6
