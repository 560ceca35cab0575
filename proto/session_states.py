"""The states of one end of a session, and what moves it from one to the next. `session.py` acts on it; data only.

Some steps are events from outside (`session_events.py`), others are inner ones: conclusions that the session has drawn from several.
Does not know when a step is taken, or what is sent with it.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from ridealong.proto.session_events import Abandon, LinkDown, LinkUp


class State(Enum):
    DOWN = "down"
    OPENING = "opening"
    OPEN = "open"
    CLOSED = "closed"


# --- inner steps of the table ------------------------------------------------------------------------------------------


class Welcomed:
    """Inner: Hello and Welcome were exchanged."""


class LinkSpoilt:
    """Inner: numbering is broken, the peer is silent, or one side refused."""


class CloseDurable:
    """Inner: a Close is acknowledged (ours by the peer, the peer's by us)."""


# The machine is data; docs/diagrams/session.md is generated from this table.
TRANSITIONS: Final[dict[tuple[State, type], State]] = {
    (State.DOWN, LinkUp): State.OPENING,
    (State.OPENING, Welcomed): State.OPEN,
    (State.OPENING, LinkDown): State.DOWN,
    (State.OPENING, LinkSpoilt): State.DOWN,
    (State.OPEN, LinkDown): State.DOWN,
    (State.OPEN, LinkSpoilt): State.DOWN,
    (State.OPEN, CloseDurable): State.CLOSED,
    (State.OPENING, CloseDurable): State.CLOSED,
    (State.DOWN, CloseDurable): State.CLOSED,
    (State.DOWN, Abandon): State.CLOSED,
    (State.OPENING, Abandon): State.CLOSED,
    (State.OPEN, Abandon): State.CLOSED,
}
