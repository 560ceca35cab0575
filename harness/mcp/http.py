"""A server at an address: streamable HTTP by the SDK's transport, through a client that bounds what it takes in.

A body of more than `MAX_BODY_BYTES`, or one that is compressed (a small body may then hide a large one), fails its request. One event of
a stream is bounded by the SDK. Redirects stay with the server (the SDK's rule).
Does not know what the messages mean.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx2
from mcp.client.streamable_http import streamable_http_client

MAX_BODY_BYTES: Final = 4 * 1024 * 1024
CONNECT_WITHIN_S: Final = 10.0
SILENT_FOR_S: Final = 300.0
"""A stream in which nothing comes is given up after this long; calls have time limits of their own."""


@asynccontextmanager
async def endpoint(url: str, headers: Mapping[str, str]) -> AsyncIterator[tuple[Any, Any]]:
    """The streams of an `mcp.ClientSession`."""
    timeout = httpx2.Timeout(CONNECT_WITHIN_S, read=SILENT_FOR_S)
    transport = _Bounded(httpx2.AsyncHTTPTransport(retries=0))
    given = {**headers, "accept-encoding": "identity"}
    async with (
        httpx2.AsyncClient(headers=given, timeout=timeout, transport=transport) as client,
        streamable_http_client(url, http_client=client, max_sse_event_size=MAX_BODY_BYTES) as streams,
    ):
        yield streams[0], streams[1]


class _Bounded(httpx2.AsyncBaseTransport):  # type: ignore[misc]
    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def handle_async_request(self, request: Any) -> Any:
        response = await self._inner.handle_async_request(request)
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            await response.aclose()
            raise httpx2.RemoteProtocolError("the body is compressed, which was not asked for")
        if not response.headers.get("content-type", "").lower().startswith("text/event-stream"):
            response.stream = _Counted(response.stream)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Counted(httpx2.AsyncByteStream):  # type: ignore[misc]
    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        taken = 0
        async for piece in self._inner:
            taken += len(piece)
            if taken > MAX_BODY_BYTES:
                raise httpx2.RemoteProtocolError("the body is too long")
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()
