"""Field reports, section E: resume, tools, delegation. One test a report, on its own input."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from ridealong.device.link import LinkState
from ridealong.device.vehicle.gateway import Gateway
from ridealong.harness.rest import Why
from ridealong.harness.skill import Call, Confirmation, Outcome, Spoken
from ridealong.proto import types as t
from ridealong.proto.types import ActuationResult, ActuationState, Samples, SignalWrite
from ridealong.simulators.car.car import SimCar
from ridealong.vehicle_skills import signals as vss
from tests.unit.car_loop import run as run_car
from tests.unit.crash_world import World, live
from tests.unit.harness_scene import TEMPERATURE, Scene, play, skill
from tests.unit.test_link import Bench, part, until
from tests.unit.test_link import run as run_link

from .understanding import ROUTER, brief, decide

pytestmark = pytest.mark.unit

ACT = f"act: write {TEMPERATURE}=21 | say Done."


async def hear(s: Scene, seconds: float = 1.0) -> list[str]:
    """What is said, and heard to its end, in a quiet while."""
    said = []
    for _ in range(round(seconds * 10)):
        for line in s.boundary(quiet_ms=2_500):
            work_id, _, text = line.partition(": ")
            said.append(text)
            s.played(work_id, "started")
            s.played(work_id, "finished", text)
        await asyncio.sleep(0.1)
    return said


# --- resume with a pre-call handle ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("outage_s", [0.5, 3.0, 6.0])
def test_a_link_that_drops_between_a_tools_start_and_its_result_loses_nothing(tmp_path: Path, outage_s: float) -> None:
    """The result comes over the next link, and belongs to the call that it is the result of."""
    world = World(tmp_path)

    async def script(w: World, tasks: asyncio.TaskGroup) -> None:
        w.utter("a", "temperature 21.5")
        await asyncio.sleep(0.02)
        w.link(w.devices["a"], False)
        assert list(w.devices["a"].issued), "it was sent before the drop"
        w.utter("a", "look 1")  # other work goes on meanwhile
        await asyncio.sleep(outage_s)
        w.link(w.devices["a"], True)
        await asyncio.sleep(1)
        for _ in range(2):
            for work_id in w.boundary("a", True, 2_500):
                assert w.node is not None
                w.node.sessions["a"].harness.playback(work_id, "finished", "x", w.now())

    live(world, script)
    assert sorted(text for _, _, text in world.said) == ["Done: 21.5 alpha.", "It is fine, alpha."]
    assert world.faults == [] and len(world.devices["a"].done) == 1


# --- one call becomes 45 conversations --------------------------------------------------------------------------------------


def test_thirty_reconnects_are_one_conversation_and_a_backlog_comes_once(tmp_path: Path) -> None:
    """30 drops in 20 minutes, each with units that were made meanwhile."""

    async def scenario() -> None:
        async with asyncio.TaskGroup() as tasks:
            bench = Bench(tasks)
            link = bench.link()
            tasks.create_task(link.run())
            numbers = itertools.count()
            for _ in range(30):
                await until(lambda: link.state is LinkState.OPEN)
                link.send(part(next(numbers)))
                await bench.channels[-1].close()
                for _ in range(3):
                    link.send(part(next(numbers)))
                await asyncio.sleep(40)
            await until(lambda: link.state is LinkState.OPEN and link.idle)
            assert link.counters.reconnects == 30 and link.counters.sessions_lost == 0
            (actor,) = bench.actors
            assert actor.got == [part(number) for number in range(120)]
            await link.close()

    run_link(scenario)


# --- a deadline that was only looked at when a message came -----------------------------------------------------------------


def test_a_node_that_says_it_goes_and_falls_silent_is_left_in_time() -> None:
    async def scenario() -> None:
        async with asyncio.TaskGroup() as tasks:
            bench = Bench(tasks)
            link = bench.link()
            tasks.create_task(link.run())
            await until(lambda: link.state is LinkState.OPEN)
            bench.actors[0].send(t.Draining(2_000))
            await until(lambda: t.Draining(2_000) in bench.down)
            told_at = asyncio.get_running_loop().time()
            silent = bench.channels[0]

            async def nothing() -> bytes:
                await asyncio.sleep(3_000)
                return b""

            silent.receive = nothing  # type: ignore[method-assign]
            await until(lambda: len(bench.dialled_at) > 1)
            assert 1.9 <= bench.dialled_at[1] - told_at <= 5.0
            await until(lambda: link.state is LinkState.OPEN)
            link.send(part(0))
            await until(lambda: link.idle)
            assert len(bench.actors) == 1, "the same conversation goes on"
            await link.close()

    run_link(scenario)


# --- interrupted after the tool ran -----------------------------------------------------------------------------------------


def test_a_reply_cut_off_and_the_request_repeated_act_once(tmp_path: Path) -> None:
    """The user interrupts 50 ms into the sentence, and says it again: one actuation, and the stored result is told."""

    async def script(s: Scene) -> None:
        s.ask(ACT)
        await asyncio.sleep(0.3)
        assert s.boundary() == ["s-w1: Done."]
        s.played("s-w1", "started")
        await asyncio.sleep(0.05)
        s.harness.interrupted(Why.INTERRUPTED, s.now(), frozenset({"s-w1"}))
        s.played("s-w1", "flushed", "")
        await asyncio.sleep(1.5)
        s.ask(ACT)
        assert [line.removeprefix("Again: ") for line in await hear(s, 12.0)] == ["Done."]

    scene = Scene(tmp_path)
    play(scene, script)
    assert len(scene.car.sent) == 1 and scene.rejected() == ["duplicate"]
    assert scene.states()["w1"] == "completed/delivered"


@pytest.mark.parametrize("why", list(Why))
def test_however_it_was_cut_and_however_slowly_it_is_said_again(tmp_path: Path, why: Why) -> None:
    """Six seconds after the first request's end, which is how fast people speak: nothing is done, and it is told what was."""

    async def script(s: Scene) -> None:
        s.ask(ACT)
        await asyncio.sleep(0.3)
        assert s.boundary() == ["s-w1: Done."]
        s.played("s-w1", "started")
        await asyncio.sleep(2.0)
        s.harness.interrupted(why, s.now(), frozenset({"s-w1"}))
        s.harness.playback("s-w1", "flushed", "", s.now(), why)
        await asyncio.sleep(3.7)
        s.ask(ACT)
        assert [line.removeprefix("Again: ") for line in await hear(s, 2.0)] == ["Done."]
        s.ask(ACT)  # heard: whoever says it now wants it done again
        await asyncio.sleep(0.5)
        assert await hear(s, 2.0) == ["Done."]

    scene = Scene(tmp_path)
    play(scene, script)
    assert len(scene.car.sent) == 2 and scene.rejected() == ["duplicate"]
    assert [item.delivery.value for item in scene.harness.items.values()] == ["delivered", "delivered"]


