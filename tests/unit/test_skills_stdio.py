"""Lines that are no message get their JSON-RPC error, and what was asked before the input's end its answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import anyio
import pytest

pytest.importorskip("mcp.server")

from mcp.server.stdio import stdio_server
from mcp_types import JSONRPCRequest, JSONRPCResponse

from ridealong.simulators.skills_stdio import answered

pytestmark = pytest.mark.unit


class Said:
    """Standard output."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    async def write(self, text: str) -> None:
        self.lines.append(json.loads(text))

    async def flush(self) -> None: ...


async def _lines(lines: Sequence[str]) -> Any:
    for line in lines:
        yield line + "\n"


def said(*lines: str) -> list[dict[str, Any]]:
    """What comes back from a server that answers every request after a while, as the SDK's does: given up when its input ends."""
    out = Said()

    async def run() -> None:
        stdin: Any = _lines(lines)
        stdout: Any = out
        async with (
            stdio_server(stdin, stdout) as streams,
            answered(*streams) as (reads, writes),
            anyio.create_task_group() as tasks,
        ):
            async for one in reads:
                if isinstance(one.message, JSONRPCRequest):
                    tasks.start_soon(answer, one, writes)
            tasks.cancel_scope.cancel()

    async def answer(one: Any, writes: Any) -> None:
        await asyncio.sleep(0.02)
        one.message = JSONRPCResponse(jsonrpc="2.0", id=one.message.id, result={})
        await writes.send(one)

    asyncio.run(asyncio.wait_for(run(), 20))
    return out.lines


@pytest.mark.parametrize(
    ("line", "code", "number"),
    [
        ("{bad", -32700, None),
        ("[" * 100_000, -32700, None),
        ("{" * 100_000, -32700, None),
        ('{"jsonrpc":"2.0"}', -32600, None),
        ("[]", -32600, None),
        ("5", -32600, None),
        ("null", -32600, None),
        ('{"jsonrpc":"2.0","id":8}', -32600, 8),
        ('{"jsonrpc":"1.0","id":8,"method":"ping"}', -32600, 8),
        ('{"jsonrpc":"2.0","id":8,"method":5}', -32600, 8),
        ('{"jsonrpc":"2.0","id":true}', -32600, None),
        ('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":5}', -32602, 7),
        ('{"jsonrpc":"2.0","id":"a","method":"tools/call","params":[]}', -32602, "a"),
    ],
    ids=lambda value: str(value)[:50],
)
def test_every_mistake_has_its_error(line: str, code: int, number: object) -> None:
    first, second = said(line, '{"jsonrpc":"2.0","id":1,"method":"ping"}')
    assert first["error"]["code"] == code and first["id"] == number and "id" in first
    assert second == {"jsonrpc": "2.0", "id": 1, "result": {}}


@pytest.mark.parametrize(
    "line", ["", "   ", '{"jsonrpc":"2.0","method":"tools/call","params":5}', '{"jsonrpc":"2.0","method":"x"}']
)
def test_an_empty_line_and_a_notification_have_none(line: str) -> None:
    assert said(line) == []


def test_what_was_asked_before_the_end_is_answered() -> None:
    lines = [json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}) for number in range(50)]
    assert sorted(one["id"] for one in said(*lines)) == list(range(50))
