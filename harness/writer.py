"""Brings a session's entries to the journal without stopping the loop: one executor call for all that has gathered.

An intent to actuate is awaited: when `intend` returns True, it and everything recorded before it are on the disk. A journal that
can't be written makes intents False (so nothing is actuated) and is tried again; other entries wait, bounded.
Does not know what the entries mean.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Final

from ridealong.harness.journal import Entry, Intent, Journal

MAX_UNWRITTEN: Final = 10_000
RETRY_MS: Final = 1_000


class JournalWriter:
    """`failed(kind)` is told each time that the journal could not be written."""

    def __init__(self, journal: Journal, failed: Callable[[str], None], executor: Executor | None = None) -> None:
        self.lost = 0  # entries given up
        self._journal, self._failed, self._executor = journal, failed, executor
        self._unwritten: deque[Entry] = deque()
        self._appended: set[int] = set()  # identities of entries that are on the disk and still in `_unwritten`
        self._given_up: deque[Entry] = deque(maxlen=64)
        self._down = False
        self._mutex = threading.Lock()
        self._lock = asyncio.Lock()
        self._wake = asyncio.Event()

    @property
    def idle(self) -> bool:
        """Nothing to write, or no use trying."""
        return not self._unwritten or self._down

    def record(self, entry: Entry) -> None:
        if len(self._unwritten) >= MAX_UNWRITTEN:
            self._unwritten.popleft()
            self.lost += 1
        self._unwritten.append(entry)
        self._wake.set()

    async def intend(self, intent: Intent) -> bool:
        """True: it is on the disk, and the writes may be sent."""
        self.record(intent)
        if await self.commit() and intent not in self._given_up:
            return True
        # It must not be written later either, as if it had been sent.
        self._unwritten = deque(entry for entry in self._unwritten if entry is not intent)
        return False

    async def run(self) -> None:
        """Writes whatever is recorded, until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            if not await self.commit():
                await asyncio.sleep(RETRY_MS / 1000)
                self._wake.set()

    async def commit(self) -> bool:
        """Everything recorded so far is on the disk; False when it could not be put there."""
        async with self._lock:
            batch = list(self._unwritten)
            if not batch:
                return True
            try:
                await asyncio.get_running_loop().run_in_executor(self._executor, self._append, batch)
            except sqlite3.Error as error:
                self._down = True
                self._failed(type(error).__name__)
                return False
            self._down = False
            written = set(map(id, batch))
            self._unwritten = deque(entry for entry in self._unwritten if id(entry) not in written)
            self._appended -= written
            return True

    def commit_now(self) -> None:
        """The last entries of a session, whatever interrupted it. Blocks."""
        batch, self._unwritten = list(self._unwritten), deque()
        try:
            self._append(batch)
        except sqlite3.Error as error:
            self.lost += len(batch)
            self._failed(type(error).__name__)

    def _append(self, batch: Sequence[Entry]) -> None:
        """In the executor. Entries that a cancelled commit already wrote are not written twice."""
        with self._mutex:
            fresh = [entry for entry in batch if id(entry) not in self._appended]
            if not fresh:
                return
            try:
                self._journal.append(fresh)
            except sqlite3.IntegrityError:  # one of them can never be written: it must not hold back the others
                for entry in fresh:
                    try:
                        self._journal.append([entry])
                    except sqlite3.IntegrityError:
                        self.lost += 1
                        self._given_up.append(entry)
            self._appended.update(map(id, batch))
