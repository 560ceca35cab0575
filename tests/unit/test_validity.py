"""What a reply depends on is judged again when it is said: time, conditions, and what somebody has changed meanwhile."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ridealong.harness import work
from ridealong.harness.journal import Journal
from ridealong.harness.skill import Call, Confirmation, Holds, Precondition, Provenance, Spoken, Still
from ridealong.harness.work import Validity, broken_condition
from ridealong.proto.types import ActuationResult, SignalReading, SignalValue, SignalWrite
from tests.unit.harness_scene import TEMPERATURE, FakeCar, Scene, play

pytestmark = pytest.mark.unit

SPEED = "Vehicle.Speed"


@pytest.mark.parametrize(
    ("then", "slack", "now", "age_ms", "broken"),
    [
        (22.5, 0.4, 22.6, 100, ""),
        (22.5, 0.4, 23.0, 100, "changed:x"),
        (22.5, 0.4, None, 100, ""),  # what is unknown shows no change
        (22.5, 0.4, 23.0, 4_500, ""),  # may be from before the result
        (True, 0.0, True, 100, ""),
        (True, 0.0, False, 100, "changed:x"),
        (True, 0.0, 1, 100, ""),
        ("OPEN", 0.0, "CLOSE", 100, "changed:x"),
    ],
)
def test_what_must_not_have_changed(then: SignalValue, slack: float, now: SignalValue | None, age_ms: int, broken: str) -> None:
    validity = Validity(still=(Still("x", then, slack),))
    assert broken_condition(validity, 0, lambda path: SignalReading(path, now, age_ms), since_ms=5_000) == broken


class ObservingCar(FakeCar):
    """Shows what was written with its answer, as the device does."""

    async def actuate(self, key: str, provenance: Provenance, writes: Sequence[SignalWrite], *, group: str, confirmation: Confirmation, confirm_within_ms: int) -> ActuationResult:  # fmt: skip
        result = await super().actuate(key, provenance, writes, group=group, confirmation=confirmation, confirm_within_ms=confirm_within_ms)  # fmt: skip
        return replace(result, observed=tuple(SignalReading(write.path, write.value) for write in writes))


@pytest.mark.parametrize(("turned_to", "said"), [(22.5, True), (22.8, True), (24.0, False), (None, True)])
def test_a_change_that_somebody_has_undone_is_not_told(tmp_path: Path, turned_to: float | None, said: bool) -> None:
    async def script(s: Scene) -> None:
        s.car.__class__ = ObservingCar
        s.ask(f"act: write {TEMPERATURE}=22.5 | say Set to 22.5.")
        await asyncio.sleep(3)  # somebody spoke meanwhile
        if turned_to is not None:
            s.car.values[TEMPERATURE] = turned_to
        assert s.boundary() == (["s-w1: Set to 22.5."] if said else [])
        assert s.states()["w1"] == ("completed/delivering" if said else "completed/withdrawn")

    play(Scene(tmp_path), script)


@pytest.mark.parametrize(
    ("holds", "speed", "state"),
    [
        (Holds(for_ms=5_000), 50.0, "expired"),
        (Holds(for_ms=20_000), 50.0, "delivering"),
        (Holds((Precondition(SPEED, at_most=60.0),)), 50.0, "delivering"),
        (Holds((Precondition(SPEED, at_most=60.0),)), 80.0, "withdrawn"),
        (Holds(still=(Still(SPEED, 50.0, 10.0),)), 55.0, "delivering"),
        (Holds(still=(Still(SPEED, 50.0, 10.0),)), 70.0, "withdrawn"),
    ],
)
def test_a_skill_says_what_its_sentence_depends_on(tmp_path: Path, holds: Holds, speed: float, state: str) -> None:
    async def take_the_next_exit(call: Call) -> Spoken:
        return Spoken("Take the next exit.", holds=holds)

    async def script(s: Scene) -> None:
        s.skills.known["look"] = replace(s.skills.known["look"], run=take_the_next_exit)
        s.car.values[SPEED] = speed
        s.ask("look: x")
        await asyncio.sleep(10)
        s.boundary()
        item = s.harness.items["s-w1"]
        assert item.delivery.value == state
        assert work.projection(item).value == ("delivering" if state == "delivering" else "completed")

    scene = Scene(tmp_path)
    play(scene, script)
    kept = Journal(tmp_path / "journal.sqlite").item("s-w1")
    assert kept is not None and (kept.validity.conditions, kept.validity.still) == (holds.conditions, holds.still)


def test_a_question_changes_nothing_whatever_a_front_end_makes_of_it(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        def feed(request: str, words: str) -> None:
            s.harness.feed(f"<delegate>{request}</delegate>", s.now(), words, "en", Provenance.DRIVER, True)

        act = f"act: write {TEMPERATURE}=22.5 | say Set."
        feed(act, "Is the heating set to 22.5?")
        await asyncio.sleep(1)
        assert s.car.sent == [] and s.boundary() == [
            "s-w1: I heard a question, so I did nothing. If you want it done, please say so."
        ]
        s.played("s-w1", "finished", "I heard a question.")
        await asyncio.sleep(4)
        feed(act, "Is it cold outside? Set the heating to 22.5, please.")
        await asyncio.sleep(1)
        assert len(s.car.sent) == 1
        feed("look: say It is 22.5.", "Is the heating set to 22.5?")
        await asyncio.sleep(4)
        assert s.harness.items["s-w3"].reply == "It is 22.5."

    play(Scene(tmp_path), script)
