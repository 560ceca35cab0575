"""Keeps the ledger's rows in a small append-only file: one JSON line a row, forced to the disk, its name included, before it counts.

Knows nothing of what a row means. A line that a power cut left unfinished is the last one and was never acted on: it is cut off. Of such a line any
sectors may be there, the others are zeros. Any other damage is the owner's to judge, so it is an error and not a guess.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from ridealong.durable import make_folder, sync_folder
from ridealong.errors import UserError
from ridealong.proto.types import ActuationResult, ActuationState, Samples, SignalReading

COMPACT_ROWS: Final = 12_000


def encode(row: ActuationResult) -> bytes:
    observed = [[reading.path, reading.value, reading.age_ms] for reading in row.observed]
    content = {"key": row.key, "state": row.state.value, "reason": row.reason, "observed": observed, "at": row.at}
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def decode(line: bytes) -> ActuationResult:
    """Raises ValueError."""
    try:
        content = json.loads(line)
        return ActuationResult(
            key=str(content["key"]),
            state=ActuationState(content["state"]),
            reason=str(content["reason"]),
            observed=tuple(SignalReading(str(path), value, int(age_ms)) for path, value, age_ms in content["observed"]),
            at=Samples(int(content["at"])),
        )
    except (KeyError, TypeError, ValueError, UnicodeDecodeError) as error:
        raise ValueError("not a row of an actuation ledger") from error


class LedgerFile:
    """Open for one agent at a time. Raises UserError when it cannot be used."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()  # rows are appended from an executor's threads
        self._named = False  # its name is safe in its folder
        self._torn = False  # behind `_size` there may be a part of a row
        try:
            make_folder(path.parent)
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise UserError(
                f"the actuation ledger {path} cannot be opened ({error.strerror}): name a writable file in vehicle.ledger."
            ) from error
        try:
            self._own()
            self.rows, self._size = self._load()
        except OSError as error:
            os.close(self._descriptor)
            raise UserError(
                f"the actuation ledger {path} cannot be read or mended ({error.strerror}): name another file in vehicle.ledger."
            ) from error
        except BaseException:
            os.close(self._descriptor)
            raise

    def _own(self) -> None:
        """It is ours, and still the file of that name: another agent may have compacted it between our opening and our lock."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(self._descriptor), os.stat(self.path)):
                return
        except (BlockingIOError, FileNotFoundError):
            pass
        raise UserError(f"another device agent uses the actuation ledger {self.path}: stop it or name another file.")

    def _load(self) -> tuple[list[ActuationResult], int]:
        """The rows, and how long the file is with them."""
        content = self.path.read_bytes()
        *lines, unfinished = content.split(b"\n")
        if lines and b"\0" in lines[-1]:
            unfinished = lines.pop() + b"\n" + unfinished
        if unfinished:
            os.ftruncate(self._descriptor, len(content) - len(unfinished))
            os.fsync(self._descriptor)
        rows = []
        for number, line in enumerate(lines, start=1):
            try:
                rows.append(decode(line))
            except ValueError as error:
                raise UserError(
                    f"the actuation ledger {self.path} is damaged in line {number}: look at it, then move it away."
                ) from error
        return rows, len(content) - len(unfinished)

    def append(self, row: ActuationResult) -> None:
        """Returns when the row is on the disk. Raises OSError when it is not (what of it was written is gone before the next one), and when the file
        was closed meanwhile."""
        line = encode(row)
        with self._lock:
            self._mend()
            if not self._named:
                sync_folder(self.path.parent)
                self._named = True
            try:
                _write(self._descriptor, line)
                os.fsync(self._descriptor)
            except OSError:
                self._torn = True
                with suppress(OSError):
                    self._mend()
                raise
            self._size += len(line)

    def _mend(self) -> None:
        if self._torn:
            os.ftruncate(self._descriptor, self._size)
            self._torn = False

    def compact(self, keep: Iterable[ActuationResult]) -> None:
        """Replace the file by these rows, when it has grown too long. The old one stays whole until the new one is. Raises OSError when there is no room
        for it: then the old one is still in use."""
        if len(self.rows) <= COMPACT_ROWS:
            return
        fresh = self.path.with_name(self.path.name + ".new")
        content = b"".join(map(encode, keep))
        with self._lock:
            descriptor = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _write(descriptor, content)
                os.fsync(descriptor)
                os.replace(fresh, self.path)
            except BaseException:
                os.close(descriptor)
                raise
            os.close(self._descriptor)
            self._descriptor, self._size, self._torn, self._named = descriptor, len(content), False, False

    def close(self) -> None:
        with self._lock:
            os.close(self._descriptor)


def _write(descriptor: int, content: bytes) -> None:
    written = 0
    while written < len(content):
        written += os.write(descriptor, content[written:])
