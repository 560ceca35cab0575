"""Draws the next id from logits, for a batch of sessions whose settings may differ. One step has fixed shapes and reads nothing back.

Chance comes in as numbers: two uniform ones a step for each session, taken from the session's own generator beforehand. So what a
session says depends neither on who shares its batch nor on the device. Source: spec model.md 3.4. Knows no unit (`decoding`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ridealong.cloud.model.decoding import Decoding
from ridealong.cloud.model.tokens import ProtocolIds

NEVER = float("-inf")


@dataclass(frozen=True, slots=True)
class Knobs:
    """The settings of a batch's sessions as columns: all [batch, 1]. `most`: top-k places that are computed for everyone; 0: all."""

    greedy: Tensor  # bool
    temperature: Tensor
    top_k: Tensor  # int64
    top_p: Tensor
    penalty: Tensor
    penalty_window: Tensor  # int64
    length_penalty: Tensor
    listen_scale: Tensor
    listen_top_k: Tensor  # int64
    parity: Tensor  # bool
    most: int

    @classmethod
    def of(cls, settings: Sequence[Decoding], device: torch.device | str = "cpu") -> Knobs:
        def column(values: Sequence[float | bool]) -> Tensor:
            return torch.tensor(values, device=device)[:, None]

        every = 1 << 40
        return cls(
            greedy=column([one.greedy for one in settings]),
            temperature=column([one.temperature for one in settings]),
            top_k=column([one.top_k or every for one in settings]),
            top_p=column([one.top_p for one in settings]),
            penalty=column([one.penalty for one in settings]),
            penalty_window=column([one.penalty_window for one in settings]),
            length_penalty=column([one.length_penalty for one in settings]),
            listen_scale=column([one.listen_scale for one in settings]),
            listen_top_k=column([one.listen_top_k for one in settings]),
            parity=column([one.reference_parity for one in settings]),
            most=0 if any(one.top_k == 0 for one in settings) else max(one.top_k for one in settings),
        )


@dataclass(frozen=True, slots=True)
class Drawn:
    """`tokens`: the ids; -1 where the logits are no numbers, and nothing is drawn. `stop_chance`: of the first draw. `candidates`, `chances`: what the second chose from, likeliest first."""

    tokens: Tensor  # [batch] int64
    stop_chance: Tensor  # [batch] float32
    candidates: Tensor  # [batch, places] int64
    chances: Tensor  # [batch, places] float32; sums to 1


class Sampler:
    """One checkpoint's: what is banned and which ids are treated apart."""

    def __init__(self, ids: ProtocolIds, banned: Sequence[int], vocab: int, device: torch.device | str = "cpu") -> None:
        self._ids = ids
        self._banned = torch.zeros(vocab, dtype=torch.bool, device=device)  # [vocab]
        self._banned[torch.tensor([ids.chunk_eos, ids.tts_pad, *banned], device=device)] = True

    def draw(self, logits: Tensor, history: Tensor, chance: Tensor, knobs: Knobs) -> Drawn:
        """logits: [batch, vocab]. history: see `empty_history`; what was drawn is added in place, at its end.

        chance: [batch, 2] uniform in [0, 1): of whether the unit stops, and of which id.
        """
        raw = logits.float()
        stop_chance = raw.softmax(-1)[:, self._ids.chunk_eos]  # [batch]; temperature 1, nothing banned
        likeliest_stops = raw.argmax(-1) == self._ids.chunk_eos
        stops = torch.where(knobs.greedy[:, 0], likeliest_stops, chance[:, 0] < stop_chance)
        scores = self._scores(raw, history, knobs)
        listen = torch.where(knobs.parity[:, 0], self._ids.im_end, self._ids.listen)  # [batch]
        rank = (scores > scores.gather(1, listen[:, None])).sum(-1, keepdim=True)  # [batch, 1]
        listens = (rank < knobs.listen_top_k)[:, 0]
        candidates, chances = _shortlist(scores, knobs)
        tokens = _chosen(candidates, chances, chance[:, 1:], knobs)
        tokens = torch.where(listens, listen, tokens)
        tokens = torch.where(stops, self._ids.chunk_eos, tokens)
        broken = ~raw.isfinite().all(-1)
        tokens = torch.where(broken, -1, tokens)
        added = torch.cat((history[:, 1:], tokens[:, None]), dim=1)
        history.copy_(torch.where((stops | listens | broken)[:, None], history, added))
        return Drawn(tokens, stop_chance, candidates, chances)

    def _scores(self, raw: Tensor, history: Tensor, knobs: Knobs) -> Tensor:  # [batch, vocab] -> the same
        """Logits after bans and penalties, before temperature."""
        scores = _penalised(raw.masked_fill(self._banned, NEVER), history, knobs)
        end = scores[:, self._ids.turn_eos : self._ids.turn_eos + 1]  # [batch, 1]
        scores[:, self._ids.turn_eos] = torch.where(end > 0, end / knobs.length_penalty, end * knobs.length_penalty)[:, 0]
        # The published code scales the logit of im_end; the odds of listen are meant (spec, surprise 1).
        im_end, listen = scores[:, self._ids.im_end].clone(), scores[:, self._ids.listen].clone()  # [batch]
        parity, scale = knobs.parity[:, 0], knobs.listen_scale[:, 0]
        scores[:, self._ids.im_end] = torch.where(parity, im_end * scale, im_end)
        scores[:, self._ids.listen] = torch.where(parity, listen, listen + scale.log())
        return scores


