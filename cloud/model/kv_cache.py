"""Keys and values of many sessions in one block of memory of fixed size, a slot each.

A row's position is its index: row i of a slot was turned to position i. One row beyond the window takes what padding writes, and
is never read. Knows no layer and no unit; who owns a slot is not written here.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ridealong.cloud.model.config import LanguageConfig
from ridealong.cloud.model.rotary import moved


@dataclass(frozen=True, slots=True)
class KvCache:
    """`lengths`: rows of each slot that count. What lies behind them is unread, and zero again after `clear`."""

    keys: Tensor  # [slots, layers, window + 1, kv_heads, head_dim], after norm and rotation
    values: Tensor  # [slots, layers, window + 1, kv_heads, head_dim]
    lengths: Tensor  # [slots], int64

    @classmethod
    def empty(
        cls,
        config: LanguageConfig,
        slots: int,
        window: int,
        *,
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
    ) -> KvCache:
        """Room for `slots` sessions of up to `window` rows each."""
        if slots < 1 or not 1 <= window <= config.max_positions:
            raise ValueError(f"slots must be at least 1 and window 1 to {config.max_positions}; there are {slots} and {window}")
        shape = (slots, config.layers, window + 1, config.kv_heads, config.head_dim)
        return cls(
            torch.zeros(shape, device=device, dtype=dtype),
            torch.zeros(shape, device=device, dtype=dtype),
            torch.zeros(slots, device=device, dtype=torch.long),
        )

    @property
    def slots(self) -> int:
        return self.keys.shape[0]

    @property
    def window(self) -> int:
        return self.keys.shape[2] - 1

    def clear(self, slot: int) -> None:
        """For the next session: nothing of the last one stays, not even where masks hide it (0 times infinity is no number)."""
        self.keys[slot].zero_()
        self.values[slot].zero_()
        self.lengths[slot] = 0

    def copy(self, source: int, target: int, rows: int) -> None:
        """The first `rows` rows of one slot into another: a system prompt that sessions share."""
        self.keys[target, :, :rows] = self.keys[source, :, :rows]
        self.values[target, :, :rows] = self.values[source, :, :rows]
        self.lengths[target] = rows

    def shift(self, slot: int, start: int, stop: int, to: int, theta: float) -> None:
        """Rows [start, stop) move to begin at `to`, overlapping or not; keys turn to their new positions, values stay as they are.

        `lengths` is left alone. theta: the model's base of rotation.
        """
        count = stop - start
        if not 0 <= start <= stop <= self.window or not 0 <= to <= self.window - count:
            raise ValueError(f"rows {start} to {stop} can't move to {to} in a window of {self.window}")
        if count == 0 or to == start:
            return
        by = torch.full((1, 1), to - start, device=self.keys.device)
        keys = moved(self.keys[slot, :, start:stop], by, theta)  # [layers, count, kv_heads, head_dim]
        self.keys[slot, :, to : to + count] = keys
        self.values[slot, :, to : to + count] = self.values[slot, :, start:stop].clone()
