"""The doctor's two probes against the real servers."""

from __future__ import annotations

import asyncio

import pytest

from ridealong.cloud.directory import Directory
from ridealong.cloud.server import NodeServer
from ridealong.device.doctor import reach_databroker, reach_node
from ridealong.simulators.car.car import SimCar
from ridealong.simulators.car.server import start

pytestmark = pytest.mark.process


def test_the_simulated_car_answers_as_databroker_and_a_deaf_port_does_not() -> None:
    async def main() -> None:
        server, port = await start(SimCar(), "127.0.0.1:0")
        deaf = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
        deaf_port = deaf.sockets[0].getsockname()[1]
        try:
            assert await reach_databroker(f"127.0.0.1:{port}") is None
            assert await reach_node(f"127.0.0.1:{port}") is None  # it speaks gRPC; what it serves, the link finds out
            for reach in (reach_node, reach_databroker):
                problem = await reach(f"127.0.0.1:{deaf_port}")  # something listens there and speaks no gRPC
                assert problem is not None and f"127.0.0.1:{deaf_port}" in problem and "\n" not in problem
        finally:
            deaf.close()
            await server.stop(0)
        problem = await reach_node(f"127.0.0.1:{port}")
        assert problem is not None and "gRPC" in problem
        problem = await reach_databroker(f"127.0.0.1:{port}")
        assert problem is not None and "databroker" in problem

    asyncio.run(main())


def test_asking_a_node_opens_no_session() -> None:
    async def main() -> None:
        def factory(*_: object) -> object:
            raise AssertionError("no hello was sent")

        server = NodeServer(Directory(factory))  # type: ignore[arg-type]
        port = await server.start("127.0.0.1:0")
        assert await reach_node(f"127.0.0.1:{port}") is None
        await asyncio.sleep(0.1)
        assert len(server.directory) == 0
        await server.stop()

    asyncio.run(main())
