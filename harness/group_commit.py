"""Brings the entries of all sessions of a node to its one journal: whatever has gathered is one transaction with one fsync.

    record(...)  ->  queue  ->  one flight at a time: Journal.append in a thread of its own  ->  `settled` of each entry

While one flight is in the air the next one gathers, so a slow disk makes flights larger, not more. Entries land in the order in which they were
recorded. A journal that can't be written is tried again after a while; what waits is bounded, and what is given up is counted. An intent
to actuate does not wait: where a flight fails, its own or the one before, it is taken out, and will not be written later as if it had been sent.
An entry that can never be written (its key was used before) is given up by itself and holds back no other.

Does not know what the entries mean, apart from intents.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from typing import Final, Protocol

from ridealong.harness.journal import Entry, Intent, Journal

MAX_UNWRITTEN: Final = 100_000
"""Entries of the whole node that may wait for a disk that doesn't take them."""
MAX_FLIGHT: Final = 4_096
"""Entries in one transaction: an intent waits for at most two flights."""
RETRY_MS: Final = 1_000


class Owner(Protocol):
    """A session, as far as its entries are concerned."""

    unwritten: int
    lost: int

    def failed(self, kind: str) -> None: ...


class Fate(Enum):
    WAITING = "waiting"
    ON_DISK = "on_disk"
    GIVEN_UP = "given_up"


@dataclass(slots=True, eq=False)
class Row:
    """One entry on its way. `settled(on_disk)` is told once, on the loop; `attempt` is done with the next flight, whether it succeeds or not."""

    entry: Entry
    owner: Owner
    fate: Fate = Fate.WAITING
    settled: Callable[[bool], None] | None = None
    attempt: asyncio.Future[bool] | None = None


