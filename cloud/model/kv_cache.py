"""Keys and values of many sessions in one block of memory of fixed size, a slot each.

A row lies anywhere in its slot (`kv_places`); `positions` says what it was turned to, and what a query may see follows from that alone. One row
beyond the window takes what padding writes, and is never read. Knows no layer and no unit; who owns a slot is not written here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from ridealong.cloud.model.config import LanguageConfig

NEVER: Final = (1 << 63) - 1
"""The position of a row that nobody sees."""


@dataclass(frozen=True, slots=True)
class KvCache:
    """`positions`: of each row, `NEVER` where there is none. `ends`: the position of each slot's next row."""

    keys: Tensor  # [slots, layers, window + 1, kv_heads, head_dim], after norm and rotation
    values: Tensor  # [slots, layers, window + 1, kv_heads, head_dim]
    positions: Tensor  # [slots, window + 1], int64
    ends: Tensor  # [slots], int64

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
            torch.full((slots, window + 1), NEVER, device=device, dtype=torch.long),
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
        self.positions[slot] = NEVER
        self.ends[slot] = 0

    def begin(self, slot: int, keys: Tensor, values: Tensor) -> None:
        """A clear slot begins with these rows, at positions 0 onward: a system prompt that sessions share. Both: [layers, rows, kv_heads, head_dim]."""
        rows = keys.shape[1]
        self.keys[slot, :, :rows], self.values[slot, :, :rows] = keys, values
        self.positions[slot, :rows] = torch.arange(rows, device=self.positions.device)
        self.ends[slot] = rows

    def forget(self, slot: int, rows: Sequence[int]) -> None:
        """Nobody sees these rows of the slot from now on."""
        self.positions[slot, sent(rows, self.positions.device)] = NEVER


def sent(values: Sequence[object], device: torch.device) -> Tensor:
    """Whole numbers from here on their way to the device: from pinned memory, so that nothing waits for it."""
    here = torch.tensor(values, dtype=torch.long)
    return here.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else here
