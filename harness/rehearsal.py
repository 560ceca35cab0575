"""What a skill would probably say, without doing anything: so that the sound of it can be made ready.

A skill that declares itself `rehearsable` is run once against a car that answers at once and does as asked; nothing is sent, journalled or
said. A skill that would have to wait for anything else has no rehearsal. The sentence may turn out wrong: only the real result is spoken.

Does not know synthesis, sessions, or whether the words will be acted on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ridealong.harness.polish import polish
from ridealong.harness.port import declared
from ridealong.harness.skill import Call, Confirmation, Provenance, Skill, Verdict
from ridealong.harness.validity import Validity, broken_condition
from ridealong.proto.types import ActuationResult, ActuationState, Precondition, SignalReading, SignalWrite


class _WouldWait(Exception):
    """The rehearsal has come to something that takes time."""


@dataclass(slots=True)
class ObedientCar:
    """A `SignalPort` that reads the real car and writes to none: what is asked for is confirmed at once, unless the policy objects."""

    skill: Skill
    real: Callable[[str], SignalReading | None]
    policy: Callable[[str, Confirmation], Verdict]
    written: dict[str, SignalReading] = field(default_factory=dict)

    def read(self, path: str) -> SignalReading | None:
        return self.written.get(path) or self.real(path)

    def check(self, group: str, confirmation: Confirmation) -> Verdict:
        return self.policy(group, confirmation)

    async def actuate(
        self,
        writes: Sequence[SignalWrite],
        *,
        group: str,
        confirmation: Confirmation = Confirmation.NONE,
        confirm_within_ms: int = 5_000,
        preconditions: Sequence[Precondition] = (),
    ) -> ActuationResult:
        verdict = self.policy(group, confirmation)
        if not verdict.allowed or not all(declared(write.path, self.skill.actuates) for write in writes):
            return ActuationResult("", ActuationState.REFUSED, verdict.reason or "undeclared")
        if broken_condition(Validity(conditions=tuple(preconditions)), 0, self.read):
            return ActuationResult("", ActuationState.REFUSED, "precondition")
        observed = tuple(SignalReading(write.path, write.value, 0) for write in writes)
        self.written |= {reading.path: reading for reading in observed}
        return ActuationResult("", ActuationState.CONFIRMED, observed=observed)


class _NoTime:
    def now_ms(self) -> float:
        return 0.0

    async def sleep_ms(self, duration_ms: float) -> None:
        raise _WouldWait


def rehearse(
    skill: Skill, words: str, locale: str, provenance: Provenance, arguments: Mapping[str, object], confirmation: Confirmation,
    read: Callable[[str], SignalReading | None], check: Callable[[str, Confirmation], Verdict],
) -> str:  # fmt: skip
    """The sentence if all goes as asked; "" where that can't be known."""
    if not skill.rehearsable:
        return ""
    car = ObedientCar(skill, read, check)
    call = Call("rehearsal", words, words, locale, provenance, dict(arguments), car, _NoTime(), confirmation=confirmation)
    coroutine = skill.run(call).__await__()
    try:
        next(coroutine)
    except StopIteration as end:
        return polish(end.value.text)
    except Exception:  # whatever it is, it will show when the skill really runs
        return ""
    coroutine.close()
    return ""
