"""A planned change of the window carried out on the cache. Decides nothing (`kv_window`) and runs between steps, never within one.

Units that stay are not touched: their rows keep bytes, places and positions. Rotary attention knows differences of positions only, so
instead of turning the units back behind the system prompt, the system prompt is turned forward to the units.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ridealong.cloud.model.kv_cache import KvCache, sent
from ridealong.cloud.model.kv_places import Places
from ridealong.cloud.model.kv_window import Change
from ridealong.cloud.model.language import Language
from ridealong.cloud.model.rotary import moved


@dataclass(frozen=True, slots=True)
class Front:
    """Keys of a system prompt as the model made them, and the positions that they were made for. Every turn starts here, so that each is a
    single one and its rounding stays a single rounding."""

    keys: Tensor  # [layers, rows, kv_heads, head_dim]
    positions: Tensor  # [rows], int64

    @classmethod
    def of(cls, keys: Tensor) -> Front:
        """keys: [layers, rows, kv_heads, head_dim], made for positions 0 onward."""
        return cls(keys, torch.arange(keys.shape[1], device=keys.device))

    def first(self, rows: int) -> Front:
        return Front(self.keys[:, :rows], self.positions[:rows])

    def plus(self, other: Front) -> Front:
        return Front(torch.cat((self.keys, other.keys), 1), torch.cat((self.positions, other.positions)))


@torch.inference_mode()
def rewrite(model: Language, cache: KvCache, slot: int, places: Places, change: Change, front: Front) -> Front:
    """Afterwards the slot holds `change.after`, and the next row's position is what it was. places: of this slot. front: of the session.
    Returns its front from now on.

    Raises `ValueError`, and changes nothing, where the window is too small for what stays.
    """
    if change.after.rows > cache.window:
        raise ValueError(f"{change.after.rows} rows can't stay in a window of {cache.window}")
    gone, fresh = places.replace(change.start, change.stop, len(change.again))
    device, start = cache.keys.device, places.base + change.start
    cache.forget(slot, gone)
    if len(front.positions) != change.start:
        front = front.first(change.start)
    positions = torch.arange(places.base, start, device=device)
    before = sent(places.rows(0, change.start), device)
    cache.keys[slot][:, before] = moved(front.keys, positions - front.positions, model.config.rope_theta)
    cache.positions[slot, before] = positions
    if change.again:
        ids, at = sent([change.again], device), sent([fresh], device)  # [1, rows]
        starts, counts = sent([start], device), sent([len(fresh)], device)
        model(model.embed(ids), cache, starts, counts, slots=slot, at=at, span=places.top)
        front = front.plus(Front(cache.keys[slot][:, at[0]], cache.positions[slot, at[0]]))
    cache.ends[slot] = places.end
    return front
