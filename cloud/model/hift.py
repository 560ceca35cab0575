"""Mel frames to a wave: a source of harmonics from the pitch, shaped by a convolutional net, through an inverse short Fourier transform.

HiFTNet (arXiv 2309.09493) as MiniCPM-o's assets up to 1.0.6 ship it; streams by overlap: eight mel frames are heard again, 3840
samples are held back and faded over. Noise comes from a fixed table at a session's own place, so a wave can be repeated and a batch
equals its single runs. Doesn't know codes or turns.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor, nn
from torch.nn import functional as F

HOP = 480  # samples a mel frame, at 24 kHz
HELD_FRAMES = 8
HELD = HELD_FRAMES * HOP  # samples
NOISE_HOPS = 997  # the table's length, 20 s; a prime, so that units of a second don't meet the same noise soon


@dataclass(frozen=True, slots=True)
class HiftConfig:
    """`kernels` and `source_kernels`: of the residual blocks; their dilations are the same everywhere. `look_right`: causal kind only."""

    mel_bins: int
    channels: int
    harmonics: int
    pitch_hidden: int
    rates: tuple[int, ...] = (8, 5, 3)
    rate_kernels: tuple[int, ...] = (16, 11, 7)
    kernels: tuple[int, ...] = (3, 7, 11)
    source_kernels: tuple[int, ...] = (7, 7, 11)
    dilations: tuple[int, ...] = (1, 3, 5)
    fft: int = 16
    fft_hop: int = 4
    sample_rate: int = 24_000
    amplitude: float = 0.1
    sigma: float = 0.003
    voiced_hz: float = 10.0
    slope: float = 0.1
    limit: float = 0.99
    look_right: int = 4


@dataclass(frozen=True, slots=True)
class HiftState:
    """What the vocoder remembers, for one or more sessions that are equally far into a turn (all at its start, or none)."""

    mel: Tensor  # [sessions, mel_bins, up to 8]
    source: Tensor  # [sessions, 1, up to 3840]
    speech: Tensor  # [sessions, up to 3840]; computed, not yet given out
    cycles: Tensor  # [sessions, harmonics + 1, 1] float64; where the harmonics stand at the last frame's end
    made: tuple[int, ...]  # frames of each session so far

    @property
    def shape(self) -> tuple[int, ...]:
        """Sessions run as one batch when these agree."""
        return (int(self.mel.shape[2]),)

    @staticmethod
    def stack(states: Sequence[HiftState]) -> HiftState:
        """Raises ValueError where lengths don't agree."""
        if len(states) == 1:
            return states[0]
        if len({state.shape for state in states}) != 1:
            raise ValueError("sessions of different lengths can't be one batch")
        return HiftState(
            torch.cat([state.mel for state in states]),
            torch.cat([state.source for state in states]),
            torch.cat([state.speech for state in states]),
            torch.cat([state.cycles for state in states]),
            tuple(made for state in states for made in state.made),
        )

    def split(self) -> list[HiftState]:
        if len(self.made) == 1:
            return [self]
        one = [slice(session, session + 1) for session in range(len(self.made))]
        return [
            HiftState(self.mel[at].clone(), self.source[at].clone(), self.speech[at].clone(), self.cycles[at].clone(), (made,))
            for at, made in zip(one, self.made, strict=True)
        ]


@lru_cache(maxsize=8)
def noise_table(channels: int, seed: int, gaussian: bool, device: torch.device) -> Tensor:
    """The fixed noise of the source. [997 * 480, channels]: normal, or uniform in 0 ... 1. Kept: one a seed and device."""
    draw = torch.randn if gaussian else torch.rand
    return draw(NOISE_HOPS * HOP, channels, generator=torch.Generator().manual_seed(seed)).to(device)


@lru_cache(maxsize=8)
def _hann(samples: int, device: torch.device, dtype: torch.dtype) -> Tensor:  # [samples]
    with torch.inference_mode(False):  # kept, so it must be good for every later caller
        return torch.hann_window(samples, device=device, dtype=dtype)


def noise_at(table: Tensor, frames: Sequence[int], count: int) -> Tensor:
    """table: [hops * 480, channels]. For each session `count` frames of noise from its frame on. [sessions, count * 480, channels]."""
    hops = table.unflatten(0, (-1, HOP))
    starts = torch.tensor([first % hops.shape[0] for first in frames]).to(table.device, non_blocking=True)
    index = (starts[:, None] + torch.arange(count, device=table.device)) % hops.shape[0]  # [sessions, count]
    return hops[index].flatten(1, 2)


