"""Performs what one session machine asks for, over one channel after another. Decides nothing.

Time is the running loop's. Deliver goes to `on_deliver` at once and in order; other effects that an owner may care about go to
`on_effect`. `on_idle` is called when everything that was transmitted has been taken by the channel: the moment for what may wait.
`clock` is the device's, told at the beginning of each link.

Does not know: gRPC, how a link is made, what messages mean, or which end of the session this is.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, assert_never

from ridealong.proto import types as t
from ridealong.proto.channel import Channel, ChannelClosed
from ridealong.proto.convert import downlink_from_bytes, downlink_to_bytes, uplink_from_bytes, uplink_to_bytes
from ridealong.proto.errors import RemoteProtocolError
from ridealong.proto.session import Peer, Role
from ridealong.proto.session_events import (
    Abandon,
    CloseLink,
    Commit,
    Deliver,
    Effect,
    Ended,
    Event,
    LinkDown,
    LinkUp,
    Malformed,
    Opened,
    PeerFault,
    Received,
    Refused,
    Send,
    Tick,
    Transmit,
)
from ridealong.proto.session_states import State

LAST_WORDS_S: Final = 2.0
"""How long a link that is being left may take to carry what was transmitted."""
LATE_TICK_S: Final = 1.0
"""A tick this late means that the loop was held up: what arrived meanwhile is read before anybody is called silent."""


@dataclass(slots=True)
class Traffic:
    bytes_out: int = 0
    bytes_in: int = 0
    messages_out: int = 0
    messages_in: int = 0


class Drive:
    """`run(channel)` serves one link; between links the machine can still be fed (send, commit, abandon)."""

    def __init__(
        self,
        peer: Peer,
        on_deliver: Callable[[t.Seq, t.Body], None],
        on_effect: Callable[[Opened | Refused | PeerFault | CloseLink | Ended], None],
        on_idle: Callable[[], None] = lambda: None,
        clock: Callable[[], t.Samples] = lambda: t.Samples(0),
    ) -> None:
        self.peer = peer
        self.traffic = Traffic()
        self._on_deliver, self._on_effect, self._on_idle, self._clock = on_deliver, on_effect, on_idle, clock
        dials = peer.role is Role.DIALLER
        self._to_bytes, self._from_bytes = (
            (uplink_to_bytes, downlink_from_bytes) if dials else (downlink_to_bytes, uplink_from_bytes)
        )
        self.last_close = ""  # why the channel ended, when it was not this end that left
        self._outgoing: deque[t.Envelope] = deque()  # bounded by the session's window
        self._outgoing_changed = asyncio.Event()
        self._timer_changed = asyncio.Event()
        self._effects: deque[Effect] = deque()
        self._performing = False
        self._leave = asyncio.Event()
        self._running: asyncio.Event | None = None

    # --- feeding ---------------------------------------------------------------------------------------------------

    def send(self, body: t.Body) -> None:
        """Never blocks. Raises LocalProtocolError when the body breaks a limit or the session is closed."""
        self.feed(Send(now_ms(), body))

    def commit(self, seq: t.Seq) -> None:
        self.feed(Commit(now_ms(), seq))

    def abandon(self, reason: str) -> None:
        self.feed(Abandon(now_ms(), reason))

    @property
    def idle(self) -> bool:
        """The link is open and the channel has taken everything."""
        return self.peer.state is State.OPEN and not self._outgoing and not self.peer.buffer.waiting

    def feed(self, event: Event) -> None:
        """Effects are performed in order, also when performing one feeds the machine again."""
        self._effects.extend(self.peer.on(event))
        if self._performing:
            return
        self._performing = True
        try:
            while self._effects:
                self._perform(self._effects.popleft())
        finally:
            self._performing = False
        self._timer_changed.set()

    def _perform(self, effect: Effect) -> None:
        match effect:
            case Transmit(envelope=envelope):
                self._outgoing.append(envelope)
                self._outgoing_changed.set()
            case Deliver(seq=seq, body=body):
                self._on_deliver(seq, body)
            case CloseLink():
                self._start_leaving()
                self._on_effect(effect)
            case Opened() | Refused() | PeerFault() | Ended():
                self._on_effect(effect)
            case _:
                assert_never(effect)

    # --- one link --------------------------------------------------------------------------------------------------

    async def run(self, channel: Channel, first: bytes | None = None) -> None:
        """Serve one link until it ends; `first` is a message that was already read from it. Closes the channel."""
        if self._running is not None:
            raise RuntimeError("a session has one link at a time: leave the old one first")
        self._running = asyncio.Event()
        self._outgoing.clear()
        self._leave.clear()
        self.last_close = ""
        try:
            self.feed(LinkUp(now_ms(), self._clock()))
            if first is not None:
                self._arrived(first)
            # The link is over when one part returns. An exception of theirs for it would be raised instead of a cancellation of
            # ours that comes at the same moment, and whoever catches it would go on.
            async with asyncio.TaskGroup() as tasks:
                parts = (self._write(channel), self._tick(), self._read(channel), self._leave_in_time())
                serving = [tasks.create_task(part) for part in parts]
                await asyncio.wait(serving, return_when=asyncio.FIRST_COMPLETED)
                for task in serving:
                    task.cancel()
        finally:
            self._outgoing.clear()
            self.feed(LinkDown(now_ms()))
            self._running.set()
            self._running = None
            await channel.close()

    async def leave(self) -> None:
        """End the present link, if there is one, after what was transmitted has gone out."""
        if self._running is not None:
            running = self._running
            self._start_leaving()
            await running.wait()

    def say_and_leave(self, error: t.Error) -> None:
        """An unnumbered last word on the present link."""
        if self._running is not None:
            self._outgoing.append(t.Envelope(t.Seq(0), t.Seq(0), error))
            self._start_leaving()

    def leave_soon(self) -> None:
        """As `leave`, without waiting for the end of the link."""
        if self._running is not None:
            self._start_leaving()

    def _start_leaving(self) -> None:
        self._leave.set()
        self._outgoing_changed.set()

    async def _leave_in_time(self) -> None:
        """A peer that no longer reads must not hold the link that is being left."""
        await self._leave.wait()
        await asyncio.sleep(LAST_WORDS_S)

    async def _read(self, channel: Channel) -> None:
        while True:
            try:
                message = await channel.receive()
            except ChannelClosed as closed:
                self.last_close = str(closed)
                return
            if self._leave.is_set():
                continue  # nothing more counts; the writer ends the link
            self._arrived(message)

    def _arrived(self, message: bytes) -> None:
        self.traffic.bytes_in += len(message)
        self.traffic.messages_in += 1
        at_ms = now_ms()
        try:
            event: Event = Received(at_ms, self._from_bytes(message))
        except RemoteProtocolError as error:
            event = Malformed(at_ms, t.Seq(error.seq), t.Seq(error.acked), error.code, error.text)
        self.feed(event)
        if self.idle:
            self._on_idle()

    async def _write(self, channel: Channel) -> None:
        while True:
            while self._outgoing:
                message = self._to_bytes(self._outgoing.popleft())
                self.traffic.bytes_out += len(message)
                self.traffic.messages_out += 1
                try:
                    await channel.send(message)
                except ChannelClosed as closed:
                    self.last_close = str(closed)
                    return
            if self._leave.is_set():
                return
            self._outgoing_changed.clear()
            if self.idle:
                self._on_idle()
            if not self._outgoing and not self._leave.is_set():
                await self._outgoing_changed.wait()

    async def _tick(self) -> None:
        while True:
            self._timer_changed.clear()
            wake_ms = self.peer.wake_at_ms()
            try:
                async with asyncio.timeout(None if wake_ms is None else max(0.0, wake_ms - now_ms()) / 1000 + 0.001):
                    await self._timer_changed.wait()
            except TimeoutError:
                assert wake_ms is not None
                if now_ms() - wake_ms > LATE_TICK_S * 1000:
                    await asyncio.sleep(0.05)
                self.feed(Tick(now_ms()))


def now_ms() -> float:
    """The running loop's clock."""
    return asyncio.get_running_loop().time() * 1000
