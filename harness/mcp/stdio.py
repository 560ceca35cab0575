"""A server as a program: one JSON-RPC message a line on its standard input and output, bounded both ways.

A line that is no message is counted and dropped (programs print to standard output by mistake). Too many of them, too many lines of any kind within a second, or
one that is too long, end the connection. Does not know what the messages mean, or what the program may use (program.py). (The SDK's own stdio transport reads lines
of any length into memory.)
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from ridealong.harness.mcp.limits import Limits
from ridealong.harness.mcp.program import Program

MAX_MESSAGE_BYTES: Final = 4 * 1024 * 1024
MAX_RUBBISH_LINES: Final = 200
MAX_LINES_PER_S: Final = 2_000
"""Empty ones, too: reading them costs everybody else time."""
INHERITED: Final = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SystemRoot")


@asynccontextmanager
async def program(
    command: str,
    args: Sequence[str],
    env: Mapping[str, str],
    limits: Limits,
    ended: Callable[[str], None],
    began: Callable[[Program], None],
) -> AsyncIterator[tuple[Any, Any]]:
    """The streams of an `mcp.ClientSession`. `ended(why)`: nothing more will come. Raises OSError, Unfit where it can't be started."""
    process = await Program.start(command, args, env, limits, MAX_MESSAGE_BYTES)
    began(process)
    heard, read = anyio.create_memory_object_stream[Any](0)
    write, said = anyio.create_memory_object_stream[Any](0)
    reading = asyncio.create_task(_read(process, heard, ended), name="mcp stdout")
    writing = asyncio.create_task(_write(process.stdin, said), name="mcp stdin")
    try:
        yield read, write
    finally:
        for task in (reading, writing):
            task.cancel()
        for stream in (heard, read, write, said):
            stream.close()
        await process.leave()
        await asyncio.gather(reading, writing, return_exceptions=True)


async def _read(process: Program, heard: Any, ended: Callable[[str], None]) -> None:
    why, rubbish, lines = "", 0, 0
    loop = asyncio.get_running_loop()
    since_s = loop.time()
    try:
        while line := await process.stdout.readline():
            lines += 1
            if loop.time() - since_s >= 1.0:
                lines, since_s = 1, loop.time()
            if lines > MAX_LINES_PER_S:
                why = f"it writes more than {MAX_LINES_PER_S} lines a second"
                break
            try:
                message = jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValueError:
                rubbish += bool(line.strip())
                if rubbish > MAX_RUBBISH_LINES:
                    why = "it writes other things than messages"
                    break
                await asyncio.sleep(0)  # lines that are there already are read without a pause
                continue
            await heard.send(SessionMessage(message))
    except ValueError:  # the line is longer than the limit
        why = f"it sent a message of more than {MAX_MESSAGE_BYTES // 1024 // 1024} MiB"
    except (anyio.ClosedResourceError, anyio.BrokenResourceError):
        return
    except OSError as error:
        why = f"its output can't be read ({type(error).__name__})"
    ended(why or await process.verdict() or "its output ended")  # before whoever waits sees that it is over
    heard.close()


async def _write(stdin: asyncio.StreamWriter, said: Any) -> None:
    """Ends with the program's input; that it ended is seen at the output."""
    with suppress(OSError, anyio.ClosedResourceError, anyio.BrokenResourceError):
        async for message in said:
            stdin.write(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
            await stdin.drain()
    said.close()
