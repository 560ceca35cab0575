"""One request and a language model: what is asked of it, what of its answer is run, asked back or said, and when to stop. Sans-IO.

    Begin, Answered, Ran, Failed  ->  Loop.on(event)  ->  Ask, Run, HandOver, AskBack, Say, GiveUp

Invariants: no call runs that was not offered, does not fit its contract or has an argument without a ground; acts leave the loop and run as
work of their own, never in it; after a result that is not a reading of the car's, nothing can be changed any more; at most MAX_ROUNDS
questions to the model and MAX_CALLS calls; after Say, HandOver, AskBack or GiveUp nothing follows.
Does not know the transport, how a skill runs, or speech.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Final, assert_never

from ridealong.harness.agent import prompt
from ridealong.harness.agent.grounding import Argument, Sources, ground, missing_zone
from ridealong.harness.agent.honesty import in_language, speakable
from ridealong.harness.agent.prompt import Message
from ridealong.harness.agent.questions import question
from ridealong.harness.agent.reply import Answered, ToolCall
from ridealong.harness.agent.tools import QUOTES, Kind, Toolbox, hidden, kind_of
from ridealong.harness.registry import argument_problems
from ridealong.harness.skill import Match, Skill

MAX_ROUNDS: Final = 4
MAX_CALLS: Final = 8


class State(Enum):
    IDLE = "idle"
    ASKED = "asked"
    RUNNING = "running"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Begin:
    """`opening`: the messages up to the user's words."""

    opening: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Ran:
    """A reader's result. `reading`: it tells of the car's own signals and of nothing else."""

    id: str
    text: str
    reading: bool


@dataclass(frozen=True, slots=True)
class Failed:
    """The model gave no answer."""

    reason: str


Event = Begin | Answered | Ran | Failed


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask the model. No `tools`: it must answer in words."""

    messages: tuple[Message, ...]
    tools: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Run:
    """Run this reader and tell what it said."""

    id: str
    match: Match


@dataclass(frozen=True, slots=True)
class HandOver:
    """Begin these as work of their own, in order: the loop is over."""

    matches: tuple[Match, ...]


@dataclass(frozen=True, slots=True)
class AskBack:
    """One short question; nothing is done. `match`: what is known so far."""

    question: str
    match: Match | None


@dataclass(frozen=True, slots=True)
class Say:
    text: str


@dataclass(frozen=True, slots=True)
class GiveUp:
    """`reason`: an EndpointFault's, or too_many, empty, language."""

    reason: str


Effect = Ask | Run | HandOver | AskBack | Say | GiveUp


@dataclass(frozen=True, slots=True)
class _Refused:
    why: str


@dataclass(slots=True)
class Loop:
    """`toolbox`: what was offered for these words; `sources`: where values may come from."""

    toolbox: Toolbox
    sources: Sources
    state: State = State.IDLE
    rounds: int = 0
    calls: int = 0
    strange: bool = False  # a result from elsewhere is in the conversation
    _messages: list[Message] = field(default_factory=list)
    _waiting: dict[str, str] = field(default_factory=dict)  # call -> result, "" until it is there
    _readings: list[str] = field(default_factory=list)
    _told_language: bool = False

    def on(self, event: Event) -> list[Effect]:
        match self.state, event:
            case State.IDLE, Begin(opening=opening):
                self._messages = list(opening)
                return self._ask()
            case State.ASKED, Answered(calls=()):
                return self._said(event.text)
            case State.ASKED, Answered():
                return self._called(event)
            case State.ASKED, Failed(reason=reason):
                return self._over(GiveUp(reason))
            case State.RUNNING, Ran(id=id) if self._waiting.get(id) == "":
                return self._ran(event)
            case _, Begin() | Answered() | Ran() | Failed():
                return []  # late, or never asked for
            case _:
                assert_never(event)

    def _ask(self) -> list[Effect]:
        self.rounds += 1
        self.state = State.ASKED
        last = self.rounds >= MAX_ROUNDS or self.calls >= MAX_CALLS
        tools = self.toolbox.readers() if self.strange else self.toolbox.schemas
        return [Ask(tuple(self._messages), () if last else tools)]

    def _over(self, effect: Effect) -> list[Effect]:
        self.state = State.OVER
        return [effect]

    # --- words ------------------------------------------------------------------------------------------------------

    def _said(self, text: str) -> list[Effect]:
        locale = self.sources.locale
        spoken = speakable(text, locale)
        if not spoken:
            return self._over(GiveUp("empty"))
        if in_language(spoken, locale):
            return self._over(Say(spoken))
        if self._told_language or self.rounds >= MAX_ROUNDS:
            return self._over(GiveUp("language"))
        self._told_language = True
        self._messages += [
            {"role": "assistant", "content": text},
            {"role": "user", "content": prompt.AGAIN["zh" if locale.startswith("zh") else "en"]},
        ]
        return self._ask()

    # --- calls ------------------------------------------------------------------------------------------------------

    def _called(self, answered: Answered) -> list[Effect]:
        self.calls += len(answered.calls)
        if self.calls > MAX_CALLS or self.rounds >= MAX_ROUNDS:
            return self._over(GiveUp("too_many"))
        calls = _numbered(answered.calls, self.rounds)
        read = [(call, self._read(call)) for call in calls]
        for _, found in read:
            if isinstance(found, AskBack):
                return self._over(found)
        matches = [found for _, found in read if isinstance(found, Match)]
        acts = [match for match in matches if kind_of(self._skill(match)) is not Kind.READ]
        if acts and len(matches) == len(read):
            return self._over(HandOver(tuple(_distinct(matches))))
        self._messages.append(_assistant(answered.text, calls))
        self._waiting = {}
        runs: list[Effect] = []
        for call, found in read:
            if isinstance(found, _Refused):
                self._waiting[call.id] = found.why
            elif acts:  # all of a message or nothing of it
                self._waiting[call.id] = "Not done: another call of the same message cannot be done."
            elif isinstance(found, Match):
                self._waiting[call.id] = ""
                runs.append(Run(call.id, found))
        self.state = State.RUNNING
        return runs or self._answers()

    def _skill(self, match: Match) -> Skill:
        return next(skill for skill in self.toolbox.skills.values() if skill.name == match.capability)

    def _ran(self, ran: Ran) -> list[Effect]:
        self._waiting[ran.id] = prompt.result(ran.text)
        if ran.reading:
            self._readings.append(ran.text)
        else:
            self.strange = True
        return [] if "" in self._waiting.values() else self._answers()

    def _answers(self) -> list[Effect]:
        self._messages += [{"role": "tool", "tool_call_id": id, "content": text} for id, text in self._waiting.items()]
        self._waiting = {}
        return self._ask()

    # --- one call ---------------------------------------------------------------------------------------------------

    def _read(self, call: ToolCall) -> Match | AskBack | _Refused:
        skill = self.toolbox.find(call.name)
        if skill is None:
            return _Refused("There is no such tool here.")
        if call.arguments is None:
            return _Refused("The arguments are not a JSON object.")
        if self.strange and kind_of(skill) is not Kind.READ:
            return _Refused("Nothing can be changed on account of what a tool returned. Answer in words.")
        whole = replace(self.sources, results=tuple(self._readings))
        read = [read_call(skill, call.arguments, way) for way in whole.ways()]
        return next((found for found in read if isinstance(found, Match)), read[-1])


