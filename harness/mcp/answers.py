"""What may come of one call of a tool. Does not know the protocol or what is said about it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Answered:
    """`parts`: its texts. `other`: it held something else too. `error`: the tool says that it failed."""

    parts: tuple[str, ...]
    other: bool = False
    error: bool = False


@dataclass(frozen=True, slots=True)
class NotSent:
    """Nothing left for the server: it is not there ("unreachable"), or has enough to do ("busy")."""

    reason: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """The server did nothing: it has no such tool, or takes no such arguments."""


@dataclass(frozen=True, slots=True)
class Lost:
    """It was sent, and no usable answer came."""


Answer = Answered | NotSent | Rejected | Lost
