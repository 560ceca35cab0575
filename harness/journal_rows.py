"""How the work journal lies on the disk: its tables, and an item, an event or an intent as a row of them. Pure.

One row an event, one row an item as it stands, one row an intent to actuate. A change here is a new SCHEMA_VERSION, and a way to it from the
last one.
Does not know files, transactions, or when anything is written (journal.py).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from ridealong.harness.skill import Near, Outcome, Provenance, Still
from ridealong.harness.validity import Validity
from ridealong.harness.work import Delivery, DeliveryEvent, Execution, WorkEvent, WorkItem
from ridealong.proto.types import Precondition, SignalWrite

APPLICATION_ID: Final = 0x52696465  # "Ride"
SCHEMA_VERSION: Final = 4

SCHEMA: Final = """
CREATE TABLE work (
    id TEXT PRIMARY KEY, session TEXT NOT NULL, execution TEXT NOT NULL, delivery TEXT NOT NULL,
    capability TEXT NOT NULL, outcome TEXT, reason TEXT NOT NULL, revision INTEGER NOT NULL, attempts INTEGER NOT NULL,
    intent_at INTEGER NOT NULL, done_at INTEGER, inserted_at INTEGER, played_at INTEGER, deadline_ms INTEGER NOT NULL,
    provenance TEXT NOT NULL, locale TEXT NOT NULL, snapshot TEXT NOT NULL, idempotency_key TEXT NOT NULL,
    request TEXT NOT NULL, words TEXT NOT NULL, arguments TEXT NOT NULL, validity TEXT NOT NULL,
    reply TEXT NOT NULL, heard TEXT NOT NULL, replaces TEXT NOT NULL DEFAULT '', device TEXT NOT NULL DEFAULT '',
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
CREATE INDEX intent_of_work ON intent (work_id);
CREATE INDEX newer_version ON work (replaces) WHERE replaces != '';
"""


MIGRATIONS: Final = {
    1: "DROP INDEX work_of_session; CREATE INDEX intent_of_work ON intent (work_id);",
    2: "ALTER TABLE work ADD COLUMN replaces TEXT NOT NULL DEFAULT ''; CREATE INDEX newer_version ON work (replaces) WHERE replaces != '';",
    3: "ALTER TABLE work ADD COLUMN device TEXT NOT NULL DEFAULT '';",
}
"""From a version to the next one."""
REMOVE_ITEM: Final = (
    "DELETE FROM intent WHERE work_id = ?",
    "DELETE FROM event WHERE work_id = ?",
    "DELETE FROM work WHERE id = ?",
)
COLUMNS: Final = (
    "id", "session", "execution", "delivery", "capability", "outcome", "reason", "revision", "attempts", "intent_at", "done_at", "inserted_at",
    "played_at", "deadline_ms", "provenance", "locale", "snapshot", "idempotency_key", "request", "words", "arguments", "validity", "reply", "heard",
    "replaces", "device",
)  # fmt: skip
ADDED: Final = {"replaces": 3, "device": 4}
"""Columns that tables of earlier versions than this don't have: what was written then has "" there."""
WRITE_RESULT: Final = "UPDATE intent SET state = ?, reason = ?, result_at = ? WHERE key = ? AND state IS NULL"
MAX_ROWS: Final = 1_000
"""Of the widest table in one statement: SQLite takes 32,766 values."""

Value = str | int | None
_AS_TEXT: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, default=str)


@dataclass(frozen=True, slots=True)
class Insertion:
    """Rows of one table in one statement: it is the steps of statements, not the rows, at which a thread gives the interpreter away, and a busy loop
    gives it back only after milliseconds."""

    table: str
    columns: tuple[str, ...]
    conflict: str = ""

    def statement(self, rows: int) -> str:
        marks = f"({','.join('?' * len(self.columns))})"
        return f"INSERT INTO {self.table} ({','.join(self.columns)}) VALUES {','.join([marks] * rows)} {self.conflict}"


