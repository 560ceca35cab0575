"""Skills under limits: concurrency, time, cancellation that is acknowledged, and failures that stay inside."""

import asyncio
import contextlib
import dataclasses
import gc
import weakref
from collections.abc import Awaitable, Callable

import pytest

from ridealong.harness.runner import Ended, Job, LoopClock, ParkingClock, Raised, Runner, Spoke, Stopped, TimedOut
from ridealong.harness.skill import Call, NoSignals, Provenance, Skill, Spoken
from ridealong.simulators.virtual_time import run_virtual

pytestmark = pytest.mark.unit

Body = Callable[[Call], Awaitable[Spoken]]


def job(name: str, body: Body, *, timeout_ms: int = 5_000, after: str = "") -> Job:
    skill = Skill(f"test.{name}", "", body, lambda text, locale, context: None, "status", {}, {}, timeout_ms=timeout_ms)
    made = Job(name, skill, after=after)
    made.call = Call(name, "", "", "en", Provenance.DRIVER, {}, NoSignals(), ParkingClock(LoopClock(), made))
    return made


async def quick(call: Call) -> Spoken:
    return Spoken(call.work_id)


async def slow(call: Call) -> Spoken:
    await call.clock.sleep_ms(2_000)
    return Spoken(call.work_id)


async def stubborn(call: Call) -> Spoken:
    """Ignores being cancelled, twice."""
    for _ in range(3):
        try:
            await asyncio.sleep(1_000)
        except asyncio.CancelledError:
            continue
    return Spoken("")


async def wrong(call: Call) -> Spoken:
    return "text"  # type: ignore[return-value]


async def failing(call: Call) -> Spoken:
    raise ValueError("secret of a provider")


async def tidy(call: Call) -> Spoken:
    """Takes a second to stop, as something that must finish a write would."""
    try:
        await asyncio.sleep(100)
    except asyncio.CancelledError:
        await asyncio.sleep(1)
        raise
    return Spoken("")


async def too_late_to_stop(call: Call) -> Spoken:
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.sleep(100)
    return Spoken("done anyway")


def scene(
    jobs: list[Job], script: Callable[[Runner], Awaitable[None]] | None = None
) -> tuple[dict[str, tuple[float, Ended]], Runner]:
    """Ends of the jobs, with the loop's time in ms."""
    ends: dict[str, tuple[float, Ended]] = {}

    async def play() -> Runner:
        loop = asyncio.get_running_loop()
        runner = Runner(lambda id: True, lambda id, how: ends.__setitem__(id, (round(loop.time() * 1000), how)))
        async with asyncio.TaskGroup() as group:
            runner.open(group)
            for one in jobs:
                runner.submit(one)
            if script is not None:
                await script(runner)
            await runner.drained()
            await runner.close()
        return runner

    return ends, run_virtual(play())


def test_one_failure_ends_nothing_else() -> None:
    ends, _ = scene([job("a", failing), job("b", wrong), job("c", quick)])
    assert {name: how for name, (_, how) in ends.items()} == {
        "a": Raised("ValueError"),
        "b": Raised("NotSpoken"),
        "c": Spoke(Spoken("c")),
    }


def test_at_most_eight_at_a_time_in_order() -> None:
    ends, _ = scene([job(f"w{n:02}", slow) for n in range(20)])
    assert [round(at) for at, _ in ends.values()] == [2_000] * 8 + [4_000] * 8 + [6_000] * 4
    assert set(list(ends)[:8]) == {f"w{n:02}" for n in range(8)}


def test_a_time_limit_waits_for_the_worker_to_acknowledge() -> None:
    ends, runner = scene([job("a", tidy, timeout_ms=1_000), job("b", stubborn, timeout_ms=1_000)])
    assert ends == {"a": (2_000, TimedOut(stopped=True)), "b": (11_000, TimedOut(stopped=False))}
    assert runner.abandoned == 1


def test_every_job_has_its_own_time_limit_whatever_else_runs() -> None:
    async def script(runner: Runner) -> None:
        await asyncio.sleep(0.5)
        runner.submit(job("late", stubborn, timeout_ms=1_000))  # the last to begin is the first to be stopped
        await asyncio.sleep(0.3)
        runner.stop("stopped")

    early = [job("long", slow), job("limited", tidy, timeout_ms=1_600), job("stopped", stubborn), job("never", tidy)]
    ends, runner = scene(early, script)
    assert ends == {
        "long": (2_000, Spoke(Spoken("long"))),
        "limited": (2_600, TimedOut(stopped=True)),
        "never": (6_000, TimedOut(stopped=True)),
        "stopped": (10_800, Stopped(stopped=False)),
        "late": (11_500, TimedOut(stopped=False)),
    }
    assert runner.abandoned == 2


