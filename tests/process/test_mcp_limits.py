"""Programs of MCP servers that take all they can get: each harms its own call only, and nothing of one is left."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import textwrap
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="pip install 'ridealong[mcp]'")

from tests.process import mcp_greedy
from tests.process.mcp_scene import PROGRAM, Node, play, until

from ridealong.harness.mcp import program as programs
from ridealong.harness.mcp.config import McpServer
from ridealong.harness.mcp.servers import McpServers

pytestmark = [pytest.mark.process, pytest.mark.skipif(sys.platform != "linux", reason="the limits are Linux'")]

GREEDY = str(Path(mcp_greedy.__file__))
READ_ONLY = tuple(mcp_greedy.TOOLS)
EXAMPLES = {name: (f"use {name}" + (" with {text}" if tool["properties"] else ""),) for name, tool in mcp_greedy.TOOLS.items()}
OTHER = McpServer(
    "other", sys.executable, (PROGRAM,), allow=("echo",), read_only=("echo",), examples={"echo": ("please repeat {text}",)}
)


def greedy(folder: Path, *flags: str, timeout_ms: int = 4_000, **limits: object) -> McpServer:
    """`folder` stands in the command line: by it its processes are known."""
    args = (GREEDY, "--log", str(folder / "box.log"), *flags)
    return McpServer("box", sys.executable, args, timeout_ms=timeout_ms, read_only=READ_ONLY, examples=EXAMPLES, **limits)  # type: ignore[arg-type]


def alive(folder: Path) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and str(folder).encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def costs_itself_only(folder: Path, tool: str, why: str, **limits: object) -> None:
    """The call fails, another server answers meanwhile, and the server is there again and well."""

    async def script(node: Node, outside: McpServers) -> None:
        node.ask(f"use {tool}")
        await until(lambda: any(item.capability == f"box.{tool}" for item in node.harness.items.values()))
        (id,) = node.harness.items
        assert await node.said("please repeat all is well") == "echo: all is well"
        reasons: set[str] = set()

        def back() -> bool:
            reasons.add(outside.connections["box"].reason)
            return outside.known["box"].lists >= 2

        await until(back)
        await until(lambda: node.harness.items[id].execution.over)
        assert node.harness.items[id].execution.value == "failed" and any(why in reason for reason in reasons), reasons
        assert await node.said("use echo with sugar") == "echo: sugar"

    play(folder, script, greedy(folder, **limits), OTHER)
    assert alive(folder) == []


@pytest.mark.parametrize(
    ("tool", "why", "limits"),
    [
        ("spin", "processor time", {"cpu_s": 1}), ("family", "MB of memory", {"memory_mb": 200}), ("leave", "status 1", {}), ("bomb", "processor time", {"cpu_s": 1, "processes": 24}),
        ("blank", "lines a second", {}), ("chatter", "lines a second", {}), ("endless", "4 MiB", {}),
    ],
)  # fmt: skip
def test_it_costs_its_own_call_only(tmp_path: Path, tool: str, why: str, limits: dict[str, object]) -> None:
    costs_itself_only(tmp_path, tool, why, **limits)


def test_memory_and_threads_are_refused_where_they_are_asked_for(tmp_path: Path) -> None:
    async def script(node: Node, outside: McpServers) -> None:
        held = outside.connections["box"].held
        if held is not None and held.processes != "counted":
            assert int((await node.said("use threads")).split()[0]) < 24
        assert await node.said("use allocate") == "MemoryError"
        assert await node.said("use limit") in ("ValueError", "PermissionError")
        assert await node.said("use echo with well") == "echo: well" and outside.known["box"].lists == 1

    play(tmp_path, script, greedy(tmp_path, memory_mb=256, processes=24))


def test_a_bomb_makes_no_more_processes_than_it_may_have(tmp_path: Path) -> None:
    most = 0

    async def script(node: Node, outside: McpServers) -> None:
        nonlocal most
        held = outside.connections["box"].held
        assert held is not None
        if held.processes == "counted":
            pytest.skip("this machine can't refuse processes, and says so")
        node.ask("use bomb")
        async with asyncio.timeout(30):
            while outside.known["box"].lists < 2:  # noqa: ASYNC110
                most = max(most, len(alive(tmp_path)))
                await asyncio.sleep(0.02)

    play(tmp_path, script, greedy(tmp_path, processes=24, cpu_s=1))
    assert 10 <= most <= 24 and alive(tmp_path) == []  # and the launcher is none of them


@pytest.mark.parametrize("network", [False, True])
def test_the_network_is_there_only_where_it_is_stated(tmp_path: Path, network: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]

        async def script(node: Node, outside: McpServers) -> None:
            expected = "open open open" if network else "PermissionError refused PermissionError"
            assert await node.said(f"use connect with {port}") == expected

        play(tmp_path, script, greedy(tmp_path, network=network, timeout_ms=10_000))


def test_it_reaches_into_no_other_program(tmp_path: Path) -> None:
    async def script(node: Node, outside: McpServers) -> None:
        held = outside.connections["box"].held
        assert held is not None and (held.apart or held.gaps)
        said = await node.said(f"use reach with {os.getpid()}")
        assert said.split()[0] == ("PermissionError" if held.signals else "None")

    play(tmp_path, script, greedy(tmp_path))


def test_what_it_says_to_standard_error_goes_nowhere_and_fills_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    async def script(node: Node, outside: McpServers) -> None:
        assert await node.said("use mutter") == "Said."

    play(tmp_path, script, greedy(tmp_path))
    assert "xxx" not in capfd.readouterr().err


def test_children_of_children_that_left_the_group_end_with_it(tmp_path: Path) -> None:
    async def script(node: Node, outside: McpServers) -> None:
        assert await node.said("use orphan") == "Left alone."
        await until(lambda: len(alive(tmp_path)) == 2)

    play(tmp_path, script, greedy(tmp_path))
    assert alive(tmp_path) == []


def test_they_end_also_where_the_program_itself_is_killed(tmp_path: Path) -> None:
    async def script(node: Node, outside: McpServers) -> None:
        assert await node.said("use orphan") == "Left alone."
        await until(lambda: len(alive(tmp_path)) == 2)
        before = set(alive(tmp_path))
        assert (await node.item("use leave")).execution.value == "failed"
        await until(lambda: not before & set(alive(tmp_path)))

    play(tmp_path, script, greedy(tmp_path))


def test_one_that_does_not_listen_is_ended(tmp_path: Path) -> None:
    async def script(node: Node, outside: McpServers) -> None:
        assert len(alive(tmp_path)) == 1

    play(tmp_path, script, greedy(tmp_path, "--stays", "--deaf"))
    assert alive(tmp_path) == []


def test_they_do_not_outlive_the_node(tmp_path: Path) -> None:
    code = textwrap.dedent(f"""
        import asyncio, sys
        from pathlib import Path
        from tests.process.mcp_scene import play
        from tests.process.test_mcp_limits import greedy
        async def script(node, outside):
            await node.said("use orphan")
            print("ready", flush=True)
            await asyncio.sleep(600)
        play(Path({str(tmp_path)!r}), script, greedy(Path({str(tmp_path)!r})))
        """)
    node = subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[2], stdout=subprocess.PIPE)
    try:
        assert node.stdout is not None and node.stdout.readline() == b"ready\n"
        asyncio.run(until(lambda: len(alive(tmp_path)) >= 3))  # the node, too; what the server starts may come up a moment later
    finally:
        node.send_signal(signal.SIGKILL)
        node.wait()
    asyncio.run(until(lambda: alive(tmp_path) == []))


# --- where the machine can't ---------------------------------------------------------------------------------------------


def patched(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    boot = programs._BOOT.replace("; main()", f"; from ridealong.harness.mcp import launcher; {code}; main()")
    monkeypatch.setattr(programs, "_BOOT", boot)


def told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, code: str, check: Callable[[McpServers], Awaitable[None]], **limits: object
) -> None:
    patched(monkeypatch, code)

    async def script(node: Node, outside: McpServers) -> None:
        await check(outside)

    play(folder, script, greedy(folder, **limits), wait=False)


NO_FILTER = "launcher.seccomp.install_for_family = lambda network: False"
NO_SPACES = "launcher._NEWNET = launcher._NEWUSER = -1"
NO_GROUP = "launcher.Cgroup.made = staticmethod(lambda name, processes: None)"
NO_SCOPE = "launcher.landlock.scope = lambda network: False"


def test_where_the_network_cant_be_denied_the_program_is_not_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def check(outside: McpServers) -> None:
        await until(lambda: "can't keep a program from the network; set network: true" in outside.connections["box"].reason)
        assert not (tmp_path / "box.log").exists()

    told(tmp_path, monkeypatch, f"{NO_FILTER}; {NO_SPACES}", check)


@pytest.mark.parametrize(("lacking", "layer"), [(NO_FILTER, "namespace"), (NO_SPACES, "filter")])
def test_one_layer_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacking: str, layer: str) -> None:
    async def check(outside: McpServers) -> None:
        await until(lambda: outside.known["box"].lists == 1)
        held = outside.connections["box"].held
        assert held is not None and held.network == (layer,)

    told(tmp_path, monkeypatch, lacking, check)


def test_what_does_not_hold_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    async def check(outside: McpServers) -> None:
        await until(lambda: outside.known["box"].lists == 1)
        assert len(outside.connections["box"].gaps) == 3

    told(tmp_path, monkeypatch, f"{NO_FILTER}; {NO_SPACES}; {NO_GROUP}; {NO_SCOPE}", check, network=True)
    for part in ("only counted", "look into other programs", "signal other programs"):
        assert any(part in record.getMessage() and record.levelname == "WARNING" for record in caplog.records)


def test_a_bomb_that_is_only_counted_is_ended_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    patched(monkeypatch, NO_GROUP)
    monkeypatch.setitem(EXAMPLES, "family", ("use family",))

    async def script(node: Node, outside: McpServers) -> None:
        node.ask("use family")  # four more processes, and no end to it asked for
        await until(lambda: outside.known["box"].lists == 2)

    play(tmp_path, script, greedy(tmp_path, processes=4, network=True))
    assert alive(tmp_path) == []


WITHOUT_RIGHTS = """
import os, time
from ridealong.harness.mcp.launcher import confine
from ridealong.harness.mcp.limits import Limits

if os.geteuid() == 0:
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
held = confine(Limits(processes=12), None)
made = 0
for _ in range(40):
    try:
        if os.fork() == 0:
            time.sleep(5)
            os._exit(0)
        made += 1
    except OSError:
        break
print(held.processes, made, os.geteuid() != 0, flush=True)
os._exit(0)
"""


def test_without_rights_the_kernel_counts_the_program_s_processes_alone(tmp_path: Path) -> None:
    """In a program of its own that gives up root, where it has it: the tests' own holds threads that no fork survives."""
    with (tmp_path / "report").open("w+") as report:  # no pipe: the sleepers would hold its end
        subprocess.run([sys.executable, "-c", WITHOUT_RIGHTS], stdout=report, timeout=60, check=True)
        report.seek(0)
        how, made, without = report.read().split()
    assert without == "True"
    assert (how, int(made) <= 11) == ("user", True) or how == "counted"
