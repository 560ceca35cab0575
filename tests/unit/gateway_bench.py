"""A simulated car, a gateway and what the gateway sent, on virtual time."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from car_loop import run

from ridealong.device.vehicle.gateway import Gateway, GatewaySettings
from ridealong.proto.types import Actuate, ActuationResult, Samples, SignalWrite, UplinkBody, VehicleState, samples_from_ms
from ridealong.simulators.car.car import SimCar
from ridealong.simulators.car.plant import SignalSample

KEYS = itertools.count(1)


class Bench:
    """A car, a gateway and what the gateway sent."""

    def __init__(self, signals: list[SignalSample], ledger: Path | None, settings: GatewaySettings) -> None:
        self.loop = asyncio.get_running_loop()
        self.car = SimCar(signals)
        self.sent: list[UplinkBody] = []
        self.gateway = Gateway(self.car.broker, self.sent.append, self.now, ledger, settings)

    def now(self) -> Samples:
        return samples_from_ms(self.loop.time() * 1000)

    def ask(self, path: str, value: float | int | bool, group: str, **changes: object) -> str:
        wish = Actuate(f"k{next(KEYS)}", (SignalWrite(path, value),), group, "driver", requested_at=self.now(), tier="any")
        wish = replace(wish, **changes)  # type: ignore[arg-type]
        self.gateway.on_actuate(wish)
        return wish.key

    def results(self, key: str) -> list[ActuationResult]:
        return [body for body in self.sent if isinstance(body, ActuationResult) and body.key == key]

    def course(self, key: str) -> list[str]:
        return [result.state.value + (f" {result.reason}" if result.reason else "") for result in self.results(key)]

    def states(self) -> list[VehicleState]:
        return [body for body in self.sent if isinstance(body, VehicleState)]


def on_bench(
    story: Callable[[Bench], Awaitable[None]],
    signals: list[SignalSample] | None = None,
    ledger: Path | None = None,
    settings: GatewaySettings = GatewaySettings(),  # noqa: B008
    prepare: Callable[[Bench], None] = lambda bench: None,
) -> None:
    async def main() -> None:
        bench = Bench(signals or [], ledger, settings)
        prepare(bench)
        async with asyncio.TaskGroup() as tasks:
            parts = [tasks.create_task(bench.car.run()), tasks.create_task(bench.gateway.run())]
            await asyncio.sleep(1.0)
            await story(bench)
            for part in parts:
                part.cancel()

    run(main())
