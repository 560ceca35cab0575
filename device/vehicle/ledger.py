"""Each actuation key is applied at most once, and its outcome is what the sensors said. Sans-IO: no clock, no files, no car.

    feed events  ->  Ledger.on(event)  ->  effects to perform, in order

    ACCEPTED -> FORWARDED -> CONFIRMED | CONTRADICTED | TIMED_OUT        any of the first two -> REFUSED

Invariants: at most one Forward per key, ever, across restarts: a Write is durable before the Ask behind it is answered, and
a key found open after a restart is closed as "outcome_unknown", never forwarded. Nothing is forwarded that is older than its time to
live, counted on the device clock from when it was asked for: what waited for a link, or on a link that stood still, is not done.

A Halt is such a key, too: what it writes is the position at which what it halts was seen as it was judged (halting.py). The halted key stays open until
the sensors show which of the two came about.

Does not know: the policy (it is told the verdict), how to reach a car, or where rows are kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, assert_never

from ridealong.device.vehicle.confirm import CONTRADICTIONS, Goal, begin, done, goal_of, observe, shortfall
from ridealong.device.vehicle.halting import HALTED, OVER, halting, held_up
from ridealong.harness.skill import Verdict
from ridealong.proto.types import (
    MAX_TTL_MS,
    MAX_WRITES,
    Actuate,
    ActuationResult,
    ActuationState,
    Halt,
    Samples,
    SignalReading,
    SignalValue,
    SignalWrite,
    ms_from_samples,
)

MAX_KEY_CHARS: Final = 200
MAX_CONFIRM_MS: Final = 30_000
OUTCOME_UNKNOWN: Final = "outcome_unknown"


@dataclass(frozen=True, slots=True)
class Requested:
    """`arrived_ms`: local monotonic time; `device_now`: the sample clock at that moment."""

    order: Actuate | Halt
    arrived_ms: float
    device_now: Samples


@dataclass(frozen=True, slots=True)
class Judged:
    """The row is durable, and this is the policy's answer on values read just now. `before`: those of the watched signals."""

    key: str
    verdict: Verdict
    before: Mapping[str, SignalValue | None]
    at_ms: float
    device_now: Samples


@dataclass(frozen=True, slots=True)
class Replied:
    """The databroker answered: `refusal` '' when it forwarded; OUTCOME_UNKNOWN when the connection broke while asking."""

    key: str
    refusal: str
    at_ms: float
    device_now: Samples


@dataclass(frozen=True, slots=True)
class Observed:
    path: str
    value: SignalValue | None
    at_ms: float
    device_now: Samples


@dataclass(frozen=True, slots=True)
class Tick:
    at_ms: float
    device_now: Samples


Event = Requested | Judged | Replied | Observed | Tick


@dataclass(frozen=True, slots=True)
class Write:
    """Make durable before anything that follows in the list."""

    row: ActuationResult


