"""Which writes were overtaken: a later one of the same signals was confirmed, so that the earlier could not be any more. Pure.

    intended, resulted  ->  overtaken(work_id)

Does not know what is said of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from ridealong.proto.types import ActuationState, SignalWrite

IN_CAR: Final = "Vehicle."
"""Elsewhere two acts of one kind have nothing to do with each other."""


@dataclass(slots=True)
class Overtaking:
    """One per session. Remembers as long as the work is open, and of each signal its newest confirmed write."""

    _intents: int = 0
    _open: dict[str, tuple[int, frozenset[str]]] = field(default_factory=dict)  # of a key, when it was intended, and of what
    _confirmed: dict[str, int] = field(default_factory=dict)
    _short: dict[str, list[tuple[int, frozenset[str]]]] = field(
        default_factory=dict
    )  # of an item's writes, those that were not confirmed
    _told: set[str] = field(default_factory=set)  # items of which something is to be told in any case

    def intended(self, key: str, writes: Sequence[SignalWrite]) -> None:
        self._intents += 1
        self._open[key] = (self._intents, frozenset(write.path for write in writes))

    def resulted(self, key: str, state: ActuationState) -> None:
        if (intent := self._open.pop(key, None)) is None:
            return
        order, paths = intent
        work_id = key.rpartition(".")[0]
        match state:
            case ActuationState.CONFIRMED:
                self._confirmed |= {path: max(order, self._confirmed.get(path, 0)) for path in paths}
                self._told.add(work_id)
            case ActuationState.REFUSED:
                self._told.add(work_id)
            case _:
                self._short.setdefault(work_id, []).append(intent)

    def overtaken(self, work_id: str) -> bool:
        """This item has ended: all that it sent was overtaken. Asked once."""
        unanswered = [key for key in self._open if key.rpartition(".")[0] == work_id]
        short = self._short.pop(work_id, []) + [self._open.pop(key) for key in unanswered]
        told = work_id in self._told
        self._told.discard(work_id)
        return bool(short) and not told and all(self._newer(order, path) for order, paths in short for path in paths)

    def _newer(self, order: int, path: str) -> bool:
        return path.startswith(IN_CAR) and self._confirmed.get(path, 0) > order
