"""Codes to samples: which codes make a window, whole turns against the reference, turns and sessions that don't touch each other."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from golden import TINY, case
from speech import SILENCE, off, some_codes, tiny_causal, tiny_flow, tiny_hift, tiny_vocoder, tiny_voice
from torch import Tensor

from ridealong.cloud.model.assets import load_speech
from ridealong.cloud.model.flow_encoder import Release
from ridealong.cloud.model.hift import HELD
from ridealong.cloud.model.vocoder import (
    DEMO,
    HUB,
    UNIT_SAMPLES,
    Flush,
    SpeechSettings,
    SpeechState,
    Unit,
    Vocoder,
    pcm16,
    windows,
)
from ridealong.errors import UserError

pytestmark = pytest.mark.model


def _shown(waiting: int, flush: bool, last: bool) -> str:
    found = windows(waiting, 3, flush=flush, last=last)
    return " ".join(f"{window.size}/{window.advance}{'!' if window.last else ''}" for window in found)


@pytest.mark.parametrize(
    ("waiting", "flush", "last", "want"),
    [
        (27, False, False, ""),
        (28, False, False, "28/25"),
        (53, False, False, "28/25 28/25"),
        (7, True, False, ""),
        (8, True, False, "8/5"),
        (30, True, False, "28/25"),  # five wait, and are no eight
        (36, True, False, "28/25 11/8"),
        (28, False, True, "28/25 3/3!"),
        (13, False, True, "13/13!"),
        (13, True, True, "13/10 3/3!"),
        (3, True, True, "3/3!"),
        (0, False, True, "0/0!"),
    ],
)
def test_windows(waiting: int, flush: bool, last: bool, want: str) -> None:
    assert _shown(waiting, flush, last) == want


def test_a_turn_of_the_reference_from_codes_to_samples() -> None:
    """The release 1.0.6 as a whole: the golden stream's codes, unit by unit."""
    golden, codes = case("t2w_stream_vocoder"), case("t2w_flow").tensors["tokens"][0].tolist()
    vocoder = tiny_vocoder(flush=Flush.FIRST, release=Release.V1_0_6, source_noise=False, steps=4)
    state = replace(vocoder.begin(tiny_voice()), waiting=())  # the case has no silence before it
    edges = (0, 28, 53, 78, 81)
    for at in range(4):
        samples, state = vocoder.speak(codes[edges[at] : edges[at + 1]], state, last=at == 3)
        assert samples.shape == (golden.facts["wave_lengths"][at],)
        golden.near(samples[::8], f"wave_{at}_every_8th")
    assert state.waiting == (SILENCE,) * 3 and state.first_unit and state.flow is state.voice


@pytest.mark.parametrize("causal", [False, True])
def test_every_unit_is_a_second(causal: bool) -> None:
    vocoder = tiny_vocoder(causal=causal)
    state = vocoder.begin(tiny_voice())
    for unit in range(3):
        samples, state = vocoder.speak(some_codes(25, unit), state)
        assert samples.shape == (UNIT_SAMPLES,) and samples.dtype == torch.float32 and bool(samples.any())
        assert state.waiting == tuple(some_codes(25, unit)[-3:])
    samples, _ = vocoder.speak(some_codes(7, 9), state, last=True)
    frames = 2 * 10 + 8  # ten codes were waiting, eight frames held back
    assert samples.shape == (480 * frames,)


@pytest.mark.parametrize("causal", [False, True])
def test_what_is_short_begins_with_silence(causal: bool) -> None:
    vocoder = tiny_vocoder(causal=causal)
    samples, state = vocoder.speak(some_codes(12), vocoder.begin(tiny_voice()))
    assert samples.shape == (UNIT_SAMPLES,)  # of 12 codes 24 frames of which 8 are held back, and 8 of silence: 11,520 samples
    assert not samples[: UNIT_SAMPLES - 24 * 480 + HELD].any() and bool(samples[UNIT_SAMPLES - 24 * 480 + HELD :].any())
    nothing, _ = vocoder.speak([], state)
    assert nothing.shape == (UNIT_SAMPLES,) and not nothing.any() and torch.equal(nothing, vocoder.silence())


def test_the_hub_flushes_the_first_unit_only() -> None:
    vocoder = tiny_vocoder(flush=Flush.FIRST)
    samples, state = vocoder.speak(some_codes(12), vocoder.begin(tiny_voice()))
    assert bool(samples.any()) and len(state.waiting) == 3
    samples, state = vocoder.speak(some_codes(12), state)
    assert not samples.any() and len(state.waiting) == 15
    assert (DEMO.steps, DEMO.flush, HUB.steps, HUB.flush) == (5, Flush.ALWAYS, 10, Flush.FIRST)


