"""The work journal: an append-only record that survives kill -9 and power cuts. SQLite (fsync policy: journal_file.py).

An intent to actuate is on the disk before the actuation is sent, a result before its reply is spoken; both wait for the one fsync of a transaction
that holds whatever the node's sessions had recorded by then (group_commit.py).
On opening, what was running when the last process died becomes UNKNOWN ("interrupted"), what had not begun CANCELLED,
and replies that nobody heard are reported and withdrawn: nothing is ever started again because of a restart. That an act was done and not heard of
can be asked for (`untold`). What a car answers later to an intent of then is still taken down (`Result`).
What is over is kept up to a number of items; the oldest are removed with all that belongs to them (`compact`).

Does not know the event loop (the harness calls it from an executor), wall-clock time, what an item means, how one becomes a row
(journal_rows.py), or how the file is opened (journal_file.py).
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple, assert_never

from ridealong.durable import make_folder
from ridealong.errors import UserError
from ridealong.harness import journal_file
from ridealong.harness.journal_file import Connect, Lock, open_to_read, open_to_write, owned, remedy
from ridealong.harness.journal_rows import (
    INSERT_EVENTS,
    INSERT_INTENTS,
    INSERT_ITEMS,
    MAX_ROWS,
    REMOVE_ITEM,
    WRITE_RESULT,
    EventRow,
    Insertion,
    IntentRow,
    Value,
    columns,
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

KEEP_ITEMS: Final = 20_000
"""About 20 MB."""
COMPACT_EVERY: Final = 100
"""New items: so little is removed at a time that no intent waits long for it."""
INTERRUPTED: Final = "interrupted"
OPEN: Final = ", ".join(f"'{execution.value}'" for execution in Execution if not execution.over)
TOLD: Final = ", ".join(f"'{delivery.value}'" for delivery in Delivery if delivery.over)


class Recorded(NamedTuple):
    """A new item (`event` None) or one transition of it; `item` as it stands afterwards. (A tuple, as the item is one: there are six to a request.)"""

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


class Journal:
    """Calls may come from any thread, one at a time. Every `append` is one transaction, on the disk when it returns. Of what is over, the newest
    `keep_items` are kept.

    `wrote` is told each entry once it is on the disk, in order, also those of a recovery; it must not raise."""

    def __init__(
        self,
        path: Path,
        *,
        read_only: bool = False,
        keep_items: int = KEEP_ITEMS,
        wrote: Callable[[Entry], None] = lambda entry: None,
        connect: Connect = journal_file.connect,
    ) -> None:
        self.path = path
        self._wrote = wrote
        self.recovered = Recovered()
        self._mutex = threading.Lock()
        self._keep_items, self._added = keep_items, 0
        self._lock: Lock | None = None
        self.abandoned = read_only and not owned(path)
        """Read while no process owns it: what is not over there will not go on, and is read as the next one to own it will find it."""
        if read_only and not path.is_file():
            raise UserError(f"there is no work journal at {path}: name one with --journal, or set RIDEALONG_JOURNAL.")
        try:
            if read_only:
                self._db = open_to_read(path, connect)
                return
            make_folder(path.parent)
            self._lock = Lock(path)
            self._db = open_to_write(path, connect)
            try:
                self.recovered = self._recover()
                self.compact()
            except BaseException:
                self._db.close()
                raise
        except OSError as error:
            raise UserError(f"the work journal {path} can't be opened ({error.strerror}): choose another place.") from error
        except sqlite3.Error as error:
            self._release()
            raise UserError(remedy(path, error)) from error
        except UserError:
            self._release()
            raise

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()

    def close(self) -> None:
        """Idempotent."""
        self._db.close()
        self._release()

    # --- writing ----------------------------------------------------------------------------------------------------

    def append(self, entries: Sequence[Entry]) -> None:
        """All of them or none; durable on return. Raises sqlite3.Error (a full disk, say) having written nothing."""
        with self._mutex:
            with self._transaction():
                self._write(entries)
            self._tell(entries)
            self._compact_now_and_then(entries)

    def append_each(self, entries: Sequence[Entry]) -> set[int]:
        """As `append`, but an entry that can't be written is left out and holds back no other. Returns the positions of those."""
        refused = set()
        with self._mutex:
            with self._transaction():
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
            self._tell([entry for number, entry in enumerate(entries) if number not in refused])
        return refused

    def _tell(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            self._wrote(entry)

    def compact(self, keep_items: int | None = None) -> int:
        """Removes the oldest items that are over, with all that belongs to them, down to `keep_items`. Returns how many. What is not over stays."""
        with self._mutex:
            return self._compact(self._keep_items if keep_items is None else keep_items)

    def shrink(self) -> None:
        """Gives the room of what was removed back to the file system: the file is written anew."""
        with self._mutex:
            self._db.execute("VACUUM")

    def _compact_now_and_then(self, entries: Sequence[Entry]) -> None:
        self._added += sum(1 for entry in entries if isinstance(entry, Recorded) and entry.event is None)
        if self._added >= COMPACT_EVERY:
            self._added = 0
            with suppress(sqlite3.OperationalError):  # the entries are on the disk: a full disk is told with the next ones
                self._compact(self._keep_items)

    def _compact(self, keep_items: int) -> int:
        too_many = self._db.execute("SELECT count(*) FROM work").fetchone()[0] - keep_items
        if too_many <= 0:
            return 0
        which = f"WHERE execution NOT IN ({OPEN}) AND (reply = '' OR delivery IN ({TOLD})) ORDER BY rowid LIMIT ?"
        with self._transaction():
            ids = [(row[0],) for row in self._db.execute(f"SELECT id FROM work {which}", (too_many,)).fetchall()]
            for statement in REMOVE_ITEM:
                self._db.executemany(statement, ids)
        return len(ids)

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
        rows = [EventRow(*row) for row in self._rows(query, (work_id,))]
        for item in self._as_left("WHERE id = ?", work_id) if self.abandoned else ():
            for entry in settled(item)[1]:
                if entry.event is not None and entry.before is not None:
                    owner, _, *change = event_to_row(entry.item, entry.event, entry.before)
                    rows.append(EventRow(rows[-1].seq + 1 if rows else 1, owner, *change))  # type: ignore[arg-type]
        return rows

    def intents(self, work_id: str) -> list[IntentRow]:
        query = "SELECT key, work_id, writes, at, state, reason, result_at FROM intent WHERE work_id = ? ORDER BY rowid"
        return [
            IntentRow(key, owner, writes_from_text(writes), at, state, reason, result_at)
            for key, owner, writes, at, state, reason, result_at in self._rows(query, (work_id,))
        ]

    def newer(self, work_id: str) -> list[str]:
        """The items that replaced this one, oldest first."""
        return [item.id for item in self._items("WHERE replaces = ? AND replaces != '' ORDER BY rowid", work_id)]

    def known(self, work_id: str) -> tuple[WorkItem | None, list[IntentRow]]:
        """An item of any session with its intents; beside a writer in another thread."""
        with self._mutex:
            return self.item(work_id), self.intents(work_id)

    def untold(self, session: str) -> list[tuple[WorkItem, list[IntentRow]]]:
        """What this session had done when its process died, and nobody had heard of; with what was asked of the car. Beside a writer in another
        thread."""
        which = "EXISTS (SELECT 1 FROM event WHERE work_id = work.id AND reason = ? AND cause IN ('LoseTrack', 'Withdraw'))"
        with self._mutex:
            items = self._items(f"WHERE session = ? AND heard = '' AND {which} ORDER BY rowid", session, INTERRUPTED)
            return [(item, self.intents(item.id)) for item in items]

    def numbered(self, session: str) -> int:
        """The number of the session's newest item, by its id: work ids go on from here."""
        newest = self._rows("SELECT id FROM work WHERE session = ? ORDER BY rowid DESC LIMIT 1", (session,))
        return int(newest[0][0].rpartition("-w")[2]) if newest else 0

    def keys(self, session: str) -> set[str]:
        """Idempotency keys that the session has used."""
        return {str(row[0]) for row in self._rows("SELECT idempotency_key FROM work WHERE session = ?", (session,))}

    def _rows(self, query: str, values: tuple[str, ...]) -> list[tuple[Any, ...]]:
        try:
            return self._db.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise UserError(remedy(self.path, error)) from error

    def _items(self, which: str, *values: str) -> list[WorkItem]:
        items = self._as_left(which, *values)
        return [settled(item)[0] for item in items] if self.abandoned else items

    def _as_left(self, which: str, *values: str) -> list[WorkItem]:
        ((version,),) = self._rows("PRAGMA user_version", ())  # a reader may have a file of an earlier version
        return [item_from_row(row) for row in self._rows(f"SELECT {columns(version)} FROM work {which}", values)]

    # --- after a crash ----------------------------------------------------------------------------------------------

    def _recover(self) -> Recovered:
        """Bring every unfinished item to an end by legal transitions, in one transaction."""
        interrupted, never_started, undelivered = [], [], []
        entries: list[Entry] = []
        for item in self._items(f"WHERE execution IN ({OPEN}) OR (reply != '' AND delivery NOT IN ({TOLD})) ORDER BY rowid"):
            if item.execution is Execution.QUEUED:
                never_started.append(item.id)
            elif not item.execution.over:
                interrupted.append(item.id)
            else:
                undelivered.append(item.id)
            entries += settled(item)[1]
        open_intents = [row[0] for row in self._db.execute("SELECT key FROM intent WHERE state IS NULL AND reason = ''")]
        if entries or open_intents:
            with self._transaction():
                self._write(entries)
                self._db.executemany("UPDATE intent SET reason = ? WHERE key = ?", [(INTERRUPTED, key) for key in open_intents])
            self._tell(entries)
        return Recovered(tuple(interrupted), tuple(never_started), tuple(undelivered), tuple(open_intents))


def settled(item: WorkItem) -> tuple[WorkItem, list[Recorded]]:
    """An item of a process that has died, by legal transitions brought to its end; nothing where it was over."""
    at = max(item.intent_at, item.done_at or item.intent_at, item.inserted_at or item.intent_at)
    steps: list[WorkEvent] = []
    if item.execution is Execution.QUEUED:
        steps.append(Cancel(at, reason=INTERRUPTED))
    elif not item.execution.over:
        steps.append(LoseTrack(at, reply="", reason=INTERRUPTED))
    elif item.reply and not item.delivery.over:
        steps += [Offer(at)] if item.delivery is Delivery.NONE else []
        steps.append(Withdraw(at, INTERRUPTED))
    entries = []
    for event in steps:
        before, item = item, step(item, event)
        entries.append(Recorded(item, event, before))
    return item, entries
