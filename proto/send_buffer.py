"""What one end has said and the other has not yet confirmed: numbered messages, and those that wait for a number.

A message gets its number when it is first put on a link, so what waits can be dropped without leaving a gap. A numbered one
that is dropped becomes a *hole*: its number with no body.

Bounds: WINDOW messages and WINDOW_BYTES numbered; as many again waiting. Audio that ends RING_SAMPLES or more before the newest is dropped
first, oldest first. When the waiting queue is full: what a later message of its kind replaces (vehicle state, location), then frame
fragments, then audio, then the oldest; never a Close. All of it is counted.

Pure. Does not know links, states or time.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import Final

from ridealong.proto import types as t
from ridealong.proto.limits import bytes_at_most

WINDOW: Final = t.UNACKED_MESSAGES
WINDOW_BYTES: Final = 16 * 1024 * 1024
RING_SAMPLES: Final = 120 * t.CLOCK_HZ


@dataclass(slots=True)
class SendBuffer:
    last_sent: int = 0  # highest number ever given
    confirmed: int = 0  # all up to here is durable over there
    unacked: deque[t.Envelope] = field(default_factory=deque)  # numbered, oldest first
    waiting: deque[t.Body] = field(default_factory=deque)
    dropped: int = 0
    dropped_parts: int = 0
    _unacked_bytes: int = 0
    _waiting_bytes: int = 0
    newest: int = 0  # end of the newest part, in device samples

    def __len__(self) -> int:
        return len(self.unacked) + len(self.waiting)

    def append(self, body: t.Body) -> None:
        self.waiting.append(body)
        self._waiting_bytes += bytes_at_most(body)
        if isinstance(body, t.UnitPart):
            self.newest = max(self.newest, body.start + body.samples)
            self._drop_old_parts()

    def next(self, acked: int) -> t.Envelope | None:
        """Give the next number, as far as the window allows."""
        if not self.waiting or len(self.unacked) >= WINDOW or self._unacked_bytes >= WINDOW_BYTES:
            return None
        body = self.waiting.popleft()
        size = bytes_at_most(body)
        self._waiting_bytes -= size
        self._unacked_bytes += size
        self.last_sent += 1
        envelope = t.Envelope(t.Seq(self.last_sent), t.Seq(acked), body)
        self.unacked.append(envelope)
        return envelope

    def confirm(self, acked: int) -> None:
        while self.unacked and self.unacked[0].seq <= acked:
            self._unacked_bytes -= bytes_at_most(self.unacked.popleft().body)
        self.confirmed = max(self.confirmed, acked)

    def can_resume(self, received: int) -> bool:
        """A peer that has taken `received` messages can go on: so many were sent, and what it lacks is still here."""
        return self.confirmed <= received <= self.last_sent

    def after(self, seq: int, acked: int) -> list[t.Envelope]:
        """What has to be sent again to a peer that has everything up to `seq`."""
        return [replace(envelope, acked=t.Seq(acked)) for envelope in self.unacked if envelope.seq > seq]

    def start_over(self) -> None:
        """The numbers mean nothing any more; what is left waits again, in order."""
        kept = [envelope.body for envelope in self.unacked if envelope.body is not None]
        self.waiting.extendleft(reversed(kept))  # type: ignore[arg-type]
        self._waiting_bytes = sum(bytes_at_most(body) for body in self.waiting)
        self.unacked.clear()
        self.last_sent = self.confirmed = self._unacked_bytes = 0
        self.shrink()

    def shrink(self) -> None:
        """Drop what exceeds the bounds of the waiting queue. Called after numbers were given."""
        while len(self.waiting) > WINDOW or self._waiting_bytes > WINDOW_BYTES:
            self._drop_waiting(self._least())

    def _least(self) -> int:
        for kinds in ((t.VehicleState, t.Location), (t.FrameFragment,), (t.UnitPart,)):
            for index, body in enumerate(self.waiting):
                if isinstance(body, kinds):
                    return index
        return 0

    def _drop_old_parts(self) -> None:
        oldest = self.newest - RING_SAMPLES
        for index, envelope in enumerate(self.unacked):
            part = envelope.body
            if isinstance(part, t.UnitPart):
                if part.start + part.samples > oldest:
                    return  # what waits is newer still
                self.unacked[index] = replace(envelope, body=None)
                self._unacked_bytes -= bytes_at_most(part) - bytes_at_most(None)
                self._count(part)
        for part in [body for body in self.waiting if isinstance(body, t.UnitPart) and body.start + body.samples <= oldest]:
            self._drop_waiting(self.waiting.index(part))

    def _drop_waiting(self, index: int) -> None:
        body = self.waiting[index]
        del self.waiting[index]
        self._waiting_bytes -= bytes_at_most(body)
        self._count(body)

    def _count(self, body: object) -> None:
        self.dropped += 1
        self.dropped_parts += isinstance(body, t.UnitPart)
