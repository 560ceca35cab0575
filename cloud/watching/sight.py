"""Which pictures are read for signs, and when: the newest kept frame, one at a time, at most every two seconds, off the loop.

An adapter between frames and the text reader; does nothing while nobody waits for a sign. Does not know what is looked for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Protocol

from ridealong.cloud.frontends.base import FrameIn
from ridealong.errors import UserError
from ridealong.proto.types import Samples, samples_from_ms

log = logging.getLogger(__name__)
EVERY_MS = 2_000


class Line(Protocol):
    @property
    def text(self) -> str: ...
    @property
    def confidence(self) -> float: ...


class Eyes(Protocol):
    """Reads pictures; `fault` is "" or why it can't."""

    def fault(self) -> str: ...

    def read_jpeg(self, jpeg: bytes) -> Sequence[Line]: ...


@dataclass(slots=True)
class Counters:
    offered: int = 0
    read: int = 0
    passed_over: int = 0
    """A newer frame came before its turn."""
    failed: int = 0


class Sight:
    """`seen(capture, lines)` is called on the loop."""

    def __init__(self, eyes: Eyes, executor: Executor, seen: Callable[[Samples, Sequence[Line]], None]) -> None:
        self.counters = Counters()
        self._eyes, self._executor, self._seen = eyes, executor, seen
        self._waiting: FrameIn | None = None
        self._forgotten = 0
        self._reading = False
        self._last: Samples | None = None

    def offer(self, frame: FrameIn) -> None:
        self.counters.offered += 1
        self.counters.passed_over += self._waiting is not None
        self._waiting = frame
        self.tick(frame.capture)

    def tick(self, at: Samples) -> None:
        """Time passes: the waiting frame may be due."""
        due = self._last is None or at - self._last >= samples_from_ms(EVERY_MS)
        if self._waiting is None or self._reading or not due:
            return
        frame, self._waiting = self._waiting, None
        self._reading, self._last = True, at
        reading = asyncio.get_running_loop().run_in_executor(self._executor, self._eyes.read_jpeg, frame.jpeg)
        forgotten = self._forgotten
        reading.add_done_callback(lambda done: self._done(frame, done, forgotten))

    def forget(self) -> None:
        """Nobody looks any more, or nobody may: what is being read counts no more, either."""
        self._waiting = None
        self._forgotten += 1

    def _done(self, frame: FrameIn, done: asyncio.Future[Sequence[Line]], forgotten: int) -> None:
        self._reading = False
        if done.cancelled() or forgotten != self._forgotten:
            return
        error = done.exception()
        if error is not None:
            self.counters.failed += 1
            log.error("a picture could not be read: %s", error if isinstance(error, UserError) else type(error).__name__)
            return
        self.counters.read += 1
        self._seen(frame.capture, done.result())
