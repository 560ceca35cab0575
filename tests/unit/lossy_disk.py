"""A disk that forgets: at a power cut everything is lost that was not fsynced, bytes and names alike. As a SQLite VFS (apsw).

    disk = LossyDisk(cut_at=57); Journal(path, connect=disk.connect); …; disk.restart(); Journal(path, connect=disk.connect)

Each file is two images: what was written, and what was fsynced. The cut comes before operation `cut_at` (a write, truncation, fsync or removal); from then
on every operation fails, and `dead` is true. `restart(rng)` also keeps a random part of what was not fsynced, sector by sector: a disk may write early, in
any order. Names follow SQLite's own VFS for Unix: a new file's name is safe once the first fsync of a WAL or rollback journal has fsynced
the folder, or a removal has asked for it. One connection at a time, so the WAL index needs no shared memory (locking_mode EXCLUSIVE).
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import apsw

SECTOR = 512
KEEPS_NEIGHBOURS = 0x1000  # SQLITE_IOCAP_POWERSAFE_OVERWRITE: what SQLite takes for granted of disks
JOURNALS = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_SUPER_JOURNAL


class Image:
    """A file: `now` as programs see it, `safe` as it is after a cut."""

    def __init__(self) -> None:
        self.now, self.safe = bytearray(), b""

    def after_cut(self, rng: random.Random | None) -> bytearray:
        kept = bytearray(self.safe)
        if rng is not None:
            for start in range(0, len(self.now), SECTOR):
                sector = self.now[start : start + SECTOR]
                if sector != kept[start : start + len(sector)] and rng.random() < 0.5:
                    kept.extend(bytes(max(0, start + len(sector) - len(kept))))
                    kept[start : start + len(sector)] = sector
        return kept


class LossyDisk(apsw.VFS):
    made = 0

    def __init__(self, cut_at: int | None = None, synchronous: str = "") -> None:
        LossyDisk.made += 1
        self.name = f"lossy{LossyDisk.made}"
        self.cut_at, self.synchronous = cut_at, synchronous
        self.operations, self.dead = 0, False
        self.names: dict[str, Image] = {}
        self.safe_names: dict[str, Image] = {}
        super().__init__(self.name, "")

    def connect(self, where: str) -> sqlite3.Connection:
        """For `Journal`. `synchronous`: what it is set to, whatever the journal asks for."""
        return Connection(self, where)  # type: ignore[return-value]

    def change(self) -> None:
        """One operation that changes the disk is about to happen, or the power fails."""
        self.operations += 1
        self.dead = self.dead or self.operations == self.cut_at
        if self.dead:
            raise apsw.IOError("power cut")

    def restart(self, rng: random.Random | None = None) -> None:
        self.names = dict(self.safe_names)
        for image in self.names.values():
            image.now = image.after_cut(rng)
            image.safe = bytes(image.now)
        self.dead, self.cut_at = False, None

    # --- the folder -------------------------------------------------------------------------------------------------

    def sync_folder(self) -> None:
        self.safe_names = dict(self.names)

    def xOpen(self, name: Any, flags: list[int]) -> File:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
        new = path not in self.names
        if new:
            if not flags[0] & apsw.SQLITE_OPEN_CREATE:
                raise apsw.CantOpenError(path)
            self.change()
            self.names[path] = Image()
        flags[1] = flags[0]
        return File(self, self.names[path], names_too=new and bool(flags[0] & JOURNALS))

    def xDelete(self, name: str, sync_folder: bool) -> None:
        self.change()
        self.names.pop(name, None)
        if sync_folder:
            self.sync_folder()

    def xAccess(self, path: str, flags: int) -> bool:
        return path in self.names

    def xFullPathname(self, path: str) -> str:
        return path


class File:
    def __init__(self, disk: LossyDisk, image: Image, names_too: bool) -> None:
        self.disk, self.image, self.names_too = disk, image, names_too

    def xRead(self, amount: int, offset: int) -> bytes:
        if self.disk.dead:
            raise apsw.IOError("power cut")
        return bytes(self.image.now[offset : offset + amount])

    def xWrite(self, data: bytes, offset: int) -> None:
        self.disk.change()
        self.image.now.extend(bytes(max(0, offset - len(self.image.now))))
        self.image.now[offset : offset + len(data)] = data

    def xTruncate(self, size: int) -> None:
        self.disk.change()
        del self.image.now[size:]

    def xSync(self, flags: int) -> None:
        self.disk.change()
        self.image.safe = bytes(self.image.now)
        if self.names_too:
            self.names_too = False
            self.disk.sync_folder()

    def xFileSize(self) -> int:
        return len(self.image.now)

    def xClose(self) -> None: ...

    def xLock(self, level: int) -> None: ...

    def xUnlock(self, level: int) -> None: ...

    def xCheckReservedLock(self) -> bool:
        return False

    def xFileControl(self, op: int, pointer: int) -> bool:
        return False

    def xSectorSize(self) -> int:
        return SECTOR

    def xDeviceCharacteristics(self) -> int:
        return KEEPS_NEIGHBOURS


class Rows(list[Any]):
    def fetchone(self) -> Any:
        return self[0] if self else None

    def fetchall(self) -> list[Any]:
        return self


class Connection:
    """apsw's connection with as much of sqlite3's manners as the journal uses."""

    def __init__(self, disk: LossyDisk, where: str) -> None:
        self.disk = disk
        try:
            self.db = apsw.Connection(
                where, flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI, vfs=disk.name
            )
        except apsw.Error as error:
            raise sqlite3.OperationalError(str(error)) from None
        self.execute("PRAGMA locking_mode=EXCLUSIVE")

    @property
    def in_transaction(self) -> bool:
        return self.db.in_transaction

    def execute(self, sql: str, values: Sequence[object] = ()) -> Rows:
        if self.disk.synchronous and sql.startswith("PRAGMA synchronous="):
            sql = f"PRAGMA synchronous={self.disk.synchronous}"
        with translated():
            return Rows(self.db.execute(sql, tuple(values)))

    def executescript(self, sql: str) -> None:
        self.execute(sql)

    def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        with translated():
            self.db.executemany(sql, map(tuple, rows))

    def close(self) -> None:
        """A process that died doesn't close: what closing writes on a dead disk fails unheard."""
        try:
            self.db.close()
        except apsw.Error:
            if not self.disk.dead:
                raise


class translated:
    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, apsw.ConstraintError):
            raise sqlite3.IntegrityError(str(error)) from None
        if isinstance(error, apsw.Error):
            raise sqlite3.OperationalError(str(error)) from None


def cuts(operations: int, rng: random.Random, most: int) -> Iterator[int]:
    """Every operation of a life; a sample of them where there are too many."""
    yield from sorted(rng.sample(range(1, operations + 1), most)) if operations > most else range(1, operations + 1)
