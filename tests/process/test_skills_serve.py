"""`ridealong skills serve`, asked by the MCP SDK's own client: what the tools are, what they may do, and what they refuse."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="pip install 'ridealong[mcp]'")

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from ridealong.harness.journal import Journal

pytestmark = pytest.mark.process

SOURCES = str(Path(__file__).parents[2] / "src")
CODE = "import sys; sys.argv[0] = 'ridealong'; from ridealong.cli import main; sys.exit(main())"


def served(story: Callable[[ClientSession], Awaitable[None]], *options: str) -> None:
    async def main() -> None:
        environment = os.environ | {"PYTHONPATH": SOURCES, "OPENBLAS_NUM_THREADS": "1"}
        program = StdioServerParameters(command=sys.executable, args=["-c", CODE, "skills", "serve", *options], env=environment)
        async with asyncio.timeout(90), stdio_client(program) as (reads, writes), ClientSession(reads, writes) as session:
            await session.initialize()
            await story(session)

    asyncio.run(main())


async def said(session: ClientSession, name: str, **arguments: Any) -> tuple[str, bool]:
    result = await session.call_tool(name, arguments)
    return result.content[0].text, bool(result.is_error)  # type: ignore[union-attr]


def test_by_default_it_reads_and_does_nothing() -> None:
    async def story(session: ClientSession) -> None:
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert tools["status.speed"].annotations.read_only_hint is True  # type: ignore[union-attr]
        assert tools["windows.set_position"].annotations.read_only_hint is False  # type: ignore[union-attr]
        assert "work.cancel" not in tools and "talk.repeat" not in tools and "timer.set" not in tools
        assert (await said(session, "status.tyres"))[1] is False
        text, failed = await said(session, "status.windows", zone="all")
        assert not failed and "closed" in text
        text, failed = await said(session, "climate.set_temperature", target=24, zone="row1.driver")
        assert failed and text == "I can't tell who asked, so I won't set the temperature to 24 degrees."

    served(story)


def test_as_typed_it_acts_by_the_cars_own_word_and_keeps_a_journal(tmp_path: Path) -> None:
    async def story(session: ClientSession) -> None:
        assert await said(session, "climate.set_temperature", target=24, zone="row1.driver") == ("Set to 24 degrees.", False)
        text, failed = await said(session, "climate.set_temperature", target=99, zone="row1.driver")
        assert failed and "at most 30" in text
        text, failed = await said(session, "climate.set_temperature", target=24)
        assert failed and "zone is missing" in text
        text, failed = await said(session, "trunk.open", confirmed=True)
        assert failed and text == "I need your confirmation before I open the boot."
        text, failed = await said(session, "rocket.launch")
        assert failed and "no tool" in text

    served(story, "--as", "typed", "--journal", str(tmp_path / "work.sqlite"))
    journal = Journal(tmp_path / "work.sqlite", read_only=True)
    items = {item.capability: item for item in journal.items()}
    intents = [intent.state for item in items.values() for intent in journal.intents(item.id)]
    journal.close()
    assert set(items) == {"climate.set_temperature", "trunk.open"} and intents == ["confirmed"]
    assert items["climate.set_temperature"].execution.value == "completed"


def test_a_car_that_is_not_there_is_said() -> None:
    async def story(session: ClientSession) -> None:
        text, failed = await said(session, "climate.set_temperature", target=24, zone="row1.driver")
        assert failed and "no car is connected" in text

    served(story, "--as", "typed", "--broker", "127.0.0.1:9")
