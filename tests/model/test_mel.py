"""Sound to mel frames: the reference's numbers, a stream that analyses each sample once against one that analyses all again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from golden import case
from torch import Tensor
from transformers import WhisperFeatureExtractor
from transformers.audio_utils import mel_filter_bank

from ridealong.cloud.model.mel import Floor, MelFrontEnd, StreamingMel, clip_mel, mel_filters, stack_clips, stack_units

pytestmark = pytest.mark.model


def _noise(samples: int, seed: int = 0, gain: float = 0.1) -> Tensor:
    return gain * torch.randn(samples, generator=torch.Generator().manual_seed(seed)).clamp(-4, 4)


def _reanalysed(units: list[Tensor]) -> Iterator[Tensor]:
    """The reference's rule word for word, for units of 1 s: the whole buffer again each time, here in float64."""
    filters = mel_filters(80).double()
    window = torch.hann_window(400, dtype=torch.float64)
    buffer, dropped = torch.zeros(0, dtype=torch.float64), 0  # dropped: in frames
    waiting = torch.zeros(560, dtype=torch.float64)
    for number, unit in enumerate(units):
        waiting = torch.cat((waiting, unit.double()))
        taken = 16_480 if number == 0 else 16_000
        buffer, waiting = torch.cat((buffer, waiting[:taken])), waiting[taken:]
        if buffer.numel() >= 480_000:
            buffer, dropped = buffer[160_000:], dropped + 1000
        mirrored = torch.cat((buffer[1:201].flip(0), buffer, buffer[-201:-1].flip(0)))
        frames = mirrored.unfold(0, 400, 160)[:-1] * window  # [frames, 400]
        log_power = (filters @ (torch.fft.rfft(frames).abs() ** 2).T).clamp(min=1e-10).log10()
        if buffer.numel() >= 80_000:
            log_power = log_power.clamp(min=log_power.max() - 8.0)
        start = max(0, 100 * number - 2) - dropped
        yield (log_power[:, start : 100 * number + 102 - dropped].float() + 4.0) / 4.0


def test_filters_are_slaneys() -> None:
    theirs = mel_filter_bank(201, 80, 0.0, 8000.0, 16_000, norm="slaney", mel_scale="slaney")  # [201, 80]
    assert (mel_filters(80) - torch.from_numpy(theirs).T).abs().max() < 1e-7


