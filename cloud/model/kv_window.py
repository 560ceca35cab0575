"""Which units leave a session's cache, and what the cache looks like after. Pure: no tensors, no clock.

    rows:  prefix | previous | suffix | unit | unit | ... | unit          (prefix, suffix: the system prompt; never leaves)
    plan(window, history, now_ms) -> Change(rows that move, ids to feed again, the history after), or None
    fitted(history, room) -> the same, whatever the mode, where a unit would not fit

Modes (spec model.md 3.6, venus.md A13). `Basic`: by rows. `Context`: by number of units, and the words said in those that left are kept
as text before the suffix. `Live`: by age. `Off`: everything stays. All of them drop whole units, oldest first, through `_without`.
Rows are counted here as if they lay in a row; where they lie is `kv_places`' business, and what is done to them `kv_rewrite`'s.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import assert_never


@dataclass(frozen=True, slots=True)
class Unit:
    """`said`: its ordinary generated ids (no control id, nothing of a delegate span)."""

    rows: int
    at_ms: int = 0
    said: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class History:
    """What a slot's rows are. `previous` is marker and text together, or empty. `marker` belongs to the tokenizer."""

    prefix: int
    suffix: tuple[int, ...] = ()
    previous: tuple[int, ...] = ()
    units: tuple[Unit, ...] = ()
    marker: tuple[int, ...] = ()

    @property
    def system(self) -> int:
        """Rows before the first unit."""
        return self.prefix + len(self.previous) + len(self.suffix)

    @property
    def rows(self) -> int:
        return self.system + sum(unit.rows for unit in self.units)

    def plus(self, unit: Unit) -> History:
        return replace(self, units=(*self.units, unit))


@dataclass(frozen=True, slots=True)
class Off:
    pass


@dataclass(frozen=True, slots=True)
class Basic:
    """Above `high_rows`, units go until there are `low_rows` or fewer."""

    high_rows: int = 4_000
    low_rows: int = 3_500

    def __post_init__(self) -> None:
        if not 0 < self.low_rows <= self.high_rows:
            raise ValueError(f"low_rows must be 1 to high_rows; they are {self.low_rows} and {self.high_rows}")


@dataclass(frozen=True, slots=True)
class Context:
    """The newest `max_units` stay. Of the words of those that went, the newest `max_previous` ids stay."""

    max_units: int = 24
    max_previous: int = 500

    def __post_init__(self) -> None:
        if self.max_units < 1 or self.max_previous < 1:
            raise ValueError("max_units and max_previous must be at least 1")


@dataclass(frozen=True, slots=True)
class Live:
    """Units of the last `keep_ms` stay. The drop waits until the oldest is `slack_ms` older still, and then takes all past `keep_ms`.

    A drop costs a short pass of the model (docs/decisions/kv-rows.md). Realtime-Venus drops every second: `slack_ms` 0.
    """

    keep_ms: int = 120_000
    slack_ms: int = 10_000

    def __post_init__(self) -> None:
        if self.keep_ms < 1 or self.slack_ms < 0:
            raise ValueError("keep_ms must be at least 1, slack_ms at least 0")


Window = Off | Basic | Context | Live


@dataclass(frozen=True, slots=True)
class Change:
    """Rows [start, stop) leave, `again` is fed in their place, and then the slot holds `after`. What stands before them closes up.

    Exact: keys of layer 0 become those of a fresh run on the shortened history, but for a turn common to all. Deeper layers keep what they
    knew of the dropped units.
    """

    after: History
    start: int
    stop: int
    again: tuple[int, ...]
    dropped: tuple[Unit, ...]


def fitted(history: History, room: int, window: Window | None = None) -> Change | None:
    """What must leave so that no more than `room` rows stay: units, oldest first, down to three quarters of it; the newest only where
    nothing else helps, and then the words of earlier ones. None: nothing must. In `Context` the newest words of what leaves stay, as many as
    fit. Raises `ValueError` where the system prompt alone is more."""
    if history.rows <= room:
        return None
    if history.prefix + len(history.suffix) > room:
        raise ValueError(f"the system prompt has {history.prefix + len(history.suffix)} rows, and {room} can stay")
    count, rows = 0, history.rows
    while count < len(history.units) - 1 and rows > room * 3 // 4:
        rows -= history.units[count].rows
        count += 1
    if rows > room:
        count, rows = len(history.units), history.system
    kept = _previous(history, count, window.max_previous) if isinstance(window, Context) else history.previous
    beside = rows - len(history.previous)
    return _without(history, count, _newest(kept, history.marker, min(room, max(room * 7 // 8, rows)) - beside))


def _newest(previous: tuple[int, ...], marker: tuple[int, ...], most: int) -> tuple[int, ...]:
    """Marker and the newest words, `most` ids together; nothing where that leaves no word."""
    if len(previous) <= most:
        return previous
    return marker + previous[len(previous) - (most - len(marker)) :] if most > len(marker) else ()


def plan(window: Window, history: History, now_ms: int = 0) -> Change | None:
    """What to do after a unit. The newest unit always stays. now_ms: the clock that `Unit.at_ms` is read from. None: nothing leaves."""
    count = min(_leaving(window, history, now_ms), len(history.units) - 1)
    if count <= 0:
        return None
    kept = _previous(history, count, window.max_previous) if isinstance(window, Context) else history.previous
    return _without(history, count, kept)


def _leaving(window: Window, history: History, now_ms: int) -> int:
    """How many of the oldest units leave."""
    match window:
        case Off():
            return 0
        case Basic():
            rows, count = history.rows, 0
            if rows > window.high_rows:
                while rows > window.low_rows and count < len(history.units):
                    rows -= history.units[count].rows
                    count += 1
            return count
        case Context():
            return len(history.units) - window.max_units
        case Live():
            if not history.units or now_ms - history.units[0].at_ms < window.keep_ms + window.slack_ms:
                return 0
            stays = (index for index, unit in enumerate(history.units) if now_ms - unit.at_ms < window.keep_ms)
            return next(stays, len(history.units))
        case _:
            assert_never(window)


def _previous(history: History, count: int, most: int) -> tuple[int, ...]:
    """Marker and the newest `most` ids said so far; nothing where nothing was said."""
    said = history.previous[len(history.marker) :]
    said += tuple(token for unit in history.units[:count] for token in unit.said)
    return history.marker + said[-most:] if said else ()


def _without(history: History, count: int, previous: tuple[int, ...]) -> Change:
    """The one way to drop: the oldest `count` units leave, from right behind the system prompt."""
    dropped = history.units[:count]
    after = replace(history, previous=previous, units=history.units[count:])
    stop = history.system + sum(unit.rows for unit in dropped)
    if previous == history.previous:  # equal ids behind an equal prefix would give equal rows: nothing to feed
        return Change(after, history.system, stop, (), dropped)
    return Change(after, history.prefix, stop, previous + history.suffix, dropped)
