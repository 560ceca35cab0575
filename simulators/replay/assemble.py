"""Joins the whole system for one ride: a trip's world, the device agent, the link, the node and the simulated car.

In real time the node listens on a loopback port and the car serves kuksa.val.v2, both over real gRPC. On virtual time (`fast`) the same
node is served over an in-memory link that carries the same bytes, the car is asked in process, and models run in line.
Does not know what was expected, or what becomes of the record.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ridealong.cloud.config import CloudConfig, NavigationSettings
from ridealong.cloud.directory import Directory, serve_channel
from ridealong.cloud.main import build_node
from ridealong.cloud.server import NodeServer
from ridealong.device.agent import Agent, LinkLike
from ridealong.device.camera import Camera, SimulatedCamera, load_opencv
from ridealong.device.config import CameraConfig, DeviceConfig, IdentityConfig, LogConfig
from ridealong.device.holes import Hole
from ridealong.device.link import Link, LinkUnavailable, grpc_dialler
from ridealong.device.microphone import SimulatedMicrophone
from ridealong.device.observing import AgentEvent, Received, Sent
from ridealong.device.speaker import SimulatedSpeaker
from ridealong.device.vehicle.gateway import Gateway, GatewaySettings
from ridealong.harness.daytime import REPLAYED_AT, SetDaytime
from ridealong.harness.runner import LoopClock
from ridealong.harness.skill import Skill
from ridealong.proto.channel import Channel, ChannelClosed, memory_pair
from ridealong.proto.types import CLOCK_HZ, DownlinkBody, Hello, Samples, SignalValue, Speech, UplinkBody, WorkUpdate
from ridealong.simulators.car.car import SimCar
from ridealong.simulators.car.plant import SignalSample
from ridealong.simulators.network import Network, NetworkPreset, Traffic
from ridealong.simulators.replay.observing import RunObserver
from ridealong.simulators.room import EchoPath, Room
from ridealong.simulators.trip.loading import Trip
from ridealong.simulators.virtual_time import ChargedExecutor, InlineExecutor
from ridealong.vehicle_skills.broker import Access, Broker, KuksaBroker
from ridealong.vehicle_skills.navigation.choosing import AUTO, DEMO_NAME

if TYPE_CHECKING:
    from ridealong.cloud.frontends.cascade.frontend import Observation
    from ridealong.cloud.main import Assemble

SPEAKER_LATENCY_MS = 100.0
"""From writing to hearing. The device's last 20 ms cannot be taken back (`SimulatedSpeaker`)."""
SETTLED_S = 3.0
LONGEST_TAIL_S = 25.0
STARTED, FINAL_DELIVERIES = ("queued", "running", "cancelling"), ("delivered", "expired", "withdrawn")


@dataclass(frozen=True, slots=True)
class Ride:
    """How a trip is ridden. `cloud` is the node's configuration; its address is not used."""

    cloud: CloudConfig
    fast: bool
    seed: int
    network: NetworkPreset
    echo: EchoPath | None = EchoPath()  # noqa: RUF009 (frozen)
    device_kind: str = "car"
    charged: bool = False
    """With `fast`: computing takes its measured time on the virtual clock, so that latency can be read from it."""
    speaker_latency_ms: float = SPEAKER_LATENCY_MS
    assemble: Assemble | None = None
    """Gives the cascade front-end models that are loaded already: many rides share them."""
    observe: Callable[[Observation], None] | None = None
    """Told every judgement of the cascade."""
    skills: tuple[Skill, ...] = ()
    """Registered at the node besides the built-in ones."""
    token_file: Path | None = None
    """The databroker asks for tokens, and the device presents the one in this file. In real time only: it is asked over gRPC."""


def over(execution: str, delivery: str) -> bool:
    """Of a work item: nothing more will be done or said."""
    return delivery in FINAL_DELIVERIES or (delivery == "none" and execution not in STARTED)