def fold_weight_norm(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """A state in which every weight that was kept as length and direction (two spellings of torch) is one tensor again."""
    folded = dict(state)
    for length, direction in (
        (".parametrizations.weight.original0", ".parametrizations.weight.original1"),
        (".weight_g", ".weight_v"),
    ):
        for key in [key for key in folded if f".{key}".endswith(length)]:
            stem = key[: len(key) - len(length) + 1]
            g, v = folded.pop(key), folded.pop(stem + direction[1:])
            folded[f"{stem}weight"] = v * (g / v.flatten(1).norm(dim=1).view(g.shape))
    return folded


def _folds(module: nn.Module, state: dict[str, Tensor], prefix: str, *_: object) -> None:
    own = {key: value for key, value in state.items() if key.startswith(prefix)}
    for key in own:
        del state[key]
    state.update(fold_weight_norm(own))


class Conv(nn.Conv1d):
    """A convolution with its own padding on either side. Weights may be kept as length and direction: folded as they are loaded."""

    def __init__(
        self, inputs: int, outputs: int, kernel: int, *, stride: int = 1, dilation: int = 1, pad: tuple[int, int] = (0, 0)
    ) -> None:
        super().__init__(inputs, outputs, kernel, stride, dilation=dilation)
        self.pad = pad
        self.register_load_state_dict_pre_hook(_folds)

    def forward(self, x: Tensor, pad: tuple[int, int] | None = None) -> Tensor:
        """x: [sessions, inputs, frames]; `pad` instead of the usual. Runs in x's dtype."""
        x = F.pad(x, self.pad if pad is None else pad)
        return F.conv1d(x, self.weight.to(x.dtype), self.bias.to(x.dtype), self.stride, 0, self.dilation)


class UpConv(nn.ConvTranspose1d):
    def __init__(self, inputs: int, outputs: int, kernel: int, rate: int) -> None:
        super().__init__(inputs, outputs, kernel, rate, padding=(kernel - rate) // 2)
        self.register_load_state_dict_pre_hook(_folds)


class Snake(nn.Module):
    """x + sin^2(a x) / a, an a for each channel (arXiv 2006.08195)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(channels))

    def forward(self, x: Tensor) -> Tensor:
        """x: [sessions, channels, frames]."""
        alpha = self.alpha[:, None]
        return x + torch.sin(x * alpha).square() / (alpha + 1e-9)


class Residual(nn.Module):
    def __init__(self, channels: int, kernel: int, dilations: Sequence[int], causal: bool) -> None:
        super().__init__()

        def conv(dilation: int) -> Conv:
            reach = (kernel - 1) * dilation
            return Conv(channels, channels, kernel, dilation=dilation, pad=(reach, 0) if causal else (reach // 2, reach // 2))

        self.convs1 = nn.ModuleList([conv(dilation) for dilation in dilations])
        self.convs2 = nn.ModuleList([conv(1) for _ in dilations])
        self.activations1 = nn.ModuleList([Snake(channels) for _ in dilations])
        self.activations2 = nn.ModuleList([Snake(channels) for _ in dilations])

    def forward(self, x: Tensor) -> Tensor:
        for first, second, bend, again in zip(self.convs1, self.convs2, self.activations1, self.activations2, strict=True):
            x = x + second(again(first(bend(x))))
        return x


class Pitch(nn.Module):
    """Mel to Hz. Names are positions in the published chain, where ELU takes the odd ones."""

    def __init__(self, config: HiftConfig, kernel: int, pads: Sequence[tuple[int, int]]) -> None:
        super().__init__()
        sizes = [config.mel_bins] + [config.pitch_hidden] * len(pads)
        kernels = [kernel] + [3] * (len(pads) - 1)
        self.condnet = nn.ModuleDict(
            {str(2 * at): Conv(sizes[at], sizes[at + 1], kernels[at], pad=pad) for at, pad in enumerate(pads)}
        )
        self.classifier = nn.Linear(config.pitch_hidden, 1)

    def forward(self, mel: Tensor, pad: tuple[int, int] | None = None) -> Tensor:
        """mel: [sessions, mel_bins, frames]; `pad`: the first layer's. Returns [sessions, frames]. Runs in mel's dtype."""
        for at, conv in enumerate(self.condnet.values()):
            mel = F.elu(conv(mel, pad if at == 0 else None))
        line = self.classifier
        return F.linear(mel.transpose(1, 2), line.weight.to(mel.dtype), line.bias.to(mel.dtype)).squeeze(-1).abs()


class SourceMix(nn.Module):
    def __init__(self, harmonics: int) -> None:
        super().__init__()
        self.l_linear = nn.Linear(harmonics + 1, 1)

    def forward(self, sines: Tensor, voiced: Tensor, noise: Tensor | None, config: HiftConfig) -> Tensor:
        """sines: [sessions, samples, harmonics + 1]; voiced: [sessions, samples, 1], 0 or 1; noise: as sines. [sessions, 1, samples]."""
        waves = sines * (config.amplitude * voiced)
        if noise is not None:
            waves = waves + noise * (voiced * config.sigma + (1 - voiced) * (config.amplitude / 3))
        return torch.tanh(self.l_linear(waves)).transpose(1, 2)


class WaveNet(nn.Module):
    """What both kinds of vocoder share: mel frames and a source go up together, and come out through an inverse transform."""

    def __init__(self, config: HiftConfig, causal: bool) -> None:
        super().__init__()
        self.config = config
        self.m_source = SourceMix(config.harmonics)
        widths = [config.channels >> at for at in range(len(config.rates) + 1)]
        downs = [math.prod(config.rates[at + 1 :]) for at in range(len(config.rates))]  # the source comes at the last rate
        self.source_downs = nn.ModuleList(
            [self._down(config.fft + 2, widths[at + 1], down, causal) for at, down in enumerate(downs)]
        )
        self.source_resblocks = nn.ModuleList(
            [Residual(widths[at + 1], kernel, config.dilations, causal) for at, kernel in enumerate(config.source_kernels)]
        )
        self.resblocks = nn.ModuleList(
            [Residual(width, kernel, config.dilations, causal) for width in widths[1:] for kernel in config.kernels]
        )
        self.conv_post = Conv(widths[-1], config.fft + 2, 7, pad=(6, 0) if causal else (3, 3))

    @staticmethod
    def _down(inputs: int, outputs: int, down: int, causal: bool) -> Conv:
        if down == 1:
            return Conv(inputs, outputs, 1)
        return Conv(inputs, outputs, 2 * down, stride=down, pad=(down - 1, 0) if causal else (down // 2, down // 2))

    def spectrum(self, source: Tensor) -> Tensor:
        """source: [sessions, 1, samples]. Returns [sessions, fft + 2, samples / fft_hop + 1]: real parts, then imaginary ones."""
        config = self.config
        window = _hann(config.fft, source.device, source.dtype)
        found = torch.stft(source.squeeze(1), config.fft, config.fft_hop, window=window, return_complex=True)
        return torch.cat([found.real, found.imag], dim=1)

    def sound(self, x: Tensor, spectrum: Tensor, ups: nn.ModuleList) -> Tensor:
        """x: [sessions, channels, frames] after the first convolution; spectrum: as above. Returns samples [sessions, frames * 480]."""
        config, kinds = self.config, len(self.config.kernels)
        for at, up in enumerate(ups):
            x = up(F.leaky_relu(x, config.slope))
            if at == len(ups) - 1:
                x = F.pad(x, (1, 0), mode="reflect")
            x = x + self.source_resblocks[at](self.source_downs[at](spectrum))
            x = torch.stack([block(x) for block in self.resblocks[at * kinds : (at + 1) * kinds]]).sum(dim=0) / kinds
        x = self.conv_post(F.leaky_relu(x))
        bins = config.fft // 2 + 1
        size, angle = torch.exp(x[:, :bins]).clamp(max=100.0), torch.sin(x[:, bins:])
        window = _hann(config.fft, x.device, x.dtype)
        return torch.istft(torch.polar(size, angle), config.fft, config.fft_hop, window=window).clamp(-config.limit, config.limit)


class Hift(WaveNet):
    """The original vocoder: mel frames to a wave, by overlap (spec model.md 1.7)."""

    def __init__(self, config: HiftConfig) -> None:
        super().__init__(config, causal=False)
        self.conv_pre = Conv(config.mel_bins, config.channels, 7, pad=(3, 3))
        self.ups = nn.ModuleList(
            [
                UpConv(config.channels >> at, config.channels >> (at + 1), kernel, rate)
                for at, (kernel, rate) in enumerate(zip(config.rate_kernels, config.rates, strict=True))
            ]
        )
        self.f0_predictor = Pitch(config, 3, [(1, 1)] * 5)

    def begin(self, sessions: int) -> HiftState:
        """The state before a turn's first frame."""
        at = self.conv_pre.weight
        return HiftState(
            mel=at.new_zeros(sessions, self.config.mel_bins, 0),
            source=at.new_zeros(sessions, 1, 0),
            speech=at.new_zeros(sessions, 0),
            cycles=torch.zeros(sessions, self.config.harmonics + 1, 1, dtype=torch.float64, device=at.device),
            made=(0,) * sessions,
        )

    def source(self, pitch: Tensor, noise: Tensor | None, *, parity: bool, since: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """pitch: [sessions, frames] in Hz; noise: [sessions, frames * 480, harmonics + 1] or None for none.

        since: cycles [sessions, harmonics + 1, 1] where frame 8 begins, to go on from; None begins at zero.
        Returns [sessions, 1, frames * 480] and the cycles at the last frame's end.

        The published code lets the phase stand still outside the first and last frame's middle and begins anew with every window:
        a click a second, which the fade hides in part. Ours goes on.
        """
        count = torch.arange(1, self.config.harmonics + 2, device=pitch.device, dtype=pitch.dtype)
        turns = (pitch[:, None] * count[:, None] / self.config.sample_rate).remainder(1)  # [sessions, harmonics + 1, frames]
        turns = turns.double() * HOP
        cycles = turns.cumsum(dim=2)
        if since is not None:
            fresh = slice(HELD_FRAMES, HELD_FRAMES + 1)
            cycles = cycles + (since - (cycles[:, :, fresh] - turns[:, :, fresh] / 2))
        still = 0.0 if parity else 1.0
        edges = [cycles[:, :, :1] - still * turns[:, :, :1], cycles, cycles[:, :, -1:] + still * turns[:, :, -1:]]
        phase = F.interpolate(torch.cat(edges, dim=2), scale_factor=HOP, mode="linear")[:, :, HOP:-HOP]
        sines = torch.sin(2 * math.pi * phase.remainder(1)).to(pitch.dtype).transpose(1, 2)
        voiced = (pitch > self.config.voiced_hz).to(pitch.dtype).repeat_interleave(HOP, dim=1)[:, :, None]
        return self.m_source(sines, voiced, noise, self.config), (cycles + turns / 2)[:, :, -1:].remainder(1)

    def wave(self, mel: Tensor, source: Tensor) -> Tensor:
        """mel: [sessions, mel_bins, frames]; source: [sessions, 1, frames * 480]. Returns [sessions, frames * 480]."""
        return self.sound(self.conv_pre(mel), self.spectrum(source), self.ups)

    def forward(
        self, mel: Tensor, state: HiftState, noise: Tensor | None, *, last: bool, parity: bool = False
    ) -> tuple[Tensor, HiftState]:
        """mel: new frames [sessions, mel_bins, new]; noise: a `noise_table`, or None for none.

        Returns samples and the state after them. 3840 samples are held back until more comes, or till the `last` frames of a turn;
        a turn that goes on begins with as many of silence, so that 50 frames are always 24,000 samples.
        """
        mel = torch.cat([state.mel, mel], dim=2)
        held, samples = int(state.mel.shape[2]), int(state.speech.shape[1])
        if mel.shape[2] == 0:
            return state.speech, state
        fresh = None if noise is None else noise_at(noise, [made - held for made in state.made], int(mel.shape[2]))
        since = state.cycles if held == HELD_FRAMES < mel.shape[2] and not parity else None
        source, cycles = self.source(self.f0_predictor(mel), fresh, parity=parity, since=since)
        source = torch.cat([state.source, source[:, :, samples:]], dim=2)
        wave = self.wave(mel, source)
        if samples:
            rise, fall = torch.hamming_window(2 * samples, periodic=False, device=wave.device, dtype=wave.dtype).chunk(2)
            if not parity:  # the published halves add up to 1.08: a swell a second
                rise, fall = rise / (rise + fall), fall / (rise + fall)
            wave = torch.cat([wave[:, :samples] * rise + state.speech * fall, wave[:, samples:]], dim=1)
        made = tuple(made + int(mel.shape[2]) - held for made in state.made)
        after = HiftState(mel[:, :, -HELD_FRAMES:].clone(), source[:, :, -HELD:].clone(), wave[:, -HELD:].clone(), cycles, made)
        if last:
            return wave, after
        wave = wave[:, :-HELD]
        return (F.pad(wave, (HELD, 0)) if held == 0 else wave), after
