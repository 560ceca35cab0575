"""Shared by the understanding tests: a router over the built-in skills, and short forms of what it decided."""

from __future__ import annotations

from typing import Any

from ridealong.harness.router import AskBack, Calls, ChitChat, Decision, Nothing, Router
from ridealong.harness.skill import Context, Outcome, Provenance, Recent
from ridealong.proto.types import SignalReading, SignalValue
from ridealong.vehicle_skills.builtin import builtin_registry

ROUTER = Router(builtin_registry())


def context(*recent: Recent, provenance: Provenance = Provenance.DRIVER, **values: SignalValue) -> Context:
    signals: dict[str, SignalValue] = {"Vehicle.Cabin.DriverPosition": "LEFT"}
    signals |= {name.replace("__", "."): value for name, value in values.items()}
    return Context(recent, provenance, lambda path: SignalReading(path, signals[path]) if path in signals else None)


def recent(capability: str, outcome: Outcome = Outcome.COMPLETED, ago_ms: float = 4_000, **arguments: object) -> Recent:
    return Recent(capability, arguments, outcome, ago_ms)


def decide(text: str, locale: str, *before: Recent, **values: SignalValue) -> Decision:
    return ROUTER.decide(text, locale, context(*before, **values), Provenance.DRIVER)


def brief(decision: Decision) -> Any:
    """[(capability, arguments), …] or the kind of the decision."""
    match decision:
        case Calls(matches):
            return [(m.capability, dict(m.arguments)) for m in matches]
        case AskBack(question):
            return f"asks: {question}"
        case ChitChat(kind):
            return f"chitchat: {kind}"
        case Nothing(reason):
            return f"nothing: {reason}"


def addressed(text: str, locale: str) -> float:
    return ROUTER.addressed(text, locale, context())
