"""The ports that a skill is given for effects, in the car and elsewhere: behind four guards and the journal.

Refused without being sent: writes by work that was cancelled, for somebody who may not act, of signals that the skill did not
declare, with an explicit confirmation that nobody gave, or whose intent can't be put on the disk first. All that was answered
is kept, so that a claim can be compared with it: one write that is not confirmed is not made good by another that is.
Does not know policies (the port behind it and the car judge) or speech.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ridealong.harness.provenance import may_act
from ridealong.harness.runner import Job
from ridealong.harness.skill import Confirmation, Motion, Outcome, Provenance, Skill, Verdict
from ridealong.proto.types import ActuationResult, ActuationState, Precondition, SignalReading, SignalValue, SignalWrite


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
    ) -> ActuationResult:
        """One batch under one key, applied at most once, confirmed by the sensor value. Never raises for what the car does."""


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
    _keys: int = 0

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
        return await self._journalled(
            writes,
            lambda key: self.port.actuate(
                key,
                self.provenance,
                writes,
                group=group,
                confirmation=confirmation,
                confirm_within_ms=confirm_within_ms,
                tier=self.job.skill.motion,
                preconditions=tuple(preconditions),
            ),
            parks=True,
        )

    async def perform(self, what: str, detail: str, do: Callable[[str], Awaitable[ActuationResult]]) -> ActuationResult:
        """See `skill.Effects`."""
        writes = (SignalWrite(what, detail),)
        reason = self._objection(writes, Confirmation.EXPLICIT)
        return self._refused(reason) if reason else await self._journalled(writes, do, parks=False)

    async def _journalled(
        self, writes: Sequence[SignalWrite], do: Callable[[str], Awaitable[ActuationResult]], parks: bool
    ) -> ActuationResult:
        """The intent is on the disk before, the result recorded after. Where `do` is cancelled, what it did is not known."""
        key = f"{self.job.id}.{self._keys}"
        self._keys += 1
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
