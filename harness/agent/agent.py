"""Runs the loop for one request: asks the endpoint, runs readers, hands acts to the session, and says the last words.

An adapter: a skill of the harness's own, so that its time limit, its cancellation and its reply are those of any work. Acts and questions
leave it through `Session`, where they go the way of the local router's calls: as items of their own, with policy, journal and confirmation.
Decides nothing itself. Does not know how requests are routed, or speech.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final, Protocol, assert_never

from ridealong.harness.agent import prompt
from ridealong.harness.agent.endpoint import Endpoint, EndpointFault, Transport
from ridealong.harness.agent.faults import fault
from ridealong.harness.agent.grounding import Cabin, Sources
from ridealong.harness.agent.loop import Ask, AskBack, Begin, Effect, Event, Failed, GiveUp, HandOver, Loop, Ran, Run, Say
from ridealong.harness.agent.prompt import Known, Talked
from ridealong.harness.agent.reply import read_completion
from ridealong.harness.agent.tools import Toolbox, offered
from ridealong.harness.framing import frame
from ridealong.harness.handover import LANGUAGE_MODEL
from ridealong.harness.observing import Observe, unobserved
from ridealong.harness.skill import Call, Context, Match, Outcome, Skill, Spoken
from ridealong.harness.slots.text import language
from ridealong.harness.snapshot import Snapshot

MAX_TOKENS: Final = 400
SPARE_MS: Final = 5_000
"""Beyond the loop's own limit, until the runner ends it."""


class Session(Protocol):
    """What a session does with what leaves the loop. Both are asked from the loop's thread, while the request's own work runs."""

    def hand_over(self, call: Call, matches: Sequence[Match]) -> str:
        """Begin them as the local router's calls are begun. A reason where none was (too_late, over), else ""."""

    def ask(self, call: Call, question: str, match: Match | None) -> None:
        """Ask as the local router asks, so that the answer completes it."""

    def talked(self, call: Call) -> Talked:
        """What was said before this request, as far as it was heard."""


@dataclass(frozen=True, slots=True)
class Agent:
    """One for all sessions. `within_ms` bounds a whole request, retries and readers with it. `images`: a picture may leave the node."""

    skills: Callable[[], Iterable[Skill]]
    endpoint: Endpoint
    executor: Executor | None = None
    within_ms: float = 20_000
    images: bool = False
    cabin: Cabin = field(default_factory=Cabin)
    observe: Observe = unobserved

    def skill(self, context: Context, session: Session) -> Skill:
        """The work of one request, found in this context."""

        async def run(call: Call) -> Spoken:
            return await self._answer(call, context, session)

        return Skill(
            LANGUAGE_MODEL, "asks the language model", run, lambda text, locale, context: None, "speech", {"type": "object"}, {},
            timeout_ms=round(self.within_ms) + SPARE_MS,
        )  # fmt: skip

    async def _answer(self, call: Call, context: Context, session: Session) -> Spoken:
        words = call.words or call.request
        snapshot = call.snapshot if isinstance(call.snapshot, Snapshot) else None
        spoken_in = language(words, call.locale)
        picture = prompt.newest_picture(snapshot, words, call.provenance, self.images)
        tools: Iterable[Skill] = self.skills()
        for said in (words, call.request):  # whichever of them is a question makes it one
            tools = offered(tools, frame(said, call.locale), call.provenance, acts=picture is None)
        reads = tuple(path for skill in tools for path in skill.reads if not skill.actuates)
        known = Known(words, call.request, spoken_in, call.provenance, snapshot, session.talked(call), context.recent, reads)
        sources = Sources(
            words, spoken_in, call.provenance, call.signals.read, snapshot.signals if snapshot else (), context.recent,
            prompt.heard_lines(known), cabin=self.cabin,
        )  # fmt: skip
        loop = Loop(Toolbox.of(tools, spoken_in), sources)
        acts = any(skill.actuates for skill in tools)
        end = await drive(loop, prompt.opening(known, picture, acts=acts), self._performer(call))
        return self._concluded(end, call, session, spoken_in)

    def _performer(self, call: Call) -> Performer:
        until_ms = call.clock.now_ms() + self.within_ms
        by_name = {skill.name: skill for skill in self.skills()}
        return Performer(Transport(self.endpoint, self.executor, self.observe, call.work_id), call, by_name, until_ms)

    def _concluded(self, end: HandOver | AskBack | Say | GiveUp, call: Call, session: Session, locale: str) -> Spoken:
        match end:
            case Say(text=text) if text.endswith(("?", "？")):  # whoever answers it means the model
                session.ask(call, text, None)
                return Spoken("", Outcome.COMPLETED, "asked")
            case Say(text=text):
                return Spoken(text)
            case AskBack(question=question, match=known):
                session.ask(call, question, known)
                return Spoken("", Outcome.COMPLETED, "asked")
            case HandOver(matches=matches):
                reason = session.hand_over(call, matches)
                return fault(reason, locale) if reason else Spoken("", Outcome.COMPLETED, "handed_over")
            case GiveUp(reason=reason):
                return fault(reason, locale)
            case _:
                assert_never(end)


@dataclass(slots=True)
class Performer:
    """Performs the loop's effects for one request, until `until_ms` of its clock."""

    transport: Transport
    call: Call
    skills: dict[str, Skill]
    until_ms: float
    random: Random = field(init=False)

    def __post_init__(self) -> None:
        self.random = Random(self.call.work_id)  # a replay waits as the first run did

    async def perform(self, effect: Ask | Run) -> Event:
        left_ms = self.until_ms - self.call.clock.now_ms()
        match effect:
            case Ask(messages=messages, tools=tools):
                body: dict[str, object] = {"messages": list(messages), "temperature": 0.0, "max_tokens": MAX_TOKENS}
                if tools:
                    body["tools"] = list(tools)
                try:
                    return read_completion(await self.transport.complete(body, self.call.clock, left_ms, self.random.random))
                except EndpointFault as found:
                    return Failed(found.reason)
            case Run(id=id, match=match):
                return await self._run(id, match, left_ms)
            case _:
                assert_never(effect)

    async def _run(self, id: str, match: Match, left_ms: float) -> Ran:
        """A reader, once; what goes wrong in it is told to the model as no more than that."""
        skill = self.skills[match.capability]
        reading = bool(skill.reads) and skill.rehearsable  # all that it knows are the car's own signals
        if left_ms <= 0:
            return Ran(id, "This took too long.", reading)
        call = replace(self.call, arguments=dict(match.arguments))
        try:
            async with asyncio.timeout(min(left_ms, skill.timeout_ms) / 1000):
                spoken = await skill.run(call)
        except TimeoutError:
            return Ran(id, "This took too long.", reading)
        except Exception:  # its text stays with it
            return Ran(id, "This did not work.", reading)
        return Ran(id, spoken.text if isinstance(spoken, Spoken) else "This did not work.", reading)


async def drive(loop: Loop, opening: Sequence[prompt.Message], performer: Performer) -> HandOver | AskBack | Say | GiveUp:
    """Until the loop is over."""
    left: deque[Effect] = deque(loop.on(Begin(tuple(opening))))
    while left:
        effect = left.popleft()
        if isinstance(effect, HandOver | AskBack | Say | GiveUp):
            return effect
        left.extend(loop.on(await performer.perform(effect)))
    return GiveUp("empty")
