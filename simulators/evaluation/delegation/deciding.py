"""What becomes of an utterance: the product's own decision on its words, put into one of five ways.

Delegated is what leaves the front-end: a skill is called, a question is asked back for one, or the words are handed on as a request for
which there is no skill (the product then says that it can't, or asks its language model). Not delegated: answered directly, also by
saying its last words again, and nothing at all.
Does not know what would have been right.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, assert_never

from ridealong.harness.registry import Registry
from ridealong.harness.router import AskBack, Calls, ChitChat, Decision, Nothing
from ridealong.harness.skill import TALK, Context, LastSaid, Provenance
from ridealong.simulators.evaluation.calls.routing import LocalRouting
from ridealong.simulators.evaluation.delegation.utterances import Utterance
from ridealong.vehicle_skills.pretended import RecordingPort, car_at

SAID: Final = {"en": "The route is set.", "zh": "路线已经设好。"}
"""What the assistant said a little before, for "say that again"."""
SAID_MS_AGO: Final = 6_000.0


class Way(Enum):
    CALLED = "called"
    ASKED = "asked back"
    HANDED_ON = "handed on"
    DIRECT = "answered"
    NOTHING = "nothing"

    @property
    def delegated(self) -> bool:
        return self in (Way.CALLED, Way.ASKED, Way.HANDED_ON)


@dataclass(frozen=True, slots=True)
class Decided:
    """`detail`: the capabilities, the kind of chit-chat, or the reason for nothing. `acts`: one of the calls changes something."""

    utterance: Utterance
    way: Way
    detail: str
    acts: bool = False

    @property
    def right(self) -> bool:
        return self.way.delegated is self.utterance.external


def decided(utterance: Utterance, routing: LocalRouting, *, modelled: bool = False) -> Decided:
    """`modelled`: `routing` asks a language model for what the router hands on; what is then still handed on, it answered itself."""
    port = RecordingPort(car_at(0.0), Provenance.DRIVER)
    said = SAID[utterance.locale]
    context = Context(provenance=Provenance.DRIVER, read=port.read, said=LastSaid(said, said, "", SAID_MS_AGO))
    decision = routing.decision(utterance.text, utterance.locale, context, port)
    return _decided(utterance, decision, routing.registry, modelled)


def _decided(utterance: Utterance, decision: Decision, registry: Registry, modelled: bool) -> Decided:
    match decision:
        case Calls(matches=matches):
            skills = [skill for match in matches if (skill := registry.get(match.capability)) is not None]
            way = Way.DIRECT if all(skill.group == TALK for skill in skills) else Way.CALLED
            return Decided(utterance, way, " + ".join(skill.name for skill in skills), any(skill.actuates for skill in skills))
        case AskBack(match=match, reason=reason):
            return Decided(utterance, Way.ASKED, match.capability if match is not None else reason)
        case ChitChat(kind=kind):
            handed_on = kind in ("general", "unsupported") and not modelled
            return Decided(utterance, Way.HANDED_ON if handed_on else Way.DIRECT, kind)
        case Nothing(reason=reason):
            return Decided(utterance, Way.NOTHING, reason)
        case _:
            assert_never(decision)
