"""Which scenarios an evaluation rides, from the generator's plans, and how one of them is made and ridden. Runs in a worker process, too.

Suites: `overlaps` (by class; noises half as many), `turns` (requests, half of them hesitant), `noise` (nobody speaks), `self` (the assistant speaks loudly and
nobody else does). Does not know results, figures or workers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ridealong.cloud.config import CloudConfig
from ridealong.cloud.frontends.cascade.audio import Floats
from ridealong.proto.types import CLOCK_HZ
from ridealong.simulators.evaluation.facts import Facts, TurnPoint
from ridealong.simulators.evaluation.riding import Riding, System
from ridealong.simulators.scenarios.generate import Studio
from ridealong.simulators.scenarios.plan import Plan, spoken_ms
from ridealong.simulators.scenarios.scenario import Cue, Scenario, Split

SUITES = ("overlaps", "turns", "noise", "self")
COUNTED = ("interruption", "backchannel", "other_directed", "background")
PER_CLASS = 216  # a few turn out not to be judgeable; 200 are wanted
TURNS = 200
MINUTES = 30
ASKED_AFTER = CLOCK_HZ * 192 // 1000  # of silence: when the listener asks the turn model
LEAD = CLOCK_HZ // 4
END_SILENCE_MS = 5_000.0


@dataclass(frozen=True, slots=True)
class Job:
    """One ride to be made. Small, so that it can be sent to a worker."""

    suite: str
    plan: Plan


def jobs_of(studio: Studio, suites: Sequence[str], seed: int, limit: int | None) -> list[Job]:
    """`limit`: so many overlaps a class, requests, and minutes at most. The suites take turns, so that a run cut short has some of each."""
    per_class, turns, minutes = (min(number, limit or number) for number in (PER_CLASS, TURNS, MINUTES))
    lists: list[list[Job]] = []
    if "overlaps" in suites:
        lists.append(_jobs("overlaps", enough(studio.plans(seed, per_class), per_class)))
    if "turns" in suites:
        lists.append(_jobs("turns", studio.plans(seed, 0, requests=turns)[:turns]))
    if "noise" in suites:
        lists.append(_jobs("noise", lasting(studio.plans(seed, 0, noise_only=minutes), minutes)))
    if "self" in suites:
        lists.append(_jobs("self", lasting(studio.plans(seed, 0, assistant_only=4 * minutes), minutes)))
    return interleaved(lists)


def enough(plans: Iterable[Plan], per_class: int) -> list[Plan]:
    """As many from the beginning as give so many replies with an overlap of every class."""
    counts: Counter[str] = Counter()
    kept = []
    for plan in plans:
        kept.append(plan)
        counts.update(kind for _, kind in {(line.turn, line.kind.value) for line in plan.lines if line.cue is not Cue.CLOCK})
        if min(counts[kind] for kind in COUNTED) >= per_class:
            break
    return kept


def lasting(plans: Iterable[Plan], minutes: int) -> list[Plan]:
    """As many from the beginning as last so long; of rides in which the assistant speaks, its speech counts."""
    kept, seconds = [], 0.0
    for plan in plans:
        if seconds >= 60 * minutes:
            break
        kept.append(plan)
        seconds += (plan.lasts_ms + sum(spoken_ms(text, plan.locale) for text in plan.replies)) / 1000
    return kept


def interleaved(lists: Sequence[Sequence[Job]]) -> list[Job]:
    """Each list spread evenly over the whole."""
    placed = [
        ((number + 0.5) / len(entries), which, job) for which, entries in enumerate(lists) for number, job in enumerate(entries)
    ]
    return [job for _, _, job in sorted(placed, key=lambda entry: entry[:2])]


def _jobs(suite: str, plans: Iterable[Plan]) -> list[Job]:
    return [Job(suite, plan) for plan in plans]


class Stage:
    """What a worker keeps: the generator's voices and the system's models."""

    def __init__(self, studio: Studio, system: System) -> None:
        self.studio, self.system = studio, system

    @staticmethod
    def load(cloud: CloudConfig, split: Split, *, real_time: bool, timed: bool, recordings: Path | None = None) -> Stage:
        return Stage(Studio.of(split, recordings=recordings), System.load(cloud, real_time=real_time, timed=timed))

    def ride(self, job: Job) -> Facts:
        plan = job.plan
        try:
            scenario = self.studio.scenario(plan)
        except ValueError:  # a voice made nothing of a text: one scenario less, named in the report
            return Facts(plan.id, job.suite, plan.locale, plan.snr_db, broken="the scenario could not be made")
        facts = Riding(scenario, job.suite).run(self.system)
        models = self.system.models
        if job.suite == "turns" and models is not None and not facts.broken:
            return replace(facts, turn_points=turn_points(scenario, models.turn.completed))
        return facts


def turn_points(scenario: Scenario, turn: Callable[[Floats], float]) -> tuple[TurnPoint, ...]:
    """The turn model's opinion at every hesitation of the (one) request and at its end, on what the microphone hears of it."""
    if len(scenario.sounds) != 1:
        return ()
    sound = scenario.sounds[0]
    audio = np.zeros(len(sound.pcm16) + CLOCK_HZ, np.float32)
    audio[: len(sound.pcm16)] = sound.pcm16
    if len(scenario.bed):
        audio += scenario.bed[np.arange(len(audio)) % len(scenario.bed)]
    audio = np.clip(audio, -32768, 32767) / np.float32(32768)

    def probability(at: int) -> float:
        return turn(audio[max(0, sound.onset - LEAD) : at + ASKED_AFTER][-8 * CLOCK_HZ :])

    holds = [(start, end) for start, end in sound.pauses if end - start > ASKED_AFTER]
    points = [TurnPoint(probability(start), 1000 * (end - start) / CLOCK_HZ, False) for start, end in holds]
    return (*points, TurnPoint(probability(sound.end), END_SILENCE_MS, True))


def stage_ride(
    cloud: CloudConfig, split: Split, real_time: bool, timed: bool, recordings: Path | None = None
) -> Callable[[Job], Facts]:
    """What rides jobs in a worker: loads voices and models."""
    return Stage.load(cloud, split, real_time=real_time, timed=timed, recordings=recordings).ride
