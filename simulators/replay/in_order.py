"""Lines in order of their time, although what happened first is often known last: words when they are over, speech when it was heard.

    add(at_s, line);  began(what, at_s) … ended(what);  due(now_s) -> lines that nothing earlier will come before;  rest() -> what is left

What has begun holds back what lies after its beginning, for a bounded time. Pure: times are numbers. Does not know what the lines say.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

SLACK_S: Final = 1.0
"""What is told of one instant comes within this."""
HELD_S: Final = 60.0
"""Longer nothing is held back."""

Line = TypeVar("Line")


@dataclass(slots=True)
class InOrder(Generic[Line]):
    _lines: list[tuple[float, int, Line]] = field(default_factory=list)
    _begun: dict[object, float] = field(default_factory=dict)
    _count: int = 0

    @property
    def waiting(self) -> list[Line]:
        return [line for _, _, line in self._lines]

    def add(self, at_s: float, line: Line) -> None:
        self._count += 1
        insort(self._lines, (at_s, self._count, line), key=lambda entry: entry[:2])

    def began(self, what: object, at_s: float) -> None:
        """A line with this time, or a later one, will come of it. Said again: nothing changes."""
        self._begun.setdefault(what, at_s)

    def ended(self, what: object) -> None:
        self._begun.pop(what, None)

    def due(self, now_s: float) -> list[Line]:
        self._begun = {what: at_s for what, at_s in self._begun.items() if now_s - at_s < HELD_S}
        until_s = min([now_s - SLACK_S, *self._begun.values()])
        count = sum(at_s < until_s for at_s, _, _ in self._lines)
        return self._take(count)

    def rest(self) -> list[Line]:
        return self._take(len(self._lines))

    def _take(self, count: int) -> list[Line]:
        taken, self._lines = self._lines[:count], self._lines[count:]
        return [line for _, _, line in taken]
