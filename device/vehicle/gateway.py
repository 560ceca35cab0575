"""Reports the car and acts on it: databroker on one side, the session's messages on the other.

    on_actuate(Actuate | Halt) -> ledger -> policy with values read just now -> databroker -> sensors -> ActuationResult
    subscription -> observations -> VehicleState (what changed at most 5 times a second, everything once a second)

An adapter: `ledger.py`, `confirm.py`, `observations.py` and `vehicle_skills/policy.py` decide, this performs. Does not know
the link, the session or any skill. A request never outlives the databroker connection that it arrived under.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, assert_never

from ridealong.device.vehicle.audit import Audit
from ridealong.device.vehicle.halting import CANNOT
from ridealong.device.vehicle.ledger import (
    Ask,
    Effect,
    Forward,
    Judged,
    Ledger,
    Observed,
    Replied,
    Report,
    Requested,
    Tick,
    Write,
)
from ridealong.device.vehicle.ledger_file import LedgerFile
from ridealong.device.vehicle.observations import Observations
from ridealong.harness.skill import Confirmation, Motion, Provenance, Verdict
from ridealong.proto.types import (
    MAX_SIGNALS,
    Actuate,
    ActuationResult,
    ActuationState,
    Halt,
    Precondition,
    Samples,
    SignalReading,
    SignalValue,
    UplinkBody,
    VehicleState,
)
from ridealong.vehicle_skills.broker import Broker, BrokerAway, ReplyKind, SignalMeta, Update
from ridealong.vehicle_skills.fitting import Finding, compare
from ridealong.vehicle_skills.mapped_broker import MappedBroker, in_our_words
from ridealong.vehicle_skills.mapping import AS_IN_VSS_6, CarMapping
from ridealong.vehicle_skills.policy import GATE_AGE_MS, CarState, PolicyRequest, closing, decide, may_halt
from ridealong.vehicle_skills.signals import DRIVER_POSITION, GATE_PATHS, SIGNALS, TEMPERATURE_UNIT

log = logging.getLogger("ridealong.device.vehicle")

CHANGES_MS: Final = 200
FULL_MS: Final = 1_000
GATE_POLL_MS: Final = 200
TICK_MS: Final = 50
FIRST_RETRY_MS: Final = 250
LAST_RETRY_MS: Final = 2_000
WAITING_REQUESTS: Final = 32


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """`drive` ("left" or "right") and `temperature_unit` ("C" or "F") stand in where the databroker does not say."""

    drive: str | None = None
    temperature_unit: str | None = None
    mapping: CarMapping = AS_IN_VSS_6
    """Between our signals and this model of car's."""
    audit: Path | None = None
    """Where a row for every verdict goes."""


