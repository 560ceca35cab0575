"""One worker as the node sees it: started, asked to run one call at a time, stopped within bounds, never believed.

    worker = await Hosted.start(package)      # WorkerUnfit: one sentence for whoever runs the node
    spoken = await worker.call(skill, call)   # WorkerDied, WorkerOverran, RubbishResult, SkillRaised: the item fails, nothing else does

Every message is checked before it is used; one that fits nothing ends the worker. What the skill asks of the car goes through the call's own
port with its guards. Cancelling: a message, then SIGTERM, then SIGKILL. Does not know when a worker is replaced (pool.py), or contracts.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import os
import re
import resource
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import ridealong
from ridealong.harness.skill import Call, Skill, Spoken, Transient
from ridealong.harness.worker.answers import Answers
from ridealong.harness.worker.frames import Decoder, FrameError, Message, encode
from ridealong.harness.worker.remote import call_as_data
from ridealong.harness.worker.results import UnfitResult, spoken_from_data

log = logging.getLogger("ridealong.worker")

ACKNOWLEDGE_MS: Final = 1_000
"""How long a skill may take to end when it is told to, before the signals."""
TERMINATE_MS: Final = 500
KILL_MS: Final = 2_000
MAX_RETRY_AFTER_MS: Final = 3_600_000
RESTLESS_S: Final = 1.0
"""Processor time that a worker may use between two calls."""
MAX_STRAYS: Final = 100
"""Questions that may come when no call is under way."""

_KIND = re.compile(r"[A-Za-z_]\w{0,63}( at [\w.<>-]{1,64}:\d{1,7})?", re.ASCII)
_BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from ridealong.harness.worker.inside import main; main()"
_ENVIRONMENT: Final = {
    "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/nonexistent", "MALLOC_ARENA_MAX": "1", "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
}  # fmt: skip
"""All of it: nothing of the node's own environment, which holds keys. One thread and arena each, since address space is limited."""


class WorkerFault(Exception):
    """Something that a worker did. Its text is for the node's log, and holds nothing that the package said."""


class WorkerUnfit(WorkerFault):
    """A package that can't be used: one sentence."""


class WorkerDied(WorkerFault):
    """The process ended in the middle of a call."""


class WorkerOverran(WorkerFault):
    """It used more processor time than its package has for a call."""


class RubbishResult(WorkerFault):
    """What it sent is no result of a skill."""


class SkillRaised(WorkerFault):
    """The skill raised; the worker goes on. The text is the exception's class and place."""


@dataclass(frozen=True, slots=True)
class Package:
    """What the node's settings say of one package."""

    module: str = ""
    """Empty: every module of `path` (packages.py)."""
    path: Path | None = None
    """The folder that it lies in, where it is not installed."""
    memory_mb: int = 512
    cpu_s: int = 10
    """Processor time for one call."""
    network: bool = False
    workers: int = 2
    """Calls at a time; each has a worker of its own."""
    import_within_ms: int = 20_000
    output: Path | None = None
    """The file that what it prints is appended to; None: nowhere, since it may hold what users said."""


@dataclass(slots=True, eq=False)
class _Open:
    """The call under way."""

    id: int
    ended: asyncio.Future[Message]
    answers: Answers


