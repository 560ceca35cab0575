"""The life of one work item: two state machines, because "done" and "heard" are different facts. Sans-IO.

    execution   QUEUED -> RUNNING -> COMPLETED | FAILED | UNKNOWN        what happened in the world
    delivery    NONE -> PENDING -> DELIVERING -> DELIVERED               what the user was told

Invariants: an illegal event raises `IllegalTransition` and changes nothing; a reply exists only once the execution is
over; DELIVERED follows only `Played`; a reply that was withdrawn is opened again only when the user asks for its rest ("go on").
Does not know skills, clocks, storage, or when a reply may be spoken.

Every time is a position on the device's sample clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, NamedTuple, assert_never

from ridealong.harness.holds import ALWAYS, Holds
from ridealong.harness.skill import Outcome, Provenance
from ridealong.harness.validity import UNCONDITIONAL, Validity
from ridealong.proto.types import Samples, ms_from_samples, samples_from_ms

DEADLINE_MS: Final = 60_000
"""A reply later than this after the intent is not spoken, unless the skill itself declares a longer time."""


class Execution(Enum):
    QUEUED = "queued"
    RUNNING = "running"
    CANCELLING = "cancelling"
    COMPLETED = "completed"
    FAILED = "failed"
    UNKNOWN = "unknown"
    CANCELLED = "cancelled"
    SUPERSEDED = "superseded"

    @property
    def over(self) -> bool:
        return self not in _NOT_OVER


class Delivery(Enum):
    NONE = "none"
    PENDING = "pending"
    DELIVERING = "delivering"
    DELIVERED = "delivered"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"

    @property
    def over(self) -> bool:
        return self in _TOLD


_NOT_OVER: Final = (Execution.QUEUED, Execution.RUNNING, Execution.CANCELLING)
_TOLD: Final = (Delivery.DELIVERED, Delivery.EXPIRED, Delivery.WITHDRAWN)


class PaperState(Enum):
    """The five states of the paper; `completed` there means that the execution is over, well or badly."""

    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    DELIVERING = "delivering"
    DELIVERED = "delivered"


class IllegalTransition(Exception):
    """Our own fault: this event means nothing in this state. Nothing was changed."""


# --- events --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Start:
    """`arguments`: all of them, where some were found only now, by an earlier call of the same request."""

    at: Samples
    arguments: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Complete:
    """The skill ended and says so. `outcome` is COMPLETED, or ASKS when nothing was done but to ask. `holds`: what makes the reply worth saying."""

    at: Samples
    reply: str
    outcome: Outcome = Outcome.COMPLETED
    reason: str = ""
    holds: Holds = ALWAYS


@dataclass(frozen=True, slots=True)
class Fail:
    """Known not to have been done: FAILED, or REFUSED with the policy's reason."""

    at: Samples
    reply: str
    outcome: Outcome = Outcome.FAILED
    reason: str = ""


@dataclass(frozen=True, slots=True)
class LoseTrack:
    """Nobody can say whether it was done."""

    at: Samples
    reply: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Cancel:
    at: Samples
    reply: str = ""
    reason: str = "asked"


@dataclass(frozen=True, slots=True)
class CancelAcknowledged:
    """The worker has stopped and nothing was done."""

    at: Samples
    reply: str = ""
    reason: str = "asked"


@dataclass(frozen=True, slots=True)
class Supersede:
    at: Samples
    by: str


ExecutionEvent = Start | Complete | Fail | LoseTrack | Cancel | CancelAcknowledged | Supersede


@dataclass(frozen=True, slots=True)
class Offer:
    """There is something to say about it."""

    at: Samples


@dataclass(frozen=True, slots=True)
class Admit:
    """Inserted into the conversation."""

    at: Samples


@dataclass(frozen=True, slots=True)
class Played:
    """The device acknowledged the last sample."""

    at: Samples
    heard: str


@dataclass(frozen=True, slots=True)
class Return:
    """Flushed, or the link was lost: to be offered again."""

    at: Samples
    heard: str


@dataclass(frozen=True, slots=True)
class Expire:
    at: Samples


@dataclass(frozen=True, slots=True)
class Withdraw:
    at: Samples
    reason: str
    heard: str = ""


