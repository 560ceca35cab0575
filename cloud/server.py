"""The node's gRPC side: Conversation.Converse, health, reflection, drain. An adapter: one call is one channel of `directory.py`.

Keepalive and message limits match those of `device/link.py` (a server that counts a client's pings as abuse would end quiet links).
Does not know what a session does with its messages.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable
from typing import Any, Final

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from ridealong.cloud.directory import Directory, serve_channel
from ridealong.errors import UserError
from ridealong.proto import types as t
from ridealong.proto.channel import ChannelClosed
from ridealong.proto.v1 import conversation_pb2

SERVICE: Final = conversation_pb2.DESCRIPTOR.services_by_name["Conversation"].full_name
RECEIVE_BYTES: Final = 4 * t.MAX_MESSAGE_BYTES
"""Above the protocol's own limit, so that a message that is too large gets a typed answer and the link lives."""
SWEEP_EVERY_S: Final = 30.0
HEALTH_EVERY_S: Final = 1.0
OPTIONS: Final = (
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", RECEIVE_BYTES),
    ("grpc.max_send_message_length", RECEIVE_BYTES),
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 5_000),
    ("grpc.http2.max_ping_strikes", 0),
)


class CallChannel:
    """One call of Converse as a Channel, seen from the server."""

    def __init__(self, call: Any) -> None:
        self._call = call
        self._closed = False

    async def send(self, message: bytes) -> None:
        if self._closed:
            raise ChannelClosed("the call is over")
        try:
            await self._call.write(message)
        except (grpc.RpcError, grpc.aio.BaseError, asyncio.InvalidStateError) as error:
            raise ChannelClosed(f"the call ended while sending ({type(error).__name__})") from None

    async def receive(self) -> bytes:
        if self._closed:
            raise ChannelClosed("the call is over")
        try:
            message = await self._call.read()
        except (grpc.RpcError, grpc.aio.BaseError, asyncio.InvalidStateError) as error:
            raise ChannelClosed(f"the call ended ({type(error).__name__})") from None
        if message is grpc.aio.EOF:
            raise ChannelClosed("the device ended the call")
        return bytes(message)

    async def close(self) -> None:
        """The call itself ends when its handler returns."""
        self._closed = True


IN_USE: Final = "cannot listen on {address}: it is in use or not an address of this machine; choose another in server.address."


def must_be_free(address: str) -> None:
    """Raises UserError where nothing can listen on `host:port` now: told before models are loaded, which may take minutes."""
    host, _, port = address.rpartition(":")
    if not port.isdigit() or not int(port):
        return
    try:
        places = socket.getaddrinfo(
            None if host in ("", "*") else host.strip("[]"), int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        for family, kind, protocol, _, place in places[:1]:
            with socket.socket(family, kind, protocol) as tried:
                tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                tried.bind(place)
    except OSError:
        raise UserError(IN_USE.format(address=address)) from None


class NodeServer:
    """start → (drain) → wait. `credentials` None: plain text, for a local node or behind a proxy that ends TLS. `able`: whether the node can
    serve sessions at all; once it can't, health says so, within a second and for good."""

    def __init__(
        self, directory: Directory, *, credentials: grpc.ServerCredentials | None = None, able: Callable[[], bool] = lambda: True
    ) -> None:
        self.directory = directory
        self._credentials = credentials
        self._able = able
        self._server: Any = None
        self._health: Any = None
        self._tasks: list[asyncio.Task[None]] = []
        self._stopped = asyncio.Event()

    async def start(self, address: str) -> int:
        """Serve on `host:port` (port 0: any free one) and return the port. Raises UserError when it cannot be had."""
        grpc.aio.init_grpc_aio()  # for good: the poller thread of gRPC, ended when the last channel is collected as garbage, can hang its collector
        server = grpc.aio.server(options=OPTIONS)
        converse = grpc.stream_stream_rpc_method_handler(self._converse)  # bytes in, bytes out
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {"Converse": converse}),))
        self._health = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        reflection.enable_server_reflection((SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME), server)
        try:
            if self._credentials is None:
                port = server.add_insecure_port(address)
            else:
                port = server.add_secure_port(address, self._credentials)
        except RuntimeError:
            port = 0
        if not port:
            raise UserError(IN_USE.format(address=address))
        await asyncio.sleep(0)  # told to stop meanwhile? A server that is cancelled while it starts can't be stopped any more
        await server.start()
        self._server = server
        await self._say(health_pb2.HealthCheckResponse.SERVING)
        self._tasks = [
            asyncio.create_task(self._sweep(), name="directory sweep"),
            asyncio.create_task(self._watch(), name="node health"),
        ]
        return int(port)

    async def drain(self, deadline_ms: int) -> None:
        """Take no new sessions, tell every device, wait until they have left or the deadline has come, then stop."""
        if self._server is None:
            return
        self.directory.draining = True
        await self._say(health_pb2.HealthCheckResponse.NOT_SERVING)
        for session in self.directory.sessions:
            if session.linked:
                session.drive.send(t.Draining(deadline_ms))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(deadline_ms / 1000):
                for session in self.directory.sessions:
                    async with session.serving:  # held for as long as the session has a link
                        pass
        await self.stop()

    async def stop(self) -> None:
        """End every link and session now. Safe to call twice."""
        if self._server is None:
            return
        server, self._server = self._server, None
        try:
            for task in self._tasks:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
            self.directory.draining = True
            await asyncio.gather(*(session.drive.leave() for session in self.directory.sessions))
            await self.directory.close("the node stopped")
        finally:  # stopped half way too: a server that still runs as the loop ends says so as a traceback
            await server.stop(grace=1.0)
            self._stopped.set()

    async def wait(self) -> None:
        """Until the server has stopped."""
        await self._stopped.wait()

    async def _converse(self, _requests: Any, call: Any) -> None:
        await serve_channel(CallChannel(call), self.directory)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_EVERY_S)
            await self.directory.sweep()

    async def _watch(self) -> None:
        while self._able():  # noqa: ASYNC110  (a thread of the model may die without a word to us)
            await asyncio.sleep(HEALTH_EVERY_S)
        await self._say(health_pb2.HealthCheckResponse.NOT_SERVING)

    async def _say(self, status: Any) -> None:
        for service in ("", SERVICE):
            await self._health.set(service, status)
