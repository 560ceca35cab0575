"""A databroker in this process, on the loop's clock: the `Broker` interface without a socket, and what the gRPC server serves.

Holds values with stamps, subscribers with bounded buffers, and the switches by which a test or a trip breaks things. Does
not know physics: whoever provides the actuators gives a `forward` callback.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from ridealong.proto.types import SignalValue, SignalWrite
from ridealong.vehicle_skills.broker import ActuateReply, BrokerAway, ReplyKind, SignalMeta, Update
from ridealong.vehicle_skills.signals import SIGNALS, SUNROOF_POSITION, DataType, Kind, Signal, fault, typed

SUBSCRIBER_BATCHES: Final = 64
WINDOW_COMMENT: Final = "0 = closed, 100 = open."


@dataclass(slots=True)
class Faults:
    """Switches for tests and trips; all off."""

    provider_absent: bool = False
    """Nobody claims the actuators."""
    refuse: ReplyKind | None = None
    """The databroker answers every actuation with this."""
    lost_actuation: bool = False
    """Forwarded, and then nothing moves."""
    lost_confirmation: bool = False
    """The car moves, but its actuators' values are not published."""
    late_confirmation_s: float = 0.0
    """How long after the car moved its actuators' values are published."""
    slow_s: float = 0.0
    """How long a forwarded actuation takes to be answered."""
    away: bool = False
    """The databroker is gone: subscriptions end, calls fail."""


def _confirms(signal: Signal) -> bool:
    """Its value shows what became of an actuation."""
    return bool(signal.group) or signal.path == SUNROOF_POSITION


@dataclass(slots=True)
class Subscription:
    """One reader's bounded buffer: the oldest batch goes first, and is counted."""

    paths: frozenset[str]
    batches: int
    pending: deque[tuple[Update, ...]] = field(default_factory=deque)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    dropped: int = 0
    ended: bool = False

    def offer(self, updates: Iterable[Update]) -> None:
        wanted = tuple(update for update in updates if update.path in self.paths)
        if not wanted:
            return
        while len(self.pending) >= max(1, self.batches):
            self.pending.popleft()
            self.dropped += 1
        self.pending.append(wanted)
        self.arrived.set()

    async def take(self) -> tuple[Update, ...] | None:
        """The next batch, or None when the databroker ended it."""
        while not self.pending:
            if self.ended:
                return None
            self.arrived.clear()
            await self.arrived.wait()
        return self.pending.popleft()


def meta_of(signal: Signal) -> SignalMeta:
    comment = WINDOW_COMMENT if signal.path.endswith("Window.Position") else ""
    return SignalMeta(signal.path, signal.type, signal.kind, signal.unit, comment, signal.low, signal.high, signal.allowed)


def foreign(path: str, value: SignalValue) -> Signal:
    """A signal outside our table that a script brings along: a sensor of the value's kind."""
    kinds: dict[type, DataType] = {bool: DataType.BOOLEAN, int: DataType.INT64, float: DataType.DOUBLE, str: DataType.STRING}
    return Signal(path, kinds[type(value)], Kind.SENSOR)


