"""A link as both ends see it: whole messages, in order, until it breaks. Knows no gRPC and no protocol.

Implementations: gRPC (`device/link.py`, `cloud/server.py`), in memory (`memory_pair`, for tests and replays on virtual time).
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Protocol


class ChannelClosed(Exception):
    """The link is gone: nothing more will arrive and nothing can be sent."""


class Channel(Protocol):
    """Carries serialised `Uplink` / `Downlink` messages (bytes)."""

    async def send(self, message: bytes) -> None:
        """Raises ChannelClosed."""

    async def receive(self) -> bytes:
        """Raises ChannelClosed when the peer or the network ended it."""

    async def close(self) -> None: ...


class MemoryChannel:
    """One end of an in-memory link; `delay_ms` one way, on the running loop's clock (virtual in a fast replay)."""

    def __init__(
        self, outgoing: asyncio.Queue[bytes | None], incoming: asyncio.Queue[bytes | None], delay_ms: float = 0.0
    ) -> None:
        self._outgoing, self._incoming, self._delay_s = outgoing, incoming, delay_ms / 1000
        self._under_way: deque[bytes | None] = deque()  # each timer lets the oldest arrive: equal times keep their order
        self._closed = False

    async def send(self, message: bytes) -> None:
        if self._closed:
            raise ChannelClosed("the in-memory link is closed")
        self._put(message)

    async def receive(self) -> bytes:
        if self._closed:
            raise ChannelClosed("the in-memory link is closed")
        message = await self._incoming.get()
        if message is None:
            self._closed = True
            raise ChannelClosed("the peer closed the in-memory link")
        return message

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._put(None)
            self._incoming.put_nowait(None)

    def _put(self, message: bytes | None) -> None:
        if not self._delay_s:
            self._outgoing.put_nowait(message)
            return
        self._under_way.append(message)
        asyncio.get_running_loop().call_later(self._delay_s, lambda: self._outgoing.put_nowait(self._under_way.popleft()))


def memory_pair(delay_ms: float = 0.0) -> tuple[MemoryChannel, MemoryChannel]:
    """Two joined ends: (device, cloud)."""
    up: asyncio.Queue[bytes | None] = asyncio.Queue()
    down: asyncio.Queue[bytes | None] = asyncio.Queue()
    return MemoryChannel(up, down, delay_ms), MemoryChannel(down, up, delay_ms)
