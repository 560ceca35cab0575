"""Speech codes to what a mel frame should sound like: a conformer that looks three codes ahead and doubles the rate.

Shapes and rules: spec model.md section 1.7; attention with relative positions after Transformer-XL (arXiv 1901.02860, appendix B).
Streams: a window's state is a value that goes in and comes out. Doesn't know where codes come from, nor what a speaker is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import torch
from torch import Tensor, nn
from torch.nn import functional as F

RECENT_FRAMES = 100  # so much of what was said is remembered beside the prompt


class Release(Enum):
    """Whose rules: ours, or those of the published package's releases, slips included."""

    OURS = "ours"
    V1_0_6 = "1.0.6"  # and 1.0.5
    V1_0_7 = "1.0.7"


@dataclass(frozen=True, slots=True)
class EncoderConfig:
    """`layers` run at the rate of codes, `up_layers` at `stride` times that. `look_ahead`: codes that a window needs beyond its end."""

    hidden: int
    layers: int
    up_layers: int
    heads: int
    ffn: int
    look_ahead: int = 3
    stride: int = 2
    key_bias: bool = True


@dataclass(frozen=True, slots=True)
class EncoderState:
    """What the encoder remembers of earlier windows, for one or more sessions of the same length."""

    ahead: Tensor  # [sessions, hidden, 2]
    up: Tensor  # [sessions, hidden, 2 * stride]
    coarse: Tensor  # [layers, sessions, heads, codes, 2 * head_dim], keys then values
    fine: Tensor  # [up_layers, sessions, heads, frames, 2 * head_dim]

    @property
    def frames(self) -> int:
        return int(self.fine.shape[3])

    @staticmethod
    def stack(states: Sequence[EncoderState]) -> EncoderState:
        return EncoderState(
            ahead=torch.cat([state.ahead for state in states]),
            up=torch.cat([state.up for state in states]),
            coarse=torch.cat([state.coarse for state in states], dim=1),
            fine=torch.cat([state.fine for state in states], dim=1),
        )

    def of(self, session: int) -> EncoderState:
        """The state of one session. Its own memory: nothing of the batch is kept alive."""
        one = slice(session, session + 1)
        return EncoderState(self.ahead[one].clone(), self.up[one].clone(), self.coarse[:, one].clone(), self.fine[:, one].clone())

    def trimmed(self, prompt_frames: int, release: Release) -> EncoderState:
        """Without what lies between the prompt and the last 100 frames.

        1.0.6 kept both rates in one tensor, the coarse one twice over, and cut it as one: its coarse layers keep the oldest codes.
        """
        if self.frames <= prompt_frames + RECENT_FRAMES:
            return self
        fine = torch.cat([self.fine[:, :, :, :prompt_frames], self.fine[:, :, :, -RECENT_FRAMES:]], dim=3)
        stride = self.frames // self.coarse.shape[3]
        if release is Release.V1_0_6:
            twice = self.coarse.repeat(1, 1, 1, stride, 1)
            cut = torch.cat([twice[:, :, :, :prompt_frames], twice[:, :, :, -RECENT_FRAMES:]], dim=3)
            coarse = cut[:, :, :, : cut.shape[3] // stride]
        else:
            codes, recent = prompt_frames // stride, RECENT_FRAMES // stride
            coarse = torch.cat([self.coarse[:, :, :, :codes], self.coarse[:, :, :, -recent:]], dim=3)
        return EncoderState(self.ahead, self.up, coarse, fine)


@lru_cache(maxsize=16)
def _distances(reach: int, hidden: int, device: torch.device, dtype: torch.dtype) -> Tensor:
    """Sines and cosines of the distances reach-1 ... -(reach-1). [2 * reach - 1, hidden]. Kept: the same for every call."""
    distance = torch.arange(reach - 1, -reach, -1, dtype=torch.float32)[:, None]
    rate = torch.exp(torch.arange(0, hidden, 2, dtype=torch.float32) * -(math.log(10_000.0) / hidden))
    table = torch.stack([torch.sin(distance * rate), torch.cos(distance * rate)], dim=2).flatten(1)
    return table.to(device=device, dtype=dtype)


def _positions(new: int, total: int, like: Tensor) -> Tensor:
    """Distances total-1 ... -(new-1) between `new` queries and `total` keys that end with them. [new + total - 1, hidden]."""
    reach = 1 << (total - 1).bit_length()
    table = _distances(reach, int(like.shape[-1]), like.device, like.dtype)
    return table[reach - total : reach - 1 + new]


def _shifted(scores: Tensor, new: int, total: int) -> Tensor:
    """Row i of `scores` [..., new, new + total - 1] begins at its column new-1-i. [..., new, total]."""
    if new == 1:
        return scores
    width = new + total - 2
    flat = scores.flatten(-2)[..., new - 1 : new - 1 + new * width]
    return flat.unflatten(-1, (new, width))[..., :total]


class RelativeAttention(nn.Module):
    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        hidden, self.heads = config.hidden, config.heads
        self.linear_q = nn.Linear(hidden, hidden)
        self.linear_k = nn.Linear(hidden, hidden, bias=config.key_bias)
        self.linear_v = nn.Linear(hidden, hidden)
        self.linear_out = nn.Linear(hidden, hidden)
        self.linear_pos = nn.Linear(hidden, hidden, bias=False)
        self.pos_bias_u = nn.Parameter(torch.zeros(self.heads, hidden // self.heads))
        self.pos_bias_v = nn.Parameter(torch.zeros(self.heads, hidden // self.heads))

    def forward(self, x: Tensor, cache: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        """x: [sessions, new, hidden]; cache: [sessions, heads, past, 2 * head_dim]; positions: [new + total - 1, hidden].

        Every row sees the whole cache and the whole window. Returns x's shape and the cache with `new` more rows.
        """
        new = x.shape[1]
        query = self.linear_q(x).unflatten(-1, (self.heads, -1))  # [sessions, new, heads, head_dim]
        key = self.linear_k(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)  # [sessions, heads, new, head_dim]
        value = self.linear_v(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        cache = torch.cat([cache, torch.cat([key, value], dim=-1)], dim=2)
        keys, values = cache.chunk(2, dim=-1)  # [sessions, heads, total, head_dim] each
        places = self.linear_pos(positions).unflatten(-1, (self.heads, -1)).permute(1, 2, 0)  # [heads, head_dim, new + total - 1]
        by_place = _shifted((query + self.pos_bias_v).transpose(1, 2) @ places, new, keys.shape[2])
        by_place = by_place / math.sqrt(keys.shape[3])  # [sessions, heads, new, total]
        seen = F.scaled_dot_product_attention((query + self.pos_bias_u).transpose(1, 2), keys, values, attn_mask=by_place)
        return self.linear_out(seen.transpose(1, 2).flatten(2)), cache


class FeedForward(nn.Module):
    def __init__(self, hidden: int, ffn: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(hidden, ffn)
        self.w_2 = nn.Linear(ffn, hidden)

    def forward(self, x: Tensor) -> Tensor:
        return self.w_2(F.silu(self.w_1(x)))


class EncoderLayer(nn.Module):
    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.self_attn = RelativeAttention(config)
        self.feed_forward = FeedForward(config.hidden, config.ffn)
        self.norm_mha = nn.LayerNorm(config.hidden, eps=1e-12)
        self.norm_ff = nn.LayerNorm(config.hidden, eps=1e-12)

    def forward(self, x: Tensor, cache: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        seen, cache = self.self_attn(self.norm_mha(x), cache, positions)
        x = x + seen
        return x + self.feed_forward(self.norm_ff(x)), cache


class Embed(nn.Module):
    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.out = nn.Sequential(nn.Linear(hidden, hidden), nn.LayerNorm(hidden, eps=1e-5))

    def forward(self, x: Tensor) -> Tensor:
        return self.out(x) * math.sqrt(x.shape[-1])


class LookAhead(nn.Module):
    """A row that has seen `look_ahead` rows of the future and two of the past."""

    def __init__(self, hidden: int, look_ahead: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(hidden, hidden, look_ahead + 1)
        self.conv2 = nn.Conv1d(hidden, hidden, 3)

    def forward(self, x: Tensor, cache: Tensor) -> tuple[Tensor, Tensor]:
        """x: [sessions, codes + look_ahead, hidden]; cache: [sessions, hidden, 2]. Returns [sessions, codes, hidden] and a cache."""
        ahead = torch.cat([cache, F.leaky_relu(self.conv1(x.transpose(1, 2)))], dim=2)  # [sessions, hidden, 2 + codes]
        found = self.conv2(ahead).transpose(1, 2)
        return found + x[:, : found.shape[1]], ahead[:, :, -2:]


class Upsample(nn.Module):
    def __init__(self, hidden: int, stride: int) -> None:
        super().__init__()
        self.stride = stride
        self.conv = nn.Conv1d(hidden, hidden, 2 * stride + 1)

    def forward(self, x: Tensor, cache: Tensor) -> tuple[Tensor, Tensor]:
        """x: [sessions, codes, hidden]; cache: [sessions, hidden, 2 * stride]. Returns [sessions, stride * codes, hidden]."""
        rows = torch.cat([cache, x.transpose(1, 2).repeat_interleave(self.stride, dim=2)], dim=2)
        return self.conv(rows).transpose(1, 2), rows[:, :, -2 * self.stride :]


class FlowEncoder(nn.Module):
    """Codes at 25 Hz to what the flow is about, at 50 Hz."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.config = config
        self.embed = Embed(config.hidden)
        self.pre_lookahead_layer = LookAhead(config.hidden, config.look_ahead)
        self.encoders = nn.ModuleList([EncoderLayer(config) for _ in range(config.layers)])
        self.up_layer = Upsample(config.hidden, config.stride)
        self.up_embed = Embed(config.hidden)
        self.up_encoders = nn.ModuleList([EncoderLayer(config) for _ in range(config.up_layers)])
        self.after_norm = nn.LayerNorm(config.hidden, eps=1e-5)

    def begin(self, sessions: int) -> EncoderState:
        """The state before the first window."""
        at, config = self.after_norm.weight, self.config
        width = 2 * config.hidden // config.heads
        return EncoderState(
            ahead=at.new_zeros(sessions, config.hidden, 2),
            up=at.new_zeros(sessions, config.hidden, 2 * config.stride),
            coarse=at.new_zeros(config.layers, sessions, config.heads, 0, width),
            fine=at.new_zeros(config.up_layers, sessions, config.heads, 0, width),
        )

    def forward(self, x: Tensor, state: EncoderState, last: bool) -> tuple[Tensor, EncoderState]:
        """x: embedded codes [sessions, codes, hidden]; the last `look_ahead` of them are only looked at, unless this is the end.

        Returns [sessions, stride * (codes - look_ahead, or all of them at the end), hidden] and the state after that.
        """
        x = self.embed(x)
        if last:
            x = F.pad(x, (0, 0, 0, self.config.look_ahead))
        x, ahead = self.pre_lookahead_layer(x, state.ahead)
        x, coarse = self._run(self.encoders, x, state.coarse)
        x, up = self.up_layer(x, state.up)
        x, fine = self._run(self.up_encoders, self.up_embed(x), state.fine)
        return self.after_norm(x), EncoderState(ahead, up, coarse, fine)

    @staticmethod
    def _run(layers: nn.ModuleList, x: Tensor, caches: Tensor) -> tuple[Tensor, Tensor]:
        positions = _positions(x.shape[1], caches.shape[3] + x.shape[1], x)
        after = []
        for layer, cache in zip(layers, caches, strict=True):
            x, cache = layer(x, cache, positions)
            after.append(cache)
        return x, torch.stack(after)
