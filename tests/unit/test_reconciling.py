"""What the car tells late, after a restart or after it was given up: the journal completed, said once, never tried again."""

import asyncio
from pathlib import Path

import pytest

from ridealong.cloud.vehicle import Car
from ridealong.harness.journal import Journal
from ridealong.harness.skill import Provenance
from ridealong.proto.types import ActuationResult, ActuationState, Samples, SignalValue
from ridealong.simulators.virtual_time import run_virtual
from tests.unit.harness_scene import TEMPERATURE, Scene, play

pytestmark = pytest.mark.unit

KEY = "old-w1.0"


def crashed(folder: Path, locale: str = "en") -> None:
    """A node that died after it had sent an actuation: its journal knows the intent and no result."""
    scene = Scene(folder, session="old")

    async def run() -> None:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(scene.harness.run())
            await asyncio.sleep(0)
            words = "设到二十二度半" if locale == "zh" else "make it 22.5"
            scene.harness.feed(f"<delegate>act: write {TEMPERATURE}=22.5 | say Set.</delegate>", scene.now(), words, locale, Provenance.DRIVER, True)  # fmt: skip
            await asyncio.sleep(0.05)
            assert scene.car.sent[0][0] == KEY
            scene.journal.close()  # nothing more reaches the disk
            task.cancel()

    run_virtual(run())


def late(state: ActuationState, key: str = KEY) -> ActuationResult:
    return ActuationResult(key, state, "outcome_unknown" if state is ActuationState.TIMED_OUT else "")


@pytest.mark.parametrize(
    ("state", "shows", "said"),
    [
        (ActuationState.CONFIRMED, None, "that was done."),
        (ActuationState.CONTRADICTED, None, "that didn't happen."),
        (ActuationState.REFUSED, None, "that was not done."),
        (ActuationState.TIMED_OUT, 22.5, "I couldn't follow it, but it is so now."),
        (ActuationState.TIMED_OUT, 17.0, "that didn't happen."),
        (ActuationState.TIMED_OUT, None, "I can't tell whether that worked."),
    ],
)
def test_after_a_restart_reality_is_asked_and_told_once(tmp_path: Path, state: ActuationState, shows: SignalValue | None, said: str) -> None:  # fmt: skip
    crashed(tmp_path)

    async def script(s: Scene) -> None:
        assert s.journal.recovered.unanswered_intents == (KEY,)
        s.harness.reconcile(late(state))
        s.harness.reconcile(late(state))  # the device says it again
        await asyncio.sleep(1)
        if shows is not None:
            s.car.values[TEMPERATURE] = shows
        await asyncio.sleep(4)
        heard = s.boundary()
        assert heard and heard[0].startswith(f"new-w1: Before we were cut off you asked, “make it 22.5”: {said}")
        s.played("new-w1", "finished", heard[0])
        assert s.car.sent == [] and list(s.harness.items) == ["new-w1"]

    play(Scene(tmp_path, session="new"), script)
    reader = Journal(tmp_path / "journal.sqlite", read_only=True)
    assert [intent.state for intent in reader.intents("old-w1")] == [state.value]
    reader.close()


def test_in_the_language_of_the_request(tmp_path: Path) -> None:
    crashed(tmp_path, "zh")

    async def script(s: Scene) -> None:
        s.harness.reconcile(late(ActuationState.CONFIRMED))
        await asyncio.sleep(0.1)
        (reply,) = s.harness.boundary(s.now(), True, 5_000)
        assert (reply.text, reply.locale) == ("中断之前您说“设到二十二度半”：已经做了。", "zh")

    play(Scene(tmp_path, session="new"), script)


@pytest.mark.parametrize("key", ["", "nobody-w9.0", "old-w1", "old-w1.7", "old-w1.x", "x" * 300 + ".0"])
def test_a_key_that_is_none_of_ours_means_nothing(tmp_path: Path, key: str) -> None:
    crashed(tmp_path)

    async def script(s: Scene) -> None:
        s.harness.reconcile(late(ActuationState.CONFIRMED, key))
        s.harness.reconcile(late(ActuationState.FORWARDED))
        await asyncio.sleep(0.1)
        assert s.states() == {} and s.boundary() == []

    play(Scene(tmp_path, session="s"), script)


@pytest.mark.parametrize(
    ("state", "said"),
    [(ActuationState.CONFIRMED, ["s-w2: About “act: x”: that was done."]), (ActuationState.TIMED_OUT, [])],
)
def test_what_was_given_up_and_happened_after_all(tmp_path: Path, state: ActuationState, said: list[str]) -> None:
    async def script(s: Scene) -> None:
        s.car.answers = [ActuationState.TIMED_OUT]
        s.harness.feed(f"<delegate>act: write {TEMPERATURE}=22.5</delegate>", s.now(), "act: x", "en", Provenance.DRIVER, True)
        await asyncio.sleep(1)
        assert s.boundary() == ["s-w1: I can't tell whether that worked. Please check."]
        s.played("s-w1", "finished", "I can't tell whether that worked.")
        s.harness.reconcile(late(state, "s-w1.0"))
        await asyncio.sleep(1)
        assert s.boundary() == said

    play(Scene(tmp_path), script)


def test_the_cars_late_answers_are_handed_on() -> None:
    told: list[ActuationResult] = []
    car = Car("s", lambda body: None, lambda: Samples(0), late=told.append)
    car.on_result(late(ActuationState.FORWARDED))
    car.on_result(late(ActuationState.CONFIRMED))
    assert told == [late(ActuationState.CONFIRMED)] and car.strange_results == 1
