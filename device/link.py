"""The device's link: the session machine, a transport that is dialled again when it breaks, and the queue for pictures.

`send` never blocks. Audio, acks and everything else go straight to the machine; frames wait here until the channel has taken all
that is ahead of them, and only FRAGMENTS_IN_FLIGHT of their fragments may be unacknowledged, so that a picture never delays a voice. Frames
get their numbers when they leave this queue; the oldest whole frame is dropped when FRAMES_WAITING is exceeded, and a tombstone takes
its place. Downlink messages are committed when `on_message` has returned.

Does not know: what is captured or played, or what the cloud does. grpc is imported when the first call is dialled.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from ridealong.errors import UserError
from ridealong.proto import types as t
from ridealong.proto.channel import Channel, ChannelClosed
from ridealong.proto.drive import Drive, now_ms
from ridealong.proto.session import Peer, Role
from ridealong.proto.session_events import CloseLink, Ended, Opened, PeerFault, Refused
from ridealong.proto.session_opening import DEVICE_IN_USE, RESUME_REFUSED
from ridealong.proto.session_states import State

FRAMES_WAITING: Final = 8
FRAGMENTS_IN_FLIGHT: Final = 8
BACKOFF_FIRST_S: Final = 0.1
BACKOFF_SOON_S: Final = 1.0
"""Attempts are at most this far apart for the first SOON_S of an outage."""
SOON_S: Final = 120.0
BACKOFF_LATE_S: Final = 30.0
IN_USE_S: Final = 20.0
"""For how long "another device is here under your id" may mean an earlier link of our own, which the node finds dead after 15 s."""
CLOSE_S: Final = 2.0
CONNECT_S: Final = 3.0
METHOD: Final = "/ridealong.v1.Conversation/Converse"


class LinkUnavailable(Exception):
    """No link could be made. The text is one clause: what was tried and what came back."""


class LinkState(Enum):
    CONNECTING = "connecting"
    OPEN = "open"
    OFFLINE = "offline"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class LinkCounters:
    bytes_up: int
    bytes_down: int
    reconnects: int
    sessions_lost: int
    dropped: int
    dropped_parts: int
    dropped_frames: int
    unacked: int
    waiting_frames: int
    peer_faults: int


Dial = Callable[[], Awaitable[Channel]]
"""One attempt to reach the node. Raises LinkUnavailable."""


class Link:
    """`run()` until `close()`; everything else may be called at any time from the same loop.

    `give_up_after_s`: how long the *first* connection may take before `run` raises UserError (None: try for ever). `clock`: the device's, by which
    the node knows what had to wait for a link.
    """

    def __init__(
        self,
        dial: Dial,
        hello: t.Hello,
        on_message: Callable[[t.DownlinkBody], None],
        on_state: Callable[[LinkState], None],
        rng: random.Random,
        *,
        address: str = "the node",
        give_up_after_s: float | None = None,
        clock: Callable[[], t.Samples] = lambda: t.Samples(0),
    ) -> None:
        self._dial, self._on_message, self._on_state, self._rng = dial, on_message, on_state, rng
        self._address, self._give_up_after_s = address, give_up_after_s
        self._drive = Drive(Peer(Role.DIALLER, hello=hello), self._deliver, self._effect, self._send_frames, clock)
        self._frames: deque[list[t.FrameFragment]] = deque()  # whole or partly sent frames, oldest first
        self._fragments: deque[t.Seq] = deque()  # numbers of fragments that are not acknowledged
        self._state: LinkState | None = None
        self._closing = asyncio.Event()
        self._ended = asyncio.Event()
        self._goodbye = False
        self._dropped_frames = self._peer_faults = self._links = 0
        self._retry_after_ms = 0
        self._attempts = 0
        self._outage_began_s = 0.0
        self._last_error = ""
        self._refusal = ""  # why, in the node's words: more than that the call has ended
        self._gone_for_good: str = ""

    # --- what owners use ---------------------------------------------------------------------------------------------

    def send(self, body: t.UplinkBody) -> None:
        """Never blocks; works while offline. Raises LocalProtocolError when a limit of the wire is broken."""
        if self._over or self._goodbye:
            return
        if isinstance(body, t.FrameFragment):
            self._queue_fragment(body)
        else:
            self._drive.send(body)
        self._send_frames()

    async def run(self) -> None:
        """Until closed. Raises UserError when the node refuses for good, or cannot be reached at first."""
        self._outage_began_s = _now_s()
        while not self._over:
            self._enter(LinkState.CONNECTING)
            try:
                channel = await self._dial()
            except LinkUnavailable as error:
                self._last_error = str(error)
            else:
                if self._over:
                    await channel.close()
                    break
                self._refusal = ""
                await self._drive.run(channel)
                self._last_error = self._refusal or self._drive.last_close or self._last_error
            if self._over:
                break
            self._enter(LinkState.OFFLINE)
            self._check_hopeless()
            await self._pause()
        self._drive.abandon("closed")
        self._enter(LinkState.CLOSED)

    async def close(self) -> None:
        """Say goodbye if there is a link, for at most CLOSE_S, then end `run`."""
        if self._drive.peer.state is State.OPEN and not self._goodbye:
            self._frames.clear()
            self._goodbye = True
            self._drive.send(t.Close("closed by the device"))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_S):
                    await self._ended.wait()
        self._closing.set()
        await self._drive.leave()

    @property
    def _over(self) -> bool:
        return self._closing.is_set() or self._drive.peer.state is State.CLOSED

    @property
    def session_id(self) -> str:
        return self._drive.peer.session_id

    @property
    def state(self) -> LinkState | None:
        return self._state

    @property
    def last_error(self) -> str:
        """Why there is no link, or was none the last time."""
        return self._last_error

    @property
    def idle(self) -> bool:
        """Everything that was sent is durable in the cloud, and no frame waits."""
        return not len(self._drive.peer.buffer) and not self._frames

    @property
    def counters(self) -> LinkCounters:
        peer, traffic = self._drive.peer, self._drive.traffic
        return LinkCounters(
            bytes_up=traffic.bytes_out,
            bytes_down=traffic.bytes_in,
            reconnects=max(0, self._links - 1),
            sessions_lost=peer.counters.sessions_lost,
            dropped=peer.buffer.dropped,
            dropped_parts=peer.buffer.dropped_parts,
            dropped_frames=self._dropped_frames,
            unacked=len(peer.buffer),
            waiting_frames=len(self._frames),
            peer_faults=self._peer_faults,
        )

    # --- frames ------------------------------------------------------------------------------------------------------

    def _queue_fragment(self, fragment: t.FrameFragment) -> None:
        if self._frames and self._frames[-1][0].frame == fragment.frame:
            self._frames[-1].append(fragment)
            return
        self._frames.append([fragment])
        if len(self._frames) > FRAMES_WAITING:
            # The oldest of which nothing was sent yet; one that has begun is finished.
            index = next(i for i, frame in enumerate(self._frames) if frame[0].index == 0)
            dropped = self._frames[index][0]
            del self._frames[index]
            self._dropped_frames += 1
            self._drive.send(t.FrameTombstone(dropped.frame, dropped.unit, dropped.capture, "link_busy", dropped.gate))

    def _send_frames(self) -> None:
        """As many fragments as may be under way, behind everything else."""
        peer = self._drive.peer
        while self._fragments and self._fragments[0] <= peer.buffer.confirmed:
            self._fragments.popleft()
        while self._frames and self._drive.idle and len(self._fragments) < FRAGMENTS_IN_FLIGHT and not self._closing.is_set():
            frame = self._frames[0]
            fragment = frame.pop(0)
            if not frame:
                self._frames.popleft()
            self._drive.send(fragment)
            self._fragments.append(t.Seq(peer.buffer.last_sent))

    # --- the link ----------------------------------------------------------------------------------------------------

    def _deliver(self, seq: t.Seq, body: t.Body) -> None:
        try:
            if isinstance(body, t.Close):
                return
            if isinstance(body, t.Draining):  # whether or not another message ever comes
                asyncio.get_running_loop().call_later(body.deadline_ms / 1000, self._drained, self._links)
            self._on_message(body)  # type: ignore[arg-type]
        finally:
            self._drive.commit(seq)

    def _drained(self, link: int) -> None:
        """The node's time for that link is over: it is left, and dialled again."""
        if link == self._links and self._state is LinkState.OPEN:
            self._drive.leave_soon()

    def _effect(self, effect: Opened | Refused | PeerFault | CloseLink | Ended) -> None:
        match effect:
            case Opened(resumed=resumed):
                self._links += 1
                self._attempts = self._retry_after_ms = 0
                if not resumed:
                    self._fragments.clear()
                self._enter(LinkState.OPEN)
            case Refused(code=code, text=text, retry_after_ms=retry_after_ms):
                self._last_error = self._refusal = text
                self._retry_after_ms = retry_after_ms
                lasting = _now_s() - self._outage_began_s >= IN_USE_S if code == DEVICE_IN_USE else not retry_after_ms
                if lasting and code != RESUME_REFUSED:
                    self._gone_for_good = text
            case PeerFault(text=text):
                self._peer_faults += 1
                self._last_error = text
            case Ended():
                self._ended.set()
            case CloseLink():
                pass

    def _enter(self, state: LinkState) -> None:
        if state is self._state:
            return
        if self._state is LinkState.OPEN:
            self._outage_began_s = _now_s()
        self._state = state
        self._on_state(state)

    def _check_hopeless(self) -> None:
        if self._gone_for_good:
            self._give_up(f"the cloud node at {self._address} refused: {self._gone_for_good}")
        waited_s = _now_s() - self._outage_began_s
        if not self._links and self._give_up_after_s is not None and waited_s >= self._give_up_after_s:
            self._give_up(
                f"cannot reach the cloud node at {self._address}: {self._last_error}; "
                "start it with `ridealong cloud serve` or correct link.address"
            )

    def _give_up(self, text: str) -> None:
        self._drive.abandon("given up")
        self._enter(LinkState.CLOSED)
        raise UserError(text)

    async def _pause(self) -> None:
        """Exponential back-off with full jitter."""
        most_s = BACKOFF_SOON_S if _now_s() - self._outage_began_s < SOON_S else BACKOFF_LATE_S
        delay_s = self._rng.uniform(0.0, min(most_s, BACKOFF_FIRST_S * 2 ** min(self._attempts, 16)))
        self._attempts += 1
        if self._retry_after_ms:
            delay_s += self._retry_after_ms / 1000
            self._retry_after_ms = 0
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(delay_s):
                await self._closing.wait()


