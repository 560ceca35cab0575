"""Every skill that acts, by motion, speaker, freshness and confirmation: the policy's whole product, and its examples through a real gateway."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from car_loop import run

from ridealong.cloud.vehicle import Car
from ridealong.device.vehicle.gateway import Gateway
from ridealong.harness.port import GuardedPort
from ridealong.harness.router import Calls, Router
from ridealong.harness.runner import Job
from ridealong.harness.skill import Call, Confirmation, Context, Match, Motion, Outcome, Provenance, Skill, Spoken
from ridealong.proto.types import (
    Actuate,
    ActuationResult,
    DownlinkBody,
    Samples,
    SignalValue,
    SignalWrite,
    UplinkBody,
    VehicleState,
    samples_from_ms,
)
from ridealong.simulators.car.car import SimCar
from ridealong.vehicle_skills import matrix
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.policy import GATE_AGE_MS, OCCUPANTS_AGE_MS
from ridealong.vehicle_skills.pretended import NoWaiting
from tests.unit.test_policy import expected

pytestmark = pytest.mark.unit

SKILLS = builtin_registry()
ACTING = [skill for skill in SKILLS if any(path.startswith("Vehicle.") for path in skill.actuates)]
MOTIONS = {
    "parked": Motion.PARKED, "parked by the brake alone": Motion.PARKED, "standing in gear": Motion.SLOW, "up to 60 km/h": Motion.SLOW,
}  # fmt: skip
MAY_SPEAK = {Provenance.DRIVER, Provenance.PASSENGER, Provenance.WEARER, Provenance.TYPED}
DRIVES: Mapping[str, Mapping[str, SignalValue]] = {
    "parked": {vss.SPEED: 0.0, vss.SELECTED_GEAR: vss.GEAR_PARK, vss.PARKING_BRAKE: True},
    "up to 60 km/h": {vss.SPEED: 50.0, vss.SELECTED_GEAR: vss.GEAR_DRIVE, vss.PARKING_BRAKE: False},
    "faster": {vss.SPEED: 120.0, vss.SELECTED_GEAR: vss.GEAR_DRIVE, vss.PARKING_BRAKE: False},
}


def motion_of(motion: str, freshness: str) -> Motion:
    """Written down by hand: what a car counts as that is so, and of which this is not known or old."""
    known = MOTIONS.get(motion, Motion.ANY)
    if freshness == "all fresh":
        return known
    if freshness in ("brake unknown", "brake old"):
        return Motion.SLOW if motion == "parked by the brake alone" else known
    return Motion.ANY


@pytest.mark.parametrize("skill", ACTING, ids=lambda skill: skill.name)
def test_the_whole_product_is_the_table(skill: Skill) -> None:
    for (at, state), who, said in itertools.product(matrix.STATES.items(), Provenance, Confirmation):
        allowed = matrix.verdict(skill, who, state, said).allowed
        wanted = expected(skill.group, motion_of(*at), who, said, skill.motion) and who in skill.by
        assert allowed is wanted, (at, who, said)
    assert sorted(who.value for row in matrix.rows(skill) for who in row.who) == sorted(who.value for who in Provenance)


@pytest.mark.parametrize("skill", ACTING, ids=lambda skill: skill.name)
def test_nothing_that_acts_does_so_without_what_its_contract_asks_for(skill: Skill) -> None:
    for row in matrix.rows(skill):
        for cell in row.cells.values():
            assert cell is None or (cell.rank >= skill.confirmation.rank and set(row.who) <= MAY_SPEAK)


@pytest.mark.parametrize("skill", ACTING, ids=lambda skill: skill.name)
def test_to_say_more_never_forbids_and_the_page_says_what_too_little_brings(skill: Skill) -> None:
    for state, who in itertools.product(matrix.STATES.values(), Provenance):
        answers = [matrix.answer(skill, who, state, step) for step in matrix.STEPS]
        enough = matrix.least(skill, who, state)
        for step, said in zip(matrix.STEPS, answers, strict=True):
            assert (said == "yes") is (enough is not None and step.rank >= enough.rank)
            assert said == "yes" or enough is None or said == "no: needs_confirmation"


def test_every_skill_is_on_the_page() -> None:
    page = (Path(__file__).parents[2] / "docs" / "safety_matrix.md").read_text(encoding="utf-8")
    for skill in SKILLS:
        assert f"| {skill.name} |" in page if not skill.read_only else f"`{skill.name}`" in page
        assert not (skill.read_only and any(path.startswith("Vehicle.") for path in skill.actuates))


def test_an_old_child_lock_is_a_lock() -> None:
    windows = next(skill for skill in ACTING if skill.group == "windows")
    rear = (SignalWrite(vss.window_position("Row2", "DriverSide"), 50),)

    def asked(state: matrix.CarState) -> str:
        return matrix.verdict(windows, Provenance.PASSENGER, state, Confirmation.EXPLICIT, writes=rear).reason

    assert asked(matrix.PARKED) == ""
    assert asked(matrix.aged(matrix.PARKED, "window_child_lock", OCCUPANTS_AGE_MS + 1)) == "child_lock"
    assert OCCUPANTS_AGE_MS > GATE_AGE_MS


class Ride:
    """A cloud's car, a device's gateway and a simulated car, and what each of them has seen."""

    def __init__(self, drive: str) -> None:
        self.car = SimCar()
        for path, value in DRIVES[drive].items():
            self.car.plant.force(path, value)
        self.gateway = Gateway(self.car.broker, self._up, self.now)
        self.cloud = Car("s", self._down, self.now, self.now)
        self.asked: list[Actuate] = []

    def now(self) -> Samples:
        return samples_from_ms(asyncio.get_running_loop().time() * 1000)

    def _up(self, body: UplinkBody) -> None:
        if isinstance(body, VehicleState):
            self.cloud.on_state(body)
        elif isinstance(body, ActuationResult):
            self.cloud.on_result(body)

    def _down(self, body: DownlinkBody) -> None:
        assert isinstance(body, Actuate)
        self.asked.append(body)
        self.gateway.on_actuate(body)

    async def done(self, skill: Skill, match: Match, words: str, locale: str, who: Provenance, said: Confirmation) -> Spoken:
        async def durable(work_id: str, key: str, writes: object) -> bool:
            return True

        work = f"w{len(self.asked)}"
        port = GuardedPort(self.cloud, Job(work, skill), who, said, durable, lambda key, result: None)
        arguments = {**match.arguments, **({"confirmed": True} if said is Confirmation.EXPLICIT else {})}
        known = {name: value for name, value in arguments.items() if name in skill.arguments_schema["properties"]}  # type: ignore[operator]
        return await skill.run(Call(work, words, words, locale, who, known, port, NoWaiting(), confirmation=said))


def examples() -> list[tuple[Skill, Match, str, str]]:
    router, found = Router(SKILLS), []
    for skill in ACTING:
        for locale, sentences in skill.examples.items():
            for words in sentences[:2]:
                decision = router.decide(words, locale, Context(), Provenance.DRIVER)
                if isinstance(decision, Calls):
                    found.append((skill, decision.matches[0], words, locale))
    return found


EXAMPLES = examples()


def ride(drive: str, who: Provenance, said: Confirmation) -> Sequence[tuple[Skill, Spoken, tuple[tuple[SignalWrite, ...], ...]]]:
    """What each example said, and what it brought the car to do."""

    async def main() -> list[tuple[Skill, Spoken, tuple[tuple[SignalWrite, ...], ...]]]:
        one, found = Ride(drive), []
        async with asyncio.TaskGroup() as tasks:
            parts = [tasks.create_task(one.car.run()), tasks.create_task(one.gateway.run())]
            await asyncio.sleep(1.0)
            for skill, match, words, locale in EXAMPLES:
                before = len(one.car.broker.forwarded)
                spoken = await one.done(skill, match, words, locale, who, said)
                found.append((skill, spoken, tuple(one.car.broker.forwarded)[before:]))
            for part in parts:
                part.cancel()
        return found

    result: list[tuple[Skill, Spoken, tuple[tuple[SignalWrite, ...], ...]]] = run(main())
    return result


@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize("who", Provenance)
def test_examples_do_in_a_car_what_the_table_allows_and_nothing_else(drive: str, who: Provenance) -> None:
    motion, found = MOTIONS.get(drive, Motion.ANY), ride(drive, who, Confirmation.EXPLICIT)
    may = {one.name for one in ACTING if expected(one.group, motion, who, Confirmation.EXPLICIT, one.motion) and who in one.by}
    for skill, spoken, batches in found:
        assert spoken.text
        assert skill.name in may or not (batches and spoken.outcome is Outcome.COMPLETED)
        for batch in batches:
            assert skill.name in may, (skill.name, batch)
            assert all(vss.SIGNALS[write.path].group == skill.group for write in batch)
    acted = {skill.name for skill, _, batches in found if batches}
    assert len(acted) * 3 >= len(may) * 2, sorted(may - acted)  # an example may find the car as it wants it


@pytest.mark.parametrize("drive", DRIVES)
def test_what_needs_a_yes_is_only_asked_about_without_one(drive: str) -> None:
    for skill, _, batches in ride(drive, Provenance.DRIVER, Confirmation.NONE):
        if skill.confirmation is Confirmation.EXPLICIT:
            assert not batches, skill.name
