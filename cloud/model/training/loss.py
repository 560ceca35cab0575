"""The loss of a batch: cross-entropy on what is to be said, over the language model's head in chunks that are computed twice.

The logits of a whole batch would be the largest thing in memory (a row has 151,748 of them). A chunk's are made, summed up and let go; the
backward pass makes them again. Source: venus.md G5. Knows no record and no optimiser.
"""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor
from torch.nn import functional as fn
from torch.utils.checkpoint import checkpoint

from ridealong.cloud.model.language import Language
from ridealong.cloud.model.training.lessons import Batch

CHUNK_ROWS: Final = 256


def states_of(language: Language, batch: Batch, *, recompute: bool = False) -> Tensor:
    """States after the last norm of the rows that are asked: [targets, hidden]. recompute: keep no layer's insides for the way back."""
    rows = language.embed(batch.ids)  # [batch, rows, hidden]
    if len(batch.media):
        rows = rows.index_put(batch.media_at, batch.media.to(rows.dtype))
    return language.whole(rows, recompute=recompute)[batch.says]


def chunked_loss(language: Language, states: Tensor, targets: Tensor, shares: Tensor, chunk_rows: int = CHUNK_ROWS) -> Tensor:
    """The sum of share times cross-entropy, float32. states: [targets, hidden]. At no time are there more than chunk_rows rows of logits."""
    total = states.new_zeros((), dtype=torch.float32)
    for at in range(0, len(targets), chunk_rows):
        some = slice(at, at + chunk_rows)
        total = total + checkpoint(_of_chunk, language, states[some], targets[some], shares[some], use_reentrant=False)
    return total


def _of_chunk(language: Language, states: Tensor, targets: Tensor, shares: Tensor) -> Tensor:
    return (fn.cross_entropy(language.logits(states).float(), targets, reduction="none") * shares).sum()


def plain_loss(language: Language, states: Tensor, targets: Tensor, shares: Tensor) -> Tensor:
    """The same over all logits at once: what `chunked_loss` must equal."""
    return _of_chunk(language, states, targets, shares)


def batch_loss(language: Language, batch: Batch, *, recompute: bool = False, chunk_rows: int = CHUNK_ROWS) -> Tensor:
    return chunked_loss(language, states_of(language, batch, recompute=recompute), batch.targets, batch.shares, chunk_rows)
