"""The tiny flow and vocoders, and a tiny voice, for several test modules. Made once."""

from __future__ import annotations

from functools import lru_cache

import torch
from golden import TINY, case
from torch import Tensor

from ridealong.cloud.model.assets import load_speech
from ridealong.cloud.model.causal_vocoder import CausalVocoder
from ridealong.cloud.model.flow import Flow
from ridealong.cloud.model.flow_encoder import Release
from ridealong.cloud.model.hift import Hift
from ridealong.cloud.model.vocoder import Flush, SpeechSettings, Vocoder
from ridealong.cloud.model.voice import VoiceBundle

SILENCE = 42  # of the tiny model's 66 codes


@lru_cache(maxsize=1)
def tiny_flow() -> Flow:
    return load_speech(TINY).flow


@lru_cache(maxsize=1)
def tiny_hift() -> Hift:
    wave = load_speech(TINY).wave
    assert isinstance(wave, Hift)
    return wave


@lru_cache(maxsize=1)
def tiny_causal() -> CausalVocoder:
    wave = load_speech(TINY, causal=True).wave
    assert isinstance(wave, CausalVocoder)
    return wave


def tiny_voice(seed: int | None = None) -> VoiceBundle:
    """The voice of the golden cases, or another one as long."""
    tensors = case("t2w_flow").tensors
    codes, speaker, mel = tensors["prompt_tokens"][0], tensors["speaker"][0], tensors["prompt_mel"][0]
    if seed is not None:
        draw = torch.Generator().manual_seed(seed)
        codes = torch.randint(0, 66, codes.shape, generator=draw)
        speaker = torch.randn(speaker.shape, generator=draw)
    return VoiceBundle(codes.clone(), speaker.clone(), mel.clone(), torch.zeros(1600) + 0.1)


def tiny_vocoder(
    *,
    causal: bool = False,
    flush: Flush = Flush.ALWAYS,
    release: Release = Release.OURS,
    source_noise: bool = True,
    steps: int = 2,
) -> Vocoder:
    settings = SpeechSettings(steps=steps, flush=flush, silence=SILENCE, release=release, source_noise=source_noise)
    noise = case("t2w_flow").tensors["rand_noise"][0]
    return Vocoder(tiny_flow(), tiny_causal() if causal else tiny_hift(), settings, noise=noise)


def some_codes(count: int, seed: int = 0) -> list[int]:
    drawn: list[int] = torch.randint(0, 66, (count,), generator=torch.Generator().manual_seed(seed)).tolist()
    return drawn


def off(got: Tensor, want: Tensor) -> float:
    assert got.shape == want.shape, f"{tuple(got.shape)} for {tuple(want.shape)}"
    return float((got - want).abs().max()) if got.numel() else 0.0
