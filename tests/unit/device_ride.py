"""A device agent over simulated hardware and a fake link, on virtual time: rides with a script, and everything that was seen."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridealong.device.agent import Agent
from ridealong.device.camera import SimulatedCamera
from ridealong.device.config import DeviceConfig
from ridealong.device.microphone import SimulatedMicrophone
from ridealong.device.observing import (
    AgentEvent,
)
from ridealong.device.speaker import SimulatedSpeaker
from ridealong.device.voice_activity import level_db
from ridealong.proto.types import (
    DownlinkBody,
    Epoch,
    Hello,
    Samples,
    Speech,
    UplinkBody,
    UtteranceId,
)


class _Jump(selectors.DefaultSelector):
    now_s = 1_000.0

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(0)
        if not ready:
            assert timeout is not None, "every task waits for ever"
            self.now_s += timeout
        return ready


class FastLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jump = _Jump()
        super().__init__(self._jump)

    def time(self) -> float:
        return self._jump.now_s

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:  # type: ignore[override]
        future = self.create_future()
        future.set_result(func(*args))
        return future


def run(main: Coroutine[Any, Any, None]) -> None:
    loop = FastLoop()
    try:
        loop.run_until_complete(main)
    finally:
        loop.close()


class Loud:
    """Speech is what is louder than -40 dBFS."""

    def is_speech(self, buf: bytes, sample_rate: int) -> bool:
        return level_db(np.frombuffer(buf, np.int16)) > -40


class State(Enum):
    OPEN = "open"
    CLOSED = "closed"


class FakeLink:
    def __init__(
        self,
        hello: Hello,
        on_message: Callable[[DownlinkBody], None],
        on_state: Callable[[Enum], None],
        now: Callable[[], Samples],
    ) -> None:
        self.hello, self.on_message, self.on_state, self.now = hello, on_message, on_state, now
        self.sent: list[UplinkBody] = []
        self.error: Exception | None = None
        self.ended = asyncio.Event()
        self.closed = False

    def send(self, body: UplinkBody) -> None:
        self.sent.append(body)

    async def run(self) -> None:
        self.on_state(State.OPEN)
        if self.error is not None:
            raise self.error
        await self.ended.wait()
        self.on_state(State.CLOSED)

    async def close(self) -> None:
        self.closed = True
        self.ended.set()


Source = Callable[[int, int], NDArray[np.int16] | None]


class Ride:
    """An agent, a script of (seconds, action), and everything that was seen."""

    def __init__(self, source: Source | None = None, config: DeviceConfig | None = None, **options: Any) -> None:
        self.events: list[AgentEvent] = []
        self.sound = np.zeros(0, np.int16)  # at 24 kHz
        self.link: FakeLink
        self.error: Exception | None = None
        room = source or (lambda start, samples: np.zeros(samples, np.int16))
        camera = options.pop("camera", None)
        self.speaker = SimulatedSpeaker(self._sink)
        self.agent = Agent(
            config or DeviceConfig(),
            SimulatedMicrophone(room),
            SimulatedCamera(camera) if camera else None,
            self.speaker,
            self._make_link,
            observers=[self.events.append],
            detector=Loud(),
            **options,
        )

    def _make_link(
        self,
        hello: Hello,
        on_message: Callable[[DownlinkBody], None],
        on_state: Callable[[Enum], None],
        now: Callable[[], Samples],
    ) -> FakeLink:
        self.link = FakeLink(hello, on_message, on_state, now)
        self.link.error = self.error
        return self.link

    def _sink(self, at: Samples, block: NDArray[np.int16]) -> None:
        place = at * 3 // 2
        self.sound = np.concatenate([self.sound, np.zeros(max(0, place - len(self.sound)), np.int16), block])

    async def go(self, seconds: float, *script: tuple[float, Callable[[], None]]) -> None:
        async def play() -> None:
            began_s = asyncio.get_running_loop().time()
            for at_s, action in sorted(script, key=lambda entry: entry[0]):
                await asyncio.sleep(max(0.0, began_s + at_s - asyncio.get_running_loop().time()))
                action()
            await asyncio.sleep(began_s + seconds - asyncio.get_running_loop().time())
            await self.agent.stop()

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.agent.run())
            tasks.create_task(play())

    def sent(self, kind: type) -> list[Any]:
        return [body for body in self.link.sent if isinstance(body, kind)]

    def told(self, kind: type) -> list[tuple[float, Any]]:
        return [(event.at / 16_000, event.item) for event in self.events if isinstance(event.item, kind)]


def speech(epoch: int, utterance: int, seconds: float, value: int = 5_000) -> list[Speech]:
    """100 ms chunks."""
    count = round(seconds * 10)
    pcm = np.full(2_400, value, "<i2").tobytes()
    return [Speech(Epoch(epoch), UtteranceId(utterance), k, k == count - 1, 24_000, pcm, offset=2_400 * k) for k in range(count)]


def talk(*spans: tuple[float, float]) -> Source:
    """A loud tone within the spans (seconds), silence elsewhere."""

    def source(start: int, samples: int) -> NDArray[np.int16]:
        t = (start + np.arange(samples)) / 16_000
        on = np.zeros(samples, bool)
        for begin, end in spans:
            on |= (t >= begin) & (t < end)
        return (6_000 * np.sin(2 * np.pi * 300 * t) * on).astype(np.int16)

    return source
