"""Runs the engine for many sessions: one thread thinks, one speaks a unit behind, and the scheduler says who runs with whom.

    ModelSession.submit(unit) -> Future of UnitOutput      (any thread; units of one session in order)

All decisions are the scheduler's. A unit that can't be is refused to its session alone; a fault of the device fails the units of that batch,
and their sessions go on. Knows no wire, no front-end and no meaning of what is said.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

from ridealong.cloud.model.engine import Engine, EngineError
from ridealong.cloud.model.scheduler import (
    Admit,
    Close,
    Effect,
    Free,
    How,
    Late,
    Milliseconds,
    Open,
    Ran,
    Refuse,
    Run,
    Scheduler,
    SchedulerSettings,
    SessionId,
    Tick,
    Unit,
)
from ridealong.cloud.model.thinking import Thought
from ridealong.cloud.model.unit_io import SessionSettings, UnitInput, UnitOutput
from ridealong.cloud.model.voice import VoiceBundle
from ridealong.errors import where

log = logging.getLogger("ridealong.model")
MORE_WORK = {"slots": "every place on this node's GPU is taken", "load": "this node's GPU has no time for one session more"}


class Refused(Exception):
    """No room for a session now. The message is a sentence; try again later, or at another node."""


class Ended(Exception):
    """The session has been closed: its units are not run."""


@dataclass(frozen=True, slots=True)
class Answer:
    """`output` of a unit, how late it was against the deadline, and in which way it ran."""

    output: UnitOutput
    late_ms: float
    how: How


@dataclass(slots=True)
class _Open:
    slot: int = -1
    waiting: dict[int, tuple[UnitInput, Future[Answer], Milliseconds]] = field(default_factory=dict)  # and when it came
    next_index: int = 0


@dataclass(slots=True)
class _Batch:
    """Thoughts on their way to the speaking thread; by slot. `futures`: with when the answer is due."""

    thoughts: dict[int, Thought]
    futures: dict[int, tuple[Future[Answer], Milliseconds, How]]


class ModelSession:
    """One session's end. Closing it twice is harmless."""

    def __init__(self, runner: Runner, session: SessionId) -> None:
        self._runner, self._session = runner, session

    def submit(self, unit: UnitInput) -> Future[Answer]:
        """The future gets the answer, `EngineError` for a unit that can't be, or `Ended`."""
        return self._runner._submit(self._session, unit)

    def turn_open(self) -> bool:
        return self._runner._turn_open(self._session)

    def close(self) -> None:
        self._runner._close(self._session)


