"""The simulated car as the published Python client of KUKSA sees it, in that client's own environment and process: read, subscribe, publish.

The client's packages are not ours and pin other versions than ours, so it lives in a virtual environment of its own, made once in the cache. Where it can't be
installed (no package registry at hand) the tests say so and are skipped.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from ridealong.proto.types import SignalWrite
from ridealong.simulators.car.car import SimCar
from ridealong.simulators.car.server import start
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.broker import KuksaBroker

pytestmark = pytest.mark.process

CLIENT = "kuksa-client==0.6.0"
PLACE = (
    Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "ridealong" / "published-clients" / CLIENT.replace("==", "-")
)


@pytest.fixture(scope="module")
def python() -> str:
    found = PLACE / "bin" / "python"
    if not (PLACE / "whole").exists():
        made = [[sys.executable, "-m", "venv", "--clear", str(PLACE)], [str(found), "-m", "pip", "install", "--quiet", CLIENT]]
        for command in made:
            done = subprocess.run(command, capture_output=True, text=True, timeout=150)
            if done.returncode:
                pytest.skip(
                    f"{CLIENT} can't be installed here: {done.stderr.strip().splitlines()[-1][:200] if done.stderr else ''}"
                )
        (PLACE / "whole").touch()
    return str(found)


class Served(SimCar):
    """`address`: where it is served."""

    address = ""


def asked(python: str, body: str, story: Callable[[Served], Awaitable[None]]) -> object:
    """What the client's program prints as JSON; `story` happens in the car meanwhile."""
    program = (
        textwrap.dedent("""
        import asyncio, json, sys
        from kuksa_client.grpc import Datapoint
        from kuksa_client.grpc.aio import VSSClient

        async def main():
            async with VSSClient("127.0.0.1", int(sys.argv[1]), ensure_startup_connection=False) as client:
        """)
        + textwrap.indent(textwrap.dedent(body), "        ")
        + "\nasyncio.run(main())\n"
    )

    async def main() -> object:
        car = Served()
        server, port = await start(car, "127.0.0.1:0")
        car.address, car.broker.faults.provider_absent = f"127.0.0.1:{port}", True
        driving = asyncio.create_task(car.run())
        await asyncio.sleep(0.2)
        client = await asyncio.create_subprocess_exec(
            python, "-c", program, str(port), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"},
        )  # fmt: skip
        meanwhile = asyncio.create_task(story(car))  # type: ignore[arg-type]
        try:
            async with asyncio.timeout(60):
                out, err = await client.communicate()
            assert client.returncode == 0, err.decode()
            return json.loads(out)
        finally:
            meanwhile.cancel()
            driving.cancel()
            await server.stop(0)

    return asyncio.run(main())


async def nothing(car: Served) -> None:
    return None


def test_it_reads_by_its_own_stub(python: str) -> None:
    body = f"""
        from kuksa.val.v2 import types_pb2, val_pb2
        ids = [types_pb2.SignalID(path=path) for path in ("{vss.SPEED}", "{vss.SELECTED_GEAR}", "{vss.IGNITION}")]
        found = await client.client_stub_v2.GetValues(val_pb2.GetValuesRequest(signal_ids=ids))
        print(json.dumps([getattr(point.value, point.value.WhichOneof("typed_value")) for point in found.data_points]))
        """
    assert asked(python, body, nothing) == [0.0, 126, "ON"]


def test_it_subscribes(python: str) -> None:
    async def story(car: Served) -> None:
        while True:
            for speed in (10.0, 20.0, 30.0):
                car.set(vss.SPEED, speed)
                await asyncio.sleep(0.3)

    body = f"""
        seen = set()
        async for update in client.subscribe_current_values(["{vss.SPEED}"]):
            seen |= {{point.value for point in update.values() if point is not None}}
            if {{10.0, 20.0, 30.0}} <= seen:
                break
        print(json.dumps(sorted(seen & {{10.0, 20.0, 30.0}})))
        """
    assert asked(python, body, story) == [10.0, 20.0, 30.0]


def test_it_publishes(python: str) -> None:
    body = f"""
        from kuksa_client.grpc import DataEntry, DataType, EntryUpdate, Field, Metadata
        entry = DataEntry("{vss.OUTSIDE_TEMPERATURE}", value=Datapoint(-3.5), metadata=Metadata(data_type=DataType.FLOAT))
        await client.set([EntryUpdate(entry, (Field.VALUE,))], try_v2=True)
        async for updates in client.v2_subscribe(["{vss.OUTSIDE_TEMPERATURE}"]):
            print(json.dumps([update.entry.value.value for update in updates]))
            break
        """
    assert asked(python, body, nothing) == [-3.5]


def test_it_provides_an_actuator_and_gets_what_we_ask_for(python: str) -> None:
    window = vss.window_position("Row1", "DriverSide")

    async def story(car: Served) -> None:
        broker = KuksaBroker(car.address)
        while True:
            await broker.actuate([SignalWrite(window, 35)])
            await asyncio.sleep(0.2)

    body = f"""
        async for updates in client.v2_subscribe_actuation_requests(["{window}"]):
            print(json.dumps([(update.entry.path, update.entry.actuator_target.value) for update in updates]))
            break
        """
    assert asked(python, body, story) == [[window, 35]]
