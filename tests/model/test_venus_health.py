"""A node whose model has failed says so to whoever asks for its health: `ridealong cloud serve` with the tiny checkpoint, over gRPC."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from checkpoints import tiny_folder
from grpc_health.v1 import health_pb2, health_pb2_grpc
from venus_scene import Device, patiently, until

from ridealong.cloud import main
from ridealong.cloud.config import CloudConfig, FrontEnd, FrontEndKind, HarnessSettings, Server, Venus
from ridealong.cloud.model.hosting import ModelHost
from ridealong.device.link import grpc_dialler
from ridealong.proto.channel import Channel

pytestmark = pytest.mark.model


class Remote(Device):
    """Over gRPC."""

    port = 0

    async def dial(self) -> Channel:
        return self.noted(await grpc_dialler(f"127.0.0.1:{self.port}")())


async def health(port: int) -> Any:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        asked = health_pb2.HealthCheckRequest(service="ridealong.v1.Conversation")
        return (await health_pb2_grpc.HealthStub(channel).Check(asked)).status


def test_after_model_failed_the_node_is_not_serving(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    patiently(monkeypatch)
    build: Callable[..., main.Node] = main.build_node
    nodes: list[main.Node] = []

    def noting(*given: Any, **named: Any) -> main.Node:
        nodes.append(build(*given, **named))
        return nodes[0]

    monkeypatch.setattr(main, "build_node", noting)
    config = CloudConfig(
        server=Server(address="127.0.0.1:0", drain_ms=200),
        frontend=FrontEnd(FrontEndKind.VENUS, model=tiny_folder(), ears=False),
        venus=Venus(device="cpu", dtype="float32", slots=1, window=512),
        harness=HarnessSettings(tmp_path / "journal.sqlite"),
    )

    async def story() -> None:
        served = asyncio.create_task(main.serve(config))
        shown = [""]

        def serving() -> bool:
            assert not served.done(), served.exception()
            shown[0] += capsys.readouterr().out
            return "serving on" in shown[0]

        await until(serving)
        Remote.port = int(re.findall(r"serving on \S+:(\d+)", shown[0])[0])
        assert await health(Remote.port) == health_pb2.HealthCheckResponse.SERVING
        device = Remote(nodes[0], "d1")
        await device.start()
        await device.seconds(1)
        assert await health(Remote.port) == health_pb2.HealthCheckResponse.SERVING
        host = nodes[0].model
        assert isinstance(host, ModelHost) and not host.failed

        def broken(*_: object) -> object:
            raise RuntimeError("CUDA error")

        host.engine.think = broken  # type: ignore[assignment, method-assign]
        await device.seconds(3, settle=False)
        while not device.errors:
            await device.seconds(1, settle=False)
            await asyncio.sleep(0.02)
        assert device.errors[0].code == "model_failed" and host.failed
        asked = asyncio.get_running_loop().time()
        while await health(Remote.port) != health_pb2.HealthCheckResponse.NOT_SERVING:
            assert asyncio.get_running_loop().time() < asked + 30
            await asyncio.sleep(0.1)
        await device.end()
        os.kill(os.getpid(), signal.SIGTERM)
        await served

    async def bounded() -> None:
        async with asyncio.timeout(170):
            await story()

    asyncio.run(bounded())


def test_a_thread_of_the_model_s_that_dies_is_a_failed_model() -> None:
    from ridealong.cloud.model.hosting import ModelSettings, open_model

    host = open_model(ModelSettings(tiny_folder(), "cpu", "float32", 1, 512))
    assert not host.failed
    host.runner._end(SystemExit())
    assert host.failed
    host.stop()
