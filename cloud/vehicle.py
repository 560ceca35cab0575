"""The car as the cloud sees it: readings that the device reported, and actuations that the device is asked for.

`Car` is one per session; `Car.port(work_id, provenance)` is the `SignalPort` of one call. The intent is journalled before it is sent
and the result before anybody speaks of it. Does not know: skills, brokers, gRPC. The device has the last word on every actuation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ridealong.harness.skill import Confirmation, Provenance, Verdict
from ridealong.proto.types import (
    MAX_TTL_MS,
    Actuate,
    ActuationResult,
    ActuationState,
    DownlinkBody,
    Samples,
    SignalReading,
    SignalWrite,
    VehicleState,
    ms_from_samples,
)

ANSWER_MARGIN_MS = 3_000


class Intents(Protocol):
    """Where intents and results are made durable (harness.journal)."""

    def record_intent(self, work_id: str, key: str, writes: Sequence[SignalWrite]) -> None: ...

    def record_result(self, key: str, result: ActuationResult) -> None: ...


QuickPolicy = Callable[[str, Confirmation, Provenance, Mapping[str, SignalReading]], Verdict]


@dataclass(slots=True)
class Car:
    """`now` is the session's device time. `strange_results` counts results for keys that nobody waits for."""

    session_id: str
    send: Callable[[DownlinkBody], None]
    now: Callable[[], Samples]
    intents: Intents
    policy: QuickPolicy
    present: bool = False
    strange_results: int = 0
    actuations: int = 0
    _readings: dict[str, tuple[SignalReading, Samples]] = field(default_factory=dict)
    _waiting: dict[str, asyncio.Future[ActuationResult]] = field(default_factory=dict)

    def on_state(self, state: VehicleState) -> None:
        self.present = True
        for reading in state.signals:
            self._readings[reading.path] = (reading, state.at)

    def on_result(self, result: ActuationResult) -> None:
        """Take a result; only a final one ends the wait. One that nobody waits for any more is journalled all the same."""
        if not result.state.final:
            return
        self.intents.record_result(result.key, result)
        waiting = self._waiting.pop(result.key, None)
        if waiting is None or waiting.done():
            self.strange_results += 1
        else:
            waiting.set_result(result)

    def read(self, path: str) -> SignalReading | None:
        """The last value with its present age: the age it had, plus the time since then."""
        found = self._readings.get(path)
        if found is None:
            return None
        reading, at = found
        return SignalReading(path, reading.value, reading.age_ms + max(0, round(ms_from_samples(self.now() - at))))

    def readings(self) -> dict[str, SignalReading]:
        return {path: reading for path in self._readings if (reading := self.read(path)) is not None}

    def port(self, work_id: str, provenance: Provenance) -> Port:
        return Port(self, work_id, provenance)

    async def request(self, actuate: Actuate, work_id: str) -> ActuationResult:
        """Send one actuation and wait for its final state; a silent device gives TIMED_OUT with reason `no_answer`: unknown, not retried."""
        self.intents.record_intent(work_id, actuate.key, actuate.writes)
        future: asyncio.Future[ActuationResult] = asyncio.get_running_loop().create_future()
        self._waiting[actuate.key] = future
        self.actuations += 1
        self.send(actuate)
        try:
            async with asyncio.timeout((actuate.ttl_ms + actuate.confirm_within_ms + ANSWER_MARGIN_MS) / 1000):
                return await future
        except TimeoutError:
            result = ActuationResult(actuate.key, ActuationState.TIMED_OUT, "no_answer")
            self.intents.record_result(actuate.key, result)
            return result
        finally:
            self._waiting.pop(actuate.key, None)


@dataclass(slots=True)
class Port:
    """`SignalPort` of one call: knows who asked, and numbers its actuations so that a key is never used twice."""

    car: Car
    work_id: str
    provenance: Provenance
    sent: int = 0

    def read(self, path: str) -> SignalReading | None:
        return self.car.read(path)

    def check(self, group: str, confirmation: Confirmation) -> Verdict:
        if not self.car.present:
            return Verdict(False, "no_vehicle")
        return self.car.policy(group, confirmation, self.provenance, self.car.readings())

    async def actuate(
        self, writes: Sequence[SignalWrite], *, group: str, confirmation: Confirmation = Confirmation.NONE, confirm_within_ms: int = 5_000
    ) -> ActuationResult:
        if not self.car.present:
            return ActuationResult("", ActuationState.REFUSED, "no_vehicle")
        key = f"{self.car.session_id}/{self.work_id}/{self.sent}"
        self.sent += 1
        request = Actuate(
            key=key, writes=tuple(writes), group=group, provenance=self.provenance.value, confirmation=confirmation.value,
            ttl_ms=MAX_TTL_MS, requested_at=self.car.now(), confirm_within_ms=confirm_within_ms,
        )  # fmt: skip
        return await self.car.request(request, self.work_id)
