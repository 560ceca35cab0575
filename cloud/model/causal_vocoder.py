"""Mel frames to a wave without overlap: the causal kind of vocoder that MiniCPM-o's assets ship since release 1.0.7.

Every layer looks to the left, but two: the pitch needs three frames more, the first convolution four; with one frame for the inverse
transform the wave lags by eight. Each call computes only what is new, with as much history as the layers can see. The harmonics'
phase is carried on in float64. Parts are hift.py's. Doesn't know codes or turns.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ridealong.cloud.model.hift import HELD, HOP, Conv, HiftConfig, Pitch, WaveNet, noise_at

PITCH_RIGHT = 3  # frames of the future that a frame's pitch needs
PITCH_LEFT = 8  # and of the past: four layers of kernel 3


@dataclass(frozen=True, slots=True)
class CausalState:
    """What the vocoder remembers, for one or more sessions whose lengths agree. Frames count from the first kept one of `mel`."""

    mel: Tensor  # [sessions, mel_bins, kept]
    source: Tensor  # [sessions, 1, kept * 480], from frame `source_first` on
    cycles: Tensor  # [sessions, 1, harmonics + 1] float64, modulo 1
    source_first: int
    voiced: int  # frames whose source is made
    spoken: int  # frames whose samples are out
    before: tuple[int, ...]  # frames of each session that came before `mel`
    begun: bool  # samples have come out

    @property
    def shape(self) -> tuple[int, ...]:
        """Sessions run as one batch when these agree."""
        return (int(self.mel.shape[2]), self.source_first, self.voiced, self.spoken, int(self.begun))

    @staticmethod
    def stack(states: Sequence[CausalState]) -> CausalState:
        """Raises ValueError where lengths don't agree."""
        first = states[0]
        if len(states) == 1:
            return first
        if len({state.shape for state in states}) != 1:
            raise ValueError("sessions of different lengths can't be one batch")
        return CausalState(
            torch.cat([state.mel for state in states]),
            torch.cat([state.source for state in states]),
            torch.cat([state.cycles for state in states]),
            first.source_first,
            first.voiced,
            first.spoken,
            tuple(before for state in states for before in state.before),
            first.begun,
        )

    def split(self) -> list[CausalState]:
        if len(self.before) == 1:
            return [self]
        return [
            CausalState(
                self.mel[at : at + 1].clone(),
                self.source[at : at + 1].clone(),
                self.cycles[at : at + 1].clone(),
                self.source_first,
                self.voiced,
                self.spoken,
                (before,),
                self.begun,
            )
            for at, before in enumerate(self.before)
        ]


class UpConvCausal(Conv):
    """Rows are repeated `rate` times, then a convolution to the left."""

    def __init__(self, inputs: int, outputs: int, kernel: int, rate: int) -> None:
        super().__init__(inputs, outputs, kernel, pad=(kernel - 1, 0))
        self.rate = rate

    def forward(self, x: Tensor, pad: tuple[int, int] | None = None) -> Tensor:
        return super().forward(x.repeat_interleave(self.rate, dim=2), pad)


def history_frames(config: HiftConfig) -> int:
    """So many past mel frames can still be heard in a new one: through the source's transform, all layers, and the way back; and two more."""
    rate = math.prod(config.rates)
    transform = Fraction(config.fft, HOP)

    def residual(kernel: int, scale: int) -> Fraction:
        return Fraction(sum((kernel - 1) * (dilation + 1) for dilation in config.dilations), scale)

    seen, scale = Fraction(0), 1
    for at, kernel in enumerate(config.rate_kernels):
        scale *= config.rates[at]
        down = math.prod(config.rates[at + 1 :])
        seen += Fraction(kernel - 1, scale)
        through_source = transform + Fraction(2 * down - 1 if down > 1 else 0, rate) + residual(config.source_kernels[at], scale)
        seen = max(seen, through_source) + residual(max(config.kernels), scale)
    return math.ceil(seen + Fraction(6 + 1, rate) + transform) + 2


