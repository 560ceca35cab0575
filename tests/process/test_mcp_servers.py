"""Real MCP servers as programs and over HTTP, well-behaved and not: each costs itself only, no call is made twice, and the node says what it knows."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="pip install 'ridealong[mcp]'")

from tests.process import mcp_server
from tests.unit.harness_scene import FakeCar

from ridealong.cli import main
from ridealong.harness.harness import Harness, HarnessEvent
from ridealong.harness.journal import Journal
from ridealong.harness.mcp.config import McpServer
from ridealong.harness.mcp.report import report
from ridealong.harness.mcp.restarting import State
from ridealong.harness.mcp.servers import McpServers
from ridealong.harness.registry import Registry
from ridealong.harness.router import Router
from ridealong.harness.runner import LoopClock
from ridealong.harness.skill import Provenance
from ridealong.harness.snapshot import Evidence
from ridealong.harness.work import WorkItem
from ridealong.proto.types import Samples, samples_from_ms

pytestmark = pytest.mark.process

PROGRAM = str(Path(mcp_server.__file__))
READ_ONLY = (
    "echo",
    "deaf",
    "wedge",
    "crash",
    "rubbish",
    "wrong",
    "huge",
    "long",
    "picture",
    "data",
    "markers",
    "fails",
    "rejects",
    "slow",
    "grow",
)
EXAMPLES = {name: (f"use {name.replace('_', ' ')}" + (" with {text}" if "text" in tool["properties"] else ""),)
            for name, tool in mcp_server.TOOLS.items() if name != "needs_a_list"}  # fmt: skip


@dataclass
class Node:
    """A session's harness with the real router over real servers, in real time."""

    folder: Path
    registry: Registry = field(default_factory=Registry)
    events: list[HarnessEvent] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.journal = Journal(self.folder / "journal.sqlite")
        self.harness = Harness(
            "s", self.registry, Router(self.registry), self.journal, FakeCar(), LoopClock(), Evidence(), self.events.append, self.now
        )  # fmt: skip

    def now(self) -> Samples:
        return samples_from_ms(asyncio.get_running_loop().time() * 1000)

    def ask(self, words: str, provenance: Provenance = Provenance.DRIVER) -> None:
        self.harness.feed(f"<delegate>{words}</delegate>", self.now(), words, "en", provenance, True)

    async def item(self, words: str, provenance: Provenance = Provenance.DRIVER) -> WorkItem:
        """The item that the words made, when its execution is over."""
        before = set(self.harness.items)
        self.ask(words, provenance)
        await until(lambda: any(id not in before for id in self.harness.items))
        (new,) = set(self.harness.items) - before
        await until(lambda: self.harness.items[new].execution.over)
        return self.harness.items[new]

    async def said(self, words: str) -> str:
        return (await self.item(words)).reply


async def until(true: Callable[[], bool], within_s: float = 30.0) -> None:
    async with asyncio.timeout(within_s):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def server(folder: Path, *flags: str, name: str = "box", timeout_ms: int = 5_000, **more: object) -> McpServer:
    args = (PROGRAM, "--log", str(folder / f"{name}.log"), "--effects", str(folder / "effects"), *flags)
    return McpServer(name, sys.executable, args, timeout_ms=timeout_ms, read_only=READ_ONLY, examples=EXAMPLES, **more)  # type: ignore[arg-type]


def effects(folder: Path) -> list[str]:
    file = folder / "effects"
    return file.read_text().splitlines() if file.exists() else []


def messages(folder: Path, method: str, name: str = "box") -> list[dict[str, object]]:
    lines = (folder / f"{name}.log").read_text().splitlines() if (folder / f"{name}.log").exists() else []
    return [message for line in lines if (message := json.loads(line)).get("method") == method]


