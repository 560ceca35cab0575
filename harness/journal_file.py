"""The journal's file: where it lies, who owns it, how it is opened, brought up to date and kept from growing, and what is said when it can't be used.

Fsync policy: SQLite's write-ahead log with synchronous=FULL. A transaction is on the disk, its file's name included, when COMMIT returns; the log is
checkpointed into the file after 2,000 pages (8 MB), with both fsynced in order. A folder made for it is fsynced into its parent.
One process owns the file at a time; any number may read it.

Does not know what the tables mean (journal_rows.py), or what is written when (journal.py).
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from ridealong.errors import UserError
from ridealong.harness.journal_rows import APPLICATION_ID, MIGRATIONS, SCHEMA, SCHEMA_VERSION

BUSY_MS: Final = 2_000
CHECKPOINT_PAGES: Final = 2_000
TRIES: Final = 3
BETWEEN_TRIES_S: Final = 0.02
"""Somebody may only be looking whether the journal is owned."""
MAX_LOG_BYTES: Final = 64 * 1024 * 1024
"""A log that a slow reader has made longer is cut to this at the next checkpoint."""

Connect = Callable[[str], sqlite3.Connection]
"""Opens a database by its URI, without transactions of its own."""


def connect(where: str) -> sqlite3.Connection:
    return sqlite3.connect(
        where, uri=True, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False, cached_statements=32
    )


class Lock:
    """One writing process a journal. The kernel releases the lock however the process dies. Raises UserError, or OSError."""

    def __init__(self, path: Path) -> None:
        self._file: int | None = os.open(_lock_of(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        for tries in reversed(range(TRIES)):
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError as error:
                if not tries:
                    self.release()
                    raise UserError(
                        f"the work journal {path} belongs to a node that is running: stop that one, "
                        "or give this node another file with RIDEALONG_JOURNAL."
                    ) from error
            time.sleep(BETWEEN_TRIES_S)

    def release(self) -> None:
        """Idempotent."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def owned(path: Path) -> bool:
    """A process owns this journal now; True also where that can't be told. Whoever wants to own it at this very moment has to try twice."""
    try:
        file = os.open(_lock_of(path), os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except OSError:
        return True
    finally:
        os.close(file)


def _lock_of(path: Path) -> str:
    return f"{path}.lock"


def open_to_read(path: Path, connect: Connect) -> sqlite3.Connection:
    """Also while a node writes it, and of an earlier version. Raises UserError, or sqlite3.Error."""
    db = connect(f"{path.absolute().as_uri()}?mode=ro")
    try:
        if _version(db, path) is None:
            raise UserError(f"{path} is empty, not a work journal: name another file.")
        return db
    except BaseException:
        db.close()
        raise


def open_to_write(path: Path, connect: Connect) -> sqlite3.Connection:
    """Made where it doesn't exist, brought up to date where it is of an earlier version. Raises UserError, or sqlite3.Error."""
    db = connect(f"{path.absolute().as_uri()}?mode=rwc")
    try:
        version = _version(db, path)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        db.execute("PRAGMA foreign_keys=ON")
        db.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
        db.execute(f"PRAGMA journal_size_limit={MAX_LOG_BYTES}")
        if version is None:
            _script(db, f"{SCHEMA} PRAGMA application_id={APPLICATION_ID};")
            return db
        if (verdict := db.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
            raise sqlite3.DatabaseError(str(verdict))
        if version < SCHEMA_VERSION:
            _script(db, " ".join(MIGRATIONS[earlier] for earlier in range(version, SCHEMA_VERSION)))
        return db
    except BaseException:
        db.close()
        raise


def _version(db: sqlite3.Connection, path: Path) -> int | None:
    """None: there is nothing in it yet."""
    if not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        return None
    if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise UserError(f"{path} is another program's database, not a work journal: name another file.")
    version = int(db.execute("PRAGMA user_version").fetchone()[0])
    if not 1 <= version <= SCHEMA_VERSION:
        raise UserError(
            f"the work journal {path} has version {version} and this program knows versions up to {SCHEMA_VERSION}: "
            "move the file away, or use the program that wrote it."
        )
    return version


def _script(db: sqlite3.Connection, statements: str) -> None:
    """In one transaction: whole, or not at all."""
    db.executescript(f"BEGIN IMMEDIATE; {statements} PRAGMA user_version={SCHEMA_VERSION}; COMMIT;")


def remedy(path: Path, error: sqlite3.Error) -> str:
    """One sentence for whoever can do something about it."""
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