@pytest.mark.parametrize("causal", [False, True])
def test_a_turn_ends_where_the_next_begins(causal: bool) -> None:
    vocoder = tiny_vocoder(causal=causal)
    begun = vocoder.begin(tiny_voice())

    def turn(state: SpeechState) -> tuple[Tensor, SpeechState]:
        first, state = vocoder.speak(some_codes(25, 1), state)
        rest, state = vocoder.speak(some_codes(11, 2), state, last=True)
        return torch.cat([first, rest]), state

    first, state = turn(begun)
    again, state = turn(state)
    assert torch.equal(first, again)
    _, broken = vocoder.speak(some_codes(25, 3), state)  # they are interrupted
    after, _ = turn(vocoder.turn(broken))
    assert torch.equal(first, after)


@pytest.mark.parametrize("causal", [False, True])
def test_many_sessions_at_once_are_each_as_if_alone(causal: bool) -> None:
    """Three in step, one a unit behind, one that ends its turn with few codes, one with nothing to say."""
    vocoder = tiny_vocoder(causal=causal)
    voices = [tiny_voice(seed) for seed in range(6)]
    plans = [[25, 25, 25], [25, 25, 25], [25, 25, 25], [0, 25, 25], [25, 25, 6], [25, 3, 0]]
    together = [vocoder.begin(voice) for voice in voices]
    alone = list(together)
    for unit in range(3):
        asked = [
            Unit(some_codes(plan[unit], 10 * at + unit), together[at], last=at == 4 and unit == 2)
            for at, plan in enumerate(plans)
        ]
        found = vocoder.speak_all(asked)
        for at, (samples, state) in enumerate(found):
            single, alone[at] = vocoder.speak(asked[at].codes, alone[at], last=asked[at].last)
            assert off(samples, single) < 1e-4, (unit, at)
            assert state.waiting == alone[at].waiting and state.flow.shape == alone[at].flow.shape
            together[at] = state


@pytest.mark.parametrize("causal", [False, True])
def test_a_long_turn_needs_no_more_memory_than_a_short_one(causal: bool) -> None:
    vocoder = tiny_vocoder(causal=causal, steps=1)
    state, sizes = vocoder.begin(tiny_voice()), []
    for unit in range(14):
        _, state = vocoder.speak(some_codes(25, unit), state)
        sizes.append((state.flow.shape, state.wave.shape))
    assert len(set(sizes[6:])) == 1


def test_voices_and_seeds_differ() -> None:
    vocoder = tiny_vocoder()
    first, _ = vocoder.speak(some_codes(25), vocoder.begin(tiny_voice()))
    other, _ = vocoder.speak(some_codes(25), vocoder.begin(tiny_voice(3)))
    assert off(first, other) > 1e-3
    seeded = [Vocoder(tiny_flow(), tiny_hift(), SpeechSettings(steps=2, silence=SILENCE, seed=seed)) for seed in (1, 1, 2)]
    waves = [made.speak(some_codes(25), made.begin(tiny_voice()))[0] for made in seeded]
    assert torch.equal(waves[0], waves[1]) and off(waves[0], waves[2]) > 1e-3


def test_the_look_ahead_after_the_prompt() -> None:
    """Release 1.0.7 hears the prompt's first codes again where the others hear silence."""
    ours, newer = tiny_vocoder(causal=True), tiny_vocoder(causal=True, release=Release.V1_0_7)
    assert off(ours.begin(tiny_voice()).voice.attention, newer.begin(tiny_voice()).voice.attention) > 1e-4
    samples, _ = newer.speak(some_codes(25), newer.begin(tiny_voice()))
    assert samples.shape == (UNIT_SAMPLES,)


def test_what_is_no_code() -> None:
    vocoder = tiny_vocoder()
    state = vocoder.begin(tiny_voice())
    with pytest.raises(ValueError, match="end code"):
        vocoder.speak([1, 66], state)
    with pytest.raises(ValueError, match="silence code"):
        Vocoder(tiny_flow(), tiny_causal(), SpeechSettings())  # 4218 of 66
    voice = tiny_voice()
    with pytest.raises(UserError, match="code 80 of 66"):
        vocoder.begin(replace(voice, codes=voice.codes.clone().fill_(80)))


def test_a_flow_in_half_precision() -> None:
    assets = load_speech(TINY, dtype=torch.bfloat16)
    noise = case("t2w_flow").tensors["rand_noise"][0]
    made = Vocoder(assets.flow, assets.wave, SpeechSettings(steps=2, silence=SILENCE), noise=noise)
    samples, _ = made.speak(some_codes(25), made.begin(tiny_voice()))
    want, _ = tiny_vocoder().speak(some_codes(25), tiny_vocoder().begin(tiny_voice()))
    assert samples.dtype == torch.float32 and 0 < off(samples, want) < 0.5 * float(want.abs().max())


def test_pcm() -> None:
    got = pcm16(torch.tensor([0.0, 1.0, -1.0, 2.0, 0.99999, -0.00004]))
    assert got.dtype == torch.int16 and got.tolist() == [0, 32767, -32767, 32767, 32766, -1]
