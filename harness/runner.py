"""Runs a session's skills: at most eight at a time, each with its own time limit, each stopped only when it says that it has stopped.

Nothing that a skill does ends the session: an exception, a wrong return value and a worker that will not stop are `Ended`
values. Standing work (a timer) takes no place. What is transient is tried again, where that is declared to be harmless (retrying.py).
All times are the running loop's, so that a replay on virtual time behaves as the real thing.
Does not know work items, replies, or the journal: it is told whether a job may start, and says how it ended.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from typing import Final, assert_never

from ridealong.harness.places import Place, Places
from ridealong.harness.results import UNORDERED, Order
from ridealong.harness.retrying import wait_ms
from ridealong.harness.skill import WORK, Call, Clock, Skill, Spoken, Transient

MAX_RUNNING: Final = 8
MAX_STANDING: Final = 32
"""Timers and the like, beside the eight."""
MAX_QUEUED: Final = 64
STOP_WITHIN_MS: Final = 10_000
"""How long a cancelled worker may take to acknowledge before it is given up."""


STOOD_STILL_S: Final = 1.0
"""A loop that was held up for longer has not given the world its time."""


class LoopClock:
    """`harness.skill.Clock` on the running loop: real time, or virtual in a fast replay. Read in a thread of its session, too, where
    front-ends listen: there it is the time of the loop that it was made or read on last. Raises RuntimeError where there was none."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = _running_loop()

    def now_ms(self) -> float:
        self._loop = _running_loop() or self._loop
        if self._loop is None:
            raise RuntimeError("no event loop runs here, or ran")
        return self._loop.time() * 1000

    async def sleep_ms(self, duration_ms: float) -> None:
        await asyncio.sleep(max(0.0, duration_ms) / 1000)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


@dataclass(frozen=True, slots=True)
class Spoke:
    """The skill returned, cancelled or not."""

    spoken: Spoken


@dataclass(frozen=True, slots=True)
class Raised:
    """The skill failed. `kind` is the exception's class; its text stays here."""

    kind: str


@dataclass(frozen=True, slots=True)
class TimedOut:
    """`stopped`: the worker acknowledged; otherwise it may still be doing something."""

    stopped: bool


@dataclass(frozen=True, slots=True)
class Stopped:
    """Cancelled on request. `stopped` as above."""

    stopped: bool


Ended = Spoke | Raised | TimedOut | Stopped


class Halt(Enum):
    """Why a worker was asked to stop."""

    ASKED = "asked"
    TIMED_OUT = "timed_out"


@dataclass(slots=True, eq=False)
class Job:
    """One execution. `after`: a job that must have ended before this one starts; what its `order` names, too, must have, begun or not. `parked` > 0: it only waits for
    the clock or the car, and does not count as work to be done."""

    id: str
    skill: Skill
    after: str = ""
    order: Order = UNORDERED
    parked: int = 0
    wakes_at_ms: float | None = None
    """While it sleeps: until when, on its clock."""
    stopping: bool = False
    call: Call | None = None  # the worker's, once it has begun: what it holds (a snapshot) goes with it
    halted: Halt | None = None
    worker: asyncio.Task[Spoken] | None = None
    began_s: float = 0.0
    due_s: float = 0.0  # its time limit; once it is halted, that of stopping
    allowed_s: float = 0.0  # what it has had beyond its limit, for a loop that stood still

    def wakes_in_ms(self, now_ms: float) -> float | None:
        return max(0.0, at - now_ms) if (at := self.wakes_at_ms) is not None else None

    @property
    def standing(self) -> bool:
        """Lasts for a time of its own, and does nothing meanwhile."""
        return self.skill.lasts_ms is not None


class ParkingClock:
    """The clock given to a skill: a sleeping skill is not runnable work."""

    def __init__(self, clock: Clock, job: Job) -> None:
        self._clock, self._job = clock, job

    def now_ms(self) -> float:
        return self._clock.now_ms()

    async def sleep_ms(self, duration_ms: float) -> None:
        self._job.parked += 1
        self._job.wakes_at_ms = self._clock.now_ms() + duration_ms
        try:
            await self._clock.sleep_ms(duration_ms)
        finally:
            self._job.parked -= 1
            self._job.wakes_at_ms = None


