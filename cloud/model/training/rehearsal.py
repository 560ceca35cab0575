"""Plays a record's session to the model under the decoding rules and compares what it says with what it was taught, unit by unit.

What is observed comes from the record; what was said is the model's own, as live. Greedy, so that it is one answer. Knows no optimiser.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import torch
from torch import Tensor

from ridealong.cloud.model.decoding import VENUS, Close, Decoding, Draw, Effect, Feed, UnitRules
from ridealong.cloud.model.kv_cache import KvCache
from ridealong.cloud.model.model import LoadedModel
from ridealong.cloud.model.sampling import Knobs, Sampler, empty_history
from ridealong.cloud.model.tokens import Tokens
from ridealong.cloud.model.training.layout import Part
from ridealong.cloud.model.training.lessons import LaidOut
from ridealong.cloud.model.training.senses import Senses

GREEDY: Final = replace(VENUS, greedy=True, penalty=1.0, cap=512)


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """Ids of each unit, its terminator last."""

    said: tuple[tuple[int, ...], ...]
    taught: tuple[tuple[int, ...], ...]

    @property
    def right(self) -> int:
        """Units in which nothing differs."""
        return sum(said == taught for said, taught in zip(self.said, self.taught, strict=True))


@torch.no_grad()
def rehearse(model: LoadedModel, senses: Senses, record: LaidOut, settings: Decoding = GREEDY) -> Rehearsed:
    """record: of a session."""
    media = iter(senses.rows(record.id, record.media))
    mind = _Mind(model, settings)
    said: list[tuple[int, ...]] = []
    taught: list[list[int]] = []
    speaking = False  # inside what a unit was taught to say, which isn't fed
    for piece in record.pieces:
        if piece.media is not None:
            mind.feed(next(media))
        elif piece.parts[0] is Part.GIVEN:
            mind.feed_ids(piece.ids)
        else:
            if not speaking:
                said.append(mind.unit())
                taught.append([])
            taught[-1] += [token for token, part in zip(piece.ids, piece.parts, strict=True) if part is not Part.GIVEN]
            speaking = Part.GIVEN not in piece.parts
    return Rehearsed(tuple(said), tuple(map(tuple, taught)))


class _Mind:
    """The language model in one session, greedy."""

    def __init__(self, model: LoadedModel, settings: Decoding) -> None:
        self._language, tokens = model.module.llm, model.tokens
        weight = self._language.lm_head.weight
        window = self._language.config.max_positions
        self._cache = KvCache.empty(self._language.config, 1, window, device=weight.device, dtype=weight.dtype)
        self._ids, self._device = tokens.ids, weight.device
        self._rules = UnitRules(tokens.ids, tokens.delegation, settings, tokens.decode)
        self._sampler = Sampler(tokens.ids, tokens.banned, self._language.config.vocab, self._device)
        self._knobs, self._history = Knobs.of([settings], self._device), empty_history(1, device=self._device)
        self._chance = torch.zeros(1, 2, device=self._device)
        self._state = torch.empty(0)

    def feed(self, rows: Tensor) -> None:  # [rows, hidden]
        rows = rows.to(self._device, self._language.lm_head.weight.dtype)
        start = self._cache.ends.clone()
        count = torch.tensor([len(rows)], device=self._device)
        if int(start) + len(rows) > self._cache.window:
            return  # it says more than it was taught to and has no room left: what it says from here on is wrong anyway
        self._state = self._language(rows[None], self._cache, start, count)[0, -1]

    def feed_ids(self, ids: Sequence[int]) -> None:
        self.feed(self._language.embed(torch.tensor(ids, device=self._device)))

    def unit(self) -> tuple[int, ...]:
        """Draws until the unit closes, and feeds its end."""
        drawn: list[int] = []
        todo: list[Effect] = self._rules.begin()
        while todo:
            match todo.pop(0):
                case Feed(token):
                    self.feed_ids([token])
                    drawn.append(token)
                case Draw():
                    logits = self._language.logits(self._state)[None]
                    token = int(self._sampler.draw(logits, self._history, self._chance, self._knobs).tokens)
                    todo = self._rules.drew(token)
                case Close(terminator):
                    self.feed_ids([terminator, self._ids.unit_close])
                    drawn.append(terminator)
        return tuple(drawn)


def shown(unit: Sequence[int], tokens: Tokens) -> str:
    """A unit's ids to read: control tokens by name, words as text."""
    names = {
        tokens.ids.listen: "listen",
        tokens.ids.speak: "speak",
        tokens.ids.turn_eos: "turn_eos",
        tokens.ids.chunk_eos: "chunk_eos",
    }
    if tokens.delegation is not None:
        names |= {tokens.delegation.delegate_open: "<delegate>", tokens.delegation.delegate_close: "</delegate>"}
    parts: list[str] = []
    words: list[int] = []
    for token in [*unit, -1]:
        if token in names or token == -1:
            parts += [repr(tokens.decode(words))] if words else []
            words = []
            parts += [names[token]] if token in names else []
        else:
            words.append(token)
    return " ".join(parts)
