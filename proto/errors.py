"""Who broke the protocol: the other end, or this program. Each with a stable code and a sentence for people."""

from __future__ import annotations


class ProtocolError(Exception):
    """`code` is stable and may be matched; `text` is for people and holds no user content."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{text} [{code}]")
        self.code = code
        self.text = text


class LocalProtocolError(ProtocolError):
    """This program asked for something the wire forbids. Nothing has changed."""


class RemoteProtocolError(ProtocolError):
    """The peer sent something the wire forbids. `seq` and `acked` are what could still be read (0: nothing),
    so that one bad message costs one message and not the session."""

    def __init__(self, code: str, text: str, seq: int = 0, acked: int = 0) -> None:
        super().__init__(code, text)
        self.seq = seq
        self.acked = acked
