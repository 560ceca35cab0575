"""The language model: Qwen3, over a cache of fixed size with a slot for every session.

    ids -> embed -> rows of words, pictures and sounds -> forward -> states after the last norm -> logits

Source: spec model.md 1.1, 2; Qwen3 report (arXiv 2505.09388) section 2. Nothing in a step has a shape that depends on what tensors hold
and nothing is read back, so a step can be captured as a graph. Knows no unit, no token's name, and no rule of decoding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as fn
from torch.utils.checkpoint import checkpoint

from ridealong.cloud.model.config import LanguageConfig
from ridealong.cloud.model.kv_cache import KvCache
from ridealong.cloud.model.layers import Layer, RmsNorm, added
from ridealong.cloud.model.rotary import Turn, turn_to, turned


class _Where(NamedTuple):
    """What every layer of one step needs to know about places."""

    turn: Turn  # cos, sin: [batch, rows, 1, head_dim / 2]
    slots: Tensor  # [batch]: which slots of the cache that the layer is given
    in_order: bool  # they are all of them: nothing need be gathered
    at: Tensor  # [batch, rows]: the row of the cache that each new row is written to
    mask: Tensor  # [batch, 1, groups * rows, span], added to scores


class _Attention(nn.Module):
    def __init__(self, config: LanguageConfig) -> None:
        super().__init__()
        self._config = config
        wide, narrow = config.heads * config.head_dim, config.kv_heads * config.head_dim
        self.q_proj = nn.Linear(config.hidden, wide, bias=False)
        self.k_proj = nn.Linear(config.hidden, narrow, bias=False)
        self.v_proj = nn.Linear(config.hidden, narrow, bias=False)
        self.o_proj = nn.Linear(wide, config.hidden, bias=False)
        self.q_norm = RmsNorm(config.head_dim, config.norm_eps)
        self.k_norm = RmsNorm(config.head_dim, config.norm_eps)

    def forward(self, x: Tensor, keys: Tensor, values: Tensor, where: _Where) -> Tensor:
        """x: [batch, rows, hidden] -> the same. keys, values: [slots, window + 1, kv_heads, head_dim]; the new ones are written there."""
        batch, rows, _ = x.shape
        heads, kv_heads, width = self._config.heads, self._config.kv_heads, self._config.head_dim
        q = turned(self.q_norm(self.q_proj(x).view(batch, rows, heads, width)), where.turn)
        k = turned(self.k_norm(self.k_proj(x).view(batch, rows, kv_heads, width)), where.turn)
        v = self.v_proj(x).view(batch, rows, kv_heads, width)
        keys[where.slots[:, None], where.at] = k
        values[where.slots[:, None], where.at] = v
        # Query heads that share a key head are further rows of it: keys are never repeated, and any kernel of sdpa will do.
        groups = heads // kv_heads
        q = q.view(batch, rows, kv_heads, groups, width).permute(0, 2, 3, 1, 4).reshape(batch, kv_heads, groups * rows, width)
        span = where.mask.shape[-1]
        seen_k, seen_v = (cache[:, :span] if where.in_order else cache[:, :span][where.slots] for cache in (keys, values))
        out = fn.scaled_dot_product_attention(q, seen_k.transpose(1, 2), seen_v.transpose(1, 2), attn_mask=where.mask)
        out = out.view(batch, kv_heads, groups, rows, width).permute(0, 3, 1, 2, 4).reshape(batch, rows, heads * width)
        mixed: Tensor = self.o_proj(out)
        return mixed


RunLayer = Callable[[Layer, Tensor, Tensor, Tensor, _Where], Tensor]


def called(layer: Layer, x: Tensor, keys: Tensor, values: Tensor, where: _Where) -> Tensor:
    return layer(x, keys, values, where)


def compiled() -> RunLayer:
    """`called` through torch.compile: one compiled layer for all of them, for each kind of step. It compiles when it is first called."""
    run: RunLayer = torch.compile(called, dynamic=True)
    return run


class _Backbone(nn.Module):
    def __init__(self, config: LanguageConfig) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocab, config.hidden)
        self.layers = nn.ModuleList(
            Layer(_Attention(config), config.hidden, config.ffn, config.norm_eps) for _ in range(config.layers)
        )
        self.norm = RmsNorm(config.hidden, config.norm_eps)


class Language(nn.Module):
    """The keys of its state are the checkpoint's under `llm.`. Sessions live in a `KvCache`, never here."""

    def __init__(self, config: LanguageConfig) -> None:
        super().__init__()
        self.config = config
        self.model = _Backbone(config)
        self.lm_head = nn.Linear(config.hidden, config.vocab, bias=False)

    def embed(self, ids: Tensor) -> Tensor:  # [...] -> [..., hidden]
        rows: Tensor = self.model.embed_tokens(ids)
        return rows

    def forward(
        self,
        inputs_embeds: Tensor,
        cache: KvCache,
        starts: Tensor,
        counts: Tensor,
        *,
        slots: Tensor | int = 0,
        at: Tensor | None = None,
        span: int | None = None,
        run: RunLayer | None = None,
    ) -> Tensor:
        """Feeds new rows to a batch of sessions; returns their states after the last norm: [batch, rows, hidden].

        inputs_embeds: [batch, rows, hidden]; item b holds counts[b] rows and then padding, whose states mean nothing.
        starts, counts: [batch] int64. Rows stand at positions starts[b] onward and see all before them in their slot, and themselves.
        A count of 0 leaves a slot as it is. `cache.ends` becomes starts + counts for the slots of the batch.
        slots: [batch] int64, all different. A number: item b is slot number + b, and then the cache is read in place, not gathered.
        at: [batch, rows] int64, where in their slot the rows go (`kv_places`); None: position p to row p, as where nothing was ever dropped.
        span: only the first `span` rows of a slot are looked at (default: all): a captured graph has one span. It must reach
        whatever is to be seen, and the window must hold `at`; neither is checked here, since that would wait for the device.
        run: runs a layer, where it isn't just called (`compiled`).
        """
        batch, rows, _ = inputs_embeds.shape
        run = called if run is None else run
        device = inputs_embeds.device
        span = cache.window if span is None else span
        if not 1 <= span <= cache.window:
            raise ValueError(f"span must be 1 to {cache.window}, the window; it is {span}")
        steps = torch.arange(rows, device=device)
        positions = starts[:, None] + steps  # [batch, rows]
        real = steps < counts[:, None]  # [batch, rows] bool
        in_order = isinstance(slots, int)
        given = slice(slots, slots + batch) if isinstance(slots, int) else slice(None)  # of the cache, as a view
        which = torch.arange(batch, device=device) if isinstance(slots, int) else slots
        at = torch.where(real, positions if at is None else at, cache.window)
        stand = cache.positions[given] if in_order else cache.positions[which]  # [batch, window + 1]
        stand.scatter_(1, at, positions)
        if not in_order:
            cache.positions[which] = stand
        unseen = stand[:, None, :span] > positions[..., None]  # [batch, rows, span]
        unseen[..., 0] &= real[:, :1]  # a lane of an empty slot sees one row, too: a softmax over nothing is no number
        groups = self.config.heads // self.config.kv_heads
        unseen = unseen[:, None, None].expand(batch, 1, groups, rows, span).reshape(batch, 1, groups * rows, span)
        turn = turn_to(positions, self.config.rope_theta, self.config.head_dim)
        where = _Where(turn, which, in_order, at, added(unseen, inputs_embeds.dtype))
        x = inputs_embeds
        for index, layer in enumerate(self.model.layers):
            x = run(layer, x, cache.keys[given, index], cache.values[given, index], where)
        cache.ends[given if in_order else which] = starts + counts
        states: Tensor = self.model.norm(x)
        return states

    def whole(self, inputs_embeds: Tensor, *, recompute: bool = False) -> Tensor:
        """Sequences from their beginning, without a session; gradients flow. [batch, rows, hidden] -> states after the last norm, the same.

        A shorter item is padded at its end: no real row sees what comes after it. recompute: a layer's insides are made again on the way back
        instead of kept.
        """
        batch, rows, _ = inputs_embeds.shape
        positions = torch.arange(rows, device=inputs_embeds.device)[None].expand(batch, rows)
        groups = self.config.heads // self.config.kv_heads
        seen = torch.ones(rows, rows, dtype=torch.bool, device=inputs_embeds.device).tril().repeat(groups, 1)[None, None]
        turn = turn_to(positions, self.config.rope_theta, self.config.head_dim)
        where = _Where(turn, torch.arange(batch, device=inputs_embeds.device), True, positions, seen)
        x = inputs_embeds
        for layer in self.model.layers:
            x = checkpoint(self._alone, layer, x, where, use_reentrant=False) if recompute else self._alone(layer, x, where)
        states: Tensor = self.model.norm(x)
        return states

    def _alone(self, layer: Layer, x: Tensor, where: _Where) -> Tensor:
        """A layer over rows of its own: a cache is written in place, and what was read of it for another layer would be gone."""
        shape = (*x.shape[:2], self.config.kv_heads, self.config.head_dim)
        out: Tensor = layer(x, x.new_zeros(shape), x.new_zeros(shape), where)
        return out

    def logits(self, states: Tensor) -> Tensor:  # [..., hidden] -> [..., vocab]
        """Of states after the last norm. Apart from `forward`, since only the last row of a prefill needs it."""
        out: Tensor = self.lm_head(states)
        return out


def last_rows(states: Tensor, counts: Tensor) -> Tensor:  # [batch, rows, hidden], [batch] -> [batch, hidden]
    """The state of each item's last real row (its first where the count is 0)."""
    index = (counts - 1).clamp(min=0)[:, None, None].expand(-1, 1, states.shape[-1])
    return states.gather(1, index)[:, 0]