def _now_s() -> float:
    return now_ms() / 1000


# --- gRPC ------------------------------------------------------------------------------------------------------------

OPTIONS: Final = (
    ("grpc.use_local_subchannel_pool", 1),  # each attempt is a real one
    ("grpc.enable_retries", 0),
    ("grpc.max_receive_message_length", 4 * t.MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", 4 * t.MAX_MESSAGE_BYTES),
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 0),
    ("grpc.http2.max_pings_without_data", 0),
)
"""They match those of cloud/server.py."""


class _CallChannel:
    """One call of Converse as a Channel, seen from the device."""

    def __init__(self, channel: Any, call: Any) -> None:
        self._channel, self._call = channel, call
        self._closed = False

    async def send(self, message: bytes) -> None:
        import grpc

        if self._closed:
            raise ChannelClosed("the call is over")
        try:
            await self._call.write(message)
        except (grpc.RpcError, asyncio.InvalidStateError) as error:
            raise ChannelClosed(f"the call ended while sending ({_cause(error)})") from None

    async def receive(self) -> bytes:
        import grpc

        if self._closed:
            raise ChannelClosed("the call is over")
        try:
            message = await self._call.read()
        except (grpc.RpcError, asyncio.InvalidStateError) as error:
            raise ChannelClosed(f"the call ended ({_cause(error)})") from None
        if message is grpc.aio.EOF:
            raise ChannelClosed("the node ended the call")
        return bytes(message)

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._call.cancel()
            await self._channel.close()


