"""What the agent loop may do in a session: begin acts and ask, as the local router does, for as long as its own request stands.

Each act becomes a work item of its own (policy, journal, confirmation, key), of the same words and speaker. Nothing is begun for a request
that was cancelled meanwhile, that a newer one has overtaken, or that is so old that the world has moved on.
Does not know the model, the loop, or what an act does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from ridealong.harness.skill import Call, Context, Match, Skill
from ridealong.harness.work import Execution
from ridealong.harness.work_items import Asked, WorkItems
from ridealong.proto.types import Samples, ms_from_samples

ACT_WITHIN_MS: Final = 12_000
"""After the words, by the device's clock; a model that thinks longer acts in another world than the one that was spoken of. So does a node that stood still."""
LANGUAGE_MODEL: Final = "language_model"
"""The capability under which the agent works and asks."""
Begin = Callable[[Asked, Match, Context], object]
AskIn = Callable[[Asked, str, Match | None, str, str], None]


class Lines(Protocol):
    """What was said in the session (talking.Talking)."""

    def lines(self, but: str) -> list[tuple[str, str]]: ...


class Asks(Protocol):
    """What `harness.agent.Agent` is to a session."""

    def skill(self, context: Context, session: Handover) -> Skill:
        """The work of one request."""


@dataclass(slots=True)
class Handover:
    """For one request. `part`: how many items came of it so far; its own is the first."""

    asked: Asked
    context: Context
    items: WorkItems
    talk: Lines
    begin: Begin
    question: AskIn
    device_now: Callable[[], Samples]
    part: int = 0

    def hand_over(self, call: Call, matches: Sequence[Match]) -> str:
        """Begin them, in order. The reason why none was begun, else ""."""
        if not self._stands(call.work_id):
            return "over"
        if ms_from_samples(Samples(self.device_now() - self.asked.at)) > ACT_WITHIN_MS:
            return "too_late"
        for match in matches:
            if not self._overtaken(match):
                self.begin(self._next(), match, self.context)
        return ""

    def ask(self, call: Call, question: str, match: Match | None) -> None:
        """One short question, by the capability that it is about, else by the model."""
        if self._stands(call.work_id):
            self.question(self._next(), question, match, LANGUAGE_MODEL, "ungrounded" if match is not None else "asked")

    def talked(self, call: Call) -> Sequence[tuple[str, str]]:
        return self.talk.lines(call.work_id)

    def _next(self) -> Asked:
        self.part += 1
        return replace(self.asked, part=self.part)

    def _stands(self, work_id: str) -> bool:
        item = self.items.all.get(work_id)
        return item is not None and item.execution is Execution.RUNNING

    def _overtaken(self, match: Match) -> bool:
        """A later request was for the same thing: "make it twenty" while the model still thought about "make it cosier"."""
        return any(
            item.capability == match.capability and item.intent_at > self.asked.at and _named(item.arguments) == _named(match.arguments)
            for item in self.items.all.values()
        )  # fmt: skip


def _named(arguments: Mapping[str, object]) -> dict[str, object]:
    """What a call is about, without how much."""
    return {name: value for name, value in arguments.items() if isinstance(value, str)}