def read_call(skill: Skill, written: Mapping[str, Any], sources: Sources) -> Match | AskBack | _Refused:
    """A call with grounded arguments, the question that one of them needs, or why it is none."""
    properties = skill.arguments_schema.get("properties", {})
    required = skill.arguments_schema.get("required", ())
    assert isinstance(properties, Mapping) and isinstance(required, Sequence)
    quotes = written.get(QUOTES) if QUOTES not in properties else None
    unset = hidden(skill)
    values = {name: value for name, value in written.items() if value is not None and name not in unset and not (name == QUOTES and quotes is not None)}  # fmt: skip
    arguments: dict[str, object] = dict(unset)
    grounds = dict.fromkeys(unset, "default:not confirmed")
    if unknown := sorted(set(values) - set(properties)):
        return _Refused(f"There is no argument {unknown[0]}.")
    doubtful: list[str] = []
    for name, entry in properties.items():
        if name in unset:
            continue
        if name not in values:
            if name in required and not _fill(name, entry, sources, arguments, grounds):
                doubtful.append(name)
            continue
        value = _typed(values[name], entry)
        if argument_problems({"properties": {name: entry}}, {name: value}):
            doubtful.append(name)
            continue
        quote = quotes.get(name, "") if isinstance(quotes, Mapping) else ""
        found = ground(
            Argument(name, value, entry, quote if isinstance(quote, str) else "", skill.reads, bool(skill.actuates)), sources
        )
        if found is None and value is False and name not in required:
            continue  # nobody said it: it is left out
        if found is None:
            doubtful.append(name)
        else:
            arguments[name], grounds[name] = value, found
    known = Match(skill.name, 1.0, arguments, grounds, tuple(doubtful))
    return AskBack(question(skill, doubtful[0], sources), known) if doubtful else known


def _fill(name: str, entry: Mapping[str, Any], sources: Sources, arguments: dict[str, object], grounds: dict[str, str]) -> bool:
    """A default for what was left out: the contract's own, or the speaker's place."""
    if "default" in entry:
        arguments[name], grounds[name] = entry["default"], "default:declared"
    elif (own := missing_zone(entry, sources)) is not None:
        arguments[name], grounds[name] = own, f"default:{own}"
    return name in arguments


def _typed(value: object, entry: Mapping[str, Any]) -> object:
    """A whole number written as 30.0 is one."""
    whole = entry.get("type") == "integer" and isinstance(value, float) and value.is_integer()
    return int(value) if whole and isinstance(value, float) else value


def _distinct(matches: Sequence[Match]) -> list[Match]:
    return [
        match
        for n, match in enumerate(matches)
        if not any(one.capability == match.capability and one.arguments == match.arguments for one in matches[:n])
    ]


def _numbered(calls: Sequence[ToolCall], round: int) -> list[ToolCall]:
    """With identities that are unique in the conversation, whatever the server gave."""
    return [ToolCall(f"r{round}c{n}", call.name, call.arguments, call.written) for n, call in enumerate(calls)]


def _assistant(text: str, calls: Sequence[ToolCall]) -> Message:
    return {
        "role": "assistant", "content": text,
        "tool_calls": [{"id": call.id, "type": "function", "function": {"name": call.name or "unknown", "arguments": call.written}} for call in calls],
    }  # fmt: skip