class Runner:
    """`clock`: seconds, growing. Make one for each engine; close it last."""

    def __init__(
        self, engine: Engine, settings: SchedulerSettings | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        slots = engine.settings.slots
        self._engine = engine
        self._scheduler = Scheduler(replace(settings or SchedulerSettings(), slots=slots))
        self._clock, self._begun = clock, clock()
        self._state = threading.Condition()  # guards the scheduler, sessions and tasks
        self._sessions: dict[SessionId, _Open] = {}
        self._tasks: list[Callable[[], None]] = []  # for the thinking thread: open and close of slots
        self._next: Run | None = None
        self._names = 0
        self._stopping = False
        self._refusal = ""
        self._late_units = 0
        self._to_speak: queue.Queue[_Batch | None] = queue.Queue()
        self._ahead = threading.Semaphore(1)  # one batch may wait to be spoken: thinking further ahead would only be late twice
        self._device = threading.Lock()  # open and close of a slot exclude both halves
        self._threads = [
            threading.Thread(target=self._think_loop, name="model thinks", daemon=True),
            threading.Thread(target=self._speak_loop, name="model speaks", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    # -- for sessions ---------------------------------------------------------------------------------------------

    def open(self, settings: SessionSettings, voice: VoiceBundle | None = None) -> ModelSession:
        """A new session, ready when this returns. Raises `Refused`, or `EngineError` for settings that can't be."""
        session, ready = self.admit(settings, voice)
        try:
            ready.result()
        except BaseException:
            session.close()
            raise
        return session

    def admit(self, settings: SessionSettings, voice: VoiceBundle | None = None) -> tuple[ModelSession, Future[None]]:
        """As `open`, without waiting: units may be submitted at once. The future fails with `EngineError`; then close the session.
        Raises `Refused`."""
        done: Future[None] = Future()
        with self._state:
            self._names += 1
            name = SessionId(str(self._names))
            self._sessions[name] = _Open()
            self._apply(self._scheduler.on(Open(name, self._now())))
            slot = self._sessions[name].slot
            if slot < 0:
                del self._sessions[name]
                raise Refused(f"{MORE_WORK[self._refusal]}; try again in a moment or at another node.")
            self._tasks.append(lambda: self._settle(done, lambda: self._engine.open(slot, settings, voice)))
            self._state.notify_all()
        return ModelSession(self, name), done

    @property
    def load(self) -> float:
        """The share of the device's time that is in use, 0..1."""
        with self._state:
            return self._scheduler.load

    @property
    def late_units(self) -> int:
        """Units answered after their deadline, since the start."""
        with self._state:
            return self._late_units

    def stop(self) -> None:
        """Ends all sessions; what waits gets `Ended`."""
        with self._state:
            names = list(self._sessions)
        for name in names:
            self._close(name)
        with self._state:
            self._stopping = True
            self._state.notify_all()
        for thread in self._threads:
            thread.join()

    def _submit(self, name: SessionId, unit: UnitInput) -> Future[Answer]:
        future: Future[Answer] = Future()
        with self._state:
            session = self._sessions.get(name)
            if session is None:
                future.set_exception(Ended("the session has been closed"))
                return future
            index = session.next_index
            session.next_index += 1
            now = self._now()
            session.waiting[index] = (unit, future, now)
            self._apply(self._scheduler.on(Unit(name, index, len(unit.pictures), now)))
            self._state.notify_all()
        return future

    def _turn_open(self, name: SessionId) -> bool:
        with self._state:
            session = self._sessions.get(name)
        return session is not None and self._engine.turn_open(session.slot)

    def _close(self, name: SessionId) -> None:
        with self._state:
            session = self._sessions.pop(name, None)
            if session is None:
                return
            for _, future, _ in session.waiting.values():
                future.set_exception(Ended("the session has been closed"))
            self._apply(self._scheduler.on(Close(name, self._now())))
            self._state.notify_all()

    # -- the scheduler's effects, with the state held -------------------------------------------------------------

    def _now(self) -> Milliseconds:
        return Milliseconds((self._clock() - self._begun) * 1000)

    def _apply(self, effects: list[Effect]) -> None:
        for effect in effects:
            match effect:
                case Admit(session, slot):
                    self._sessions[session].slot = slot
                case Refuse(_, why):
                    self._refusal = why
                case Run():
                    self._next = effect
                case Free(slot):
                    self._tasks.append(lambda slot=slot: self._engine.close(slot))  # type: ignore[misc]
                case Late():
                    log.warning("unit %d: %.0f ms late, run as %s", effect.index, effect.late_ms, effect.how.value)

    # -- the two threads ------------------------------------------------------------------------------------------

    def _think_loop(self) -> None:
        while True:
            with self._state:
                while not (self._tasks or self._next or self._stopping):
                    look = self._scheduler.next_look()
                    self._state.wait(None if look is None else max(0.0, (look - self._now()) / 1000))
                    self._apply(self._scheduler.on(Tick(self._now())))
                tasks, self._tasks = self._tasks, []
                run, self._next = self._next, None
                if not tasks and run is None:
                    break
            for task in tasks:
                with self._device:
                    task()
            if run is not None:
                self._think(run)
        self._to_speak.put(None)

    def _think(self, run: Run) -> None:
        with self._state:
            taken = {
                step.slot: (step, *self._sessions[step.session].waiting.pop(step.index))
                for step in run.steps
                if step.session in self._sessions
            }
        units: dict[int, UnitInput] = {}
        marks: dict[int, tuple[Future[Answer], Milliseconds, How]] = {}
        deadline = self._scheduler.settings.deadline_ms
        for slot, (step, unit, future, came) in taken.items():
            unit = _lesser(unit, step.how)
            try:
                self._engine.check(slot, unit)
            except EngineError as error:
                future.set_exception(error)
                continue
            units[slot], marks[slot] = unit, (future, Milliseconds(came + deadline), step.how)
        thoughts: dict[int, Thought] = {}
        try:
            thoughts = self._engine.think(units)
        except Exception as error:  # a device's fault: the sessions of this batch are told, the others go on
            log.error("a batch of %d units failed: %s", len(units), where(error))
            for future, _, _ in marks.values():
                future.set_exception(error)
        if thoughts:
            self._ahead.acquire()
            self._to_speak.put(_Batch(thoughts, marks))
        with self._state:
            self._apply(self._scheduler.on(Ran(self._now())))

    def _speak_loop(self) -> None:
        while (batch := self._to_speak.get()) is not None:
            self._ahead.release()
            try:
                with self._device:
                    outputs = self._engine.speak(batch.thoughts)
            except Exception as error:
                log.error("speech of %d units failed: %s", len(batch.thoughts), where(error))
                for future, _, _ in batch.futures.values():
                    future.set_exception(error)
                continue
            now = self._now()
            for slot, (future, due, how) in batch.futures.items():
                if slot not in outputs:
                    future.set_exception(Ended("the session has been closed"))
                    continue
                late = max(0.0, now - due)
                with self._state:
                    self._late_units += late > 0
                future.set_result(Answer(outputs[slot], late, how))

    @staticmethod
    def _settle(done: Future[None], task: Callable[[], None]) -> None:
        try:
            task()
        except Exception as error:
            done.set_exception(error)
        else:
            done.set_result(None)


def _lesser(unit: UnitInput, how: How) -> UnitInput:
    match how:
        case How.WHOLE:
            return unit
        case How.NO_VISION:
            return replace(unit, pictures=()) if unit.sound is not None or unit.text or unit.answer else unit
        case How.LISTEN:
            return replace(unit, pictures=(), force_listen=True)
