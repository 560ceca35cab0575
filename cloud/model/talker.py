"""The talker: a small Llama that turns the words being spoken, and the thought behind each, into 25 speech codes a second.

    text ids, hidden states -> condition rows, audio_bos -> prefill -> 26 draws -> 25 codes

Source: spec model.md 1.6, 3.5. Batched over slots: one row of every tensor is one session. A chunk is written in one loop without
reading anything back from the device. State of a session lives in a `TalkerCache` slot. Knows no vocoder and no language model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from ridealong.cloud.model.config import TalkerConfig
from ridealong.cloud.model.layers import Layer, RmsNorm, added
from ridealong.cloud.model.rotary import Turn, turn_to, turned

DRAWS: Final = 26
"""Draws of a chunk. The last is neither returned nor cached: 25 codes, one second."""
PENALTY_WINDOW: Final = 16


@dataclass(slots=True)
class TalkerCache:
    """Keys and values of all slots. `lengths`: rows of each slot that hold something; the rest is rubbish of earlier sessions."""

    keys: Tensor  # [layers, slots, window, heads, head_dim]
    values: Tensor  # [layers, slots, window, heads, head_dim]
    lengths: Tensor  # [slots], int64

    @classmethod
    def empty(
        cls,
        config: TalkerConfig,
        slots: int,
        window: int,
        *,
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
    ) -> TalkerCache:
        shape = (config.layers, slots, window, config.heads, config.hidden // config.heads)
        return cls(
            torch.zeros(shape, device=device, dtype=dtype),
            torch.zeros(shape, device=device, dtype=dtype),
            torch.zeros(slots, device=device, dtype=torch.long),
        )

    def reset(self, slots: Tensor) -> None:
        """The turn of these slots has ended, or their session. slots: [slots] bool."""
        self.lengths.masked_fill_(slots, 0)


@dataclass(frozen=True, slots=True)
class TalkerRules:
    """How codes are drawn. `window`: the penalty counts the last so many codes of the same chunk."""

    temperature: float = 0.8
    penalty: float = 1.05
    window: int = PENALTY_WINDOW


class _Where(NamedTuple):
    """What every layer of one step needs to know about places."""

    turn: Turn  # [slots, rows, 1, head_dim / 2]
    slots: Tensor  # [slots, 1]
    at: Tensor  # [slots, rows]: the row of the cache that each new row is written to
    mask: Tensor  # [slots, 1, rows, span], added to scores


class _Attention(nn.Module):
    def __init__(self, config: TalkerConfig) -> None:
        super().__init__()
        self._heads = config.heads
        self.q_proj = nn.Linear(config.hidden, config.hidden, bias=False)
        self.k_proj = nn.Linear(config.hidden, config.hidden, bias=False)
        self.v_proj = nn.Linear(config.hidden, config.hidden, bias=False)
        self.o_proj = nn.Linear(config.hidden, config.hidden, bias=False)

    def forward(self, x: Tensor, keys: Tensor, values: Tensor, where: _Where) -> Tensor:
        """x: [slots, rows, hidden] -> the same. keys, values: [slots, window, heads, head_dim]; the new ones are written there."""
        slots, rows, hidden = x.shape
        shape = (slots, rows, self._heads, hidden // self._heads)
        q, k, v = (layer(x).view(shape) for layer in (self.q_proj, self.k_proj, self.v_proj))
        keys[where.slots, where.at] = turned(k, where.turn)
        values[where.slots, where.at] = v
        seen_k, seen_v = (cache[:, : where.mask.shape[-1]].transpose(1, 2) for cache in (keys, values))
        out = fn.scaled_dot_product_attention(turned(q, where.turn).transpose(1, 2), seen_k, seen_v, attn_mask=where.mask)
        mixed: Tensor = self.o_proj(out.transpose(1, 2).reshape(slots, rows, hidden))
        return mixed


class _Backbone(nn.Module):
    def __init__(self, config: TalkerConfig) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            Layer(_Attention(config), config.hidden, config.ffn, config.norm_eps) for _ in range(config.layers)
        )
        self.norm = RmsNorm(config.hidden, config.norm_eps)


class Projector(nn.Module):
    """Linear, ReLU, linear."""

    def __init__(self, wide: int, narrow: int) -> None:
        super().__init__()
        self.linear1 = nn.Linear(wide, narrow)
        self.linear2 = nn.Linear(narrow, narrow)

    def forward(self, x: Tensor) -> Tensor:  # [..., wide] -> [..., narrow]
        return self.linear2(fn.relu(self.linear1(x)))


class _Norms(nn.Module):
    """The head's weight as the checkpoint holds it: row norms (`original0`) and directions (`original1`)."""

    def __init__(self, codes: int, hidden: int) -> None:
        super().__init__()
        self.original0 = nn.Parameter(torch.empty(codes, 1))
        self.original1 = nn.Parameter(torch.empty(codes, hidden))


