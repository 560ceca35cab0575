"""One server, kept: started, asked for its tools, watched, and started again after a pause when it fails.

A call is sent once, or not at all: nothing here repeats one. Whoever is cancelled while waiting for an answer has the server told so
(notifications/cancelled, at most five seconds for a server that does not read); what it did is then not known. After an answer that failed to
come the server is probed, and replaced if it hangs.
What is `restarting.py`'s is when; what is the SDK's is the protocol. Does not know skills, sessions, or what is said.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import mcp_types as types
from mcp import MCPError
from mcp.client.session import ClientSession

from ridealong import __version__
from ridealong.harness.mcp.answers import Answer, Answered, Lost, NotSent, Rejected
from ridealong.harness.mcp.config import McpServer
from ridealong.harness.mcp.contracts import Described
from ridealong.harness.mcp.http import endpoint
from ridealong.harness.mcp.limits import Held
from ridealong.harness.mcp.program import Program, Unfit
from ridealong.harness.mcp.restarting import Restarting, State
from ridealong.harness.mcp.stdio import INHERITED, program
from ridealong.harness.observing import Change, Observe, Outside, unobserved

log = logging.getLogger("ridealong.mcp")

MAX_IN_FLIGHT: Final = 4
"""Calls that wait for one server; a further one is refused, so that a server that hangs takes no more of a session's places."""
MAX_PAGES: Final = 32
MAX_LISTED: Final = 512
PROBE_WITHIN_S: Final = 5.0
TRUST_WITHIN_S: Final = 2.0
"""How long a call waits for such a probe to end before it is not sent."""
SETTLE_S: Final = 0.2
"""After "my tools have changed", until they are asked for; a server may say so many times at once."""
NOT_DONE: Final = frozenset({-32601, -32602})
"""JSON-RPC: no such method or tool, wrong arguments. Nothing was done."""
KEY: Final = "ridealong/idempotency-key"
QUIET: Final = ("mcp", "client", "httpx2", "httpcore2")
"""Loggers of the SDK, some of whose messages hold what was said."""


Published = Callable[[list[Described]], None]