def test_who_is_stopped_by_anothers_end_has_its_whole_time_to_stop() -> None:
    ends: dict[str, tuple[float, Ended]] = {}

    async def play() -> None:
        loop = asyncio.get_running_loop()

        def ended(id: str, how: Ended) -> None:
            ends[id] = (round(loop.time() * 1000), how)
            runner.stop("b")

        runner = Runner(lambda id: True, ended, stop_within_ms=1_000)
        async with asyncio.TaskGroup() as group:
            runner.open(group)
            runner.submit(job("a", stubborn, timeout_ms=1_000))
            runner.submit(job("b", stubborn, timeout_ms=2_000))
            await runner.drained()
            await runner.close()

    run_virtual(play())
    assert ends == {"a": (2_000, TimedOut(stopped=False)), "b": (3_000, Stopped(stopped=False))}


def test_cancelling_waits_for_the_acknowledgment_and_may_come_too_late() -> None:
    async def script(runner: Runner) -> None:
        await asyncio.sleep(0.5)
        for name in ("a", "b"):
            runner.stop(name)

    ends, _ = scene([job("a", tidy), job("b", too_late_to_stop)], script)
    assert ends == {"a": (1_500, Stopped(stopped=True)), "b": (500, Spoke(Spoken("done anyway")))}


def test_a_job_waits_for_the_one_that_it_replaces() -> None:
    ends, _ = scene([job("a", slow), job("b", quick, after="a"), job("c", quick)])
    assert [(name, at) for name, (at, _) in ends.items()] == [("c", 0), ("a", 2_000), ("b", 2_000)]


def test_a_sleeping_skill_is_no_runnable_work() -> None:
    seen: list[int] = []

    async def script(runner: Runner) -> None:
        seen.append(runner.runnable)
        await asyncio.sleep(0.1)
        seen.append(runner.runnable)

    scene([job("a", slow), job("b", slow)], script)
    assert seen == [2, 0]


def test_closing_stops_everything_and_starts_nothing() -> None:
    async def script(runner: Runner) -> None:
        await asyncio.sleep(0.1)
        await runner.close()

    ends, _ = scene([job(f"w{n}", slow) for n in range(10)], script)
    assert len(ends) == 8 and {how for _, how in ends.values()} == {Stopped(stopped=True)}


def test_the_queue_is_bounded() -> None:
    runner = Runner(lambda id: True, lambda id, how: None)
    assert [runner.submit(job(str(n), quick)) for n in range(65)] == [True] * 64 + [False]
    assert runner.refused == 1


def test_where_an_end_cannot_be_told_the_session_ends() -> None:
    def ended(id: str, how: Ended) -> None:
        raise ZeroDivisionError(id)

    async def play() -> None:
        runner = Runner(lambda id: True, ended)
        async with asyncio.TaskGroup() as group:
            runner.open(group)
            runner.submit(job("a", quick))
            await asyncio.sleep(3_600)

    with pytest.raises(ExceptionGroup) as failed:
        run_virtual(play())
    assert failed.group_contains(ZeroDivisionError, match="^a$")


def test_torn_down_with_its_session_every_job_has_ended_and_none_begins() -> None:
    ends: dict[str, Ended] = {}

    async def play() -> None:
        runner = Runner(lambda id: True, ends.__setitem__)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1), asyncio.TaskGroup() as group:
                runner.open(group)
                for one in [job(f"w{n}", stubborn) for n in range(10)]:
                    runner.submit(one)
                await asyncio.sleep(3_600)
        runner.submit(job("late", quick))
        assert not runner.running

    run_virtual(play())
    assert ends == {f"w{n}": Stopped(stopped=False) for n in range(8)}


def test_what_a_job_held_goes_when_it_ends() -> None:
    """A snapshot holds sound and pictures: they must not wait for a garbage collection."""

    class Held:
        pass

    kept: list[weakref.ref[Held]] = []

    async def play() -> None:
        ends: list[str] = []
        runner = Runner(lambda id: True, lambda id, how: ends.append(id))
        async with asyncio.TaskGroup() as group:
            runner.open(group)
            for body in (quick, failing, tidy, wrong):
                one = job(body.__name__, body, timeout_ms=500)
                held = Held()
                kept.append(weakref.ref(held))
                one.call = dataclasses.replace(one.call, snapshot=held, signals=Port(one)) if one.call is not None else None
                runner.submit(one)
                del one, held
            await runner.drained()
            await asyncio.sleep(0)
            assert len(ends) == 4 and [one() for one in kept] == [None] * 4
            await runner.close()

    gc.collect()
    gc.disable()
    try:
        run_virtual(play())
    finally:
        gc.enable()


class Port(NoSignals):
    """Knows its job, as the one of a session does."""

    def __init__(self, job: Job) -> None:
        self.job = job
