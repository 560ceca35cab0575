"""Device link and node over real gRPC on a loopback port: nothing lost over cuts, drain, refusals with a remedy."""

from __future__ import annotations

import asyncio
import random
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from ridealong.cloud.directory import Directory
from ridealong.cloud.server import NodeServer, must_be_free
from ridealong.device.link import Link, LinkState, LinkUnavailable, grpc_dialler
from ridealong.errors import UserError
from ridealong.proto import types as t

pytestmark = pytest.mark.process

HELLO = t.Hello("glasses", "device-1", ("audio/pcm16", "camera"))


@dataclass
class Recorder:
    """An actor that commits everything at once and answers each part with a control token."""

    send: Callable[[t.DownlinkBody], None]
    commit: Callable[[t.Seq], None]
    got: list[t.UplinkBody] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)

    def deliver(self, seq: t.Seq, body: t.UplinkBody) -> None:
        self.got.append(body)
        if isinstance(body, t.UnitPart):
            self.send(t.Control(body.unit, t.ControlToken.LISTEN))
        self.commit(seq)

    def linked(self, at: t.Samples) -> None:
        pass

    def away(self) -> None: ...

    async def close(self, reason: str) -> None:
        self.closed.append(reason)


@dataclass
class Node:
    actors: dict[str, Recorder] = field(default_factory=dict)

    def factory(
        self, hello: t.Hello, session_id: str, send: Callable[[t.DownlinkBody], None], commit: Callable[[t.Seq], None]
    ) -> Recorder:
        self.actors[session_id] = Recorder(send, commit)
        return self.actors[session_id]


class Relay:
    """A TCP relay that can be cut: the network between device and node."""

    def __init__(self, port: int) -> None:
        self.target, self.connections, self.writers = port, 0, set()  # type: ignore[var-annotated]
        self.hold = False

    async def start(self) -> int:
        self.server = await asyncio.start_server(self.carry, "127.0.0.1", 0)
        return int(self.server.sockets[0].getsockname()[1])

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        if self.hold:
            writer.close()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.close()
            return
        self.writers |= {writer, far_writer}

        async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
            try:
                while block := await source.read(4096):
                    sink.write(block)
                    await sink.drain()
            except OSError:
                pass
            finally:
                sink.close()

        await asyncio.gather(pump(reader, far_writer), pump(far_reader, writer))

    def cut(self) -> None:
        for writer in self.writers:
            writer.transport.abort()
        self.writers.clear()

    async def stop(self) -> None:
        self.server.close()
        self.cut()


