"""Which files a process may touch from now on: those that it names for reading, and none for writing. Landlock of Linux (5.13 and later).

Needs no privilege and can't be taken off; it also keeps a process from looking into others (ptrace, /proc). Reference:
Documentation/userspace-api/landlock.rst. Open descriptors stay as they are.
Does not know processes (seccomp.py), or which paths Python needs.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Final

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same on every machine
_PR_SET_NO_NEW_PRIVS = 38
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_BY_VERSION: Final = ((1, (1 << 13) - 1), (2, (1 << 14) - 1), (3, (1 << 15) - 1), (5, (1 << 16) - 1))
"""Version -> every right over files that it knows."""
_TCP = 3  # bind and connect
_SCOPE_FROM = 6
_SCOPES = 3  # abstract sockets and signals of processes outside
_SIGNALS = 2


def version() -> int:
    """0 where the kernel has no Landlock."""
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, int(libc.syscall(_CREATE, None, 0, 1)))


def restrict(readable: Iterable[Path], writable: Iterable[Path] = (), *, network: bool = True) -> bool:
    """True when from now on only these can be read (with all below them), and only these devices written. Paths that are not there are left
    out. Without `network` TCP is barred as well, where the kernel can (6.7)."""
    known = version()
    if not known:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    handled = max(rights for since, rights in _BY_VERSION if since <= known)
    attributes = struct.pack("=QQQ", handled, 0 if network else _TCP, _SCOPES if known >= _SCOPE_FROM else 0)
    size = 24 if known >= _SCOPE_FROM else 16 if known >= 4 else 8
    ruleset = libc.syscall(_CREATE, attributes, size, 0)
    if ruleset < 0:
        return False
    try:
        for path in readable:
            _allow(libc, ruleset, path, _EXECUTE | _READ_FILE | _READ_DIR)
        for path in writable:
            _allow(libc, ruleset, path, _READ_FILE | _WRITE_FILE)
        if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
            return False
        return bool(libc.syscall(_RESTRICT, ruleset, 0) == 0)
    finally:
        os.close(ruleset)


def scope(network: bool) -> bool:
    """True when from now on this process and all that it starts signal only each other (Linux 6.12). Files are as before; without `network` TCP and sockets
    of others are barred as well."""
    known = version()
    if known < _SCOPE_FROM:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    ruleset = libc.syscall(_CREATE, struct.pack("=QQQ", 0, 0 if network else _TCP, _SIGNALS if network else _SCOPES), 24, 0)
    if ruleset < 0:
        return False
    try:
        if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
            return False
        return bool(libc.syscall(_RESTRICT, ruleset, 0) == 0)
    finally:
        os.close(ruleset)


def _allow(libc: ctypes.CDLL, ruleset: int, path: Path, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= ~_READ_DIR
        libc.syscall(_ADD, ruleset, 1, struct.pack("=Qi", rights, place), 0)
    finally:
        os.close(place)
