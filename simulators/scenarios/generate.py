"""The three stages joined: plans of a split, and the scenario of a plan. This is what an evaluation calls.

    studio = Studio.of(Split.REPORT)
    for plan in studio.plans(seed=1, per_class=200):
        scenario = studio.scenario(plan)

Scenarios are made one at a time: two thousand of them would not fit into memory. Does not know: rides, or what is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ridealong.harness.polish import polish
from ridealong.simulators.scenarios.align import aligned
from ridealong.simulators.scenarios.plan import Plan
from ridealong.simulators.scenarios.planner import LOCALES, SNRS_DB, Material, plan
from ridealong.simulators.scenarios.realise import bed, realise
from ridealong.simulators.scenarios.recordings import ambiences, people
from ridealong.simulators.scenarios.scenario import Scenario, Split
from ridealong.simulators.scenarios.speech import Kokoro, Speech
from ridealong.simulators.scenarios.texts import SHIPPED, Texts, load_texts


@dataclass(frozen=True, slots=True)
class Studio:
    material: Material
    speech: Speech

    @staticmethod
    def of(split: Split, speech: Speech | None = None, *, texts: Path = SHIPPED, recordings: Path | None = None) -> Studio:
        """`recordings`: a folder of people's speech to be used beside the shipped ones (see recordings.py)."""
        loaded = {locale: _as_said(_apart(load_texts(split, locale, texts), locale, texts)) for locale in LOCALES}
        return Studio(Material(split, loaded, people(recordings), ambiences()), speech if speech is not None else Kokoro())

    def plans(
        self,
        seed: int,
        per_class: int,
        *,
        locales: Sequence[str] = LOCALES,
        snrs_db: Sequence[float | None] = SNRS_DB,
        requests: int = 0,
        noise_only: int = 0,
        assistant_only: int = 0,
    ) -> list[Plan]:
        """Rides with at least `per_class` overlaps of each kind, then so many of the others: see `planner.plan`."""
        return plan(
            self.material, seed, per_class, locales=locales, snrs_db=snrs_db, requests=requests, noise_only=noise_only,
            assistant_only=assistant_only,
        )  # fmt: skip

    def scenario(self, plan: Plan) -> Scenario:
        """The same for the same plan, given the same voices and files."""
        files = {one.path.name: one.path for one in self.material.people if one.split is plan.split}
        return aligned(plan, [realise(line, plan.split, self.speech, files) for line in plan.lines], bed(plan.bed, plan.split))

    def scenarios(self, plans: Sequence[Plan]) -> Iterator[Scenario]:
        return (self.scenario(plan) for plan in plans)


def _apart(found: Texts, locale: str, folder: Path) -> Texts:
    """What is reported on leaves out what was tuned on: people say "stop" in both files."""
    return found if found.split is Split.TUNE else found.without(load_texts(Split.TUNE, locale, folder).spoken())


def _as_said(found: Texts) -> Texts:
    """Replies as the product would say them: three sentences at most."""
    return replace(found, replies=tuple(replace(reply, text=polish(reply.text)) for reply in found.replies))
