"""The program between the node and a server's program: starts it within its limits, watches what it uses, and ends it with all that it started.

    python -I -S -B -c '…' ROOT     (stdio.py starts it; ROOT is where the node's own `ridealong` lies)

Standard input and output are the server's; two more descriptors are the node's: on `control` it sends one line of JSON (what to run, and the limits) and then keeps
silent until it closes it, which means "end it"; on `told` it hears what holds, why the program was ended, and how. Orphans of the server become children of this
process, so that nobody gets away. Each layer is tried and what holds is told; where the network can't be denied, the program is not started.
Does not know MCP.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import sys
import time
from typing import Any, Final

from ridealong.harness.mcp import tree
from ridealong.harness.mcp.cgroup import Cgroup
from ridealong.harness.mcp.limits import Held, Judge, Limits
from ridealong.harness.worker import landlock, seccomp

MIB: Final = 1024 * 1024
SAMPLE_S: Final = 0.5
LEAVE_S: Final = 1.0
"""After SIGTERM, before SIGKILL."""
NICE: Final = 5
"""Less urgent than the node: listening and speaking come before a server that computes."""
FILE_MIB: Final = 1024
MAX_LINE: Final = 256 * 1024
_NEWUSER, _NEWNET = 0x10000000, 0x40000000
_PDEATHSIG, _SUBREAPER, _CAPBSET_DROP, _NO_NEW_PRIVS = 1, 36, 24, 38
_CAPABILITIES: Final = 64
_COUNTED_IN_USER_SPACES: Final = (5, 14)
"""Kernels from here on count the processes of a user by name space of users."""


def main() -> None:
    control, told = int(sys.argv[2]), int(sys.argv[3])
    for descriptor in (control, told):
        os.set_inheritable(descriptor, False)
    wanted = json.loads(_line(control))
    limits = Limits(**wanted["limits"])
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    group = Cgroup.made(f"ridealong-mcp-{os.getpid()}", limits.processes)
    try:
        _run(wanted, limits, group, control, told)
    finally:
        if not tree.end(os.getpid()):
            _tell(told, {"left": True})
        if group is not None:
            group.remove()


def _run(wanted: dict[str, Any], limits: Limits, group: Cgroup | None, control: int, told: int) -> None:
    wake, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    child = os.fork()
    if child == 0:
        _become(wanted, limits, group, told)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(nowhere, descriptor)
    judge, due_s = Judge(limits), time.monotonic()
    while True:
        ready, _, _ = select.select([control, wake], [], [], max(0.0, due_s - time.monotonic()))
        if wake in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(wake, 4096)
        if (status := tree.reap().get(child)) is not None:
            return _tell(told, {"ended": os.waitstatus_to_exitcode(status)})
        if control in ready:
            return _leave(child)
        if time.monotonic() >= due_s:
            due_s = time.monotonic() + SAMPLE_S
            why = judge.on(time.monotonic(), tree.used(os.getpid(), limits.memory_mb))
            if why:
                return _tell(told, {"over": why})


def _leave(child: int) -> None:
    """The program is asked to end; what is still there then is ended by `tree.end`."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(child, signal.SIGTERM)
    until_s = time.monotonic() + LEAVE_S
    while time.monotonic() < until_s and child not in tree.reap():
        time.sleep(0.01)


def _become(wanted: dict[str, Any], limits: Limits, group: Cgroup | None, told: int) -> None:
    """In the new process: confine it and become the server's program. Never returns."""
    try:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        held = confine(limits, group)
        if not limits.network and not held.network:
            _tell(
                told, {"unfit": "this machine can't keep a program from the network; set network: true for it, or leave it out"}
            )
            os._exit(1)
        _tell(told, {"held": held.as_data()})
        os.execvpe(wanted["command"], [wanted["command"], *wanted["args"]], wanted["env"])
    except OSError as error:
        _tell(told, {"unfit": f"it can't be started ({type(error).__name__})"})
    except BaseException as error:
        _tell(told, {"unfit": f"it can't be confined ({type(error).__name__})"})
    os._exit(127)


def confine(limits: Limits, group: Cgroup | None) -> Held:
    """From here on this process, and all that it starts, are within the limits."""
    libc = ctypes.CDLL(None, use_errno=True)
    counted = "cgroup" if group is not None and group.join() else "counted"
    libc.prctl(_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    os.nice(NICE)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, FILE_MIB * MIB)
    _limit(resource.RLIMIT_DATA, limits.memory_mb * MIB)
    root, spaces = os.geteuid() == 0, 0 if limits.network else _NEWNET
    own = not root and _own_users(libc, spaces)  # where the limit of processes counts those of this program alone
    apart_net = bool(spaces) and (own or libc.unshare(spaces) == 0)
    if own and _kernel() >= _COUNTED_IN_USER_SPACES:
        _limit(resource.RLIMIT_NPROC, limits.processes)
        counted = "user" if counted == "counted" else counted
    for capability in range(_CAPABILITIES):  # a node that runs as root must not lend that to a server
        libc.prctl(_CAPBSET_DROP, capability, 0, 0, 0)
    libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0)
    signals = landlock.scope(limits.network)
    apart = seccomp.install_for_family(limits.network)
    denied = (*(("namespace",) if apart_net else ()), *(("filter",) if apart else ()))
    return Held(("allowed",) if limits.network else denied, counted, apart, signals, True)


def _own_users(libc: ctypes.CDLL, spaces: int) -> bool:
    """A name space of users, in which this one keeps its number."""
    uid, gid = os.geteuid(), os.getegid()
    if libc.unshare(_NEWUSER | spaces) != 0:
        return False
    with contextlib.suppress(OSError):
        for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    return True


def _limit(which: int, value: int) -> None:
    hard = resource.getrlimit(which)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (value, value))


def _kernel() -> tuple[int, int]:
    major, minor = os.uname().release.split(".")[:2]
    return int(major), int("".join(letter for letter in minor if letter.isdigit()) or 0)


def _line(descriptor: int) -> bytes:
    got = b""
    while not got.endswith(b"\n"):
        piece = os.read(descriptor, 4096)
        if not piece or len(got) > MAX_LINE:
            sys.exit(0)
        got += piece
    return got


def _tell(descriptor: int, message: dict[str, object]) -> None:
    with contextlib.suppress(OSError):
        os.write(descriptor, json.dumps(message).encode() + b"\n")
