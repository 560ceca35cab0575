"""The simulated car under an older tree: what its databroker would serve in a model with other names, types and values, by that model's mapping.

Does not know physics, or the wire. Everything is the same car: a value that is published there is forced here, an actuation there is one here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ridealong.proto.types import SignalValue, SignalWrite
from ridealong.simulators.car.broker import SimBroker
from ridealong.simulators.car.car import SimCar
from ridealong.vehicle_skills.mapping import CarMapping
from ridealong.vehicle_skills.signal import DataType, Signal
from ridealong.vehicle_skills.signals import SIGNALS


class OtherTree:
    """`broker` serves the car's own paths; `set` takes them."""

    def __init__(self, car: SimCar, mapping: CarMapping) -> None:
        self._car, self._mapping = car, mapping
        self.broker = SimBroker(self._forward, _tree(mapping))
        self.broker.faults = car.broker.faults
        car.broker.mirrors.append(self._mirror)

    def set(self, path: str, value: SignalValue) -> None:
        """The world changes this signal now."""
        ours = self._mapping.ours(path)
        if ours is None:
            self.broker.publish([(path, value)])
        elif (meant := self._mapping.from_car(ours, value)) is not None:
            self._car.set(ours, meant)

    async def run(self) -> None:
        await self._car.run()

    def _forward(self, path: str, value: SignalValue) -> None:
        ours = self._mapping.ours(path)
        meant = self._mapping.from_car(ours, value) if ours is not None else None
        if ours is not None and meant is not None:
            self._car.broker.hand_over([SignalWrite(ours, meant)])

    def _mirror(self, values: Iterable[tuple[str, SignalValue]]) -> None:
        shown = []
        for path, value in values:
            there = self._mapping.theirs(path) if path in SIGNALS else None
            if there is not None:
                shown.append((there, _within(self._mapping.type_of(path), self._mapping.to_car(path, value))))
        if shown:
            self.broker.stamp_base_ns = self._car.broker.stamp_base_ns or self.broker.stamp_base_ns
            self.broker.publish(shown)


def _tree(mapping: CarMapping) -> dict[str, Signal]:
    found = {}
    for path, signal in SIGNALS.items():
        there = mapping.theirs(path)
        if there is None:
            continue
        type_ = mapping.type_of(path)
        same = type_ is signal.type and there == path
        own = replace(signal, path=there, type=type_)
        found[there] = own if same else replace(own, low=None, high=None, allowed=(), unit=signal.unit)
    return found


def _within(type_: DataType, value: SignalValue) -> SignalValue:
    return float(value) if type_ in (DataType.FLOAT, DataType.DOUBLE) and not isinstance(value, bool | str) else value
