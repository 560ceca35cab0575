"""The clock that jumps: order, determinism, inline work, cancellation, deadlock."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.simulators.virtual_time import ChargedExecutor, InlineExecutor, VirtualDeadlock, VirtualTimeLoop, run_virtual

pytestmark = pytest.mark.unit


def test_an_hour_takes_no_time() -> None:
    async def nap() -> float:
        await asyncio.sleep(3600)
        return asyncio.get_running_loop().time()

    began = time.perf_counter()
    assert run_virtual(nap()) == pytest.approx(3600, abs=1e-6)
    assert time.perf_counter() - began < 1


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 5000), min_size=1, max_size=20))
def test_sleepers_wake_in_the_order_of_their_deadlines(delays_ms: list[int]) -> None:
    async def scene() -> list[tuple[int, float]]:
        woken: list[tuple[int, float]] = []
        loop = asyncio.get_running_loop()

        async def sleeper(delay_ms: int) -> None:
            await asyncio.sleep(delay_ms / 1000)
            woken.append((delay_ms, loop.time()))

        async with asyncio.TaskGroup() as group:
            for delay_ms in delays_ms:
                group.create_task(sleeper(delay_ms))
        return woken

    woken = run_virtual(scene())
    assert [delay for delay, _ in woken] == sorted(delays_ms)
    assert all(abs(at - delay / 1000) < 1e-6 for delay, at in woken)
    assert woken == run_virtual(scene())


def test_time_stands_still_while_work_is_ready() -> None:
    async def busy() -> float:
        for _ in range(1000):
            await asyncio.sleep(0)
        return asyncio.get_running_loop().time()

    assert run_virtual(busy()) == 0


def test_executor_work_is_inline_and_costs_no_time() -> None:
    async def scene() -> tuple[int, float, bool]:
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1) as pool:
            here = await loop.run_in_executor(pool, threading.get_ident)
        await asyncio.to_thread(time.sleep, 0.01)
        return here, loop.time(), here == threading.get_ident()

    _, at, same_thread = run_virtual(scene())
    assert same_thread and at == 0


def test_errors_of_inline_work_reach_the_awaiter() -> None:
    def fail() -> None:
        raise ValueError("no")

    async def scene() -> None:
        await asyncio.get_running_loop().run_in_executor(None, fail)

    with pytest.raises(ValueError, match="no"):
        run_virtual(scene())
    with pytest.raises(ValueError, match="no"):
        InlineExecutor().submit(fail).result()
    assert InlineExecutor().submit(pow, 2, 5).result() == 32
    assert list(InlineExecutor().map(abs, [-1, 2])) == [1, 2]


def test_timeouts_and_cancellation_work_on_virtual_time() -> None:
    async def scene() -> tuple[float, bool]:
        loop = asyncio.get_running_loop()
        cancelled = False

        async def forever() -> None:
            nonlocal cancelled
            try:
                await asyncio.sleep(10_000)
            except asyncio.CancelledError:
                cancelled = True
                raise

        with pytest.raises(TimeoutError):
            async with asyncio.timeout(5):
                await forever()
        return loop.time(), cancelled

    at, cancelled = run_virtual(scene())
    assert at == pytest.approx(5) and cancelled


def test_a_deadlock_is_named_and_does_not_hang() -> None:
    async def stuck() -> None:
        await asyncio.get_running_loop().create_future()

    with pytest.raises(VirtualDeadlock, match="wait for each other"):
        run_virtual(stuck())


def test_a_foreign_thread_can_wake_the_loop() -> None:
    async def scene() -> str:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        future: asyncio.Future[str] = loop.create_future()
        thread = threading.Thread(target=lambda: loop.call_soon_threadsafe(future.set_result, "woken"))
        thread.start()
        result = await future
        thread.join()
        return result

    assert run_virtual(scene()) == "woken"


def test_real_sockets_still_work() -> None:
    async def scene() -> bytes:
        async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(await reader.readline())
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        async with server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
            writer.write(b"hello\n")
            answer = await reader.readline()
            writer.close()
        return answer

    assert run_virtual(scene()) == b"hello\n"


def test_charged_work_takes_its_measured_time_one_call_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    for measure in ("perf_counter", "process_time"):
        monkeypatch.setattr(f"ridealong.simulators.virtual_time.time.{measure}", lambda: clock[0])

    def work(seconds: float) -> float:
        clock[0] += seconds
        return seconds

    async def main() -> list[tuple[float, float]]:
        loop = asyncio.get_running_loop()
        models, front_end = ChargedExecutor(), ChargedExecutor()
        done: list[tuple[float, float]] = []

        def note(future: concurrent.futures.Future[float]) -> None:
            done.append((round(loop.time(), 3), future.result() if not future.cancelled() else -1))

        def outer() -> float:
            clock[0] += 0.05
            for seconds in (0.3, 0.2):
                models.submit(work, seconds).add_done_callback(note)
            unwanted = models.submit(work, 5.0)
            unwanted.cancel()
            return 0.0

        await loop.run_in_executor(front_end, outer)
        done.append((round(loop.time(), 3), 0.05))
        await asyncio.sleep(1)
        return done

    assert run_virtual(main()) == [(0.05, 0.05), (0.3, 0.3), (0.5, 0.2)]


def test_only_the_work_itself_is_charged_unless_it_waits_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    wall, processor = [0.0], [0.0]
    monkeypatch.setattr("ridealong.simulators.virtual_time.time.perf_counter", lambda: wall[0])
    monkeypatch.setattr("ridealong.simulators.virtual_time.time.process_time", lambda: processor[0])

    def work(wall_s: float, processor_s: float, kept_s: float = 0.0) -> None:
        wall[0] += wall_s
        processor[0] += processor_s
        ChargedExecutor.charge(kept_s)

    def outer(executor: ChargedExecutor) -> None:
        executor.submit(work, 0.3, 0.3, 1.0)
        work(0.1, 0.1, 0.25)

    async def main() -> list[float]:
        loop = asyncio.get_running_loop()
        marks = []
        for executor, *times in [
            (ChargedExecutor(), 0.4, 0.6),  # two threads
            (ChargedExecutor(), 4.0, 0.5),  # a busy machine
            (ChargedExecutor(waits=True), 4.0, 0.5),  # a server
            (ChargedExecutor(), 0.1, 0.1, 0.7),  # a result that was kept
        ]:
            began = loop.time()
            await loop.run_in_executor(executor, work, *times)
            marks.append(round(loop.time() - began, 3))
        began, inner = loop.time(), ChargedExecutor()
        await loop.run_in_executor(ChargedExecutor(), outer, inner)
        return [*marks, round(loop.time() - began, 3), round(inner.charged_s, 3)]

    assert run_virtual(main()) == [0.4, 0.5, 4.0, 0.8, 0.35, 1.3]


def test_an_error_of_charged_work_arrives_when_it_is_due() -> None:
    async def main() -> None:
        executor = ChargedExecutor()
        with pytest.raises(ZeroDivisionError):
            await asyncio.get_running_loop().run_in_executor(executor, lambda: 1 / 0)

    run_virtual(main())
