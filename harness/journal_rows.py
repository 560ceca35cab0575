"""How the work journal lies on the disk: its tables, and an item, an event or an intent as a row of them. Pure.

One row an event, one row an item as it stands, one row an intent to actuate. A change here is a new SCHEMA_VERSION.
Does not know files, transactions, or when anything is written (journal.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ridealong.harness.skill import Outcome, Provenance, Still
from ridealong.harness.work import Delivery, DeliveryEvent, Execution, Validity, WorkEvent, WorkItem
from ridealong.proto.types import Precondition, Samples, SignalWrite

APPLICATION_ID: Final = 0x52696465  # "Ride"
SCHEMA_VERSION: Final = 1

SCHEMA: Final = """
CREATE TABLE work (
    id TEXT PRIMARY KEY, session TEXT NOT NULL, execution TEXT NOT NULL, delivery TEXT NOT NULL,
    capability TEXT NOT NULL, outcome TEXT, reason TEXT NOT NULL, revision INTEGER NOT NULL, attempts INTEGER NOT NULL,
    intent_at INTEGER NOT NULL, done_at INTEGER, inserted_at INTEGER, played_at INTEGER, deadline_ms INTEGER NOT NULL,
    provenance TEXT NOT NULL, locale TEXT NOT NULL, snapshot TEXT NOT NULL, idempotency_key TEXT NOT NULL,
    request TEXT NOT NULL, words TEXT NOT NULL, arguments TEXT NOT NULL, validity TEXT NOT NULL,
    reply TEXT NOT NULL, heard TEXT NOT NULL,
    UNIQUE (session, idempotency_key)
) STRICT;
CREATE TABLE event (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, work_id TEXT NOT NULL REFERENCES work (id), revision INTEGER NOT NULL,
    machine TEXT NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL, cause TEXT NOT NULL, reason TEXT NOT NULL,
    at INTEGER NOT NULL, UNIQUE (work_id, revision)
) STRICT;
CREATE TABLE intent (
    key TEXT PRIMARY KEY, work_id TEXT NOT NULL REFERENCES work (id), writes TEXT NOT NULL, at INTEGER NOT NULL,
    state TEXT, reason TEXT NOT NULL DEFAULT '', result_at INTEGER
) STRICT;
CREATE INDEX work_of_session ON work (session);
"""


@dataclass(frozen=True, slots=True)
class EventRow:
    seq: int
    work_id: str
    machine: str
    before: str
    after: str
    cause: str
    reason: str
    at: int


@dataclass(frozen=True, slots=True)
class IntentRow:
    key: str
    work_id: str
    writes: tuple[SignalWrite, ...]
    at: int
    state: str | None
    reason: str
    result_at: int | None


def item_to_row(item: WorkItem) -> dict[str, str | int | None]:
    """Column -> value, in the order of the table."""
    return {
        "id": item.id,
        "session": item.session,
        "execution": item.execution.value,
        "delivery": item.delivery.value,
        "capability": item.capability,
        "outcome": item.outcome.value if item.outcome else None,
        "reason": item.reason,
        "revision": item.revision,
        "attempts": item.attempts,
        "intent_at": item.intent_at,
        "done_at": item.done_at,
        "inserted_at": item.inserted_at,
        "played_at": item.played_at,
        "deadline_ms": item.deadline_ms,
        "provenance": item.provenance.value,
        "locale": item.locale,
        "snapshot": item.snapshot,
        "idempotency_key": item.idempotency_key,
        "request": item.request,
        "words": item.words,
        "arguments": json.dumps(dict(item.arguments), ensure_ascii=False, sort_keys=True, default=str),
        "validity": _validity_to_text(item.validity),
        "reply": item.reply,
        "heard": item.heard,
    }


def _validity_to_text(validity: Validity) -> str:
    conditions = [[c.path, c.at_most, c.equals] for c in validity.conditions]
    return json.dumps([validity.revision, conditions, [[s.path, s.value, s.slack] for s in validity.still]])


def _validity_from_text(text: str) -> Validity:
    """What was written before there was a third part has none."""
    revision, conditions, *rest = json.loads(text)
    still = rest[0] if rest else []
    return Validity(revision, tuple(Precondition(*one) for one in conditions), tuple(Still(*one) for one in still))


def _samples(value: object) -> Samples | None:
    return Samples(value) if isinstance(value, int) else None


def item_from_row(row: Mapping[str, object]) -> WorkItem:
    """The inverse of `item_to_row`."""
    numbers = {name: int(str(row[name])) for name in ("revision", "attempts", "deadline_ms", "intent_at")}
    return WorkItem(
        id=str(row["id"]),
        session=str(row["session"]),
        request=str(row["request"]),
        words=str(row["words"]),
        locale=str(row["locale"]),
        provenance=Provenance(row["provenance"]),
        capability=str(row["capability"]),
        arguments=json.loads(str(row["arguments"])),
        snapshot=str(row["snapshot"]),
        idempotency_key=str(row["idempotency_key"]),
        intent_at=Samples(numbers["intent_at"]),
        deadline_ms=numbers["deadline_ms"],
        validity=_validity_from_text(str(row["validity"])),
        revision=numbers["revision"],
        execution=Execution(row["execution"]),
        delivery=Delivery(row["delivery"]),
        outcome=Outcome(row["outcome"]) if row["outcome"] else None,
        reason=str(row["reason"]),
        reply=str(row["reply"]),
        heard=str(row["heard"]),
        attempts=numbers["attempts"],
        done_at=_samples(row["done_at"]),
        inserted_at=_samples(row["inserted_at"]),
        played_at=_samples(row["played_at"]),
    )


def event_to_row(item: WorkItem, event: WorkEvent, before: WorkItem) -> tuple[str | int, ...]:
    """work_id, revision, machine, before, after, cause, reason, at."""
    delivery = isinstance(event, DeliveryEvent)
    states = (before.delivery.value, item.delivery.value) if delivery else (before.execution.value, item.execution.value)
    reason = getattr(event, "reason", "") or (item.reason if not delivery else "")
    return (item.id, item.revision, "delivery" if delivery else "execution", *states, type(event).__name__, reason, event.at)


def writes_to_text(writes: Sequence[SignalWrite]) -> str:
    return json.dumps([[write.path, write.value] for write in writes], ensure_ascii=False)


def writes_from_text(text: str) -> tuple[SignalWrite, ...]:
    return tuple(SignalWrite(*write) for write in json.loads(text))
