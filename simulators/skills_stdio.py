"""What the SDK's transport leaves unanswered on standard input: lines that are no message, and requests read just before its end.

    stdin  ->  the SDK's stdio_server  ->  answered(...)  ->  the SDK's server

The transport hands on an error for a line that is no message, and the server drops it: whoever sent it would wait for ever. At the end of the input the server gives
up what is under way. Here such a line gets its JSON-RPC error, and the end is passed on when everything read before it is answered. Does not know what tools there are.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)
from pydantic import ValidationError

LAST_ANSWERS_S: Final = 60.0
"""For what is under way when the input ends."""


@asynccontextmanager
async def answered(reads: Any, writes: Any) -> AsyncIterator[tuple[Any, Any]]:
    """The streams for the server, of those of the transport."""
    heard, read = anyio.create_memory_object_stream[Any](0)
    write, said = anyio.create_memory_object_stream[Any](0)
    desk = _Waiting()
    reading = asyncio.create_task(_read(reads, heard, writes, desk), name="skills serve: in")
    writing = asyncio.create_task(_write(said, writes, desk), name="skills serve: out")
    try:
        yield read, write
    finally:
        for task in (reading, writing):
            task.cancel()
        await asyncio.gather(reading, writing, return_exceptions=True)
        for stream in (heard, read, write, said, reads, writes):
            await stream.aclose()


class _Waiting:
    """Ids of requests without an answer."""

    def __init__(self) -> None:
        self._ids: set[str | int] = set()
        self._none = asyncio.Event()
        self._none.set()

    def asked(self, one: str | int) -> None:
        self._ids.add(one)
        self._none.clear()

    def done(self, one: object) -> None:
        self._ids.discard(one)  # type: ignore[arg-type]
        if not self._ids:
            self._none.set()

    async def none(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_ANSWERS_S):
                await self._none.wait()


async def _read(reads: Any, heard: Any, writes: Any, waiting: _Waiting) -> None:
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
        async for one in reads:
            if isinstance(one, Exception):
                if (answer := refusal(one)) is not None:
                    await writes.send(SessionMessage(answer))
                continue
            match one.message:
                case JSONRPCRequest(id=number):
                    waiting.asked(number)
                case JSONRPCNotification(method="notifications/cancelled", params=dict() as params):
                    waiting.done(params.get("requestId"))  # it need not be answered
            await heard.send(one)
        await waiting.none()
    await heard.aclose()


async def _write(said: Any, writes: Any, waiting: _Waiting) -> None:
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
        async for one in said:
            await writes.send(one)
            if isinstance(one.message, JSONRPCResponse | JSONRPCError):
                waiting.done(one.message.id)


def refusal(error: Exception) -> JSONRPCError | None:
    """The answer to a line that is no message; None where it wants none: an empty line, or a notification."""
    if not isinstance(error, ValidationError):
        return _error(PARSE_ERROR, "Parse error", None)
    problems = error.errors(include_url=False, include_context=False)
    if problems[0]["type"] == "json_invalid":
        return _error(PARSE_ERROR, "Parse error", None) if str(problems[0]["input"]).strip() else None
    whole = next((one["input"] for one in problems if one["type"] == "missing" and len(one["loc"]) == 2), None)
    if not isinstance(whole, Mapping):
        return _error(INVALID_REQUEST, "Invalid request", None)
    number = whole.get("id")
    known = number if isinstance(number, str | int) and not isinstance(number, bool) else None
    if whole.get("jsonrpc") == "2.0" and isinstance(whole.get("method"), str) and not isinstance(whole.get("params"), dict):
        if "id" not in whole:
            return None
        if known is not None:
            return _error(INVALID_PARAMS, "Invalid params", known)
    return _error(INVALID_REQUEST, "Invalid request", known)


def _error(code: int, message: str, number: str | int | None) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=number, error=ErrorData(code=code, message=message))
