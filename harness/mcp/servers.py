"""All MCP servers of a node: each kept by itself, its tools in the registry as long as the node runs.

A server's tools stay registered while it is away: who asks for them hears that it can't be reached. When it comes back, or says that its
tools have changed, they are replaced by what it has then.
The SDK (the package mcp) is imported only where servers are configured. Does not know sessions, or what a tool does.
"""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from ridealong.errors import UserError
from ridealong.harness.mcp.capabilities import Ask, capability
from ridealong.harness.mcp.config import McpServer
from ridealong.harness.mcp.contracts import Described, Listing, Refused, listing
from ridealong.harness.mcp.examples import Example, UnfitExample, understood
from ridealong.harness.observing import Observe, unobserved
from ridealong.harness.registry import Registry
from ridealong.harness.skill import Skill

if TYPE_CHECKING:
    from ridealong.harness.mcp.connection import Connection

log = logging.getLogger("ridealong.mcp")


@dataclass(slots=True)
class Known:
    """What came of one server's list of tools. `skills` are registered; `refused` holds (tool, why)."""

    skills: list[Skill] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    lists: int = 0
    """How often it has told its tools."""


class McpServers:
    """`environ`: the node's environment, for `pass_env` and `headers_env`."""

    def __init__(
        self, servers: Sequence[McpServer], registry: Registry, environ: Mapping[str, str], observe: Observe = unobserved
    ) -> None:
        self.servers, self._registry, self._environ, self._observe = tuple(servers), registry, environ, observe
        self.known = {server.name: Known() for server in servers}
        self.connections: dict[str, Connection] = {}

    def check(self) -> None:
        """Raises UserError for what no restart will mend."""
        if self.servers and importlib.util.find_spec("mcp") is None:
            raise UserError(
                "mcp_servers needs the package mcp: install it with  pip install 'ridealong[mcp]', or remove mcp_servers."
            )
        for server in self.servers:
            if server.command and shutil.which(server.command) is None:
                raise UserError(
                    f"the command {server.command!r} of the MCP server {server.name!r} can't be found: install it, or correct command."
                )
            for variable in (*server.pass_env, *server.headers_env.values()):
                if not self._environ.get(variable):
                    raise UserError(f"the MCP server {server.name!r} needs the environment variable {variable}: set it.")

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """The servers are started, without waiting for them, and have left at the end."""
        self.check()
        if not self.servers:
            yield
            return
        from ridealong.harness.mcp.connection import Connection

        async with asyncio.TaskGroup() as tasks:
            kept = []
            for server in self.servers:
                connection = Connection(server, self._environ, partial(self._publish, server), observe=self._observe)
                self.connections[server.name] = connection
                kept.append(tasks.create_task(connection.run(), name=f"mcp {server.name}"))
            try:
                yield
            finally:
                for task in kept:
                    task.cancel()

    def _publish(self, server: McpServer, tools: list[Described]) -> None:
        found = listing(server.name, tools, server.allow, (*server.read_only, *server.examples))
        known = self.known[server.name] = describe(
            server, found, self.connections[server.name].call, self.known[server.name].lists + 1
        )
        for name, why in self._registry.offer(f"mcp:{server.name}", known.skills):
            known.refused.append(Refused(name, why))
            known.skills = [skill for skill in known.skills if skill.name != name]
        for refused in known.refused:
            log.warning("the MCP server %s: the tool %r is not taken: %s", server.name, refused.tool, refused.reason)
        for note in known.notes:
            log.warning("the MCP server %s: %s", server.name, note)


def describe(server: McpServer, found: Listing, ask: Ask, lists: int = 1) -> Known:
    """The skills of a listing, and everything that an integrator should know about it."""
    known = Known(refused=list(found.refused), lists=lists)
    known.notes += [f"it has no tool {tool!r}, which the configuration names" for tool in found.unknown]
    for contract in found.taken:
        if contract.left_out:
            known.notes.append(f"{contract.name} without its arguments {', '.join(contract.left_out)}, which can't be said")
        examples: list[Example] = []
        for sentence in server.examples.get(contract.tool, ()):
            try:
                examples += understood((sentence,), contract.schema)
            except UnfitExample as why:
                known.notes.append(f"the example {sentence!r} of {contract.tool!r} {why}")
        known.skills.append(capability(server, contract, tuple(examples), ask))
    return known