class World:
    """The trip's side of the device: pictures by position, and when everything has been said."""

    def __init__(self, trip: Trip) -> None:
        self._trip = trip
        self._index = -1
        self._rgb: NDArray[np.uint8] | None = None
        self.open_work: set[str] = set()
        self.last_event_s = 0.0

    def picture(self, at: Samples) -> NDArray[np.uint8] | None:
        """The frame at or before `at`, decoded; None before the first and a while after the last."""
        frames = self._trip.frames
        index = self._index
        while index + 1 < len(frames) and frames[index + 1].at <= at:
            index += 1
        if index < 0 or (index == len(frames) - 1 and at - frames[index].at > 3 * CLOCK_HZ):
            return None
        if index != self._index:
            cv2 = load_opencv()
            image = cv2.imdecode(np.frombuffer(frames[index].jpeg, np.uint8), cv2.IMREAD_COLOR)
            self._rgb = None if image is None else np.ascontiguousarray(image[:, :, ::-1])
            self._index = index
        return self._rgb

    def received(self, body: DownlinkBody, now_s: float) -> None:
        match body:
            case WorkUpdate(work_id=work_id, execution=execution, delivery=delivery):
                (self.open_work.discard if over(execution, delivery) else self.open_work.add)(work_id)
                self.last_event_s = now_s
            case Speech():
                self.last_event_s = now_s


async def ride(
    trip: Trip,
    how: Ride,
    observer: RunObserver,
    *,
    began: Callable[[Agent], None] = lambda agent: None,
    room: Room | None = None,
    driven: Callable[[SimCar], None] = lambda car: None,
) -> Traffic:
    """Ride the trip to its end, and a little longer until everything was said. Raises UserError for what cannot be had.
    `room`: what the microphone hears, instead of the trip's own sound. `driven`: told of the car before it moves."""
    loop = asyncio.get_running_loop()
    world = World(trip)
    async with AsyncExitStack() as stack:
        executor, models, asking = (_executor(stack, how, name) for name in ("front-end", "models", "language-model"))
        counter = itertools.count(1)
        mint = (lambda: f"s{next(counter)}") if how.fast else None
        node = build_node(
            how.cloud,
            executor=executor,
            models_executor=models,
            mint=mint,
            assemble=how.assemble,
            observe=how.observe,
            skills=how.skills,
            asking_executor=asking,
            daytime=SetDaytime(REPLAYED_AT, LoopClock()) if how.fast else None,
        )
        stack.push_async_callback(node.close)
        car_settings = trip.expected.car
        agent: Agent | None = None

        def on_signal(at_s: float, path: str, value: SignalValue, source: str) -> None:
            observer.signal(agent.now() if agent is not None else Samples(0), path, value)

        car = SimCar(
            [
                SignalSample(sample.at / CLOCK_HZ, sample.path, sample.value)
                for sample in trip.signals
                if sample.value is not None
            ],
            car_settings.drive,
            car_settings.temperature_unit,
            changes=on_signal,
        )
        driven(car)
        broker, dial = await (
            in_memory(stack, car, node.directory) if how.fast else over_grpc(stack, car, node.directory, how.token_file)
        )
        tasks = await stack.enter_async_context(asyncio.TaskGroup())
        network = Network(how.network, how.seed, tasks, traffic := Traffic())

        async def dial_through() -> Channel:
            try:
                return await network.links(dial)()
            except ChannelClosed as error:
                raise LinkUnavailable(str(error)) from None

        place = room if room is not None else Room(trip.microphone, how.echo, seed=how.seed)

        def sink(at: Samples, block: NDArray[np.int16]) -> None:
            pcm = block.astype("<i2").tobytes()
            place.speaker_sink(at, pcm)
            observer.rendered(at, pcm)

        def on_event(event: AgentEvent) -> None:
            match event.item:
                case Sent(body=body):
                    observer.sent(event.at, body)
                case Received(body=body):
                    observer.received(event.at, body)
                    world.received(body, loop.time())
                case Hole(at=at, utterance=utterance, samples=samples):
                    observer.hole(at, utterance, samples)
                case _:
                    pass

        def make_link(
            hello: Hello, on_message: Callable[[DownlinkBody], None], on_state: Callable[[Enum], None], now: Callable[[], Samples]
        ) -> LinkLike:
            return Link(dial_through, hello, on_message, on_state, random.Random(how.seed), clock=now)

        def make_gateway(send: Callable[[UplinkBody], None], now: Callable[[], Samples]) -> Gateway:
            return Gateway(broker, send, now, None, GatewaySettings(car_settings.drive, car_settings.temperature_unit))

        camera: Camera | None = SimulatedCamera(world.picture) if trip.frames else None
        speaker = SimulatedSpeaker(sink, how.speaker_latency_ms)

        def hear(start: int, count: int) -> NDArray[np.int16]:
            speaker.play_on(Samples(start + count))  # the air moves on while the agent is late
            return place.microphone_source(Samples(start), count)

        agent = Agent(
            device_config(trip, how), SimulatedMicrophone(hear),
            camera, speaker, make_link, make_gateway, [on_event], pool=InlineExecutor() if how.fast else executor,
        )  # fmt: skip
        driving = tasks.create_task(car.run())
        began(agent)
        riding = tasks.create_task(agent.run())
        await _until_settled(trip, world, agent, riding)
        agent.stop_soon()
        await riding
        driving.cancel()
        await broker.close()
        return traffic
    raise AssertionError("unreachable")


