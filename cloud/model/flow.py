"""Speech codes to mel frames: a transformer pushes noise along a flow, in a few Euler steps, guided by codes and a speaker.

Flow matching with an optimal-transport path (arXiv 2210.02747), a DiT with adaptive norms (arXiv 2212.09748), guidance without a
classifier (arXiv 2207.12598). Shapes and rules: spec model.md section 1.7. The state of a session is a value; sessions whose lengths
agree run as one batch. Doesn't know what a turn is, nor how a wave is made.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ridealong.cloud.model.flow_encoder import RECENT_FRAMES, EncoderConfig, EncoderState, FlowEncoder, Release

NOISE_FRAMES = 30_000  # ten minutes; then the table begins anew


@dataclass(frozen=True, slots=True)
class FlowConfig:
    """`guidance`: how far past the unguided answer. `head_dim` is its own number, not hidden / heads."""

    encoder: EncoderConfig
    codes: int
    mel_bins: int
    speaker: int
    hidden: int
    depth: int
    heads: int
    head_dim: int
    mlp_ratio: float
    guidance: float = 0.7


@dataclass(frozen=True, slots=True)
class FlowState:
    """What the flow remembers, for one or more sessions of the same lengths. Axis 2 of both caches: guided, then unguided."""

    encoder: EncoderState
    conv: Tensor  # [steps, depth, 2, sessions, 2 * hidden, 2]
    attention: Tensor  # [steps, depth, 2, sessions, heads, frames, 2 * head_dim], keys then values
    speaker: Tensor  # [sessions, mel_bins]
    prompt_frames: int
    made: tuple[int, ...]  # frames of each session so far, the prompt's among them

    @property
    def frames(self) -> int:
        return int(self.attention.shape[5])

    @property
    def shape(self) -> tuple[int, ...]:
        """Sessions run as one batch when these agree."""
        return (self.prompt_frames, self.frames, self.encoder.frames, int(self.attention.shape[0]))

    @staticmethod
    def stack(states: Sequence[FlowState]) -> FlowState:
        """Raises ValueError where lengths don't agree."""
        if len(states) == 1:
            return states[0]
        if len({state.shape for state in states}) != 1:
            raise ValueError("sessions of different lengths can't be one batch")
        return FlowState(
            encoder=EncoderState.stack([state.encoder for state in states]),
            conv=torch.cat([state.conv for state in states], dim=3),
            attention=torch.cat([state.attention for state in states], dim=3),
            speaker=torch.cat([state.speaker for state in states]),
            prompt_frames=states[0].prompt_frames,
            made=tuple(made for state in states for made in state.made),
        )

    def split(self) -> list[FlowState]:
        """One state a session, each with its own memory."""
        if len(self.made) == 1:
            return [self]
        return [
            FlowState(
                self.encoder.of(session),
                self.conv[:, :, :, session : session + 1].clone(),
                self.attention[:, :, :, session : session + 1].clone(),
                self.speaker[session : session + 1].clone(),
                self.prompt_frames,
                (made,),
            )
            for session, made in enumerate(self.made)
        ]


@lru_cache(maxsize=4)
def noise_table(mel_bins: int, seed: int, device: torch.device) -> Tensor:
    """The fixed noise that every session starts its frames from. [mel_bins, 30 000]. Kept: one a seed and device."""
    drawn = torch.randn(mel_bins, NOISE_FRAMES, generator=torch.Generator().manual_seed(seed))
    return drawn.to(device)


@lru_cache(maxsize=16)
def _moments(steps: int, device: torch.device, dtype: torch.dtype) -> tuple[tuple[float, ...], Tensor]:
    """Points 1 - cos(pi/2 * k/steps) of the path, k = 0 ... steps; and sinusoids of the first `steps` of them, [steps, 256]."""
    points = 1 - torch.cos(torch.linspace(0, 1, steps + 1, dtype=torch.float32) * 0.5 * torch.pi)
    return tuple(points.tolist()), moment_waves(points[:-1]).to(device=device, dtype=dtype)


def moment_waves(moments: Tensor) -> Tensor:
    """moments: [rows], 0 to 1. Returns [rows, 256]: cosines, then sines."""
    rates = torch.exp(-math.log(10_000.0) * torch.arange(128, dtype=torch.float32, device=moments.device) / 128)
    angles = (moments * 1000)[:, None] * rates
    return torch.cat([torch.cos(angles), torch.sin(angles)], dim=-1)


