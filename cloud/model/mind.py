"""What the thinking half knows of a session beside the caches, what goes into it for a unit, and what comes out. Values only."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

from torch import Tensor

from ridealong.cloud.model.aside import Mark
from ridealong.cloud.model.decoding import Outcome, UnitRules
from ridealong.cloud.model.kv_rewrite import Front
from ridealong.cloud.model.kv_window import History
from ridealong.cloud.model.mel import StreamingMel
from ridealong.cloud.model.sampling import Chance
from ridealong.cloud.model.serialization import Ids, Item
from ridealong.cloud.model.unit_io import SessionSettings


@dataclass(slots=True)
class Mind:
    """One session's state that isn't in the caches. `front`: keys of its system prompt as they were made. `pending`: what closes the last unit; it is fed with the next one. `lost`: its rows
    in the cache are no numbers, or a fault has left them half changed."""

    settings: SessionSettings
    rules: UnitRules
    mel: StreamingMel
    chance: Chance
    history: History
    front: Front
    pending: Ids | None = None
    pending_rows: int = 0  # of the unit that `pending` closes, with it
    pending_said: tuple[int, ...] = ()
    pending_at_ms: int = 0
    turn_ids: list[int] = field(default_factory=list)  # words of the open turn
    turn_shown: int = 0  # characters of them that were given out
    lost: bool = False

    @property
    def fed(self) -> int:
        """Rows that its slot holds."""
        return self.history.rows + (self.pending_rows - len(self.pending.ids) if self.pending is not None else 0)

    def copy(self) -> Mind:
        """As it is between two units."""
        return replace(self, rules=self.rules.copy(), turn_ids=list(self.turn_ids))

    def become(self, other: Mind) -> None:
        for each in fields(Mind):
            setattr(self, each.name, getattr(other, each.name))


@dataclass(frozen=True, slots=True)
class Rows:
    """A unit of one session, ready to be fed: `embeds` [rows, hidden] for `items`."""

    items: tuple[Item, ...]
    embeds: Tensor
    force_listen: bool
    at_ms: int


@dataclass(frozen=True, slots=True)
class Thought:
    """What a unit of one session came to. `spoken`, `hidden`: the ids for the talker and their states [words, hidden]. `mind`: whose it is;
    by the time that it is spoken its slot may be another session's. `mark`: after which `hidden` is there, on the device (`aside`)."""

    mind: Mind
    outcome: Outcome
    words: str
    delegates: tuple[str, ...]
    spoken: tuple[int, ...]
    hidden: Tensor
    headroom_rows: int
    dropped: int
    forced: bool
    refused: int
    lost: bool
    mark: Mark = None
