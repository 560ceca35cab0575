"""A planned change of the window carried out on the cache. Decides nothing (`kv_window`) and runs between steps, never within one."""

from __future__ import annotations

import torch

from ridealong.cloud.model.kv_cache import KvCache
from ridealong.cloud.model.kv_window import Change
from ridealong.cloud.model.language import Language


@torch.inference_mode()
def rewrite(model: Language, cache: KvCache, slot: int, change: Change) -> None:
    """Afterwards the slot holds `change.after`, and the next row goes to position `change.after.rows`.

    Raises `ValueError`, and changes nothing, where the window is too small for what stays.
    """
    if change.most_rows > cache.window:
        raise ValueError(f"{change.most_rows} rows can't stay in a window of {cache.window}")
    cache.shift(slot, change.start, change.stop, change.to, model.config.rope_theta)
    if change.again:
        device, prefix = cache.lengths.device, change.after.prefix
        ids = torch.tensor([change.again], device=device)  # [1, rows]
        starts, counts = torch.tensor([prefix], device=device), torch.tensor([len(change.again)], device=device)
        model(model.embed(ids), cache, starts, counts, slots=slot, span=prefix + len(change.again))
    cache.lengths[slot] = change.after.rows
