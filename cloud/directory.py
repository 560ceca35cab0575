"""The sessions of one node, by resume token: who may come back, and until when. And `serve_channel`: one link, over any channel.

A session survives its link for LOST_MS. The same device coming back with its token resumes it; a second link with the same token
takes over and the first one is told so and ended. A device that comes without a token although it has an unused session (its Welcome was
lost) gets that one replaced. Bounded: beyond `limit` sessions, a new one is refused with a delay after which to try again.

A device's id is of one live session. While its link lives, whoever else comes under that id is refused; who comes under it while the link is down (the device
may have been restarted) is let in, and has to leave when the first one comes back with its token: then they are two.

The actor of a session is made by the factory that the composition root gives; it is told every message once and in order, and commits
each when it is durable. Does not know: gRPC, what messages mean, or what an actor does.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol

from ridealong.cloud.frontends.base import NoRoom
from ridealong.cloud.sparing import Sparing
from ridealong.proto import types as t
from ridealong.proto.channel import Channel, ChannelClosed
from ridealong.proto.convert import downlink_to_bytes, uplink_from_bytes
from ridealong.proto.drive import Drive, now_ms
from ridealong.proto.errors import RemoteProtocolError
from ridealong.proto.session import OPENING_MS, Peer, Role
from ridealong.proto.session_events import CloseLink, Ended, Opened, PeerFault, Refused
from ridealong.proto.session_opening import DEVICE_IN_USE, refusal
from ridealong.proto.session_states import State

LOST_MS: Final = 10 * 60 * 1000
AWAY_MS: Final = 15 * 1000
"""A device without a link for so long may not come back."""
BUSY_RETRY_MS: Final = 2_000
IN_USE_LOG_EVERY_S: Final = 60.0
CAPABILITIES: Final = ("audio/pcm16", "camera", "vehicle", "location", "text", "playback_ack")

log = logging.getLogger("ridealong.cloud.directory")


class Actor(Protocol):
    """What a session does with its messages. Called on the event loop; must not block."""

    def deliver(self, seq: t.Seq, body: t.UplinkBody) -> None:
        """Answered by exactly one `commit(seq)`, now or later, when the message and its consequences are durable."""

    def linked(self, at: t.Samples) -> None:
        """A link begins; the device's clock stood there as it said so (0: it didn't say). Before what comes over that link."""

    def away(self) -> None:
        """The device has had no link for AWAY_MS; again after each further AWAY_MS."""

    async def close(self, reason: str) -> None:
        """The session is over. Called once; nothing is delivered afterwards, and what is sent goes nowhere."""


ActorFactory = Callable[[t.Hello, str, Callable[[t.DownlinkBody], None], Callable[[t.Seq], None]], Actor]
"""(hello, session id, send, commit) -> Actor; raises NoRoom. `send` never blocks, and works while the link is down; a fatal Error is an actor's
last word: it ends the link, and the session."""


def session_of(token: str) -> str:
    """The session whose resume token this is: a node that has lost its sessions still knows whose token it was, and no id tells a token."""
    return hashlib.sha256(token.encode()).hexdigest()[:24]


@dataclass(slots=True)
class Session:
    session_id: str
    token: str
    device_id: str
    drive: Drive
    actor: Actor | None = None
    lost_at_ms: float | None = None
    ended: str = ""
    links: int = 0
    serving: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def linked(self) -> bool:
        return self.drive.peer.state in (State.OPENING, State.OPEN)


class Full(Exception):
    """The node has as many sessions as it can serve. The message is why, where it is something else than their number."""


class InUse(Exception):
    """Another device is here under the same id."""


class Directory:
    """`mint` makes tokens, `session_of` a session's id from its token (a replay with a seed gives its own)."""

    def __init__(
        self,
        factory: ActorFactory,
        *,
        limit: int = 64,
        lost_ms: float = LOST_MS,
        capabilities: tuple[str, ...] = CAPABILITIES,
        mint: Callable[[], str] = lambda: secrets.token_urlsafe(18),
        session_of: Callable[[str], str] = session_of,
    ) -> None:
        self._factory, self._limit, self._lost_ms = factory, limit, lost_ms
        self._capabilities, self._mint, self.session_of = capabilities, mint, session_of
        self._sessions: dict[str, Session] = {}
        self.draining = False
        self.refused = 0
        self.in_use = 0
        self.expired = 0
        self._in_use_told = Sparing(IN_USE_LOG_EVERY_S)
        self.actor_faults = 0

    def __len__(self) -> int:
        return len(self._sessions)

    @property
    def sessions(self) -> tuple[Session, ...]:
        return tuple(self._sessions.values())

    async def admit(self, hello: t.Hello) -> Session:
        """The session that this Hello resumes, or a new one. Raises Full, InUse."""
        await self.sweep()
        if hello.resume_token and (known := self._sessions.get(hello.resume_token)) is not None:
            for other in self._others(known.device_id, known):
                self._note_in_use(other)
                other.ended = DEVICE_IN_USE
                other.drive.say_and_leave(_in_use())
            if known.actor is not None:
                known.actor.linked(hello.at)
            return known
        for session in self.sessions:  # its Welcome never arrived: nothing was said in it
            if session.device_id == hello.device_id and not session.linked and session.drive.peer.receipts.received == 0:
                await self.end(session, "replaced")
        if here := self._others(hello.device_id):
            self._note_in_use(here[0])
            raise InUse
        if self.draining or len(self._sessions) >= self._limit:
            self.refused += 1
            raise Full
        return self._create(hello)

    def _others(self, device_id: str, but: Session | None = None) -> list[Session]:
        """The linked sessions of that id."""
        return [one for one in self.sessions if one is not but and one.device_id == device_id and one.linked and not one.ended]

    def _note_in_use(self, session: Session) -> None:
        self.in_use += 1
        if self._in_use_told.due(now_ms() / 1000):
            log.warning("session %s: two devices come under one device.id; give each an id of its own.", session.session_id)

    def _create(self, hello: t.Hello) -> Session:
        token = self._mint()
        session_id = self.session_of(token)
        peer = Peer(Role.ACCEPTOR, session_id=session_id, token=token, capabilities=self._capabilities)

        def on_deliver(seq: t.Seq, body: t.Body) -> None:
            if isinstance(body, t.Close):
                drive.commit(seq)  # durable as soon as all before it is: the machine waits for those
            elif session.actor is not None:
                try:
                    session.actor.deliver(seq, body)  # type: ignore[arg-type]
                except Exception as error:  # one message that an actor cannot take costs itself, not the session
                    self.actor_faults += 1
                    log.error("session %s: %s on %s", session_id, type(error).__name__, type(body).__name__)
                    drive.commit(seq)

        def on_effect(effect: Opened | Refused | PeerFault | CloseLink | Ended) -> None:
            match effect:
                case PeerFault(code=code):
                    log.warning("session %s: the device broke a rule: %s", session_id, code)
                case Ended(reason=reason):
                    session.ended = reason
                case Opened(resumed=resumed):
                    session.lost_at_ms = None
                    session.links += 1
                    log.info("session %s: %s", session_id, "resumed" if resumed else "opened")
                case Refused() | CloseLink():
                    pass

        def send(body: t.DownlinkBody) -> None:
            if isinstance(body, t.Error) and body.fatal:
                session.ended = session.ended or body.code
                drive.say_and_leave(body)
            elif peer.state is not State.CLOSED:
                drive.send(body)

        drive = Drive(peer, on_deliver, on_effect)
        session = Session(session_id, token, hello.device_id, drive, lost_at_ms=now_ms())
        try:
            session.actor = self._factory(hello, session_id, send, drive.commit)
        except NoRoom as why:
            self.refused += 1
            raise Full(str(why)) from None
        session.actor.linked(hello.at)
        self._sessions[token] = session
        return session

    async def sweep(self) -> None:
        """End the sessions whose device did not come back, and forget those that are over."""
        at_ms = now_ms()
        for session in self.sessions:
            if session.ended:
                await self.end(session, session.ended)
            elif session.lost_at_ms is not None and not session.linked and at_ms - session.lost_at_ms >= self._lost_ms:
                self.expired += 1
                await self.end(session, "expired")

    def lost(self, session: Session) -> None:
        """Its link is over."""
        session.lost_at_ms = at_ms = now_ms()
        asyncio.get_running_loop().call_later(AWAY_MS / 1000, self._away, session, at_ms)

    def _away(self, session: Session, since_ms: float) -> None:
        if session.actor is None or session.linked or session.lost_at_ms != since_ms:
            return
        try:
            session.actor.away()
        except Exception as error:  # one session's fault must not hide that its device is away from now on
            self.actor_faults += 1
            log.error("session %s: %s while away", session.session_id, type(error).__name__)
        asyncio.get_running_loop().call_later(AWAY_MS / 1000, self._away, session, since_ms)

    async def end(self, session: Session, reason: str) -> None:
        """Forget a session and close its actor. Safe to call twice."""
        if self._sessions.pop(session.token, None) is None:
            return
        session.drive.abandon(reason)
        actor, session.actor = session.actor, None
        if actor is not None:
            try:
                await actor.close(reason)
            except Exception as error:  # one session's end must not keep the others from ending
                self.actor_faults += 1
                log.error("session %s: %s while closing", session.session_id, type(error).__name__)

    async def close(self, reason: str) -> None:
        """End every session."""
        self.draining = True
        for session in self.sessions:
            await self.end(session, reason)