@dataclass(slots=True)
class Runner:
    """`may_start(id)` is asked just before a job begins; `ended(id, how)` is told once for every job that began. `places`: shared with the
    node's other sessions. `tried_again(job)`: it is about to be run once more. `busy(from_s, to_s)`: seconds of this time for which the loop stood
    still: no job is blamed for them, and what arrived meanwhile is read before it is given up."""

    may_start: Callable[[str], bool]
    ended: Callable[[str, Ended], None]
    places: Places | None = None
    tried_again: Callable[[Job], None] = lambda job: None
    busy: Callable[[float, float], float] = lambda from_s, to_s: 0.0
    stop_within_ms: int = STOP_WITHIN_MS
    abandoned: int = 0  # workers that never acknowledged
    refused: int = 0  # jobs beyond the queue's bound
    _queue: deque[Job] = field(default_factory=deque)
    _running: dict[str, Job] = field(default_factory=dict)
    _working: int = 0  # of those: the ones that are not standing work
    _place: Place | None = None
    _closing: bool = False
    _timer: asyncio.TimerHandle | None = None  # one for all that runs: not later than the first time limit
    _drained: asyncio.Event | None = None
    _over: asyncio.Future[None] | None = None

    def open(self, group: asyncio.TaskGroup) -> None:
        """From now on jobs run; they end with `group`."""
        self._over = asyncio.get_running_loop().create_future()
        group.create_task(self._watch_over(self._over), name="work")
        self._place = self.places.join(self._pump) if self.places is not None else None
        self._pump()

    def submit(self, job: Job) -> bool:
        """False when the queue is full."""
        if len(self._queue) >= MAX_QUEUED:
            self.refused += 1
            return False
        self._queue.append(job)
        self._pump()
        return True

    def forget(self, id: str) -> None:
        """A job that has not begun will not begin."""
        self._queue = deque(job for job in self._queue if job.id != id)

    def stop(self, id: str) -> None:
        """Ask a running job to stop; `ended` tells when it has."""
        job = self._running.get(id)
        if job is not None:
            job.stopping = True
            self._halt(job, Halt.ASKED)

    async def close(self) -> None:
        """Stop everything, and wait (bounded) until it has stopped."""
        self._closing = True
        self._queue.clear()
        for id in list(self._running):
            self.stop(id)
        await self.drained()
        self.abandon()

    async def drained(self) -> None:
        """Waits until nothing runs."""
        if self._running:
            self._drained = self._drained or asyncio.Event()
            await self._drained.wait()

    def abandon(self) -> None:
        """Start nothing more, stand in nobody's way, and wait for nobody: what still runs has ended here."""
        self._closing = True
        if self._place is not None:
            self._place.leave()
        if self._over is not None and not self._over.done():
            self._over.set_result(None)
        for job in list(self._running.values()):
            self._end(job, Stopped(stopped=False))

    @property
    def runnable(self) -> int:
        """Jobs that have something to do now: queued ones that can start, and running ones that do not just wait."""
        startable = min(sum(map(self._ready, self._queue)), max(0, MAX_RUNNING - self._working))
        return startable + sum(1 for job in self._running.values() if not job.parked)

    @property
    def running(self) -> int:
        return len(self._running)

    def _ready(self, job: Job) -> bool:
        """What it must wait for has ended."""
        if job.after in self._running:
            return False
        first = (*job.order.needs, *job.order.behind)
        return not first or not any(id in self._running or any(other.id == id for other in self._queue) for id in first)

    def _admitted(self, job: Job) -> bool:
        """There is room for it. What stops work must not wait for work to stop."""
        if job.skill.group == WORK:
            return True
        if job.standing:
            return len(self._running) - self._working < MAX_STANDING
        return self._working < MAX_RUNNING and (self._place is None or self._place.take())

    def _takes_place(self, job: Job) -> bool:
        return self._place is not None and not job.standing and job.skill.group != WORK

    def _pump(self) -> None:
        if self._over is None or self._closing:
            return
        for job in list(self._queue):
            if job not in self._queue or not self._ready(job) or not self._admitted(job):
                continue
            self._queue.remove(job)
            if self.may_start(job.id):
                self._begin(job)
            else:
                self._release(job)
                self._pump_soon()

    def _pump_soon(self) -> None:
        """A job that did not begin has ended, too: others may have waited for it."""
        if any(job.order.needs or job.order.behind for job in self._queue):
            asyncio.get_running_loop().call_soon(self._pump)

    def _release(self, job: Job) -> None:
        if self._place is not None and self._takes_place(job) and self._place.held:
            self._place.give()

    # --- one job ----------------------------------------------------------------------------------------------------

    async def _watch_over(self, over: asyncio.Future[None]) -> None:
        """The session's only task for its jobs: fails where an end could not be told, and ends them with the session."""
        try:
            await over
        finally:
            self.abandon()

    def _begin(self, job: Job) -> None:
        loop, call = asyncio.get_running_loop(), job.call
        assert call is not None
        self._running[job.id], job.call = job, None
        self._working += not job.standing
        # Not a child of the group: a worker that ignores its cancellation must not be able to hold the session open.
        job.worker = loop.create_task(_run(job, call, self.tried_again), name=f"work {job.id}")
        job.worker.add_done_callback(lambda worker: self._over_with(job, _how(worker, job.halted)))
        job.began_s = loop.time()
        self._limit(job, job.began_s + job.skill.timeout_ms / 1000, loop)

    def _limit(self, job: Job, due_s: float, loop: asyncio.AbstractEventLoop) -> None:
        job.due_s = due_s
        if self._timer is None or due_s < self._timer.when():
            if self._timer is not None:
                self._timer.cancel()
            self._timer = loop.call_at(due_s, self._look)

    def _look(self) -> None:
        """Whose time is up, and whose is next."""
        self._timer, loop = None, asyncio.get_running_loop()
        for job in list(self._running.values()):
            if job.id not in self._running or job.due_s > loop.time():  # what ends may end or halt another
                continue
            if job.halted is None:
                self._out_of_time(job, loop)
            else:
                self._give_up(job)
        if self._running:
            first = min(self._running.values(), key=lambda job: job.due_s)
            self._limit(first, first.due_s, loop)

    def _out_of_time(self, job: Job, loop: asyncio.AbstractEventLoop) -> None:
        held_s = self.busy(job.began_s, loop.time())
        if held_s - job.allowed_s > STOOD_STILL_S:
            more_s, job.allowed_s = held_s - job.allowed_s, held_s
            self._limit(job, loop.time() + more_s, loop)
        else:
            self._halt(job, Halt.TIMED_OUT)

    def _halt(self, job: Job, why: Halt) -> None:
        """Asks the worker to stop, once. It has when it says so, or is given up."""
        if job.halted is None and job.worker is not None and job.worker.cancel():
            job.halted, loop = why, asyncio.get_running_loop()
            self._limit(job, loop.time() + self.stop_within_ms / 1000, loop)

    def _give_up(self, job: Job) -> None:
        self.abandoned += 1
        self._over_with(job, Stopped(stopped=False) if job.halted is Halt.ASKED else TimedOut(stopped=False))

    def _over_with(self, job: Job, how: Ended) -> None:
        """From the loop, which would only log what is raised here: it ends the session."""
        try:
            self._end(job, how)
        except Exception as error:
            if self._over is None or self._over.done():
                raise
            self._over.set_exception(error)

    def _end(self, job: Job, how: Ended) -> None:
        if self._running.pop(job.id, None) is None:
            return  # it was given up
        self._working -= not job.standing
        if self._timer is not None and not self._running:
            self._timer.cancel()
            self._timer = None
        if job.worker is not None:
            job.worker.cancel()
        job.worker = None
        try:
            self.ended(job.id, how)
            self._release(job)
            self._pump()
        finally:
            if self._drained is not None and not self._running:
                self._drained.set()
                self._drained = None


