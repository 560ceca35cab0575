"""What a skill is given of the world: signals, effects elsewhere, time, and the conversation. Interfaces, and the empty ones.

Does not know what is behind them (port.py guards them), or who calls.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ridealong.harness.permission import Confirmation, Verdict
from ridealong.proto.types import ActuationResult, Precondition, SignalReading, SignalWrite


class SignalPort(Protocol):
    """The outside world as named signals (VSS paths in a car). The only way for a skill to read or change it."""

    def read(self, path: str) -> SignalReading | None:
        """Last value that the device reported, with its present age, or None when it never did."""

    def check(self, group: str, confirmation: Confirmation) -> Verdict:
        """The cloud's own quick policy answer, for a refusal without a round trip. The device's is final."""

    async def actuate(
        self,
        writes: Sequence[SignalWrite],
        *,
        group: str,
        confirmation: Confirmation = Confirmation.NONE,
        confirm_within_ms: int = 5_000,
        preconditions: Sequence[Precondition] = (),
    ) -> ActuationResult:
        """One batch, applied at most once, confirmed by the sensor value. Never raises for what the car does. `preconditions` are judged in the
        car, on values of the moment at which it would act: what is unknown, old or otherwise means no (`precondition`)."""


class Effects(Protocol):
    """What changes the world elsewhere than in the car: guarded and journalled like an actuation, begun at most once."""

    async def perform(self, what: str, detail: str, do: Callable[[str], Awaitable[ActuationResult]]) -> ActuationResult:
        """`what` is one of the skill's `actuates`, `detail` what the journal keeps of it. `do(key)` is awaited after the intent is on
        the disk, and only with somebody's explicit yes; its result says what is known of the effect."""


class NoEffects:
    """Outside a session: refuses everything."""

    async def perform(self, what: str, detail: str, do: Callable[[str], Awaitable[ActuationResult]]) -> ActuationResult:
        from ridealong.proto.types import ActuationState

        return ActuationResult(key="", state=ActuationState.REFUSED, reason="no_session")


class Clock(Protocol):
    """Session time. In a replay it is virtual: sleep here, never with `asyncio.sleep` of your own."""

    def now_ms(self) -> float: ...

    async def sleep_ms(self, duration_ms: float) -> None: ...


class NoSignals:
    """The port of a session without a car: knows nothing, refuses everything."""

    def read(self, path: str) -> SignalReading | None:
        return None

    def check(self, group: str, confirmation: Confirmation) -> Verdict:
        return Verdict(False, "no_vehicle")

    async def actuate(
        self,
        writes: Sequence[SignalWrite],
        *,
        group: str,
        confirmation: Confirmation = Confirmation.NONE,
        confirm_within_ms: int = 5_000,
        preconditions: Sequence[Precondition] = (),
    ) -> ActuationResult:
        from ridealong.proto.types import ActuationState

        return ActuationResult(key="", state=ActuationState.REFUSED, reason="no_vehicle")


@dataclass(frozen=True, slots=True)
class LastSaid:
    """What the assistant said last. `rest` was cut off and not heard. `more`: something that was cut can still be gone on with.
    `settled`: the device has confirmed how much of everything that was cut was heard. `speaking`: it is being said."""

    text: str
    heard: str
    rest: str
    ended_ms_ago: float
    more: bool = False
    settled: bool = True
    speaking: bool = False


class Talk(Protocol):
    """The conversation as a skill may look at it and steer it."""

    def last(self) -> LastSaid | None: ...

    def repeat(self) -> str:
        """The text that was said last, heard or not; "" when nothing was. Its rest counts as asked for."""

    def go_on(self) -> str | None:
        """Go on with what was cut, else with what was kept. "": its rest will be said as the reply that it was. Text: say this. None: nothing is left."""

    def keep(self, rest: str, locale: str) -> None:
        """The rest of a text that is too long to be said at once: for "go on". Takes the place of an earlier one; "": nothing is left."""


class NoTalk:
    """The conversation of a call outside a session: nothing was said."""

    def last(self) -> LastSaid | None:
        return None

    def repeat(self) -> str:
        return ""

    def go_on(self) -> str | None:
        return None

    def keep(self, rest: str, locale: str) -> None:
        return None
