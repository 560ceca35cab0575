"""Networks to replay over: delay, jitter and outages on the running loop's clock, from a seed, around any Channel.

Messages keep their order (the link is a stream). In an outage nothing passes and nothing connects; a link that meets one breaks
after `BREAK_AFTER_S`, and what was on the way is lost. Does not know what the messages say.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from ridealong.errors import UserError
from ridealong.proto.channel import Channel, ChannelClosed

BREAK_AFTER_S = 2.0
MAX_ON_THE_WAY = 20_000
"""Messages of one direction between the ends; more breaks the link, as a real one would."""


@dataclass(frozen=True, slots=True)
class NetworkPreset:
    """`delay_ms` one way; `jitter_ms` is added evenly from 0; outages are (from, to) seconds after the start of the run."""

    name: str
    delay_ms: float = 0.0
    jitter_ms: float = 0.0
    outages_s: tuple[tuple[float, float], ...] = ()

    def out_until(self, now_s: float) -> float | None:
        """The end of the outage that we are in."""
        return next((end for start, end in self.outages_s if start <= now_s < end), None)

    def next_outage(self, now_s: float) -> float | None:
        return next((start for start, _ in self.outages_s if start >= now_s), None)


PRESETS: dict[str, NetworkPreset] = {
    preset.name: preset
    for preset in (
        NetworkPreset("clean"),
        NetworkPreset("wifi", delay_ms=8, jitter_ms=12),
        NetworkPreset("rtt60", delay_ms=30),
        NetworkPreset("lte", delay_ms=45, jitter_ms=40),
        NetworkPreset("tunnel", delay_ms=45, jitter_ms=40, outages_s=((30.0, 38.0), (75.0, 78.0))),
    )
}


def preset(name: str) -> NetworkPreset:
    if name not in PRESETS:
        raise UserError(f"there is no network preset {name!r}; known: {', '.join(PRESETS)}.")
    return PRESETS[name]


@dataclass(slots=True)
class Traffic:
    """What went over the link, in serialised bytes (headers of the transport not counted)."""

    up_bytes: int = 0
    down_bytes: int = 0
    up_messages: int = 0
    down_messages: int = 0
    links: int = 0
    refused_links: int = 0


class MeteredChannel:
    """Counts, changes nothing."""

    def __init__(self, inner: Channel, traffic: Traffic) -> None:
        self._inner, self._traffic = inner, traffic

    async def send(self, message: bytes) -> None:
        await self._inner.send(message)
        self._traffic.up_bytes += len(message)
        self._traffic.up_messages += 1

    async def receive(self) -> bytes:
        message = await self._inner.receive()
        self._traffic.down_bytes += len(message)
        self._traffic.down_messages += 1
        return message

    async def close(self) -> None:
        await self._inner.close()


class _Direction:
    """Messages on the way, in order; each becomes available at its own time."""

    def __init__(self, draw_delay_s: Callable[[], float]) -> None:
        self.arrived: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._draw_delay_s = draw_delay_s
        self._last_due_s = 0.0
        self._on_the_way: deque[bytes | None] = deque()

    def put(self, message: bytes | None) -> None:
        loop = asyncio.get_running_loop()
        if len(self._on_the_way) >= MAX_ON_THE_WAY:
            raise ChannelClosed("the simulated network is full")
        self._last_due_s = max(self._last_due_s, loop.time() + self._draw_delay_s())
        self._on_the_way.append(message)
        loop.call_at(self._last_due_s, self._arrive)

    def _arrive(self) -> None:
        # The next one, whichever timer this is: timers that are due together fire in no stated order.
        self.arrived.put_nowait(self._on_the_way.popleft())


class ShapedChannel:
    """The device's end of a link over a simulated network."""

    def __init__(self, inner: Channel, network: Network) -> None:
        self._inner, self._network = inner, network
        self._up, self._down = _Direction(network.draw_delay_s), _Direction(network.draw_delay_s)
        self._broken = False
        self._tasks = [network.group.create_task(self._carry_up()), network.group.create_task(self._carry_down())]
        loop = asyncio.get_running_loop()
        outage_s = network.preset.next_outage(network.now_s())
        delay_s = None if outage_s is None else outage_s + BREAK_AFTER_S - network.now_s()
        self._break_timer = loop.call_later(delay_s, self._break) if delay_s is not None else None

    async def send(self, message: bytes) -> None:
        if self._broken:
            raise ChannelClosed("the simulated network is down")
        if self._network.preset.out_until(self._network.now_s()) is None:
            self._up.put(message)

    async def receive(self) -> bytes:
        if self._broken:
            raise ChannelClosed("the simulated network is down")
        message = await self._down.arrived.get()
        if message is None:
            self._broken = True
            raise ChannelClosed("the link is gone")
        return message

    async def close(self) -> None:
        self._end()
        await self._inner.close()

    async def _carry_up(self) -> None:
        try:
            while (message := await self._up.arrived.get()) is not None:
                await self._inner.send(message)
        except ChannelClosed:
            self._end()

    async def _carry_down(self) -> None:
        try:
            while True:
                message = await self._inner.receive()
                if self._network.preset.out_until(self._network.now_s()) is None:
                    self._down.put(message)
        except ChannelClosed:
            self._down.put(None)

    def _break(self) -> None:
        if not self._broken:
            self._network.group.create_task(self._inner.close())
            self._end()

    def _end(self) -> None:
        if self._break_timer is not None:
            self._break_timer.cancel()
        self._broken = True
        self._down.arrived.put_nowait(None)
        for task in self._tasks:
            if task is not asyncio.current_task():
                task.cancel()


class Network:
    """Makes links over one simulated network. `group` is the parent of what carries the messages."""

    def __init__(self, preset: NetworkPreset, seed: int, group: asyncio.TaskGroup, traffic: Traffic | None = None) -> None:
        self.preset, self.group = preset, group
        self.traffic = traffic if traffic is not None else Traffic()
        self._random = random.Random(seed)
        self._began_s = asyncio.get_running_loop().time()

    def now_s(self) -> float:
        """Seconds since the start of the run."""
        return asyncio.get_running_loop().time() - self._began_s

    def draw_delay_s(self) -> float:
        return (self.preset.delay_ms + self._random.uniform(0, self.preset.jitter_ms)) / 1000

    def links(self, connect: Callable[[], Awaitable[Channel]]) -> Callable[[], Awaitable[Channel]]:
        """A link factory for the device: `connect` through this network. Raises ChannelClosed in an outage."""

        async def through() -> Channel:
            if self.preset.out_until(self.now_s()) is not None:
                self.traffic.refused_links += 1
                raise ChannelClosed("the simulated network is down")
            inner = await connect()
            self.traffic.links += 1
            plain = self.preset.delay_ms == 0 and self.preset.jitter_ms == 0 and not self.preset.outages_s
            return MeteredChannel(inner if plain else ShapedChannel(inner, self), self.traffic)

        return through
