"""Which rows of a slot's memory a session has, in order. Pure: no tensors, and no knowledge of units.

    kept:   the i-th row of the session lies in row kept[i] of the slot, and stands at position base + i
    free:   every other row; the lowest is taken first, so a step need not look far

What a session keeps is never moved: rows that leave are free for those that come, wherever they lie. Attention doesn't ask for an order
in memory, only for positions (`KvCache.positions`). A slot that never dropped anything has position p in row p.
"""

from __future__ import annotations

from collections.abc import Sequence


class Places:
    """Of one slot. `base` is what the positions of a session have grown by since it began: as many rows as have left it."""

    def __init__(self, window: int) -> None:
        self.base = 0
        self._kept: list[int] = []
        self._free = list(range(window - 1, -1, -1))  # falling
        self._top = 0

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def end(self) -> int:
        """The position of the next row."""
        return self.base + len(self._kept)

    @property
    def top(self) -> int:
        """No row from here on is kept."""
        return self._top

    def rows(self, start: int = 0, stop: int | None = None) -> list[int]:
        """Where the session's rows [start, stop) lie."""
        return self._kept[start:stop]

    def reach(self, more: int) -> int:
        """What `top` will be at most once `more` rows have been taken."""
        room = min(more, len(self._free))
        return max(self._top, self._free[-room] + 1) if room else self._top

    def take(self, count: int) -> list[int]:
        """Room behind the last row. Raises `ValueError`, and changes nothing, where there isn't as much."""
        taken = self._taken(count)
        self._kept += taken
        return taken

    def replace(self, start: int, stop: int, count: int) -> tuple[list[int], list[int]]:
        """The session's rows [start, stop) leave and `count` take their place -> where those lay, where these lie.

        What stands behind them keeps its positions; what stands before them moves up, or down where more come than leave.
        """
        gone = self._kept[start:stop]
        if count > len(self._free) + len(gone):
            raise ValueError(f"there are {len(self._free) + len(gone)} free rows, not {count}")
        self._let_go(gone)
        self._kept[start:stop] = taken = self._taken(count)
        self._top = max(self._kept, default=-1) + 1
        self.base += len(gone) - count
        return gone, taken

    def cut(self, count: int) -> list[int]:
        """Only the first `count` rows stay -> where the others lay."""
        gone = self._kept[count:]
        self._let_go(gone)
        del self._kept[count:]
        self._top = max(self._kept, default=-1) + 1
        return gone

    def _taken(self, count: int) -> list[int]:
        if count > len(self._free):
            raise ValueError(f"there are {len(self._free)} free rows, not {count}")
        first = len(self._free) - count
        taken = self._free[first:][::-1]  # rising
        del self._free[first:]
        self._top = max(self._top, taken[-1] + 1) if taken else self._top
        return taken

    def _let_go(self, rows: Sequence[int]) -> None:
        self._free += rows
        self._free.sort(reverse=True)
