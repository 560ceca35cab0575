"""The ports that a skill is given for effects, in the car and elsewhere: behind four guards and the journal.

Refused without being sent: writes by work that was cancelled, for somebody who may not act, of signals that the skill did not
declare, with an explicit confirmation that nobody gave, or whose intent can't be put on the disk first. All that was answered
is kept, so that a claim can be compared with it: one write that is not confirmed is not made good by another that is.
What an effect has set going can be halted while the car has not answered: an effect of its own, under the same job (`halt`).
Does not know policies (the port behind it and the car judge) or speech.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from ridealong.harness.doing import HALTED
from ridealong.harness.permission import ELSEWHERE
from ridealong.harness.provenance import may_act
from ridealong.harness.runner import Job
from ridealong.harness.skill import Confirmation, Motion, Outcome, Provenance, Skill, Verdict
from ridealong.proto.types import ActuationResult, ActuationState, Precondition, Samples, SignalReading, SignalValue, SignalWrite

HALT: Final = "halt"
"""What the journal keeps as the value of each signal that was to be halted: where that was, the car says."""


CANNOT_HALT: Final = "cannot_halt"
"""The car's answer where nothing of it can be told to stop."""


def is_halt(writes: Sequence[SignalWrite]) -> bool:
    """These are what the journal keeps of a halt."""
    return bool(writes) and all(write.value == HALT for write in writes)


class CarPort(Protocol):
    """What a session offers: the car as signals, told who asks and under which key."""

    def read(self, path: str) -> SignalReading | None: ...

    def check(self, group: str, confirmation: Confirmation, provenance: Provenance, tier: Motion) -> Verdict: ...

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
        """One batch under one key, applied at most once, confirmed by the sensor value. Never raises for what the car does. `requested_at`: when it was
        asked for, by the device's clock, if that was not now."""

    def device_now(self) -> Samples:
        """The device's clock, from which an order's time to live counts."""

    def can_halt(self, writes: Sequence[SignalWrite]) -> bool:
        """Something of it travels, and can be told to stop where it is."""

    async def halt(self, key: str, of: str, provenance: Provenance, requested_at: Samples) -> ActuationResult:
        """What still moves of the actuation `of` stays where it is. At most once, and answered, as an actuation of its own."""


def declared(path: str, patterns: Sequence[str]) -> bool:
    """True where the path is one of the patterns; `*` stands for exactly one level."""
    levels = path.split(".")
    return any(
        len(levels) == len(wanted) and all(want in ("*", level) for want, level in zip(wanted, levels, strict=True))
        for wanted in (pattern.split(".") for pattern in patterns)
    )


def outside_contract(skill: Skill, provenance: Provenance) -> str:
    """Why the skill's own contract lets nobody, or not this speaker, have it act; "" where it does not say so."""
    if skill.confirmation is Confirmation.NEVER:
        return "never"
    return "" if skill.read_only or provenance in skill.by else "not_allowed_speaker"


