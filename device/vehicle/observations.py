"""What is known of the car and how old it is. Pure: every call brings the time.

Two kinds of age. A gate signal (speed, gear, ignition, parking brake) is as old as the last moment at which the databroker's
stamp on it was seen to *move*: the first value after a connection may have lain there for hours, so it has no age at all
until its provider shows a sign of life. Any other signal changes rarely and is as old as the last exchange with the
databroker: while the subscription lives, its last value is the present one.

Does not know wall clocks: the databroker's stamps are only compared with each other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from ridealong.proto.types import SignalReading, SignalValue
from ridealong.vehicle_skills.broker import Update
from ridealong.vehicle_skills.signals import GATE_PATHS

NEVER_MS: Final = 2**31 - 1
"""The age of a gate value that has shown no sign of life."""
_GATES = frozenset(GATE_PATHS)


@dataclass(frozen=True, slots=True)
class _Seen:
    value: SignalValue | None
    stamp_ns: int
    alive_ms: float | None  # when the stamp last moved


@dataclass(slots=True)
class Observations:
    fixed: dict[str, SignalValue] = field(default_factory=dict)
    """What the configuration says of the car and the databroker may not (which side the driver sits on, the display's unit)."""
    exchanged_ms: float | None = None
    changed: set[str] = field(default_factory=set)
    _seen: dict[str, _Seen] = field(default_factory=dict)

    def connected(self) -> None:
        """A new connection: no stamp of the old one proves anything."""
        self._seen = {path: _Seen(seen.value, -1, None) for path, seen in self._seen.items()}

    def take(self, updates: Iterable[Update], at_ms: float) -> list[Update]:
        """Returns those whose value is news."""
        self.exchanged_ms = at_ms
        news = []
        for update in updates:
            old = self._seen.get(update.path)
            if old is not None and update.stamp_ns < old.stamp_ns:
                continue  # a read overtaken by the subscription
            moved = old is not None and 0 <= old.stamp_ns < update.stamp_ns
            alive_ms = at_ms if moved else old.alive_ms if old is not None else None
            self._seen[update.path] = _Seen(update.value, update.stamp_ns, alive_ms)
            if old is None or old.value != update.value or type(old.value) is not type(update.value):
                news.append(update)
                self.changed.add(update.path)
        return news

    def value(self, path: str) -> SignalValue | None:
        seen = self._seen.get(path)
        return seen.value if seen is not None and seen.value is not None else self.fixed.get(path)

    def reading(self, path: str, at_ms: float) -> SignalReading | None:
        """The value with its age at `at_ms`, or None when it was never known."""
        value = self.value(path)
        if value is None:
            return None
        seen = self._seen.get(path)
        if seen is None or seen.value is None:
            return SignalReading(path, value, 0)
        since = seen.alive_ms if path in _GATES else self.exchanged_ms
        return SignalReading(path, value, NEVER_MS if since is None else min(NEVER_MS, max(0, round(at_ms - since))))

    def readings(self, at_ms: float, paths: Iterable[str] | None = None) -> tuple[SignalReading, ...]:
        """All that is known, or those asked for."""
        wanted = sorted(self._seen.keys() | self.fixed.keys()) if paths is None else sorted(paths)
        found = (self.reading(path, at_ms) for path in wanted)
        return tuple(reading for reading in found if reading is not None)
