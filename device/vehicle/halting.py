"""What halts an actuation that is still on its way: each signal that travels is told to be where it is now. Pure.

    halting(writes, goals, before, overtaken)  ->  (what to write, what must then be seen, why it can't be)

A position that was seen a moment ago lies behind what moves: to be told to be there never moves it further, and back by no more than it has moved since.
So it must be a reading of this moment; where there is none, nothing is written. What has arrived, and what a later request has set going
instead, is left alone. Does not know keys, time to live, or who may ask for it (policy.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ridealong.device.vehicle.confirm import Goal, goal_at_rest
from ridealong.harness.doing import HALTED
from ridealong.harness.port import CANNOT_HALT as CANNOT
from ridealong.proto.types import SignalValue, SignalWrite
from ridealong.vehicle_skills.signals import SIGNALS, can_halt, fault

OVER: Final = "over"
"""Nothing of it is on its way any more."""

Halting = tuple[tuple[SignalWrite, ...], tuple[Goal, ...], str]


def halting(
    writes: Sequence[SignalWrite], goals: Sequence[Goal], before: Mapping[str, SignalValue | None], overtaken: frozenset[str]
) -> Halting:
    """`writes` and `goals`: of the actuation, one goal a write. `before`: what the sensors show now. All that can be halted is, or nothing."""
    under_way = [
        (write, goal) for write, goal in zip(writes, goals, strict=True) if goal.reached_ms is None and goal.path not in overtaken
    ]
    if not under_way:
        return (), (), OVER
    moving = [(write, goal) for write, goal in under_way if can_halt(write.path)]
    if not moving:
        return (), (), CANNOT
    stops: list[SignalWrite] = []
    rests: list[Goal] = []
    for write, goal in moving:
        present = before.get(goal.path)
        if present is None or fault(SIGNALS[goal.path], present):
            return (), (), "no_value"
        signal = SIGNALS[write.path]
        stops.append(SignalWrite(write.path, present if signal.halted_by is None else signal.halted_by))
        rests.append(goal_at_rest(goal, present))
    return tuple(stops), tuple(rests), ""


__all__ = ["CANNOT", "HALTED", "OVER", "halting", "held_up"]


def held_up(goals: Sequence[Goal], at_rest: Sequence[Goal]) -> bool:
    """Of these goals nothing is on its way any more, now that those are at rest."""
    halted = {goal.path for goal in at_rest}
    return all(goal.reached_ms is not None or goal.path in halted for goal in goals)
