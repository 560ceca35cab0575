"""Two ends of a session joined by a link that delays, cuts and repeats, on a clock that only tests move.

Every message travels as bytes, so that the conversion is part of what is tested. Knows no asyncio.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from ridealong.proto import types as t
from ridealong.proto.convert import downlink_from_bytes, downlink_to_bytes, uplink_from_bytes, uplink_to_bytes
from ridealong.proto.errors import RemoteProtocolError
from ridealong.proto.session import Peer, Role
from ridealong.proto.session_events import (
    CloseLink,
    Commit,
    Deliver,
    Effect,
    Event,
    LinkDown,
    LinkUp,
    Malformed,
    Received,
    Send,
    Tick,
    Transmit,
)
from ridealong.proto.session_states import State

HELLO = t.Hello("glasses", "device-1", ("audio/pcm16", "camera"))


@dataclass(slots=True)
class End:
    name: str
    peer: Peer
    to_bytes: Callable[[t.Envelope], bytes]
    from_bytes: Callable[[bytes], t.Envelope]
    commits: bool = True  # commit at once what is delivered
    delivered: list[t.Body] = field(default_factory=list)
    uncommitted: list[t.Seq] = field(default_factory=list)
    outgoing: deque[tuple[float, bytes]] = field(default_factory=deque)
    last_arrived: bytes = b""


@dataclass(slots=True)
class FakeLink:
    delay_ms: float = 10.0
    now_ms: float = 0.0
    up: bool = False
    trace: list[str] = field(default_factory=list)
    device: End = field(init=False)
    cloud: End = field(init=False)

    def __post_init__(self) -> None:
        self.device = End("device", Peer(Role.DIALLER, hello=HELLO), uplink_to_bytes, downlink_from_bytes)
        self.cloud = self.new_cloud("s1", "token-1")

    @staticmethod
    def new_cloud(session_id: str, token: str) -> End:
        peer = Peer(Role.ACCEPTOR, session_id=session_id, token=token, capabilities=("audio/pcm16",))
        return End("cloud", peer, downlink_to_bytes, uplink_from_bytes)

    # --- what a test does -----------------------------------------------------------------------------------------

    def connect(self) -> None:
        assert not self.up
        self.up = True
        for end in (self.cloud, self.device):
            self.feed(end, LinkUp(self.now_ms))

    def cut(self) -> None:
        """Everything on its way is lost."""
        self.up = False
        for end in (self.device, self.cloud):
            end.outgoing.clear()
            self.feed(end, LinkDown(self.now_ms))

    def send(self, end: End, body: t.Body) -> None:
        self.feed(end, Send(self.now_ms, body))

    def commit(self, end: End, seq: t.Seq) -> None:
        end.uncommitted.remove(seq)
        self.feed(end, Commit(self.now_ms, seq))

    def commit_all(self) -> None:
        for end in (self.device, self.cloud):
            for seq in list(end.uncommitted):
                self.commit(end, seq)

    def inject(self, receiver: End, message: bytes) -> None:
        """Bytes that no end of ours would send."""
        self._arrive(receiver, message)

    def repeat(self, receiver: End) -> None:
        """The last numbered message arrives once more."""
        if self.up and receiver.last_arrived:
            self._arrive(receiver, receiver.last_arrived)

    def advance(self, ms: float) -> None:
        """Let time pass: messages arrive, ticks are fed when they are due."""
        until = self.now_ms + ms
        while True:
            due = [at for end in (self.device, self.cloud) if end.outgoing for at in (end.outgoing[0][0],)]
            due += [at for end in (self.device, self.cloud) if (at := end.peer.wake_at_ms()) is not None]
            if not due or min(due) > until:
                break
            self.now_ms = max(self.now_ms, min(due))
            for end, other in ((self.device, self.cloud), (self.cloud, self.device)):
                while end.outgoing and end.outgoing[0][0] <= self.now_ms:
                    self._arrive(other, end.outgoing.popleft()[1])
                wake = end.peer.wake_at_ms()
                if wake is not None and wake <= self.now_ms:
                    self.feed(end, Tick(self.now_ms))
        self.now_ms = until

    def settle(self) -> None:
        """Long enough for everything to arrive and be acknowledged, short enough for no heartbeat."""
        for _ in range(3):
            self.commit_all()
            self.advance(4 * self.delay_ms + 250)

    # --- performing effects -----------------------------------------------------------------------------------------

    def feed(self, end: End, event: Event) -> None:
        for effect in end.peer.on(event):
            self._perform(end, effect)

    def _arrive(self, receiver: End, message: bytes) -> None:
        try:
            envelope = receiver.from_bytes(message)
        except RemoteProtocolError as error:
            self.feed(receiver, Malformed(self.now_ms, t.Seq(error.seq), t.Seq(error.acked), error.code, error.text))
            return
        if envelope.seq:
            receiver.last_arrived = message
        self.feed(receiver, Received(self.now_ms, envelope))

    def _perform(self, end: End, effect: Effect) -> None:
        self.trace.append(f"{self.now_ms:5.0f} {end.name:6} {describe(effect)}")
        match effect:
            case Transmit(envelope=envelope) if self.up:
                end.outgoing.append((self.now_ms + self.delay_ms, end.to_bytes(envelope)))
            case Deliver(seq=seq, body=body):
                end.delivered.append(body)
                if end.commits:
                    self.feed(end, Commit(self.now_ms, seq))
                else:
                    end.uncommitted.append(seq)
            case CloseLink() if self.up:
                # what was transmitted before still arrives at the other end, then it sees the end of the link
                other = self.cloud if end is self.device else self.device
                last_words = [message for _, message in end.outgoing]
                end.outgoing.clear()
                other.outgoing.clear()
                self.up = False
                self.feed(end, LinkDown(self.now_ms))
                for message in last_words:
                    if other.peer.state in (State.OPENING, State.OPEN):
                        self._arrive(other, message)
                self.feed(other, LinkDown(self.now_ms))


def describe(effect: Effect) -> str:
    """One effect as a few words of a trace."""
    match effect:
        case Transmit(envelope=t.Envelope(seq=seq, acked=acked, body=body)):
            return f"send {seq} {_body(body)} acked {acked}"
        case Deliver(seq=seq, body=body):
            return f"deliver {seq} {_body(body)}"
        case _:
            values = [f"{name}={getattr(effect, name)!r}" for name in type(effect).__slots__ if name != "text"]
            return " ".join([type(effect).__name__.lower(), *values])


def _body(body: object) -> str:
    match body:
        case None:
            return "-"
        case t.TextInput(text=text) | t.Notice(text=text):
            return f"'{text}'"
        case t.Error(code=code):
            return f"Error({code})"
        case t.Hello(resume_token=token, received=received):
            return f"Hello({token or 'new'}, has {received})"
        case t.Welcome(session_id=session_id, resumed=resumed, received=received):
            return f"Welcome({session_id}, {'resumed' if resumed else 'new'}, has {received})"
        case _:
            return type(body).__name__
