"""MCP servers over HTTP, well-behaved and not, and servers of the official SDK over both transports."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="pip install 'ridealong[mcp]'")

from tests.process import mcp_server
from tests.process.mcp_scene import EXAMPLES, READ_ONLY, Node, agreed, effects, messages, play, until

from ridealong.harness.mcp.config import McpServer
from ridealong.harness.mcp.report import report
from ridealong.harness.mcp.servers import McpServers
from ridealong.harness.registry import Registry

pytestmark = pytest.mark.process

# --- over HTTP ---------------------------------------------------------------------------------------------------------


@dataclass
class Web:
    """The same server behind HTTP POST. `misbehave[tool]`: "drop" closes without an answer, "500", "huge", "zip"."""

    folder: Path
    misbehave: dict[str, str] = field(default_factory=dict)
    keys: list[str | None] = field(default_factory=list)
    url: str = ""

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        web = self
        options = mcp_server.options(["--log", str(self.folder / "box.log"), "--effects", str(self.folder / "effects")])

        class Requests(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                message = json.loads(self.rfile.read(int(self.headers["content-length"])))
                web.keys.append(self.headers.get("X-Key"))
                how = (
                    web.misbehave.get(message.get("params", {}).get("name", ""))
                    if message.get("method") == "tools/call"
                    else None
                )
                sent: list[str] = []
                server = mcp_server.Server(options, sent.append)
                if message.get("method") == "tools/call":
                    server.note(options.log, json.dumps(message))
                    server.called(message)
                else:
                    server.heard(message)
                if how == "drop":
                    self.close_connection = True
                    self.connection.close()
                    return
                body = sent[-1].encode() if sent else b""
                self.send_response(500 if how == "500" else 200 if sent else 202)
                self.send_header("content-type", "application/json")
                if how == "zip":
                    self.send_header("content-encoding", "gzip")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self) -> None:
                self.send_error(405)

            def handle_one_request(self) -> None:
                with suppress(ConnectionError):  # the client went away
                    super().handle_one_request()

            def log_message(self, *args: object) -> None:
                pass

        with ThreadingHTTPServer(("127.0.0.1", 0), Requests) as served:
            threading.Thread(target=served.serve_forever, daemon=True).start()
            self.url = f"http://127.0.0.1:{served.server_port}/mcp"
            try:
                yield
            finally:
                served.shutdown()


def test_over_http_too_nothing_is_repeated_and_everything_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOX_KEY", "k")
    web = Web(tmp_path, {"add": "drop", "long": "500", "data": "zip"})

    async def run() -> None:
        async with web.serving():
            box = McpServer(
                "box", url=web.url, headers_env={"X-Key": "BOX_KEY"}, timeout_ms=5_000, read_only=READ_ONLY, examples=EXAMPLES
            )
            node = Node(tmp_path)
            outside = McpServers([box], node.registry, os.environ)
            async with outside.running(), asyncio.TaskGroup() as group:
                group.create_task(node.harness.run())

                async def well() -> None:
                    await until(lambda: outside.connections["box"].available)

                await well()
                assert await node.said("use echo with hello") == "echo: hello"
                assert (await node.item("use long")).execution.value == "failed"
                await well()
                for words in ("use data", "use huge"):
                    assert (await node.item(words)).reply == "Box stopped answering."
                    await well()
                item = await agreed(node, "use add with milk")
                assert item.execution.value == "unknown"
                await well()
                assert await node.said("use echo with more") == "echo: more"
                await node.harness.close()
            node.journal.close()
        assert effects(tmp_path) == ["milk"]
        assert [m["params"]["name"] for m in messages(tmp_path, "tools/call")] == ["echo", "long", "data", "huge", "add", "echo"]  # type: ignore[index]
        assert set(web.keys) == {"k"}

    asyncio.run(run())


def test_an_address_where_nobody_answers_is_said(tmp_path: Path) -> None:
    lines, good = asyncio.run(report([McpServer("box", url="http://127.0.0.1:9/mcp")], Registry()))
    assert not good and "not there: the connection failed (ConnectError)" in lines[0]


# --- a server of the official SDK --------------------------------------------------------------------------------------

SDK_PROGRAM = str(Path(mcp_server.__file__).with_name("mcp_sdk_server.py"))
SDK_EXAMPLES = {"show": ("what is on my list",), "put": ("put {item} on my list",),
                "total": ("count my list",), "grow": ("use grow",), "wait": ("wait for {file}",)}  # fmt: skip
SDK: dict[str, Any] = {"read_only": ("show", "total", "grow", "wait"), "timeout_ms": 60_000, "start_timeout_ms": 60_000}


@asynccontextmanager
async def sdk_over_http(port: int) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(sys.executable, SDK_PROGRAM, str(port), stderr=asyncio.subprocess.DEVNULL)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


@pytest.mark.parametrize("way", ["stdio", "http"])
def test_a_server_of_the_sdk(tmp_path: Path, way: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shop = (
        McpServer("shop", sys.executable, (SDK_PROGRAM,), {"PYTHONPATH": os.pathsep.join(sys.path)}, examples=SDK_EXAMPLES, **SDK)
        if way == "stdio"
        else McpServer("shop", url=f"http://127.0.0.1:{port}/mcp", examples=SDK_EXAMPLES, **SDK)
    )

    async def script(node: Node, outside: McpServers) -> None:
        async with AsyncExitStack() as stack:
            if way == "http":
                await stack.enter_async_context(sdk_over_http(port))
            await until(lambda: outside.known["shop"].lists == 1)
            assert not outside.known["shop"].refused and not outside.known["shop"].notes
            assert await node.said("what is on my list?") == "The list is empty."
            assert (await agreed(node, "put oat milk on my list")).reply == "Put oat milk on the list."
            assert await node.said("ridealong, what is on my list?") == "On the list: oat milk."
            assert "read out" in await node.said("count my list")
            assert await node.said("use grow") == "Grown."
            await until(lambda: "shop.fresh" in node.registry)
            mark = tmp_path / "stopped"
            waiting = asyncio.create_task(outside.connections["shop"].call("wait", {"file": str(mark)}))
            await asyncio.sleep(0.3)
            waiting.cancel()
            await until(mark.exists)

    play(tmp_path, script, shop, wait=False)


def test_an_endpoint_that_was_started_anew_is_met_anew(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shop = McpServer("shop", url=f"http://127.0.0.1:{port}/mcp", examples=SDK_EXAMPLES, **SDK)

    async def script(node: Node, outside: McpServers) -> None:
        async with sdk_over_http(port):
            await until(lambda: outside.known["shop"].lists == 1)
            assert await node.said("what is on my list?") == "The list is empty."
        async with sdk_over_http(port):
            said = await node.said("so what is on my list?")
            assert said in ("Shop stopped answering.", "I can't reach shop right now, so I did nothing.")
            await until(lambda: outside.known["shop"].lists == 2)
            assert await node.said("ridealong, what is on my list?") == "The list is empty."

    play(tmp_path, script, shop, wait=False)
