"""Rides jobs, in this process or in several, and hands over the facts as they come. Ctrl-C ends it at once;
rides under way are given up.

Models are loaded once a process. Does not know what is ridden, or what becomes of facts.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Any, Generic, TypeVar

from ridealong.errors import UserError

J = TypeVar("J")
R = TypeVar("R")

_ride: Callable[[Any], Any] | None = None
_leaving = False


def default_workers() -> int:
    """One for each pair of cores: the models of one ride use two."""
    return max(1, (os.cpu_count() or 1) // 2)


class Workers(Generic[J, R]):
    """`make` is called once in each process: it loads what rides need and returns what makes one. For several processes it, jobs and
    results must be picklable."""

    def __init__(self, make: Callable[[], Callable[[J], R]], count: int) -> None:
        self._make, self._count = make, count

    def each(self, jobs: Sequence[J]) -> Iterator[R]:
        """In the order in which they are done."""
        if self._count == 1:
            ride = self._make()
            for job in jobs:
                yield ride(job)
            return
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(self._count, mp_context=context, initializer=partial(_begin, self._make))
        finished = False
        try:
            waiting = iter(jobs)
            open_: set[Future[R]] = {pool.submit(_do, job) for job in _first(waiting, 2 * self._count)}
            while open_:
                done, open_ = wait(open_, return_when=FIRST_COMPLETED)
                open_ |= {pool.submit(_do, job) for job in _first(waiting, len(done))}
                for future in done:
                    yield future.result()
            finished = True
        except BrokenProcessPool:
            raise UserError(
                "a worker ended unexpectedly, perhaps for want of memory: use fewer --jobs, with the same --out."
            ) from None
        finally:
            workers = list((pool._processes or {}).values())  # Python 3.14 has terminate_workers()
            # waited for where all is done: left to the interpreter's end, the pool may find its own pipe closed
            pool.shutdown(wait=finished, cancel_futures=True)
            for worker in [] if finished else workers:
                worker.terminate()  # a ride may last minutes, and this program would wait for it


def _first(jobs: Iterator[J], count: int) -> list[J]:
    return [job for _, job in zip(range(count), jobs, strict=False)]


def _begin(make: Callable[[], Callable[[Any], Any]]) -> None:
    global _ride
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _ride = make()
    signal.signal(signal.SIGTERM, _leave)


def _end_with_parent() -> None:
    """A worker whose parent was killed would wait for jobs, and hold its models, for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _leave(*_: object) -> None:
    """Out of the ride under way, which cleans up, without a word; jobs that are here already are not begun."""
    global _leaving
    _leaving = True
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sys.exit(1)


def _do(job: Any) -> Any:
    if _leaving:
        sys.exit(1)
    assert _ride is not None
    return _ride(job)
