"""Work of many sessions in few places, calls that need each other, and what is tried again."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.harness.observing import TriedAgain
from ridealong.harness.places import Place, Places
from ridealong.harness.registry import RegistrationError, Registry
from ridealong.harness.retrying import BACK_OFF_MS, MAX_ATTEMPTS, wait_ms
from ridealong.harness.runner import Ended, Job, LoopClock, ParkingClock, Raised, Runner, Spoke, TimedOut
from ridealong.harness.skill import Call, NoSignals, Provenance, Skill, Spoken, Transient
from ridealong.proto.types import ActuationState
from ridealong.simulators.virtual_time import run_virtual
from tests.unit.harness_scene import TEMPERATURE, Scene, play

pytestmark = pytest.mark.unit

WRITE = f"write {TEMPERATURE}=22.5"


# --- places ----------------------------------------------------------------------------------------------------------


def test_who_has_had_a_turn_goes_to_the_back() -> None:
    places, turns = Places(1), []

    def joined(name: str) -> Place:
        place = places.join(lambda: turns.append(name) if place.take() else None)
        return place

    a, b = joined("a"), joined("b")
    assert a.take() and not a.take() and not b.take() and not b.take()
    a.give()
    assert turns == ["a"]  # it stood in line first
    assert not a.take()
    a.give()
    assert turns == ["a", "b"] and (places.taken, b.held) == (1, 1)


def test_an_invitation_that_is_not_taken_goes_on() -> None:
    places, woken = Places(1), []
    a, idle = places.join(lambda: None), places.join(lambda: None)
    c = places.join(lambda: woken.append(c.take()))
    assert a.take() and not idle.take() and not c.take()
    a.give()
    assert woken == [True] and places.taken == 1
    c.leave()
    assert places.taken == 0 and not places.line


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["take", "give", "leave"])), max_size=60))
def test_never_more_than_the_limit_and_nothing_leaks(steps: list[tuple[int, str]]) -> None:
    places = Places(2)
    joined: list[Place] = []
    for n in range(4):
        joined.append(places.join(lambda n=n: joined[n].take()))  # type: ignore[misc]
    for n, what in steps:
        place = joined[n]
        match what:
            case "take":
                place.take()
            case "give" if place.held:
                place.give()
            case "leave":
                place.leave()
        assert 0 <= places.taken <= 2 and places.taken == sum(one.held for one in joined)
        assert not (places.line and places.free)  # nobody stands in line beside a free place


def test_one_session_with_fifty_requests_does_not_starve_another(tmp_path: Path) -> None:
    places = Places(4)
    (tmp_path / "b").mkdir()
    greedy, modest = Scene(tmp_path, session="a", places=places), Scene(tmp_path / "b", session="b", places=places)
    done: dict[str, float] = {}

    async def run() -> None:
        loop = asyncio.get_running_loop()
        async with asyncio.TaskGroup() as group:
            for scene in (greedy, modest):
                group.create_task(scene.harness.run())
            await asyncio.sleep(0)
            for n in range(50):
                greedy.ask(f"look: wait 1000 | say {n}")
            modest.ask("look: wait 1000 | say mine")
            modest.ask(f"act: {WRITE} | say set")
            while not done.get("b") and loop.time() < 30:
                await asyncio.sleep(0.1)
                if all(item.execution.over for item in modest.harness.items.values()):
                    done["b"] = loop.time()
                    done["a"] = sum(item.execution.over for item in greedy.harness.items.values())
            for scene in (greedy, modest):
                await scene.harness.close()

    run_virtual(run())
    assert done["b"] <= 2.5 and done["a"] <= 12  # the second round
    assert modest.harness.items["b-w2"].reply == "set"  # and soon enough to act at all
    assert places.taken == 0 and not places.line
    for scene in (greedy, modest):
        scene.journal.close()


def test_a_session_that_is_torn_down_leaves_no_place_taken(tmp_path: Path) -> None:
    places = Places(1)
    scene = Scene(tmp_path, places=places)

    async def run() -> None:
        task = asyncio.get_running_loop().create_task(scene.harness.run())
        await asyncio.sleep(0)
        for n in range(3):
            scene.ask(f"look: wait 9000 | say {n}")
        await asyncio.sleep(1)
        task.cancel()
        await asyncio.wait([task])

    run_virtual(run())
    assert places.taken == 0 and not places.line
    scene.journal.close()


def test_timers_take_no_place_from_other_work(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.skills.known["look"] = replace(s.skills.known["look"], lasts_ms=lambda arguments: 60_000)
        for n in range(12):
            s.ask(f"look: wait 60000 | say {n}")
        s.ask(f"act: {WRITE} | say set")
        await asyncio.sleep(1)
        assert s.states()["w13"] == "completed/pending" and s.states()["w12"] == "running/none"

    play(Scene(tmp_path), script)


# --- calls that need each other ----------------------------------------------------------------------------------------


def test_a_call_waits_for_the_one_that_it_needs(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.ask(f"act+then act: wait 4000 | {WRITE} | say done")
        s.ask("look: say beside")
        await asyncio.sleep(0.5)
        assert s.states() == {"w1": "running/none", "w2": "queued/none", "w3": "completed/pending"}
        await asyncio.sleep(9)  # longer than an act may wait in line
        assert s.states()["w2"].startswith("completed/") and len(s.car.sent) == 2

    play(Scene(tmp_path), script)


@pytest.mark.parametrize("how", ["raise", "refuse no", "ask which"])
def test_what_comes_after_something_that_failed_is_not_done_and_said(tmp_path: Path, how: str) -> None:
    async def script(s: Scene) -> None:
        s.ask(f"look+then act+then act: wait 100 | {how} | {WRITE}")
        await asyncio.sleep(1)
        later = [s.harness.items[id] for id in ("s-w2", "s-w3")]
        assert [(item.execution.value, item.reason) for item in later] == [("cancelled", "not_first")] * 2
        assert later[0].reply == "I didn't do the rest, because what had to come first didn't work."
        assert s.car.sent == []

    play(Scene(tmp_path), script)


def test_an_act_that_the_car_did_not_confirm_lets_nothing_follow(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.car.answers = [ActuationState.TIMED_OUT]
        s.ask(f"act+then act: {WRITE} | say set")
        await asyncio.sleep(2)
        assert [item.execution.value for item in s.harness.items.values()] == ["unknown", "cancelled"] and len(s.car.sent) == 1

    play(Scene(tmp_path), script)


def test_calling_off_the_first_calls_off_what_needs_it(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.ask("look+then look: wait 4000 | say x")
        await asyncio.sleep(0.2)
        s.harness.cancel("s-w1")
        await asyncio.sleep(0.2)
        assert [item.execution.value for item in s.harness.items.values()] == ["cancelled", "cancelled"]

    play(Scene(tmp_path), script)


# --- again -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attempt", "share", "asked_for_ms", "left_ms", "wait"),
    [
        (1, 0.0, None, 9_000, 0.0),
        (1, 0.5, None, 9_000, BACK_OFF_MS / 2),
        (2, 0.5, None, 9_000, BACK_OFF_MS),
        (2, 0.5, 3_000.0, 9_000, 3_000.0),
        (2, 0.5, 8_500.0, 9_000, None),
        (1, 0.0, None, 999, None),
        (MAX_ATTEMPTS, 0.0, None, 9_000, None),
    ],
)
def test_how_long_is_waited(attempt: int, share: float, asked_for_ms: float | None, left_ms: float, wait: float | None) -> None:
    assert wait_ms(attempt, share, asked_for_ms, left_ms) == wait


def tried(faults: int, *, idempotent: bool = True, actuates: tuple[str, ...] = (), retry_after_ms: float | None = None, error: type[Exception] | None = None) -> tuple[Ended, list[float]]:  # fmt: skip
    """How a skill ends that is not there at its first attempts, and when it was tried, in ms."""
    at: list[float] = []
    ends: list[Ended] = []

    async def run(call: Call) -> Spoken:
        at.append(round(call.clock.now_ms()))
        if len(at) <= faults:
            raise error("x") if error is not None else Transient(retry_after_ms)
        return Spoken("there")

    skill = Skill(
        "test.one", "", run, lambda *_: None, "status", {}, {}, actuates=actuates, timeout_ms=9_000, idempotent=idempotent
    )
    job = Job("w1", skill)
    job.call = Call("w1", "", "", "en", Provenance.DRIVER, {}, NoSignals(), ParkingClock(LoopClock(), job))

    async def play_it() -> None:
        runner = Runner(lambda id: True, lambda id, how: ends.append(how))
        async with asyncio.TaskGroup() as group:
            runner.open(group)
            runner.submit(job)
            await runner.drained()
            await runner.close()

    run_virtual(play_it())
    return ends[0], at


def test_what_is_transient_is_tried_again_where_that_is_declared() -> None:
    how, at = tried(2)
    assert how == Spoke(Spoken("there")) and len(at) == 3
    assert tried(2)[1] == at  # a replay waits alike
    assert tried(9) == (Raised("Transient"), at)
    assert tried(1, retry_after_ms=2_000)[1] == [0, 2_000]
    assert tried(1, retry_after_ms=60_000) == (Raised("Transient"), [0])


def test_nothing_else_is_tried_again() -> None:
    assert tried(1, idempotent=False) == (Raised("Transient"), [0])
    assert tried(1, actuates=("x:y",)) == (Raised("Transient"), [0])
    assert tried(1, error=ConnectionError) == (Raised("ConnectionError"), [0])
    assert not isinstance(tried(1)[0], TimedOut)


def test_an_act_cannot_be_declared_so() -> None:
    async def run(call: Call) -> Spoken:
        return Spoken("")

    schema = {"type": "object", "additionalProperties": False}
    act = Skill("a.b", "", run, lambda *_: None, "status", schema, {}, actuates=("x:y",), idempotent=True)
    with pytest.raises(RegistrationError, match="an effect is begun once"):
        Registry([act])


def test_what_stays_away_is_said_plainly(tmp_path: Path) -> None:
    told: list[object] = []

    async def away(call: Call) -> Spoken:
        raise Transient

    async def script(s: Scene) -> None:
        s.skills.known["look"] = replace(s.skills.known["look"], run=away, idempotent=True)
        s.ask("look: x")
        await asyncio.sleep(5)
        assert s.boundary() == ["s-w1: Sorry, that isn't available right now."]

    play(Scene(tmp_path, observe=told.append), script)
    assert [one for one in told if isinstance(one, TriedAgain)] == [TriedAgain("look", "transient", "s-w1")] * 2
