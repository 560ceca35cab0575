"""`ridealong car serve`: the simulated car as a program, until it is told to stop."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from ridealong.command import Command
from ridealong.errors import UserError

if TYPE_CHECKING:
    from ridealong.simulators.car.car import SimCar
    from ridealong.simulators.car.server import Security
    from ridealong.simulators.car.tree import OtherTree

DEFAULT_ADDRESS = "127.0.0.1:55555"


async def serve(car: SimCar | OtherTree, address: str, security: Security) -> None:
    """Until SIGINT or SIGTERM."""
    from ridealong.simulators.car.server import start

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    server, port = await start(car, address, security)
    try:
        async with asyncio.TaskGroup() as tasks:
            driving = tasks.create_task(car.run())
            host = address.rpartition(":")[0]
            print(f"simulated car ready: kuksa.val.v2 on {host}:{port}, {len(car.broker.signals)} signals", flush=True)
            await stop.wait()
            driving.cancel()
    finally:
        await server.stop(grace=0.2)


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--script", type=Path, help="CSV time_s,path,value or YAML; the car follows it")
    parser.add_argument(
        "--address", default=DEFAULT_ADDRESS, help=f"where to listen (default {DEFAULT_ADDRESS}; port 0: any free one)"
    )
    parser.add_argument("--drive", choices=("left", "right"), default="left", help="where the driver sits")
    parser.add_argument(
        "--vehicle", type=Path, metavar="FILE", help="be that model of car: its tree, names, steps, added signals"
    )
    parser.add_argument("--tls-key", type=Path, help="PEM file of the server's key")
    parser.add_argument("--tls-certificate", type=Path, help="PEM file of the server's certificate")
    parser.add_argument(
        "--tokens", action="store_true", help="every call must bring a JWT; its scopes and its end count, its signature does not"
    )
    parser.add_argument("--temperature-unit", choices=("C", "F"), default="C", help="what the display shows")


def _run(options: argparse.Namespace) -> int:
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # a taken port is ours to say; read when grpc is first imported, so before it
    from ridealong.simulators.car.car import SimCar
    from ridealong.simulators.car.script import read_script
    from ridealong.simulators.car.server import Security
    from ridealong.simulators.car.tree import OtherTree
    from ridealong.vehicle_skills.vehicle_file import read_vehicle

    if (options.tls_key is None) is not (options.tls_certificate is None):
        raise UserError("TLS needs both --tls-key and --tls-certificate.")
    vehicle = read_vehicle(options.vehicle, options.drive) if options.vehicle is not None else None
    samples = read_script(options.script) if options.script is not None else ()
    car = SimCar(samples, options.drive, options.temperature_unit)
    shown = OtherTree(car, vehicle.mapping) if vehicle is not None and vehicle.mapping.differs else car
    asyncio.run(serve(shown, options.address, Security(options.tls_key, options.tls_certificate, options.tokens)))
    return 0


SERVE = Command("Run the simulated car, a kuksa.val.v2 databroker with a car behind it.", _configure, _run)
