"""A temporary folder that is gone when it is left, and whose leftovers are gone the next time: a process that is killed cleans up nothing.

    with scratch("ridealong-eval-") as folder: …

The folder is locked while its process lives; the kernel unlocks it whatever ends the process. Whoever makes the next one with the same
prefix removes those of the same user that nobody holds. Does not know what is in it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

LOCK: Final = ".in-use"
GRACE_S: Final = 24 * 3600.0
"""A folder without a lock file may be just being made, or an older version's: it is left alone for so long."""


@contextmanager
def scratch(prefix: str, parent: Path | None = None) -> Iterator[Path]:
    """`parent`: the system's folder for temporary files, unless given."""
    where = parent if parent is not None else Path(tempfile.gettempdir())
    with tempfile.TemporaryDirectory(prefix=prefix, dir=where, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with (folder / LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove_stale(prefix, where, folder.stat().st_mtime)
            yield folder


def remove_stale(prefix: str, parent: Path, now_s: float) -> int:
    """How many folders of processes that have ended were removed. Nothing here fails: what can't be removed stays. `now_s`: by the file
    system's clock."""
    removed = 0
    for folder in parent.glob(f"{prefix}*"):
        with suppress(OSError):
            about = folder.lstat()
            if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid() or _in_use(folder, now_s - about.st_mtime):
                continue
            shutil.rmtree(folder, ignore_errors=True)
            removed += not folder.exists()
    return removed


def _in_use(folder: Path, unchanged_s: float) -> bool:
    try:
        with (folder / LOCK).open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return unchanged_s < GRACE_S
    except BlockingIOError:
        return True
    return False
