"""A databroker with TLS and tokens, and one of an older tree: over real gRPC, as the gateway meets them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tests.unit.test_car_controls import token

from ridealong.device.vehicle.gateway import Gateway, GatewaySettings
from ridealong.errors import UserError
from ridealong.proto.types import Actuate, ActuationResult, SignalValue, SignalWrite, UplinkBody, samples_from_ms
from ridealong.simulators.car.car import SimCar
from ridealong.simulators.car.server import Security, start
from ridealong.simulators.car.tree import OtherTree
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.broker import Access, BrokerAway, KuksaBroker, ReplyKind
from ridealong.vehicle_skills.check import check
from ridealong.vehicle_skills.mapping import CarMapping, Rule
from ridealong.vehicle_skills.vehicle_file import preset

pytestmark = pytest.mark.process

TLS = Path(__file__).parents[1] / "data" / "tls"
WINDOW = vss.window_position("Row1", "DriverSide")
FAN = vss.fan_speed("Row1", "Driver")
HEAT = vss.set_temperature("Row1", "Driver")
SCOPE = "read:Vehicle actuate:Vehicle.Cabin.HVAC"


def in_a_car(story: Callable[[SimCar, int], Awaitable[None]], security: Security, mapping: CarMapping | None = None) -> None:
    async def main() -> None:
        car = SimCar()
        server, port = await start(car if mapping is None else OtherTree(car, mapping), "127.0.0.1:0", security)
        driving = asyncio.create_task(car.run())
        try:
            async with asyncio.timeout(40):
                await story(car, port)
        finally:
            driving.cancel()
            await server.stop(0)

    asyncio.run(main())


def test_tls_and_a_token(tmp_path: Path) -> None:
    async def story(car: SimCar, port: int) -> None:
        file = tmp_path / "token"
        file.write_text(token(exp=time.time() + 600, scope=SCOPE))
        broker = KuksaBroker(f"127.0.0.1:{port}", Access(file, TLS / "certificate.pem", "car.test"))
        assert (await broker.read([vss.SPEED]))[0].value == 0.0
        assert (await broker.actuate([SignalWrite(HEAT, 24.0)])).kind is ReplyKind.FORWARDED
        assert (await broker.actuate([SignalWrite(WINDOW, 50)])).kind is ReplyKind.NOT_PERMITTED
        file.write_text(token(exp=time.time() - 1, scope=SCOPE))
        with pytest.raises(BrokerAway, match="the token has expired; put a token that permits it into"):
            await broker.list_metadata()
        file.write_text(token(exp=time.time() + 600, scope=SCOPE))
        assert len(await broker.list_metadata()) > 100
        await broker.close()
        unsafe = KuksaBroker(f"127.0.0.1:{port}")
        with pytest.raises(BrokerAway):
            await unsafe.list_metadata()
        await unsafe.close()

    in_a_car(story, Security(TLS / "key.pem", TLS / "certificate.pem", tokens=True))


def test_a_token_that_ends_ends_the_subscription_and_a_new_one_brings_the_car_back(tmp_path: Path) -> None:
    async def story(car: SimCar, port: int) -> None:
        file = tmp_path / "token"
        file.write_text(token(exp=time.time() + 1.5, scope=SCOPE))
        loop = asyncio.get_running_loop()
        gateway = Gateway(
            KuksaBroker(f"127.0.0.1:{port}", Access(file)), lambda body: None, lambda: samples_from_ms(loop.time() * 1000)
        )
        running = asyncio.create_task(gateway.run())
        for live in (True, False):
            while gateway.live is not live:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        file.write_text(token(exp=time.time() + 600, scope=SCOPE))
        while not gateway.live:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        running.cancel()

    in_a_car(story, Security(tokens=True))


def test_files_that_are_not_there() -> None:
    for access in (Access(token_file=Path("none")), Access(ca=Path("none"))):
        with pytest.raises(UserError, match="none cannot be read"):
            KuksaBroker("127.0.0.1:1", access)


@pytest.mark.parametrize("version", ["3.1", "4.0", "5.1"])
def test_an_older_car_is_driven_by_its_vehicle_file(version: str) -> None:
    mapping = CarMapping.of(
        {**preset(version), "Vehicle.Cabin.HVAC.Station.*.*.FanSpeed": Rule(steps=7)} if version != "3.1" else preset(version)
    )

    async def story(car: SimCar, port: int) -> None:
        text, complete = await check(f"127.0.0.1:{port}", mapping=mapping)
        assert complete, text
        loop = asyncio.get_running_loop()
        sent: list[UplinkBody] = []
        broker = KuksaBroker(f"127.0.0.1:{port}")
        gateway = Gateway(
            broker, sent.append, lambda: samples_from_ms(loop.time() * 1000), settings=GatewaySettings(mapping=mapping)
        )
        running = asyncio.create_task(gateway.run())
        while not gateway.live:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.6)

        async def ask(path: str, value: SignalValue, group: str) -> tuple[str, SignalValue | None]:
            now = samples_from_ms(loop.time() * 1000)
            gateway.on_actuate(
                Actuate(path, (SignalWrite(path, value),), group, "driver", "said_back", requested_at=now, tier="slow")
            )
            while True:
                found = [one for one in sent if isinstance(one, ActuationResult) and one.key == path and one.state.final]
                if found:
                    return f"{found[0].state.value} {found[0].reason}".strip(), found[0].observed[0].value if found[
                        0
                    ].observed else None
                await asyncio.sleep(0.05)

        expected = {"5.1": 22.5, "4.0": 23.0, "3.1": 23.0}[version]
        assert await ask(HEAT, 22.5, "climate") == ("confirmed", expected)
        assert await ask(WINDOW, 40, "windows") == ("confirmed", 40)
        assert await ask(FAN, 60, "climate") == ("confirmed", 60 if version == "3.1" else 57)
        assert car.plant.values[WINDOW] == 40
        running.cancel()
        await broker.close()

    in_a_car(story, Security(), mapping)
