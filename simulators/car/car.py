"""The simulated car as one thing: a plant that follows a script, behind a databroker, stepped on the loop's clock.

    car = SimCar(samples); gateway = Gateway(car.broker, ...);  tasks.create_task(car.run())

Speed, gear, ignition and parking brake are published at every step, as a car's bus repeats them; everything else when it
changes. Does not know trips, sockets or what anybody asks of it.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable
from typing import Final, Literal

from ridealong.proto.types import SignalValue
from ridealong.simulators.car import controls
from ridealong.simulators.car.broker import SimBroker
from ridealong.simulators.car.plant import Plant, SignalSample
from ridealong.simulators.car.script import sample
from ridealong.vehicle_skills.signals import GATE_PATHS

STEP_MS: Final = 100

Source = Literal["script", "set", "actuation", "plant"]
Observer = Callable[[float, str, SignalValue, Source], None]


class SimCar:
    """`changes(at_s, path, value, source)` is called for every value that changes after the start values, with seconds since `run` began. Raises UserError
    for a sample that no car could follow; its values get the signals' own types."""

    def __init__(
        self,
        signals: Iterable[SignalSample] = (),
        drive: str = "left",
        temperature_unit: str = "C",
        *,
        changes: Observer | None = None,
    ) -> None:
        checked = (sample(f"the car's signal at {at_s} s", at_s, path, value) for at_s, path, value in signals)
        self.script: list[SignalSample] = sorted(checked, key=lambda due: due.at_s)
        self.plant = Plant(drive, temperature_unit)
        self.broker = SimBroker(self.plant.command)
        self.changes = changes
        self._next = 0
        self._published: dict[str, SignalValue] = {}
        self._shown = dict(self.plant.values)
        self._sources: dict[str, Source] = {}
        self._start_s: float | None = None

    @property
    def at_s(self) -> float:
        """Seconds since `run` began; 0 before."""
        return 0.0 if self._start_s is None else asyncio.get_running_loop().time() - self._start_s

    def set(self, path: str, value: SignalValue) -> None:
        """The world changes this signal now."""
        self._sources[path] = "set"
        self.plant.force(path, value)
        self._publish()

    async def run(self) -> None:
        """Until cancelled. Steps lie on absolute slots; after a pause of the loop the missed ones are made up in one."""
        loop = asyncio.get_running_loop()
        self._start_s = loop.time()
        self._follow_script(0.0)
        self._publish()
        slot = 0
        while True:
            following = max(slot + 1, math.floor(self.at_s * 1000 / STEP_MS))
            await asyncio.sleep(max(0.0, self._start_s + following * STEP_MS / 1000 - loop.time()))
            for step in range(slot + 1, following + 1):
                self._follow_script(step * STEP_MS / 1000)
                self.plant.step(STEP_MS / 1000)
            slot = following
            self._publish()

    def _follow_script(self, now_s: float) -> None:
        while self._next < len(self.script) and self.script[self._next].at_s <= now_s + 1e-9:
            due = self.script[self._next]
            self._next += 1
            if due.path.startswith(controls.PREFIX):
                controls.apply(due.path, due.value, self.plant, self.broker)
                continue
            self._sources[due.path] = "script"
            self.plant.force(due.path, due.value)

    def _publish(self) -> None:
        fresh = {path: value for path, value in self.plant.values.items() if self._published.get(path) != value}
        gates = [(path, self.plant.values[path]) for path in GATE_PATHS if path not in fresh]
        self.broker.publish([*fresh.items(), *gates])
        self._published |= fresh
        if self.changes is not None:
            changed = {path: value for path, value in fresh.items() if self._shown.get(path) != value}
            self._shown |= changed
            for path, value in changed.items():
                source = self._sources.pop(path, "plant")
                self.changes(self.at_s, path, value, "actuation" if path in self.plant.commanded else source)