class SimBroker:
    """`forward` begins an actuation in whatever provides it. One event loop; not thread-safe."""

    def __init__(self, forward: Callable[[str, SignalValue], None], signals: dict[str, Signal] | None = None) -> None:
        self.signals: dict[str, Signal] = dict(SIGNALS if signals is None else signals)
        self.faults = Faults()
        self.stamp_base_ns = 0
        """What a server adds so that stamps read as wall time."""
        self.mirrors: list[Callable[[Sequence[tuple[str, SignalValue]]], None]] = []
        """Told of everything that is published."""
        self.forwarded: deque[tuple[SignalWrite, ...]] = deque(maxlen=256)
        """The latest batches that went to the provider."""
        self._forward = forward
        self._points: dict[str, Update] = {}
        self._late: deque[tuple[float, str, SignalValue]] = deque()
        self._subscriptions: list[Subscription] = []

    # --- the Broker interface -------------------------------------------------------------------------------------

    async def read(self, paths: Sequence[str]) -> tuple[Update, ...]:
        self._refuse_when_away()
        return tuple(self.point(path) for path in paths)

    async def subscribe(self, paths: Sequence[str]) -> AsyncGenerator[tuple[Update, ...], None]:
        self._refuse_when_away()
        subscription = self.open_subscription(paths, SUBSCRIBER_BATCHES)
        try:
            while (batch := await subscription.take()) is not None:
                yield batch
        finally:
            self.close_subscription(subscription)
        raise BrokerAway("the simulated databroker went away")

    async def actuate(self, writes: Sequence[SignalWrite]) -> ActuateReply:
        if self.faults.away:
            return ActuateReply(ReplyKind.NO_VEHICLE, "the simulated databroker is away")
        for write in writes:
            reply = self.check(write)
            if reply is not None:
                return reply
        if self.faults.refuse is not None:
            return ActuateReply(self.faults.refuse, "told to refuse")
        if self.faults.provider_absent:
            return ActuateReply(ReplyKind.NO_PROVIDER, "no provider claims it")
        if self.faults.slow_s:
            await asyncio.sleep(self.faults.slow_s)
            if self.faults.away:
                return ActuateReply(ReplyKind.OUTCOME_UNKNOWN, "the connection broke")
        self.hand_over(writes)
        return ActuateReply(ReplyKind.FORWARDED)

    async def list_metadata(self) -> tuple[SignalMeta, ...]:
        self._refuse_when_away()
        return tuple(meta_of(self.signals[path]) for path in sorted(self.signals))

    async def close(self) -> None:
        return None

    # --- the car's side, and the gRPC server's --------------------------------------------------------------------

    def point(self, path: str) -> Update:
        return self._points.get(path) or Update(path, None)

    def publish(self, values: Iterable[tuple[str, SignalValue]]) -> None:
        """New values of sensors and actuators, with one stamp; unknown paths become signals of their own. What is late comes with the first values that are
        published when it is due."""
        now_s = asyncio.get_running_loop().time()
        stamp_ns = self.stamp_base_ns + round(now_s * 1e9)
        values, updates = list(values), []
        shown = [*self._due(now_s), *(one for one in values if not self._comes_late(*one, now_s))]
        for path, value in shown:
            signal = self.signals.get(path)
            if signal is None:
                signal = self.signals[path] = foreign(path, value)
            if self.faults.lost_confirmation and _confirms(signal) and path in self._points:
                continue
            self._points[path] = Update(path, typed(signal, value), stamp_ns)
            updates.append(self._points[path])
        for subscription in self._subscriptions:
            subscription.offer(updates)
        for mirror in self.mirrors:
            mirror(values)

    def _comes_late(self, path: str, value: SignalValue, now_s: float) -> bool:
        """Its value is put aside until it is due: values after each other stay so."""
        signal = self.signals.get(path)
        late = self.faults.late_confirmation_s > 0 and signal is not None and _confirms(signal) and path in self._points
        if late:
            self._late.append((now_s + self.faults.late_confirmation_s, path, value))
        return late

    def _due(self, now_s: float) -> list[tuple[str, SignalValue]]:
        """All of it, where nothing is to be late any more."""
        count = sum(1 for due_s, _, _ in self._late if due_s <= now_s + 1e-9 or not self.faults.late_confirmation_s)
        return [(path, value) for _, path, value in (self._late.popleft() for _ in range(count))]

    def check(self, write: SignalWrite) -> ActuateReply | None:
        """What a databroker refuses by itself: no such signal, not an actuator, wrong type, out of range."""
        signal = self.signals.get(write.path)
        if signal is None:
            return ActuateReply(ReplyKind.UNKNOWN_SIGNAL, f"there is no {write.path}")
        if signal.kind is not Kind.ACTUATOR:
            return ActuateReply(ReplyKind.BAD_VALUE, f"{write.path} is not an actuator")
        reason = fault(signal, write.value)
        return ActuateReply(ReplyKind.BAD_VALUE, f"{write.path}: {reason}") if reason else None

    def hand_over(self, writes: Sequence[SignalWrite]) -> None:
        self.forwarded.append(tuple(writes))
        if not self.faults.lost_actuation:
            for write in writes:
                self._forward(write.path, write.value)

    def open_subscription(self, paths: Sequence[str], batches: int) -> Subscription:
        """The current values of all paths are its first batch."""
        subscription = Subscription(frozenset(paths), batches)
        subscription.offer([self.point(path) for path in paths])
        self._subscriptions.append(subscription)
        return subscription

    def close_subscription(self, subscription: Subscription) -> None:
        if subscription in self._subscriptions:
            self._subscriptions.remove(subscription)

    def go_away(self, away: bool = True) -> None:
        """The databroker disappears, or is there again."""
        self.faults.away = away
        if away:
            for subscription in self._subscriptions:
                subscription.ended = True
                subscription.pending.clear()
                subscription.arrived.set()

    def _refuse_when_away(self) -> None:
        if self.faults.away:
            raise BrokerAway("the simulated databroker is away")
