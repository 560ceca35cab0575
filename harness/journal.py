"""The work journal: an append-only record that survives kill -9. SQLite, write-ahead log, synchronous=FULL.

An intent to actuate is on the disk before the actuation is sent.
On opening, what was running when the last process died becomes UNKNOWN ("interrupted"), what had not begun CANCELLED,
and replies that nobody heard are reported and withdrawn: nothing is ever started or spoken again because of a restart.
One process owns a journal at a time; any number may read it (`read_only`).

Does not know the event loop (the harness calls it from an executor), wall-clock time, what an item means, or how one becomes a
row (journal_rows.py).
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Final, assert_never

from ridealong.errors import UserError
from ridealong.harness.journal_rows import (
    APPLICATION_ID,
    COLUMNS,
    INSERT_EVENTS,
    INSERT_INTENTS,
    INSERT_ITEMS,
    MAX_ROWS,
    SCHEMA,
    SCHEMA_VERSION,
    WRITE_RESULT,
    EventRow,
    Insertion,
    IntentRow,
    Value,
    event_to_row,
    item_from_row,
    item_to_row,
    writes_from_text,
    writes_to_text,
)
from ridealong.harness.work import (
    Cancel,
    Delivery,
    Execution,
    LoseTrack,
    Offer,
    Withdraw,
    WorkEvent,
    WorkItem,
    step,
)
from ridealong.proto.types import ActuationResult, ActuationState, Samples, SignalWrite

BUSY_MS: Final = 2_000
INTERRUPTED: Final = "interrupted"
OPEN: Final = ", ".join(f"'{execution.value}'" for execution in Execution if not execution.over)
TOLD: Final = ", ".join(f"'{delivery.value}'" for delivery in Delivery if delivery.over)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A new item (`event` None) or one transition of it; `item` as it stands afterwards."""

    item: WorkItem
    event: WorkEvent | None = None
    before: WorkItem | None = None


@dataclass(frozen=True, slots=True)
class Intent:
    """About to be sent to the car. Must be on the disk first."""

    key: str
    work_id: str
    writes: tuple[SignalWrite, ...]
    at: Samples


@dataclass(frozen=True, slots=True)
class Result:
    """What became of an intent."""

    key: str
    state: ActuationState
    reason: str
    at: Samples


Entry = Recorded | Intent | Result


@dataclass(frozen=True, slots=True)
class Recovered:
    """What the last process left unfinished: executions cut short, replies that nobody heard, intents without a result."""

    interrupted: tuple[str, ...] = ()
    never_started: tuple[str, ...] = ()
    undelivered: tuple[str, ...] = ()
    unanswered_intents: tuple[str, ...] = ()


Connect = Callable[[str], sqlite3.Connection]
"""Opens a database by its URI, without transactions of its own."""


def _connect(where: str) -> sqlite3.Connection:
    return sqlite3.connect(
        where, uri=True, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False, cached_statements=32
    )