async def _until_settled(trip: Trip, world: World, agent: Agent, riding: asyncio.Task[None]) -> None:
    loop = asyncio.get_running_loop()
    end_s = loop.time() + trip.duration_s
    while not riding.done():
        now_s = loop.time()
        quiet = not agent.playout.playing and not world.open_work and now_s - world.last_event_s >= SETTLED_S
        if now_s >= end_s + LONGEST_TAIL_S or (now_s >= end_s and quiet):
            return
        await asyncio.sleep(0.25)


def _executor(stack: AsyncExitStack, how: Ride, name: str) -> Executor:
    if how.fast:
        return ChargedExecutor(bool(how.cloud.language_model.base_url)) if how.charged else InlineExecutor()
    return threads(stack, name)


def threads(stack: AsyncExitStack, name: str) -> Executor:
    """Two of them. At the end of the stack what has begun is finished, and what has not is dropped."""
    executor = ThreadPoolExecutor(2, name)
    stack.callback(executor.shutdown, cancel_futures=True)
    return executor


Connected = tuple[Broker, Callable[[], Awaitable[Channel]]]
"""What the device talks to. It is there first, and goes when the device has ended: whatever ends a ride, the device misses nothing."""


async def in_memory(stack: AsyncExitStack, car: SimCar, directory: Directory) -> Connected:
    links = await stack.enter_async_context(asyncio.TaskGroup())

    async def dial() -> Channel:
        device, cloud = memory_pair()
        links.create_task(serve_channel(cloud, directory))
        return device

    return car.broker, dial


async def over_grpc(stack: AsyncExitStack, car: SimCar, directory: Directory, token_file: Path | None = None) -> Connected:
    from ridealong.simulators.car.server import Security, start

    server = NodeServer(directory)
    stack.push_async_callback(server.stop)
    port = await server.start("127.0.0.1:0")
    car_server, car_port = await start(car, "127.0.0.1:0", Security(tokens=token_file is not None))
    stack.push_async_callback(car_server.stop, 0.2)
    return KuksaBroker(f"127.0.0.1:{car_port}", Access(token_file)), grpc_dialler(f"127.0.0.1:{port}")


def device_config(trip: Trip, how: Ride) -> DeviceConfig:
    """The device of a replay: simulated hardware, defaults otherwise."""
    return DeviceConfig(
        device=IdentityConfig(kind=how.device_kind, id="replay", locale=trip.expected.locale),
        camera=CameraConfig(),
        log=LogConfig(level="warning"),
    )


def in_the_town(cloud: CloudConfig) -> CloudConfig:
    """Simulated cars stand in the demonstration town. Where no geocoder is named, places are looked up there, whatever is installed."""
    return cloud if cloud.navigation.geocoder != AUTO else replace(cloud, navigation=NavigationSettings(DEMO_NAME))


def cloud_config(base: CloudConfig, folder: Path) -> CloudConfig:
    """The node of a replay keeps its journal in the run's folder, so that two runs never meet, and adds to nobody's audit."""
    return replace(in_the_town(base), harness=replace(base.harness, journal=folder / "journal.sqlite", audit=None))
