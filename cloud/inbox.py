"""What waits for a session's actor, in the order in which it came, each with when that was.

    Message    of the device              Linked    a link to it has begun: what follows comes over that one
    Wake       something here has come to an end; at most one waits at a time

Unbounded here: what a device may have under way is bounded by the wire's window. Does not know what anything means, or what comes of it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from ridealong.proto.types import Samples, Seq, UplinkBody


@dataclass(frozen=True, slots=True)
class Message:
    seq: Seq
    body: UplinkBody
    arrived_s: float


@dataclass(frozen=True, slots=True)
class Linked:
    """`at`: the device's clock as it said Hello; 0: it didn't tell."""

    at: Samples
    arrived_s: float


class Wake:
    """Something finished between two parts."""


class Inbox:
    """Of one session, on its loop; only `wake` may be called from any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Message | Linked | Wake | None] = asyncio.Queue()
        self._waking = False

    def message(self, seq: Seq, body: UplinkBody) -> None:
        self._queue.put_nowait(Message(seq, body, self._loop.time()))

    def linked(self, at: Samples) -> None:
        self._queue.put_nowait(Linked(at, self._loop.time()))

    def wake(self) -> None:
        self._loop.call_soon_threadsafe(self._wake)

    def end(self) -> None:
        """After all that waits."""
        self._queue.put_nowait(None)

    async def get(self) -> Message | Linked | Wake | None:
        """None: the end."""
        item = await self._queue.get()
        if isinstance(item, Wake):
            self._waking = False
        return item

    def _wake(self) -> None:
        if not self._waking:
            self._waking = True
            self._queue.put_nowait(Wake())
