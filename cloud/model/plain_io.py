"""What a front-end sees of the model: seconds in, seconds out, as plain values. No tensor and no import of torch.

    Hosted.admit(seed) -> Guest.submit(Second) -> Future of Said

`hosting` makes one from a checkpoint; `ScriptedGuest` is the one for tests. Knows no wire, no turn and no skill.
"""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ridealong.cloud.frontends.base import NoRoom

Sound = npt.NDArray[np.float32]  # [samples], mono, -1..1


@dataclass(frozen=True, slots=True)
class Second:
    """What one unit of one session observes.

    `sound`: [16 000] at 16 kHz; None: a unit of words alone. `pictures`: image files, oldest first. `text`: typed words. `answer`: a result
    of the harness's; only while no turn is open. `force_listen`: say nothing, and break off what is being said. `at_ms`: growing.
    """

    sound: Sound | None = None
    pictures: tuple[bytes, ...] = ()
    text: str = ""
    answer: str = ""
    force_listen: bool = False
    at_ms: int = 0


@dataclass(frozen=True, slots=True)
class Said:
    """What came of it. `turn_open`: the model goes on in the next unit. `sound`: [samples] at 24 kHz, None where nothing is said. `words`: new text of the turn, whole characters only.
    `delegates`: requests that were closed, a text each. `late_ms`: after its deadline. `lesser`: "" where all of the unit was run, or what
    became of it: no_vision, listen. `bad_pictures`: those that could not be looked at, and were left out. `lost`: the model gave no numbers for
    this session: nothing was said, and it must begin anew. `took_ms`: from the hand-over. `headroom_rows`: context still free.
    `load`: the share of the device's time in use, 0..1."""

    listens: bool = True
    end_of_turn: bool = False
    interrupted: bool = False
    turn_open: bool = False
    words: str = ""
    delegates: tuple[str, ...] = ()
    sound: Sound | None = None
    late_ms: float = 0.0
    lesser: str = ""
    bad_pictures: int = 0
    lost: bool = False
    took_ms: float = 0.0
    headroom_rows: int = 0
    load: float = 0.0


class NotRun(Exception):
    """This unit can't be; the session goes on. The message holds no content."""


class Broken(Exception):
    """The device or the engine failed on this unit. The message holds no content."""


class Guest(Protocol):
    """One session's end of the model."""

    def submit(self, second: Second) -> Future[Said]:
        """In order, from one thread at a time. The future fails with `NotRun` or `Broken`, never otherwise."""

    def begin_anew(self, seed: int) -> None:
        """In the same place, with nothing of what it remembered; what waits fails with `NotRun`. Never waits, and is never refused for want
        of room. Raises `ridealong.cloud.frontends.base.NoRoom` where the model has stopped."""

    def close(self) -> None:
        """Twice is harmless. What waits fails with `NotRun`."""


class Hosted(Protocol):
    """A model that takes sessions."""

    @property
    def failed(self) -> bool:
        """It takes no more, ever: the node must be started again."""

    def admit(self, seed: int) -> Guest:
        """Never waits. Raises `ridealong.cloud.frontends.base.NoRoom`."""

    def broke(self) -> None:
        """A session has given the engine up: nobody else is let in."""

    def stop(self) -> None: ...


@dataclass(slots=True)
class ScriptedGuest:
    """For tests: answers by a script, one entry a unit, then listens. An entry that is an exception fails its unit. `held`: answers wait for `release`. `stopped`:
    it can't begin anew. `begun`: seeds with which it did."""

    script: list[Said | Exception] = field(default_factory=list)
    held: bool = False
    seconds: list[Second] = field(default_factory=list)
    waiting: list[Future[Said]] = field(default_factory=list)
    closed: bool = False
    stopped: bool = False
    begun: list[int] = field(default_factory=list)

    def submit(self, second: Second) -> Future[Said]:
        future: Future[Said] = Future()
        self.seconds.append(second)
        self.waiting.append(future)
        if not self.held:
            self.release()
        return future

    def release(self) -> None:
        """Answer all that waits."""
        while self.waiting:
            answer = self.script.pop(0) if self.script else Said()
            future = self.waiting.pop(0)
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)

    def begin_anew(self, seed: int) -> None:
        if self.stopped:
            raise NoRoom("The model has stopped.")
        self.begun.append(seed)
        for future in self.waiting:
            future.set_exception(NotRun("Ended"))
        self.waiting.clear()

    def close(self) -> None:
        self.closed = True
