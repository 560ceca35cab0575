"""Keeps the ledger's rows in a small append-only file: one JSON line a row, forced to the disk before it counts.

Knows nothing of what a row means. A line that was cut by a power loss is the last one and was never acted on; any other
damage is the owner's to judge, so it is an error and not a guess.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Final

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
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise UserError(
                f"the actuation ledger {path} cannot be opened ({error.strerror}): name a writable file in vehicle.ledger."
            ) from error
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.rows = self._load()
        except BlockingIOError as error:
            os.close(self._descriptor)
            raise UserError(f"another device agent uses the actuation ledger {path}: stop it or name another file.") from error
        except BaseException:
            os.close(self._descriptor)
            raise

    def _load(self) -> list[ActuationResult]:
        content = self.path.read_bytes()
        whole, _, torn = content.rpartition(b"\n")
        if torn:
            os.ftruncate(self._descriptor, len(content) - len(torn))
            os.fsync(self._descriptor)
        rows = []
        for number, line in enumerate(whole.split(b"\n") if whole else [], start=1):
            try:
                rows.append(decode(line))
            except ValueError as error:
                raise UserError(
                    f"the actuation ledger {self.path} is damaged in line {number}: look at it, then move it away."
                ) from error
        return rows

    def append(self, row: ActuationResult) -> None:
        """Returns when the row is on the disk. Raises OSError when it is not, and when the file was closed meanwhile."""
        line = encode(row)
        with self._lock:
            written = 0
            while written < len(line):
                written += os.write(self._descriptor, line[written:])
            os.fsync(self._descriptor)

    def compact(self, keep: Iterable[ActuationResult]) -> None:
        """Replace the file by these rows, when it has grown too long. The old one stays whole until the new one is."""
        if len(self.rows) <= COMPACT_ROWS:
            return
        fresh = self.path.with_name(self.path.name + ".new")
        descriptor = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with os.fdopen(os.dup(descriptor), "wb") as out:
            out.writelines(map(encode, keep))
            out.flush()
            os.fsync(out.fileno())
        os.replace(fresh, self.path)
        os.close(self._descriptor)
        self._descriptor = descriptor
        folder = os.open(self.path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)

    def close(self) -> None:
        with self._lock:
            os.close(self._descriptor)
            self._descriptor = -1