class CausalVocoder(WaveNet):
    """The vocoder of package release 1.0.7: causal, nothing to overlap."""

    def __init__(self, config: HiftConfig) -> None:
        super().__init__(config, causal=True)
        self.conv_pre = Conv(config.mel_bins, config.channels, config.look_right + 1, pad=(0, config.look_right))
        self.ups = nn.ModuleList(
            [
                UpConvCausal(config.channels >> at, config.channels >> (at + 1), kernel, rate)
                for at, (kernel, rate) in enumerate(zip(config.rate_kernels, config.rates, strict=True))
            ]
        )
        self.f0_predictor = Pitch(config, PITCH_RIGHT + 1, [(0, PITCH_RIGHT)] + [(2, 0)] * 4)

    @property
    def delay_frames(self) -> int:
        return PITCH_RIGHT + self.config.look_right + 1

    def begin(self, sessions: int) -> CausalState:
        """The state before a turn's first frame."""
        at = self.conv_pre.weight
        return CausalState(
            mel=at.new_zeros(sessions, self.config.mel_bins, 0),
            source=at.new_zeros(sessions, 1, 0),
            cycles=torch.zeros(sessions, 1, self.config.harmonics + 1, dtype=torch.float64, device=at.device),
            source_first=0,
            voiced=0,
            spoken=0,
            before=(0,) * sessions,
            begun=False,
        )

    def pitch(self, mel: Tensor, last: bool = True) -> Tensor:
        """mel: [sessions, mel_bins, frames]. Returns Hz, [sessions, frames, or frames - 3 before the end]. Computed in float64."""
        return self.f0_predictor(mel.double(), None if last else (0, 0)).to(mel.dtype)

    def source(self, pitch: Tensor, cycles: Tensor, noise: Tensor | None) -> tuple[Tensor, Tensor]:
        """pitch: [sessions, frames]; cycles: [sessions, 1, harmonics + 1]; noise: [sessions, frames * 480, harmonics + 1] or None.

        A harmonic's phase is one number a frame. Returns [sessions, 1, frames * 480] and the cycles after the last frame.
        """
        count = torch.arange(1, self.config.harmonics + 2, device=pitch.device, dtype=pitch.dtype)
        turns = (pitch[:, :, None] * count / self.config.sample_rate).remainder(1)
        cycles = turns.double().cumsum(dim=1) * HOP + cycles  # [sessions, frames, harmonics + 1]
        sines = torch.sin(2 * math.pi * cycles.remainder(1)).to(pitch.dtype).repeat_interleave(HOP, dim=1)
        voiced = (pitch > self.config.voiced_hz).to(pitch.dtype).repeat_interleave(HOP, dim=1)[:, :, None]
        return self.m_source(sines, voiced, noise, self.config), cycles[:, -1:].remainder(1)

    def wave(self, mel: Tensor, source: Tensor, last: bool) -> Tensor:
        """mel: [sessions, mel_bins, frames]; source: [sessions, 1, frames * 480].

        Returns samples of all frames at the end; before it of all but five.
        """
        spectrum, right = self.spectrum(source), self.config.look_right
        if last:
            return self.sound(self.conv_pre(mel), spectrum, self.ups)
        spectrum = spectrum[:, :, : -math.prod(self.config.rates) * right]
        return self.sound(self.conv_pre(mel, (0, 0)), spectrum, self.ups)[:, :-HOP]

    def forward(
        self, mel: Tensor, state: CausalState, noise: Tensor | None, *, last: bool, parity: bool = False
    ) -> tuple[Tensor, CausalState]:
        """mel: new frames [sessions, mel_bins, new]; noise: a `noise_table` of hift.py (the published one is uniform), or None.

        Returns samples and the state after them. A turn that goes on begins with 3840 samples of silence, in place of the eight frames
        that it lags. `parity` is for the other kind of vocoder: this one has nothing that ours does otherwise.
        """
        mel = torch.cat([state.mel, mel], dim=2)
        received, voiced, spoken = int(mel.shape[2]), state.voiced, state.spoken
        source, cycles = state.source, state.cycles
        ready = received - (0 if last else PITCH_RIGHT)
        if ready > voiced:
            start = max(0, voiced - PITCH_LEFT)
            pitch = self.pitch(mel[:, :, start:], last)[:, voiced - start :]
            fresh = None if noise is None else noise_at(noise, [before + voiced for before in state.before], ready - voiced)
            made, cycles = self.source(pitch, cycles, fresh)
            source, voiced = torch.cat([source, made], dim=2), ready
        history = history_frames(self.config)
        wave = mel.new_zeros(mel.shape[0], 0)
        speakable = voiced - (0 if last else self.config.look_right + 1)
        if speakable > spoken:
            start = max(0, spoken - history)
            wave = self.wave(mel[:, :, start:voiced], source[:, :, (start - state.source_first) * HOP :], last)
            wave, spoken = wave[:, (spoken - start) * HOP :], speakable
        after = self._kept(mel, source, cycles, state, voiced, spoken, history)
        if not state.begun and not last and wave.shape[1]:
            wave = F.pad(wave, (HELD, 0))
        return wave, after

    @staticmethod
    def _kept(
        mel: Tensor, source: Tensor, cycles: Tensor, state: CausalState, voiced: int, spoken: int, history: int
    ) -> CausalState:
        """The state, cut to what later frames can still hear and counted from its first frame."""
        source_first = max(0, spoken - history)
        first = max(0, min(source_first, voiced - PITCH_LEFT))
        return CausalState(
            mel[:, :, first:].clone(),
            source[:, :, (source_first - state.source_first) * HOP :].clone(),
            cycles,
            source_first - first,
            voiced - first,
            spoken - first,
            tuple(before + first for before in state.before),
            state.begun or spoken > state.spoken,
        )
