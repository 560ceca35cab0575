"""A well-behaved MCP server made with the official SDK: `python mcp_sdk_server.py [PORT]`, standard input and output without a port."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context

server = MCPServer("shop")
kept: list[str] = []


@server.tool()
def show() -> str:
    """Say what is on the list."""
    return f"On the list: {', '.join(kept)}." if kept else "The list is empty."


@server.tool()
def put(item: str, count: int | None = None) -> str:
    """Put something on the list."""
    kept.append(f"{count} {item}" if count else item)
    return f"Put {item} on the list."


@server.tool()
def total() -> dict[str, Any]:
    """How much is on the list."""
    return {"total": len(kept)}


@server.tool()
async def wait(file: str) -> str:
    """Wait; leave a mark in a file when told to stop."""
    try:
        await asyncio.sleep(1_000)
    except asyncio.CancelledError:
        Path(file).touch()
        raise
    return ""


@server.tool()
async def grow(ctx: Context) -> str:
    """Offer one tool more."""
    server.add_tool(lambda: "New.", name="fresh", description="Fresh.")
    await ctx.session.send_tool_list_changed()
    return "Grown."


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        server.run()