@dataclass(frozen=True, slots=True)
class Report:
    result: ActuationResult


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask the policy with values of this moment and answer with Judged."""

    order: Actuate | Halt


@dataclass(frozen=True, slots=True)
class Forward:
    """Send to the databroker once and answer with Replied."""

    key: str
    writes: tuple[SignalWrite, ...]


Effect = Write | Report | Ask | Forward


@dataclass(slots=True)
class _Open:
    """A key whose outcome is not yet known."""

    order: Actuate | Halt
    arrived_ms: float
    result: ActuationResult
    goals: tuple[Goal, ...] = ()
    asked: bool = False
    unsure: bool = False
    deadline_ms: float | None = None


@dataclass(slots=True)
class Ledger:
    max_open: int = 16
    max_closed: int = 4_096
    open: dict[str, _Open] = field(default_factory=dict)
    closed: OrderedDict[str, ActuationResult] = field(default_factory=OrderedDict)
    forgotten: int = 0
    repeated: int = 0

    def restore(self, rows: Iterable[ActuationResult]) -> list[Effect]:
        """Rows of earlier lives, oldest first. What was open may or may not have happened: it is closed, never repeated."""
        last: OrderedDict[str, ActuationResult] = OrderedDict()
        for row in rows:
            if row.key not in last or not last[row.key].state.final:
                last[row.key] = row
        effects: list[Effect] = []
        for key, row in last.items():
            if not row.state.final:
                row = ActuationResult(key, ActuationState.TIMED_OUT, OUTCOME_UNKNOWN, row.observed, row.at)
                effects += [Write(row), Report(row)]
            self._keep(row)
        return effects

    def on(self, event: Event) -> list[Effect]:
        match event:
            case Requested():
                return self._requested(event)
            case Judged():
                return self._judged(event)
            case Replied():
                return self._replied(event)
            case Observed(path=path, value=value, at_ms=at_ms):
                for entry in self.open.values():
                    entry.goals = tuple(observe(goal, value, at_ms) if goal.path == path else goal for goal in entry.goals)
                return self._settle(at_ms, event.device_now)
            case Tick(at_ms=at_ms):
                return self._settle(at_ms, event.device_now)
            case _:
                assert_never(event)

    def watched(self, order: Actuate | Halt) -> tuple[str, ...]:
        """The signals whose values `Judged.before` is to hold."""
        if isinstance(order, Actuate):
            return tuple(goal.path for goal in map(goal_of, order.writes))
        return tuple(goal.path for goal in self.open[order.of].goals) if order.of in self.open else ()

    def _requested(self, event: Requested) -> list[Effect]:
        order, now = event.order, event.device_now
        if not order.key or len(order.key) > MAX_KEY_CHARS:
            return [Report(ActuationResult(order.key[:MAX_KEY_CHARS], ActuationState.REFUSED, "bad_request", (), now))]
        known = self.closed.get(order.key) or (self.open[order.key].result if order.key in self.open else None)
        if known is not None:
            self.repeated += 1
            return [Report(known)]
        reason = self._unfit(order, now)
        if reason:
            return self._close(ActuationResult(order.key, ActuationState.REFUSED, reason, (), now))
        accepted = ActuationResult(order.key, ActuationState.ACCEPTED, "", (), now)
        self.open[order.key] = _Open(order, event.arrived_ms, accepted)
        return [Write(accepted), Report(accepted), Ask(order)]

    def _unfit(self, order: Actuate | Halt, now: Samples) -> str:
        if order.ttl_ms <= 0 or order.confirm_within_ms <= 0:
            return "bad_request"
        if isinstance(order, Actuate) and not 0 < len(order.writes) <= MAX_WRITES:
            return "bad_request"
        if _too_old(order, now) or ms_from_samples(now - order.requested_at) < -1_000:  # of the future: of another clock
            return "expired"
        if isinstance(order, Halt):  # never kept from acting by how much there is to do: at most one for each that is open
            halted = self.open.get(order.of)
            if halted is None or isinstance(halted.order, Halt):
                return OVER
            return "busy" if order.of in self._halting() else ""
        return "busy" if len(self.open) - len(self._halting()) >= self.max_open else ""

    def _halting(self) -> frozenset[str]:
        """The keys that an open halt is about."""
        return frozenset(entry.order.of for entry in self.open.values() if isinstance(entry.order, Halt))

    def _being_halted(self) -> frozenset[str]:
        """Those of them that the car was told: where it comes to rest decides, not where it passes."""
        return frozenset(entry.order.of for entry in self.open.values() if isinstance(entry.order, Halt) and entry.asked)

    def _judged(self, event: Judged) -> list[Effect]:
        entry = self.open.get(event.key)
        if entry is None or entry.asked:
            return []
        reason = "" if event.verdict.allowed else event.verdict.reason or "refused"
        waited_ms = event.at_ms - entry.arrived_ms
        if _too_old(entry.order, event.device_now) or waited_ms > min(entry.order.ttl_ms, MAX_TTL_MS):
            reason = "expired"
        if isinstance(entry.order, Halt):
            writes, goals, why_not = self._halted(entry.order, event.before)
            reason = reason or why_not
        else:
            writes, goals = entry.order.writes, tuple(map(goal_of, entry.order.writes))
        if reason:
            return self._close(ActuationResult(event.key, ActuationState.REFUSED, reason, (), event.device_now))
        entry.asked = True
        entry.goals = tuple(begin(goal, event.before.get(goal.path), event.at_ms) for goal in goals)
        return [Forward(event.key, writes)]

    def _halted(
        self, order: Halt, before: Mapping[str, SignalValue | None]
    ) -> tuple[tuple[SignalWrite, ...], tuple[Goal, ...], str]:
        """(what halts it, what must then be seen, why it can't be halted)."""
        halted = self.open.get(order.of)
        if halted is None or isinstance(halted.order, Halt) or not halted.asked:
            return (), (), OVER
        keys = list(self.open)
        later = [self.open[key] for key in keys[keys.index(order.of) + 1 :]]
        overtaken = frozenset(goal.path for other in later if other.asked for goal in other.goals)
        return halting(halted.order.writes, halted.goals, before, overtaken)

    def _replied(self, event: Replied) -> list[Effect]:
        entry = self.open.get(event.key)
        if entry is None or not entry.asked or entry.deadline_ms is not None:
            return []
        if event.refusal and event.refusal != OUTCOME_UNKNOWN:
            return self._close(ActuationResult(event.key, ActuationState.REFUSED, event.refusal, (), event.device_now))
        entry.deadline_ms = event.at_ms + min(entry.order.confirm_within_ms, MAX_CONFIRM_MS)
        if event.refusal:
            entry.unsure = True
            return self._settle(event.at_ms, event.device_now)
        entry.result = ActuationResult(event.key, ActuationState.FORWARDED, "", (), event.device_now)
        return [Report(entry.result), *self._settle(event.at_ms, event.device_now)]

    def _settle(self, at_ms: float, now: Samples) -> list[Effect]:
        """Close what the sensors confirm, and what has run out of time."""
        effects: list[Effect] = []
        for key, entry in list(self.open.items()):
            if entry.deadline_ms is None or key not in self.open or key in self._being_halted():
                continue
            observed = _observed(entry.goals, at_ms)
            if done(entry.goals, at_ms):
                effects += self._close(ActuationResult(key, ActuationState.CONFIRMED, "", observed, now))
                if isinstance(entry.order, Halt):
                    effects += self._has_halted(entry.order.of, entry.goals, at_ms, now)
            elif at_ms >= entry.deadline_ms:
                reasons = [reason for reason in (shortfall(goal, at_ms) for goal in entry.goals) if reason]
                against = [reason for reason in reasons if reason in CONTRADICTIONS]
                state = ActuationState.CONTRADICTED if against else ActuationState.TIMED_OUT
                reason = (against or [OUTCOME_UNKNOWN] if entry.unsure else against or reasons or ["still_moving"])[0]
                effects += self._close(ActuationResult(key, state, reason, observed, now))
        return effects

    def _has_halted(self, key: str, at_rest: tuple[Goal, ...], at_ms: float, now: Samples) -> list[Effect]:
        """Nothing of it is on its way any more: it has come about just so, or never will."""
        entry = self.open.get(key)
        if entry is None or not held_up(entry.goals, at_rest):
            return []
        if done(entry.goals, at_ms):
            return self._close(ActuationResult(key, ActuationState.CONFIRMED, "", _observed(entry.goals, at_ms), now))
        return self._close(ActuationResult(key, ActuationState.CONTRADICTED, HALTED, _observed(entry.goals, at_ms), now))

    def _close(self, result: ActuationResult) -> list[Effect]:
        self.open.pop(result.key, None)
        self._keep(result)
        return [Write(result), Report(result)]

    def _keep(self, result: ActuationResult) -> None:
        """A forgotten key is safe: whoever repeats it asks for what is far older than its time to live."""
        self.closed[result.key] = result
        while len(self.closed) > self.max_closed:
            self.closed.popitem(last=False)
            self.forgotten += 1


def _too_old(order: Actuate | Halt, now: Samples) -> bool:
    return ms_from_samples(now - order.requested_at) > min(order.ttl_ms, MAX_TTL_MS)


def _observed(goals: tuple[Goal, ...], at_ms: float) -> tuple[SignalReading, ...]:
    return tuple(
        SignalReading(goal.path, goal.last, round(at_ms - goal.observed_ms) if goal.observed_ms is not None else 0)
        for goal in goals
    )
