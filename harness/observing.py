"""What an observer of the harness is told: closed values, from the places where things are decided and made durable.

Every transition of both machines comes from the journal itself, once its row is on the disk: what is not told did not happen, and what the
journal shows was told. The rest (what the words led to, tries again) comes from where it is decided.
Does not know who observes, metrics or spans. An observer must not raise, and must not wait: it may be called from any thread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from ridealong.harness.journal import Entry
from ridealong.proto.types import Samples


@dataclass(frozen=True, slots=True)
class Decided:
    """What a request's words led to. `decision`: calls, ask_back, chitchat, nothing, failed. `calls`: how many. `request`: its digest, with
    which the keys of its items begin."""

    decision: str
    reason: str = ""
    calls: int = 0
    session: str = ""
    request: str = ""


@dataclass(frozen=True, slots=True)
class TurnedAway:
    """No work came of a request."""

    reason: str
    session: str = ""
    at: Samples = Samples(0)


@dataclass(frozen=True, slots=True)
class TriedAgain:
    """Something that changes nothing is asked again after a fault that passes."""

    what: str
    reason: str
    work_id: str = ""


@dataclass(frozen=True, slots=True)
class Unwritten:
    """The journal could not be written. `kind` is the error's class."""

    kind: str


class Change(Enum):
    """`FAILED`: it ended unasked, stopped answering, or could not be started. It is started again after a pause."""

    STARTED = "started"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Outside:
    """A program of somebody else's in which skills run. `kind`: worker, mcp_server. `name`: its package's or server's in the node's settings."""

    kind: str
    name: str
    change: Change


@dataclass(frozen=True, slots=True)
class NotConsented:
    """Something came of a source (microphone, camera) that nobody agreed to, and was dropped."""

    source: str


@dataclass(frozen=True, slots=True)
class StrangeAnswer:
    """A device told what became of an act that was asked of another device's car. Nothing came of it."""

    session: str


@dataclass(frozen=True, slots=True)
class FellShort:
    """A second of a conversation was answered late or in part, or not at all, by a front-end that has no time or no memory to spare. `what`: late,
    no_vision (without its pictures), listen (heard, and not answered), bad_picture (left out), not_run, broken, lost (begun anew)."""

    what: str


@dataclass(frozen=True, slots=True)
class ModelUnit:
    """A unit that the 9B model has answered. `took_ms`: from its hand-over. `headroom_rows`: of the session's context, still free. `load`: the share of
    the device's time in use, 0..1."""

    took_ms: float
    headroom_rows: int
    load: float


Observation = (
    Entry | Decided | TurnedAway | TriedAgain | Unwritten | Outside | NotConsented | StrangeAnswer | FellShort | ModelUnit
)
Observe = Callable[[Observation], None]


def unobserved(observation: Observation) -> None:
    """Nobody looks."""
