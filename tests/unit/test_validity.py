"""What a reply depends on is judged again when it is said: time, conditions, and what somebody has changed meanwhile."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ridealong.cloud.vehicle import Car
from ridealong.harness import work
from ridealong.harness.harness import GaveUp
from ridealong.harness.intents import Intents
from ridealong.harness.journal import Journal
from ridealong.harness.rehearsal import ObedientCar
from ridealong.harness.rest import Why
from ridealong.harness.said import Saying, State
from ridealong.harness.skill import Call, Confirmation, Holds, Motion, Precondition, Provenance, Spoken, Still, Verdict
from ridealong.harness.validity import Validity, broken_condition
from ridealong.harness.worker.answers import preconditions
from ridealong.proto.types import (
    Actuate,
    ActuationResult,
    ActuationState,
    Samples,
    SignalReading,
    SignalValue,
    SignalWrite,
    UtteranceId,
)
from ridealong.simulators.virtual_time import run_virtual
from tests.unit.busy_scene import Busy
from tests.unit.harness_scene import TEMPERATURE, FakeCar, Scene, play, skill

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

    async def actuate(self, key: str, provenance: Provenance, writes: Sequence[SignalWrite], **how: Any) -> ActuationResult:
        result = await super().actuate(key, provenance, writes, **how)
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


def test_what_is_asked_for_later_is_not_done_now(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        def feed(request: str, words: str) -> None:
            s.harness.feed(f"<delegate>{request}</delegate>", s.now(), words, "en", Provenance.DRIVER, True)

        feed(f"act+act: write {TEMPERATURE}=22.5", "Set the heating to 22.5 when we stop, please.")
        await asyncio.sleep(1)
        assert s.car.sent == [] and s.boundary() == ["s-w1: I can't do that later; ask me again when we stop."]
        s.played("s-w1", "finished", "I can't do that later; ask me again when we stop.")
        assert (
            s.harness.rehearse("act: warm it when we stop", "en", Provenance.DRIVER)
            == "I can't do that later; ask me again when we stop."
        )
        assert len(s.harness.items) == 1  # said once, whatever the number of calls
        feed("look: say It is 21.", "Look when we stop how warm it is.")
        await asyncio.sleep(4)
        assert s.harness.items["s-w2"].reply == "It is 21."  # a look changes nothing
        feed(f"act: write {TEMPERATURE}=22.5 | say Set.", "Set the heating to 22.5 when you can.")
        await asyncio.sleep(1)
        assert len(s.car.sent) == 1

    play(Scene(tmp_path), script)


def test_what_must_be_so_when_the_car_acts_goes_along(tmp_path: Path) -> None:
    asked = (Precondition(SPEED, at_most=5.0),)

    async def when_standing(call: Call) -> Spoken:
        result = await call.signals.actuate([SignalWrite(TEMPERATURE, 22.5)], group="climate", preconditions=asked)
        return Spoken("", reason=result.reason)

    async def script(s: Scene) -> None:
        s.skills.known["act"] = replace(s.skills.known["act"], run=when_standing)
        s.ask("act: x")
        await asyncio.sleep(1)
        assert s.car.preconditions == [asked]

    play(Scene(tmp_path), script)


def test_the_device_is_told_what_must_be_so() -> None:
    sent: list[object] = []
    car = Car("s", sent.append, lambda: Samples(0), lambda: Samples(0), present=True)

    async def ask() -> None:
        acting = asyncio.ensure_future(
            car.actuate("k", Provenance.DRIVER, [SignalWrite(TEMPERATURE, 22.5)], group="climate", confirmation=Confirmation.NONE, tier=Motion.ANY,
                        confirm_within_ms=1_000, preconditions=(Precondition(SPEED, at_most=5.0),))
        )  # fmt: skip
        await asyncio.sleep(0)
        car.on_result(ActuationResult("k", ActuationState.REFUSED, "precondition"))
        assert (await acting).reason == "precondition"

    run_virtual(ask())
    assert isinstance(sent[0], Actuate) and sent[0].preconditions == (Precondition(SPEED, at_most=5.0),)


def test_a_rehearsal_keeps_to_it() -> None:
    port = ObedientCar(skill("act", actuates=(TEMPERATURE,)), lambda path: SignalReading(path, 50.0), lambda group, confirmation: Verdict(True))  # fmt: skip

    async def ask(at_most: float) -> ActuationState:
        write = [SignalWrite(TEMPERATURE, 22.5)]
        return (await port.actuate(write, group="climate", preconditions=(Precondition(SPEED, at_most=at_most),))).state

    assert run_virtual(ask(60.0)) is ActuationState.CONFIRMED and run_virtual(ask(5.0)) is ActuationState.REFUSED


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ([], ()),
        ([{"path": "a.b", "at_most": 5.0, "equals": None}], (Precondition("a.b", at_most=5.0),)),
        ([{"path": "a.b", "at_most": None, "equals": True}], (Precondition("a.b", equals=True),)),
        ([{"path": "a.b"}], None),
        ([{"path": "a.b", "at_most": 1e300}], None),
        ([{"path": "a.b", "equals": [1]}], None),
        ([{"path": 1, "equals": 1}], None),
        ("x", None),
        ([{"path": "a.b", "at_most": 5.0}] * 17, None),
    ],
)
def test_a_workers_preconditions_are_read_strictly(written: object, read: object) -> None:
    assert preconditions(written) == read


# --- later versions of an intent ------------------------------------------------------------------------------------


def test_what_could_not_be_stopped_is_not_told_when_something_else_was_asked_for_instead(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.ask(f"act: write {TEMPERATURE}=21 | say Set to 21.")
        await asyncio.sleep(0.05)
        assert s.harness.cancel("s-w1") and s.states() == {"w1": "cancelling/none"}  # on its way to the car
        s.ask(f"revise act: write {TEMPERATURE}=20 | say Set to 20.")
        await asyncio.sleep(2)
        assert s.states()["w1"].endswith("/pending")
        assert s.boundary() == ["s-w2: Set to 20."]
        s.played("s-w2", "finished", "Set to 20.")
        assert s.boundary() == [] and s.states()["w1"].endswith("/withdrawn")
        s.ask(f"act: write {TEMPERATURE}=19 | say Set to 19.")  # nothing is revised: an intent of its own
        await asyncio.sleep(2)
        assert s.boundary() == ["s-w3: Set to 19."]

    scene = Scene(tmp_path)
    play(scene, script)
    versions = [(item.replaces, item.validity.revision) for item in scene.harness.items.values()]
    assert versions == [("", 0), ("s-w1", 1), ("", 0)]


@pytest.mark.parametrize("heard", ["", "The nearest"])
def test_what_is_being_told_ends_where_something_else_is_asked_for_instead(tmp_path: Path, heard: str) -> None:
    async def script(s: Busy) -> None:
        s.search_ms = 100
        s.ask("Search for the nearest shop.")
        await asyncio.sleep(1)
        assert s.boundary() == ["s-w1: The nearest shop is Miller's."]
        s.harness.note(Saying(UtteranceId(1), "s-w1", "The nearest shop is Miller's.", heard, s.now(), State.SPEAKING))
        s.played("s-w1", "progress", heard)
        s.ask("Make it the cheapest instead.")
        await asyncio.sleep(0.5)
        assert [event.work_id for event in s.events if isinstance(event, GaveUp)] == ["s-w1"], "what was sent of it is flushed"
        s.harness.note(
            Saying(UtteranceId(1), "s-w1", "The nearest shop is Miller's.", heard, s.now(), State.CUT, Why.INTERRUPTED, True)
        )
        s.everything()
        s.ask("Go on.")
        await asyncio.sleep(0.5)
        assert not [told for told in s.everything() if "nearest" in told or "Miller" in told]

    play(Busy(tmp_path), script)


def test_the_versions_of_an_intent_know_each_other() -> None:
    intents = Intents()
    assert [intents.begun(id, replaces) for id, replaces in (("a", ""), ("b", "a"), ("x", ""), ("c", "b"), ("d", "a"))] == [
        0,
        1,
        0,
        2,
        3,
    ]
    assert [intents.newest(id) for id in "abcdx"] == [3, 3, 3, 3, 0]
    intents.forget("a")
    assert intents.newest("c") == 3 and intents.begun("e", "d") == 4
    for id in "bcde":
        intents.forget(id)
    assert intents == Intents()
