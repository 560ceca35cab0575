"""The processes below one of ours, from Linux' /proc: which they are, what they use, and their end. Does not know what they run."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ridealong.harness.mcp.limits import Used

MIB: Final = 1024 * 1024
_PROC: Final = Path("/proc")
STOP_ROUNDS: Final = 200
STOP_PAUSE_S: Final = 0.005


@dataclass(frozen=True, slots=True)
class _Process:
    pid: int
    parent: int
    state: str
    ticks: int
    threads: int


def below(root: int) -> list[_Process]:
    """All processes that descend from `root`, parents first; those that are over and not waited for count, too."""
    children: dict[int, list[_Process]] = {}
    for entry in os.listdir(_PROC):
        if entry.isdigit() and (process := _process(int(entry))) is not None:
            children.setdefault(process.parent, []).append(process)
    found, waiting = [], [root]
    while waiting:
        for process in children.pop(waiting.pop(), []):
            found.append(process)
            waiting.append(process.pid)
    return found


def _process(pid: int) -> _Process | None:
    try:
        fields = (_PROC / str(pid) / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        return _Process(pid, int(fields[1]), fields[0], sum(map(int, fields[11:15])), int(fields[17]))
    except (OSError, ValueError, IndexError):
        return None


def used(root: int, most_mb: int) -> Used:
    """`most_mb`: memory is looked at closely only where a quick look says that it may be more."""
    processes = below(root)
    alive = [one for one in processes if one.state not in "ZX"]
    times = os.times()
    cpu_s = sum(one.ticks for one in processes) / os.sysconf("SC_CLK_TCK") + times.children_user + times.children_system
    memory_mb = sum(_own_mb(one.pid) for one in alive)
    if memory_mb > most_mb:
        memory_mb = sum(_shared_out_mb(one.pid) for one in alive)
    return Used(memory_mb, cpu_s, sum(one.threads for one in processes))


def _own_mb(pid: int) -> float:
    return _kib(pid, "status", ("RssAnon:", "RssShmem:")) / 1024


def _shared_out_mb(pid: int) -> float:
    """What several processes share counts in parts."""
    return _kib(pid, "smaps_rollup", ("Pss_Anon:", "Pss_Shmem:")) / 1024 or _own_mb(pid)


def _kib(pid: int, file: str, names: tuple[str, ...]) -> int:
    try:
        lines = (_PROC / str(pid) / file).read_text(encoding="ascii", errors="replace").splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith(names))
    except (OSError, ValueError, IndexError):
        return 0


def end(root: int) -> bool:
    """Everything below `root` is over when this returns True: stopped first, so that nothing new begins while it is being ended."""
    for _ in range(STOP_ROUNDS):
        running = [one for one in below(root) if one.state not in "ZXT"]
        if not running:
            break
        for one in running:
            _signal(one.pid, signal.SIGSTOP)
    for _ in range(STOP_ROUNDS):
        alive = [one for one in below(root) if one.state not in "ZX"]
        for one in alive:
            _signal(one.pid, signal.SIGKILL)
        reap()
        if not alive:
            return True
        time.sleep(STOP_PAUSE_S)
    return False


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def reap() -> dict[int, int]:
    """Whoever is over is waited for: pid -> status."""
    over: dict[int, int] = {}
    with contextlib.suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            over[found[0]] = found[1]
    return over
