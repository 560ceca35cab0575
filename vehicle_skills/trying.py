"""Words against skills and a pretended car, for the tests of whoever writes a skill.

    tried = try_words("set the scent to thirty percent", SKILLS, speed_kmh=62)
    assert tried.sent == [("Vehicle.Cabin.Scent.Level", 30)]

The built-in skills are there too, so that a sentence of theirs is not taken away. What is decided is what a node decides from sentences as they are
written down; its tagger, which knows built-in skills alone, is left out. Does not know a session, a device, or a real car.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ridealong.harness import agreeing
from ridealong.harness.outside_words import OutsideWords
from ridealong.harness.router import AskBack, Calls, ChitChat, Decision, Router
from ridealong.harness.skill import Context, Outcome, Provenance, Recent, Skill
from ridealong.harness.slots.text import language
from ridealong.harness.small_talk import chitchat_sentence
from ridealong.proto.types import SignalValue
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.lint import trial
from ridealong.vehicle_skills.pretended import RecordingPort, car_at


@dataclass(frozen=True, slots=True)
class Tried:
    """`capability` "": no skill was chosen. `said` is what would be said; `sent` what the car would have been asked for, in order."""

    capability: str = ""
    arguments: Mapping[str, object] = field(default_factory=dict)
    said: str = ""
    outcome: Outcome | None = None
    reason: str = ""
    sent: tuple[tuple[str, SignalValue], ...] = ()


def try_words(
    words: str,
    skills: Iterable[Skill],
    *,
    speed_kmh: float = 0.0,
    by: Provenance = Provenance.DRIVER,
    locale: str | None = None,
    car: Mapping[str, SignalValue] | None = None,
    before: Tried | None = None,
) -> Tried:
    """`car`: values in place of the pretended car's. `before`: what the words follow on, such as our question, two seconds ago."""
    registry = builtin_registry()
    for skill in skills:
        registry.register(skill)
    port = RecordingPort(car_at(speed_kmh) | dict(car or {}), by)
    recent = (
        (Recent(before.capability, before.arguments, before.outcome, 2_000),) if before is not None and before.outcome else ()
    )
    context = Context(recent=recent, read=port.read, provenance=by)
    tongue = locale or language(words, "en")
    router = Router(registry)

    def again(rest: str) -> Decision:
        return router.decide(rest, tongue, context, by)

    match OutsideWords(registry)(again(words), words, tongue, again):
        case Calls(matches=(match, *_)):
            chosen = registry.get(match.capability)
            assert chosen is not None
            agreed = agreeing.confirmation(agreeing.asks(context, match.capability), words, tongue)
            spoken = asyncio.run(trial(chosen, match, words, tongue, port, agreed))
            sent = tuple((write.path, write.value) for batch in port.sent for write in batch)
            return Tried(match.capability, match.arguments, spoken.text, spoken.outcome, spoken.reason, sent)
        case AskBack(question=question, match=asked, reason=reason):
            name, arguments = (asked.capability, asked.arguments) if asked is not None else ("", {})
            return Tried(name, arguments, question, Outcome.ASKS, reason)
        case ChitChat(kind=kind):
            return Tried(said=chitchat_sentence(kind, tongue), reason=kind)
        case other:
            return Tried(reason=getattr(other, "reason", ""))