@dataclass(frozen=True, slots=True)
class Reopen:
    """The user asked for the rest after all."""

    at: Samples


DeliveryEvent = Offer | Admit | Played | Return | Expire | Withdraw | Reopen
WorkEvent = ExecutionEvent | DeliveryEvent

# The machines are data; docs/diagrams are generated from these tables.
EXECUTION_TRANSITIONS: Final[Mapping[tuple[Execution, type], Execution]] = {
    (Execution.QUEUED, Start): Execution.RUNNING,
    (Execution.QUEUED, Cancel): Execution.CANCELLED,
    (Execution.QUEUED, Supersede): Execution.SUPERSEDED,
    (Execution.RUNNING, Complete): Execution.COMPLETED,
    (Execution.RUNNING, Fail): Execution.FAILED,
    (Execution.RUNNING, LoseTrack): Execution.UNKNOWN,
    (Execution.RUNNING, Cancel): Execution.CANCELLING,
    (Execution.RUNNING, Supersede): Execution.SUPERSEDED,
    (Execution.CANCELLING, CancelAcknowledged): Execution.CANCELLED,
    (Execution.CANCELLING, Complete): Execution.COMPLETED,  # too late to stop
    (Execution.CANCELLING, LoseTrack): Execution.UNKNOWN,
}
DELIVERY_TRANSITIONS: Final[Mapping[tuple[Delivery, type], Delivery]] = {
    (Delivery.NONE, Offer): Delivery.PENDING,
    (Delivery.PENDING, Admit): Delivery.DELIVERING,
    (Delivery.PENDING, Expire): Delivery.EXPIRED,
    (Delivery.PENDING, Withdraw): Delivery.WITHDRAWN,
    (Delivery.DELIVERING, Played): Delivery.DELIVERED,
    (Delivery.DELIVERING, Return): Delivery.PENDING,
    (Delivery.DELIVERING, Withdraw): Delivery.WITHDRAWN,
    (Delivery.WITHDRAWN, Reopen): Delivery.PENDING,
    (Delivery.EXPIRED, Reopen): Delivery.PENDING,
}
TRANSITIONS: Final[Mapping[str, Mapping[tuple[Enum, type], Enum]]] = {
    "execution": dict(EXECUTION_TRANSITIONS.items()),
    "delivery": dict(DELIVERY_TRANSITIONS.items()),
}


class WorkItem(NamedTuple):
    """One request to one capability. A value: `step` returns the next one. (A tuple: every transition copies it, and nothing is copied sooner.)"""

    id: str
    session: str
    request: str  # what the front-end asked for, inside the span
    words: str  # the user's own words
    locale: str
    provenance: Provenance
    capability: str
    arguments: Mapping[str, object]
    snapshot: str  # id of the frozen evidence
    idempotency_key: str
    intent_at: Samples
    deadline_ms: int = DEADLINE_MS
    validity: Validity = UNCONDITIONAL
    revision: int = 0
    execution: Execution = Execution.QUEUED
    delivery: Delivery = Delivery.NONE
    outcome: Outcome | None = None
    reason: str = ""
    reply: str = ""
    heard: str = ""
    attempts: int = 0
    done_at: Samples | None = None
    inserted_at: Samples | None = None
    played_at: Samples | None = None
    replaces: str = ""  # id of the item of which this is a newer version
    device: str = ""  # id of the device whose session this is: only that one answers for what was asked of its car

    def moved(self, **changes: Any) -> WorkItem:
        """The next revision. What `_replace` does, in half the time: every transition comes through here."""
        values = list(self)
        for name, value in changes.items():
            values[_PLACES[name]] = value
        values[_PLACES["revision"]] = self.revision + 1
        return WorkItem._make(values)

    @property
    def expires_at(self) -> Samples:
        return Samples(self.intent_at + samples_from_ms(self.deadline_ms))

    @property
    def over(self) -> bool:
        """Nothing more will be done or said about it."""
        return self.execution.over and (self.delivery.over or not self.reply)


_PLACES: Final = {name: place for place, name in enumerate(WorkItem._fields)}


