"""A session's end of the journal: takes its entries without stopping the loop, and says when they are on the disk.

An intent to actuate is awaited: when `intend` returns True, it and everything recorded before it are on the disk. What must not happen before its
record is on the disk (a reply's speech) is handed to `afterwards`.
Does not know what the entries mean, or how they come to the disk (group_commit.py).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from ridealong.harness.group_commit import GroupCommit, Row
from ridealong.harness.journal import Entry, Intent


class JournalWriter:
    """`failed(kind)` is told each time that the journal could not be written with entries of this session."""

    def __init__(self, commits: GroupCommit, failed: Callable[[str], None]) -> None:
        self.unwritten = 0  # entries that are not on the disk
        self.lost = 0  # entries given up
        self.failed = failed
        self._commits = commits
        self._last: Row | None = None

    @property
    def idle(self) -> bool:
        """Nothing to write, or no use trying."""
        return not self.unwritten or self._commits.down

    @property
    def down(self) -> bool:
        """The journal can't be written at present."""
        return self._commits.down

    def record(self, entry: Entry) -> None:
        self._last = self._commits.record(entry, self)

    def afterwards(self, then: Callable[[bool], None]) -> None:
        """`then(True)` when all that was recorded so far is on the disk; `then(False)` when the last of it can never be. Not at once."""
        last = self._last
        assert last is not None and last.settled is None, "record something first"
        last.settled = then

    async def intend(self, intent: Intent) -> bool:
        """True: it is on the disk, and the writes may be sent. False: it never will be."""
        row = self._last = self._commits.record(intent, self)
        return await self._commits.attempt(row)

    async def commit(self) -> bool:
        """Everything recorded so far is on the disk; False when it could not be put there."""
        return self._last is None or not self.unwritten or await self._commits.attempt(self._last)

    def when_tried(self, then: Callable[[], None]) -> None:
        """`then` at once where there is nothing to write or no use trying; else after the flight that has the last of what was recorded so far."""
        if self.idle or self._last is None:
            then()
        else:
            self._commits.tried(self._last).add_done_callback(lambda tried: then())

    def commit_now(self) -> None:
        """The last entries of a session, whatever interrupted it. Blocks."""
        try:
            self._commits.write_now(self)
        except sqlite3.Error as error:
            self.failed(type(error).__name__)