class Gateway:
    """`send` queues a message for the session and never blocks; `device_now` is the audio sample clock. Not thread-safe:
    everything happens on the running loop. Raises UserError at once when the ledger file cannot be used."""

    def __init__(
        self,
        broker: Broker,
        send: Callable[[UplinkBody], None],
        device_now: Callable[[], Samples],
        ledger_path: Path | None = None,
        settings: GatewaySettings = GatewaySettings(),  # noqa: B008 (frozen)
    ) -> None:
        self._mapping, self._send, self._device_now = settings.mapping, send, device_now
        self._unmapped = broker
        self._broker: Broker = broker if settings.mapping is AS_IN_VSS_6 else MappedBroker(broker, settings.mapping)
        fixed: dict[str, SignalValue] = {}
        if settings.drive is not None:
            fixed[DRIVER_POSITION] = settings.drive.upper()
        if settings.temperature_unit is not None:
            fixed[TEMPERATURE_UNIT] = settings.temperature_unit
        self.observations = Observations(fixed=fixed)
        self.ledger = Ledger()
        self._file = LedgerFile(ledger_path) if ledger_path is not None else None
        self._audit = Audit(settings.audit) if settings.audit is not None else None
        self._restored = self.ledger.restore(self._file.rows if self._file is not None else ())
        self._requests: asyncio.Queue[tuple[Requested, int]] = asyncio.Queue(WAITING_REQUESTS)
        self._gate_paths: tuple[str, ...] = ()
        self._findings: list[Finding] = []
        self.connections = 0
        """Counts connections to the databroker; a request belongs to the one that it arrived under."""
        self.live = False
        """The subscription is up and the current values are in."""
        self.refused_busy = 0

    # --- the session's side ---------------------------------------------------------------------------------------

    def on_actuate(self, order: Actuate | Halt) -> None:
        """Take a request; results come through `send`. What the car can't do exactly is asked for as near as it can."""
        if isinstance(order, Actuate):
            with suppress(ValueError):  # the databroker's refusal says so
                order = replace(order, writes=tuple(map(self._mapping.settled, order.writes)))
        request = Requested(order, self._now_ms(), self._device_now())
        try:
            self._requests.put_nowait((request, self.connections if self.live else -1))
        except asyncio.QueueFull:
            self.refused_busy += 1
            self._send(ActuationResult(order.key, ActuationState.REFUSED, "busy", (), request.device_now))

    async def run(self) -> None:
        """Until cancelled. The broker is closed by whoever opened it."""
        try:
            self._compact()
            await self._perform(self._restored)
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._stay_connected())
                tasks.create_task(self._serve_requests())
                tasks.create_task(self._report_state())
                tasks.create_task(self._tick())
                tasks.create_task(self._poll_gate())
        finally:
            self.live = False
            if self._file is not None:
                self._file.close()
                self._file = None

    # --- the car's side -------------------------------------------------------------------------------------------

    async def _stay_connected(self) -> None:
        retry_ms = FIRST_RETRY_MS
        while True:
            try:
                offered = await self._unmapped.list_metadata()
                ours = offered if self._mapping is AS_IN_VSS_6 else in_our_words(offered, self._mapping)
                served = {meta.path for meta in ours}
                paths = [path for path in SIGNALS if path in served]
                self._say_what_does_not_fit(offered)
                if not paths:
                    raise BrokerAway("the databroker serves none of our signals")
                self._gate_paths = tuple(path for path in GATE_PATHS if path in served)
                self.observations.connected()
                async with aclosing(self._broker.subscribe(paths)) as updates:
                    async for batch in updates:
                        if not self.live:
                            self.connections += 1
                            self.live = True
                            retry_ms = FIRST_RETRY_MS
                            log.info("connected to the databroker (%d signals)", len(paths))
                        await self._observe(batch)
                raise BrokerAway("the databroker ended the subscription")
            except BrokerAway as error:
                if self.live or retry_ms == FIRST_RETRY_MS:
                    log.warning("%s; trying again", error)
                self.live = False
            await asyncio.sleep(retry_ms / 1000)
            retry_ms = min(2 * retry_ms, LAST_RETRY_MS)

    def _say_what_does_not_fit(self, offered: Sequence[SignalMeta]) -> None:
        """As `ridealong car check` finds it; a databroker that comes back the same is not spoken of again."""
        findings = [one for one in compare(SIGNALS.values(), offered, (), self._mapping) if one.problem]
        if findings == self._findings:
            return
        self._findings = findings
        for one in findings:
            if one.blocks:
                log.warning("needed, and not as it must be: %s: %s", one.path, one.problem)
        if findings:
            log.warning("%d of %d signals are not as we use them; `ridealong car check` names all", len(findings), len(SIGNALS))

    async def _observe(self, updates: Sequence[Update]) -> None:
        at_ms = self._now_ms()
        for update in self.observations.take(updates, at_ms):
            await self._perform(self.ledger.on(Observed(update.path, update.value, at_ms, self._device_now())))

    async def _refresh_gate(self) -> None:
        """Read the gate values: a databroker may announce changes only, and a stamp that moves is the sign of life."""
        with suppress(BrokerAway):  # the values age, and the policy refuses what old values do not permit
            await self._observe(await self._broker.read(self._gate_paths))

    async def _before(self, order: Actuate | Halt) -> dict[str, SignalValue | None]:
        """What its signals show. Where something is to be halted, as they are read now: nothing, where they can't be."""
        watched = self.ledger.watched(order)
        if isinstance(order, Halt):
            try:
                await self._observe(await self._broker.read(watched))
            except BrokerAway:
                return {}
        return {path: self.observations.value(path) for path in watched}

    async def _poll_gate(self) -> None:
        async for _ in _every(GATE_POLL_MS):
            if self.live:
                await self._refresh_gate()

    async def _tick(self) -> None:
        async for _ in _every(TICK_MS):
            if self.ledger.open:
                await self._perform(self.ledger.on(Tick(self._now_ms(), self._device_now())))

    async def _report_state(self) -> None:
        turn = 0
        async for _ in _every(CHANGES_MS):
            changed, self.observations.changed = self.observations.changed, set()
            full = turn % (FULL_MS // CHANGES_MS) == 0
            turn += 1
            if full or changed:
                readings = self.observations.readings(self._now_ms(), None if full else changed)
                if readings and self.connections:  # a car that was never seen is not reported at all
                    self._send(VehicleState(self._device_now(), readings[:MAX_SIGNALS]))

    # --- requests -------------------------------------------------------------------------------------------------

    async def _serve_requests(self) -> None:
        """One after the other: two requests for one window are forwarded in the order in which they came."""
        while True:
            request, connection = await self._requests.get()
            await self._perform(self.ledger.on(request), connection)

    async def _perform(self, effects: Sequence[Effect], connection: int = -1) -> None:
        for effect in effects:
            match effect:
                case Write(row=row):
                    if not await self._durable(row) and not row.state.final:
                        lost = Judged(row.key, Verdict(False, "not_durable"), {}, self._now_ms(), self._device_now())
                        await self._perform(self.ledger.on(lost), connection)
                        return  # what follows in the list stands on this row
                case Report(result=result):
                    if result.state is ActuationState.REFUSED:
                        log.info("actuation refused: %s", result.reason)
                    self._send(result)
                case Ask(order=order):
                    await self._refresh_gate()
                    before = await self._before(order)
                    verdict = self._judge(order, connection)
                    if self._audit is not None:
                        self._audit.verdict(order, CarState.read(self._read), verdict, self._device_now())
                    judged = Judged(
                        key=order.key,
                        verdict=verdict,
                        before=before,
                        at_ms=self._now_ms(),
                        device_now=self._device_now(),
                    )
                    await self._perform(self.ledger.on(judged), connection)
                case Forward(key=key, writes=writes):
                    reply = await self._broker.actuate(writes)
                    refusal = "" if reply.kind is ReplyKind.FORWARDED else reply.kind.value
                    if refusal:
                        log.warning("the databroker did not forward: %s", refusal)
                    await self._perform(self.ledger.on(Replied(key, refusal, self._now_ms(), self._device_now())), connection)
                case _:
                    assert_never(effect)

    async def _durable(self, row: ActuationResult) -> bool:
        if self._file is None:
            return True
        try:
            await asyncio.get_running_loop().run_in_executor(None, self._file.append, row)
        except OSError as error:
            log.error("the actuation ledger cannot be written (%s)", error.strerror)
            return False
        return True

    def _compact(self) -> None:
        if self._file is None:
            return
        try:
            self._file.compact(self.ledger.closed.values())
        except OSError as error:  # the long one is as good
            log.warning("the actuation ledger cannot be made shorter (%s)", error.strerror)

    def _judge(self, order: Actuate | Halt, connection: int) -> Verdict:
        """The last word, on values of this moment."""
        if not self.live or connection != self.connections:
            return Verdict(False, ReplyKind.NO_VEHICLE.value)
        if isinstance(order, Halt):
            verdict = may_halt(_provenance(order.provenance))
            return verdict if not verdict.allowed or self._is_exact(order) else Verdict(False, CANNOT)
        verdict = decide(
            PolicyRequest(
                group=order.group,
                provenance=_provenance(order.provenance),
                car=CarState.read(self._read),
                confirmation=_confirmation(order.confirmation),
                writes=order.writes,
                tier=_tier(order.tier),
                closes=closing(order.writes, self._read),
            )
        )
        if not verdict.allowed:
            return verdict
        return verdict if all(map(self._holds, order.preconditions)) else Verdict(False, "precondition")

    def _is_exact(self, order: Halt) -> bool:
        """A car that knows a few positions only would go on to the nearest."""
        travels = [path for path in self.ledger.watched(order) if SIGNALS[path].travels]
        return all(self._mapping.coarse(path) / 2 <= SIGNALS[path].tolerance for path in travels)

    def _holds(self, condition: Precondition) -> bool:
        """Unknown or old means no."""
        reading = self._read(condition.path)
        if (
            reading is None
            or reading.value is None
            or reading.age_ms > (GATE_AGE_MS if condition.path in GATE_PATHS else FULL_MS)
        ):
            return False
        value = reading.value
        if condition.equals is not None and (
            isinstance(condition.equals, bool) is not isinstance(value, bool) or value != condition.equals
        ):
            return False
        if condition.at_most is None:
            return condition.equals is not None
        bound = condition.at_most
        if isinstance(value, str | bool) or isinstance(bound, str | bool):
            return False
        return math.isfinite(value) and value <= bound

    def _read(self, path: str) -> SignalReading | None:
        return self.observations.reading(path, self._now_ms())

    @staticmethod
    def _now_ms() -> float:
        return asyncio.get_running_loop().time() * 1000


def _provenance(name: str) -> Provenance:
    try:
        return Provenance(name)
    except ValueError:
        return Provenance.UNKNOWN


def _confirmation(name: str) -> Confirmation:
    try:
        return Confirmation(name)
    except ValueError:
        return Confirmation.NONE


def _tier(name: str) -> Motion:
    """What is not known is the strictest."""
    try:
        return Motion(name)
    except ValueError:
        return Motion.PARKED


async def _every(period_ms: int) -> AsyncIterator[int]:
    """Absolute slots on the loop's clock: lateness never adds up, and slots missed in a pause are skipped."""
    loop = asyncio.get_running_loop()
    start, slot = loop.time(), 0
    while True:
        slot = max(slot + 1, math.ceil((loop.time() - start) * 1000 / period_ms))
        await asyncio.sleep(max(0.0, start + slot * period_ms / 1000 - loop.time()))
        yield slot
