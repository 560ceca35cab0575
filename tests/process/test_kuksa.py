"""The databroker client against a real gRPC server on loopback, the server's error codes, and the two commands."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest

from ridealong.device.vehicle.gateway import Gateway
from ridealong.errors import UserError
from ridealong.proto.kuksa import val_pb2 as wire
from ridealong.proto.kuksa.val_pb2_grpc import VALStub
from ridealong.proto.types import Actuate, ActuationResult, SignalWrite, UplinkBody, samples_from_ms
from ridealong.simulators.car.car import SimCar
from ridealong.simulators.car.server import start
from ridealong.vehicle_skills import check
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.broker import BrokerAway, KuksaBroker, ReplyKind, from_value, to_value
from ridealong.vehicle_skills.signals import SIGNALS, DataType

pytestmark = pytest.mark.process

SETPOINT = vss.set_temperature("Row1", "Driver")
WINDOW = vss.window_position("Row1", "DriverSide")


def served(story: Callable[[SimCar, KuksaBroker, Any], Awaitable[None]]) -> None:
    """Run the story with a car, a client and a raw stub."""

    async def main() -> None:
        car = SimCar()
        server, port = await start(car, "127.0.0.1:0")
        broker = KuksaBroker(f"127.0.0.1:{port}")
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel, asyncio.TaskGroup() as tasks:
            driving = tasks.create_task(car.run())
            await asyncio.sleep(0)
            try:
                async with asyncio.timeout(20):
                    await story(car, broker, VALStub(channel))
            finally:
                driving.cancel()
                await broker.close()
                await server.stop(0)

    asyncio.run(main())


def name(path: str) -> wire.SignalID:
    return wire.SignalID(path=path)


async def code_of(call: Awaitable[Any]) -> grpc.StatusCode:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return caught.value.code()


def test_metadata_values_and_subscription() -> None:
    async def story(car: SimCar, broker: KuksaBroker, stub: Any) -> None:
        offered = {meta.path: meta for meta in await broker.list_metadata()}
        assert offered.keys() == SIGNALS.keys()
        window = offered[WINDOW]
        assert (window.type, window.low, window.high, window.unit) == (DataType.UINT8, 0, 100, "percent")
        assert "100 = open" in window.comment
        assert offered[vss.IGNITION].allowed == SIGNALS[vss.IGNITION].allowed
        setpoint, latitude = await broker.read([SETPOINT, vss.LATITUDE])
        assert setpoint.value == 21.0 and setpoint.stamp_ns > 10**18
        assert latitude.value is None
        async with aclosing(broker.subscribe([SETPOINT, WINDOW, vss.LATITUDE])) as updates:
            first = {update.path: update.value for update in await anext(updates)}
            assert first == {SETPOINT: 21.0, WINDOW: 0, vss.LATITUDE: None}
            assert (await broker.actuate([SignalWrite(SETPOINT, 22.5)])).kind is ReplyKind.FORWARDED
            assert [(update.path, update.value) for update in await anext(updates)] == [(SETPOINT, 22.5)]

    served(story)


def test_every_reply_kind() -> None:
    async def story(car: SimCar, broker: KuksaBroker, stub: Any) -> None:
        async def kind(*writes: SignalWrite) -> ReplyKind:
            return (await broker.actuate(writes)).kind

        assert await kind(SignalWrite("Vehicle.Nothing", 1)) is ReplyKind.UNKNOWN_SIGNAL
        assert await kind(SignalWrite(WINDOW, 300)) is ReplyKind.BAD_VALUE
        assert await kind(SignalWrite(WINDOW, "open")) is ReplyKind.BAD_VALUE
        assert await kind(SignalWrite(WINDOW, True)) is ReplyKind.BAD_VALUE
        assert await kind(SignalWrite(vss.SPEED, 10.0)) is ReplyKind.BAD_VALUE
        assert await kind(SignalWrite(SETPOINT, 20.0), SignalWrite(WINDOW, 101)) is ReplyKind.BAD_VALUE
        assert not car.broker.forwarded, "all or nothing"
        car.broker.faults.provider_absent = True
        assert await kind(SignalWrite(SETPOINT, 20.0)) is ReplyKind.NO_PROVIDER
        car.broker.faults.provider_absent = False
        car.broker.faults.refuse = ReplyKind.NOT_PERMITTED
        assert await kind(SignalWrite(SETPOINT, 20.0)) is ReplyKind.NOT_PERMITTED
        car.broker.faults.refuse = None
        assert await kind(SignalWrite(SETPOINT, 20.0), SignalWrite(WINDOW, 10)) is ReplyKind.FORWARDED
        assert list(car.broker.forwarded) == [(SignalWrite(SETPOINT, 20.0), SignalWrite(WINDOW, 10))]

    served(story)


def test_status_codes_of_the_server() -> None:
    async def story(car: SimCar, broker: KuksaBroker, stub: Any) -> None:
        wrong_kind = wire.ActuateRequest(signal_id=name(WINDOW), value=wire.Value(int32=10))
        assert await code_of(stub.Actuate(wrong_kind)) is grpc.StatusCode.INVALID_ARGUMENT
        assert await code_of(stub.Actuate(wire.ActuateRequest(signal_id=name(WINDOW)))) is grpc.StatusCode.INVALID_ARGUMENT
        assert await code_of(stub.GetValue(wire.GetValueRequest(signal_id=name("Vehicle.No")))) is grpc.StatusCode.NOT_FOUND
        assert await code_of(stub.GetValue(wire.GetValueRequest(signal_id=name("Vehicle.*")))) is grpc.StatusCode.INVALID_ARGUMENT
        assert await code_of(stub.ListMetadata(wire.ListMetadataRequest(root="Car"))) is grpc.StatusCode.NOT_FOUND
        assert await code_of(anext(aiter(stub.Subscribe(wire.SubscribeRequest())))) is grpc.StatusCode.INVALID_ARGUMENT
        too_much = wire.SubscribeRequest(signal_paths=[WINDOW], buffer_size=1_001)
        assert await code_of(anext(aiter(stub.Subscribe(too_much)))) is grpc.StatusCode.INVALID_ARGUMENT
        one_level = await stub.ListMetadata(wire.ListMetadataRequest(root="Vehicle.Cabin.Door.*.DriverSide.Window"))
        assert sorted(entry.path for entry in one_level.metadata) == [vss.window_position(row, "DriverSide") for row in vss.ROWS]
        number = one_level.metadata[0].id
        found = await stub.GetValue(wire.GetValueRequest(signal_id=wire.SignalID(id=number)))
        assert found.data_point.value.uint32 == 0
        async for reply in stub.SubscribeById(wire.SubscribeByIdRequest(signal_ids=[number])):
            assert list(reply.entries) == [number]
            break
        assert (await stub.GetServerInfo(wire.GetServerInfoRequest())).name == "ridealong-simulated-car"
        publish = wire.PublishValueRequest(
            signal_id=name(vss.OUTSIDE_TEMPERATURE), data_point=wire.Datapoint(value=wire.Value(float=-3.5))
        )
        await stub.PublishValue(publish)
        assert car.broker.point(vss.OUTSIDE_TEMPERATURE).value == -3.5

        async def several() -> AsyncIterator[wire.ActuateRequest]:
            for value in (10, 20):
                yield wire.ActuateRequest(signal_id=name(WINDOW), value=wire.Value(uint32=value))

        await stub.ActuateStream(several())
        assert len(car.broker.forwarded) == 2

    served(story)


def test_a_slow_subscriber_loses_the_oldest() -> None:
    async def main() -> None:
        car = SimCar()
        subscription = car.broker.open_subscription([vss.SPEED], 0)
        for speed in range(5):
            car.set(vss.SPEED, float(speed))
        batch = await subscription.take()
        assert batch is not None and batch[0].value == 4.0 and subscription.dropped == 5

    asyncio.run(main())


def test_a_provider_from_outside_claims_publishes_and_is_asked() -> None:
    async def story(car: SimCar, broker: KuksaBroker, stub: Any) -> None:
        claim = wire.OpenProviderStreamRequest(
            provide_actuation_request=wire.ProvideActuationRequest(actuator_identifiers=[name(vss.DOME_LIGHT)])
        )
        taken = stub.OpenProviderStream()
        await taken.write(claim)
        assert await code_of(taken.read()) is grpc.StatusCode.ALREADY_EXISTS

        car.broker.faults.provider_absent = True
        stream = stub.OpenProviderStream()
        await stream.write(claim)
        assert (await stream.read()).WhichOneof("action") == "provide_actuation_response"
        assert (await broker.actuate([SignalWrite(vss.DOME_LIGHT, True)])).kind is ReplyKind.FORWARDED
        asked = (await stream.read()).batch_actuate_stream_request.actuate_requests
        assert len(asked) == 1 and asked[0].value.bool is True
        assert not car.broker.forwarded
        points = {asked[0].signal_id.id: wire.Datapoint(value=wire.Value(bool=True)), 9_999: wire.Datapoint()}
        await stream.write(wire.OpenProviderStreamRequest(publish_values_request={"request_id": 7, "data_points": points}))
        status = (await stream.read()).publish_values_response
        assert status.request_id == 7 and list(status.status) == [9_999]
        assert car.broker.point(vss.DOME_LIGHT).value is True
        stream.cancel()
        await asyncio.sleep(0.1)
        assert (await broker.actuate([SignalWrite(vss.DOME_LIGHT, False)])).kind is ReplyKind.NO_PROVIDER

    served(story)


def test_gateway_over_grpc_reconnects_after_the_databroker_was_restarted() -> None:
    async def main() -> None:
        car = SimCar()
        server, port = await start(car, "127.0.0.1:0")
        broker = KuksaBroker(f"127.0.0.1:{port}")
        loop = asyncio.get_running_loop()
        sent: list[UplinkBody] = []
        gateway = Gateway(broker, sent.append, lambda: samples_from_ms(loop.time() * 1000))

        async def ask(key: str, value: float) -> str:
            now = samples_from_ms(loop.time() * 1000)
            gateway.on_actuate(Actuate(key, (SignalWrite(SETPOINT, value),), "climate", "driver", requested_at=now, tier="any"))
            while True:
                await asyncio.sleep(0.05)
                done = [body for body in sent if isinstance(body, ActuationResult) and body.key == key and body.state.final]
                if done:
                    return f"{done[0].state.value} {done[0].reason}".strip()

        async def until(live: bool) -> None:
            while gateway.live is not live:  # noqa: ASYNC110
                await asyncio.sleep(0.05)

        async with asyncio.timeout(40), asyncio.TaskGroup() as tasks:
            parts = [tasks.create_task(car.run()), tasks.create_task(gateway.run())]
            await until(True)
            assert await ask("one", 22.5) == "confirmed"
            await server.stop(0)
            await until(False)
            assert await ask("two", 23.5) == "refused no_vehicle"
            server, _ = await start(car, f"127.0.0.1:{port}")
            await until(True)
            assert await ask("three", 24.0) == "confirmed"
            assert [batch[0].value for batch in car.broker.forwarded] == [22.5, 24.0]
            for part in parts:
                part.cancel()
        await broker.close()
        await server.stop(0)

    asyncio.run(main())


@pytest.mark.parametrize("address", ["nonsense", "127.0.0.1:99999", ":1", "127.0.0.1:"])
def test_an_address_that_is_none(address: str) -> None:
    with pytest.raises(UserError, match="HOST:PORT"):
        asyncio.run(start(SimCar(), address))


def test_an_unreachable_databroker() -> None:
    async def main() -> None:
        broker = KuksaBroker("127.0.0.1:1")
        with pytest.raises(BrokerAway, match="cannot be reached"):
            await broker.list_metadata()
        assert (await broker.actuate([SignalWrite(SETPOINT, 20.0)])).kind is ReplyKind.NO_VEHICLE
        with pytest.raises(UserError, match="car serve"):
            await check.check("127.0.0.1:1")
        await broker.close()

    asyncio.run(main())


@pytest.mark.parametrize("path", SIGNALS)
def test_values_survive_the_wire(path: str) -> None:
    kind = SIGNALS[path].type
    value: Any = {DataType.BOOLEAN: True, DataType.STRING: "ON", DataType.FLOAT: 22.4, DataType.DOUBLE: 11.5754321}.get(kind, 7)
    assert from_value(to_value(kind, value)) == value
    wrong: Any = 5 if kind in (DataType.STRING, DataType.BOOLEAN) else "x"
    with pytest.raises(ValueError):
        to_value(kind, wrong)


def test_the_numbers_are_the_contract() -> None:
    """Spot checks against the interface of a real databroker; all of it was once compared with a published client's."""

    def numbers(message: Any) -> dict[str, int]:
        return {field.name: field.number for field in message.DESCRIPTOR.fields}

    assert wire.DESCRIPTOR.package == "kuksa.val.v2"
    assert list(wire.DESCRIPTOR.services_by_name) == ["VAL"]
    assert numbers(wire.Datapoint) == {"timestamp": 1, "value": 2}
    scalars = {"string": 11, "bool": 12, "int32": 13, "int64": 14, "uint32": 15, "uint64": 16, "float": 17, "double": 18}
    assert {name: number for name, number in numbers(wire.Value).items() if number < 20} == scalars
    assert numbers(wire.Metadata)["data_type"] == 11 and numbers(wire.Metadata)["min"] == 18
    assert (wire.DATA_TYPE_UINT8, wire.DATA_TYPE_FLOAT, wire.ENTRY_TYPE_ACTUATOR) == (7, 11, 3)
    assert numbers(wire.OpenProviderStreamRequest)["batch_actuate_stream_response"] == 3


def program(*words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "ridealong.cli", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ))


def test_serve_and_check_as_programs(tmp_path: Path) -> None:
    script = tmp_path / "drive.csv"
    script.write_text("time_s,path,value\n0,Vehicle.Speed,42\n")
    car = program("car", "serve", "--script", str(script), "--address", "127.0.0.1:0")
    try:
        assert car.stdout is not None
        ready = car.stdout.readline()
        assert "ready" in ready
        address = ready.split(" on ")[1].split(",")[0]
        second = program("car", "serve", "--address", address)
        out, err = second.communicate(timeout=30)
        assert second.returncode == 2 and "choose another" in err and "Traceback" not in err and err.count("\n") == 1
        checking = program("car", "check", "--broker", address)
        out, err = checking.communicate(timeout=30)
        assert checking.returncode == 0, err
        assert "signals as we need them" in out
    finally:
        car.send_signal(signal.SIGTERM)
        car.communicate(timeout=10)
    assert car.returncode == 0
    bad = program("car", "serve", "--script", str(tmp_path / "none.csv"))
    out, err = bad.communicate(timeout=30)
    assert bad.returncode == 2 and "cannot be read" in err
