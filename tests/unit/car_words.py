"""Shared by the tests of what the product makes of words: its own router, grammar and tagger together, and what it does in a standing car."""

from __future__ import annotations

import asyncio
from functools import lru_cache

from ridealong.cloud.tagger import load_tagger
from ridealong.harness.router import AskBack, Calls, Decision, Router
from ridealong.harness.skill import Call, Context, Provenance, Recent
from ridealong.harness.slots.text import has_chinese
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.pretended import NoWaiting, RecordingPort, car_at

REGISTRY = builtin_registry()


@lru_cache
def router() -> TaggedRouter:
    return TaggedRouter(Router(REGISTRY), load_tagger())


def decide(text: str, *recent: Recent, port: RecordingPort | None = None) -> Decision:
    read = (port or RecordingPort(car_at(0), Provenance.DRIVER)).read
    context = Context(recent=recent, provenance=Provenance.DRIVER, read=read)
    return router().decide(text, "zh" if has_chinese(text) else "en", context, Provenance.DRIVER)


def acts(decision: Decision) -> list[str]:
    """The capabilities that it would change something with."""
    matches = decision.matches if isinstance(decision, Calls) else (decision.match,) if isinstance(decision, AskBack) else ()
    skills = [REGISTRY.get(match.capability) for match in matches if match is not None]
    return [skill.name for skill in skills if skill is not None and not skill.read_only]


def say(text: str, *recent: Recent) -> tuple[list[tuple[str, object]], str]:
    """What the car is told, and what is said, in a standing car."""
    port = RecordingPort(car_at(0), Provenance.DRIVER)
    decision = decide(text, *recent, port=port)
    if isinstance(decision, AskBack):
        return [], decision.question
    said = []
    for match in decision.matches if isinstance(decision, Calls) else ():
        skill = REGISTRY.get(match.capability)
        assert skill is not None
        locale = "zh" if has_chinese(text) else "en"
        call = Call("w", text, text, locale, Provenance.DRIVER, match.arguments, port, NoWaiting())
        said.append(asyncio.run(skill.run(call)).text)
    return [(write.path, write.value) for batch in port.sent for write in batch], " ".join(said)