class Connection:
    """`published(tools)` is told the tools whenever they are known anew. `environ`: the node's environment."""

    def __init__(
        self,
        server: McpServer,
        environ: Mapping[str, str],
        published: Published,
        jitter: Callable[[], float] = random.random,
        observe: Observe = unobserved,
    ) -> None:
        self.server, self._observe = server, observe
        self._environ, self._published = environ, published
        self._restarting = Restarting(jitter)
        self._session: Any = None
        self._in_flight = 0
        self._news, self._trusted = asyncio.Event(), asyncio.Event()
        self._changed = self._suspected = False
        self._ended = ""
        self.held: Held | None = None
        self.gaps: tuple[str, ...] = ()

    @property
    def state(self) -> State:
        return self._restarting.state

    @property
    def reason(self) -> str:
        """Why it is not ready."""
        return self._restarting.reason

    @property
    def available(self) -> bool:
        """A call would be sent at once."""
        return self._session is not None and self._trusted.is_set()

    # --- a call -----------------------------------------------------------------------------------------------------

    async def call(self, tool: str, arguments: Mapping[str, object], key: str = "") -> Answer:
        """Raises nothing but CancelledError. `key` goes with it as our own idempotency key."""
        if self._session is not None and not self._trusted.is_set():  # an answer failed to come: is anybody there?
            with suppress(TimeoutError):
                async with asyncio.timeout(TRUST_WITHIN_S):
                    await self._trusted.wait()
        if not self.available:
            return NotSent("unreachable")
        session = self._session
        if self._in_flight >= MAX_IN_FLIGHT:
            return NotSent("busy")
        self._in_flight += 1
        answer: Answer = Lost()
        try:
            answer = await _ask(session, tool, arguments, key)
        finally:
            self._in_flight -= 1
            if isinstance(answer, Lost):
                self._suspected = True
                self._trusted.clear()
                self._news.set()
        return answer

    # --- its life ---------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Until cancelled."""
        for name in QUIET:
            logging.getLogger(name).setLevel(logging.CRITICAL)
        loop = asyncio.get_running_loop()
        try:
            while True:
                self._restarting.due()
                reason = await self._serve()
                if (task := asyncio.current_task()) is not None and task.cancelling():  # a fault at that moment came out instead
                    raise asyncio.CancelledError
                before = self._restarting.reason
                pause_ms = self._restarting.lost(loop.time() * 1000, reason)
                self._tell(Change.FAILED)
                if reason != before:
                    log.warning("the MCP server %s is not there: %s", self.server.name, reason)
                await asyncio.sleep(pause_ms / 1000)
        finally:
            self._restarting.close()

    async def _serve(self) -> str:
        """From its start to its end; why it ended."""
        self._changed = self._suspected = False
        self._ended = ""
        try:
            we = types.Implementation(name="ridealong", version=__version__)
            async with (
                self._streams() as (read, write),
                ClientSession(read, write, message_handler=self._heard, client_info=we) as session,
            ):
                try:
                    async with asyncio.timeout(self.server.start_timeout_ms / 1000):
                        await _shake_hands(session)
                        tools = await _tools(session)
                except TimeoutError:
                    return f"it was not ready within {self.server.start_timeout_ms} ms"
                self._published(tools)
                self._session = session
                self._trusted.set()
                self._restarting.ready(asyncio.get_running_loop().time() * 1000)
                self._tell(Change.STARTED)
                try:
                    return await self._watch(session)
                finally:
                    self._session = None
                    self._trusted.set()  # who waits for the verdict has it
        except TimeoutError:
            return "it did not list its tools in time"
        except Unfit as why:
            return str(why)
        except OSError as error:
            return f"it can't be started ({type(error).__name__})"
        except Exception as error:  # whatever a server or the SDK does costs only this server
            return self._ended or f"the connection failed ({_kind(error)})"

    def _tell(self, change: Change) -> None:
        self._observe(Outside("mcp_server", self.server.name, change))

    async def _watch(self, session: Any) -> str:
        while True:
            await self._news.wait()
            self._news.clear()
            if self._ended:
                return self._ended
            if self._suspected:
                self._suspected = False
                if not await _alive(session):
                    return self._ended or "it does not answer"
                self._trusted.set()
            if self._changed:
                await asyncio.sleep(SETTLE_S)
                self._changed = False
                async with asyncio.timeout(self.server.start_timeout_ms / 1000):
                    self._published(await _tools(session))

    async def _heard(self, message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self._changed = True
            self._news.set()

    def _over(self, why: str) -> None:
        self._ended = why
        self._news.set()

    def _began(self, process: Program) -> None:
        """What of its limits this machine can't give is told, once."""
        if process.gaps != self.gaps:
            for gap in process.gaps:
                log.warning("the MCP server %s is not fully limited on this machine: %s.", self.server.name, gap)
        self.held, self.gaps = process.held, process.gaps

    @asynccontextmanager
    async def _streams(self) -> AsyncIterator[tuple[Any, Any]]:
        server, environ = self.server, self._environ
        if server.url:
            headers = {header: environ.get(variable, "") for header, variable in server.headers_env.items()}
            async with endpoint(server.url, headers) as streams:
                yield streams
            return
        passed = {name: environ[name] for name in (*INHERITED, *server.pass_env) if name in environ}
        async with program(
            server.command, server.args, {**passed, **server.env}, server.limits, self._over, self._began
        ) as streams:
            yield streams


async def _shake_hands(session: Any) -> None:
    """The handshake that every server has; where it is refused, the one of the revision that has done away with it."""
    try:
        await session.initialize()
    except MCPError as error:
        if error.code in (types.CONNECTION_CLOSED, types.REQUEST_TIMEOUT):
            raise
        await session.discover()


async def _tools(session: Any) -> list[Described]:
    """All pages, bounded; a server that sends us in circles is left at the first repetition."""
    tools: list[Described] = []
    seen: set[str] = set()
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        page = await session.list_tools(params=types.PaginatedRequestParams(cursor=cursor) if cursor else None)
        tools += [Described(tool.name, tool.description or tool.title or "", tool.input_schema) for tool in page.tools]
        cursor = page.next_cursor
        if not cursor or cursor in seen or len(tools) >= MAX_LISTED:
            break
        seen.add(cursor)
    return tools[:MAX_LISTED]


async def _ask(session: Any, tool: str, arguments: Mapping[str, object], key: str) -> Answer:
    """One tools/call. The SDK's `call_tool` is not used: it may ask for more, and judges an answer that has had its effect."""
    meta = {KEY: key} if key else None
    params = types.CallToolRequestParams(name=tool, arguments=dict(arguments), _meta=meta)
    try:
        result = await session.send_request(types.CallToolRequest(params=params), types.CallToolResult)
    except MCPError as error:
        return Rejected() if error.code in NOT_DONE else Lost()
    except Exception:  # an answer that is none, or a connection that broke
        return Lost()
    if result.result_type == "input_required":  # it wants to ask the user first; there is nobody to ask in this version
        return Lost()
    texts = tuple(block.text for block in result.content if isinstance(block, types.TextContent))
    other = len(texts) < len(result.content) or result.structured_content is not None
    return Answered(texts, other, bool(result.is_error))


async def _alive(session: Any) -> bool:
    """Asked for something harmless that every server of tools has."""
    try:
        async with asyncio.timeout(PROBE_WITHIN_S):
            await session.list_tools()
    except Exception:
        return False
    return True


def _kind(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__} {error.code}" if isinstance(error, MCPError) else type(error).__name__
