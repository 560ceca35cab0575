"""The reminders of all devices, in a small SQLite file beside the journal: what is due goes on after a restart, or in the device's next session.

All of it is held in memory, where it is read; each change is one transaction, written in a thread of the store's own. One process at a time: the journal's lock
stands for both files. Does not know sessions, sentences, or what time it is.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Final

from ridealong.errors import UserError
from ridealong.harness.permission import Provenance
from ridealong.harness.reminders import Reminder

log = logging.getLogger(__name__)
VERSION: Final = 1
_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS reminders (id TEXT PRIMARY KEY, device TEXT NOT NULL, arguments TEXT NOT NULL, due_s REAL NOT NULL, "
    "request TEXT NOT NULL, locale TEXT NOT NULL, provenance TEXT NOT NULL)"
)


def beside(journal: Path) -> Path:
    return journal.with_name(f"{journal.stem}-reminders.sqlite")


class ReminderStore:
    """`keep`, `drop` and `rename` are called from the loop's thread. Raises UserError where the file can't be used."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.touch(mode=0o600, exist_ok=True)
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            version = self._db.execute("PRAGMA user_version").fetchone()[0]
            if version > VERSION:
                raise UserError(f"the reminders {path} are of a later version: use the program that wrote them.")
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.execute(_SCHEMA)
            self._db.execute(f"PRAGMA user_version={VERSION}")
            rows = self._db.execute("SELECT id, device, arguments, due_s, request, locale, provenance FROM reminders").fetchall()
            self._all = {row[0]: (row[1], _reminder(row)) for row in rows}
        except (OSError, sqlite3.Error, ValueError) as error:
            raise UserError(
                f"the reminders {path} can't be used ({type(error).__name__}): move the file away and start again; a new one is made."
            ) from error
        self._thread = ThreadPoolExecutor(1, "reminders")

    def of_device(self, device: str) -> tuple[Reminder, ...]:
        """The next to come first."""
        return tuple(sorted((one for owner, one in self._all.values() if owner == device), key=lambda one: (one.due_s, one.id)))

    def get(self, id: str) -> Reminder | None:
        found = self._all.get(id)
        return found[1] if found is not None else None

    async def keep(self, device: str, reminder: Reminder) -> bool:
        self._all[reminder.id] = (device, reminder)
        row = (
            reminder.id, device, json.dumps(dict(reminder.arguments)), reminder.due_s, reminder.request, reminder.locale, reminder.provenance.value,
        )  # fmt: skip
        try:
            await self._written("INSERT OR REPLACE INTO reminders VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            return True
        except sqlite3.Error as error:
            self._all.pop(reminder.id, None)
            log.error("a reminder can't be kept (%s): is the disk full?", type(error).__name__)
            return False

    def drop(self, id: str) -> None:
        """It was told, or called off. Idempotent."""
        if self._all.pop(id, None) is not None:
            self._soon("DELETE FROM reminders WHERE id = ?", (id,))

    def rename(self, old: str, new: str) -> None:
        found = self._all.pop(old, None)
        if found is not None:
            self._all[new] = (found[0], replace(found[1], id=new))
            self._soon("UPDATE reminders SET id = ? WHERE id = ?", (new, old))

    def close(self) -> None:
        """Idempotent; what was asked before is written."""
        self._thread.shutdown()
        self._db.close()

    def _written(self, statement: str, values: tuple[object, ...]) -> asyncio.Future[None]:
        return asyncio.get_running_loop().run_in_executor(self._thread, self._write, statement, values)

    def _write(self, statement: str, values: tuple[object, ...]) -> None:
        self._db.execute(statement, values)

    def _soon(self, statement: str, values: tuple[object, ...]) -> None:
        self._written(statement, values).add_done_callback(_tell)


def _tell(written: asyncio.Future[None]) -> None:
    if not written.cancelled() and (error := written.exception()) is not None:
        log.error("a change of the reminders can't be written (%s): one may be told again", type(error).__name__)


_Row = tuple[str, str, str, float, str, str, str]


def _reminder(row: _Row) -> Reminder:
    arguments = json.loads(row[2])
    if not isinstance(arguments, dict):
        raise ValueError("arguments")
    return Reminder(row[0], arguments, row[3], row[4], row[5], Provenance(row[6]))
