"""Which sessions' units run together on the device, and who is let in. Sans-IO: times come inside events, tensors never.

    Open, Again, Close, Unit, Ran, Tick -> Scheduler.on(event) -> Admit, Refuse, Free, Run, Late

All sessions share one device that runs one batch at a time. A unit waits until every open session has one, but no longer than `gather_ms`,
and less when its deadline is near. Too much work: pictures are left out first; then nobody new is let in; a session that is far
behind hears without being decoded until it has caught up. A unit that is late is always told of.

Does not know: what a unit holds, how long anything takes before it was seen, or what a device is.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import NewType, assert_never

import numpy as np

Milliseconds = NewType("Milliseconds", float)
SessionId = NewType("SessionId", str)
Slot = NewType("Slot", int)


@dataclass(frozen=True, slots=True)
class SchedulerSettings:
    """`deadline_ms`: from a unit's arrival to its answer. `full`: the share of the device's time above which nobody is let in; `relaxed`:
    below it pictures come back. `behind`: so many waiting units of one session, and it only listens. `retry`: after so many batches without pictures they are tried once, in case they
    cost less now."""

    slots: int = 16
    deadline_ms: float = 900.0
    gather_ms: float = 20.0
    full: float = 0.85
    relaxed: float = 0.65
    behind: int = 3
    retry: int = 10

    def __post_init__(self) -> None:
        if min(self.slots, self.behind, self.retry) < 1:
            raise ValueError("slots, behind and retry must be at least 1")
        if not 0 < self.relaxed < self.full <= 1:
            raise ValueError("0 < relaxed < full <= 1 is needed")
        if not 0 <= self.gather_ms < self.deadline_ms:
            raise ValueError("0 <= gather_ms < deadline_ms is needed")


@dataclass(frozen=True, slots=True)
class Open:
    """A session asks to be let in."""

    session: SessionId
    at: Milliseconds


@dataclass(frozen=True, slots=True)
class Again:
    """A session takes the place of another, which ends; the other's waiting units are not run. Never refused: it is no work more."""

    session: SessionId
    instead_of: SessionId
    at: Milliseconds


@dataclass(frozen=True, slots=True)
class Close:
    """A session has ended; its waiting units are not run."""

    session: SessionId
    at: Milliseconds


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit's last byte has come in. `index` counts up by one within a session."""

    session: SessionId
    index: int
    frames: int
    at: Milliseconds


@dataclass(frozen=True, slots=True)
class Ran:
    """The batch that `Run` asked for is done."""

    at: Milliseconds


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed."""

    at: Milliseconds


Event = Open | Again | Close | Unit | Ran | Tick


class How(Enum):
    """In which way a unit is run."""

    WHOLE = "whole"
    NO_VISION = "no_vision"
    LISTEN = "listen"  # sound goes in; nothing is decoded, no pictures


@dataclass(frozen=True, slots=True)
class Step:
    """One unit of a batch, and in which way."""

    session: SessionId
    slot: Slot
    index: int
    how: How


@dataclass(frozen=True, slots=True)
class Admit:
    """The session has this slot from now on."""

    session: SessionId
    slot: Slot


@dataclass(frozen=True, slots=True)
class Refuse:
    """`why`: slots or load."""

    session: SessionId
    why: str


@dataclass(frozen=True, slots=True)
class Free:
    """The slot's state may be thrown away: no batch uses it."""

    slot: Slot


@dataclass(frozen=True, slots=True)
class Run:
    """Run these units together; answer with `Ran`."""

    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Late:
    """The unit was answered so late, or in a lesser way than asked."""

    session: SessionId
    index: int
    late_ms: float
    how: How


Effect = Admit | Refuse | Free | Run | Late


class SchedulerError(ValueError):
    """An event that can't be: nothing has changed."""


@dataclass(slots=True)
class _Waiting:
    index: int
    frames: int
    at: float


@dataclass(slots=True)
class _Session:
    slot: Slot
    next_index: int | None = None
    waiting: deque[_Waiting] = field(default_factory=deque)
    spared: int = 0  # batches since its pictures were last left out
    without: int = 0  # batches in a row whose pictures were left out