class GroupCommit:
    """One per journal. All calls come from the loop's thread."""

    def __init__(self, journal: Journal, executor: Executor | None = None) -> None:
        self.flights = 0
        self.down = False
        """The last flight failed."""
        self._journal = journal
        self._own = ThreadPoolExecutor(1, "journal") if executor is None else None
        self._executor = executor or self._own
        self._queue: deque[Row] = deque()
        self._flying: list[Row] = []
        self._mutex = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._scheduled = False
        self._again: asyncio.TimerHandle | None = None
        self._closed = False

    def close(self) -> None:
        """Writes what still waits, and ends the thread. Blocks. What is recorded later is given up. The journal is its owner's to close."""
        if self._closed:
            return
        self._closed = True
        if self._again is not None:
            self._again.cancel()
        if self._own is not None:
            self._own.shutdown()
        rows, self._flying = [*self._flying, *self._queue], []
        self._queue.clear()
        error: sqlite3.Error | None = None
        try:
            with self._mutex:
                self._append(rows)
        except sqlite3.Error as raised:
            error = raised
        if self._loop is None or self._loop.is_closed():  # nobody waits any more
            return
        for row in rows:
            if row.fate is Fate.WAITING:
                row.fate = Fate.GIVEN_UP
            self._loop.call_soon(self._settle, row)
        if error is not None:
            for owner in {id(row.owner): row.owner for row in rows}.values():
                owner.failed(type(error).__name__)

    # --- from sessions ----------------------------------------------------------------------------------------------

    def record(self, entry: Entry, owner: Owner) -> Row:
        """Takes the entry; it is on the disk when `settled(True)` is told."""
        if len(self._queue) >= MAX_UNWRITTEN:
            self._give_up(self._queue.popleft())
        row = Row(entry, owner)
        owner.unwritten += 1
        self._queue.append(row)
        if not self.down or self._closed:
            self._soon()
        return row

    async def attempt(self, row: Row) -> bool:
        """Waits for the next flight: the row, and what was recorded before it, is on the disk; False when it could not be put there."""
        return row.fate is Fate.ON_DISK if row.fate is not Fate.WAITING else await asyncio.shield(self.tried(row))

    def tried(self, row: Row) -> asyncio.Future[bool]:
        """The next flight of a row that waits."""
        if row.attempt is None:
            row.attempt = asyncio.get_running_loop().create_future()
        self._soon()
        return row.attempt

    def write_now(self, owner: Owner) -> None:
        """The last entries of a session, whatever interrupted it. Blocks. Raises sqlite3.Error when the journal can't be written; then they
        stay in the queue."""
        with self._mutex:
            self._append([row for row in (*self._flying, *self._queue) if row.owner is owner])

    # --- flights ----------------------------------------------------------------------------------------------------

    def _soon(self) -> None:
        loop = asyncio.get_running_loop()
        if loop is not self._loop:  # the earlier loop, and what it had under way, is gone
            self._loop, self._scheduled = loop, False
            self._queue.extendleft(reversed(self._flying))
            self._flying = []
        if not self._scheduled and not self._flying:
            self._scheduled = True
            loop.call_soon(self._fly)

    def _fly(self) -> None:
        self._scheduled = False
        if self._closed:
            while self._queue:
                self._give_up(self._queue.popleft())
            return
        if self._flying or not self._queue or self._loop is None:
            return
        self._flying = [self._queue.popleft() for _ in range(min(len(self._queue), MAX_FLIGHT))]
        self.flights += 1
        self._loop.run_in_executor(self._executor, self._in_thread, self._flying).add_done_callback(self._landed)

    def _in_thread(self, rows: list[Row]) -> None:
        with self._mutex:
            self._append(rows)

    def _append(self, rows: Iterable[Row]) -> None:
        """Under the mutex, in any thread. A row that is settled already (written by `write_now`) is not written again."""
        fresh = [row for row in rows if row.fate is Fate.WAITING]
        if not fresh:
            return
        entries = [row.entry for row in fresh]
        try:
            self._journal.append(entries)
            refused: set[int] = set()
        except sqlite3.OperationalError:
            raise
        except Exception:  # one of them can never be written, whatever the reason
            refused = self._journal.append_each(entries)
        for number, row in enumerate(fresh):
            row.fate = Fate.GIVEN_UP if number in refused else Fate.ON_DISK

    def _landed(self, flight: asyncio.Future[None]) -> None:
        rows, self._flying = self._flying, []
        if self._closed:  # and `close` has seen to what was in the air
            return
        error = flight.exception()
        self.down = error is not None
        if error is not None:
            behind = list(self._queue)
            self._queue.clear()
            self._failed([*rows, *behind], error)
            return
        for row in rows:
            self._settle(row)
        if self._queue:
            self._soon()

    def _failed(self, rows: list[Row], error: BaseException) -> None:
        """Of a flight, and of what has queued behind it: whoever waits for one of these rows need not wait for the next attempt to hear it."""
        assert self._loop is not None
        kept = []
        for row in rows:
            if row.fate is not Fate.WAITING:
                self._settle(row)
            elif isinstance(row.entry, Intent):
                row.fate = Fate.GIVEN_UP
                self._settle(row)
            else:
                kept.append(row)
                attempt, row.attempt = row.attempt, None
                if attempt is not None:
                    attempt.set_result(False)
        self._queue.extendleft(reversed(kept))
        for owner in {id(row.owner): row.owner for row in rows}.values():
            owner.failed(type(error).__name__)
        if self._again is not None:
            self._again.cancel()
        self._again = self._loop.call_later(RETRY_MS / 1000, self._soon)

    def _settle(self, row: Row) -> None:
        on_disk = row.fate is Fate.ON_DISK
        row.owner.unwritten -= 1
        row.owner.lost += not on_disk and not isinstance(row.entry, Intent)
        if row.attempt is not None and not row.attempt.done():
            row.attempt.set_result(on_disk)
        if row.settled is not None:
            row.settled(on_disk)

    def _give_up(self, row: Row) -> None:
        if row.fate is Fate.WAITING:
            row.fate = Fate.GIVEN_UP
        self._settle(row)
