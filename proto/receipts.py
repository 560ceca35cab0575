"""What one end has taken from the other, and what of it is acknowledged: the mirror of `send_buffer.py`.

A message is *received* when it came in its turn, and *committed* when it, and everything before it, is durable here. Only what is committed
is acknowledged. An ack that is owed waits at most ACK_FLUSH_MS, or ACK_FLUSH_MESSAGES messages, for a message that would carry it.

Pure. Does not know links, states, or what a message means.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from ridealong.proto.errors import LocalProtocolError

ACK_FLUSH_MS: Final = 200
ACK_FLUSH_MESSAGES: Final = 256


@dataclass(slots=True)
class Receipts:
    """All of `received` is durable at first (0, or as it was logged)."""

    received: int = 0  # highest contiguous seq taken from the peer
    committed: int = field(init=False)
    acked: int = field(init=False)  # what the peer was told last
    due_ms: float | None = None  # when an ack is due, if one is owed
    _pending: set[int] = field(default_factory=set)  # received, not yet durable

    def __post_init__(self) -> None:
        self.committed = self.acked = self.received

    def take(self, seq: int) -> None:
        """The next message; `commit` says later that it is durable."""
        self.received = seq
        self._pending.add(seq)

    def commit(self, seq: int) -> bool:
        """Any order. True when more can be acknowledged than before."""
        if seq > self.received:
            raise LocalProtocolError("commit_unknown", f"message {seq} has not arrived, {self.received} have")
        self._pending.discard(seq)
        before = self.committed
        while self.committed < self.received and self.committed + 1 not in self._pending:
            self.committed += 1
        return self.committed > before

    def owe(self, at_ms: float) -> None:
        if self.due_ms is None:
            self.due_ms = at_ms + ACK_FLUSH_MS

    @property
    def too_many(self) -> bool:
        """So much is committed and not acknowledged that no more waiting is allowed."""
        return self.committed - self.acked >= ACK_FLUSH_MESSAGES

    def told(self) -> None:
        """What is committed now was put on the link."""
        self.acked, self.due_ms = self.committed, None

    def start_over(self) -> None:
        """The numbers mean nothing any more."""
        self._pending.clear()
        self.received = 0
        self.committed = 0
        self.told()