class Hosted:
    """One process. `contracts` and `held` are what it said when it was ready: as data, not yet judged."""

    def __init__(self, package: Package, process: asyncio.subprocess.Process) -> None:
        self.package, self._process = package, process
        self.contracts: object = None
        self.held: object = None
        self._ready: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._open: _Open | None = None
        self._calls = 0
        self._fault = ""
        self._used_s = 0.0
        self._strays = 0
        self._pidfd = os.pidfd_open(process.pid)
        self._listener = asyncio.get_running_loop().create_task(self._listen(), name=f"worker {process.pid}")

    # --- life -------------------------------------------------------------------------------------------------------

    @staticmethod
    async def start(package: Package) -> Hosted:
        """Raises WorkerUnfit, and leaves no process behind."""
        root = str(Path(ridealong.__file__).parent.parent)
        with contextlib.ExitStack() as stack:
            output: int | IO[bytes] = subprocess.DEVNULL
            if package.output is not None:
                try:
                    output = stack.enter_context(package.output.open("ab"))
                except OSError as error:
                    raise WorkerUnfit(f"its output file can't be opened ({error.strerror}); correct `output`.") from None
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-I", "-B", "-u", "-c", _BOOT, root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=output,
                env=_ENVIRONMENT, cwd="/", start_new_session=True, close_fds=True,
            )  # fmt: skip
        worker = Hosted(package, process)
        try:
            worker._send({"module": package.module, "path": str(package.path.absolute()) if package.path is not None else "",
                          "memory_mb": package.memory_mb, "network": package.network})  # fmt: skip
            await asyncio.wait({worker._ready}, timeout=package.import_within_ms / 1000)
            if not worker._ready.done():
                raise WorkerUnfit(f"its import took more than {package.import_within_ms / 1000:g} s; raise `import_within_ms`.")
            first = worker._ready.result()
            if first.get("is") != "ready":
                sentence = first.get("sentence")
                fits = isinstance(sentence, str) and len(sentence) <= 500 and sentence.isprintable()
                raise WorkerUnfit(str(sentence) if fits else "it could not be imported.")
            worker.contracts = first.get("contracts")
            worker._used_s = worker._processor_s()
            return worker
        except BaseException:
            await worker.stop()
            raise

    @property
    def alive(self) -> bool:
        return not self._fault and self._process.returncode is None and not self._listener.done()

    @property
    def pid(self) -> int:
        return self._process.pid

    def fit(self) -> bool:
        """May be given a call: alive, and has not been busy since the last one."""
        return self.alive and self._processor_s() - self._used_s <= RESTLESS_S

    async def stop(self) -> None:
        """End the process, whatever it does. Bounded."""
        self._fault = self._fault or "stopped"
        for number, within_ms in ((signal.SIGTERM, TERMINATE_MS), (signal.SIGKILL, KILL_MS)):
            if self._process.returncode is not None:
                break
            self._signal(number)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(within_ms / 1000):
                    await self._process.wait()
        else:
            if self._process.returncode is None:
                log.error("worker %d did not end after SIGKILL", self._process.pid)
        if self._process.stdin is not None:
            self._process.stdin.close()
        await asyncio.wait({self._listener}, timeout=KILL_MS / 1000)
        self._listener.cancel()
        if self._pidfd >= 0:
            os.close(self._pidfd)
            self._pidfd = -1

    # --- a call -----------------------------------------------------------------------------------------------------

    async def call(self, skill: Skill, call: Call) -> Spoken:
        """Run one call to its end. Cancelled, it returns what the skill still said, or raises CancelledError when the worker has
        stopped. Raises WorkerFault, and Transient as the skill does."""
        assert self._open is None, "a worker runs one call at a time"
        self._calls += 1
        opened = _Open(self._calls, asyncio.get_running_loop().create_future(), Answers(skill, call, self._send))
        self._open = opened
        try:
            self._renew_processor_time()
            try:
                self._send({"do": "call", "id": opened.id, "skill": skill.name, "call": call_as_data(call)})
            except FrameError:
                raise SkillRaised("a call too long to be sent") from None
            await asyncio.wait({opened.ended})
            return self._spoken(opened.ended.result(), skill)
        except asyncio.CancelledError:
            said = await self._cancelled(opened, skill)
            if said is None:
                raise
            return said
        finally:
            self._open = None
            await opened.answers.close()
            if opened.ended.cancel():
                self._fault = self._fault or "left in the middle of a call"
            self._used_s = self._processor_s()

    async def _cancelled(self, opened: _Open, skill: Skill) -> Spoken | None:
        opened.answers.stopping = True
        self._send({"do": "cancel", "id": opened.id})
        await asyncio.wait({opened.ended}, timeout=ACKNOWLEDGE_MS / 1000)
        if not opened.ended.done():
            await self.stop()
            return None
        with contextlib.suppress(WorkerFault, Transient):
            ended = opened.ended.result()
            return self._spoken(ended, skill) if ended.get("is") == "spoke" else None
        return None

    def _spoken(self, ended: Message, skill: Skill) -> Spoken:
        """The skill's result. Raises WorkerFault where there is none, or what there is does not fit; Transient as the skill did."""
        match ended.get("is"):
            case "spoke":
                try:
                    return spoken_from_data(ended, skill)
                except UnfitResult as part:
                    raise RubbishResult(f"a result that is none, by its {part}") from None
            case "raised":
                kind = ended.get("kind")
                if kind == "NotSpoken":
                    raise RubbishResult('no Spoken: its function must return one, such as Spoken("Done.")')
                raise SkillRaised(kind if isinstance(kind, str) and _KIND.fullmatch(kind) else "Exception")
            case "transient":
                after_ms = ended.get("retry_after_ms")
                if after_ms is not None and not (isinstance(after_ms, int | float) and 0 <= after_ms <= MAX_RETRY_AFTER_MS):
                    raise RubbishResult("a result that is none")
                raise Transient(after_ms)
            case _:
                raise WorkerDied("cancelled itself")

    # --- messages ---------------------------------------------------------------------------------------------------

    def _send(self, message: Message) -> None:
        piece = encode(message)
        stdin = self._process.stdin
        if stdin is not None and not stdin.is_closing():
            stdin.write(piece)

    async def _listen(self) -> None:
        stdout, decoder = self._process.stdout, Decoder()
        assert stdout is not None
        try:
            while piece := await stdout.read(65_536):
                for message in decoder.feed(piece):
                    self._take(message)
        except FrameError as error:
            self._fault = self._fault or str(error)
        except Exception as error:  # ours; the worker can't be kept either way
            log.exception("a worker's message was not understood")
            self._fault = self._fault or type(error).__name__
        self._signal(signal.SIGKILL)
        await self._process.wait()
        self._gone()

    def _signal(self, number: signal.Signals) -> None:
        """By a descriptor: the process may be gone and its number another's. (`Process.send_signal` would take its status from the loop.)"""
        with contextlib.suppress(ProcessLookupError, OSError):
            signal.pidfd_send_signal(self._pidfd, number)

    def _gone(self) -> None:
        """No more messages will come."""
        died = self._process.returncode == -signal.SIGXCPU
        if self._fault:
            error: WorkerFault = RubbishResult(self._fault)
        elif died:
            error = WorkerOverran(f"more than {self.package.cpu_s} s of processor time")
        else:
            error = WorkerDied(f"it ended with status {self._process.returncode}")
        self._fault = self._fault or str(error)
        if not self._ready.done():
            self._ready.set_result({"is": "unfit", "sentence": f"its import ended the process ({error})."})
        if self._open is not None and not self._open.ended.done():
            self._open.ended.set_exception(error)
            self._open.ended.exception()  # looked at, also where the call was cancelled meanwhile

    def _take(self, message: Message) -> None:
        """Raises FrameError for what fits nothing."""
        if (
            self.held is None and message.get("is") == "confined"
        ):  # sent before any of the package's code runs, which could forge it
            self.held = message.get("held")
            return
        if not self._ready.done():
            self._ready.set_result(message if self.held is not None or message.get("is") == "unfit" else {})
            return
        opened = self._open
        match message.get("is"):
            case "ask" if opened is not None:
                opened.answers.asked(message)
            case "ask" if self._strays < MAX_STRAYS:
                self._strays += 1  # of a call that is over
            case "spoke" | "raised" | "transient" | "cancelled" if opened is not None and message.get("id") == opened.id:
                if not opened.ended.done():
                    opened.ended.set_result(message)
            case _:
                raise FrameError("a message that fits nothing")

    # --- processor time ---------------------------------------------------------------------------------------------

    def _processor_s(self) -> float:
        """What the process has used so far; infinite when it is gone."""
        try:
            fields = (
                Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
            )
        except OSError:
            return math.inf
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _renew_processor_time(self) -> None:
        used_s = self._processor_s()
        if math.isinf(used_s):
            raise WorkerDied("it had ended before the call")
        with contextlib.suppress(ProcessLookupError):
            hard = resource.prlimit(self._process.pid, resource.RLIMIT_CPU)[1]
            soft = math.ceil(used_s) + self.package.cpu_s
            resource.prlimit(
                self._process.pid, resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard)
            )