def grpc_dialler(
    address: str, *, credentials: Any = None, metadata: Sequence[tuple[str, str]] = (), connect_s: float = CONNECT_S
) -> Dial:
    """Dial `host:port` afresh at each call. `credentials`: grpc.ChannelCredentials, or None for plain text."""

    async def dial() -> Channel:
        import grpc

        grpc.aio.init_grpc_aio()  # for good: the poller thread of gRPC, ended when the last channel is collected as garbage, can hang its collector
        try:
            if credentials is None:
                channel = grpc.aio.insecure_channel(address, options=OPTIONS)
            else:
                channel = grpc.aio.secure_channel(address, credentials, options=OPTIONS)
        except (ValueError, RuntimeError):
            raise LinkUnavailable(f"{address} is not host:port") from None
        try:
            await _connected(channel, address, connect_s)
            return _CallChannel(channel, channel.stream_stream(METHOD)(metadata=tuple(metadata)))
        except BaseException:
            await channel.close()
            raise

    return dial


async def _connected(channel: Any, address: str, connect_s: float) -> None:
    import grpc

    try:
        async with asyncio.timeout(connect_s):
            state = channel.get_state(try_to_connect=True)
            while state is not grpc.ChannelConnectivity.READY:
                if state in (grpc.ChannelConnectivity.TRANSIENT_FAILURE, grpc.ChannelConnectivity.SHUTDOWN):
                    raise LinkUnavailable(f"nothing that speaks gRPC answers at {address}")
                await channel.wait_for_state_change(state)
                state = channel.get_state(try_to_connect=True)
    except TimeoutError:
        raise LinkUnavailable(f"no answer from {address} within {connect_s:g} s") from None


def _cause(error: BaseException) -> str:
    code = getattr(error, "code", None)
    return code().name.lower() if callable(code) else type(error).__name__
