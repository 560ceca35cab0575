"""The car as the cloud sees it: readings that the device reported, and actuations that the device is asked for.

`Car` is one per session and implements `harness.port.CarPort`. The harness journals an intent before it calls `actuate`.
Does not know: skills, work items, brokers, gRPC. The device has the last word on every actuation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ridealong.cloud.lateness import at_leisure
from ridealong.harness.permission import ELSEWHERE
from ridealong.harness.runner import STOOD_STILL_S
from ridealong.harness.skill import Confirmation, Motion, Provenance, Verdict
from ridealong.proto.types import (
    MAX_TTL_MS,
    Actuate,
    ActuationResult,
    ActuationState,
    DownlinkBody,
    Halt,
    Precondition,
    Samples,
    SignalReading,
    SignalWrite,
    VehicleState,
    ms_from_samples,
)
from ridealong.vehicle_skills.load import DrivingLoad
from ridealong.vehicle_skills.policy import CLOUD_GATE_AGE_MS, CarState, PolicyRequest, decide
from ridealong.vehicle_skills.signals import can_halt

ANSWER_MARGIN_MS = 3_000


@dataclass(slots=True)
class Car:
    """`now` is the session's device time, as far as it was worked on; `device_now`, by which an order is dated, the device's own clock. `strange_results` counts results for keys that nobody waits for."""

    session_id: str
    send: Callable[[DownlinkBody], None]
    now: Callable[[], Samples]
    device_now: Callable[[], Samples]
    present: bool = False
    strange_results: int = 0
    actuations: int = 0
    late: Callable[[ActuationResult], None] = lambda result: None
    """Told of a final result for a key that nobody waits for: from before a restart, or after we had given it up."""
    busy: Callable[[float, float], float] = at_leisure
    """Seconds between two times of the loop for which it stood still: the device is not silent then, and what it said is still to be read."""
    judged: Callable[[PolicyRequest, Verdict], None] = lambda asked, verdict: None
    """Told of every quick verdict."""
    load: DrivingLoad = field(default_factory=DrivingLoad)
    _readings: dict[str, tuple[SignalReading, Samples]] = field(default_factory=dict)
    _waiting: dict[str, asyncio.Future[ActuationResult]] = field(default_factory=dict)

    def on_state(self, state: VehicleState) -> None:
        self.present = True
        for reading in state.signals:
            self._readings[reading.path] = (reading, state.at)
        self.load.on(self.read, self.now())

    def loaded(self) -> bool:
        """The driver is busy driving."""
        return self.load.heavy(self.now())

    def on_result(self, result: ActuationResult) -> None:
        """Take a result; only a final one ends the wait."""
        if not result.state.final:
            return
        waiting = self._waiting.pop(result.key, None)
        if waiting is None or waiting.done():
            self.strange_results += 1
            self.late(result)
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

    def check(self, group: str, confirmation: Confirmation, provenance: Provenance, tier: Motion) -> Verdict:
        """The quick answer. An age limit fit for readings that arrive once a second; the car judges freshness itself."""
        asked = PolicyRequest(group, provenance, CarState.read(self.read), confirmation, max_age_ms=CLOUD_GATE_AGE_MS, tier=tier)
        nowhere = not self.present and (group != ELSEWHERE or tier is not Motion.ANY)
        verdict = Verdict(False, "no_vehicle") if nowhere else decide(asked)
        self.judged(asked, verdict)
        return verdict

    async def actuate(
        self,
        key: str,
        provenance: Provenance,
        writes: Sequence[SignalWrite],
        *,
        group: str,
        confirmation: Confirmation,
        confirm_within_ms: int,
        tier: Motion,
        preconditions: tuple[Precondition, ...] = (),
        requested_at: Samples | None = None,
    ) -> ActuationResult:
        """Send one actuation and wait for its final state; a silent device gives TIMED_OUT, `no_answer`: unknown, never retried."""
        return await self._order(
            Actuate(
                key=key, writes=tuple(writes), group=group, provenance=provenance.value, confirmation=confirmation.value,
                ttl_ms=MAX_TTL_MS, preconditions=preconditions, requested_at=self.device_now() if requested_at is None else requested_at,
                confirm_within_ms=confirm_within_ms, tier=tier.value,
            )
        )  # fmt: skip

    def can_halt(self, writes: Sequence[SignalWrite]) -> bool:
        return any(can_halt(write.path) for write in writes)

    async def halt(self, key: str, of: str, provenance: Provenance, requested_at: Samples) -> ActuationResult:
        """As `actuate`: what still moves of `of` stays where the car sees it."""
        return await self._order(Halt(key, of, provenance.value, MAX_TTL_MS, requested_at))

    async def _order(self, request: Actuate | Halt) -> ActuationResult:
        key = request.key
        if not self.present:
            return ActuationResult(key, ActuationState.REFUSED, "no_vehicle")
        future: asyncio.Future[ActuationResult] = asyncio.get_running_loop().create_future()
        self._waiting[key] = future
        self.actuations += 1
        self.send(request)
        try:
            answered = await self._within(future, (request.ttl_ms + request.confirm_within_ms + ANSWER_MARGIN_MS) / 1000)
            return future.result() if answered else ActuationResult(key, ActuationState.TIMED_OUT, "no_answer")
        finally:
            self._waiting.pop(key, None)

    async def _within(self, future: asyncio.Future[ActuationResult], limit_s: float) -> bool:
        """It was answered in this time, of which none counts in which this loop stood still."""
        loop = asyncio.get_running_loop()
        began_s, allowed_s, left_s = loop.time(), 0.0, limit_s
        while True:
            await asyncio.wait([future], timeout=left_s)
            held_s = self.busy(began_s, loop.time())
            if future.done() or held_s - allowed_s <= STOOD_STILL_S:
                return future.done()
            left_s, allowed_s = held_s - allowed_s, held_s
