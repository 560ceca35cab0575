"""The device's link and the node's directory over in-memory channels, on virtual time."""

from __future__ import annotations

import asyncio
import itertools
import random
import selectors
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from ridealong.cloud.directory import Directory, serve_channel
from ridealong.device.link import FRAGMENTS_IN_FLIGHT, FRAMES_WAITING, Link, LinkState, LinkUnavailable
from ridealong.errors import UserError
from ridealong.proto import types as t
from ridealong.proto.channel import Channel, ChannelClosed, MemoryChannel, memory_pair
from ridealong.proto.convert import uplink_from_bytes
from ridealong.proto.errors import LocalProtocolError

pytestmark = pytest.mark.unit

HELLO = t.Hello("glasses", "device-1", ("audio/pcm16", "camera"))
GATE = t.GateNote(True, t.GateReason.FIRST)


class JumpingSelector(selectors.DefaultSelector):
    """Never waits: the clock jumps to the next timer."""

    now_s = 1_000.0

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout:
            self.now_s += timeout
        return super().select(0)


def run(scenario: Callable[[], Coroutine[Any, Any, None]], virtual_s: float = 3_600) -> None:
    selector = JumpingSelector()
    loop = asyncio.SelectorEventLoop(selector)
    loop.time = lambda: selector.now_s  # type: ignore[method-assign]

    async def bounded() -> None:
        async with asyncio.timeout(virtual_s):
            await scenario()
        await asyncio.sleep(0.01)
        assert asyncio.all_tasks() == {asyncio.current_task()}, "a task was left behind"

    try:
        loop.run_until_complete(bounded())
    finally:
        loop.close()


@dataclass
class Recorder:
    send: Callable[[t.DownlinkBody], None]
    commit: Callable[[t.Seq], None]
    got: list[t.UplinkBody] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    clocks: list[t.Samples] = field(default_factory=list)

    def deliver(self, seq: t.Seq, body: t.UplinkBody) -> None:
        if body == t.TextInput(t.Samples(0), "poison"):
            raise ZeroDivisionError
        self.got.append(body)
        self.commit(seq)

    def linked(self, at: t.Samples) -> None:
        self.clocks.append(at)

    def away(self) -> None: ...

    async def close(self, reason: str) -> None:
        self.closed.append(reason)


class Tap:
    """A channel that notes what the device sends, and may take its time over each message."""

    def __init__(self, channel: MemoryChannel, sent: list[t.Envelope], slow_s: float) -> None:
        self.channel, self.sent, self.slow_s = channel, sent, slow_s

    async def send(self, message: bytes) -> None:
        if self.slow_s:
            await asyncio.sleep(self.slow_s)
        await self.channel.send(message)
        self.sent.append(uplink_from_bytes(message))

    async def receive(self) -> bytes:
        return await self.channel.receive()

    async def close(self) -> None:
        await self.channel.close()


class Bench:
    """A directory with recording actors, and links to it."""

    def __init__(self, tasks: asyncio.TaskGroup, *, slow_s: float = 0.0, **settings: Any) -> None:
        self.tasks, self.slow_s = tasks, slow_s
        self.actors: list[Recorder] = []
        numbers = itertools.count()
        self.directory = Directory(self.factory, mint=lambda: f"id-{next(numbers)}", **settings)
        self.sent: list[t.Envelope] = []
        self.dialled_at: list[float] = []
        self.channels: list[Channel] = []
        self.reachable = True

    def factory(self, hello: t.Hello, session_id: str, send: Any, commit: Any) -> Recorder:
        self.actors.append(Recorder(send, commit))
        return self.actors[-1]

    async def dial(self) -> Channel:
        self.dialled_at.append(asyncio.get_running_loop().time())
        if not self.reachable:
            raise LinkUnavailable("nobody home")
        return self.connected()

    async def another_way(self) -> Channel:
        """There is a link here also while the other network is down."""
        return self.connected()

    def connected(self) -> Channel:
        ours, theirs = memory_pair(delay_ms=5)
        self.channels.append(ours)
        self.tasks.create_task(serve_channel(theirs, self.directory))
        return Tap(ours, self.sent, self.slow_s)

    def link(self, hello: t.Hello = HELLO, **settings: Any) -> Link:
        self.down: list[t.DownlinkBody] = []
        self.states: list[LinkState] = []
        return Link(settings.pop("dial", self.dial), hello, self.down.append, self.states.append, random.Random(3), **settings)


