"""What a worker gives up before it imports a stranger's code: memory, processor time, processes, files, network, rights.

Each layer is tried and what really holds is told, word for word, to the node, which logs it: there is no silent fallback. The order matters: name
spaces and Landlock before the filter of system calls, all of it while the process has one thread.
Does not know the package, or the messages.
"""

from __future__ import annotations

import ctypes
import os
import resource
import site
import socket
import struct
import sys
import sysconfig
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from ridealong.harness.worker import landlock, seccomp

MIB: Final = 1024 * 1024
OPEN_FILES: Final = 64
FILE_MIB: Final = 16
"""Longest file that it may write: what it prints, where the settings give that a file."""
IMPORT_CPU_S: Final = 30
NICE: Final = 5
"""Less urgent than the node: listening and speaking come before a package that computes."""
_CLONE_NEWNET, _CLONE_NEWUSER, _CLONE_NEWIPC = 0x40000000, 0x10000000, 0x08000000
_PR_SET_PDEATHSIG, _SIGKILL = 1, 9
_SYSTEM: Final = (
    "/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime", "/etc/ssl", "/etc/pki", "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/mime.types",
    "/dev/urandom", "/dev/zero", "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Held:
    """Which layers hold. `network`: "allowed", or how it is denied, best first: namespace, filter, python (which code that wants to can undo)."""

    network: tuple[str, ...]
    processes: bool
    """No new processes, and no signals to others."""
    files: bool
    """Reads only what Python and the package need, and writes nothing."""

    def as_data(self) -> dict[str, object]:
        return asdict(self)

    @property
    def gaps(self) -> tuple[str, ...]:
        """What does not hold, in plain words."""
        gaps = []
        if self.network == ("python",):
            gaps.append("the network is denied in Python only, which code that wants to can undo")
        if not self.processes:
            gaps.append("it may start processes and signal those of the same user")
        if not self.files:
            gaps.append("it may read and write every file of the node's user")
        return tuple(gaps)


def confine(package: Path | None, memory_mb: int, network: bool) -> Held:
    """From here on this process is the package's. Raises OSError only where a limit that always works does not."""
    libc = ctypes.CDLL(None, use_errno=True)
    _limit(resource.RLIMIT_AS, memory_mb * MIB)
    _limit(resource.RLIMIT_NOFILE, OPEN_FILES)
    _limit(resource.RLIMIT_FSIZE, FILE_MIB * MIB)
    _limit(resource.RLIMIT_CORE, 0)
    os.nice(NICE)
    # the node moves this limit before each call; see hosted.py
    resource.setrlimit(resource.RLIMIT_CPU, (IMPORT_CPU_S, resource.getrlimit(resource.RLIMIT_CPU)[1]))
    denied: list[str] = []
    if not network:
        spaces = _CLONE_NEWNET | _CLONE_NEWIPC
        if _unshare(_CLONE_NEWUSER | spaces) or _unshare(spaces):
            denied.append("namespace")
    else:
        _unshare(_CLONE_NEWUSER)
    _drop_capabilities(libc)
    libc.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)  # the node's death is ours; changed rights would undo it
    files = landlock.restrict(_readable(package, network), [Path("/dev/null")], network=network)
    filtered = seccomp.install(network)
    if not network and filtered:
        denied.append("filter")
    if not network and not denied:
        _bar_sockets()
        denied.append("python")
    return Held(tuple(denied) if not network else ("allowed",), filtered, files)


def _unshare(spaces: int) -> bool:
    """Where the kernel lets us: some machines keep user name spaces to root."""
    return bool(ctypes.CDLL(None, use_errno=True).unshare(spaces) == 0)


def _limit(which: int, value: int) -> None:
    hard = resource.getrlimit(which)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (value, value))


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """A node that runs as root must not lend that to a package. Version 3 of capset(2): two words of each set."""
    libc.capset(struct.pack("=Ii", 0x20080522, 0), struct.pack("=6I", *[0] * 6))


def _readable(package: Path | None, network: bool) -> Iterable[Path]:
    import ridealong

    yield from map(Path, _SYSTEM)
    yield from (Path(entry) for entry in (sys.prefix, sys.base_prefix, sysconfig.get_path("stdlib"), *site.getsitepackages()))
    yield from (Path(entry) for entry in sys.path if entry)
    ours = Path(ridealong.__file__).resolve().parent
    yield ours
    yield from ((ours / folder).resolve() for folder in ("harness", "proto"))  # links, in a working tree
    if package is not None:
        yield package


def _bar_sockets() -> None:
    """The last resort: no more than a reminder."""

    class NoNetwork(socket.socket):
        def __init__(self, *args: object, **kwargs: object) -> None:
            raise PermissionError("this package has no network; its settings say network: false")

    socket.socket = NoNetwork  # type: ignore[misc]
    os.environ["no_proxy"] = "*"
