"""A car behind a CAN bus: what its frames say, what is sent, what is old, and what no file can mean. On python-can's virtual bus."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from pathlib import Path

import can
import cantools
import pytest
import yaml

from ridealong.device.vehicle.gateway import Gateway
from ridealong.errors import UserError
from ridealong.proto.types import Actuate, ActuationResult, SignalWrite, UplinkBody, samples_from_ms
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.broker import ReplyKind
from ridealong.vehicle_skills.can_broker import CanBroker
from ridealong.vehicle_skills.can_file import CanFile
from ridealong.vehicle_skills.vehicle_file import open_broker, read_vehicle

pytestmark = pytest.mark.unit

DATA = Path(__file__).parents[1] / "data" / "can"
LEFT, RIGHT = (vss.window_position("Row1", side) for side in vss.SIDES)
SEAT = vss.occupancy("Row1", "DriverSide")


class Body:
    """The body controller at the other end: repeats its frames, and moves its windows as it is told."""

    def __init__(self, channel: str) -> None:
        self.bus = can.Bus(interface="virtual", channel=channel)
        self.database = cantools.database.load_file(DATA / "car.dbc")
        self.motion = {"Speed": 12.34, "Gear": "D", "ParkingBrake": 0, "Ignition": "run", "DriverSeat": "taken"}
        self.windows = {"FrontLeft": 20.0, "FrontRight": 0.0}
        self.heard: list[dict[str, float]] = []

    def send(self, name: str, values: dict[str, object]) -> None:
        message = self.database.get_message_by_name(name)
        self.bus.send(can.Message(arbitration_id=message.frame_id, is_extended_id=False, data=message.encode(values)))

    async def run(self) -> None:
        while True:
            self.send("Motion", self.motion)
            self.send("Windows", self.windows)
            while (frame := self.bus.recv(0)) is not None:
                if frame.arbitration_id == 768:
                    command = self.database.decode_message(768, bytes(frame.data))
                    self.heard.append(command)
                    for wish, window in (("SetFrontLeft", "FrontLeft"), ("SetFrontRight", "FrontRight")):
                        if command[wish] <= 100:
                            self.windows[window] = command[wish]
            await asyncio.sleep(0.02)


def with_a_bus(story: Callable[[CanBroker, Body], Awaitable[None]], channel: str) -> None:
    async def main() -> None:
        vehicle = read_vehicle(DATA / "car.yaml")
        assert vehicle.can is not None and vehicle.drive == "left"
        broker, body = CanBroker(_on(vehicle.can, channel)), Body(channel)
        running = asyncio.create_task(body.run())
        try:
            await story(broker, body)
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running
            await broker.close()
            body.bus.shutdown()

    asyncio.run(main())


def _on(file: CanFile, channel: str) -> CanFile:
    return CanFile(file.interface, channel, file.dbc, file.reads, file.writes, file.idle, stale_ms=200)


async def until(broker: CanBroker, path: str, value: object) -> None:
    async with asyncio.timeout(5):
        while (await broker.read([path]))[0].value != value:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def test_frames_in_our_words() -> None:
    async def story(broker: CanBroker, body: Body) -> None:
        assert [update.value for update in await broker.read([vss.SPEED, LEFT])] == [None, None]
        await until(broker, vss.SPEED, 12.34)
        paths = [vss.SELECTED_GEAR, vss.PARKING_BRAKE, vss.IGNITION, SEAT, LEFT]
        assert [update.value for update in await broker.read(paths)] == [vss.GEAR_DRIVE, False, "ON", "OCCUPIED", 20]
        body.motion["DriverSeat"] = "unknown"  # a value that means nothing to us
        body.motion["Gear"] = "P"
        await until(broker, vss.SELECTED_GEAR, vss.GEAR_PARK)
        assert broker.rubbish > 0
        assert {meta.path: meta.kind.value for meta in await broker.list_metadata() if meta.kind}[LEFT] == "actuator"

    with_a_bus(story, "one")


def test_what_stops_coming_is_not_known_any_more() -> None:
    async def story(broker: CanBroker, body: Body) -> None:
        await until(broker, vss.SPEED, 12.34)
        first = (await broker.read([vss.SPEED]))[0].stamp_ns
        await asyncio.sleep(0.1)
        assert (await broker.read([vss.SPEED]))[0].stamp_ns > first  # it shows that it lives though it says the same
        body.send = lambda name, values: None  # type: ignore[method-assign]
        await until(broker, vss.SPEED, None)

    with_a_bus(story, "two")


def test_a_batch_is_one_frame_and_the_rest_is_left_as_it_is() -> None:
    async def story(broker: CanBroker, body: Body) -> None:
        await until(broker, LEFT, 20)
        assert (await broker.actuate([SignalWrite(LEFT, 50)])).kind is ReplyKind.FORWARDED
        await until(broker, LEFT, 50)
        assert body.heard == [{"SetFrontLeft": 50, "SetFrontRight": 127}] and body.windows["FrontRight"] == 0
        assert (await broker.actuate([SignalWrite(LEFT, 0), SignalWrite(RIGHT, 100)])).kind is ReplyKind.FORWARDED
        await until(broker, RIGHT, 100)
        assert body.heard[1:] == [{"SetFrontLeft": 0, "SetFrontRight": 100}]
        assert (await broker.actuate([SignalWrite(vss.TRUNK_OPEN, True)])).kind is ReplyKind.NO_PROVIDER
        assert (await broker.actuate([SignalWrite(LEFT, 900)])).kind is ReplyKind.BAD_VALUE
        assert len(body.heard) == 2

    with_a_bus(story, "three")


def test_the_gateway_over_a_bus_refuses_at_speed_and_confirms_by_the_sensor() -> None:
    async def story(broker: CanBroker, body: Body) -> None:
        loop = asyncio.get_running_loop()
        sent: list[UplinkBody] = []

        def now() -> int:
            return samples_from_ms(loop.time() * 1000)

        gateway = Gateway(broker, sent.append, now)  # type: ignore[arg-type]
        running = asyncio.create_task(gateway.run())

        async def ask(key: str, value: int) -> str:
            wish = Actuate(key, (SignalWrite(LEFT, value),), "windows", "driver", "said_back", requested_at=now(), tier="slow")  # type: ignore[arg-type]
            gateway.on_actuate(wish)
            async with asyncio.timeout(8):
                while True:
                    found = [one for one in sent if isinstance(one, ActuationResult) and one.key == key and one.state.final]
                    if found:
                        return f"{found[0].state.value} {found[0].reason}".strip()
                    await asyncio.sleep(0.02)

        await until(broker, vss.SPEED, 12.34)
        await asyncio.sleep(0.5)  # each gate value has shown that it lives
        assert await ask("slow", 60) == "confirmed"
        body.motion["Speed"] = 120.0
        await until(broker, vss.SPEED, 120.0)
        await asyncio.sleep(0.3)
        assert await ask("fast", 0) == "refused too_fast"
        body.motion |= {"Speed": 10.0, "DriverSeat": "empty"}
        await until(broker, SEAT, "EMPTY")
        await asyncio.sleep(0.3)
        assert await ask("closes", 0) == "refused nobody_there"
        assert body.windows["FrontLeft"] == 60
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running

    with_a_bus(story, "four")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"dbc": "none.dbc"}, "there is no file"),
        ({"channel": ""}, "needs channel"),
        ({"speed": 1}, "'speed'"),
        ({"read": {"Vehicle.Spied": {"message": "Motion", "signal": "Speed"}}}, "no signal of ours"),
        ({"write": {"Vehicle.Speed": {"message": "Motion", "signal": "Speed"}}}, "never written by us"),
        ({"write": {"Vehicle.Chassis.ParkingBrake.IsEngaged": {"message": "Motion", "signal": "ParkingBrake"}}}, "never written"),
        ({"read": {"Vehicle.Speed": {"message": "Nothing", "signal": "Speed"}}}, "no message Nothing"),
        ({"read": {"Vehicle.Speed": {"message": "Motion", "signal": "Sped"}}}, "no signal Sped"),
        ({"idle": {"WindowCommand": {"Roof": 1}}}, "no signal Roof"),
        ({"stale_ms": 1}, "within 100"),
    ],
)
def test_files_that_can_not_be_used(tmp_path: Path, change: dict[str, object], sentence: str) -> None:
    (tmp_path / "car.dbc").write_bytes((DATA / "car.dbc").read_bytes())
    data = yaml.safe_load((DATA / "car.yaml").read_text())
    data["can"] |= change
    (tmp_path / "car.yaml").write_text(yaml.safe_dump(data))
    with pytest.raises(UserError, match=sentence):
        open_broker("", read_vehicle(tmp_path / "car.yaml"))


def test_one_way_into_the_car() -> None:
    vehicle = read_vehicle(DATA / "car.yaml")
    with pytest.raises(UserError, match="leave one of them out"):
        open_broker("127.0.0.1:1", vehicle)
    with pytest.raises(UserError, match="no way leads"):
        open_broker("", None)
