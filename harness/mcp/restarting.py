"""When a server that failed is tried again: sooner at first, then ever later, with jitter. Pure.

    WAITING --due--> STARTING --ready--> READY        STARTING, READY --lost--> WAITING        any --close--> CLOSED

One that stood for a while begins anew. Does not know why it failed, or how it is started. The time is told, in ms of any clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

FIRST_MS: Final = 1_000
LONGEST_MS: Final = 60_000
STOOD_MS: Final = 30_000
"""A server that was ready for this long did start well: what happens now is something new."""


class State(Enum):
    WAITING = "waiting"
    STARTING = "starting"
    READY = "ready"
    CLOSED = "closed"


class Step(Enum):
    DUE = "due"
    READY = "ready"
    LOST = "lost"
    CLOSE = "close"


TABLE: Final[Mapping[tuple[State, Step], State]] = {
    (State.WAITING, Step.DUE): State.STARTING,
    (State.STARTING, Step.READY): State.READY,
    (State.STARTING, Step.LOST): State.WAITING,
    (State.READY, Step.LOST): State.WAITING,
    **{(state, Step.CLOSE): State.CLOSED for state in State if state is not State.CLOSED},
}


class IllegalStep(ValueError):
    """A step that the state does not allow; nothing has changed."""


@dataclass(slots=True)
class Restarting:
    """`random()` gives 0..1: the share of the upper half of a pause that is really waited."""

    random: Callable[[], float]
    state: State = State.WAITING
    failures: int = 0
    due_ms: float = 0.0
    reason: str = ""
    _ready_at_ms: float = field(default=0.0)

    def due(self) -> None:
        self._to(Step.DUE)

    def ready(self, at_ms: float) -> None:
        self._to(Step.READY)
        self._ready_at_ms, self.reason = at_ms, ""

    def lost(self, at_ms: float, reason: str) -> float:
        """Returns for how long to wait, in ms."""
        stood = self.state is State.READY and at_ms - self._ready_at_ms >= STOOD_MS
        self._to(Step.LOST)
        self.failures = 1 if stood else self.failures + 1
        self.reason = reason
        pause_ms = min(LONGEST_MS, FIRST_MS * 2.0 ** min(self.failures - 1, 16))
        pause_ms *= 0.5 + 0.5 * self.random()
        self.due_ms = at_ms + pause_ms
        return pause_ms

    def close(self) -> None:
        self._to(Step.CLOSE)

    def _to(self, step: Step) -> None:
        after = TABLE.get((self.state, step))
        if after is None:
            raise IllegalStep(f"{step.value} in {self.state.value}")
        self.state = after
