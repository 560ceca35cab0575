"""Asks the local router: each turn of a case in the situation that the turns before it left behind.

The skills chosen are run against a recording port, so that "a bit more" and "no, make it twenty" find the car as it would be. Times
are those of a brisk conversation. Does not know what would have been right.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from ridealong.errors import UserError
from ridealong.harness.registry import Registry
from ridealong.harness.results import completed
from ridealong.harness.router import AskBack, Calls, ChitChat, Decision, Router
from ridealong.harness.skill import WORK, Call, Context, Match, Outcome, Provenance, Recent, Skill, Spoken
from ridealong.harness.tagged import Tags
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.proto.types import SignalReading, SignalValue
from ridealong.simulators.evaluation.calls.cases import Case, Situation
from ridealong.simulators.evaluation.calls.matching import Made
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.navigation.gazetteer import CENTRE
from ridealong.vehicle_skills.pretended import NoWaiting, RecordingPort, car_at

OURS_TOO: Final = frozenset({WORK})
"""Groups that a suite's writer is never told of: they are no tools."""
BETWEEN_TURNS_MS = 4_000.0
KEPT = 4
ROWS = {"row1": "Row1", "row2": "Row2"}


class LocalRouting:
    """The product's router and skills."""

    def __init__(self, registry: Registry, tags: Tags) -> None:
        self.registry, self._tags = registry, tags
        self._routers: dict[frozenset[str] | None, TaggedRouter] = {None: TaggedRouter(Router(registry), tags)}
        self._router = self._routers[None]
        self.parameters: Mapping[str, Mapping[str, object]] = {one.name: one.arguments_schema for one in registry}

    def calls(self, case: Case, heard: Sequence[Sequence[tuple[str, str]]] | None = None) -> list[Made]:
        """What the last turn leads to. `heard`: of each turn the utterances in its place, (words, locale). Raises UserError for a case with tools
        of its own."""
        if case.functions:
            raise UserError(
                f"case {case.id} brings functions of its own, which the local router does not know: give --router model, and a --config "
                "that names a language model."
            )
        self._router = self._of(case.tools)
        provenance = Provenance(case.situation.speaker)
        port = RecordingPort(car_of(case.situation), provenance)
        recent: tuple[Recent, ...] = ()
        made: list[Made] = []
        turns = heard if heard is not None else [[(words, case.locale)] for words in case.turns]
        for number, (words, locale) in ((number, said) for number, turn in enumerate(turns) for said in turn):
            context = Context(recent=recent, provenance=provenance, read=port.read)
            decision = self.decision(words, locale, context, port)
            new: list[Recent] = []
            before = {path: SignalReading(path, value) for path, value in port.values.items()}
            match decision:
                case Calls(matches, also):
                    found: list[Mapping[str, object]] = []
                    for match in matches:
                        arguments = completed(self._skill(match), match, found)
                        done = Spoken("", Outcome.REFUSED, "not_first")
                        if arguments is not None:
                            match = replace(match, arguments=arguments)
                            made += [Made(match.capability, arguments)] if number + 1 == len(turns) else []
                            done = self._run(match, words, locale, provenance, port)
                        found.append(done.gives)
                        recent_call = Recent(
                            match.capability, match.arguments, done.outcome, BETWEEN_TURNS_MS, gave=done.gives, before=before
                        )
                        new.append(recent_call)
                    asked = [one.decision.match for one in also if isinstance(one.decision, AskBack) and one.decision.match]
                    new += [Recent(one.capability, one.arguments, Outcome.ASKS, BETWEEN_TURNS_MS) for one in asked]
                case AskBack(_, match, _) if match is not None:
                    new.append(Recent(match.capability, match.arguments, Outcome.ASKS, BETWEEN_TURNS_MS))
            older = tuple(one._replace(asked_ms_ago=one.asked_ms_ago + BETWEEN_TURNS_MS) for one in recent)
            recent = (*reversed(new), *older)[:KEPT]
        return made

    def _of(self, tools: frozenset[str] | None) -> TaggedRouter:
        """The product's router with these skills alone."""
        if tools not in self._routers:
            some = Registry(skill for skill in self.registry if tools is None or skill.name in tools or skill.group in OURS_TOO)
            self._routers[tools] = TaggedRouter(Router(some), self._tags)
        return self._routers[tools]

    def decision(self, words: str, locale: str, context: Context, port: RecordingPort) -> Decision:
        """What is made of these words: the local router's decision, or, where it finds no skill, somebody else's."""
        decision = self._router.decide(words, locale, context, context.provenance)
        if isinstance(decision, ChitChat) and decision.kind in ("general", "unsupported"):
            return self._elsewhere(words, locale, context, port) or decision
        return decision

    def _elsewhere(self, words: str, locale: str, context: Context, port: RecordingPort) -> Decision | None:
        """What somebody else makes of words in which the local router finds nothing."""
        return None

    def _skill(self, match: Match) -> Skill:
        skill = self.registry.get(match.capability)
        assert skill is not None
        return skill

    def _run(self, match: Match, words: str, locale: str, by: Provenance, port: RecordingPort) -> Spoken:
        call = Call("eval", words, words, locale, by, match.arguments, port, NoWaiting())

        async def run() -> Spoken:
            return await self._skill(match).run(call)

        return asyncio.run(run())


def car_of(situation: Situation) -> dict[str, SignalValue]:
    """Raises UserError for a zone that no car here has."""
    values = car_at(situation.speed_kmh) | {
        vss.TRUNK_OPEN: situation.trunk_open,
        vss.LATITUDE: CENTRE[0],
        vss.LONGITUDE: CENTRE[1],
    }
    for zone, celsius in situation.temperature.items():
        row, side = _place(zone)
        values[vss.set_temperature(row, side)] = float(celsius)
    for zone, percent in situation.windows.items():
        row, side = _place(zone)
        values[vss.window_position(row, f"{side}Side")] = int(percent)
    return values


def _place(zone: str) -> tuple[str, str]:
    row, _, side = zone.partition(".")
    if row not in ROWS or side not in ("driver", "passenger"):
        raise UserError(f"situation: {zone!r} is no zone; there are row1.driver, row1.passenger, row2.driver, row2.passenger.")
    return ROWS[row], side.capitalize()
