"""What a skill may ask of the reminders of one device: the port behind "remind me at seven".

A reminder is work under way in a session, and is kept beside it until it was told or called off, so that it outlives the session and the node
(reminder_store.py). Does not know the words, or when a sentence may be said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from ridealong.harness.daytime import Daytime
from ridealong.harness.permission import Provenance

REMINDER: Final = "reminder.set"
"""The skill that keeps and tells them."""
MAX_PER_DEVICE: Final = 24
"""Below what one session runs of standing work (runner.MAX_STANDING)."""


@dataclass(frozen=True, slots=True)
class Reminder:
    """`id`: of the work item that will tell it, `due_s` since 1970. `request`, `provenance`: of whoever asked for it."""

    id: str
    arguments: Mapping[str, object]
    due_s: float
    request: str = ""
    locale: str = "en"
    provenance: Provenance = Provenance.UNKNOWN

    @property
    def text(self) -> str:
        return str(self.arguments.get("text", ""))


class Reminders(Protocol):
    """Of one session, whose device they belong to."""

    @property
    def daytime(self) -> Daytime: ...

    def kept(self) -> tuple[Reminder, ...]:
        """All that are not told, the next to come first."""

    def of(self, id: str) -> Reminder | None: ...

    async def keep(self, reminder: Reminder) -> bool:
        """True when it is on the disk. False: it could not be put there, and is not kept."""

    def left(self) -> tuple[Reminder, ...]:
        """Those that an earlier session left behind: each is given once, for this session to go on with under a new id (`renamed`)."""

    def renamed(self, old: str, new: str) -> None: ...


@dataclass(slots=True)
class NotedReminders:
    """Kept nowhere: for tests, and for trying a skill out."""

    daytime: Daytime
    there: dict[str, Reminder] = field(default_factory=dict)

    def kept(self) -> tuple[Reminder, ...]:
        return tuple(sorted(self.there.values(), key=lambda one: one.due_s))

    def of(self, id: str) -> Reminder | None:
        return self.there.get(id)

    async def keep(self, reminder: Reminder) -> bool:
        self.there[reminder.id] = reminder
        return True

    def left(self) -> tuple[Reminder, ...]:
        return ()

    def renamed(self, old: str, new: str) -> None:
        return None