def test_asked_again_while_it_is_being_done_or_before_it_is_told(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.car.delay_ms = 5_000
        s.ask(ACT)
        await asyncio.sleep(4)
        s.ask(ACT)
        await asyncio.sleep(4)
        s.ask(ACT)  # nobody has told them
        assert await hear(s, 2.0) == ["Done."]

    scene = Scene(tmp_path)
    play(scene, script)
    assert len(scene.car.sent) == 1 and scene.rejected() == ["duplicate", "duplicate"]


@pytest.mark.parametrize(
    ("between", "heard", "later_s"),
    [
        ("", "Done.", 4.0),  # they have heard it
        (
            "act: write Vehicle.Cabin.HVAC.Station.Row1.Driver.Temperature=25 | say Done.",
            "",
            4.0,
        ),  # and then something else was done
        ("", "", 11.0),  # cut too long ago to be still about that
    ],
)
def test_a_real_second_request_is_done(tmp_path: Path, between: str, heard: str, later_s: float) -> None:
    async def script(s: Scene) -> None:
        s.ask(ACT)
        await asyncio.sleep(0.3)
        s.boundary()
        s.played("s-w1", "started")
        s.harness.interrupted(Why.STOP, s.now(), frozenset({"s-w1"}))
        s.harness.playback("s-w1", "flushed", heard, s.now(), Why.STOP)
        if between:
            s.ask(between)
        await asyncio.sleep(later_s)
        before = len(s.car.sent)
        s.ask(ACT)
        await asyncio.sleep(1)
        assert len(s.car.sent) == before + 1

    scene = Scene(tmp_path)
    play(scene, script)
    assert scene.rejected() == []


@pytest.mark.parametrize("answer", [ActuationState.REFUSED, ActuationState.CONTRADICTED])
def test_what_was_not_done_may_be_asked_for_again_at_any_time(tmp_path: Path, answer: ActuationState) -> None:
    async def script(s: Scene) -> None:
        s.car.answers = [answer]
        s.ask(ACT)
        await asyncio.sleep(3.5)
        s.ask(ACT)
        await asyncio.sleep(1)

    scene = Scene(tmp_path)
    play(scene, script)
    assert len(scene.car.sent) == 2 and scene.rejected() == []


# --- a side effect tried again after a drop ---------------------------------------------------------------------------------


def test_a_tool_that_did_it_and_closed_the_line_is_not_called_again(tmp_path: Path) -> None:
    """Unknown is said to be unknown; the effect is on record, and happened once."""
    runs: list[str] = []

    async def book(call: Call) -> Spoken:
        if call.confirmation is not Confirmation.EXPLICIT:
            return Spoken("Really?", Outcome.ASKS, "confirm")

        async def do(key: str) -> ActuationResult:
            runs.append(key)
            raise ConnectionResetError("the server closed the connection")

        await call.effects.perform("note:send", "a table", do)
        return Spoken("Done.")

    async def script(s: Scene) -> None:
        s.skills.known["act"] = replace(skill("act", actuates=("note:send",)), run=book)
        s.ask("act: x")
        assert await hear(s, 1.0) == ["Really?"]
        s.ask("yes")
        said.extend(await hear(s, 6.0))

    said: list[str] = []
    scene = Scene(tmp_path)
    play(scene, script)
    assert len(runs) == 1 and scene.states()["w2"].startswith("unknown/")
    assert len(said) == 1 and "Done" not in said[0] and "closed the connection" not in said[0]


# --- cancelled by the tail of the user's own words --------------------------------------------------------------------------


def test_the_tail_of_the_users_voice_cancels_no_tool_and_the_result_comes_by_itself(tmp_path: Path) -> None:
    """A tool of 2 s; 200 ms of voice after the call; nothing is called after it."""

    async def script(s: Scene) -> None:
        s.ask("look: wait 2000 | say It is sunny.")
        await asyncio.sleep(0.03)
        s.harness.interrupted(Why.INTERRUPTED, s.now(), frozenset())
        for _ in range(2):
            assert s.boundary(free=False, quiet_ms=0) == []
            await asyncio.sleep(0.1)
        said.extend(await hear(s, 3.0))

    said: list[str] = []
    scene = Scene(tmp_path)
    play(scene, script)
    assert said == ["It is sunny."] and scene.states() == {"w1": "completed/delivered"}


# --- never told, or told for ever -------------------------------------------------------------------------------------------


def test_a_result_that_comes_after_two_other_subjects_is_told_once(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.ask("look: wait 12000 | say It will rain.")
        await asyncio.sleep(3)
        s.ask("look: say Four.")
        said.extend(await hear(s, 3.0))
        s.ask("look: say Blue.")
        said.extend(await hear(s, 30.0))

    said: list[str] = []
    scene = Scene(tmp_path)
    play(scene, script)
    assert said == ["Four.", "Blue.", "It will rain."]
    assert set(scene.states().values()) == {"completed/delivered"}


def test_a_result_of_a_moment_is_the_answer_and_no_news(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.ask("look: wait 20 | say Four.")
        await asyncio.sleep(0.1)
        assert s.boundary(quiet_ms=0) == ["s-w1: Four."]  # at once, without a pause, as an answer
        s.played("s-w1", "finished", "Four.")
        assert await hear(s, 70.0) == []

    play(Scene(tmp_path), script)


def test_a_result_that_nobody_could_be_told_expires(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        s.ask("look: say It will rain.")
        for _ in range(70):
            await asyncio.sleep(1)
            assert s.boundary(free=False, quiet_ms=0) == []
        assert await hear(s, 5.0) == []

    scene = Scene(tmp_path)
    play(scene, script)
    assert scene.states() == {"w1": "completed/expired"}


# --- claims without acts, acts without request ------------------------------------------------------------------------------


def test_nothing_is_claimed_of_a_skill_that_is_not_there(tmp_path: Path) -> None:
    async def script(s: Scene) -> None:
        del s.skills.known["act"]
        s.ask("act: say Opened all windows.")
        said.extend(await hear(s, 2.0))

    said: list[str] = []
    scene = Scene(tmp_path)
    play(scene, script)
    assert scene.car.sent == [] and len(said) == 1 and "pened" not in said[0]
    assert scene.states()["w1"].startswith("failed/")


@pytest.mark.parametrize(
    "text", ["is the window open", "is my window open?", "are the windows closed", "is the boot open", "车窗关了吗"]
)
def test_a_question_asks_and_opens_nothing(text: str) -> None:
    locale = "zh" if text > "z" else "en"
    for match in getattr(decide(text, locale), "matches", ()):
        found = ROUTER.registry.get(match.capability)
        assert found is not None and found.read_only, brief(decide(text, locale))


def test_what_is_so_already_is_not_said_to_have_been_done(tmp_path: Path) -> None:
    """ "Turned off", when it was off: the claim is of a state, not of an act."""
    from tests.unit.test_car_skills import car, run

    port = car()
    (spoken,) = run("close the driver's window", port)
    assert port.sent == [] and "already" in spoken.text


# --- a stored request carried out later -------------------------------------------------------------------------------------


def test_a_request_that_found_no_provider_is_not_done_ten_minutes_later(tmp_path: Path) -> None:
    """Nobody provides the window in the car park; a provider appears on the motorway."""
    window = vss.window_position("Row1", "DriverSide")
    results: list[ActuationResult] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        car = SimCar()
        car.broker.faults.provider_absent = True
        gateway = Gateway(
            car.broker,
            lambda body: results.append(body) if isinstance(body, ActuationResult) else None,
            lambda: Samples(round(loop.time() * 16_000)),
            tmp_path / "ledger",
        )
        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(car.run()), tasks.create_task(gateway.run())]
            await asyncio.sleep(1)
            wish = t.Actuate("k", (SignalWrite(window, 40),), "windows", "driver", "said_back", requested_at=Samples(16_000))
            gateway.on_actuate(wish)
            await asyncio.sleep(600)
            car.set(vss.SPEED, 110.0)
            car.broker.faults.provider_absent = False
            await asyncio.sleep(60)
            gateway.on_actuate(wish)  # and whoever still has it, sends it in vain
            await asyncio.sleep(10)
            assert car.plant.values[window] == 0 and not car.broker.forwarded
            for task in running:
                task.cancel()

    run_car(main())
    assert results[-1].state is ActuationState.REFUSED and all(result.state is not ActuationState.FORWARDED for result in results)
