"""Real MCP servers as programs, well-behaved and not: each costs itself only, no call is made twice, and the node says what it knows."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="pip install 'ridealong[mcp]'")


from tests.process.mcp_scene import EXAMPLES, PROGRAM, Node, agreed, effects, messages, play, server, until

from ridealong.cli import main
from ridealong.harness.mcp.config import McpServer
from ridealong.harness.mcp.report import report
from ridealong.harness.mcp.restarting import State
from ridealong.harness.mcp.servers import McpServers
from ridealong.harness.observing import Change, Outside
from ridealong.harness.registry import Registry
from ridealong.harness.skill import Provenance

pytestmark = pytest.mark.process

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
        changes = (Change.STARTED, Change.FAILED, Change.STARTED)
        assert node.told == [Outside("mcp_server", "box", change) for change in changes]

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


def test_the_command_says_what_can_be_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "node.yaml"
    entry = {"name": "box", "command": sys.executable, "args": [PROGRAM], "allow": ["echo", "add"], "read_only": ["echo"]}
    file.write_text(json.dumps({"mcp_servers": [entry]}))
    assert main(["mcp", "check", "--config", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    if sys.platform == "linux":
        assert "at most 1024 MB" in lines.pop(1)
    assert [line for line in lines if "not held on this machine" not in line] == [
        "box  2 tools", "  box.echo(text)  reads; 0 example sentences", "  box.add(text)  changes, asks first; 0 example sentences",
    ]  # fmt: skip
    file.write_text("server: {workers: 2}")
    assert main(["mcp", "check", "--config", str(file)]) == 2 and "names no mcp_servers" in capsys.readouterr().err
