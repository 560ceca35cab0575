"""The work of one session as people speak of it, and what they ask of it: the implementation of `doing.Work`.

An adapter: it reads items, stops executions, takes replies back, and has a revision routed like any request; every claim about an item
is read from the item, so from what is journalled. Does not know sentences or how an item was chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import Final, overload

from ridealong.harness.doing import HALTED, JUST_NOW_MS, PARTLY, WORK, Doing, Stage
from ridealong.harness.executions import Begun, Executions
from ridealong.harness.framing import frame
from ridealong.harness.provenance import may_act, may_ask
from ridealong.harness.replies import Replies
from ridealong.harness.said import State
from ridealong.harness.skill import TALK, Provenance, Skill
from ridealong.harness.talking import JUDGED_WITHIN_MS
from ridealong.harness.work import Delivery, Execution, WorkItem
from ridealong.harness.work_items import Asked, WorkItems
from ridealong.proto.types import Samples, ms_from_samples, samples_from_ms

SPOKEN_OF_WITHIN_MS: Final = 300_000
"""Work that is over is spoken of for so long after it was asked for."""
MAX_SPOKEN_OF: Final = 16
NEWEST: Final = 64
"""So many items are looked through for those; what is not over is found however old it is."""
MAX_NAME: Final = 60

NOT_BEGUN: Final = Begun()
IN_CAR: Final = "Vehicle."
_Moment = tuple[Samples, tuple[WorkItem, ...], tuple[WorkItem, ...], dict[str, Begun]]
"""Now, the NEWEST items, newest first, those that are not over, oldest first, and how far these are."""


class _Lazy(Sequence[Doing]):
    """Looks like a tuple of `Doing`."""

    def __init__(self, look: Callable[[], tuple[Doing, ...]]) -> None:
        self._look = look

    @cached_property
    def _all(self) -> tuple[Doing, ...]:
        return self._look()

    @overload
    def __getitem__(self, which: int) -> Doing: ...

    @overload
    def __getitem__(self, which: slice) -> Sequence[Doing]: ...

    def __getitem__(self, which: int | slice) -> Doing | Sequence[Doing]:
        return self._all[which]

    def __len__(self) -> int:
        return len(self._all)


Revise = Callable[[WorkItem, str, bool, Asked], str | None]
"""(item, change, adds, asked) -> the id of the newer version, begun; None where nothing could be made of the change."""


class Working:
    """One per session. `skill` finds a skill by name; `revise` is set by whoever routes."""

    def __init__(
        self,
        items: WorkItems,
        executions: Executions,
        replies: Replies,
        skill: Callable[[str], Skill | None],
        now: Callable[[], Samples],
    ) -> None:
        self._items, self._executions, self._replies, self._skill, self._now = items, executions, replies, skill, now
        self._topics: dict[str, str] = {}
        self.revise: Revise = lambda item, change, adds, asked: None

    def asked_by(self, asked: Asked) -> Asker:
        """The port for one request."""
        return Asker(self, asked)

    # --- looking ----------------------------------------------------------------------------------------------------

    def doing(self) -> tuple[Doing, ...]:
        """Newest first. Safe from other threads."""
        return tuple(self._views(*self._of_this_moment()))

    def doing_when_asked(self) -> Sequence[Doing]:
        """As `doing`, of this moment; looked through and put into words only when somebody looks."""
        moment = self._of_this_moment()
        return _Lazy(lambda: tuple(self._views(*moment)))

    def _of_this_moment(self) -> _Moment:
        items, begun = self._items.all, self._executions.begun()
        not_over = tuple([item for work_id in begun if (item := items.get(work_id)) is not None])
        return self._now(), tuple(islice(reversed(items.values()), NEWEST)), not_over, begun

    def _views(
        self, now: Samples, newest: tuple[WorkItem, ...], not_over: tuple[WorkItem, ...], begun: dict[str, Begun]
    ) -> Iterator[Doing]:
        """Newest first: of the newest items, and of older ones those that are not over."""
        recent_from = now - samples_from_ms(SPOKEN_OF_WITHIN_MS)
        known = {item.id for item in newest}
        looked_at = chain(newest, (item for item in reversed(not_over) if item.id not in known))
        spoken_of = (
            item for item in looked_at if (item.intent_at >= recent_from or not item.execution.over) and self._spoken_of(item)
        )
        return (self._view(item, now, begun.get(item.id, NOT_BEGUN)) for item in islice(spoken_of, MAX_SPOKEN_OF))

    def one(self, id: str) -> Doing | None:
        item = self._items.all.get(id)
        return self._view(item, self._now(), self._executions.begun().get(id, NOT_BEGUN)) if item is not None else None

    def item(self, id: str) -> WorkItem | None:
        return self._items.all.get(id)

    def _spoken_of(self, item: WorkItem) -> bool:
        """Questions of ours, chat, the operations themselves, and what a newer version has replaced are no work."""
        skill = self._skill(item.capability)
        if skill is None:
            return not item.execution.over
        return skill.group not in (TALK, WORK) and not self._items.replaced(item)

    def _view(self, item: WorkItem, now: Samples, begun: Begun) -> Doing:
        skill = self._skill(item.capability)
        stage = _stage(item)
        left_ms = None
        if skill is not None and skill.lasts_ms is not None and stage.under_way:
            gone_ms = ms_from_samples(Samples(now - begun.started_at)) if begun.started_at is not None else 0.0
            lasts_ms = skill.lasts_ms(item.arguments)
            left_ms = max(0.0, lasts_ms - gone_ms) if lasts_ms is not None else begun.wakes_in_ms
        return Doing(
            item.id, item.capability, stage, _name(item, skill, "en"), _name(item, skill, "zh"), item.request, item.locale, item.arguments,
            self._kind(item.capability, skill), ms_from_samples(Samples(now - item.intent_at)), skill is not None and bool(skill.actuates),
            left_ms, begun.on_its_way, begun.moves, item.outcome, item.reason == PARTLY, item.reason == HALTED, item.reply,
        )  # fmt: skip

    def _kind(self, capability: str, skill: Skill | None) -> str:
        """What the registry says of this kind of work: its name and examples."""
        if capability not in self._topics:
            examples = [line for lines in skill.examples.values() for line in lines] if skill is not None else []
            if skill is not None and _about_anything(skill):
                examples = []
            name = capability.replace(".", " ").replace("_", " ")
            self._topics[capability] = "\n".join((name, skill.description if skill is not None else "", *examples))
        return self._topics[capability]

    # --- steering ---------------------------------------------------------------------------------------------------

    def asked_last(self) -> str:
        """What "never mind" means when nothing is being said: the newest request, if it is still under way and was made just now."""
        now, said = self._now(), self._replies.talking.said.last()
        if said is not None and (told := self._items.all.get(said.work_id)) is not None and told.execution.over:
            cut_just_now = said.state is State.CUT and ms_from_samples(Samples(now - said.at)) <= JUDGED_WITHIN_MS
            if said.state is State.SPEAKING or cut_just_now:
                return ""
        newest = next(iter(self.doing()), None)
        return newest.id if newest is not None and newest.stage.under_way and newest.asked_ms_ago <= JUST_NOW_MS else ""

    def set_going(self, silenced: bool) -> tuple[Doing, ...]:
        """What "stop" means in the car: what moves there, and what was to come; else, where it has not `silenced` anything, what was asked of the car
        just now."""
        acts = [one for one in self.doing() if one.stage.under_way and self._in_car(one.capability)]
        just_now = [one for one in acts if one.asked_ms_ago <= JUST_NOW_MS]
        if any(one.moves for one in acts):
            return tuple(one for one in acts if one.moves or (one in just_now and not one.on_its_way))
        return () if silenced else tuple(just_now)

    def _in_car(self, capability: str) -> bool:
        skill = self._skill(capability)
        return skill is not None and any(path.startswith(IN_CAR) for path in skill.actuates)

    def cancel(self, id: str, by: Provenance) -> None:
        item = self._items.all.get(id)
        if item is None:
            return
        if not item.execution.over:
            self._executions.call_off(id, by)
        elif item.delivery in (Delivery.PENDING, Delivery.DELIVERING):
            self._replies.take_back(id, "cancelled")
        self._replies.talking.said.close_work(frozenset({id}))

    def leave(self, id: str) -> None:
        self._executions.speak_for_itself(id)


@dataclass(frozen=True, slots=True)
class Asker:
    """`doing.Work` for one request: anybody may look; who may not ask steers nothing."""

    working: Working
    asked: Asked

    def doing(self) -> tuple[Doing, ...]:
        return self.working.doing()

    def one(self, id: str) -> Doing | None:
        return self.working.one(id)

    def cancel(self, id: str) -> bool:
        one, by = self.working.one(id), self.asked.provenance
        if not may_ask(by) or (one is not None and one.moves and not may_act(by)):
            return False
        self.working.cancel(id, by)
        return True

    def leave(self, id: str) -> None:
        if may_ask(self.asked.provenance):
            self.working.leave(id)

    def revise(self, id: str, arguments: Mapping[str, object]) -> str | None:
        item, change = self.working.item(id), str(arguments.get("change", ""))
        if item is None or not change or not may_ask(self.asked.provenance):
            return None
        return self.working.revise(item, change, arguments.get("adds") is True, self.asked)


def _about_anything(skill: Skill) -> bool:
    """Its examples name a matter ("buy milk") that is no more its own than any other."""
    properties = skill.arguments_schema.get("properties")
    return isinstance(properties, Mapping) and "text" in properties


def _stage(item: WorkItem) -> Stage:
    match item.execution:
        case Execution.QUEUED:
            return Stage.WAITING
        case Execution.RUNNING:
            return Stage.RUNNING
        case Execution.CANCELLING:
            return Stage.STOPPING
        case _:
            pass
    match item.delivery:
        case Delivery.PENDING:
            return Stage.READY
        case Delivery.DELIVERING:
            return Stage.TELLING
        case Delivery.DELIVERED:
            return Stage.TOLD
        case _:
            return Stage.SILENT


def _name(item: WorkItem, skill: Skill | None, locale: str) -> str:
    if skill is not None and skill.named is not None:
        return skill.named(item.arguments, locale)
    framing = frame(item.request, item.locale)
    words = framing.core or framing.text
    if len(words) > MAX_NAME:
        cut = words[:MAX_NAME]
        words = cut if framing.locale == "zh" else cut.rpartition(" ")[0] or cut
    if locale == "zh":
        return f"您说的“{words}”"
    if framing.locale == "zh":  # an English sentence has no place for it, and an English voice can't say it
        return "your question in Chinese" if framing.question else "what you asked for in Chinese"
    if framing.question:
        return f"your question, {words}"
    return f"the request to {_yours(words)}"


def _yours(words: str) -> str:
    """ "open my window" -> "open your window"."""
    swapped = {"my": "your", "me": "you", "mine": "yours", "i": "you", "our": "our"}
    return " ".join(swapped.get(word, word) for word in words.split())