def projection(item: WorkItem) -> PaperState:
    """The paper's state of an item."""
    match item.delivery:
        case Delivery.DELIVERING:
            return PaperState.DELIVERING
        case Delivery.DELIVERED:
            return PaperState.DELIVERED
        case Delivery.NONE | Delivery.PENDING | Delivery.EXPIRED | Delivery.WITHDRAWN:
            pass
        case _:
            assert_never(item.delivery)
    if item.execution is Execution.QUEUED:
        return PaperState.QUEUED
    return PaperState.COMPLETED if item.execution.over else PaperState.RUNNING


def step(item: WorkItem, event: WorkEvent) -> WorkItem:
    """The item after the event. Raises IllegalTransition where the tables have no row."""
    if isinstance(event, DeliveryEvent):
        return _delivered(item, event)
    return _executed(item, event)


def _executed(item: WorkItem, event: ExecutionEvent) -> WorkItem:
    after = EXECUTION_TRANSITIONS.get((item.execution, type(event)))
    if after is None:
        raise IllegalTransition(f"{type(event).__name__} means nothing for an execution that is {item.execution.value}")

    match event:
        case Start(arguments=arguments):
            return item.moved(execution=after) if arguments is None else item.moved(execution=after, arguments=dict(arguments))
        case Complete(at=at, reply=reply, outcome=outcome, reason=reason, holds=holds):
            if outcome not in (Outcome.COMPLETED, Outcome.ASKS):
                raise IllegalTransition(f"an execution that completed cannot have the outcome {outcome.value}")
            return item.moved(
                execution=after, outcome=outcome, reply=reply, reason=reason, done_at=at, **_valid_while(item, holds, at)
            )
        case Fail(at=at, reply=reply, outcome=outcome, reason=reason):
            if outcome not in (Outcome.FAILED, Outcome.REFUSED):
                raise IllegalTransition(f"an execution that failed cannot have the outcome {outcome.value}")
            return item.moved(execution=after, outcome=outcome, reply=reply, reason=reason, done_at=at)
        case LoseTrack(at=at, reply=reply, reason=reason):
            return item.moved(execution=after, outcome=Outcome.UNKNOWN, reply=reply, reason=reason, done_at=at)
        case Cancel(at=at, reply=reply, reason=reason):
            return (
                item.moved(execution=after, reply=reply, reason=reason, done_at=at)
                if after.over
                else item.moved(execution=after, reason=reason)
            )
        case CancelAcknowledged(at=at, reply=reply, reason=reason):
            return item.moved(execution=after, reply=reply, reason=reason, done_at=at)
        case Supersede(at=at, by=by):
            return item.moved(execution=after, reason=f"superseded:{by}", done_at=at)
        case _:
            assert_never(event)


def _delivered(item: WorkItem, event: DeliveryEvent) -> WorkItem:
    after = DELIVERY_TRANSITIONS.get((item.delivery, type(event)))
    if after is None:
        raise IllegalTransition(f"{type(event).__name__} means nothing for a delivery that is {item.delivery.value}")

    match event:
        case Offer():
            if not item.execution.over or not item.reply:
                raise IllegalTransition("a reply can be offered only when the execution is over and there is something to say")
            return item.moved(delivery=after)
        case Admit(at=at):
            return item.moved(delivery=after, inserted_at=at, attempts=item.attempts + 1)
        case Played(at=at, heard=heard):
            return item.moved(delivery=after, played_at=at, heard=heard)
        case Return(heard=heard):
            return item.moved(delivery=after, heard=heard)
        case Expire() | Reopen():
            return item.moved(delivery=after)
        case Withdraw(reason=reason, heard=heard):
            return item.moved(delivery=after, reason=item.reason or reason, heard=heard or item.heard)
        case _:
            assert_never(event)


def _valid_while(item: WorkItem, holds: Holds, at: Samples) -> dict[str, Any]:
    """What changes of an item when its reply depends on something; a reply is never good for longer than any."""
    if holds is ALWAYS or holds == ALWAYS:
        return {}
    was = item.validity
    validity = Validity(was.revision, was.conditions + holds.conditions, was.still + holds.still, was.near + holds.near)
    took_ms = round(ms_from_samples(Samples(at - item.intent_at)))
    deadline_ms = item.deadline_ms if holds.for_ms is None else min(item.deadline_ms, took_ms + holds.for_ms)
    return {"validity": validity, "deadline_ms": deadline_ms}
