"""A server's program as the node holds it: started by a launcher within its limits, ended with all that it has started, every wait bounded.

    program = await Program.start(command, args, env, limits)     # Unfit: why it can't be had; nothing is left behind
    program.stdin, program.stdout                                 # the server's own
    await program.verdict()                                       # why it ended, where the launcher knows
    await program.leave()

What it writes to standard error is thrown away. Where this machine has no launcher (not Linux) nothing is limited, and `gaps` says so. Does not know what is
written or read.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import ridealong
from ridealong.harness.mcp.limits import Held, Limits

log = logging.getLogger("ridealong.mcp")

LEAVE_WITHIN_S: Final = 1.0
"""After its standard input was closed."""
END_WITHIN_S: Final = 5.0
"""For the launcher to end everything."""
VERDICT_WITHIN_S: Final = 2.0
START_WITHIN_S: Final = 10.0
MAX_TOLD: Final = 64
_POLL_S: Final = 0.02
_BOOT: Final = "import sys; sys.path.insert(0, sys.argv[1]); from ridealong.harness.mcp.launcher import main; main()"
LIMITS_NOTHING: Final = "nothing of it is limited: this machine is not Linux"


class Unfit(Exception):
    """Why a program can't be started: one clause of ours."""


class Program:
    """`held`: which limits hold; None where nothing is limited."""

    def __init__(self, process: asyncio.subprocess.Process, control: int, told: asyncio.StreamReader | None) -> None:
        assert process.stdin is not None and process.stdout is not None
        self.stdin, self.stdout = process.stdin, process.stdout
        self.held: Held | None = None
        self._process, self._control, self._told = process, control, told
        self._why = ""
        self._listening: asyncio.Task[None] | None = None

    @property
    def gaps(self) -> tuple[str, ...]:
        return self.held.gaps if self.held is not None else (LIMITS_NOTHING,)

    @staticmethod
    async def start(command: str, args: Sequence[str], env: Mapping[str, str], limits: Limits, line: int) -> Program:
        """`line`: the longest that may be read. Raises Unfit, OSError."""
        if sys.platform != "linux":
            if not limits.network:
                raise Unfit("this machine can't keep a program from the network; set network: true for it, or leave it out")
            return Program(await _spawned(command, args, env, line, ()), -1, None)
        (control_of_it, control), (told, told_of_it) = os.pipe2(os.O_CLOEXEC), os.pipe2(os.O_CLOEXEC)
        try:
            root = str(Path(ridealong.__file__).parent.parent)
            ours = ("-I", "-S", "-B", "-c", _BOOT, root, str(control_of_it), str(told_of_it))
            process = await _spawned(sys.executable, ours, {"LANG": "C.UTF-8"}, line, (control_of_it, told_of_it))
            reader = await _reader(told)
        except BaseException:
            os.close(control)
            os.close(told)
            raise
        finally:
            os.close(control_of_it)
            os.close(told_of_it)
        program = Program(process, control, reader)
        try:
            wanted = {"command": command, "args": list(args), "env": dict(env), "limits": asdict(limits)}
            await asyncio.get_running_loop().run_in_executor(None, _write, control, json.dumps(wanted).encode() + b"\n")
            async with asyncio.timeout(START_WITHIN_S):
                await program._begun()
            return program
        except BaseException as error:
            await program.leave()
            if isinstance(error, TimeoutError):
                raise Unfit("its launcher did not start in time") from None
            raise

    async def _begun(self) -> None:
        message = await self._hear()
        try:
            if message is None or not isinstance(message.get("held"), dict):
                raise Unfit(str((message or {}).get("unfit") or "its launcher ended"))
            self.held = Held.from_data(message["held"])
        except ValueError:
            raise Unfit("its launcher does not say what holds") from None
        self._listening = asyncio.create_task(self._listen(), name="mcp launcher")

    async def _hear(self) -> dict[str, Any] | None:
        assert self._told is not None
        line = await self._told.readline()
        message = json.loads(line) if line else None
        return message if isinstance(message, dict) else None

    async def _listen(self) -> None:
        for _ in range(MAX_TOLD):
            if (message := await self._hear()) is None:
                return
            if "left" in message:
                log.error("processes of an MCP server did not end after SIGKILL")
            elif "over" in message:
                self._why = str(message["over"])
            elif "ended" in message and not self._why:
                self._why = f"it ended with status {message['ended']}"
            elif "unfit" in message:
                self._why = str(message["unfit"])

    async def verdict(self) -> str:
        """Why it ended, "" where nobody knows."""
        if self._listening is not None:
            await asyncio.wait({self._listening}, timeout=VERDICT_WITHIN_S)
        return self._why

    async def leave(self) -> None:
        """The program and all that it has started are gone when this returns, or cannot be made to go."""
        self.stdin.close()
        if self._listening is None and self._told is not None:
            pass  # it never began: nobody to be polite to
        else:
            await self._left(LEAVE_WITHIN_S)
        if self._control >= 0:
            os.close(self._control)  # "end it"
            self._control = -1
            await self._left(END_WITHIN_S)
        else:
            self._kill(signal.SIGTERM)
            await self._left(LEAVE_WITHIN_S)
        self._kill(signal.SIGKILL)
        await self._left(LEAVE_WITHIN_S)
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.wait({self._listening})
        transport = getattr(self._process, "_transport", None)  # a child of the program may hold its pipes open
        if transport is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                transport.close()

    def _kill(self, number: signal.Signals) -> None:
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)

    async def _left(self, within_s: float) -> bool:
        """Polled: `wait` would also wait until no child holds the pipes."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + within_s
        while self._process.returncode is None:
            if loop.time() >= deadline:
                return False
            await asyncio.sleep(_POLL_S)
        return True


async def _spawned(
    command: str, args: Sequence[str], env: Mapping[str, str], line: int, descriptors: tuple[int, ...]
) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        command, *args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(env),
        start_new_session=True, pass_fds=descriptors, limit=line,
    )  # fmt: skip


async def _reader(descriptor: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(descriptor, "rb", buffering=0)
    )
    return reader


def _write(descriptor: int, text: bytes) -> None:
    while text:
        text = text[os.write(descriptor, text) :]
