"""The time of day where the user is: what "at seven" is measured by. An interface, and two of its kind.

A device does not tell its time zone, and none follows from a place without a table of zones: it is the node's own, which whoever runs it sets (TZ).
Local times are naive `datetime`s; a moment that is kept is seconds since 1970, so that a change to summer time moves no "tomorrow at seven".
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

from ridealong.harness.ports import Clock


class Daytime(Protocol):
    def now(self) -> datetime:
        """Local, naive."""

    def epoch_s(self, local: datetime) -> float: ...

    def local(self, epoch_s: float) -> datetime: ...


class NodeDaytime:
    """The node's own clock and zone."""

    def now(self) -> datetime:
        return datetime.now()  # noqa: DTZ005

    def epoch_s(self, local: datetime) -> float:
        return local.timestamp()

    def local(self, epoch_s: float) -> datetime:
        return datetime.fromtimestamp(epoch_s)  # noqa: DTZ006


class SetDaytime:
    """Begins at `start` and goes on with `clock`: for replays, in which a trip is at the same time of day each time."""

    def __init__(self, start: datetime, clock: Clock) -> None:
        self._start, self._clock, self._began_ms = start, clock, clock.now_ms()

    def now(self) -> datetime:
        return self._start + timedelta(milliseconds=self._clock.now_ms() - self._began_ms)

    def epoch_s(self, local: datetime) -> float:
        return local.replace(tzinfo=UTC).timestamp()

    def local(self, epoch_s: float) -> datetime:
        return datetime.fromtimestamp(epoch_s, UTC).replace(tzinfo=None)


REPLAYED_AT: Final = datetime(2026, 1, 15, 9, 0)
"""When a replayed trip begins."""
