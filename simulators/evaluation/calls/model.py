"""Asks a language model for tool calls: behind the local router as the product does, or with the functions that a case brings.

Cases without functions go the product's way: the local router first, then the agent's loop with the skills as tools, every value grounded.
Functions of a case's own are sent as they are, its turns as the user's messages, in one request: what comes back is scored, nothing is run.
Does not know what would have been right.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random
from typing import Any, Final

from ridealong.cloud.config import LanguageModel
from ridealong.errors import UserError
from ridealong.harness.agent import prompt
from ridealong.harness.agent.agent import MAX_TOKENS, Performer, drive
from ridealong.harness.agent.endpoint import Endpoint, EndpointFault, Transport
from ridealong.harness.agent.grounding import Cabin, Sources
from ridealong.harness.agent.loop import Ask, AskBack, Event, GiveUp, HandOver, Loop, Run
from ridealong.harness.agent.prompt import Known
from ridealong.harness.agent.reply import read_completion
from ridealong.harness.agent.tools import Toolbox, offered, wire_name
from ridealong.harness.framing import frame
from ridealong.harness.registry import Registry
from ridealong.harness.router import AskBack as AskBackDecision
from ridealong.harness.router import Calls, Decision
from ridealong.harness.runner import LoopClock
from ridealong.harness.skill import Call, Context, Match
from ridealong.harness.tagged import Tags
from ridealong.simulators.evaluation.calls.cases import Case
from ridealong.simulators.evaluation.calls.matching import Made
from ridealong.simulators.evaluation.calls.routing import LocalRouting
from ridealong.vehicle_skills.car import drive_side, temperature_unit
from ridealong.vehicle_skills.pretended import NoWaiting, RecordingPort

HOPELESS: Final = {
    "no_key": "the environment variable that language_model.api_key_env names is empty",
    "denied": "it refuses the key",
    "quota": "its quota is used up",
    "rejected": "it rejects the request (does it know the model, and tools?)",
    "unreachable": "it cannot be reached",
}
"""Faults that no other case will be without."""
_TYPES: Final = {
    "dict": "object", "object": "object", "hashmap": "object", "hashtable": "object", "float": "number", "double": "number", "number": "number",
    "int": "integer", "integer": "integer", "long": "integer", "short": "integer", "byte": "integer", "bigint": "integer", "list": "array",
    "array": "array", "tuple": "array", "arraylist": "array", "queue": "array", "stack": "array", "set": "array", "bool": "boolean",
    "boolean": "boolean", "string": "string", "char": "string", "any": "string", "null": "null",
}  # fmt: skip
"""The leaderboard's names of types, in three languages, as JSON schema's."""


class ModelRouting(LocalRouting):
    """`faults`: requests without an answer, by reason; they count as no call. Raises UserError for what every request would meet."""

    def __init__(self, registry: Registry, settings: LanguageModel, tags: Tags) -> None:
        super().__init__(registry, tags)
        self.faults: Counter[str] = Counter()
        self._settings = settings
        self._endpoint = Endpoint(settings.base_url, settings.model, settings.api_key_env, settings.request_ms)

    def calls(self, case: Case, heard: Sequence[Sequence[tuple[str, str]]] | None = None) -> list[Made]:
        if not case.functions:
            return super().calls(case, heard)
        turns = case.turns if heard is None else ["\n".join(words for words, _ in turn) for turn in heard]
        return asyncio.run(self._by_functions(case, turns))

    def _elsewhere(self, words: str, locale: str, context: Context, port: RecordingPort) -> Decision | None:
        return asyncio.run(self._by_skills(words, locale, context, port))

    async def _by_skills(self, words: str, locale: str, context: Context, port: RecordingPort) -> Decision | None:
        tools = offered(self.registry, frame(words, locale), context.provenance)
        sources = Sources(
            words, locale, context.provenance, port.read, recent=context.recent, cabin=Cabin(temperature_unit, drive_side)
        )
        known = Known(words, words, locale, context.provenance, recent=context.recent)
        opening = prompt.opening(known, None, acts=any(skill.actuates for skill in tools))
        with ThreadPoolExecutor(1) as pool:
            clock = LoopClock()
            call = Call(words, words, words, locale, context.provenance, {}, port, clock)
            by_name = {skill.name: skill for skill in self.registry}
            until_ms = clock.now_ms() + self._settings.answer_within_ms
            performer = Noting(Transport(self._endpoint, pool), call, by_name, until_ms)
            end = await drive(Loop(Toolbox.of(tools, locale), sources), opening, performer)
        if isinstance(end, GiveUp):
            self._fault(end.reason)
        matches = (*performer.ran, *(end.matches if isinstance(end, HandOver) else ()))
        if isinstance(end, AskBack) and end.match is not None and not matches:
            return AskBackDecision(end.question, end.match)
        return Calls(matches) if matches else None

    async def _by_functions(self, case: Case, turns: Sequence[str]) -> list[Made]:
        names: dict[str, str] = {}
        for name in case.functions:
            names[wire_name(name, names)] = name
        tools = [
            {"type": "function", "function": {"name": wire, "description": case.descriptions.get(name, ""), "parameters": json_schema(case.functions[name])}}
            for wire, name in names.items()
        ]  # fmt: skip
        messages = [{"role": "user", "content": turn} for turn in turns]
        body: dict[str, object] = {"messages": messages, "tools": tools, "temperature": 0.0, "max_tokens": 4 * MAX_TOKENS}
        try:
            with ThreadPoolExecutor(1) as pool:
                transport = Transport(self._endpoint, pool)
                reply = await transport.complete(body, LoopClock(), self._settings.answer_within_ms, Random(case.id).random)
            answered = read_completion(reply)
        except EndpointFault as fault:
            self._fault(fault.reason)
            return []
        return [Made(names.get(call.name, call.name), call.arguments or {}) for call in answered.calls]

    def _fault(self, reason: str) -> None:
        if reason in HOPELESS:
            raise UserError(f"the language model at {self._settings.base_url} is of no use: {HOPELESS[reason]}; correct language_model in --config.")  # fmt: skip
        self.faults[reason] += 1


class Noting(Performer):
    """Keeps which readers were run, and lets none of them wait."""

    __slots__ = ("ran",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.ran: list[Match] = []

    async def perform(self, effect: Ask | Run) -> Event:
        if isinstance(effect, Ask):
            return await super().perform(effect)
        if not any(one.capability == effect.match.capability and one.arguments == effect.match.arguments for one in self.ran):
            self.ran.append(effect.match)
        quick = Performer(self.transport, replace(self.call, clock=NoWaiting()), self.skills, float("inf"))
        return await quick.perform(effect)


def json_schema(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The leaderboard's schema as JSON schema: its own names of types, and lists that do not say of what."""
    found: dict[str, Any] = {}
    for key, value in parameters.items():
        if key == "type" and isinstance(value, str):
            found[key] = _TYPES.get(value.lower(), "string")
        elif key == "properties" and isinstance(value, dict):
            found[key] = {name: json_schema(entry) for name, entry in value.items() if isinstance(entry, dict)}
        elif key == "items" and isinstance(value, dict):
            found[key] = json_schema(value)
        elif key != "optional":
            found[key] = value
    if found.get("type") == "array":
        found.setdefault("items", {})
    return found