class Attention(nn.Module):
    def __init__(self, config: FlowConfig) -> None:
        super().__init__()
        inner, self.heads = config.heads * config.head_dim, config.heads
        self.to_q = nn.Linear(config.hidden, inner)
        self.to_k = nn.Linear(config.hidden, inner)
        self.to_v = nn.Linear(config.hidden, inner)
        self.q_norm = nn.LayerNorm(config.head_dim)
        self.k_norm = nn.LayerNorm(config.head_dim)
        self.proj = nn.Linear(inner, config.hidden)

    def forward(self, x: Tensor, cache: Tensor) -> tuple[Tensor, Tensor]:
        """x: [rows, new, hidden]; cache: [rows, heads, past, 2 * head_dim]. No positions, no mask: the order of keys is no matter.

        Returns x's shape and the new rows for the cache, [rows, heads, new, 2 * head_dim].
        """
        query = self.q_norm(self.to_q(x).unflatten(-1, (self.heads, -1))).transpose(1, 2)  # [rows, heads, new, head_dim]
        key = self.k_norm(self.to_k(x).unflatten(-1, (self.heads, -1))).transpose(1, 2)
        value = self.to_v(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        past_keys, past_values = cache.chunk(2, dim=-1)
        seen = F.scaled_dot_product_attention(query, torch.cat([key, past_keys], dim=2), torch.cat([value, past_values], dim=2))
        return self.proj(seen.transpose(1, 2).flatten(2)), torch.cat([key, value], dim=-1)


class ConvBlock(nn.Module):
    """Two causal convolutions. Names are positions in the published chain, where transpositions and Mish take the others."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.block = nn.ModuleDict(
            {"1": nn.Conv1d(hidden, hidden, 3), "3": nn.LayerNorm(hidden), "6": nn.Conv1d(hidden, hidden, 3)}
        )

    def forward(self, x: Tensor, cache: Tensor) -> tuple[Tensor, Tensor]:
        """x: [rows, new, hidden]; cache: [rows, 2 * hidden, 2], what each convolution saw last. Returns both again."""
        before, between = cache.chunk(2, dim=1)
        rows = torch.cat([before, x.transpose(1, 2)], dim=2)  # [rows, hidden, 2 + new]
        x = F.mish(self.block["3"](self.block["1"](rows).transpose(1, 2)))
        middle = torch.cat([between, x.transpose(1, 2)], dim=2)
        return self.block["6"](middle).transpose(1, 2), torch.cat([rows[:, :, -2:], middle[:, :, -2:]], dim=1)


class Mlp(nn.Module):
    def __init__(self, hidden: int, inner: int) -> None:
        super().__init__()
        self.fc1 = nn.Linear(hidden, inner)
        self.fc2 = nn.Linear(inner, hidden)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(F.gelu(self.fc1(x), approximate="tanh"))


def _modulated(x: Tensor, shift: Tensor, scale: Tensor) -> Tensor:
    return F.layer_norm(x, x.shape[-1:], eps=1e-6) * (1 + scale) + shift


class Block(nn.Module):
    def __init__(self, config: FlowConfig) -> None:
        super().__init__()
        self.attn = Attention(config)
        self.mlp = Mlp(config.hidden, int(config.hidden * config.mlp_ratio))
        self.conv = ConvBlock(config.hidden)
        self.adaLN_modulation = nn.ModuleDict({"1": nn.Linear(config.hidden, 9 * config.hidden)})

    def forward(self, x: Tensor, moment: Tensor, conv: Tensor, attention: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """x: [rows, new, hidden]; moment: [rows or 1, 1, hidden], after SiLU; caches as in the parts. Order: attend, convolve, MLP."""
        of = self.adaLN_modulation["1"](moment).chunk(9, dim=-1)  # shift, scale, gate for each of attention, MLP, convolution
        seen, fresh = self.attn(_modulated(x, of[0], of[1]), attention)
        x = x + of[2] * seen
        heard, conv = self.conv(_modulated(x, of[6], of[7]), conv)
        x = x + of[8] * heard
        return x + of[5] * self.mlp(_modulated(x, of[3], of[4])), conv, fresh


class FinalLayer(nn.Module):
    def __init__(self, hidden: int, out: int) -> None:
        super().__init__()
        self.adaLN_modulation = nn.ModuleDict({"1": nn.Linear(hidden, 2 * hidden)})
        self.linear = nn.Linear(hidden, out)

    def forward(self, x: Tensor, moment: Tensor) -> Tensor:
        shift, scale = self.adaLN_modulation["1"](moment).chunk(2, dim=-1)
        return self.linear(_modulated(x, shift, scale))


class MomentEmbedder(nn.Module):
    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(256, hidden), nn.SiLU(), nn.Linear(hidden, hidden))

    def forward(self, waves: Tensor) -> Tensor:
        """waves: [rows, 256]. Returns [rows, hidden]."""
        return self.mlp(waves)


class Estimator(nn.Module):
    """Where noise should go from here. A DiT over frames."""

    def __init__(self, config: FlowConfig) -> None:
        super().__init__()
        self.t_embedder = MomentEmbedder(config.hidden)
        self.in_proj = nn.Linear(4 * config.mel_bins, config.hidden)
        self.blocks = nn.ModuleList([Block(config) for _ in range(config.depth)])
        self.final_layer = FinalLayer(config.hidden, config.mel_bins)

    def forward(self, x: Tensor, moment: Tensor, conv: Tensor, attention: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """x: [rows, new, 4 * mel_bins]: frames, codes, speaker, prompt; moment: [rows or 1, 1, hidden].

        conv: [depth, rows, 2 * hidden, 2]; attention: [depth, rows, heads, past, 2 * head_dim].
        Returns [rows, new, mel_bins], conv again, and the new rows for the attention's cache, [depth, rows, heads, new, 2 * head_dim].
        """
        x, moment = self.in_proj(x), F.silu(moment)
        convs, fresh = [], []
        for depth, block in enumerate(self.blocks):
            x, after, rows = block(x, moment, conv[depth], attention[depth])
            convs.append(after)
            fresh.append(rows)
        return self.final_layer(x, moment), torch.stack(convs), torch.stack(fresh)


class Decoder(nn.Module):
    """The flow's Euler steps with guidance (arXiv 2207.12598)."""

    def __init__(self, config: FlowConfig) -> None:
        super().__init__()
        self.config = config
        self.estimator = Estimator(config)

    def forward(self, noise: Tensor, about: Tensor, conv: Tensor, attention: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """noise: [sessions, new, mel_bins]; about: codes, speaker and prompt, [sessions, new, 3 * mel_bins]; caches as in `FlowState`.

        Returns mel frames, [sessions, new, mel_bins]; conv again; and the new rows for the attention's cache.
        """
        sessions, steps, guidance = noise.shape[0], conv.shape[0], self.config.guidance
        points, waves = _moments(steps, noise.device, noise.dtype)
        moments = self.estimator.t_embedder(waves)  # [steps, hidden]
        known = torch.cat([about, torch.zeros_like(about)])  # [2 * sessions, new, 3 * mel_bins]
        x, convs, fresh = noise, [], []
        for step in range(steps):
            rows = torch.cat([x.repeat(2, 1, 1), known], dim=-1)
            push, after, added = self.estimator(
                rows, moments[step : step + 1, None], conv[step].flatten(1, 2), attention[step].flatten(1, 2)
            )
            guided, free = push.chunk(2)
            x = x + (points[step + 1] - points[step]) * ((1 + guidance) * guided - guidance * free)
            convs.append(after.unflatten(1, (2, sessions)))
            fresh.append(added.unflatten(1, (2, sessions)))
        return x, torch.stack(convs), torch.stack(fresh)


class Flow(nn.Module):
    """Speech codes to mel frames; keys as in flow.pt."""

    def __init__(self, config: FlowConfig) -> None:
        super().__init__()
        self.config = config
        self.input_embedding = nn.Embedding(config.codes, config.encoder.hidden)
        self.spk_embed_affine_layer = nn.Linear(config.speaker, config.mel_bins)
        self.encoder = FlowEncoder(config.encoder)
        self.encoder_proj = nn.Linear(config.encoder.hidden, config.mel_bins)
        self.decoder = Decoder(config)

    def begin(self, speaker: Tensor, steps: int) -> FlowState:
        """The state before a prompt. speaker: x-vectors [sessions, speaker]. `steps`: Euler steps of every window to come."""
        config, sessions = self.config, int(speaker.shape[0])
        at = self.encoder_proj.weight
        return FlowState(
            encoder=self.encoder.begin(sessions),
            conv=at.new_zeros(steps, config.depth, 2, sessions, 2 * config.hidden, 2),
            attention=at.new_zeros(steps, config.depth, 2, sessions, config.heads, 0, 2 * config.head_dim),
            speaker=self.spk_embed_affine_layer(F.normalize(speaker.to(at.dtype), dim=1)),
            prompt_frames=0,
            made=(0,) * sessions,
        )

    def prompt(self, codes: Tensor, mel: Tensor, state: FlowState, noise: Tensor) -> FlowState:
        """Hears the reference voice. codes: [sessions, n + look_ahead]; mel: [sessions, stride * n, mel_bins]; noise: [mel_bins, table].

        Raises ValueError where the mel is not as long as the codes say.
        """
        if mel.shape[1] != self.config.encoder.stride * (codes.shape[1] - self.config.encoder.look_ahead):
            raise ValueError(
                f"a prompt of {codes.shape[1]} codes, look-ahead among them, doesn't go with {mel.shape[1]} mel frames"
            )
        _, after = self._advance(codes, mel, state, noise, last=False, release=Release.OURS)
        return FlowState(after.encoder, after.conv, after.attention, after.speaker, int(mel.shape[1]), after.made)

    def forward(
        self, codes: Tensor, state: FlowState, noise: Tensor, *, last: bool, release: Release = Release.OURS
    ) -> tuple[Tensor, FlowState]:
        """codes: [sessions, n]; the last `look_ahead` of them are only looked at and come again in the next window, unless `last`.

        noise: [mel_bins, table]. Returns mel frames [sessions, mel_bins, stride * (n - look_ahead, or n at the end)] and the state
        after them. With `release` other than OURS the caches are trimmed, and the noise is read, as the published package does it.
        """
        mel, after = self._advance(codes, None, state, noise, last=last, release=release, trim=True)
        return mel.transpose(1, 2), replace(after, encoder=after.encoder.trimmed(state.prompt_frames, release))

    def whole(self, codes: Tensor, prompt_codes: Tensor, prompt_mel: Tensor, state: FlowState, noise: Tensor) -> Tensor:
        """All at once, nothing kept: codes [sessions, n], prompt_codes [sessions, p], prompt_mel [sessions, stride * p, mel_bins].

        Returns [sessions, mel_bins, stride * n].
        """
        every = torch.cat([prompt_codes, codes], dim=1)
        mel, _ = self._advance(every, prompt_mel, state, noise, last=True, release=Release.OURS)
        return mel[:, prompt_mel.shape[1] :].transpose(1, 2)

    def _advance(
        self,
        codes: Tensor,
        prompt: Tensor | None,
        state: FlowState,
        noise: Tensor,
        *,
        last: bool,
        release: Release,
        trim: bool = False,
    ) -> tuple[Tensor, FlowState]:
        heard, encoder = self.encoder(self.input_embedding(codes), state.encoder, last)
        meant = self.encoder_proj(heard)  # [sessions, new, mel_bins]
        given = torch.zeros_like(meant)
        if prompt is not None:
            given[:, : prompt.shape[1]] = prompt
        new = int(meant.shape[1])
        # The published package reads from its cache's length, which stops growing once it is trimmed: the same noise each window.
        starts = state.made if release is Release.OURS else (state.frames,) * len(state.made)
        about = torch.cat([meant, state.speaker[:, None].expand(-1, new, -1), given], dim=-1)
        mel, conv, fresh = self.decoder(_read(noise, starts, new).to(meant.dtype), about, state.conv, state.attention)
        made = tuple(made + new for made in state.made)
        attention = _kept(state.attention, fresh, state.prompt_frames if trim else None, release)
        return mel, FlowState(encoder, conv, attention, state.speaker, state.prompt_frames, made)


def _kept(old: Tensor, fresh: Tensor, prompt: int | None, release: Release) -> Tensor:
    """The attention's cache with new frames, trimmed: each [..., frames, 2 * head_dim]. prompt: None trims nothing.

    Ours, in order of time: the prompt and the last 100 frames. Published, newest window first: the first `prompt` and the last 100.
    """
    parts = [old, fresh] if release is Release.OURS else [fresh, old]
    frames, recent = old.shape[-2] + fresh.shape[-2], RECENT_FRAMES
    if prompt is not None and frames > prompt + recent:  # one copy: joined and then cut would be two
        parts = [part for part in (*_between(parts, 0, prompt), *_between(parts, frames - recent, frames)) if part.shape[-2]]
    return torch.cat(parts, dim=-2)


def _between(parts: Sequence[Tensor], start: int, stop: int) -> list[Tensor]:
    """Frames [start, stop) of the parts one after another, as views."""
    found, at = [], 0
    for part in parts:
        frames = part.shape[-2]
        found.append(part[..., max(0, start - at) : max(0, min(frames, stop - at)), :])
        at += frames
    return found


def _read(noise: Tensor, starts: Sequence[int], frames: int) -> Tensor:
    """noise: [mel_bins, table]. For each session `frames` frames from its start, around the table's end. [sessions, frames, mel_bins]."""
    rows = []
    for start in starts:
        at = start % noise.shape[1]
        row = noise[:, at : at + frames]
        while row.shape[1] < frames:
            row = torch.cat([row, noise[:, : frames - row.shape[1]]], dim=1)
        rows.append(row.T)
    return torch.stack(rows)