@pytest.mark.parametrize("samples", [1, 159, 161, 8_000, 33_333, 479_900, 480_000])
def test_a_clip_is_whispers(samples: int) -> None:
    sound = _noise(samples)
    theirs = WhisperFeatureExtractor(feature_size=80)(sound.numpy(), sampling_rate=16_000, return_tensors="pt").input_features[0]
    ours = clip_mel(sound)
    assert ours.shape == (80, -(-samples // 160))
    assert (ours - theirs[:, : ours.shape[1]]).abs().max() < 1e-4


def test_golden_clip() -> None:
    offline = case("audio_mel_offline")
    mel = clip_mel(offline.tensors["waveform_i16"])
    offline.near(mel[None], "mel", 1e-5)
    assert [mel.shape[1]] == offline.facts["feature_lens"]


def test_golden_floor_left_behind() -> None:
    """The reference's shared floor, reproduced when asked for and absent otherwise."""
    quirk = case("audio_mel_state_quirk")
    for parity in (False, True):
        front_end = MelFrontEnd(reference_parity=parity)
        quirk.near(front_end.clips(quirk.tensors["waveform_i16"])[0][None], "mel_fresh", 1e-5)
        stream = front_end.stream()
        stream.push(_noise(16_000))
        after = front_end.clips(quirk.tensors["waveform_i16"])[0][None]
        quirk.near(after, "mel_after_short_stream" if parity else "mel_fresh", 1e-5)
        stream.push(_noise(64_000))
        assert front_end.floor is Floor.DYNAMIC


def test_golden_stream() -> None:
    golden = case("audio_mel_stream")
    stream = StreamingMel()
    for number, sound in enumerate(golden.tensors["waveform_i16"].split(16_000)):
        facts = golden.facts["units"][number]
        (mel,) = stream.push(sound)
        golden.near(mel[None], f"unit{number}.mel", 1e-5)
        assert (mel.shape[1], stream.waiting.numel()) == (facts["emitted_frames"], facts["buffer_left"])
        assert stream.buffer_samples == facts["buffer_len_samples"]


def test_golden_long_stream() -> None:
    golden = case("audio_mel_long")
    tile = golden.tensors["tile_i16"].float() / 32768.0
    stream = StreamingMel()
    for facts, gain, shift in zip(golden.facts["units"], golden.facts["gains"], golden.facts["shifts"], strict=True):
        (mel,) = stream.push(gain * torch.roll(tile, shift))
        assert (mel.shape[1], stream.buffer_samples) == (facts["emitted"], facts["buffer_len"])
        if facts["k"] in golden.facts["stored_units"]:
            golden.near(mel[None], f"unit{facts['k']}.mel", 1e-5)


def test_each_sample_once_equals_all_again() -> None:
    """43 s, two drops. The loudest sounds stand where only a buffer's first frames, or its last one, see them at their loudest.

    Each unit has a silence, which shows the floor itself.
    """
    units = [_noise(16_000, seed, 0.01 * (1 + seed % 5)) for seed in range(43)]
    for unit in units:
        unit[4_000:8_000] = 0.0
    tone = torch.cos(torch.arange(200) * (torch.pi / 8))  # 1 kHz; its own mirror image at 0
    units[9][15_440:15_640] += tone  # sample 160,000 of the stream: the buffer begins here from unit 29 on
    units[19][15_440:15_640] += 4.0 * tone  # and here from unit 39 on
    units[7][15_800:15_920] += 2.0 * tone[:120].flip(0)  # the last samples of the buffer at unit 7
    stream = StreamingMel()
    floors = []
    for number, (unit, wanted) in enumerate(zip(units, _reanalysed(units), strict=True)):
        (mel,) = stream.push(unit)
        assert (mel - wanted).abs().max() < 5e-5, number
        floors.append(mel.min().item())
    assert floors[3] == -1.5 and len({round(floor, 3) for floor in floors}) == 6, "the floor moves with each of them"
    assert stream.units == 43 and stream.buffer_samples == 23 * 16_000 + 480 and len(stream._loudest) == 23


def test_parts_of_odd_length_make_the_same_units() -> None:
    sound = _noise(16_000 * 6 + 77)
    whole, parts = StreamingMel(), StreamingMel()
    units = whole.push(sound)  # longer than a unit: nothing is put in front of it
    assert [unit.shape[1] for unit in units] == [102, 104, 104, 104, 104]
    got = parts.push(sound[:16_560])
    for part in sound[16_560:].split(1_237):
        got += parts.push(part)
    assert all(torch.equal(one, other) for one, other in zip(units, got, strict=True))
    assert torch.equal(whole.waiting, parts.waiting) and whole.waiting.numel() < 16_000


def test_a_short_first_part_has_its_silence_in_front() -> None:
    sound = _noise(300)
    (mel,) = StreamingMel().push(sound)
    (padded,) = StreamingMel().push(torch.cat((torch.zeros(16_260), sound)))
    assert torch.equal(mel, padded) and mel[:, :50].max() == -1.5


def test_silence() -> None:
    stream = StreamingMel()
    assert all(bool((stream.push(torch.zeros(16_000))[0] == -1.5).all()) for _ in range(7))
    assert bool((clip_mel(torch.zeros(16_000)) == -1.5).all())


@pytest.mark.parametrize(
    "bad",
    [
        torch.tensor([0.0, float("nan")]),
        torch.tensor([float("-inf")]),
        torch.tensor([32_767.0]),
        torch.zeros(2, 100),
        torch.zeros(9, dtype=torch.int64),
    ],
)
def test_no_sound_is_refused_and_changes_nothing(bad: Tensor) -> None:
    stream, other = StreamingMel(), StreamingMel()
    stream.push(_noise(16_000))
    other.push(_noise(16_000))
    with pytest.raises(ValueError, match=r"sound (is|holds)"):
        stream.push(bad)
    with pytest.raises(ValueError, match=r"sound (is|holds)"):
        clip_mel(bad)
    assert torch.equal(stream.push(_noise(16_000, 1))[0], other.push(_noise(16_000, 1))[0])


def test_nothing_to_hear() -> None:
    stream = StreamingMel()
    assert stream.push(torch.zeros(0)) == [] and not stream.waiting.numel()
    with pytest.raises(ValueError, match="at least one sample"):
        MelFrontEnd().clips(torch.zeros(0))
    with pytest.raises(ValueError, match="30 s"):
        clip_mel(torch.zeros(480_001))
    with pytest.raises(ValueError, match=r"divides 10 s, not 0\.7"):
        StreamingMel(unit_s=0.7)


def test_long_sound_is_clips_of_30_s() -> None:
    assert [mel.shape[1] for mel in MelFrontEnd().clips(_noise(480_000 + 170))] == [3000, 2]


def test_units_of_half_a_second_see_the_same_frames() -> None:
    """Until the floor begins to move: after that they look back at other moments."""
    sound = _noise(16_000 * 4 + 480 + 80)
    seconds = StreamingMel().push(sound)
    halves = StreamingMel(unit_s=0.5).push(sound)
    assert [half.shape[1] for half in halves] == [52] + [54] * (len(halves) - 1)
    joined = torch.cat([halves[0], *(half[:, 4:] for half in halves[1:])], dim=1)
    assert (joined[:, :402] - torch.cat([seconds[0], *(unit[:, 4:] for unit in seconds[1:])], dim=1)[:, :402]).abs().max() < 1e-5


def test_tables_are_real_where_a_model_is_made_on_meta() -> None:
    mel_filters.cache_clear()
    with torch.device("meta"):
        assert mel_filters(40).device.type == "cpu"


def test_stacks() -> None:
    mel, lengths = stack_clips([torch.ones(80, 3), torch.ones(80, 5)])
    assert (tuple(mel.shape), lengths, mel.sum().item()) == ((2, 80, 5), [3, 5], 640)
    units, first = stack_units([torch.ones(80, 102), torch.ones(80, 104)], 80, 100)
    assert (tuple(units.shape), first.tolist(), units[0, 0, :3].tolist()) == ((2, 80, 104), [True, False], [0, 0, 1])
    assert stack_units([], 80, 100)[0].shape == (0, 80, 104)
    with pytest.raises(ValueError, match=r"\[80, 104\]; this is \[80, 103\]"):
        stack_units([torch.ones(80, 103)], 80, 100)
    with pytest.raises(ValueError, match="same bins"):
        stack_clips([torch.ones(80, 3), torch.ones(40, 3)])