def play(folder: Path, script: Callable[[Node, McpServers], Awaitable[None]], *servers: McpServer, wait: bool = True) -> None:
    async def run() -> None:
        node = Node(folder)
        outside = McpServers(servers, node.registry, os.environ)
        try:
            async with outside.running(), asyncio.TaskGroup() as group:
                group.create_task(node.harness.run())
                if wait:
                    await until(lambda: all(known.lists for known in outside.known.values()))
                try:
                    await script(node, outside)
                finally:
                    await node.harness.close()
        finally:
            node.journal.close()

    asyncio.run(run())


# --- what is said ------------------------------------------------------------------------------------------------------


def test_answers_are_reduced_to_speakable_text(tmp_path: Path) -> None:
    async def script(node: Node, outside: McpServers) -> None:
        assert await node.said("use echo with hello there") == "echo: hello there"
        assert await node.said("use rubbish") == "After the rubbish."
        assert await node.said("use markers") == "It is open the boot fine."
        assert len(await node.said("use long")) < 100
        assert "read out" in await node.said("use data")
        assert "read out" in await node.said("use picture")
        for words in ("use fails", "use rejects", "use wrong"):
            item = await node.item(words)
            assert item.execution.value == "failed" and "secret" not in item.reply and item.reply
        assert outside.connections["box"].state is State.READY

    play(tmp_path, script, server(tmp_path))


def test_pages_duplicates_and_what_is_refused(tmp_path: Path) -> None:
    lines, good = asyncio.run(report([server(tmp_path, "--page", "3", "--duplicates")], Registry()))
    text = "\n".join(lines)
    assert "box  19 tools" in text and "box.echo(text)  reads; 1 example" in text and "box.add(text)  changes, asks first" in text
    assert (
        "not taken: echo: it has the same name as 'echo'" in text
        and "not taken: needs_a_list: it requires 'who'" in text
        and not good
    )
    assert len(messages(tmp_path, "tools/list")) == 7 and not messages(tmp_path, "tools/call")


def test_a_server_that_sends_in_circles_is_left(tmp_path: Path) -> None:
    lines, _ = asyncio.run(report([server(tmp_path, "--circles", "--page", "30")], Registry()))
    assert "box  19 tools" in lines[0] and len(messages(tmp_path, "tools/list")) == 2


def test_the_revision_without_a_handshake(tmp_path: Path) -> None:
    async def script(node: Node, outside: McpServers) -> None:
        assert await node.said("use echo with hello") == "echo: hello"
        assert await node.said("use rejects") == "Box says that it didn't work."

    play(tmp_path, script, server(tmp_path, "--modern"))


def test_tools_that_change_are_asked_for_again(tmp_path: Path) -> None:
    async def script(node: Node, outside: McpServers) -> None:
        assert "box.data" in node.registry and "box.new" not in node.registry
        assert await node.said("use grow") == "Grown."
        await until(lambda: "box.new" in node.registry and "box.data" not in node.registry)

    play(tmp_path, script, server(tmp_path))


# --- what changes something --------------------------------------------------------------------------------------------


async def agreed(node: Node, words: str) -> WorkItem:
    """Our question is asked, heard, and answered with yes."""
    first = await node.item(words)
    assert first.outcome is not None and first.outcome.value == "asks", first
    return await node.item("yes please")


def test_nothing_is_changed_without_a_yes_and_once_with_it(tmp_path: Path) -> None:
    async def script(node: Node, outside: McpServers) -> None:
        first = await node.item("use add with milk")
        assert first.reply == "Shall I use box to add, with text milk?" and effects(tmp_path) == []
        done = await node.item("yes")
        assert (done.execution.value, done.reply) == ("completed", "add: milk") and effects(tmp_path) == ["milk"]
        (intent,) = node.journal.intents(done.id)
        assert (
            intent.state == "confirmed"
            and intent.writes[0].path == "mcp:box.add"
            and json.loads(str(intent.writes[0].value)) == {"text": "milk"}
        )
        keyed = await agreed(node, "use key")
        assert keyed.reply == f"{keyed.id}.0"

    play(tmp_path, script, server(tmp_path))


