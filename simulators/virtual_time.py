"""An event loop whose clock jumps: when nothing is ready, `time()` moves to the next timer instead of waiting for it.

A fast replay runs the same coroutines on this loop. Work given to an executor runs inline, so that the order of everything is
fixed by the code and the input alone; with a `ChargedExecutor` each call also takes as long on the virtual clock as it took to compute.
Sockets still work (they are polled, never waited for), threads that call
`call_soon_threadsafe` are given a moment before the loop says that nothing can ever happen again.

Does not know: trips, devices, or what is being waited for.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import selectors
import time
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")

DEADLOCK_POLL_S = 0.25
"""Real time that a foreign thread is given before an empty loop is called a deadlock."""


class VirtualDeadlock(RuntimeError):
    """Every task waits for something that nobody is going to do."""


class InlineExecutor(concurrent.futures.Executor):
    """Runs each call at once, in the caller. `submit` returns a future that is already finished."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> concurrent.futures.Future[T]:
        future: concurrent.futures.Future[T] = concurrent.futures.Future()
        try:
            result = fn(*args, **kwargs)
        except Exception as error:
            future.set_exception(error)
        else:
            future.set_result(result)
        return future


class Stopwatch:
    """How long computing takes: the smaller of wall-clock and processor time, so that what else the machine does is not counted.
    (With several threads processor time is the larger, on a busy machine wall-clock time is.) `waits`: the work also waits for others, as for
    a server: wall-clock time only."""

    processor_share = 1.0
    """Of the processor time, how much elapses where nobody else computes: below 1 where calls use several cores."""

    def __init__(self, waits: bool = False) -> None:
        self._waits = waits
        self._wall_s, self._processor_s = time.perf_counter(), time.process_time()

    def took_s(self) -> float:
        wall_s = time.perf_counter() - self._wall_s
        return wall_s if self._waits else min(wall_s, self.processor_share * (time.process_time() - self._processor_s))


@dataclass(slots=True)
class _Charge:
    future: concurrent.futures.Future[Any]
    result: Any
    error: Exception | None
    duration_s: float


class ChargedExecutor(concurrent.futures.Executor):
    """One worker on virtual time: a call's result comes when the calls before it are through and its own measured time has passed.

    `waits`: calls may wait for somebody else (`Stopwatch`). Use on a `VirtualTimeLoop`, from its thread. What is computed by a call that another one submits is charged to the inner one only.
    A call that is cancelled before its turn costs nothing.
    """

    _inner_s = 0.0
    """Measured time of calls that were submitted from within the call that is being measured."""
    _kept_s = 0.0
    """Time that the call being measured would have taken longer, had it not found a result kept from before."""

    def __init__(self, waits: bool = False) -> None:
        self._waits = waits
        self._queue: deque[_Charge] = deque()
        self._busy = False
        self.charged_s = 0.0

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> concurrent.futures.Future[T]:
        outer_s, ChargedExecutor._inner_s = ChargedExecutor._inner_s, 0.0
        outer_kept_s, ChargedExecutor._kept_s = ChargedExecutor._kept_s, 0.0
        watch = Stopwatch(self._waits)
        result, error = None, None
        try:
            result = fn(*args, **kwargs)
        except Exception as caught:
            error = caught
        took_s = watch.took_s()
        own_s = max(0.0, took_s - ChargedExecutor._inner_s) + ChargedExecutor._kept_s
        charge = _Charge(concurrent.futures.Future(), result, error, own_s)
        ChargedExecutor._inner_s = outer_s + took_s
        ChargedExecutor._kept_s = outer_kept_s
        self._queue.append(charge)
        if not self._busy:
            self._next()
        return charge.future

    @staticmethod
    def charge(duration_s: float) -> None:
        """From within a call: it used a result that once took so long to compute."""
        ChargedExecutor._kept_s += duration_s

    def _next(self) -> None:
        while self._queue:
            charge = self._queue.popleft()
            if charge.future.set_running_or_notify_cancel():
                self._busy = True
                self.charged_s += charge.duration_s
                asyncio.get_running_loop().call_later(charge.duration_s, self._finish, charge)
                return
        self._busy = False

    def _finish(self, charge: _Charge) -> None:
        if charge.error is not None:
            charge.future.set_exception(charge.error)
        else:
            charge.future.set_result(charge.result)
        self._next()


class _JumpingSelector(selectors.BaseSelector):
    """Asks the real selector without waiting; what would have been waited is added to the clock."""

    def __init__(self) -> None:
        self._real = selectors.DefaultSelector()
        self.now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = self._real.select(0)
        if ready:
            return ready
        if timeout is None:
            ready = self._real.select(DEADLOCK_POLL_S)
            if not ready:
                raise VirtualDeadlock(
                    f"at {self.now_s:.3f} s of virtual time no task is ready and no timer is set: the tasks wait for each other"
                )
            return ready
        if timeout > 0:
            self.now_s += timeout
        return []

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def close(self) -> None:
        self._real.close()

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._real.get_map()


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """`time()` starts at 0 s and only moves when everything that could run has run."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now_s

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> asyncio.Future[T]:  # type: ignore[override]
        """Inline, whatever the executor: the future is finished when this returns, but for a `ChargedExecutor`."""
        if isinstance(executor, ChargedExecutor):
            return asyncio.wrap_future(executor.submit(func, *args), loop=self)
        future: asyncio.Future[T] = self.create_future()
        try:
            result = func(*args)
        except Exception as error:
            future.set_exception(error)
        else:
            future.set_result(result)
        return future


def run_virtual(coroutine: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run` on a virtual-time loop."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(coroutine)
