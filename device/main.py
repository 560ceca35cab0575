"""`ridealong device run`: the composition root of the device. Chooses implementations by configuration and runs the agent.

The only module of the device that joins parts. What a configuration does not name is not imported: no OpenCV without a camera, no
sound library with file or simulated sound.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import random
import signal
import sys
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Final, assert_never

import numpy as np
from numpy.typing import NDArray

from ridealong.command import Command
from ridealong.device.agent import Agent, GatewayFactory, LinkFactory, LinkLike
from ridealong.device.camera import Camera, FileCamera, OpenCVCamera, SimulatedCamera
from ridealong.device.config import CameraKind, DeviceConfig, Kind, load_config
from ridealong.device.microphone import FileMicrophone, Microphone, SimulatedMicrophone, SoundDeviceMicrophone
from ridealong.device.observing import Observer
from ridealong.device.speaker import FileSpeaker, SimulatedSpeaker, SoundDeviceSpeaker, Speaker
from ridealong.errors import UserError
from ridealong.proto.types import CLOCK_HZ, DownlinkBody, Hello, Samples
from ridealong.settings import describe

log = logging.getLogger("ridealong.device")


def make_microphone(config: DeviceConfig) -> Microphone:
    microphone = config.microphone
    match microphone.kind:
        case Kind.REAL:
            return SoundDeviceMicrophone(microphone.device)
        case Kind.FILE:
            assert microphone.path is not None
            return FileMicrophone(microphone.path, microphone.repeat)
        case Kind.SIMULATED:
            return SimulatedMicrophone(quiet_room)
        case _:
            assert_never(microphone.kind)


def make_speaker(config: DeviceConfig) -> Speaker:
    speaker = config.speaker
    match speaker.kind:
        case Kind.REAL:
            return SoundDeviceSpeaker(speaker.device, output_latency_ms=speaker.output_latency_ms)
        case Kind.FILE:
            assert speaker.path is not None
            return FileSpeaker(speaker.path)
        case Kind.SIMULATED:
            return SimulatedSpeaker(lambda at, block: None)
        case _:
            assert_never(speaker.kind)


def make_camera(config: DeviceConfig) -> Camera | None:
    camera = config.camera
    match camera.kind:
        case CameraKind.NONE:
            return None
        case CameraKind.REAL:
            return OpenCVCamera(camera.device)
        case CameraKind.FILE:
            assert camera.path is not None
            return FileCamera(camera.path, camera.repeat)
        case CameraKind.SIMULATED:
            return SimulatedCamera(sliding_bars)
        case _:
            assert_never(camera.kind)


def quiet_room(start: int, samples: int) -> NDArray[np.int16]:
    """The same faint noise (-70 dBFS) at the same place: a microphone that hears an empty room."""
    return np.random.default_rng(start).normal(0, 10, samples).astype(np.int16)


def sliding_bars(at: Samples) -> NDArray[np.uint8]:
    """A test picture of 448 x 252 that moves by 8 pixels a second."""
    x = np.arange(448) + 8 * (at // CLOCK_HZ)
    row = np.stack([(x // 32 * 37) % 256, (x // 32 * 91) % 256, (x // 32 * 151) % 256], axis=-1).astype(np.uint8)
    return np.ascontiguousarray(np.broadcast_to(row, (252, 448, 3)))


def make_link_factory(config: DeviceConfig) -> LinkFactory:
    from ridealong.device.link import Link, grpc_dialler

    give_up_after_s = config.link.give_up_after_s or None

    def make(
        hello: Hello, on_message: Callable[[DownlinkBody], None], on_state: Callable[[Enum], None], now: Callable[[], Samples]
    ) -> LinkLike:
        dial = grpc_dialler(config.link.address)
        rng = random.Random()
        return Link(
            dial, hello, on_message, on_state, rng, address=config.link.address, give_up_after_s=give_up_after_s, clock=now
        )

    return make


async def run_agent(
    config: DeviceConfig, observers: Sequence[Observer] = (), began: Callable[[Agent], None] = lambda agent: None
) -> None:
    """Until SIGINT or SIGTERM, or until the agent ends by itself. `began` gets the agent before it runs."""
    gateway_factory: GatewayFactory | None = None
    broker: Any = None
    if config.vehicle.databroker or config.vehicle.file is not None:
        from ridealong.device.vehicle.gateway import Gateway, GatewaySettings
        from ridealong.vehicle_skills.broker import Access
        from ridealong.vehicle_skills.mapping import AS_IN_VSS_6
        from ridealong.vehicle_skills.vehicle_file import open_broker, read_vehicle

        vehicle = read_vehicle(config.vehicle.file, config.vehicle.drive) if config.vehicle.file is not None else None
        broker = open_broker(
            config.vehicle.databroker or "",
            vehicle,
            Access(config.vehicle.token_file, config.vehicle.tls_ca, config.vehicle.tls_name),
        )
        drive = config.vehicle.drive or (vehicle.drive if vehicle is not None else None)
        wanted = GatewaySettings(
            drive, config.vehicle.temperature_unit, vehicle.mapping if vehicle is not None else AS_IN_VSS_6, config.vehicle.audit
        )
        ledger = config.vehicle.ledger
        gateway_factory = lambda send, now: Gateway(broker, send, now, ledger, wanted)  # noqa: E731
    agent = Agent(
        config,
        make_microphone(config),
        make_camera(config),
        make_speaker(config),
        make_link_factory(config),
        gateway_factory,
        observers,
    )
    began(agent)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, agent.stop_soon)
    try:
        await agent.run()
    finally:
        if broker is not None:
            await broker.close()
    log.info("stopped")


def parse_settings(pairs: list[str]) -> dict[str, Any]:
    """`section.key=value` as on the command line; the value is read as YAML."""
    import yaml

    from ridealong.yaml_file import load_yaml

    found: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals:
            raise UserError(f"--set takes KEY=VALUE, for example --set link.address=127.0.0.1:50051, not {pair!r}.")
        try:
            found[key.strip()] = load_yaml(text) if text else ""
        except yaml.YAMLError:
            found[key.strip()] = text
    return found


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", type=Path, metavar="FILE", help="YAML; docs/guides/device.example.yaml is an example")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="set one key, over file and environment")
    parser.add_argument("--print-config", action="store_true", help="show every value and where it came from, then stop")


def log_as(config: DeviceConfig) -> None:
    level = getattr(logging, config.log.level.upper())
    logging.basicConfig(level=level, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s %(message)s")


def _run(options: argparse.Namespace) -> int:
    loaded = load_config(options.config, flags=parse_settings(options.set))
    if options.print_config:
        print(describe(loaded), end="")
        return 0
    log_as(loaded.value)
    asyncio.run(run_agent(loaded.value))
    return 0


RUN: Final = Command("run the device agent", _configure, _run)
