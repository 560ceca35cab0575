"""A simulated car, the real gateway on it and what that sent, on virtual time: for tests of what the gateway does, told as stories.

    async def story(bench: GatewayBench) -> None: ...
    on_bench(story, [SignalSample(0.0, SPEED, 30.0)])

Does not know the cloud, the link or any databroker but the simulated one.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from ridealong.device.vehicle.gateway import Gateway, GatewaySettings
from ridealong.proto.types import Actuate, ActuationResult, Samples, SignalWrite, UplinkBody, VehicleState, samples_from_ms
from ridealong.simulators.car.car import SimCar
from ridealong.simulators.car.plant import SignalSample
from ridealong.vehicle_skills.signals import window_position
from tests.unit.car_loop import run

WINDOW = window_position("Row1", "DriverSide")
KEYS = itertools.count(1)


class GatewayBench:
    """A car, its gateway, and what the gateway sent in order."""

    def __init__(self, signals: list[SignalSample], ledger: Path | None, settings: GatewaySettings) -> None:
        self.loop = asyncio.get_running_loop()
        self.car = SimCar(signals)
        self.sent: list[UplinkBody] = []
        self.gateway = Gateway(self.car.broker, self.sent.append, self.now, ledger, settings)

    def now(self) -> Samples:
        return samples_from_ms(self.loop.time() * 1000)

    def ask(self, path: str, value: float | int | bool, group: str, **changes: object) -> str:
        """As the cloud asks, for the driver and unconfirmed but for `changes`; the key of the request."""
        wish = Actuate(f"k{next(KEYS)}", (SignalWrite(path, value),), group, "driver", requested_at=self.now(), tier="any")
        wish = replace(wish, **changes)  # type: ignore[arg-type]
        self.gateway.on_actuate(wish)
        return wish.key

    def results(self, key: str) -> list[ActuationResult]:
        return [body for body in self.sent if isinstance(body, ActuationResult) and body.key == key]

    def course(self, key: str) -> list[str]:
        """What became of it, step by step: "refused moving"."""
        return [result.state.value + (f" {result.reason}" if result.reason else "") for result in self.results(key)]

    def states(self) -> list[VehicleState]:
        return [body for body in self.sent if isinstance(body, VehicleState)]


def on_bench(
    story: Callable[[GatewayBench], Awaitable[None]],
    signals: list[SignalSample] | None = None,
    ledger: Path | None = None,
    settings: GatewaySettings = GatewaySettings(),  # noqa: B008
    prepare: Callable[[GatewayBench], None] = lambda bench: None,
) -> None:
    """Tells `story` to a car that has been connected for a second. `prepare`: what is otherwise before the gateway first sees the car."""

    async def main() -> None:
        bench = GatewayBench(signals or [], ledger, settings)
        prepare(bench)
        async with asyncio.TaskGroup() as tasks:
            parts = [tasks.create_task(bench.car.run()), tasks.create_task(bench.gateway.run())]
            await asyncio.sleep(1.0)
            await story(bench)
            for part in parts:
                part.cancel()

    run(main())
