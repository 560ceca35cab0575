"""One end of a session: opening, numbering, acknowledging, resuming, closing. Sans-IO, and the same for device and cloud.

    feed events  ->  Peer.on(event)  ->  effects to perform

The dialler says Hello, the acceptor answers Welcome (`session_opening.py`: what they settle); from there both ends do the same
(`session_states.py`: the table). Numbered messages are kept until the peer says that they are durable, and sent again after a resume
(`send_buffer.py`: the bounds, and what is dropped when; `receipts.py`: what was taken, and is acknowledged when). A number without a body
is acknowledged and skipped: a message kind that is not known here, or one that its sender had to drop.

A bad message costs itself: it is counted, acknowledged and (by the acceptor, at most once a second) answered with an Error. Only broken
numbering ends the link, and the session can be resumed even then. Illegal input from this program raises LocalProtocolError and changes
nothing.

Time is `at_ms` on any monotonic clock of the owner. Does not know: sockets, protobuf, what a message means, what "durable" takes
(the owner says Commit, once for every Deliver), or how long a lost session is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final, assert_never

from ridealong.proto import types as t
from ridealong.proto.errors import LocalProtocolError
from ridealong.proto.limits import fault
from ridealong.proto.receipts import Receipts
from ridealong.proto.send_buffer import SendBuffer
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
from ridealong.proto.session_opening import RESUME_REFUSED, agreed, distrust, refusal, resume_refusal
from ridealong.proto.session_states import TRANSITIONS, CloseDurable, LinkSpoilt, State, Welcomed

HEARTBEAT_MS: Final = 5_000
"""Nothing sent for this long: a bare ack shows that we live."""
LIVENESS_MS: Final = 15_000
"""Nothing received for this long: the link is dead."""
OPENING_MS: Final = 10_000
ERROR_EVERY_MS: Final = 1_000


class Role(Enum):
    DIALLER = "dialler"
    ACCEPTOR = "acceptor"


@dataclass(slots=True)
class Counters:
    """Everything that was given up or found wrong, since the session began."""

    sent: int = 0
    replayed: int = 0
    delivered: int = 0
    duplicates: int = 0
    bodiless: int = 0
    malformed: int = 0
    gaps: int = 0
    bad_acks: int = 0
    out_of_place: int = 0
    stray: int = 0
    resumes: int = 0
    sessions_lost: int = 0


@dataclass(slots=True)
class Peer:
    """`hello` for a dialler; `session_id`, `token` and `capabilities` (what this end can do) for an acceptor.

    A session restored from its log starts with `receipts` (all of it durable) and a `buffer` as they were logged.
    """

    role: Role
    hello: t.Hello | None = None
    session_id: str = ""
    token: str = ""
    capabilities: tuple[str, ...] = ()
    unit_ms: int = t.UNIT_MS
    part_ms: int = t.PART_MS
    state: State = State.DOWN
    receipts: Receipts = field(default_factory=Receipts)
    buffer: SendBuffer = field(default_factory=SendBuffer)
    counters: Counters = field(default_factory=Counters)
    _last_sent_ms: float = 0.0
    _last_heard_ms: float = 0.0
    _last_error_ms: float = float("-inf")
    _close_seq: int | None = None  # of our own Close
    _peer_close_seq: int | None = None
    _peer_close_reason: str = ""
    _closing: bool = False
    _opened_before: bool = False

    def __post_init__(self) -> None:
        if (self.role is Role.DIALLER) is (self.hello is None):
            raise LocalProtocolError("bad_role", "a dialler needs a Hello and an acceptor has none")
        self._opened_before = bool(self.receipts.received or self.buffer.last_sent)

    # --- what owners may look at -----------------------------------------------------------------------------------

    @property
    def committed(self) -> int:
        """Everything of the peer's up to here is durable on this side."""
        return self.receipts.committed

    def wake_at_ms(self) -> float | None:
        """When the next Tick is of use, or None. A Tick at any other time does no harm."""
        if self.state is State.OPENING:
            return self._last_heard_ms + OPENING_MS
        if self.state is not State.OPEN:
            return None
        wake = min(self._last_heard_ms + LIVENESS_MS, self._last_sent_ms + HEARTBEAT_MS)
        return wake if self.receipts.due_ms is None else min(wake, self.receipts.due_ms)

    # --- the machine -----------------------------------------------------------------------------------------------

    def on(self, event: Event) -> list[Effect]:
        match event:
            case LinkUp():
                return self._link_up(event)
            case LinkDown():
                self._step(LinkDown)
                return []
            case Received(at_ms=at_ms, envelope=envelope):
                return self._received(at_ms, envelope)
            case Malformed():
                return self._malformed(event)
            case Send(at_ms=at_ms, body=body):
                return self._send(at_ms, body)
            case Commit(at_ms=at_ms, seq=seq):
                return self._commit(at_ms, seq)
            case Tick(at_ms=at_ms):
                return self._tick(at_ms)
            case Abandon(reason=reason):
                was = self.state
                if not self._step(Abandon):
                    return []
                return [*([] if was is State.DOWN else [CloseLink(reason)]), Ended(reason)]
            case _:
                assert_never(event)

    def _step(self, event: type) -> bool:
        after = TRANSITIONS.get((self.state, event))
        if after is None:
            return False
        self.state = after
        return True

    # --- opening ---------------------------------------------------------------------------------------------------

    def _link_up(self, event: LinkUp) -> list[Effect]:
        if not self._step(LinkUp):
            raise LocalProtocolError("link_in_place", f"a new link while the session is {self.state.value}")
        self._last_heard_ms = self._last_sent_ms = event.at_ms
        if self.hello is None:
            return []
        self.receipts.told()
        at = t.Samples(max(event.clock, self.buffer.newest))  # not told: at least so late it is
        hello = replace(self.hello, resume_token=self.token, received=t.Seq(self.receipts.received), at=at)
        return [Transmit(t.Envelope(t.Seq(0), t.Seq(self.receipts.committed), hello))]

    def _hello(self, at_ms: float, hello: t.Hello, durable: int) -> list[Effect]:
        """The acceptor's half of the opening."""
        error = refusal(hello)
        resumed = self._opened_before and hello.resume_token == self.token
        if error is None and self._opened_before:
            error = resume_refusal(hello, self.token, self.buffer)
            self.counters.bad_acks += resumed and error is not None
        if error is not None:
            self._step(LinkSpoilt)
            return [Transmit(t.Envelope(t.Seq(0), t.Seq(0), error)), Refused(error.code, error.text, 0), CloseLink(error.code)]
        offer = t.Welcome(
            session_id=self.session_id,
            resume_token=self.token,
            resumed=resumed,
            received=t.Seq(self.receipts.received),
            capabilities=self.capabilities,
            unit_ms=self.unit_ms,
            part_ms=self.part_ms,
        )
        welcome = agreed(hello, offer)
        self.receipts.told()
        opening: list[Effect] = [Transmit(t.Envelope(t.Seq(0), t.Seq(self.receipts.committed), welcome))]
        return opening + self._opened(at_ms, welcome, hello.received if resumed else 0, durable)

    def _welcome(self, at_ms: float, welcome: t.Welcome, durable: int) -> list[Effect]:
        """The dialler's half of the opening."""
        if error := distrust(welcome, self.token, self.buffer):
            self.counters.bad_acks += error.code == RESUME_REFUSED
            return self._refused(error.code, error.text, 0)
        if not welcome.resumed and self._opened_before:
            if self._closing:
                return self._close_durable("the session that was being closed is gone")
            self._start_over()
        self.session_id, self.token = welcome.session_id, welcome.resume_token
        return self._opened(at_ms, welcome, welcome.received if welcome.resumed else 0, durable)

    def _opened(self, at_ms: float, welcome: t.Welcome, peer_has: int, peer_durable: int) -> list[Effect]:
        self._step(Welcomed)
        self.counters.resumes += self._opened_before
        self._opened_before = True
        self.receipts.due_ms, self._last_sent_ms = None, at_ms
        if self.receipts.committed > self.receipts.acked:  # became durable since our Hello
            self.receipts.owe(at_ms)
        opened = Opened(
            welcome.session_id, welcome.resumed, welcome.version, welcome.capabilities, welcome.unit_ms, welcome.part_ms
        )
        replays: list[Effect] = [Transmit(envelope) for envelope in self.buffer.after(peer_has, self.receipts.committed)]
        self.counters.replayed += len(replays)
        if replays:
            self._sent(at_ms)
        return [opened, *replays, *(self._acked(at_ms, peer_durable) if welcome.resumed else self._number(at_ms))]

    def _start_over(self) -> None:
        """The peer lost the session: what it had not acknowledged goes into the next one, in order and with new numbers."""
        self.counters.sessions_lost += 1
        self.buffer.start_over()
        self.receipts.start_over()
        self._opened_before = False

    def _refused(self, code: str, text: str, retry_after_ms: int) -> list[Effect]:
        if code == RESUME_REFUSED:
            self._start_over()
            self.token = ""
        self._step(LinkSpoilt)
        return [Refused(code, text, retry_after_ms), CloseLink(code)]

    # --- receiving -------------------------------------------------------------------------------------------------

    def _received(self, at_ms: float, envelope: t.Envelope) -> list[Effect]:
        if self.state not in (State.OPENING, State.OPEN):
            self.counters.stray += 1
            return []
        self._last_heard_ms = at_ms
        body = envelope.body
        if envelope.seq == 0 and body is not None:
            return self._unnumbered(at_ms, envelope)
        if self.state is State.OPENING:
            return self._spoilt("not_opened", "the first message on a link is Hello or Welcome")
        effects = self._acked(at_ms, envelope.acked)
        if envelope.seq == 0 or self.state is not State.OPEN:
            return effects
        if isinstance(body, (t.Hello, t.Welcome)):
            self.counters.out_of_place += 1
            effects.append(PeerFault("out_of_place", f"a numbered {type(body).__name__}"))
            body = None
        return effects + self._take(at_ms, envelope.seq, body)

    def _unnumbered(self, at_ms: float, envelope: t.Envelope) -> list[Effect]:
        body = envelope.body
        opening = self.state is State.OPENING
        match body:
            case t.Hello() if opening and self.role is Role.ACCEPTOR:
                return self._hello(at_ms, body, envelope.acked)
            case t.Welcome() if opening and self.role is Role.DIALLER:
                return self._welcome(at_ms, body, envelope.acked)
            case t.Error() if self.role is Role.DIALLER:
                return self._refused(body.code, body.text, body.retry_after_ms)
            case t.Hello() | t.Welcome() | t.Error():
                self.counters.out_of_place += 1
                return [PeerFault("out_of_place", f"{type(body).__name__} while the session is {self.state.value}")]
            case _:
                return self._spoilt("no_number", f"{type(body).__name__} without a number")

    def _take(self, at_ms: float, seq: int, body: t.Body | None) -> list[Effect]:
        """The next numbered message; `body` None: a kind that is not known here, a hole, or a malformed one."""
        if seq <= self.receipts.received:
            self.counters.duplicates += 1
            self.receipts.owe(at_ms)  # the ack that would have spared it was lost
            return []
        if seq != self.receipts.received + 1:
            self.counters.gaps += 1
            return self._spoilt("gap", f"message {seq} after {self.receipts.received}")
        if seq - self.receipts.committed > t.UNACKED_MESSAGES:
            return self._spoilt("window_exceeded", f"more than {t.UNACKED_MESSAGES} messages without an acknowledgement")
        self.receipts.take(seq)
        if body is None:
            self.counters.bodiless += 1
            return self._commit(at_ms, t.Seq(seq))
        self.counters.delivered += 1
        if isinstance(body, t.Close):
            self._peer_close_seq, self._peer_close_reason = seq, body.reason
        return [Deliver(t.Seq(seq), body)]

    def _malformed(self, event: Malformed) -> list[Effect]:
        if self.state not in (State.OPENING, State.OPEN):
            self.counters.stray += 1
            return []
        self.counters.malformed += 1
        self._last_heard_ms = event.at_ms
        told: list[Effect] = [PeerFault(event.code, event.text)]
        if self.state is State.OPENING:
            if self.role is Role.ACCEPTOR:
                told.append(Transmit(t.Envelope(t.Seq(0), t.Seq(0), t.Error(event.code, event.text, fatal=True))))
            self._step(LinkSpoilt)
            return [*told, CloseLink(event.code)]
        if event.seq == 0:
            return told + self._spoilt(event.code, event.text)
        answers = self.role is Role.ACCEPTOR and not self._closing and event.seq == self.receipts.received + 1
        if answers and event.at_ms - self._last_error_ms >= ERROR_EVERY_MS:
            self._last_error_ms = event.at_ms
            told += self._send(event.at_ms, t.Error(event.code, event.text))
        told += self._acked(event.at_ms, event.acked)
        return told + (self._take(event.at_ms, event.seq, None) if self.state is State.OPEN else [])

    def _spoilt(self, code: str, text: str) -> list[Effect]:
        """Broken numbering: the link ends, the session stays."""
        self._step(LinkSpoilt)
        return [PeerFault(code, text), CloseLink(code)]

    # --- acknowledging -----------------------------------------------------------------------------------------------

    def _acked(self, at_ms: float, acked: int) -> list[Effect]:
        """What the peer has made durable."""
        if acked > self.buffer.last_sent:
            self.counters.bad_acks += 1
            return [PeerFault("bad_ack", f"an acknowledgement of message {acked}; {self.buffer.last_sent} were sent")]
        self.buffer.confirm(acked)
        if self._close_seq is not None and self.buffer.confirmed >= self._close_seq:
            return self._close_durable("closed by this end")
        return self._number(at_ms)

    def _commit(self, at_ms: float, seq: t.Seq) -> list[Effect]:
        if self.state is State.CLOSED:
            return []
        more = self.receipts.commit(seq)
        if self._peer_close_seq is not None and self.receipts.committed >= self._peer_close_seq:
            last_word: list[Effect] = [self._bare_ack(at_ms)] if self.state is State.OPEN else []
            return last_word + self._close_durable(self._peer_close_reason or "closed by the peer")
        if not more or self.state is not State.OPEN:
            return []
        if self.receipts.too_many:
            return [self._bare_ack(at_ms)]
        self.receipts.owe(at_ms)
        return []

    def _bare_ack(self, at_ms: float) -> Transmit:
        self._sent(at_ms)
        return Transmit(t.Envelope(t.Seq(0), t.Seq(self.receipts.committed)))

    def _sent(self, at_ms: float) -> None:
        self.receipts.told()
        self._last_sent_ms = at_ms

    def _tick(self, at_ms: float) -> list[Effect]:
        if self.state is State.OPENING and at_ms - self._last_heard_ms >= OPENING_MS:
            return self._spoilt("not_opened", f"no opening message within {OPENING_MS} ms")
        if self.state is not State.OPEN:
            return []
        if at_ms - self._last_heard_ms >= LIVENESS_MS:
            return self._spoilt("silent", f"nothing was received for {LIVENESS_MS} ms")
        ack_due = self.receipts.due_ms is not None and at_ms >= self.receipts.due_ms
        return [self._bare_ack(at_ms)] if ack_due or at_ms - self._last_sent_ms >= HEARTBEAT_MS else []

    # --- sending -----------------------------------------------------------------------------------------------------

    def _send(self, at_ms: float, body: t.Body) -> list[Effect]:
        if self.state is State.CLOSED or self._closing:
            raise LocalProtocolError("closing", f"{type(body).__name__} after the session was closed")
        if wrong := fault(body):
            raise LocalProtocolError(wrong.code, wrong.text)
        self._closing = isinstance(body, t.Close)
        self.buffer.append(body)
        effects = self._number(at_ms)
        self.buffer.shrink()
        return effects

    def _number(self, at_ms: float) -> list[Effect]:
        """Put what waits on the link, as far as the window allows."""
        effects: list[Effect] = []
        while self.state is State.OPEN and (envelope := self.buffer.next(self.receipts.committed)) is not None:
            if isinstance(envelope.body, t.Close):
                self._close_seq = envelope.seq
            effects.append(Transmit(envelope))
            self.counters.sent += 1
            self._sent(at_ms)
        return effects

    def _close_durable(self, reason: str) -> list[Effect]:
        had_link = self.state is not State.DOWN
        self._step(CloseDurable)
        return [*([CloseLink(reason)] if had_link else []), Ended(reason)]
