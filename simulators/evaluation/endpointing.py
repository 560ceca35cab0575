"""End-of-turn figures over a sweep of policies: how often a hesitation is taken for the end, against how long the dead air is. Pure.

A policy is (threshold, delay, timeout): at each silence the turn ends after `delay` when the model's probability reaches the threshold, and
after `timeout` anyway. A turn is cut in when that happens in one of its hesitations. Dead air is the mean wait after the true end. As in
eot-bench: false cut-ins where dead air is at most 300 or 600 ms, dead air where at most 5 or 10 % of turns are cut in.
Does not know the model, or the time that recognition and speech take afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from ridealong.simulators.evaluation.facts import TurnPoint

THRESHOLDS = tuple(step / 20 for step in range(1, 20))
DELAYS_MS = (200.0, 250.0, 300.0, 350.0, 400.0, 500.0, 600.0, 800.0)
TIMEOUTS_MS = (300.0, 400.0, 500.0, 600.0, 700.0, 800.0, 900.0, 1_000.0, 1_250.0, 1_500.0, 2_000.0, 3_000.0)


@dataclass(frozen=True, slots=True)
class Policy:
    threshold: float
    delay_ms: float
    timeout_ms: float


@dataclass(frozen=True, slots=True)
class Point:
    """What a policy does to a set of turns."""

    policy: Policy
    cut_in: float
    dead_air_ms: float


def wait_ms(policy: Policy, probability: float) -> float:
    return policy.delay_ms if probability >= policy.threshold else policy.timeout_ms


def score(policy: Policy, turns: Sequence[Sequence[TurnPoint]]) -> Point:
    """Each turn: its hesitations and, last, its end. ValueError where a turn has no end."""
    cut, waited = 0, 0.0
    for turn in turns:
        if not turn or not turn[-1].last:
            raise ValueError("a turn needs its end as the last point")
        cut += any(hold.silence_ms > wait_ms(policy, hold.probability) for hold in turn[:-1])
        waited += wait_ms(policy, turn[-1].probability)
    return Point(policy, cut / len(turns), waited / len(turns))


def sweep(turns: Sequence[Sequence[TurnPoint]]) -> list[Point]:
    """All policies of the grid; empty without turns."""
    grid = product(THRESHOLDS, DELAYS_MS, TIMEOUTS_MS)
    return [score(Policy(*entry), turns) for entry in grid if entry[2] >= entry[1]] if turns else []


def cut_in_at(points: Sequence[Point], dead_air_ms: float) -> float | None:
    """The least share of turns cut in among policies with no more dead air than this."""
    return min((point.cut_in for point in points if point.dead_air_ms <= dead_air_ms), default=None)


def dead_air_at(points: Sequence[Point], cut_in: float) -> float | None:
    """The least dead air among policies that cut in on no more turns than this."""
    return min((point.dead_air_ms for point in points if point.cut_in <= cut_in), default=None)
