"""What a skill may know of the session's work, and ask of it: the port behind "what are you doing?", "cancel the search", "make it …".

`Doing` is one item as people speak of it, `Work` the port; a session gives one to each call (working.py). Everything in a `Doing` is
what the journal shows, nothing more. Does not know sentences, how an item is chosen from words (choosing.py), or how it is stopped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from ridealong.harness.skill import Outcome  # which names Work

WORK: Final = "work"
"""The group of skills that look at other work or steer it: they are no work that anybody speaks of."""
PARTLY: Final = "partly"
"""The reason of work of which a part was done, and not all."""
HALTED: Final = "halted"
"""The reason of work whose effect was stopped on its way: a part of it came about, and its reply says which."""
JUST_NOW_MS: Final = 30_000
"""So long after a request, "it" means that one."""


class Stage(Enum):
    """Where an item is, of the two machines of harness/work.py."""

    WAITING = "waiting"  # has not begun
    RUNNING = "running"
    STOPPING = "stopping"  # was asked to stop and has not acknowledged
    READY = "ready"  # over; nothing of it was said yet
    TELLING = "telling"
    TOLD = "told"
    SILENT = "silent"  # over, and nothing (more) will be said of it

    @property
    def under_way(self) -> bool:
        return self in (Stage.WAITING, Stage.RUNNING, Stage.STOPPING)

    @property
    def unsaid(self) -> bool:
        return self in (Stage.READY, Stage.TELLING)


@dataclass(frozen=True, slots=True)
class Doing:
    """One item. `english` and `chinese` finish "I've cancelled …"; `words` and `arguments` are the request's, `topics` what the registry says of its kind.
    `outcome` is None while it is under way and where it was stopped with nothing done. `partly`: something of it was done, and not all.
    `halted`: so was what it had set going. `left_ms`: of work that lasts for a known time; `on_its_way`: sent to the car, and not answered yet;
    `moves`: something that can be halted is among that."""

    id: str
    capability: str
    stage: Stage
    english: str = ""
    chinese: str = ""
    words: str = ""
    locale: str = "en"
    arguments: Mapping[str, object] = field(default_factory=dict)
    topics: str = ""
    asked_ms_ago: float = 0.0
    acts: bool = False
    left_ms: float | None = None
    on_its_way: bool = False
    moves: bool = False
    outcome: Outcome | None = None
    partly: bool = False
    halted: bool = False
    reply: str = ""

    def name(self, locale: str) -> str:
        return self.chinese if locale.startswith("zh") else self.english


class Work(Protocol):
    """The work of one session, for one request: who asks is known behind it."""

    def doing(self) -> tuple[Doing, ...]:
        """What is under way or was asked for lately, newest first. For anybody."""

    def one(self, id: str) -> Doing | None:
        """An item as it stands now, however old. For anybody."""

    def cancel(self, id: str) -> bool:
        """Stop it if it is under way (see `one` for when it has stopped), halt what it has set going and can be halted, take its words back if they were
        not said. What came of it is the caller's to say. False, and nothing done, for somebody who may not ask, or not for that."""

    def leave(self, id: str) -> None:
        """The caller waits no longer for an item to stop: it says by itself how it ended."""

    def revise(self, id: str, arguments: Mapping[str, object]) -> str | None:
        """Replace it by a newer version, with a `change` that was said, or `adds` to it. None where nothing could be made of the change (it goes on as
        it was) or the asker may not; else what is to be said now ("": the new version speaks for itself)."""


@dataclass(frozen=True, slots=True)
class NoWork:
    """The work of a call outside a session: there is none."""

    known: tuple[Doing, ...] = field(default=())

    def doing(self) -> tuple[Doing, ...]:
        return self.known

    def one(self, id: str) -> Doing | None:
        return next((one for one in self.known if one.id == id), None)

    def cancel(self, id: str) -> bool:
        return False

    def leave(self, id: str) -> None:
        return None

    def revise(self, id: str, arguments: Mapping[str, object]) -> str | None:
        return None