def test_a_question_a_no_and_a_stranger_change_nothing(tmp_path: Path) -> None:
    async def script(node: Node, outside: McpServers) -> None:
        await node.item("use add with milk")
        node.ask("no")
        node.ask("did you use add with milk?")
        assert (await node.item("use add with eggs", Provenance.UNKNOWN)).reason == "not_addressed"
        assert await node.said("use echo with x") == "echo: x"
        assert effects(tmp_path) == [] and len(messages(tmp_path, "tools/call")) == 1

    play(tmp_path, script, server(tmp_path))


@pytest.mark.parametrize("tool", ["crash", "hang"])
def test_an_effect_without_an_answer_is_unknown_and_is_not_tried_again(tmp_path: Path, tool: str) -> None:
    async def script(node: Node, outside: McpServers) -> None:
        item = await agreed(node, f"use add{tool} with milk")
        assert item.execution.value == "unknown" and "check" in item.reply
        (intent,) = node.journal.intents(item.id)
        assert intent.state == ("timed_out" if tool == "crash" else None)
        await until(
            lambda: (
                outside.known["box"].lists >= (2 if tool == "crash" else 1) and outside.connections["box"].state is State.READY
            )
        )
        assert await node.said("use echo with more") == "echo: more"
        assert effects(tmp_path) == ["milk"]
        sent = [m["params"]["name"] for m in messages(tmp_path, "tools/call")]  # type: ignore[index]
        assert sent == [f"add{tool}", "echo"]

    play(tmp_path, script, server(tmp_path, timeout_ms=1_000))


# --- failures ----------------------------------------------------------------------------------------------------------


def test_a_crash_costs_its_call_and_the_server_comes_back(tmp_path: Path) -> None:
    async def script(node: Node, outside: McpServers) -> None:
        assert (await node.item("use crash")).reply == "Box stopped answering."
        assert await node.said("use echo with there") == "I can't reach box right now, so I did nothing."
        await until(lambda: outside.known["box"].lists == 2)
        assert await node.said("use echo with back") == "echo: back"

    play(tmp_path, script, server(tmp_path))


def test_a_server_that_keeps_crashing_at_its_start_is_tried_ever_less_often(tmp_path: Path) -> None:
    (tmp_path / "sick").touch()

    async def script(node: Node, outside: McpServers) -> None:
        await until(lambda: outside.connections["box"]._restarting.failures >= 2)
        assert outside.known["box"].lists == 0 and outside.connections["box"].reason
        (tmp_path / "sick").unlink()
        await until(lambda: outside.known["box"].lists == 1)
        assert await node.said("use echo with well") == "echo: well"

    play(tmp_path, script, server(tmp_path, "--dies-if", str(tmp_path / "sick")), wait=False)


def test_a_hanging_server_harms_only_its_own_items_and_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ridealong.harness.mcp.connection.PROBE_WITHIN_S", 0.5)

    async def script(node: Node, outside: McpServers) -> None:
        node.ask("use wedge")
        await until(lambda: bool(messages(tmp_path, "tools/call")))
        assert await node.said("use echo with over there") == "echo: over there"
        await until(lambda: outside.known["box"].lists == 2)
        stuck = next(item for item in node.harness.items.values() if item.capability == "box.wedge")
        assert stuck.execution.value == "failed" and stuck.reason == "timeout"

    other = McpServer(
        "other", sys.executable, (PROGRAM,), allow=("echo",), read_only=("echo",), examples={"echo": EXAMPLES["echo"]}
    )
    only = McpServer("box", sys.executable, (PROGRAM, "--log", str(tmp_path / "box.log")), timeout_ms=1_000, allow=("wedge",), read_only=("wedge",),
                     examples={"wedge": EXAMPLES["wedge"]})  # fmt: skip
    play(tmp_path, script, only, other)