def pick(logits: Tensor, history: Tensor, chance: Tensor, knobs: Knobs) -> Tensor:
    """The next id where nothing is banned and nothing treated apart: a chat by turns. logits: [batch, vocab]; history: [batch, any], -1 for
    none, left as it is; chance: [batch, 1] in [0, 1) -> [batch]."""
    candidates, chances = _shortlist(_penalised(logits.float(), history, knobs), knobs)
    return _chosen(candidates, chances, chance, knobs)


def _penalised(scores: Tensor, history: Tensor, knobs: Knobs) -> Tensor:  # [batch, vocab] -> the same
    """What was drawn before gets less likely, once however often it was."""
    vocab, width = scores.shape[-1], history.shape[-1]
    recent = torch.arange(width, device=scores.device) >= width - knobs.penalty_window  # [batch, width]
    places = torch.where(recent & (history >= 0), history, vocab)  # one column more takes what doesn't count
    drawn = torch.zeros(scores.shape[0], vocab + 1, dtype=torch.bool, device=scores.device).scatter_(1, places, True)[:, :vocab]
    # Divided whatever its sign, a negative logit gets likelier (spec, surprise 2); the right way lowers both.
    divided = knobs.parity | (scores > 0)
    return torch.where(drawn, torch.where(divided, scores / knobs.penalty, scores * knobs.penalty), scores)


def _chosen(candidates: Tensor, chances: Tensor, chance: Tensor, knobs: Knobs) -> Tensor:
    """candidates, chances: [batch, places], likeliest first; chance: [batch, 1] -> ids [batch]."""
    place = (chances.cumsum(-1) <= chance).sum(-1, keepdim=True)
    # A sum of rounded chances may end short of 1: the last that had any is meant then.
    place = torch.minimum(place, (chances > 0).sum(-1, keepdim=True) - 1).clamp(min=0)
    return candidates.gather(1, torch.where(knobs.greedy, 0, place))[:, 0]


def _shortlist(scores: Tensor, knobs: Knobs) -> tuple[Tensor, Tensor]:  # [batch, vocab] -> 2 x [batch, places]
    """Temperature, then top-k, then top-p: ids, likeliest first, and their chances. The id that crosses top-p stays."""
    places = min(knobs.most, scores.shape[-1]) or scores.shape[-1]
    kept, candidates = (scores / knobs.temperature).topk(places, dim=-1)
    kept = kept.masked_fill(torch.arange(places, device=scores.device) >= knobs.top_k, NEVER)
    chances = kept.softmax(-1)
    before = chances.cumsum(-1) - chances
    kept = kept.masked_fill((before > knobs.top_p) & (torch.arange(places, device=scores.device) > 0), NEVER)
    return candidates, kept.softmax(-1)


def empty_history(batch: int, width: int = 512, device: torch.device | str = "cpu") -> Tensor:
    """[batch, width] int64: ids drawn before, the newest last; -1: none. width: the longest `penalty_window`, at least 1."""
    return torch.full((batch, width), -1, dtype=torch.long, device=device)


class Chance:
    """One session's uniform numbers. The same seed gives the same session, on any device and in any batch."""

    def __init__(self, seed: int) -> None:
        self._generator = torch.Generator().manual_seed(seed)

    def take(self, steps: int) -> Tensor:
        """[steps, 2] float32 in [0, 1), on the CPU: enough for so many draws."""
        return torch.rand(steps, 2, generator=self._generator)
