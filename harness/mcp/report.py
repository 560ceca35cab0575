"""What the configured servers offer: they are started, say which tools they have, and are stopped. No tool is called.

Does not know the command line, or sessions.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence

from ridealong.errors import UserError
from ridealong.harness.mcp.config import McpServer
from ridealong.harness.mcp.servers import McpServers
from ridealong.harness.registry import Registry

POLL_S = 0.05
MARGIN_MS = 2_000


async def report(servers: Sequence[McpServer], registry: Registry, timeout_s: float = 0.0) -> tuple[list[str], bool]:
    """Lines to print, and whether every server answered and every tool that is wanted can be used."""
    if not servers:
        raise UserError("the configuration names no mcp_servers: see docs/guides/mcp.md.")
    outside = McpServers(servers, registry, os.environ)
    lines: list[str] = []
    good = True
    async with outside.running():
        loop = asyncio.get_running_loop()
        until_s = loop.time() + (timeout_s or (max(server.start_timeout_ms for server in servers) + MARGIN_MS) / 1000)
        while loop.time() < until_s:
            if all(known.lists or outside.connections[name].reason for name, known in outside.known.items()):
                break
            await asyncio.sleep(POLL_S)
        for server in servers:
            known, connection = outside.known[server.name], outside.connections[server.name]
            state = f"{len(known.skills)} tools" if known.lists else f"not there: {connection.reason or 'no answer in time'}"
            lines.append(f"{server.name}  {state}")
            if connection.held is not None:
                lines.append(f"  {connection.held.sentence(server.limits)}")
            lines += [f"  not held on this machine: {gap}" for gap in connection.gaps]
            for skill in known.skills:
                kind = "reads" if skill.read_only else "changes, asks first"
                properties = skill.arguments_schema["properties"]
                assert isinstance(properties, Mapping)
                arguments = ", ".join(properties)
                sentences = [sentence for kept in skill.examples.values() for sentence in kept]
                lines.append(f"  {skill.name}({arguments})  {kind}; {len(sentences)} example sentences")
            lines += [f"  not taken: {refused.tool}: {refused.reason}" for refused in known.refused]
            lines += [f"  note: {note}" for note in known.notes]
            good = good and bool(known.lists) and not known.refused and not known.notes
    return lines, good
