"""What the model hears: mel frames through a Whisper encoder and a projector to rows for the language model, 10 a second.

    mel [bins, frames] -> two convolutions -> 50 states a second -> layers -> projector -> mean of 5 -> [rows, llm hidden]

Two ways with the same weights: whole clips (a voice sample), where a state sees its own unit and all before it; and a live
stream a unit at a time, where the keys and values of earlier units lie in an `AudioCache`, a row per session. Both give the
same rows until a stream has filled its positions; then it forgets all that it heard and starts again (model.md 1.5).
Does not know: where mel frames come from, how long a session lasts, or who has which slot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from ridealong.cloud.model.config import AudioConfig
from ridealong.cloud.model.mel import FRAMES_PER_S, MARGIN_FRAMES, stack_clips, stack_units


@dataclass(slots=True)
class AudioCache:
    """What streams have heard. Rows behind a slot's length are never seen: rubbish of an earlier session may lie there.

    `keys`, `values`: [slots, layers, max_positions, heads, head_dim]. `lengths`: [slots] int64, on the same device.
    """

    keys: Tensor
    values: Tensor
    lengths: Tensor

    @staticmethod
    def empty(config: AudioConfig, slots: int, device: torch.device | str = "cpu", dtype: Any = torch.float32) -> AudioCache:
        shape = (slots, config.layers, config.max_positions, config.heads, config.hidden // config.heads)
        keys, values = (torch.zeros(shape, device=device, dtype=dtype) for _ in range(2))
        return AudioCache(keys, values, torch.zeros(slots, device=device, dtype=torch.int64))

    def reset(self, slots: Sequence[int]) -> None:
        """These slots have heard nothing. Raises `ValueError` for a slot that isn't there."""
        self.check(slots)
        self.lengths[torch.tensor(slots, dtype=torch.int64, device=self.lengths.device)] = 0

    def check(self, slots: Sequence[int]) -> None:
        count = int(self.lengths.shape[0])
        if len(set(slots)) != len(slots) or not all(0 <= slot < count for slot in slots):
            raise ValueError(f"slots are different numbers from 0 to {count - 1}, not {list(slots)}")