@dataclass(slots=True)
class _Running:
    started: float
    steps: tuple[Step, ...]
    arrived: tuple[float, ...]
    frames: int


class Cost:
    """What a batch takes, learned from those that ran: a + b * sessions + c * pictures, by recursive least squares that forgets
    (`memory` batches back a batch counts 1/e).

    Starts from nothing and so promises nothing; an estimate is never below 0."""

    def __init__(self, memory: float = 30.0) -> None:
        self._weights = np.zeros(3)
        self._spread = np.eye(3) * 1e4
        self._keep = float(np.exp(-1 / memory))

    def of(self, sessions: int, pictures: int) -> float:
        return max(0.0, float(self._weights @ (1.0, sessions, pictures)))

    def learn(self, sessions: int, pictures: int, took_ms: float) -> None:
        inputs = np.array((1.0, sessions, pictures))
        gain = self._spread @ inputs / (self._keep + inputs @ self._spread @ inputs)
        self._weights += gain * (took_ms - inputs @ self._weights)
        spread = (self._spread - np.outer(gain, inputs @ self._spread)) / self._keep
        # What never varies (always the same pictures) would let the spread grow without end.
        self._spread = (spread + spread.T) / 2 if np.trace(spread) < 1e6 else np.eye(3) * 1e4


class Scheduler:
    """See the module. Raises `SchedulerError` for events that can't be, and then changes nothing."""

    def __init__(self, settings: SchedulerSettings) -> None:
        self.settings = settings
        self.no_vision = False
        self.late_units = 0
        self.lesser_units = 0
        self._sessions: dict[SessionId, _Session] = {}
        self._free: list[Slot] = [Slot(number) for number in range(settings.slots)][::-1]
        self._closing: set[Slot] = set()
        self._running: _Running | None = None
        self._now = 0.0
        self._load = 0.0  # the share of the device's time in use, smoothed over about five seconds
        self._load_at = 0.0
        self._cost = Cost()

    @property
    def load(self) -> float:
        """The smoothed share of time in which a batch ran, 0..1."""
        return self._load

    @property
    def running(self) -> bool:
        return self._running is not None

    def next_look(self) -> Milliseconds | None:
        """When a Tick may change something although nothing else happens; None: never."""
        oldest = self._oldest()
        return None if oldest is None or self._running is not None else Milliseconds(self._starts_by(oldest))

    def on(self, event: Event) -> list[Effect]:
        self._check(event)
        self._now = max(self._now, event.at)
        match event:
            case Open():
                return self._open(event)
            case Again():
                slot = self._sessions.pop(event.instead_of).slot
                self._sessions[event.session] = _Session(slot)
                return [Admit(event.session, slot)]
            case Close():
                return self._close(event)
            case Unit():
                session = self._sessions[event.session]
                session.next_index = event.index + 1
                session.waiting.append(_Waiting(event.index, event.frames, event.at))
                return self._run()
            case Ran():
                return self._ran() + self._run()
            case Tick():
                return self._run()
            case _:
                assert_never(event)

    def _check(self, event: Event) -> None:
        match event:
            case Open() | Again() if event.session in self._sessions:
                raise SchedulerError(f"session {event.session} is open already")
            case Again() if event.instead_of not in self._sessions:
                raise SchedulerError(f"there is no session {event.instead_of}")
            case Close() | Unit() if event.session not in self._sessions:
                raise SchedulerError(f"there is no session {event.session}")
            case Unit() if event.frames < 0:
                raise SchedulerError("frames below 0")
            case Unit() if self._sessions[event.session].next_index not in (None, event.index):
                raise SchedulerError(f"unit {self._sessions[event.session].next_index} was awaited, not {event.index}")
            case Ran() if self._running is None:
                raise SchedulerError("nothing runs")

    def _open(self, event: Open) -> list[Effect]:
        if not self._free:
            return [Refuse(event.session, "slots")]
        if self._sessions and (self.no_vision or self._promised() > self.settings.full):
            return [Refuse(event.session, "load")]
        slot = self._free.pop()
        self._sessions[event.session] = _Session(slot)
        return [Admit(event.session, slot)]

    def _promised(self) -> float:
        """The share of time that would be in use with one session more, each with one picture a second."""
        count = len(self._sessions)
        return self._load + max(0.0, self._cost.of(count + 1, count + 1) - self._cost.of(count, count)) / 1000

    def _close(self, event: Close) -> list[Effect]:
        slot = self._sessions.pop(event.session).slot
        if self._running is not None and any(step.slot == slot for step in self._running.steps):
            self._closing.add(slot)
            return self._run()
        self._free.append(slot)
        return [Free(slot), *self._run()]

    def _oldest(self) -> float | None:
        return min((session.waiting[0].at for session in self._sessions.values() if session.waiting), default=None)

    def _starts_by(self, oldest: float) -> float:
        ready = sum(bool(session.waiting) for session in self._sessions.values())
        if ready == len(self._sessions):
            return oldest
        return min(oldest + self.settings.gather_ms, oldest + self.settings.deadline_ms - self._cost.of(ready, ready))

    def _run(self) -> list[Effect]:
        oldest = self._oldest()
        if self._running is not None or oldest is None or self._now < self._starts_by(oldest):
            return []
        self._settle_load()
        batch = sorted(
            ((name, session) for name, session in self._sessions.items() if session.waiting),
            key=lambda pair: pair[1].waiting[0].at,
        )
        how = self._ways([session for _, session in batch], oldest)
        steps = []
        arrived = []
        frames = 0
        for (name, session), way in zip(batch, how, strict=True):
            unit = session.waiting.popleft()
            blind = way is not How.WHOLE and unit.frames > 0
            session.spared = 0 if blind else session.spared + 1
            session.without = session.without + 1 if blind else 0
            frames += unit.frames if way is How.WHOLE else 0
            steps.append(Step(name, session.slot, unit.index, way))
            arrived.append(unit.at)
        self._running = _Running(self._now, tuple(steps), tuple(arrived), frames)
        return [Run(tuple(steps))]

    def _ways(self, batch: list[_Session], oldest: float) -> list[How]:
        """How each session's unit is run: pictures go, first those of the session that has kept its own for longest, until the batch
        is expected in time."""
        ways = [How.LISTEN if len(session.waiting) > self.settings.behind else How.WHOLE for session in batch]
        pictures = sum(s.waiting[0].frames for s, way in zip(batch, ways, strict=True) if way is How.WHOLE)
        due = oldest + self.settings.deadline_ms
        # What is never run is never learned again: when there is time, one session's pictures are tried now and then.
        tried = max(range(len(batch)), key=lambda index: batch[index].without)
        if self.no_vision or batch[tried].without < self.settings.retry:
            tried = -1
        for at in sorted(range(len(batch)), key=lambda index: -batch[index].spared):
            fits = self._now + self._cost.of(len(batch), pictures) <= due
            if (fits and not self.no_vision) or at == tried or ways[at] is not How.WHOLE or not batch[at].waiting[0].frames:
                continue
            pictures -= batch[at].waiting[0].frames
            ways[at] = How.NO_VISION
        return ways

    def _ran(self) -> list[Effect]:
        done = self._running
        assert done is not None
        self._running = None
        took = self._now - done.started
        self._cost.learn(len(done.steps), done.frames, took)
        self._settle_load(took)
        effects: list[Effect] = []
        for step, arrived in zip(done.steps, done.arrived, strict=True):
            late = self._now - arrived - self.settings.deadline_ms
            self.late_units += late > 0
            self.lesser_units += step.how is not How.WHOLE
            if late > 0 or step.how is not How.WHOLE:
                effects.append(Late(step.session, step.index, max(0.0, late), step.how))
        for slot in sorted(self._closing):
            self._free.append(slot)
            effects.append(Free(slot))
        self._closing.clear()
        return effects

    def _settle_load(self, took_ms: float = 0.0) -> None:
        passed = max(self._now - self._load_at, took_ms, 0.0)
        if passed:
            keep = 0.5 ** (passed / 3500.0)
            self._load = self._load * keep + (1 - keep) * min(1.0, took_ms / passed)
            self._load_at = self._now
        self.no_vision = self._load > (self.settings.relaxed if self.no_vision else self.settings.full)
