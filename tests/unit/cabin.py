"""Shared by the tests of the cabin's skills: what the grammar alone makes of words, and what a skill does in a car that obeys or does not."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ridealong.harness.following import followed
from ridealong.harness.meant import Meant
from ridealong.harness.router import AskBack, Calls, Router
from ridealong.harness.skill import Call, Confirmation, Context, Outcome, Provenance, Recent, Spoken, Verdict
from ridealong.harness.slots.text import has_chinese
from ridealong.proto.types import ActuationResult, ActuationState, Precondition, SignalReading, SignalValue, SignalWrite
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.pretended import NoWaiting, RecordingPort, car_at

REGISTRY = builtin_registry()
ROUTER = Router(REGISTRY)


def language(text: str) -> str:
    return "zh" if has_chinese(text) else "en"


def car(speed_kmh: float = 0.0, by: Provenance = Provenance.DRIVER, values: Mapping[str, SignalValue] = {}) -> RecordingPort:  # noqa: B006
    return RecordingPort(car_at(speed_kmh) | dict(values), by)


def context(*recent: Recent, port: RecordingPort | None = None, by: Provenance = Provenance.DRIVER) -> Context:
    return Context(recent, by, (port or car()).read)


def claimed(text: str, *recent: Recent, port: RecordingPort | None = None, by: Provenance = Provenance.DRIVER) -> Any:
    """[(capability, arguments), …], or "asks CAPABILITY", or the kind of what else was decided."""
    decision = ROUTER.decide(text, language(text), context(*recent, port=port, by=by), by)
    match decision:
        case Calls(matches):
            return [(one.capability, dict(one.arguments)) for one in matches]
        case AskBack(match=match):
            return f"asks {match.capability if match is not None else ''}".strip()
        case _:
            return type(decision).__name__


def question(text: str, *recent: Recent) -> str:
    decision = ROUTER.decide(text, language(text), context(*recent), Provenance.DRIVER)
    return decision.question if isinstance(decision, AskBack) else ""


def touches(text: str, *capabilities: str) -> bool:
    """The grammar makes a call, or a question, of one of these of the words."""
    decision = ROUTER.decide(text, language(text), context(), Provenance.DRIVER)
    found = decision.matches if isinstance(decision, Calls) else (decision.match,) if isinstance(decision, AskBack) else ()
    return any(one is not None and one.capability in capabilities for one in found)


def meant(
    capability: str, variant: str, text: str, *recent: Recent, port: RecordingPort | None = None
) -> list[dict[str, object]]:
    """The arguments of what a skill makes of a stretch that a tagger has found; of a question: what is known, and what is missing."""
    skill = REGISTRY.get(capability)
    assert skill is not None and skill.understand is not None
    found = skill.understand(Meant(variant, text, language(text), context(*recent, port=port), 0.9))
    return [{**one.arguments, **({"missing": one.missing} if one.missing else {})} for one in found]


def after(text: str, *recent: Recent, port: RecordingPort | None = None) -> Any:
    """What a short sentence changes of the call before it."""
    found = followed(text, language(text), context(*recent, port=port), REGISTRY.get)
    return [(one.capability, dict(one.arguments)) for one in found] if isinstance(found, tuple) else found


def recent(
    capability: str, outcome: Outcome = Outcome.COMPLETED, before: Mapping[str, SignalValue] = {}, **arguments: object
) -> Recent:  # noqa: B006
    shown = {path: SignalReading(path, value) for path, value in before.items()}
    return Recent(capability, arguments, outcome, 3_000, before=shown)


def run(
    capability: str,
    port: RecordingPort | StubbornCar,
    locale: str = "en",
    confirmation: Confirmation = Confirmation.NONE,
    by: Provenance = Provenance.DRIVER,
    **arguments: object,
) -> Spoken:
    skill = REGISTRY.get(capability)
    assert skill is not None
    if isinstance(port, RecordingPort):
        port.skill = skill
    call = Call("w", "", "", locale, by, arguments, port, NoWaiting(), confirmation=confirmation)
    return asyncio.run(skill.run(call))


def sent(port: RecordingPort | StubbornCar) -> list[tuple[str, SignalValue]]:
    return [(write.path, write.value) for batch in port.sent for write in batch]


@dataclass
class StubbornCar:
    """Takes every request and ends it as it is told; its sensors show what they show."""

    state: ActuationState
    values: dict[str, SignalValue]
    reason: str = ""
    sent: list[tuple[SignalWrite, ...]] = field(default_factory=list)

    def read(self, path: str) -> SignalReading | None:
        return SignalReading(path, self.values[path]) if path in self.values else None

    def check(self, group: str, confirmation: Confirmation) -> Verdict:
        return Verdict(True)

    async def actuate(
        self,
        writes: Sequence[SignalWrite],
        *,
        group: str,
        confirmation: Confirmation = Confirmation.NONE,
        confirm_within_ms: int = 5_000,
        preconditions: Sequence[Precondition] = (),
    ) -> ActuationResult:
        self.sent.append(tuple(writes))
        return ActuationResult("k", self.state, self.reason)
