"""The store of what users have asked to be kept: one SQLite file a node, beside the work journal, rows apart by device.

    MemoryFile(path, …).of(device)  ->  remembering.Memory

Opened when it is first used. Whatever is older than the days that it is kept is removed at every opening and writing; what is forgotten is overwritten on the disk (secure_delete).
Calls wait in the executor, never on the loop. Does not know what is asked, whose a voice is, or that a picture needed consent (skills/memory.py asks).
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Final, TypeVar

from ridealong.harness.remembering import Kept, Kind, Spot

APPLICATION_ID: Final = 0x5241_4D45  # "RAME"
MAX_ROWS: Final = 2_000
"""Of one device and kind; of more, the oldest go."""
MAX_READ: Final = 500
DAY_S: Final = 86_400
SCHEMA: Final = f"""
CREATE TABLE kept (id INTEGER PRIMARY KEY AUTOINCREMENT, device TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, at_s REAL NOT NULL,
    latitude REAL, longitude REAL, accuracy_m REAL, seen TEXT NOT NULL DEFAULT '', picture BLOB);
CREATE INDEX kept_by_device ON kept (device, kind, id);
PRAGMA application_id={APPLICATION_ID};
PRAGMA user_version=1;
"""
T = TypeVar("T")


@dataclass(slots=True)
class MemoryFile:
    """One for all sessions of a node. `wall_s`: seconds since the epoch, for what is told as "two hours ago"."""

    path: Path
    wall_s: Callable[[], float]
    days: int
    executor: Executor | None = None
    _db: sqlite3.Connection | None = None
    _lock: Lock = field(default_factory=Lock)

    def of(self, device: str) -> DeviceMemory | None:
        """None for a device without a name: what is everybody's is nobody's."""
        return DeviceMemory(self, device) if device else None

    def forget_pictures(self, device: str) -> int:
        """The device may use its camera no more: what was kept of it goes, with the words in it. Nothing is made where no file is."""
        if not device or (self._db is None and not self.path.exists()):
            return 0
        return self.with_db(
            lambda db: (
                db.execute(
                    "UPDATE kept SET picture=NULL, seen='' WHERE device=? AND (picture IS NOT NULL OR seen<>'')", (device,)
                ).rowcount
            )
        )

    def with_db(self, do: Callable[[sqlite3.Connection], T]) -> T:
        """In one transaction. Raises OSError."""
        with self._lock:
            try:
                db = self._db = self._db or self._open()
                db.execute("BEGIN IMMEDIATE")
                try:
                    db.execute("DELETE FROM kept WHERE at_s < ?", (self.wall_s() - self.days * DAY_S,))
                    result = do(db)
                except BaseException:
                    db.execute("ROLLBACK")
                    raise
                db.execute("COMMIT")
                return result
            except sqlite3.Error as error:
                raise OSError(f"what was remembered can't be used: {type(error).__name__}") from error

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        db = sqlite3.connect(self.path, timeout=2.0, isolation_level=None, check_same_thread=False)
        try:
            if not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                db.executescript(f"BEGIN IMMEDIATE; {SCHEMA} COMMIT;")
            elif db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                raise sqlite3.DatabaseError("another program's database")
            db.execute("PRAGMA secure_delete=ON")
            db.execute("PRAGMA synchronous=FULL")
            return db
        except BaseException:
            db.close()
            raise

    def close(self) -> None:
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None


@dataclass(frozen=True, slots=True)
class DeviceMemory:
    """Implements remembering.Memory."""

    file: MemoryFile
    device: str

    async def keep(self, kind: Kind, text: str, spot: Spot | None = None, seen: str = "", picture: bytes = b"") -> None:
        where = (spot.latitude, spot.longitude, spot.accuracy_m) if spot is not None else (None, None, None)
        row = (self.device, kind.value, text, self.file.wall_s(), *where, seen, picture or None)

        def write(db: sqlite3.Connection) -> None:
            db.execute(
                "INSERT INTO kept (device, kind, text, at_s, latitude, longitude, accuracy_m, seen, picture) VALUES (?,?,?,?,?,?,?,?,?)",
                row,
            )
            db.execute(
                "DELETE FROM kept WHERE device=? AND kind=? AND id NOT IN (SELECT id FROM kept WHERE device=? AND kind=? ORDER BY id DESC LIMIT ?)",
                (self.device, kind.value, self.device, kind.value, MAX_ROWS),
            )

        await self._run(write)

    async def kept(self, kind: Kind) -> Sequence[Kept]:
        def read(db: sqlite3.Connection) -> list[Kept]:
            rows = db.execute(
                "SELECT id, text, at_s, latitude, longitude, accuracy_m, seen, picture IS NOT NULL FROM kept "
                "WHERE device=? AND kind=? ORDER BY id DESC LIMIT ?",
                (self.device, kind.value, MAX_READ),
            ).fetchall()
            now_s = self.file.wall_s()
            return [
                Kept(id, kind, text, max(0.0, now_s - at_s), Spot(latitude, longitude, accuracy) if latitude is not None else None, seen, bool(pictured))
                for id, text, at_s, latitude, longitude, accuracy, seen, pictured in rows
            ]  # fmt: skip

        return await self._run(read)

    async def forget(self, ids: Sequence[int]) -> int:
        def erase(db: sqlite3.Connection) -> int:
            return sum(db.execute("DELETE FROM kept WHERE device=? AND id=?", (self.device, one)).rowcount for one in ids)

        return await self._run(erase)

    async def forget_all(self) -> int:
        return await self._run(lambda db: db.execute("DELETE FROM kept WHERE device=?", (self.device,)).rowcount)

    async def _run(self, do: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self.file.executor, self.file.with_db, do)
