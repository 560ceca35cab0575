"""What a signal of the car did on a run: its values in order, the one at an instant, where it came to rest. Pure.

Does not know what was expected of it.
"""

from __future__ import annotations

from ridealong.simulators.trip.record import RunRecord, SignalChange

HOLD_S = 0.8
"""A value counts when it stays this long: a window that passes through 25 % was not set to 25 %."""


def history_of(record: RunRecord, path: str) -> list[SignalChange]:
    return [change for change in record.signals if change.path == path]


def value_at(history: list[SignalChange], at_s: float) -> SignalChange | None:
    before = [change for change in history if change.at_s <= at_s]
    return before[-1] if before else None


def settled_from(reached: SignalChange, history: list[SignalChange], before_s: float) -> SignalChange:
    """Where the signal came to rest, from the first value that was near enough on."""
    settled = reached
    for change in history:
        if reached.at_s < change.at_s < before_s:
            if change.at_s - settled.at_s >= HOLD_S:
                break
            settled = change
    return settled