def parts(count: int) -> list[t.UnitPart]:
    return [
        t.UnitPart(t.UnitIndex(i // 5), i % 5, i % 5 == 4, t.Samples(i * 160), 160, bytes([i % 256, 0] * 160))
        for i in range(count)
    ]


async def until(what: Callable[[], bool], seconds: float = 10.0) -> None:
    async with asyncio.timeout(seconds):
        while not what():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(40):
            await test()
            await asyncio.sleep(0.05)
        left = [
            task for task in asyncio.all_tasks() if task is not asyncio.current_task() and "ridealong" in repr(task.get_coro())
        ]
        assert left == []

    asyncio.run(bounded())


def test_units_cross_three_cuts_and_nothing_is_lost() -> None:
    async def scenario() -> None:
        node = Node()
        server = NodeServer(Directory(node.factory))
        relay = Relay(await server.start("127.0.0.1:0"))
        port = await relay.start()
        down: list[t.DownlinkBody] = []
        states: list[LinkState] = []
        link = Link(grpc_dialler(f"127.0.0.1:{port}"), HELLO, down.append, states.append, random.Random(1))
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(link.run())
            sent = parts(200)
            for index, part in enumerate(sent):
                link.send(part)
                if index in (50, 90, 140):
                    await asyncio.sleep(0.02)
                    relay.cut()
                await asyncio.sleep(0.005)
            await until(lambda: link.idle and len(down) == 200)
            assert link.counters.reconnects == 3 and link.counters.dropped == 0
            (actor,) = node.actors.values()  # one session, whatever the network did
            assert actor.got == sent
            assert [body.unit for body in down if isinstance(body, t.Control)] == [part.unit for part in sent]
            await link.close()
        assert states[-1] is LinkState.CLOSED and states.count(LinkState.OPEN) == 4
        assert actor.closed == ["closed by the device"]
        assert len(server.directory) == 0
        await server.stop()
        await relay.stop()

    run(scenario)


def test_drain_tells_the_device_and_a_new_node_takes_over() -> None:
    async def scenario() -> None:
        node = Node()
        server = NodeServer(Directory(node.factory))
        port = await server.start("127.0.0.1:0")
        down: list[t.DownlinkBody] = []
        link = Link(grpc_dialler(f"127.0.0.1:{port}"), HELLO, down.append, lambda state: None, random.Random(1))
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(link.run())
            await until(lambda: link.state is LinkState.OPEN)
            async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
                stub = health_pb2_grpc.HealthStub(channel)
                reply = await stub.Check(health_pb2.HealthCheckRequest(service="ridealong.v1.Conversation"))
                assert reply.status == health_pb2.HealthCheckResponse.SERVING
            draining = tasks.create_task(server.drain(300))
            await until(lambda: t.Draining(300) in down)
            link.send(parts(1)[0])  # still served
            await until(lambda: link.idle)
            await draining
            (first,) = node.actors.values()
            assert first.got == parts(1) and first.closed == ["the node stopped"]
            await until(lambda: link.state is not LinkState.OPEN)
            link.send(parts(2)[1])  # said while there is no node
            second = NodeServer(Directory(node.factory))
            await second.start(f"127.0.0.1:{port}")
            await until(lambda: link.state is LinkState.OPEN and link.idle)
            assert list(node.actors.values())[-1].got == [parts(2)[1]]
            await link.close()
        await second.stop()

    run(scenario)


def test_a_node_that_can_serve_nobody_says_so() -> None:
    async def scenario() -> None:
        able = [True]
        server = NodeServer(Directory(Node().factory), able=lambda: able[0])
        port = await server.start("127.0.0.1:0")
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            for service in ("", "ridealong.v1.Conversation"):
                watch = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(service=service))
                assert (await watch.read()).status == health_pb2.HealthCheckResponse.SERVING
                if not service:
                    first, able[0] = watch, False
            assert (await watch.read()).status == (await first.read()).status == health_pb2.HealthCheckResponse.NOT_SERVING
        await server.stop()

    run(scenario)


def test_wrong_version_is_a_sentence_with_both_versions() -> None:
    async def scenario() -> None:
        server = NodeServer(Directory(Node().factory))
        port = await server.start("127.0.0.1:0")
        hello = replace(HELLO, version_min=8, version_max=9)
        link = Link(grpc_dialler(f"127.0.0.1:{port}"), hello, lambda body: None, lambda state: None, random.Random(1))
        with pytest.raises(UserError, match=r"8 to 9.*1 to 1"):
            await link.run()
        assert len(server.directory) == 0
        await server.stop()

    run(scenario)


def test_an_address_is_looked_at_before_models_are_loaded() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(UserError, match=f"cannot listen on {address}: it is in use"):
            must_be_free(address)
    for free in (address, "127.0.0.1:0", "*:0", "[::1]:0", "unix:/tmp/x", f"*:{address.rpartition(':')[2]}"):
        must_be_free(free)
    with pytest.raises(UserError, match="not an address of this machine"):
        must_be_free("192.0.2.7:50051")


def test_wrong_port_and_port_in_use() -> None:
    async def scenario() -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            with pytest.raises(UserError, match="in use"):
                await NodeServer(Directory(Node().factory)).start(f"127.0.0.1:{port}")
        with pytest.raises(LinkUnavailable, match=f"127.0.0.1:{port}"):
            await grpc_dialler(f"127.0.0.1:{port}")()
        link = Link(
            grpc_dialler(f"127.0.0.1:{port}"),
            HELLO,
            lambda body: None,
            lambda state: None,
            random.Random(1),
            address=f"127.0.0.1:{port}",
            give_up_after_s=0.5,
        )
        with pytest.raises(UserError, match="cannot reach the cloud node at 127.0.0.1.*ridealong cloud serve.*link.address"):
            await link.run()
        assert link.state is LinkState.CLOSED

    run(scenario)


def test_a_full_node_says_when_to_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ridealong.cloud.directory.BUSY_RETRY_MS", 300)

    async def scenario() -> None:
        node = Node()
        server = NodeServer(Directory(node.factory, limit=1))
        port = await server.start("127.0.0.1:0")
        links = [
            Link(
                grpc_dialler(f"127.0.0.1:{port}"),
                replace(HELLO, device_id=f"device-{index}"),
                lambda body: None,
                lambda state: None,
                random.Random(1),
            )
            for index in range(2)
        ]
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(links[0].run())
            await until(lambda: links[0].state is LinkState.OPEN)
            tasks.create_task(links[1].run())
            await until(lambda: server.directory.refused >= 1 and links[1].state is LinkState.OFFLINE)
            assert "as many sessions" in links[1].last_error
            await links[0].close()
            await until(lambda: links[1].state is LinkState.OPEN)
            await links[1].close()
        assert server.directory.refused >= 1
        await server.stop()

    run(scenario)


def test_two_devices_of_one_id_are_told_apart_and_a_resume_is_no_second_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ridealong.cloud.directory.BUSY_RETRY_MS", 50)
    monkeypatch.setattr("ridealong.device.link.IN_USE_S", 0.3)

    async def scenario() -> None:
        node = Node()
        server = NodeServer(Directory(node.factory))
        port = await server.start("127.0.0.1:0")
        relay = Relay(port)
        first, second, third, other = (
            Link(grpc_dialler(f"127.0.0.1:{to}"), hello, lambda body: None, lambda state: None, random.Random(1))
            for to, hello in (
                (await relay.start(), HELLO), (port, HELLO), (port, HELLO), (port, replace(HELLO, device_id="device-2"))
            )
        )  # fmt: skip

        async def refused(link: Link) -> None:
            with pytest.raises(UserError, match=r"Another device with this device\.id.*an id of its own"):
                await link.run()

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(first.run())
            await until(lambda: first.state is LinkState.OPEN)
            sent = parts(30)
            for part in sent[:10]:
                first.send(part)
            await until(lambda: first.idle)
            await refused(second)
            tasks.create_task(other.run())
            await until(lambda: other.state is LinkState.OPEN)
            for part in sent[10:20]:  # after a lost link the same device goes on
                first.send(part)
            relay.cut()
            await until(lambda: first.counters.reconnects >= 1 and first.idle)
            relay.hold = True  # away for longer: another one comes under its id, and it comes back
            relay.cut()
            await until(lambda: first.state is not LinkState.OPEN)
            leaving = tasks.create_task(refused(third))
            await until(lambda: third.state is LinkState.OPEN)
            third.send(sent[0])
            await until(lambda: third.idle)
            relay.hold = False
            for part in sent[20:]:
                first.send(part)
            await leaving
            await until(lambda: first.state is LinkState.OPEN and first.idle)
            session, _, guest = node.actors.values()
            assert session.got == sent and session.closed == [] and guest.closed == ["device_in_use"]
            await first.close()
            await other.close()
        await relay.stop()
        await server.stop()

    run(scenario)


def test_a_message_that_is_too_large_costs_itself() -> None:
    async def scenario() -> None:
        node = Node()
        server = NodeServer(Directory(node.factory))
        port = await server.start("127.0.0.1:0")
        channel = await grpc_dialler(f"127.0.0.1:{port}")()
        from ridealong.proto.convert import downlink_from_bytes, uplink_to_bytes
        from ridealong.proto.v1 import conversation_pb2 as pb

        await channel.send(uplink_to_bytes(t.Envelope(t.Seq(0), t.Seq(0), HELLO)))
        assert isinstance(downlink_from_bytes(await channel.receive()).body, t.Welcome)
        five_pictures = pb.Uplink(seq=1, attachment=pb.Attachment(name="a", data=bytes(900_000)))
        await channel.send(five_pictures.SerializeToString())
        error = downlink_from_bytes(await channel.receive()).body
        assert isinstance(error, t.Error) and error.code == "message_too_large"
        await channel.send(uplink_to_bytes(t.Envelope(t.Seq(2), t.Seq(1), parts(1)[0])))
        (actor,) = node.actors.values()
        await until(lambda: actor.got == parts(1))
        await channel.close()
        await server.stop()

    run(scenario)


def test_servers_and_channels_that_only_a_collection_frees_hang_nothing() -> None:
    """gRPC joins its poller thread when its last object goes; where that happened within a garbage collection, a program stood still."""
    code = """
import asyncio, gc
from ridealong.cloud.directory import Directory
from ridealong.cloud.server import NodeServer, must_be_free

async def one() -> object:
    server = NodeServer(Directory(lambda *a: None))
    await server.start("127.0.0.1:0")
    await server.stop()
    return server

for _ in range(3):
    left = asyncio.run(one())
    left.itself = left
    del left
    gc.collect()
print("collected")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "collected\n", done.stderr
