"""A server as a program: one JSON-RPC message a line on its standard input and output, bounded both ways.

A line that is no message is counted and dropped (programs print to standard output by mistake), too many of them, or one that is too
long, end the connection. What the program writes to standard error is thrown away. At the end its standard input is closed; a program that stays is
ended with all its children, by force if need be; every wait is bounded.
Does not know what the messages mean. (The SDK's own stdio transport reads lines of any length into memory.)
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

MAX_MESSAGE_BYTES: Final = 4 * 1024 * 1024
MAX_RUBBISH_LINES: Final = 200
LEAVE_WITHIN_S: Final = 1.0
"""After its standard input was closed; as long again after SIGTERM."""
_POLL_S = 0.02
INHERITED: Final = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SystemRoot")


@asynccontextmanager
async def program(
    command: str, args: Sequence[str], env: Mapping[str, str], ended: Callable[[str], None]
) -> AsyncIterator[tuple[Any, Any]]:
    """The streams of an `mcp.ClientSession`. `ended(why)`: nothing more will come. Raises OSError where it can't be started."""
    process = await asyncio.create_subprocess_exec(
        command, *args, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        env=dict(env), start_new_session=True, limit=MAX_MESSAGE_BYTES,
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None
    heard, read = anyio.create_memory_object_stream[Any](0)
    write, said = anyio.create_memory_object_stream[Any](0)
    reading = asyncio.create_task(_read(process.stdout, heard, ended), name="mcp stdout")
    writing = asyncio.create_task(_write(process.stdin, said), name="mcp stdin")
    try:
        yield read, write
    finally:
        for task in (reading, writing):
            task.cancel()
        for stream in (heard, read, write, said):
            stream.close()
        await _leave(process)
        await asyncio.gather(reading, writing, return_exceptions=True)


async def _read(stdout: asyncio.StreamReader, heard: Any, ended: Callable[[str], None]) -> None:
    why, rubbish = "its output ended", 0
    try:
        while line := await stdout.readline():
            try:
                message = jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValueError:
                rubbish += bool(line.strip())
                if rubbish > MAX_RUBBISH_LINES:
                    why = "it writes other things than messages"
                    break
                continue
            await heard.send(SessionMessage(message))
    except ValueError:  # the line is longer than the limit
        why = f"it sent a message of more than {MAX_MESSAGE_BYTES // 1024 // 1024} MiB"
    except (anyio.ClosedResourceError, anyio.BrokenResourceError):
        return
    except OSError as error:
        why = f"its output can't be read ({type(error).__name__})"
    heard.close()
    ended(why)


async def _write(stdin: asyncio.StreamWriter, said: Any) -> None:
    """Ends with the program's input; that it ended is seen at the output."""
    with suppress(OSError, anyio.ClosedResourceError, anyio.BrokenResourceError):
        async for message in said:
            stdin.write(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
            await stdin.drain()
    said.close()


async def _leave(process: asyncio.subprocess.Process) -> None:
    """The program has left when this returns, or cannot be made to."""
    assert process.stdin is not None
    process.stdin.close()
    for number in (signal.SIGTERM, signal.SIGKILL):
        if await _left(process):
            break
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
    else:
        await _left(process)
    transport = getattr(process, "_transport", None)  # a child of the program may hold its pipes open
    if transport is not None:
        with suppress(ProcessLookupError, PermissionError):
            transport.close()


async def _left(process: asyncio.subprocess.Process) -> bool:
    """Polled: `wait` would also wait until no child holds the pipes."""
    deadline = asyncio.get_running_loop().time() + LEAVE_WITHIN_S
    while process.returncode is None:
        if asyncio.get_running_loop().time() >= deadline:
            return False
        await asyncio.sleep(_POLL_S)
    return True
