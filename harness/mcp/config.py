"""One MCP server as the node's configuration names it: how it is reached, which of its tools are taken, and what they may do.

Does not know YAML (settings.py), the protocol, or which tools a server has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ridealong.harness.mcp.limits import Limits
from ridealong.harness.permission import SPEAKERS, Motion, Provenance

MAX_SERVERS: Final = 16
_NAME = re.compile(r"[a-z][a-z0-9_]{0,23}")
_ENVIRONMENT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class McpServer:
    """`name` begins the names of its skills. Either `command` (stdio) or `url` (streamable HTTP)."""

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables for the program, as written here; it gets nothing of the node's environment but PATH, HOME, LANG and `pass_env`."""
    pass_env: tuple[str, ...] = ()
    """Variables of the node's environment that the program gets too: the place for secrets."""
    url: str = ""
    headers_env: Mapping[str, str] = field(default_factory=dict)
    """HTTP header -> variable of the node's environment that holds its value."""
    memory_mb: int = 1024
    """Of a command: for each of its processes, and for all of them together."""
    cpu_s: int = 30
    """Of a command: processor time within a minute."""
    processes: int = 128
    """Of a command: processes and threads."""
    network: bool = False
    """A command may use the network. Stated for each: many servers need it, and what users say to one that has it can go anywhere."""
    timeout_ms: int = 10_000
    """For one call of a tool."""
    start_timeout_ms: int = 20_000
    """From the program's start, or the first request, to the list of tools."""
    allow: tuple[str, ...] = ()
    """The tools that are taken, by the server's own names; empty: all."""
    read_only: tuple[str, ...] = ()
    """The tools that only read. Every other tool counts as one that changes something, whatever the server says of it."""
    motion: Motion = Motion.ANY
    """The most at which the tools that change something may be called: any, slow, parked."""
    by: tuple[str, ...] = ()
    """Who may have those called: driver, passenger, wearer, typed; empty: all of them."""
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Tool -> sentences that call it, with {argument} where an argument's words stand."""

    @property
    def speakers(self) -> frozenset[Provenance]:
        return frozenset(map(Provenance, self.by)) if self.by else SPEAKERS

    @property
    def limits(self) -> Limits:
        return Limits(self.memory_mb, self.cpu_s, self.processes, self.network)

    def check(self) -> str | None:
        mentioned = {*self.read_only, *self.examples}
        if _NAME.fullmatch(self.name) is None:
            return f"the name of an MCP server must be small letters, digits and _, at most 24, not {self.name!r}."
        if bool(self.command) == bool(self.url):
            return f"the MCP server {self.name!r} needs either command or url."
        if self.url and not self.url.startswith(("http://", "https://")):
            return f"the url of the MCP server {self.name!r} must begin with http:// or https://."
        if self.url and (self.args or self.env or self.pass_env):
            return f"the MCP server {self.name!r} has a url: args, env and pass_env belong to a command."
        if self.url and self.limits != Limits():
            return f"the MCP server {self.name!r} has a url: memory_mb, cpu_s, processes and network belong to a command."
        if problem := self.limits.check():
            return f"{problem.partition(' ')[0]} of the MCP server {self.name!r} {problem.partition(' ')[2]}."
        if self.command and self.headers_env:
            return f"the MCP server {self.name!r} has a command: headers_env belongs to a url."
        if not 100 <= self.timeout_ms <= 600_000:
            return f"timeout_ms of the MCP server {self.name!r} must lie between 100 and 600000."
        if not 100 <= self.start_timeout_ms <= 600_000:
            return f"start_timeout_ms of the MCP server {self.name!r} must lie between 100 and 600000."
        for variable in (*self.env, *self.pass_env, *self.headers_env.values()):
            if _ENVIRONMENT_NAME.fullmatch(variable) is None:
                return f"the MCP server {self.name!r} names {variable!r}, which is no environment variable."
        if strange := sorted(set(self.by) - {one.value for one in SPEAKERS}):
            among = ", ".join(sorted(one.value for one in SPEAKERS))
            return f"the MCP server {self.name!r} has {strange[0]!r} in by, which is none of {among}."
        if self.allow and (unknown := sorted(mentioned - set(self.allow))):
            return f"the MCP server {self.name!r} has {unknown[0]!r} in read_only or examples, but not in allow."
        return None


def check_all(servers: tuple[McpServer, ...]) -> str | None:
    """What is wrong with them together."""
    names = [server.name for server in servers]
    if len(names) > MAX_SERVERS:
        return f"mcp_servers may name at most {MAX_SERVERS} servers."
    twice = next((name for name in names if names.count(name) > 1), None)
    return f"mcp_servers names {twice!r} twice; give each server a name of its own." if twice else None