class _Head(nn.Module):
    """A linear without bias whose rows are g * v / |v|. `fold` works the weight out once, in the checkpoint's own precision."""

    def __init__(self, codes: int, hidden: int) -> None:
        super().__init__()
        self.parametrizations = nn.ModuleDict({"weight": _Norms(codes, hidden)})
        self._folded: Tensor | None = None  # [codes, hidden]

    def weight(self) -> Tensor:
        norms = self.parametrizations["weight"]
        return torch._weight_norm(norms.original1, norms.original0, 0)

    def fold(self) -> None:
        self._folded = self.weight().detach()

    def forward(self, x: Tensor) -> Tensor:  # [..., hidden] -> [..., codes]
        return fn.linear(x, self.weight() if self._folded is None else self._folded)


class Talker(nn.Module):
    """Keys as under `tts.` of a checkpoint; the unused text table of its Llama and the unused speaker projector are not made."""

    UNUSED: Final = ("model.embed_tokens.", "projector_spk.")

    def __init__(self, config: TalkerConfig) -> None:
        super().__init__()
        self.config = config
        self.emb_text = nn.Embedding(config.text_rows, config.hidden)
        self.emb_code = nn.ModuleList([nn.Embedding(config.codes, config.hidden)])
        self.head_code = nn.ModuleList([_Head(config.codes, config.hidden)])
        self.model = _Backbone(config)
        self.projector_semantic = Projector(config.llm_hidden, config.hidden)

    def fold(self) -> None:
        """To be called once the weights are in: the head's weight is then not worked out at every draw."""
        self.head_code[0].fold()

    def condition(self, ids: Tensor, hidden: Tensor) -> Tensor:
        """Rows that say what to speak. ids: [slots, words]; hidden: [slots, words, llm_hidden], the state after the final norm at the
        position that consumed each id. -> [slots, words, hidden], without the audio_bos row."""
        thought = fn.normalize(self.projector_semantic(hidden), p=2, dim=-1)
        return self.emb_text(ids) + thought

    def audio_bos(self) -> Tensor:
        """The row that ends every condition. -> [hidden]"""
        return self.emb_text.weight[self.config.audio_bos]

    def prefill(self, rows: Tensor, counts: Tensor, cache: TalkerCache, span: int | None = None) -> Tensor:
        """Appends rows to the slots. rows: [slots, n, hidden], right-padded; counts: [slots], valid rows of each (0: the slot is left
        alone). span: no slot is longer than this afterwards (None: the whole window). -> the state of each slot's last valid row,
        [slots, hidden]; of a slot without rows, rubbish."""
        slots, n, _ = rows.shape
        window = cache.keys.shape[2]
        span = window if span is None else span
        steps = torch.arange(n, device=rows.device)
        at = (cache.lengths[:, None] + steps).clamp(max=window - 1)  # [slots, n]
        every = torch.arange(slots, device=rows.device)
        places = torch.arange(span, device=rows.device)
        mask = added((places > at[..., None])[:, None], rows.dtype)  # [slots, 1, n, span]
        where = _Where(turn_to(at, self.config.rope_theta, self.config.hidden // self.config.heads), every[:, None], at, mask)
        x = rows
        for index, layer in enumerate(self.model.layers):
            x = layer(x, cache.keys[index], cache.values[index], where)
        cache.lengths += counts
        return self.model.norm(x[:, 0] if n == 1 else x[every, (counts - 1).clamp(min=0)])

    def chunk(
        self,
        rows: Tensor,
        counts: Tensor,
        cache: TalkerCache,
        *,
        may_end: Tensor,
        rules: TalkerRules,
        uniforms: Tensor | None = None,
        draws: int = DRAWS,
        span: int | None = None,
        seen: list[Tensor] | None = None,
    ) -> tuple[Tensor, Tensor]:
        """One chunk of codes for every slot that has rows.

        rows: [slots, n, hidden] with counts: [slots], the condition with its audio_bos row. may_end: [slots] bool; False: the end code
        can't be drawn (in the middle of a turn). uniforms: [slots, draws] in [0, 1), of each session's own generator, so that a session draws
        the same whatever it is batched with; None: the likeliest code. seen: a list that gets each draw's probabilities [slots, codes].
        -> codes [slots, draws - 1] and how many of them are valid [slots]; 0 for slots without rows. Only those are in the cache.
        """
        end = self.config.end_code
        alive = counts > 0
        state = self.prefill(rows, counts, cache, span)
        slots = rows.shape[0]
        codes = torch.full((slots, draws - 1), end, dtype=torch.long, device=rows.device)
        valid = torch.zeros(slots, dtype=torch.long, device=rows.device)
        forbidden = torch.zeros(slots, self.config.codes, dtype=torch.bool, device=rows.device)
        forbidden[:, end] = ~may_end
        for draw in range(draws):
            logits = self.head_code[0](state).float() / rules.temperature  # [slots, codes]
            if draw:
                logits = penalised(logits, codes[:, max(0, draw - rules.window) : draw], rules.penalty)
            chances = logits.masked_fill(forbidden, float("-inf")).softmax(-1)
            if seen is not None:
                seen.append(chances)
            code = chances.argmax(-1) if uniforms is None else drawn(chances, uniforms[:, draw])
            alive = alive & (code != end)
            if draw == draws - 1:
                break
            codes[:, draw] = torch.where(alive, code, end)
            valid += alive
            state = self.prefill(self.emb_code[0](code)[:, None], alive.long(), cache, span)
        return codes, valid


def penalised(logits: Tensor, history: Tensor, penalty: float) -> Tensor:
    """Codes of the history get less likely with each occurrence. logits: [slots, codes]; history: [slots, n] -> [slots, codes]."""
    counts = torch.zeros_like(logits).scatter_add_(1, history, torch.ones_like(history, dtype=logits.dtype))
    factor = penalty**counts
    return torch.where(logits < 0, logits * factor, logits / factor)


def likeliest(logits: Tensor, *, top_p: float, top_k: int, least: int = 3) -> Tensor:
    """All but the likeliest codes become -inf: first those beyond the share `top_p`, then those beyond `top_k`; `least` always stay. Used
    outside the duplex path alone. logits: [slots, codes] -> [slots, codes]."""
    order = logits.argsort(-1, descending=True)
    chances = logits.gather(-1, order).softmax(-1)
    before = chances.cumsum(-1) - chances  # the share of all that are likelier
    place = torch.arange(logits.shape[-1], device=logits.device)
    gone = ((before >= top_p) & (place >= least)) | (place >= max(top_k, least))
    return logits.masked_fill(torch.zeros_like(gone).scatter(-1, order, gone), float("-inf"))


def drawn(chances: Tensor, uniform: Tensor) -> Tensor:
    """A draw by inverse distribution. chances: [slots, codes]; uniform: [slots] in [0, 1) -> [slots]. Never one of chance 0."""
    heap = chances.double().cumsum(-1)
    aim = uniform.double().clamp(max=1 - 1e-12)[:, None] * heap[:, -1:]
    return torch.searchsorted(heap, aim, right=True)[:, 0].clamp(max=chances.shape[1] - 1)
