"""A loop for tests whose clock jumps to the next timer when nothing is ready, and whose executor runs inline."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any


class _Selector(selectors.DefaultSelector):  # type: ignore[misc,valid-type]
    now_s = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        if ready := super().select(0):
            return ready
        assert timeout is not None, "every task waits for something that nobody will do"
        self.now_s += timeout
        return []


class JumpingLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.jumping = _Selector()
        super().__init__(self.jumping)

    def time(self) -> float:
        return self.jumping.now_s

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:
            future.set_exception(error)
        return future


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(coroutine)
