"""What the assistant says of its own accord, held against a session's work: each utterance once, and only what was heard of it.

An adapter between sayings and items on one side and the witness on the other. A reply's own sentences stand on what was confirmed (conclusion.py);
whatever else was said beside them, by a front-end that words things itself, is looked at.
Does not know speech, playback, or how a correction reaches the conversation.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from typing import Final

from ridealong.harness.doing import WORK
from ridealong.harness.polish import sentences
from ridealong.harness.rest import position, without_lead
from ridealong.harness.said import Saying, State
from ridealong.harness.skill import TALK, Outcome, Skill
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.witness import Correction, Deed, Known, Witness
from ridealong.harness.work import Execution, WorkItem
from ridealong.proto.types import Samples, UtteranceId

CORRECTION: Final = "correction"
"""The capability under which a correction is spoken."""
STANDING: Final = frozenset({"timers", "watching", WORK, TALK})
"""Groups that do what they say within the session itself: their work is confirmed by being so."""
BOUND: Final = 64


@dataclass(slots=True)
class Candour:
    """`skill` finds one by its name, `confirmed` holds the ids of items of which something was confirmed."""

    items: Mapping[str, WorkItem]
    skill: Callable[[str], Skill | None]
    confirmed: Container[str]
    witness: Witness = field(default_factory=Witness)
    _seen: OrderedDict[UtteranceId, None] = field(default_factory=OrderedDict)

    def note(self, saying: Saying) -> None:
        """News of an utterance; it is looked at when the device has confirmed how much of it was heard."""
        if not saying.utterance or not saying.settled or saying.utterance in self._seen or saying.state is State.SPEAKING:
            return
        self._seen[saying.utterance] = None
        if len(self._seen) > BOUND:
            self._seen.popitem(last=False)
        text = without_lead(saying.text)
        heard = text if saying.state is State.FINISHED else text[: position(text, without_lead(saying.heard))]
        item = self.items.get(saying.work_id)
        reply = _bare(item.reply) if item is not None else ""
        own = [one for one in sentences(heard) if not (reply and _bare(one) in reply)]
        if own:
            self.witness.heard(" ".join(own), saying.at)

    def due(self, now: Samples) -> list[Correction]:
        """What is to be taken back aloud."""
        return self.witness.due([self._deed(item) for item in self.items.values()], now) if self.witness.waiting else []

    def _deed(self, item: WorkItem) -> Deed:
        said = [str(value) for value in item.arguments.values() if isinstance(value, str)]
        text = " ".join([item.request, item.words, item.capability.replace(".", " ").replace("_", " "), *said, item.reply])
        numbers = frozenset(number.value for number in find_numbers(item.reply, item.locale))
        return Deed(text, self._known(item), item.intent_at if item.done_at is None else item.done_at, numbers)

    def _known(self, item: WorkItem) -> Known:
        skill = self.skill(item.capability)
        standing, acts = skill is not None and skill.group in STANDING, skill is not None and bool(skill.actuates)
        if item.id in self.confirmed:
            return Known.CONFIRMED
        if not item.execution.over:
            return (
                Known.CONFIRMED if standing and item.execution is Execution.RUNNING else Known.UNDER_WAY if acts else Known.READ
            )
        if item.execution is not Execution.COMPLETED or item.outcome is not Outcome.COMPLETED:
            return Known.NOT_DONE if acts or standing else Known.READ
        return Known.CONFIRMED if standing else Known.READ


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())