async def until(what: Callable[[], bool]) -> None:
    while not what():  # noqa: ASYNC110
        await asyncio.sleep(0.01)


def frame(number: int, fragments: int = 4) -> list[t.FrameFragment]:
    return [
        t.FrameFragment(t.FrameId(number), i, fragments, b"x", t.UnitIndex(0), t.Samples(0), 448, 252, GATE)
        for i in range(fragments)
    ]


def part(number: int) -> t.UnitPart:
    return t.UnitPart(t.UnitIndex(number), 0, True, t.Samples(number * 160), 160, bytes(320))


def test_pictures_never_delay_a_voice() -> None:
    async def scenario() -> None:
        async with asyncio.TaskGroup() as tasks:
            bench = Bench(tasks, slow_s=0.02)
            link = bench.link()
            tasks.create_task(link.run())
            await until(lambda: link.state is LinkState.OPEN)
            for number in range(3):
                for fragment in frame(number, 60):
                    link.send(fragment)
            asked: list[int] = []
            for number in range(20):
                asked.append(len(bench.sent))
                link.send(part(number))
                await asyncio.sleep(0.1)
            await until(lambda: link.idle)
            bodies = [envelope.body for envelope in bench.sent]
            delays = [bodies.index(part(number)) - before for number, before in enumerate(asked)]
            assert max(delays) <= 2  # what the channel had begun, nothing more
            assert [e.seq for e in bench.sent if e.seq] == list(range(1, 201))
            assert [body for body in bodies if isinstance(body, t.FrameFragment)] == [f for n in range(3) for f in frame(n, 60)]
            assert bench.actors[0].got == [body for body in bodies if not isinstance(body, t.Hello) and body is not None]
            await link.close()

    run(scenario)


def test_only_a_few_fragments_are_under_way() -> None:
    async def scenario() -> None:
        async with asyncio.TaskGroup() as tasks:
            bench = Bench(tasks)
            link = bench.link()
            tasks.create_task(link.run())
            await until(lambda: link.state is LinkState.OPEN)
            bench.actors[0].deliver = lambda seq, body: None  # type: ignore[method-assign]  # nothing becomes durable
            for fragment in frame(0, 60):
                link.send(fragment)
            await asyncio.sleep(5)
            assert sum(isinstance(envelope.body, t.FrameFragment) for envelope in bench.sent) == FRAGMENTS_IN_FLIGHT
            await link.close()

    run(scenario)


def test_frames_wait_in_a_bounded_queue_and_the_dropped_ones_leave_tombstones() -> None:
    async def scenario() -> None:
        async with asyncio.TaskGroup() as tasks:
            bench = Bench(tasks)
            link = bench.link()
            for number in range(20):
                for fragment in frame(number):
                    link.send(fragment)
            assert link.counters.dropped_frames == 20 - FRAMES_WAITING and link.counters.waiting_frames == FRAMES_WAITING
            tasks.create_task(link.run())
            await until(lambda: link.state is LinkState.OPEN and link.idle)
            got = bench.actors[0].got
            stones = [body for body in got if isinstance(body, t.FrameTombstone)]
            whole = {body.frame for body in got if isinstance(body, t.FrameFragment)}
            assert [stone.frame for stone in stones] == list(range(12)) and whole == set(range(12, 20))
            assert {stone.reason for stone in stones} == {"link_busy"}
            await link.close()

    run(scenario)


def test_attempts_are_close_together_at_first_and_rarer_later() -> None:
    async def scenario() -> None:
        async with asyncio.TaskGroup() as tasks:
            bench = Bench(tasks)
            bench.reachable = False
            link = bench.link()
            runner = tasks.create_task(link.run())
            await asyncio.sleep(600)
            gaps = [b - a for a, b in itertools.pairwise(bench.dialled_at)]
            began = bench.dialled_at[0]
            soon = [gap for at, gap in zip(bench.dialled_at, gaps, strict=False) if at - began < 119]
            late = [gap for at, gap in zip(bench.dialled_at, gaps, strict=False) if at - began > 121]
            assert max(soon) <= 1.0 and len(set(soon)) == len(soon)
            assert 5 < max(late) <= 30.0
            bench.reachable = True
            await until(lambda: link.state is LinkState.OPEN)
            await link.close()
            await runner

    run(scenario)