def test_a_server_takes_only_some_of_a_sessions_places(tmp_path: Path) -> None:
    async def script(node: Node, outside: McpServers) -> None:
        connection = outside.connections["box"]
        waiting = [asyncio.create_task(connection.call("deaf", {})) for _ in range(4)]
        await until(lambda: len(messages(tmp_path, "tools/call")) == 4)
        assert await node.said("use echo with me") == "Box is still busy with other requests, so I did nothing."
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        assert await node.said("use echo with you") == "echo: you"

    play(tmp_path, script, server(tmp_path))


@pytest.mark.parametrize("why", ["asked", "timeout"])
def test_a_cancelled_call_is_cancelled_at_the_server(tmp_path: Path, why: str) -> None:
    async def script(node: Node, outside: McpServers) -> None:
        node.ask("use deaf")
        await until(lambda: bool(messages(tmp_path, "tools/call")))
        (id,) = node.harness.items
        if why == "asked":
            assert node.harness.cancel(id)
        await until(lambda: node.harness.items[id].execution.over)
        assert node.harness.items[id].execution.value == ("cancelled" if why == "asked" else "failed")
        await until(lambda: bool(messages(tmp_path, "notifications/cancelled")))
        (call,), (cancelled,) = messages(tmp_path, "tools/call"), messages(tmp_path, "notifications/cancelled")
        assert cancelled["params"]["requestId"] == call["id"]  # type: ignore[index]
        assert await node.said("use echo with on") == "echo: on"  # it was probed, and is well

    play(tmp_path, script, server(tmp_path, timeout_ms=800 if why == "timeout" else 30_000))


def test_a_result_beyond_all_bounds_costs_the_connection_not_the_node(tmp_path: Path) -> None:
    async def script(node: Node, outside: McpServers) -> None:
        assert (await node.item("use huge")).reply == "Box stopped answering."
        await until(lambda: "4 MiB" in outside.connections["box"].reason)
        await until(lambda: outside.known["box"].lists == 2)
        assert await node.said("use echo with small") == "echo: small"

    play(tmp_path, script, server(tmp_path))


def test_a_slow_start_holds_nobody_up_and_one_that_is_too_slow_is_given_up(tmp_path: Path) -> None:
    async def script(node: Node, outside: McpServers) -> None:
        assert len(node.registry) == 0
        await until(lambda: outside.known["box"].lists == 1)
        assert await node.said("use echo with late") == "echo: late"
        await until(lambda: "not ready within" in outside.connections["never"].reason)

    slow, never = server(tmp_path, "--slow", "0.7"), server(tmp_path, "--slow", "60", name="never", start_timeout_ms=300)
    play(tmp_path, script, slow, never, wait=False)


def test_a_program_that_stays_is_ended(tmp_path: Path) -> None:
    pids: list[int] = []

    async def script(node: Node, outside: McpServers) -> None:
        found = [
            int(p.name)
            for p in Path("/proc").iterdir()
            if p.name.isdigit() and str(tmp_path / "box.log").encode() in (p / "cmdline").read_bytes()
        ]
        pids.extend(found)

    play(tmp_path, script, server(tmp_path, "--stays"))
    assert len(pids) == 1 and not Path(f"/proc/{pids[0]}").exists()


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


def test_the_command_says_what_can_be_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "node.yaml"
    entry = {"name": "box", "command": sys.executable, "args": [PROGRAM], "allow": ["echo", "add"], "read_only": ["echo"]}
    file.write_text(json.dumps({"mcp_servers": [entry]}))
    assert main(["mcp", "check", "--config", str(file)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "box  2 tools", "  box.echo(text)  reads; 0 example sentences", "  box.add(text)  changes, asks first; 0 example sentences",
    ]  # fmt: skip
    file.write_text("server: {workers: 2}")
    assert main(["mcp", "check", "--config", str(file)]) == 2 and "names no mcp_servers" in capsys.readouterr().err


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
