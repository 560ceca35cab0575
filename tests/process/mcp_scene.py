"""A session's harness with the real router over real MCP servers, in real time; what the servers of mcp_server.py were asked and did."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="pip install 'ridealong[mcp]'")

from tests.process import mcp_server
from tests.unit.harness_scene import FakeCar

from ridealong.harness.harness import Harness, HarnessEvent
from ridealong.harness.journal import Journal
from ridealong.harness.mcp.config import McpServer
from ridealong.harness.mcp.servers import McpServers
from ridealong.harness.observing import Observation
from ridealong.harness.registry import Registry
from ridealong.harness.router import Router
from ridealong.harness.runner import LoopClock
from ridealong.harness.skill import Outcome, Provenance
from ridealong.harness.snapshot import Evidence
from ridealong.harness.work import WorkItem
from ridealong.proto.types import Samples, samples_from_ms

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
    told: list[Observation] = field(default_factory=list)

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
        if self.harness.items[new].outcome is Outcome.ASKS:  # nobody answers a question that was not put
            await until(lambda: any(one.work_id == new for one in self.harness.boundary(self.now(), True, 5_000.0)))
            self.harness.playback(new, "finished", self.harness.items[new].reply, self.now())
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
        outside = McpServers(servers, node.registry, os.environ, node.told.append)
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


async def agreed(node: Node, words: str) -> WorkItem:
    """Our question is asked, heard, and answered with yes."""
    first = await node.item(words)
    assert first.outcome is not None and first.outcome.value == "asks", first
    return await node.item("yes please")