def test_a_node_that_is_never_there_is_a_users_error() -> None:
    async def scenario() -> None:
        async with asyncio.TaskGroup() as tasks:
            bench = Bench(tasks)
            bench.reachable = False
            link = bench.link(address="HOST:1", give_up_after_s=5)
            with pytest.raises(UserError, match="cannot reach the cloud node at HOST:1: nobody home; start it"):
                await link.run()
            assert bench.states[-1] is LinkState.CLOSED
            link.send(part(0))  # harmless

    run(scenario)


def test_a_full_node_is_asked_again_when_it_said() -> None:
    async def scenario() -> None:
        async with asyncio.TaskGroup() as tasks:
            bench = Bench(tasks, limit=0)
            link = bench.link()
            tasks.create_task(link.run())
            await asyncio.sleep(30)
            gaps = [b - a for a, b in itertools.pairwise(bench.dialled_at)]
            assert min(gaps) >= 2.0 and max(gaps) <= 3.1
            await link.close()

    run(scenario)


def test_a_silent_network_is_noticed_and_the_session_resumed() -> None:
    async def scenario() -> None:
        async with asyncio.TaskGroup() as tasks:
            bench = Bench(tasks)
            link = bench.link(clock=lambda: t.Samples(7_000 + len(bench.channels)))
            tasks.create_task(link.run())
            await until(lambda: link.state is LinkState.OPEN)

            async def nowhere(message: bytes) -> None:
                pass

            bench.channels[0].send = nowhere  # type: ignore[method-assign]
            tap = bench.sent
            link.send(part(0))
            await asyncio.sleep(60)
            assert link.counters.reconnects >= 1 and link.idle
            assert bench.actors[0].got == [part(0)] and len(bench.actors) == 1 and tap
            assert bench.actors[0].clocks[:2] == [7_001, 7_002]  # told as each link begins
            await link.close()

    run(scenario)


def test_a_second_link_with_the_token_takes_over() -> None:
    async def scenario() -> None:
        async with asyncio.TaskGroup() as tasks:
            bench = Bench(tasks)
            first = bench.link()
            states = bench.states
            waiting = tasks.create_task(refused(first))
            await until(lambda: first.state is LinkState.OPEN)
            first.send(part(0))
            await until(lambda: first.idle)
            second = bench.link()
            second._drive.peer.token = first._drive.peer.token
            second._drive.peer._opened_before = True
            second._drive.peer.buffer.last_sent = second._drive.peer.buffer.confirmed = 1
            tasks.create_task(second.run())
            await until(lambda: second.state is LinkState.OPEN)
            second.send(part(1))
            await until(lambda: second.idle)
            assert "took over" in await waiting and states[-1] is LinkState.CLOSED
            assert len(bench.actors) == 1 and bench.actors[0].got == [part(0), part(1)]
            await second.close()

    run(scenario)


async def refused(link: Link) -> str:
    with pytest.raises(UserError) as error:
        await link.run()
    return str(error.value)


def test_a_second_device_under_one_id_is_refused_and_says_what_to_do() -> None:
    async def scenario() -> None:
        async with asyncio.TaskGroup() as tasks:
            bench = Bench(tasks)
            first, second = bench.link(), bench.link()
            tasks.create_task(first.run())
            await until(lambda: first.state is LinkState.OPEN)
            first.send(part(0))
            told = await refused(second)
            assert "Another device with this device.id" in told and "device.id in its settings" in told
            assert first.state is LinkState.OPEN and len(bench.actors) == 1 and bench.directory.in_use > 1
            other = bench.link(replace(HELLO, device_id="another"))
            tasks.create_task(other.run())
            await until(lambda: other.state is LinkState.OPEN)
            await first.close()
            await other.close()

    run(scenario)


def test_a_device_that_was_restarted_is_let_in_when_its_old_link_is_found_dead() -> None:
    async def scenario() -> None:
        async with asyncio.TaskGroup() as tasks:
            bench = Bench(tasks)
            before, after = bench.link(), bench.link()
            running = tasks.create_task(before.run())
            await until(lambda: before.state is LinkState.OPEN)
            before.send(part(0))
            await until(lambda: before.idle)
            bench.reachable = False

            async def nowhere(message: bytes) -> None:
                pass

            bench.channels[0].send = nowhere  # type: ignore[method-assign]
            running.cancel()  # the machine lost its power: nothing tells the node
            bench.channels[0].close = lambda: asyncio.sleep(0)  # type: ignore[method-assign]
            bench.reachable = True
            tasks.create_task(after.run())
            await until(lambda: after.state is LinkState.OPEN)
            after.send(part(1))
            await until(lambda: after.idle)
            assert bench.directory.in_use >= 1 and bench.actors[1].got == [part(1)]
            await after.close()

    run(scenario)


