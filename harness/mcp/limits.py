"""What a server's program may use, whether it keeps to that, and what of it this machine can enforce. Pure.

One process' memory, and the network, are the kernel's to refuse. What all processes together use (memory, processor time, their number) is judged on
samples, as time goes on; who goes beyond is ended. What is missing on a machine is said in plain words.
Does not know processes, or how anything is refused (launcher.py).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Final

WINDOW_S: Final = 60.0
"""Processor time is judged over so long."""


@dataclass(frozen=True, slots=True)
class Limits:
    """`memory_mb`: of each process, and of all together. `cpu_s`: processor time within a minute, of all together. `processes`: processes and threads."""

    memory_mb: int = 1024
    cpu_s: int = 30
    processes: int = 128
    network: bool = False

    def check(self) -> str | None:
        """What is wrong: the name first."""
        for name, value, least, most in (
            ("memory_mb", self.memory_mb, 32, 65_536), ("cpu_s", self.cpu_s, 1, 60_000), ("processes", self.processes, 4, 4_096),
        ):  # fmt: skip
            if not least <= value <= most:
                return f"{name} must lie between {least} and {most}"
        return None


@dataclass(frozen=True, slots=True)
class Used:
    """By all processes of a program. `cpu_s`: since its start."""

    memory_mb: float
    cpu_s: float
    processes: int


@dataclass(slots=True)
class Judge:
    """`on(at_s, used)` -> why the program must end, or ""."""

    limits: Limits
    _times: deque[tuple[float, float]] = field(default_factory=deque)

    def on(self, at_s: float, used: Used) -> str:
        most_s = max(used.cpu_s, self._times[-1][1] if self._times else 0.0)  # what nobody waited for is forgotten by the kernel
        while len(self._times) > 1 and at_s - self._times[1][0] >= WINDOW_S:
            self._times.popleft()
        self._times.append((at_s, most_s))
        before_s = self._times[0][1] if len(self._times) > 1 else 0.0
        if used.processes > self.limits.processes:
            return f"it had more than {self.limits.processes} processes and threads (processes)"
        if used.memory_mb > self.limits.memory_mb:
            return f"it used more than {self.limits.memory_mb} MB of memory (memory_mb)"
        if most_s - before_s > self.limits.cpu_s:
            return f"it used more than {self.limits.cpu_s} s of processor time within a minute (cpu_s)"
        return ""


@dataclass(frozen=True, slots=True)
class Held:
    """Which limits hold, as the launcher found them. `network`: "allowed", or how it is denied: namespace, filter. `processes`: how their number is kept: cgroup,
    user (a limit of the kernel's, in a name space of its own) or counted (by us, a few times a second). `apart`: it can't look into other programs. `signals`: nor
    signal them. `memory`: each process has a limit of its own."""

    network: tuple[str, ...]
    processes: str
    apart: bool
    signals: bool
    memory: bool

    def as_data(self) -> dict[str, object]:
        return asdict(self)

    @staticmethod
    def from_data(data: Mapping[str, object]) -> Held:
        """Raises ValueError for what our own program does not say."""
        network, processes = data.get("network"), data.get("processes")
        flags = [data.get(name) for name in ("apart", "signals", "memory")]
        if not isinstance(network, list) or not set(map(str, network)) <= {"allowed", "namespace", "filter"}:
            raise ValueError("network")
        if processes not in ("cgroup", "user", "counted") or not all(isinstance(flag, bool) for flag in flags):
            raise ValueError("processes")
        return Held(tuple(map(str, network)), str(processes), *map(bool, flags))

    def sentence(self, limits: Limits) -> str:
        """What is kept, and how."""
        network = "may use the network" if limits.network else f"no network ({', '.join(self.network)})"
        return (
            f"{network}; at most {limits.memory_mb} MB, {limits.cpu_s} s of processor time within a minute, "
            f"{limits.processes} processes and threads ({self.processes})"
        )

    @property
    def gaps(self) -> tuple[str, ...]:
        """What does not hold, in plain words."""
        gaps = []
        if self.processes == "counted":
            gaps.append(
                "the number of its processes is only counted, twice a second, so that very many can be there for a moment"
            )
        if not self.memory:
            gaps.append("its memory is only measured, twice a second")
        if not self.apart:
            gaps.append("it may look into other programs of the node's user")
        if not self.signals:
            gaps.append("it may signal other programs of the node's user")
        return tuple(gaps)