def _how(worker: asyncio.Task[Spoken], halted: Halt | None) -> Ended:
    if worker.cancelled():
        match halted:
            case Halt.ASKED:
                return Stopped(stopped=True)
            case Halt.TIMED_OUT:
                return TimedOut(stopped=True)
            case None:
                return Raised("CancelledError")
            case _:
                assert_never(halted)
    error = worker.exception()
    if error is not None:
        return Raised(type(error).__name__)
    spoken = worker.result()
    return Spoke(spoken) if isinstance(spoken, Spoken) else Raised("NotSpoken")


async def _run(job: Job, call: Call, tried_again: Callable[[Job], None]) -> Spoken:
    """Once, or where the skill says that it may, again. A replay waits as the first run did."""
    skill = job.skill
    until_ms, attempt = call.clock.now_ms() + skill.timeout_ms, 0
    random: Random | None = None
    while True:
        try:
            return await skill.run(call)
        except Transient as fault:
            attempt += 1
            random = random or Random(call.work_id)
            may = skill.idempotent and skill.read_only
            pause_ms = wait_ms(attempt, random.random(), fault.retry_after_ms, until_ms - call.clock.now_ms()) if may else None
            if pause_ms is None:
                raise
        tried_again(job)
        await call.clock.sleep_ms(pause_ms)
