"""What goes into and comes out of the session machine (`session.py`): the closed unions Event and Effect.

Does not know what the machine does with them.
"""

from __future__ import annotations

from dataclasses import dataclass

from ridealong.proto import types as t

# --- events ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LinkUp:
    """A link exists and nothing has been sent or received on it. The last one is over (see LinkDown). `clock`: the device's, to be told
    (dialler); 0: only its newest part tells how late it is."""

    at_ms: float
    clock: t.Samples = t.Samples(0)


@dataclass(frozen=True, slots=True)
class LinkDown:
    at_ms: float


@dataclass(frozen=True, slots=True)
class Received:
    at_ms: float
    envelope: t.Envelope


@dataclass(frozen=True, slots=True)
class Malformed:
    """A message whose body broke a rule; its numbers could still be read (0: not even those)."""

    at_ms: float
    seq: t.Seq
    acked: t.Seq
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Send:
    at_ms: float
    body: t.Body


@dataclass(frozen=True, slots=True)
class Commit:
    """The delivered message `seq`, and the work that came of it, is durable. Any order."""

    at_ms: float
    seq: t.Seq


@dataclass(frozen=True, slots=True)
class Tick:
    at_ms: float


@dataclass(frozen=True, slots=True)
class Abandon:
    """The session is over, whatever the peer thinks: expired, or given up."""

    at_ms: float
    reason: str


Event = LinkUp | LinkDown | Received | Malformed | Send | Commit | Tick | Abandon


# --- effects ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Transmit:
    envelope: t.Envelope


@dataclass(frozen=True, slots=True)
class Deliver:
    """In order, each once. The owner answers with one Commit, now or later."""

    seq: t.Seq
    body: t.Body


@dataclass(frozen=True, slots=True)
class Opened:
    """`resumed` False where a resume was asked for: the cloud had lost the session. What it had not acknowledged is sent again."""

    session_id: str
    resumed: bool
    version: int
    capabilities: tuple[str, ...]
    unit_ms: int
    part_ms: int


@dataclass(frozen=True, slots=True)
class Refused:
    """`retry_after_ms` 0: trying again is useless, unless the code is `resume_refused` (the next Hello asks for a new session)."""

    code: str
    text: str
    retry_after_ms: int


@dataclass(frozen=True, slots=True)
class PeerFault:
    """The peer broke a rule. For logs and counters; what had to be done about it has been done."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class CloseLink:
    """Send what was transmitted, then end the link. Feed nothing more from it but LinkDown."""

    reason: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The session is over and its numbers mean nothing any more."""

    reason: str


Effect = Transmit | Deliver | Opened | Refused | PeerFault | CloseLink | Ended
