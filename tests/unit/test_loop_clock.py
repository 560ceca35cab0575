"""A front-end listens in a thread; what it asks the harness there goes by the session's clock."""

from __future__ import annotations

import asyncio

import pytest

from ridealong.harness.runner import LoopClock
from ridealong.simulators.virtual_time import VirtualTimeLoop


def test_a_thread_reads_the_time_of_the_session_loop() -> None:
    async def read() -> tuple[float, float]:
        clock = LoopClock()
        await clock.sleep_ms(90_000)
        return clock.now_ms(), await asyncio.to_thread(clock.now_ms)

    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        here, there = runner.run(read())
    assert here == there == pytest.approx(90_000)


def test_without_any_loop_there_is_no_time() -> None:
    with pytest.raises(RuntimeError):
        LoopClock().now_ms()