@dataclass(frozen=True, slots=True)
class _Past:
    """Where a step's states go. `rows`: [batch] slots. `read`: the same, as a slice where they are in a row (it copies nothing).

    `positions`: [batch, unit]."""

    cache: AudioCache
    rows: Tensor
    read: Tensor | slice
    positions: Tensor

    def extend(self, layer: int, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Writes [batch, unit, heads, head_dim] and returns all of these slots' rows: [batch, max_positions, heads, head_dim]."""
        every = []
        for kept, fresh in ((self.cache.keys[:, layer], keys), (self.cache.values[:, layer], values)):
            # A hidden NaN still spoils a sum (0 * NaN), so none may stay for the slot's next unit or next session.
            kept[self.rows[:, None], self.positions] = torch.nan_to_num(fresh, nan=0.0, posinf=0.0, neginf=0.0).to(kept.dtype)
            every.append(kept[self.read].to(fresh.dtype))
        return every[0], every[1]


class Attention(nn.Module):
    """Whisper's: scaled dot products, no bias on keys."""

    def __init__(self, config: AudioConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.q_proj = nn.Linear(config.hidden, config.hidden)
        self.k_proj = nn.Linear(config.hidden, config.hidden, bias=False)
        self.v_proj = nn.Linear(config.hidden, config.hidden)
        self.out_proj = nn.Linear(config.hidden, config.hidden)

    def forward(self, states: Tensor, seen: Tensor | None, past: _Past | None, layer: int) -> Tensor:
        """[batch, queries, hidden] to the same. `seen`: bool, broadcast to [batch, heads, queries, keys]; None shows all."""
        queries = self.q_proj(states).unflatten(-1, (self.heads, -1))  # [batch, queries, heads, head_dim]
        keys = self.k_proj(states).unflatten(-1, (self.heads, -1))
        values = self.v_proj(states).unflatten(-1, (self.heads, -1))
        if past is not None:
            keys, values = past.extend(layer, keys, values)
        mixed = functional.scaled_dot_product_attention(
            queries.transpose(1, 2), keys.transpose(1, 2), values.transpose(1, 2), attn_mask=seen
        )  # [batch, heads, queries, head_dim]
        return self.out_proj(mixed.transpose(1, 2).flatten(-2))


class Layer(nn.Module):
    def __init__(self, config: AudioConfig) -> None:
        super().__init__()
        self.self_attn = Attention(config)
        self.self_attn_layer_norm = nn.LayerNorm(config.hidden, eps=config.norm_eps)
        self.fc1 = nn.Linear(config.hidden, config.ffn)
        self.fc2 = nn.Linear(config.ffn, config.hidden)
        self.final_layer_norm = nn.LayerNorm(config.hidden, eps=config.norm_eps)

    def forward(self, states: Tensor, seen: Tensor | None, past: _Past | None, layer: int) -> Tensor:
        """[batch, queries, hidden] to the same."""
        states = states + self.self_attn(self.self_attn_layer_norm(states), seen, past, layer)
        return states + self.fc2(functional.gelu(self.fc1(self.final_layer_norm(states))))


class AudioEncoder(nn.Module):
    """A Whisper encoder; keys of a checkpoint under `apm.`. Raises `ValueError` for a config that makes no whole units.

    Done right, and the published code's way under `reference_parity`: the keys of a clip shorter than its batch are hidden from
    half its mel frames on (there: from all of them on), the convolution ends where the clip ends (there: where the batch
    ends), and a session's first unit finds its slot empty (there: as the last session left it).
    """

    def __init__(self, config: AudioConfig, *, reference_parity: bool = False) -> None:
        super().__init__()
        self.unit_frames = round(config.unit_s * FRAMES_PER_S)
        self.unit_states = self.unit_frames // 2
        if self.unit_frames % (2 * config.pool):
            raise ValueError(f"a unit of {config.unit_s} s is no whole number of rows of {config.pool} states")
        if config.max_positions <= self.unit_states + MARGIN_FRAMES:
            raise ValueError(f"{config.max_positions} positions are too few for one unit of {self.unit_states} states")
        self.config = config
        self.reference_parity = reference_parity
        self.conv1 = nn.Conv1d(config.mel_bins, config.hidden, 3, padding=1)
        self.conv2 = nn.Conv1d(config.hidden, config.hidden, 3, stride=2, padding=1)
        self.embed_positions = nn.Embedding(config.max_positions, config.hidden)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.layer_norm = nn.LayerNorm(config.hidden, eps=config.norm_eps)

    def whole(self, mel: Tensor, lengths: Tensor | None = None, *, block_causal: bool = True) -> Tensor:
        """Clips [batch, bins, frames] to [batch, ceil(frames / 2), hidden]. `lengths`: [batch] true frames, None for all.

        `block_causal`: a state sees its own unit and all before it; otherwise the whole clip. States behind a clip's end
        are rubbish. Raises `ValueError` for a clip longer than the positions.
        """
        count = (mel.shape[2] + 1) // 2
        if not 0 < count <= self.config.max_positions:
            raise ValueError(f"a clip has 1 to {2 * self.config.max_positions} frames, this one has {mel.shape[2]}")
        frames = torch.arange(mel.shape[2], device=mel.device)
        inside = None if lengths is None or self.reference_parity else frames < lengths[:, None]  # [batch, frames]
        states = self._convolve(mel, inside)  # [batch, count, hidden]
        states = states + self.embed_positions.weight[:count]
        keys = torch.arange(count, device=mel.device)
        seen = None
        if block_causal:
            unit = keys // self.unit_states
            seen = (unit[None, :] <= unit[:, None])[None, None]  # [1, 1, queries, keys]
        if lengths is not None:
            ends = lengths if self.reference_parity else (lengths + 1) // 2
            real = (keys < ends[:, None])[:, None, None]  # [batch, 1, 1, keys]
            seen = real if seen is None else seen & real
        return self._layers(states, seen, None)

    @torch.no_grad()
    def step(self, mel: Tensor, first: Tensor, rows: Tensor, cache: AudioCache, start: int | None = None) -> Tensor:
        """A unit of each of several sessions: mel [batch, bins, unit + 4] to states [batch, unit / 2, hidden].

        `first`: [batch] bool, this is its session's first unit. `rows`: [batch] int64, different slots of `cache`, which is
        extended in place. `start`: given where `rows` are start, start + 1, ... All on one device; shapes depend on `batch` alone and nothing is read back, so a graph can hold it.
        """
        inside = torch.ones(mel.shape[0], mel.shape[2], dtype=torch.bool, device=mel.device)
        inside[:, :MARGIN_FRAMES] = ~first[:, None]
        states = self._convolve(mel, inside)[:, 1:-1]  # [batch, unit, hidden]: the margins' states are cut
        past = cache.lengths[rows]  # [batch]
        if not self.reference_parity:
            past = past.masked_fill(first, 0)
        uncut = self.unit_states + MARGIN_FRAMES - first.to(past.dtype)  # the reference counts before it cuts: 51, then 52
        past = past.masked_fill(past + uncut >= self.config.max_positions, 0)
        positions = past[:, None] + torch.arange(self.unit_states, device=mel.device)  # [batch, unit]
        states = states + self.embed_positions.weight[positions]
        ends = past + self.unit_states
        seen = (torch.arange(self.config.max_positions, device=mel.device) < ends[:, None])[:, None, None]
        states = self._layers(
            states, seen, _Past(cache, rows, rows if start is None else slice(start, start + len(rows)), positions)
        )
        cache.lengths[rows] = ends
        return states

    def _convolve(self, mel: Tensor, inside: Tensor | None) -> Tensor:
        """[batch, bins, frames] to [batch, ceil(frames / 2), hidden]. Frames that aren't `inside` [batch, frames] end the sound.

        The second convolution must see 0 there, as it does past an end; the first one gives its bias for a frame of 0.
        """
        mel = mel.to(self.conv1.weight.dtype)
        states = functional.gelu(self.conv1(mel))  # [batch, hidden, frames]
        if inside is not None:
            states = states.masked_fill(~inside[:, None], 0.0)
        return functional.gelu(self.conv2(states)).transpose(1, 2)

    def _layers(self, states: Tensor, seen: Tensor | None, past: _Past | None) -> Tensor:
        for number, layer in enumerate(self.layers):
            states = layer(states, seen, past, number)
        return self.layer_norm(states)


class AudioProjector(nn.Module):
    """Encoder states to the language model's width; keys of a checkpoint under `audio_projection_layer.`."""

    def __init__(self, config: AudioConfig, llm_hidden: int) -> None:
        super().__init__()
        self.pool = config.pool
        self.linear1 = nn.Linear(config.ffn // 4, llm_hidden)
        self.linear2 = nn.Linear(llm_hidden, llm_hidden)

    def forward(self, states: Tensor) -> Tensor:
        """[batch, states, hidden] to [batch, states // pool, llm hidden]: projected, then the mean of each `pool`."""
        rows = self.linear2(functional.relu(self.linear1(states)))
        whole = rows.shape[1] // self.pool * self.pool  # states that fill no row are left out
        return rows[:, :whole].unflatten(1, (-1, self.pool)).mean(2)


@dataclass(frozen=True, slots=True)
class Ear:
    """Encoder and projector together, with what they are given checked. The model's parts keep their own keys."""

    encoder: AudioEncoder
    projector: AudioProjector

    def cache(self, slots: int) -> AudioCache:
        weight = self.encoder.conv1.weight
        return AudioCache.empty(self.encoder.config, slots, weight.device, weight.dtype)

    @torch.no_grad()
    def clips(self, mels: Sequence[Tensor], *, block_causal: bool = True) -> list[Tensor]:
        """Clips, each [bins, frames], to rows, each [ceil(frames / 2) // pool, llm hidden]. Raises `ValueError` for one with no row."""
        mel, lengths = stack_clips(mels)
        config, device = self.encoder.config, self.encoder.conv1.weight.device
        if mel.shape[1] != config.mel_bins:
            raise ValueError(f"a clip has {config.mel_bins} mel bins, these have {mel.shape[1]}")
        rows = [(length + 1) // 2 // config.pool for length in lengths]
        if not all(rows):
            raise ValueError(f"a clip of {min(lengths)} frames is too short for a row: {2 * config.pool - 1} are needed")
        true = None if len(set(lengths)) == 1 else torch.tensor(lengths, device=device)
        heard = self.projector(self.encoder.whole(mel.to(device), true, block_causal=block_causal))
        return [heard[number, :count] for number, count in enumerate(rows)]

    @torch.no_grad()
    def units(self, mels: Sequence[Tensor], slots: Sequence[int], cache: AudioCache) -> Tensor:
        """One unit, as `StreamingMel` gives it, for each of these slots: rows [batch, unit / 2 / pool, llm hidden].

        Raises `ValueError`, with the cache as it was, for units or slots that don't fit.
        """
        if len(mels) != len(slots):
            raise ValueError(f"each unit has a slot: {len(mels)} units, {len(slots)} slots")
        cache.check(slots)
        mel, first = stack_units(mels, self.encoder.config.mel_bins, self.encoder.unit_frames)
        device = self.encoder.conv1.weight.device
        rows = torch.tensor(slots, dtype=torch.int64, device=device)
        start = slots[0] if slots and list(slots) == list(range(slots[0], slots[0] + len(slots))) else None
        return self.projector(self.encoder.step(mel.to(device), first.to(device), rows, cache, start))