async def serve_channel(channel: Channel, directory: Directory) -> None:
    """Serve one link from its Hello to its end. Returns when the link is over; the session may live on.

    The same code serves gRPC and the in-memory link of a fast replay."""
    try:
        first = await _hello(channel, directory)
    except ChannelClosed:
        await channel.close()
        return
    if isinstance(first, t.Error):
        await _refuse(channel, first)
        return
    message, session = first
    if session.linked:
        session.drive.say_and_leave(t.Error("taken_over", "Another link of the same device took over.", fatal=True))
    async with session.serving:  # the old link, if any, is over
        if session.drive.peer.state is State.CLOSED:
            await _refuse(channel, t.Error("busy", "The session has just ended.", retry_after_ms=100, fatal=True))
            return
        try:
            await session.drive.run(channel, message)
        finally:
            directory.lost(session)
            if session.ended:
                await directory.end(session, session.ended)


def _in_use() -> t.Error:
    text = "Another device with this device.id is connected: give each device an id of its own (device.id in its settings)."
    return t.Error(DEVICE_IN_USE, text, retry_after_ms=BUSY_RETRY_MS, fatal=True)


async def _refuse(channel: Channel, error: t.Error) -> None:
    with contextlib.suppress(ChannelClosed):
        await channel.send(downlink_to_bytes(t.Envelope(t.Seq(0), t.Seq(0), error)))
    await channel.close()


async def _hello(channel: Channel, directory: Directory) -> tuple[bytes, Session] | t.Error:
    try:
        async with asyncio.timeout(OPENING_MS / 1000):
            message = await channel.receive()
        hello = uplink_from_bytes(message).body
    except TimeoutError:
        return t.Error("not_opened", "No Hello arrived in time.", fatal=True)
    except RemoteProtocolError as fault:
        return t.Error(fault.code, fault.text, fatal=True)
    if not isinstance(hello, t.Hello):
        return t.Error("not_opened", "The first message on a link is Hello.", fatal=True)
    if error := refusal(hello):
        return error
    try:
        return message, await directory.admit(hello)
    except InUse:
        return _in_use()
    except Full as full:
        text = "This node is going down." if directory.draining else str(full) or "This node serves as many sessions as it can."
        return t.Error("busy", text, retry_after_ms=BUSY_RETRY_MS, fatal=True)
