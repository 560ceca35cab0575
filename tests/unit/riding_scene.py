"""A session's harness with the product's skills and router, a device's gateway and a simulated car, on virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path

from ridealong.cloud.tagger import load_tagger
from ridealong.cloud.vehicle import Car
from ridealong.device.vehicle.gateway import Gateway
from ridealong.harness.harness import Harness
from ridealong.harness.journal import Journal
from ridealong.harness.registry import Registry
from ridealong.harness.router import Router
from ridealong.harness.runner import LoopClock
from ridealong.harness.skill import Provenance
from ridealong.harness.snapshot import Evidence
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.proto.types import Actuate, ActuationResult, DownlinkBody, Halt, UplinkBody, VehicleState
from ridealong.simulators.car.car import SimCar
from ridealong.simulators.car.plant import SignalSample
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.navigation.gazetteer import CENTRE
from tests.unit.harness_scene import Scene, play

WINDOW = vss.window_position("Row1", "DriverSide")
OTHER = vss.window_position("Row1", "PassengerSide")


_tags = cache(load_tagger)


class Riding(Scene):
    def __init__(self, folder: Path, *, tagged: bool = False, registry: Registry | None = None) -> None:
        self.events, self.loaded = [], False
        self.evidence, self.journal = Evidence(), Journal(folder / "journal.sqlite")
        registry = registry or builtin_registry()
        self.drive = SimCar([SignalSample(0.0, vss.LATITUDE, CENTRE[0]), SignalSample(0.0, vss.LONGITUDE, CENTRE[1])])
        self.gateway = Gateway(self.drive.broker, self._up, self.now)
        self.cloud = Car("s", self.down, self.now, self.now)
        self.orders: list[Actuate | Halt] = []
        router = Router(registry)
        self.harness = Harness(
            "s", registry, TaggedRouter(router, _tags()) if tagged else router, self.journal, self.cloud, LoopClock(), self.evidence,
            self.events.append, self.now,
        )  # fmt: skip
        self.cloud.late = self.harness.reconcile

    def _up(self, body: UplinkBody) -> None:
        if isinstance(body, VehicleState):
            self.cloud.on_state(body)
        elif isinstance(body, ActuationResult):
            self.cloud.on_result(body)

    def down(self, body: DownlinkBody) -> None:
        assert isinstance(body, Actuate | Halt)
        self.orders.append(body)
        self.gateway.on_actuate(body)

    def position(self, path: str = WINDOW) -> float:
        return float(self.drive.plant.values[path])

    def say(self, words: str, locale: str = "en", provenance: Provenance = Provenance.DRIVER) -> str:
        """The id of what came of it last, or ""."""
        before = len(self.harness.items)
        self.ask(words, locale=locale, provenance=provenance)
        return list(self.harness.items)[-1] if len(self.harness.items) > before else ""

    async def told(self, seconds: float = 4.0) -> list[str]:
        """Hear out all that is said within this time."""
        heard = []
        for _ in range(round(seconds * 20)):
            await asyncio.sleep(0.05)
            for reply in self.boundary():
                work_id, _, text = reply.partition(": ")
                self.played(work_id, "started")
                self.played(work_id, "finished", text)
                heard.append(text)
        return heard


def ride(scene: Riding, story: Callable[[Riding], Awaitable[None]]) -> None:
    async def script(s: Riding) -> None:
        async with asyncio.TaskGroup() as tasks:
            parts = [tasks.create_task(s.drive.run()), tasks.create_task(s.gateway.run())]
            try:
                await asyncio.sleep(1.2)
                await story(s)
            finally:
                for part in parts:
                    part.cancel()

    play(scene, script)
