"""Places to work on a node: a bounded number, handed round among the sessions that want one, so that fifty requests of one hold up no other. Sans-IO.

    Places(limit).join(wake)  ->  Place.take() / give() / leave()

Each session has one place in the line, however much it wants; whoever has had a turn goes to the back. Does not know jobs, or how many of
them one session may run (runner.py).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class Place:
    """One session's. `wake` is called when it is its turn: whoever does not take then has had it."""

    places: Places
    wake: Callable[[], None]
    held: int = 0
    invited: bool = False
    in_line: bool = False

    def take(self) -> bool:
        """False: none is free now, or others come first; `wake` will tell."""
        if self.invited:
            self.invited = False
        elif self.places.free > 0 and not self.places.line:
            self.places.taken += 1
        else:
            self.places.queue(self)
            return False
        self.held += 1
        return True

    def give(self) -> None:
        """One piece of work is over."""
        assert self.held > 0
        self.held -= 1
        self.places.taken -= 1
        self.places.invite()

    def leave(self) -> None:
        """The session is over: what it holds is free, and it stands in no line."""
        self.places.taken -= self.held
        self.held = 0
        self.places.forget(self)
        self.places.invite()


@dataclass(slots=True)
class Places:
    limit: int
    taken: int = 0
    line: deque[Place] = field(default_factory=deque)
    waited: int = 0  # how often somebody had to stand in line

    def join(self, wake: Callable[[], None]) -> Place:
        return Place(self, wake)

    @property
    def free(self) -> int:
        return self.limit - self.taken

    def queue(self, place: Place) -> None:
        if not place.in_line:
            place.in_line = True
            self.line.append(place)
            self.waited += 1

    def forget(self, place: Place) -> None:
        if place.in_line:
            place.in_line = False
            self.line.remove(place)

    def invite(self) -> None:
        """Free places go to those in line, one each, first come first served."""
        while self.free > 0 and self.line:
            first = self.line.popleft()
            self.taken += 1
            first.in_line, first.invited = False, True
            first.wake()
            if first.invited:  # it had nothing to do after all
                first.invited = False
                self.taken -= 1