def test_who_came_first_is_back_with_its_token_and_the_second_under_its_id_has_to_leave() -> None:
    async def scenario() -> None:
        async with asyncio.TaskGroup() as tasks:
            bench = Bench(tasks)
            first, second = bench.link(), bench.link(dial=bench.another_way)
            tasks.create_task(first.run())
            await until(lambda: first.state is LinkState.OPEN)
            first.send(part(0))
            await until(lambda: first.idle)
            bench.reachable = False
            await bench.channels[0].close()
            await until(lambda: first.state is LinkState.OFFLINE)
            second_ends = tasks.create_task(refused(second))
            await until(lambda: second.state is LinkState.OPEN)
            second.send(part(7))
            await until(lambda: second.idle)
            bench.reachable = True
            first.send(part(1))
            assert "Another device with this device.id" in await second_ends
            assert first.state is LinkState.OPEN and bench.actors[0].got == [part(0), part(1)] and len(bench.directory) == 1
            assert bench.actors[0].closed == [] and [actor.closed for actor in bench.actors[1:]] == [["device_in_use"]]
            await first.close()

    run(scenario)


def test_a_lost_session_expires_and_its_actor_is_closed() -> None:
    async def scenario() -> None:
        async with asyncio.TaskGroup() as tasks:
            bench = Bench(tasks, lost_ms=60_000)
            link = bench.link()
            tasks.create_task(link.run())
            await until(lambda: link.state is LinkState.OPEN)
            link.send(part(0))
            await until(lambda: link.idle)
            bench.reachable = False
            await bench.channels[0].close()
            await asyncio.sleep(30)
            await bench.directory.sweep()
            assert bench.actors[0].closed == []
            await asyncio.sleep(40)
            await bench.directory.sweep()
            assert bench.actors[0].closed == ["expired"] and len(bench.directory) == 0 and bench.directory.expired == 1
            link.send(part(1))
            bench.reachable = True
            await until(lambda: link.state is LinkState.OPEN and link.idle)
            assert bench.actors[1].got == [part(1)] and link.counters.sessions_lost == 1
            await link.close()

    run(scenario)


def test_a_message_that_an_actor_cannot_take_costs_itself() -> None:
    async def scenario() -> None:
        async with asyncio.TaskGroup() as tasks:
            bench = Bench(tasks)
            link = bench.link()
            tasks.create_task(link.run())
            link.send(t.TextInput(t.Samples(0), "poison"))
            link.send(part(0))
            await until(lambda: link.state is LinkState.OPEN and link.idle)
            assert bench.actors[0].got == [part(0)] and bench.directory.actor_faults == 1 and link.counters.reconnects == 0
            with pytest.raises(LocalProtocolError):
                link.send(replace(part(1), rate=0))
            await link.close()

    run(scenario)


def test_noise_as_a_first_message_is_answered() -> None:
    async def scenario() -> None:
        from ridealong.proto.convert import downlink_from_bytes

        async with asyncio.TaskGroup() as tasks:
            bench = Bench(tasks)
            for message in (b"\xff\xff", b""):
                ours, theirs = memory_pair()
                tasks.create_task(serve_channel(theirs, bench.directory))
                await ours.send(message)
                error = downlink_from_bytes(await ours.receive()).body
                assert isinstance(error, t.Error) and error.fatal
                with pytest.raises(ChannelClosed):
                    await ours.receive()
            assert len(bench.directory) == 0

    run(scenario)


@pytest.mark.parametrize("turns", range(8))
def test_cancelled_at_the_moment_its_channel_ends_it_ends(turns: int) -> None:
    """A program told to stop stops: the end of the channel must not be taken instead of the cancellation."""

    async def scenario() -> None:
        async with asyncio.TaskGroup() as tasks:
            bench = Bench(tasks)
            link = bench.link()
            running = tasks.create_task(link.run())
            await until(lambda: link.state is LinkState.OPEN)
            await bench.channels[0].close()
            for _ in range(turns):
                await asyncio.sleep(0)
            running.cancel()
            await asyncio.wait({running}, timeout=60)
            assert running.cancelled()

    run(scenario)
