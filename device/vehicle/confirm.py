"""Did the car do it? Pure rules over what its sensors said after a request was forwarded.

A request's return code confirms nothing; only an observed value within the signal's tolerance does. Does not know keys,
deadlines, the databroker or why something was asked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from ridealong.proto.types import SignalValue, SignalWrite
from ridealong.vehicle_skills.cabin_signals import SUNROOF_ENDS
from ridealong.vehicle_skills.signals import SIGNALS, SUNROOF_POSITION, SUNROOF_SWITCH, Signal

SETTLED_MS: Final = 1_000
"""A value that has not changed for this long has come to rest."""

AT_REST_MS: Final = 600
"""What was halted has been where it was for so long: longer than the slowest of what travels takes to leave its tolerance."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What must be observed, and what has been so far. `reached_ms`: since when the value is at its target."""

    path: str
    target: SignalValue
    tolerance: float = 0.0
    hold_ms: int = 0
    before: SignalValue | None = None
    last: SignalValue | None = None
    changed_ms: float = 0.0
    reached_ms: float | None = None
    observed_ms: float | None = None


def goal_of(write: SignalWrite) -> Goal:
    """A switch is confirmed by the position that it leads to, everything else by its own value. Closed and off are the end itself: a window
    that stays open by one percent was not closed."""
    if write.path == SUNROOF_SWITCH and isinstance(write.value, str) and write.value in SUNROOF_ENDS:
        signal = SIGNALS[SUNROOF_POSITION]
        return _goal(signal, SUNROOF_ENDS[write.value])
    known = SIGNALS.get(write.path)
    return _goal(known, write.value) if known is not None else Goal(write.path, write.value, 0.0, 0)


def _goal(signal: Signal, target: SignalValue) -> Goal:
    at_the_end = signal.unit == "percent" and target == 0
    return Goal(signal.path, target, 0.0 if at_the_end else signal.tolerance, signal.hold_ms)


def goal_at_rest(goal: Goal, present: SignalValue) -> Goal:
    """What is to be halted stays where it is now. The way to the very end that "closed" asks for is not asked of it."""
    return Goal(goal.path, present, SIGNALS[goal.path].tolerance, AT_REST_MS)


def near(target: SignalValue, value: SignalValue | None, tolerance: float) -> bool:
    """Numbers within tolerance; booleans and strings exactly, and never across kinds (True is not 1)."""
    gap = distance(target, value)
    return gap is not None and gap <= tolerance + 1e-9


def distance(target: SignalValue, value: SignalValue | None) -> float | None:
    """How far a number is from its target; 0 or infinity for other kinds; None when unknown or not comparable."""
    if (
        value is None
        or isinstance(target, bool) is not isinstance(value, bool)
        or isinstance(target, str) is not isinstance(value, str)
    ):
        return None
    if isinstance(target, bool | str) or isinstance(value, bool | str):
        return 0.0 if target == value else math.inf
    gap = abs(float(target) - float(value))
    return gap if math.isfinite(gap) else None


def begin(goal: Goal, before: SignalValue | None, at_ms: float) -> Goal:
    """Start watching from the value known before the request was forwarded."""
    reached = at_ms if near(goal.target, before, goal.tolerance) else None
    return replace(
        goal, before=before, last=before, changed_ms=at_ms, reached_ms=reached, observed_ms=None if before is None else at_ms
    )


def observe(goal: Goal, value: SignalValue | None, at_ms: float) -> Goal:
    """A sensor reported. Unknown is not an observation of anything."""
    if value is None:
        return replace(goal, last=None, reached_ms=None, changed_ms=at_ms)
    at_target = near(goal.target, value, goal.tolerance)
    return replace(
        goal,
        last=value,
        changed_ms=goal.changed_ms if value == goal.last else at_ms,
        reached_ms=(at_ms if goal.reached_ms is None else goal.reached_ms) if at_target else None,
        observed_ms=at_ms,
    )


def done(goals: Sequence[Goal], at_ms: float) -> bool:
    """Every goal is at its target, and has been for as long as it must."""
    return bool(goals) and all(goal.reached_ms is not None and at_ms - goal.reached_ms >= goal.hold_ms for goal in goals)


def shortfall(goal: Goal, at_ms: float) -> str:
    """At the deadline: '' when reached, else why not. `moved_away`, `stopped_short` and `other_value` contradict the
    request; `no_value`, `no_change` and `still_moving` only leave it unconfirmed."""
    if goal.reached_ms is not None:
        return ""
    if goal.last is None:
        return "no_value"
    gap, start = distance(goal.target, goal.last), distance(goal.target, goal.before)
    if gap is None:
        return "other_value"
    if start is None:
        return "other_value" if math.isinf(gap) else "still_moving" if at_ms - goal.changed_ms < SETTLED_MS else "stopped_short"
    if math.isinf(gap):
        return "no_change" if goal.last == goal.before else "other_value"
    if gap > start + goal.tolerance:
        return "moved_away"
    if abs(gap - start) <= goal.tolerance:
        return "no_change"
    return "still_moving" if at_ms - goal.changed_ms < SETTLED_MS else "stopped_short"


CONTRADICTIONS: Final = frozenset({"moved_away", "stopped_short", "other_value"})