@dataclass(slots=True)
class GuardedPort:
    """One a job. `record_intent` returns False when the intent could not be made durable."""

    port: CarPort
    job: Job
    provenance: Provenance
    confirmed: Confirmation
    record_intent: Callable[[str, str, Sequence[SignalWrite]], Awaitable[bool]]  # (work id, key, writes)
    record_result: Callable[[str, ActuationResult], None]
    effective: bool = False  # the car took something on
    done: bool = False  # the car confirmed something
    looked: bool = False  # something was read, and a value was there
    short: dict[Outcome, str] = field(
        default_factory=dict
    )  # how writes fell short of being confirmed, and why the first of each kind did
    unanswered: int = 0
    confirmed_values: dict[str, SignalValue] = field(default_factory=dict)  # what the car showed when it confirmed
    halted: bool = False  # what it had set going was stopped on its way, and stands still
    unstoppable: bool = False  # the car has said that it can't be
    halting: int = 0  # halts that are not answered
    _keys: int = 0
    _asked: list[tuple[SignalWrite, ...]] = field(default_factory=list)  # of the car, and not answered
    _sent: dict[str, tuple[SignalWrite, ...]] = field(default_factory=dict)  # of those, what has left for the car

    def read(self, path: str) -> SignalReading | None:
        reading = self.port.read(path)
        self.looked = self.looked or (reading is not None and reading.value is not None)
        return reading

    def check(self, group: str, confirmation: Confirmation) -> Verdict:
        if not self.job.skill.read_only and not may_act(self.provenance):
            return Verdict(False, "not_addressed")
        if reason := outside_contract(self.job.skill, self.provenance):
            return Verdict(False, reason)
        return self.port.check(group, confirmation, self.provenance, self.job.skill.motion)

    async def actuate(
        self,
        writes: Sequence[SignalWrite],
        *,
        group: str,
        confirmation: Confirmation = Confirmation.NONE,
        confirm_within_ms: int = 5_000,
        preconditions: Sequence[Precondition] = (),
    ) -> ActuationResult:
        reason = self._objection(writes, confirmation)
        if reason:
            return self._refused(reason)
        asked_at, asked = self.port.device_now(), tuple(writes)  # however long it takes to write it down

        async def send(key: str) -> ActuationResult:
            self._sent[key] = asked
            try:
                return await self.port.actuate(
                    key,
                    self.provenance,
                    writes,
                    group=group,
                    confirmation=confirmation,
                    confirm_within_ms=confirm_within_ms,
                    tier=self.job.skill.motion,
                    preconditions=tuple(preconditions),
                    requested_at=asked_at,
                )
            finally:
                del self._sent[key]

        self._asked.append(asked)
        try:
            return await self._journalled(writes, send, parks=True)
        finally:
            self._asked.remove(asked)

    @property
    def moves(self) -> bool:
        """Something that can be halted is on its way, or is about to be. Safe from other threads."""
        return not self.unstoppable and any(self.port.can_halt(writes) for writes in list(self._asked))

    async def halt(self, by: Provenance) -> None:
        """Whatever of that still moves stays where it is, for somebody who may act. The intents are on the disk before, the results recorded after;
        what became of the halted effects their own answers say."""
        if may_act(by):
            moving = [(key, writes) for key, writes in self._sent.items() if self.port.can_halt(writes)]
            await asyncio.gather(*(self._halt(key, writes, by) for key, writes in moving))

    async def _halt(self, of: str, writes: Sequence[SignalWrite], by: Provenance) -> None:
        key, asked_at = self._next_key(), self.port.device_now()
        self.halting += 1
        try:
            if not await self.record_intent(self.job.id, key, [SignalWrite(write.path, HALT) for write in writes]):
                return
            result = await self.port.halt(key, of, by, asked_at)
            self.halted = self.halted or result.state is ActuationState.CONFIRMED
            self.unstoppable = result.reason == CANNOT_HALT
            self.record_result(key, result)
        finally:
            self.halting -= 1

    def _next_key(self) -> str:
        self._keys += 1
        return f"{self.job.id}.{self._keys - 1}"

    async def perform(self, what: str, detail: str, do: Callable[[str], Awaitable[ActuationResult]]) -> ActuationResult:
        """See `skill.Effects`."""
        writes = (SignalWrite(what, detail),)
        reason = self._objection(writes, Confirmation.EXPLICIT) or self._too_fast()
        return self._refused(reason) if reason else await self._journalled(writes, do, parks=False)

    def _too_fast(self) -> str:
        """Why an effect elsewhere has to wait for a slower car; where no car is known, only what may be done in any does not."""
        tier = self.job.skill.motion
        if tier is Motion.ANY:
            return ""
        verdict = self.port.check(ELSEWHERE, Confirmation.EXPLICIT, self.provenance, tier)
        return "" if verdict.allowed else verdict.reason or "refused"

    async def _journalled(
        self, writes: Sequence[SignalWrite], do: Callable[[str], Awaitable[ActuationResult]], parks: bool
    ) -> ActuationResult:
        """The intent is on the disk before, the result recorded after. Where `do` is cancelled, what it did is not known."""
        key = self._next_key()
        try:
            recorded = await self.record_intent(self.job.id, key, writes)
        except asyncio.CancelledError:  # it may be on the disk by now, but nothing was sent
            self._refused("cancelled")
            self.record_result(key, ActuationResult(key, ActuationState.REFUSED, "cancelled"))
            raise
        if not recorded:
            return self._refused("journal")
        if self.job.stopping:  # meanwhile
            refusal = self._refused("cancelled")
            self.record_result(key, refusal)
            return refusal
        self.unanswered += 1
        self.job.parked += parks
        try:
            result = await do(key)
        finally:
            self.job.parked -= parks
        self.unanswered -= 1
        self._answered(result)
        self.effective = self.effective or result.state is not ActuationState.REFUSED
        if result.state is ActuationState.CONFIRMED:
            self.done = True
            self.confirmed_values |= {seen.path: seen.value for seen in result.observed if seen.value is not None}
        self.record_result(key, result)
        return result

    @property
    def was_halted(self) -> bool:
        """All that fell short did so because it was halted."""
        return self.halted and not self.unanswered and set(self.short.values()) == {HALTED}

    @property
    def contradiction(self) -> Outcome | None:
        """What a claim of success must be turned into, by the worst of all answers; None where it may stand."""
        if self.unanswered:
            return Outcome.UNKNOWN
        return next((outcome for outcome in (Outcome.UNKNOWN, Outcome.FAILED, Outcome.REFUSED) if outcome in self.short), None)

    @property
    def uncertain(self) -> bool:
        """Something was sent, and its effect is not known to be none."""
        return self.unanswered > 0 or self.effective

    def _objection(self, writes: Sequence[SignalWrite], confirmation: Confirmation) -> str:
        if self.job.stopping:
            return "cancelled"
        if not may_act(self.provenance):
            return "not_addressed"
        if not writes or not all(declared(write.path, self.job.skill.actuates) for write in writes):
            return "undeclared"
        if reason := outside_contract(self.job.skill, self.provenance):
            return reason
        if Confirmation.EXPLICIT in (confirmation, self.job.skill.confirmation) and self.confirmed is not Confirmation.EXPLICIT:
            return "needs_confirmation"
        return ""

    def _answered(self, result: ActuationResult) -> None:
        match result.state:
            case ActuationState.CONFIRMED:
                return
            case ActuationState.REFUSED:
                outcome = Outcome.REFUSED
            case ActuationState.CONTRADICTED:
                outcome = Outcome.FAILED
            case _:
                outcome = Outcome.UNKNOWN
        self.short.setdefault(outcome, result.reason)

    def _refused(self, reason: str) -> ActuationResult:
        refusal = ActuationResult(key="", state=ActuationState.REFUSED, reason=reason)
        self._answered(refusal)
        return refusal
