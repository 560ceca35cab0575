"""Runs the engine for many sessions: one thread thinks, one speaks a unit behind, and the scheduler says who runs with whom.

    ModelSession.submit(unit) -> Future of UnitOutput      (any thread; units of one session in order)

All decisions are the scheduler's. A unit that can't be is refused to its session alone; a fault of the device fails the units of that batch,
and their sessions go on; where a thread itself dies, all is ended and nobody waits. Knows no wire, no front-end and no meaning of what is said.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ridealong.cloud.model.engine import Engine, EngineError
from ridealong.cloud.model.mind import Thought
from ridealong.cloud.model.scheduler import (
    Admit,
    Again,
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
from ridealong.cloud.model.unit_io import SessionSettings, UnitInput, UnitOutput
from ridealong.cloud.model.voice import VoiceBundle
from ridealong.errors import where

log = logging.getLogger("ridealong.model")
MOST_WAITING: Final = 64
"""Units of one session that wait; more are refused."""
MORE_WORK = {"slots": "every place on this node's GPU is taken", "load": "this node's GPU has no time for one session more"}


class Refused(Exception):
    """No room for a session now. The message is a sentence; try again later, or at another node."""


class Ended(Exception):
    """The session has been closed, or the model has stopped: its units are not run."""


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
        """The future gets the answer, `EngineError` for a unit that can't be, or `Ended`. A unit whose future is cancelled runs all the same,
        since the session hears in order."""
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
        self._dead: BaseException | None = None  # what ended a thread
        self._opening: set[Future[None]] = set()
        self._refusal = ""
        self._late_units = 0
        self._to_speak: queue.Queue[_Batch | None] = queue.Queue()
        self._ahead = threading.Semaphore(1)  # one batch may wait to be spoken: thinking further ahead would only be late twice
        self._device = threading.Lock()  # open and close of a slot exclude both halves
        self._threads = [
            threading.Thread(target=self._alive, args=(self._think_loop,), name="model thinks", daemon=True),
            threading.Thread(target=self._alive, args=(self._speak_loop,), name="model speaks", daemon=True),
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

    def admit(
        self, settings: SessionSettings, voice: VoiceBundle | None = None, *, instead_of: ModelSession | None = None
    ) -> tuple[ModelSession, Future[None]]:
        """As `open`, without waiting: units may be submitted at once. The future fails with `EngineError`; then close the session.
        instead_of: it ends, and its place is the new one's however full the node is. Raises `Refused`."""
        done: Future[None] = Future()
        with self._state:
            if self._stopping or self._dead is not None:
                raise Refused("This node's model has stopped; start the node again, or try another.")
            self._names += 1
            name = SessionId(str(self._names))
            self._sessions[name], now = _Open(), self._now()
            old = self._sessions.pop(instead_of._session, None) if instead_of is not None else None
            again = Again(name, instead_of._session, now) if instead_of is not None and old is not None else None
            self._apply(self._scheduler.on(again or Open(name, now)))
            slot = self._sessions[name].slot
            if slot < 0:
                del self._sessions[name]
                raise Refused(f"{MORE_WORK[self._refusal]}; try again in a moment or at another node.")
            self._opening.add(done)
            self._tasks.append(lambda: self._settle(done, lambda: self._begin(slot, settings, voice)))
            self._state.notify_all()
        for _, future, _ in old.waiting.values() if old is not None else ():
            _fail(future, Ended("the session has been closed"))
        done.add_done_callback(self._opened)
        return ModelSession(self, name), done

    def _begin(self, slot: int, settings: SessionSettings, voice: VoiceBundle | None) -> None:
        self._engine.close(slot)  # it may be another's, whose place this session takes
        self._engine.open(slot, settings, voice)

    def _opened(self, done: Future[None]) -> None:
        with self._state:
            self._opening.discard(done)

    @property
    def load(self) -> float:
        """The share of the device's time that is in use, 0..1."""
        with self._state:
            return self._scheduler.load

    @property
    def dead(self) -> bool:
        """A thread of it has ended that should not have."""
        with self._state:
            return self._dead is not None

    @property
    def late_units(self) -> int:
        """Units answered after their deadline, since the start."""
        with self._state:
            return self._late_units

    def stop(self) -> None:
        """Ends all sessions; what waits gets `Ended`."""
        with self._state:
            self._stopping = True  # from now on nobody is let in
            names = list(self._sessions)
        for name in names:
            self._close(name)
        with self._state:
            self._state.notify_all()
        for thread in self._threads:
            if thread is not threading.current_thread():  # a future's callback may stop it
                thread.join()

    def _submit(self, name: SessionId, unit: UnitInput) -> Future[Answer]:
        future: Future[Answer] = Future()
        frames = len(unit.pictures)
        with self._state:
            session = self._sessions.get(name)
            if session is None:
                future.set_exception(Ended("the model has stopped" if self._dead else "the session has been closed"))
                return future
            if len(session.waiting) >= MOST_WAITING:
                future.set_exception(EngineError(f"{MOST_WAITING} units of this session wait already"))
                return future
            index = session.next_index
            session.next_index += 1
            now = self._now()
            session.waiting[index] = (unit, future, now)
            self._apply(self._scheduler.on(Unit(name, index, frames, now)))
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
            self._apply(self._scheduler.on(Close(name, self._now())))
            self._state.notify_all()
        for _, future, _ in session.waiting.values():
            _fail(future, Ended("the session has been closed"))

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

    def _alive(self, loop: Callable[[], None]) -> None:
        """A thread that dies takes nobody's future with it."""
        try:
            loop()
        except BaseException as error:
            log.critical("the model's thread %r died: no session goes on", threading.current_thread().name, exc_info=error)
            self._end(error)

    def _end(self, error: BaseException) -> None:
        with self._state:
            self._dead = error
            waiting = [future for session in self._sessions.values() for _, future, _ in session.waiting.values()]
            opening = list(self._opening)
            self._sessions.clear()
            self._tasks.clear()
            while not self._to_speak.empty():
                batch = self._to_speak.get_nowait()
                waiting += [future for future, _, _ in batch.futures.values()] if batch is not None else []
            self._to_speak.put(None)
            self._state.notify_all()
        self._ahead.release()
        for future in waiting:
            _fail(future, Ended("the model has stopped"))
        for done in opening:
            _fail(done, Refused("This node's model has stopped; start the node again, or try another."))

    def _think_loop(self) -> None:
        while self._dead is None:
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
        with self._state:
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
            try:
                unit = _lesser(unit, step.how)
                self._engine.check(slot, unit)
            except Exception as error:  # whatever a unit is, it is its session's alone
                _fail(future, error)
                continue
            units[slot], marks[slot] = unit, (future, Milliseconds(came + deadline), step.how)
        thoughts: dict[int, Thought] = {}
        try:
            thoughts = self._engine.think(units)
        except BaseException as error:  # a device's fault: the sessions of this batch are told, the others go on
            log.error("a batch of %d units failed: %s", len(units), where(error))
            for future, _, _ in marks.values():
                _fail(future, error if isinstance(error, Exception) else Ended("the model has stopped"))
            if not isinstance(error, Exception):
                raise
        if thoughts:
            self._ahead.acquire()
        with self._state:
            if thoughts and self._dead is None:
                self._to_speak.put(_Batch(thoughts, marks))
            self._apply(self._scheduler.on(Ran(self._now())))
        if self._dead is not None:
            for future, _, _ in marks.values():
                _fail(future, Ended("the model has stopped"))

    def _speak_loop(self) -> None:
        while (batch := self._to_speak.get()) is not None:
            self._ahead.release()
            try:
                with self._device:
                    outputs = self._engine.speak(batch.thoughts)
            except BaseException as error:
                log.error("speech of %d units failed: %s", len(batch.thoughts), where(error))
                for future, _, _ in batch.futures.values():
                    _fail(future, error if isinstance(error, Exception) else Ended("the model has stopped"))
                if not isinstance(error, Exception):
                    raise
                continue
            now = self._now()
            for slot, (future, due, how) in batch.futures.items():
                if slot not in outputs:
                    _fail(future, Ended("the session has been closed"))
                    continue
                late = max(0.0, now - due)
                with self._state:
                    self._late_units += late > 0
                with contextlib.suppress(InvalidStateError):  # cancelled: nobody waits
                    future.set_result(Answer(outputs[slot], late, how))

    @staticmethod
    def _settle(done: Future[None], task: Callable[[], None]) -> None:
        try:
            task()
        except BaseException as error:
            _fail(done, error)
            if not isinstance(error, Exception):
                raise
        else:
            with contextlib.suppress(InvalidStateError):
                done.set_result(None)


def _fail(future: Future[Any], error: BaseException) -> None:
    with contextlib.suppress(InvalidStateError):  # it was cancelled, or has its answer
        future.set_exception(error)


def _lesser(unit: UnitInput, how: How) -> UnitInput:
    match how:
        case How.WHOLE:
            return unit
        case How.NO_VISION:
            return replace(unit, pictures=()) if unit.sound is not None or unit.text or unit.answer else unit
        case How.LISTEN:
            heard = unit.sound is not None or unit.text or unit.answer
            return replace(unit, pictures=() if heard else unit.pictures, force_listen=True)
