"""A filter of system calls, for a process that is about to run a stranger's code: no sockets, no new processes, no signals to others.

Classic BPF through prctl(2), so that it needs no privilege and no library; it can't be taken off again. What is refused fails with EPERM, as if not
permitted. Reference: Documentation/userspace-api/seccomp_filter.rst of Linux; the numbers are of asm/unistd.h.
Does not know files (landlock.py), memory or time (limits are set elsewhere).
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import signal
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _MODE_FILTER = 38, 22, 2
_LD, _JEQ, _JSET, _JGE, _RET = 0x20, 0x15, 0x45, 0x35, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NR, _ARCH, _ARGS = 0, 4, 16
_CLONE_THREAD = 0x00010000


@dataclass(frozen=True, slots=True)
class _Machine:
    audit: int
    numbers: dict[str, int]


_EVERYWHERE: Final = {
    "pidfd_send_signal": 424, "io_uring_setup": 425, "pidfd_open": 434, "clone3": 435, "pidfd_getfd": 438,
}  # fmt: skip
_MACHINES: Final = {
    "x86_64": _Machine(
        0xC000003E,
        {
            "socket": 41, "clone": 56, "fork": 57, "vfork": 58, "execve": 59, "kill": 62, "ptrace": 101, "rt_sigqueueinfo": 129,
            "setrlimit": 160, "tkill": 200, "tgkill": 234, "unshare": 272, "rt_tgsigqueueinfo": 297, "prlimit64": 302, "setns": 308,
            "process_vm_readv": 310, "process_vm_writev": 311, "bpf": 321, "execveat": 322, "memfd_create": 319, "memfd_secret": 447, "rt_sigaction": 13,
        } | _EVERYWHERE,
    ),
    "aarch64": _Machine(
        0xC00000B7,
        {
            "socket": 198, "clone": 220, "execve": 221, "kill": 129, "ptrace": 117, "rt_sigqueueinfo": 138, "setrlimit": 164,
            "tkill": 130, "tgkill": 131, "unshare": 97, "rt_tgsigqueueinfo": 240, "prlimit64": 261, "setns": 268, "process_vm_readv": 270,
            "process_vm_writev": 271, "bpf": 280, "execveat": 281, "memfd_create": 279, "memfd_secret": 447, "rt_sigaction": 134,
        } | _EVERYWHERE,
    ),
}  # fmt: skip

_OUTRIGHT: Final = (
    "fork", "vfork", "execve", "execveat", "ptrace", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "tkill", "unshare", "setns", "setrlimit",
    "process_vm_readv", "process_vm_writev", "bpf", "pidfd_send_signal", "pidfd_open", "pidfd_getfd", "io_uring_setup",
    "memfd_create", "memfd_secret",
)  # fmt: skip
"""io_uring can open sockets behind a filter's back, files in memory escape the limit of it; limits are the node's to set."""
_OF_OTHERS: Final = (
    "ptrace", "unshare", "setns", "process_vm_readv", "process_vm_writev", "bpf", "pidfd_getfd", "io_uring_setup",
)  # fmt: skip
"""What reaches into other processes, or around the filter."""

_Instruction = tuple[int, int, int, int]
_REFUSE: Final[_Instruction] = (_RET, 0, 0, _ERRNO | errno.EPERM)


def program(network: bool, pid: int, machine: str) -> bytes | None:
    """The filter's instructions, None for a machine that we have no numbers of."""
    known = _MACHINES.get(machine)
    if known is None:
        return None
    when, steps = _when(known), _beginning(known, machine)
    refuse, allow, again = _REFUSE, (_RET, 0, 0, _ALLOW), (_RET, 0, 0, _ERRNO | errno.ENOSYS)
    for name in (*_OUTRIGHT, *(() if network else ("socket",))):
        steps += when(name, refuse)
    steps += when("clone3", again)  # the C library falls back to clone, whose flags can be seen
    steps += when("clone", _argument(0), (_JSET, 1, 0, _CLONE_THREAD), refuse, allow)
    for name in ("kill", "tgkill"):
        steps += when(name, _argument(0), (_JEQ, 1, 0, pid), refuse, allow)
    # the limit of processor time is told by a signal that must end the process
    steps += when("rt_sigaction", _argument(0), (_JEQ, 0, 3, signal.SIGXCPU), _argument(1), (_JEQ, 1, 0, 0), refuse, allow)
    # reading limits is allowed, setting them (a new limit is given) is not
    steps += when("prlimit64", _argument(2), (_JEQ, 0, 2, 0), (_LD, 0, 0, _ARGS + 8 * 2 + 4), (_JEQ, 1, 0, 0), refuse, allow)
    return _written([*steps, allow])


def program_for_family(network: bool, machine: str) -> bytes | None:
    """As `program`, for one that may start others: it keeps its processes, and reaches into none of anybody else's."""
    known = _MACHINES.get(machine)
    if known is None:
        return None
    when, steps = _when(known), _beginning(known, machine)
    for name in (*_OF_OTHERS, *(() if network else ("socket",))):
        steps += when(name, _REFUSE)
    # limits of others: who is not named by 0, and given a new limit
    allow = (_RET, 0, 0, _ALLOW)
    given = [_argument(2), (_JEQ, 0, 2, 0), (_LD, 0, 0, _ARGS + 8 * 2 + 4), (_JEQ, 1, 0, 0), _REFUSE, allow]
    steps += when("prlimit64", _argument(0), (_JEQ, len(given), 0, 0), *given, allow)
    return _written([*steps, allow])


def _when(known: _Machine) -> Callable[..., list[_Instruction]]:
    number = known.numbers

    def when(name: str, *then: _Instruction) -> list[_Instruction]:
        return [(_JEQ, 0, len(then), number[name]), *then] if name in number else []

    return when


def _argument(index: int) -> _Instruction:
    return (_LD, 0, 0, _ARGS + 8 * index)  # the lower half; both machines are little-endian


def _beginning(known: _Machine, machine: str) -> list[_Instruction]:
    steps: list[_Instruction] = [(_LD, 0, 0, _ARCH), (_JEQ, 1, 0, known.audit), (_RET, 0, 0, _KILL), (_LD, 0, 0, _NR)]
    if machine == "x86_64":
        steps += [(_JGE, 0, 1, 0x40000000), _REFUSE]  # the x32 numbers
    return steps


def _written(steps: list[_Instruction]) -> bytes:
    return b"".join(struct.pack("=HBBI", code, yes, no, k) for code, yes, no, k in steps)


def install(network: bool) -> bool:
    """Put the filter on this process and all its threads to come. False where the machine or kernel has none. Call with one thread."""
    return _install(program(network, os.getpid(), platform.machine()))


def install_for_family(network: bool) -> bool:
    """As `install`, with the filter for a program that may start others."""
    return _install(program_for_family(network, platform.machine()))


def _install(code: bytes | None) -> bool:
    if code is None:
        return False
    libc = ctypes.CDLL(None, use_errno=True)

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    block = ctypes.create_string_buffer(code, len(code))
    whole = Program(len(code) // 8, ctypes.cast(block, ctypes.c_void_p))
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    return bool(libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(whole), 0, 0) == 0)
