"""A control group of its own for one program, where the node may make one: the kernel keeps the number of its processes, whatever they do.

Version 1 (the hierarchy "pids") and version 2. Whether it can be had depends on rights (root, or a delegated group): None where not.
Reference: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/pids.rst of Linux. Does not know who joins it.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Final

_MOUNTS: Final = Path("/proc/self/mountinfo")
_OWN: Final = Path("/proc/self/cgroup")


class Cgroup:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @staticmethod
    def made(name: str, processes: int) -> Cgroup | None:
        """`name` is used once. `processes`: how many processes and threads may be in it."""
        for parent in _parents():
            folder = parent / name
            try:
                folder.mkdir()
            except OSError:
                continue
            try:
                if (folder / "pids.max").exists():
                    (folder / "pids.max").write_text(str(processes))
                    return Cgroup(folder)
            except OSError:
                pass
            with contextlib.suppress(OSError):
                folder.rmdir()
        return None

    def join(self) -> bool:
        """This process, and all that it starts."""
        try:
            (self.folder / "cgroup.procs").write_text(str(os.getpid()))
        except OSError:
            return False
        return True

    def remove(self) -> None:
        """Once nobody is in it."""
        with contextlib.suppress(OSError):
            self.folder.rmdir()


def _parents() -> list[Path]:
    """Where a group of ours may lie: below our own, of the kind that counts processes."""
    found: list[Path] = []
    try:
        own = dict(line.split(":", 2)[1:] for line in _OWN.read_text().splitlines())
        mounts = [line.split() for line in _MOUNTS.read_text().splitlines()]
    except (OSError, ValueError):
        return []
    for fields in mounts:
        kind, options = fields[fields.index("-") + 1], fields[-1].split(",")
        below = own.get("") if kind == "cgroup2" else own.get("pids") if kind == "cgroup" and "pids" in options else None
        if below is not None:
            found.append(Path(fields[4]) / below.lstrip("/"))
    return found