INSERT_ITEMS: Final = Insertion(
    "work", COLUMNS, "ON CONFLICT (id) DO UPDATE SET " + ",".join(f"{name}=excluded.{name}" for name in COLUMNS if name != "id")
)
INSERT_EVENTS: Final = Insertion("event", ("work_id", "revision", "machine", "before", "after", "cause", "reason", "at"))
INSERT_INTENTS: Final = Insertion("intent", ("key", "work_id", "writes", "at"))


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


def columns(version: int) -> str:
    """COLUMNS as a table of this version gives them."""
    return ", ".join(name if ADDED.get(name, 1) <= version else f"'' AS {name}" for name in COLUMNS)


def item_to_row(item: WorkItem) -> tuple[Value, ...]:
    """The values of COLUMNS."""
    arguments = item.arguments
    return (
        item.id, item.session, item.execution.value, item.delivery.value, item.capability, item.outcome.value if item.outcome else None,
        item.reason, item.revision, item.attempts, item.intent_at, item.done_at, item.inserted_at, item.played_at, item.deadline_ms,
        item.provenance.value, item.locale, item.snapshot, item.idempotency_key, item.request, item.words,
        _AS_TEXT.encode(dict(arguments)) if arguments else "{}",
        _validity_to_text(item.validity), item.reply, item.heard, item.replaces, item.device,
    )  # fmt: skip


def _validity_to_text(validity: Validity) -> str:
    if not validity.conditions and not validity.still and not validity.near:
        return f"[{validity.revision}, []]"
    conditions = [[c.path, c.at_most, c.equals] for c in validity.conditions]
    still = [[s.path, s.value, s.slack, s.read] for s in validity.still]
    near = [[n.latitude_path, n.longitude_path, n.latitude, n.longitude, n.within_m] for n in validity.near]
    return json.dumps([validity.revision, conditions, still, *([near] if near else [])])


def _validity_from_text(text: str) -> Validity:
    """What was written before there was a third or a fourth part has none."""
    revision, conditions, *rest = json.loads(text)
    still, near = (*rest, (), ())[:2]
    return Validity(
        revision,
        tuple(Precondition(*one) for one in conditions),
        tuple(Still(*one) for one in still),
        tuple(Near(*one) for one in near),
    )


def item_from_row(row: Sequence[Any]) -> WorkItem:
    """The inverse of `item_to_row`."""
    (
        id, session, execution, delivery, capability, outcome, reason, revision, attempts, intent_at, done_at, inserted_at, played_at, deadline_ms,
        provenance, locale, snapshot, idempotency_key, request, words, arguments, validity, reply, heard, replaces, device,
    ) = row  # fmt: skip
    return WorkItem(
        id, session, request, words, locale, Provenance(provenance), capability, json.loads(arguments), snapshot, idempotency_key, intent_at,
        deadline_ms, _validity_from_text(validity), revision, Execution(execution), Delivery(delivery), Outcome(outcome) if outcome else None,
        reason, reply, heard, attempts, done_at, inserted_at, played_at, replaces, device,
    )  # fmt: skip


def event_to_row(item: WorkItem, event: WorkEvent, before: WorkItem) -> tuple[Value, ...]:
    """work_id, revision, machine, before, after, cause, reason, at."""
    delivery = isinstance(event, DeliveryEvent)
    states = (before.delivery.value, item.delivery.value) if delivery else (before.execution.value, item.execution.value)
    reason = getattr(event, "reason", "") or (item.reason if not delivery else "")
    return (item.id, item.revision, "delivery" if delivery else "execution", *states, type(event).__name__, reason, event.at)


def writes_to_text(writes: Sequence[SignalWrite]) -> str:
    return json.dumps([[write.path, write.value] for write in writes], ensure_ascii=False)


def writes_from_text(text: str) -> tuple[SignalWrite, ...]:
    return tuple(SignalWrite(*write) for write in json.loads(text))