class Journal:
    """Calls may come from any thread, one at a time. Every `append` is one transaction, on the disk when it returns."""

    def __init__(self, path: Path, *, read_only: bool = False, connect: Connect = _connect) -> None:
        self.path = path
        self._connect = connect
        self.recovered = Recovered()
        self._mutex = threading.Lock()
        self._owner: int | None = None
        if read_only and not path.is_file():
            raise UserError(f"there is no work journal at {path}: name one with --journal, or set RIDEALONG_JOURNAL.")
        try:
            if not read_only:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._own()
            self._db = self._open(read_only)
        except OSError as error:
            raise UserError(f"the work journal {path} can't be opened ({error.strerror}): choose another place.") from error
        except sqlite3.Error as error:
            self._disown()
            raise UserError(_remedy(path, error)) from error
        except UserError:
            self._disown()
            raise

    def _own(self) -> None:
        """One writing process a journal. The kernel releases the lock however the process dies."""
        self._owner = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UserError(
                f"the work journal {self.path} belongs to a node that is running: stop that one, "
                "or give this node another file with RIDEALONG_JOURNAL."
            ) from error

    def _disown(self) -> None:
        if self._owner is not None:
            os.close(self._owner)
            self._owner = None

    def _open(self, read_only: bool) -> sqlite3.Connection:
        where = f"{self.path.absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}"
        db = self._connect(where)
        try:
            tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            application = db.execute("PRAGMA application_id").fetchone()[0]
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if tables and application != APPLICATION_ID:
                raise UserError(f"{self.path} is another program's database, not a work journal: name another file.")
            if tables and version != SCHEMA_VERSION:
                raise UserError(
                    f"the work journal {self.path} has version {version} and this program writes version {SCHEMA_VERSION}: "
                    "move the file away, or use the program that wrote it."
                )
            if read_only:
                if not tables:
                    raise UserError(f"{self.path} is empty, not a work journal: name another file.")
                return db
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=FULL")
            db.execute("PRAGMA foreign_keys=ON")
            if not tables:
                db.executescript(
                    f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA application_id={APPLICATION_ID}; "
                    f"PRAGMA user_version={SCHEMA_VERSION}; COMMIT;"
                )
            elif (verdict := db.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
                raise sqlite3.DatabaseError(str(verdict))
            self._db = db
            self.recovered = self._recover()
            return db
        except BaseException:
            db.close()
            raise

    def close(self) -> None:
        """Idempotent."""
        self._db.close()
        self._disown()

    # --- writing ----------------------------------------------------------------------------------------------------

    def append(self, entries: Sequence[Entry]) -> None:
        """All of them or none; durable on return. Raises sqlite3.Error (a full disk, say) having written nothing."""
        with self._mutex, self._transaction():
            self._write(entries)

    def append_each(self, entries: Sequence[Entry]) -> set[int]:
        """As `append`, but an entry that can't be written is left out and holds back no other. Returns the positions of those."""
        refused = set()
        with self._mutex, self._transaction():
            for number, entry in enumerate(entries):
                self._db.execute("SAVEPOINT entry")
                try:
                    self._write([entry])
                except sqlite3.OperationalError:
                    raise
                except Exception:
                    self._db.execute("ROLLBACK TO entry")
                    refused.add(number)
                self._db.execute("RELEASE entry")
        return refused

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """On the disk on leaving; undone on an error."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:  # a full disk has ended it already
                self._db.execute("ROLLBACK")
            raise

    def record_intent(self, key: str, work_id: str, writes: Sequence[SignalWrite], at: Samples) -> None:
        """Durable on return: only then may the writes be sent. Raises sqlite3.IntegrityError for a key used before."""
        self.append([Intent(key, work_id, tuple(writes), at)])

    def record_result(self, key: str, result: ActuationResult, at: Samples) -> None:
        self.append([Result(key, result.state, result.reason, at)])

    def _write(self, entries: Sequence[Entry]) -> None:
        """Of an item that changed several times only the last state is a row; every transition is."""
        items: dict[str, WorkItem] = {}
        events: list[tuple[Value, ...]] = []
        intents: list[tuple[Value, ...]] = []
        results: list[tuple[Value, ...]] = []
        for entry in entries:
            match entry:
                case Recorded(item=item, event=event, before=before):
                    items[item.id] = item
                    if event is not None and before is not None:
                        events.append(event_to_row(item, event, before))
                case Intent(key=key, work_id=work_id, writes=writes, at=at):
                    intents.append((key, work_id, writes_to_text(writes), at))
                case Result(key=key, state=state, reason=reason, at=at):
                    results.append((state.value, reason, at, key))
                case _:
                    assert_never(entry)
        self._insert(INSERT_ITEMS, [item_to_row(item) for item in items.values()])
        self._insert(INSERT_EVENTS, events)
        self._insert(INSERT_INTENTS, intents)
        if results:
            self._db.executemany(WRITE_RESULT, results)

    def _insert(self, insertion: Insertion, rows: Sequence[tuple[Value, ...]]) -> None:
        for start in range(0, len(rows), MAX_ROWS):
            some = rows[start : start + MAX_ROWS]
            self._db.execute(insertion.statement(len(some)), list(chain.from_iterable(some)))

    # --- reading ----------------------------------------------------------------------------------------------------

    def items(self, session: str = "") -> Iterator[WorkItem]:
        """Items as they stand, oldest first; of one session when named."""
        return iter(self._items("WHERE session = ? ORDER BY rowid", session) if session else self._items("ORDER BY rowid"))

    def item(self, work_id: str) -> WorkItem | None:
        return next(iter(self._items("WHERE id = ?", work_id)), None)

    def events(self, work_id: str) -> list[EventRow]:
        query = "SELECT seq, work_id, machine, before, after, cause, reason, at FROM event WHERE work_id = ? ORDER BY seq"
        return [EventRow(*row) for row in self._rows(query, (work_id,))]

    def intents(self, work_id: str) -> list[IntentRow]:
        query = "SELECT key, work_id, writes, at, state, reason, result_at FROM intent WHERE work_id = ? ORDER BY rowid"
        return [
            IntentRow(key, owner, writes_from_text(writes), at, state, reason, result_at)
            for key, owner, writes, at, state, reason, result_at in self._rows(query, (work_id,))
        ]

    def count(self, session: str) -> int:
        """How many items the session has had: work ids go on from here."""
        return int(self._rows("SELECT count(*) FROM work WHERE session = ?", (session,))[0][0])

    def keys(self, session: str) -> set[str]:
        """Idempotency keys that the session has used."""
        return {str(row[0]) for row in self._rows("SELECT idempotency_key FROM work WHERE session = ?", (session,))}

    def _rows(self, query: str, values: tuple[str, ...]) -> list[tuple[Any, ...]]:
        try:
            return self._db.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise UserError(_remedy(self.path, error)) from error

    def _items(self, which: str, *values: str) -> list[WorkItem]:
        return [item_from_row(row) for row in self._rows(f"SELECT {', '.join(COLUMNS)} FROM work {which}", values)]

    # --- after a crash ----------------------------------------------------------------------------------------------

    def _recover(self) -> Recovered:
        """Bring every unfinished item to an end by legal transitions, in one transaction."""
        interrupted, never_started, undelivered = [], [], []
        entries: list[Entry] = []
        for item in self._items(f"WHERE execution IN ({OPEN}) OR (reply != '' AND delivery NOT IN ({TOLD})) ORDER BY rowid"):
            at = max(item.intent_at, item.done_at or item.intent_at, item.inserted_at or item.intent_at)
            steps: list[WorkEvent] = []
            if item.execution is Execution.QUEUED:
                never_started.append(item.id)
                steps.append(Cancel(at, reason=INTERRUPTED))
            elif not item.execution.over:
                interrupted.append(item.id)
                steps.append(LoseTrack(at, reply="", reason=INTERRUPTED))
            elif item.reply and not item.delivery.over:
                undelivered.append(item.id)
                steps += [Offer(at)] if item.delivery is Delivery.NONE else []
                steps.append(Withdraw(at, INTERRUPTED))
            for event in steps:
                before, item = item, step(item, event)
                entries.append(Recorded(item, event, before))
        open_intents = [row[0] for row in self._db.execute("SELECT key FROM intent WHERE state IS NULL AND reason = ''")]
        with_reason = [(INTERRUPTED, key) for key in open_intents]
        if entries:
            self.append(entries)
        if with_reason:
            self._db.executemany("UPDATE intent SET reason = ? WHERE key = ?", with_reason)
        return Recovered(tuple(interrupted), tuple(never_started), tuple(undelivered), tuple(open_intents))


def _remedy(path: Path, error: sqlite3.Error) -> str:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return f"the work journal {path} is locked by another program: close that one and try again."
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return f"the work journal {path} can't be opened for this use: check its permissions, or choose another place."
    if code == sqlite3.SQLITE_FULL:
        return f"there is no space left for the work journal {path}: free some, or choose another place."
    return f"the work journal {path} is damaged or no journal at all: move it away and start again; a new one is made."


def default_path(environment: Mapping[str, str]) -> Path:
    """RIDEALONG_JOURNAL, or the user's state folder."""
    named = environment.get("RIDEALONG_JOURNAL", "")
    if named:
        return Path(named).expanduser()
    state = environment.get("XDG_STATE_HOME", "") or "~/.local/state"
    return Path(state).expanduser() / "ridealong" / "journal.sqlite"
