"""The replies of one session, from a finished item to what was heard of it: performs on items what the delivery core decides.

Finished work is offered, once its record is on the disk; at a boundary one reply is admitted; playback acknowledgments, cuts and withdrawals move its item along.
Decides only what matters (`important`), which conditions are broken and what can be found anew; all else is delivery.py's, and talking.py's after a cut.
Does not know how work is done, requests, or the link.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, assert_never

from ridealong.harness import delivery, work
from ridealong.harness.crowded import CROWDED, Crowded
from ridealong.harness.rest import BARELY, Why, heard_share
from ridealong.harness.said import Saying
from ridealong.harness.skill import Outcome, Skill
from ridealong.harness.talking import Talking
from ridealong.harness.validity import REVISED, UNCONDITIONAL, broken_condition
from ridealong.harness.work import Execution, WorkItem
from ridealong.harness.work_items import WorkItems
from ridealong.proto.types import PlaybackState, Samples, SignalReading, ms_from_samples

UNHEARD_AFTER_CUT_MS: Final = 10_000
"""So long after its reply was cut, who asks for the same again has only not heard that it was done."""
CUT: Final = frozenset({"stop", "corrected", "cut"})
MAX_CUTS: Final = 64
LONG_WORK_MS: Final = 5_000
"""A result that took this long is one that the user waited for: it matters, like what changed the car (rest.FATES)."""


class Records(Protocol):
    """What `writer.JournalWriter` is to us."""

    @property
    def down(self) -> bool: ...

    def afterwards(self, then: Callable[[bool], None]) -> None: ...


@dataclass(frozen=True, slots=True)
class Reply:
    """A result admitted to the conversation: polished, sanitised, to be restated in speech."""

    work_id: str
    text: str
    locale: str


class Replies:
    """One per session. `skill` finds one by its name, `read` a signal by its path; `gave_up(work_id, why)`: what was sent of it
    should be flushed; `loaded`: the driver
    is busy driving."""

    def __init__(
        self,
        items: WorkItems,
        skill: Callable[[str], Skill | None],
        read: Callable[[str], SignalReading | None],
        records: Records,
        may_speak: Callable[[str], None],
        gave_up: Callable[[str, Why], None],
        now: Callable[[], Samples],
        loaded: Callable[[], bool] = lambda: False,
    ) -> None:
        self._items, self._skill, self._read, self._gave_up, self._now = items, skill, read, gave_up, now
        self._loaded = loaded
        self._records, self._may_speak = records, may_speak
        self.crowded = Crowded()
        self._unrecorded: dict[str, delivery.Waiting] = {}
        self._machine = delivery.Delivery()
        self._unasked: dict[str, bool] = {}
        self._renewed: dict[str, delivery.Waiting] = {}  # of an item that is to be told anew: the reply that it replaces
        self.renew: Callable[[WorkItem], str | None] = lambda item: None
        """The item is asked for anew; returns the newer one's id. Set by whoever runs work."""
        self._cuts: OrderedDict[str, Samples] = OrderedDict()  # when a reply was cut that is not said any more by itself
        self.talking = Talking(items.all, self._machine, items.step, self._wait, self.withdraw, self._important, now)

    # --- from work --------------------------------------------------------------------------------------------------

    def unasked(self, work_id: str, *, urgent: bool) -> None:
        """This item is speech of our own accord: nobody waits for it. `urgent`: it is worth nothing later."""
        self._unasked[work_id] = urgent

    def knows(self, capability: str) -> bool:
        """It is a registered skill's, and not something that the harness only says."""
        return self._skill(capability) is not None

    def offer(self, work_id: str) -> None:
        """Hand a finished item's reply to delivery."""
        item = self._items.all[work_id]
        if not item.execution.over or not item.reply or item.execution is Execution.SUPERSEDED:
            return
        now = self._now()
        item = self._items.step(work_id, work.Offer(now))
        unasked = work_id in self._unasked
        urgent = self._unasked.pop(work_id, False)
        again = item.execution is Execution.COMPLETED
        skill = self._skill(item.capability)
        urgent = urgent or (skill is not None and skill.lasts_ms is not None)
        important = self._important(item) or (again and unasked)
        waiting = delivery.Waiting(
            work_id, item.reply, item.locale, item.intent_at, now, item.expires_at, again=again, important=important, unasked=unasked,
            urgent=urgent, first=item.capability == CROWDED,
        )  # fmt: skip
        if (older := self._renewed.pop(work_id, None)) is not None:
            waiting = older.renewed_by(waiting)
        if self._records.down and not self._claims_an_effect(item):
            return self._wait(waiting)
        self._unrecorded[work_id] = waiting
        self._records.afterwards(lambda on_disk: self._recorded(work_id, on_disk))

    def _recorded(self, work_id: str, on_disk: bool) -> None:
        """Everything up to the end of this work is on the disk, or can never be put there."""
        if self._release(work_id) and on_disk:
            self._may_speak(work_id)
        elif not on_disk and self._items.all[work_id].delivery is work.Delivery.PENDING:
            self.withdraw(work_id, "journal")

    def _release(self, work_id: str) -> bool:
        waiting = self._unrecorded.pop(work_id, None)
        if waiting is not None:
            self._wait(waiting)
        return waiting is not None

    def journal_failed(self) -> None:
        """While nothing can be recorded, what claims no change in the world is said all the same."""
        for work_id in list(self._unrecorded):
            if not self._claims_an_effect(self._items.all[work_id]) and self._release(work_id):
                self._may_speak(work_id)

    def _claims_an_effect(self, item: WorkItem) -> bool:
        skill = self._skill(item.capability)
        return item.execution is Execution.COMPLETED and skill is not None and bool(skill.actuates)

    def _wait(self, waiting: delivery.Waiting) -> None:
        self._apply(self._machine.on(delivery.ReplyReady(waiting)))

    def _important(self, item: WorkItem) -> bool:
        """What changed the car, or what the user waited for."""
        skill = self._skill(item.capability)
        awaited = ms_from_samples(Samples((item.done_at or self._now()) - item.intent_at)) >= LONG_WORK_MS
        return item.execution is Execution.COMPLETED and (awaited or (skill is not None and bool(skill.actuates)))

    # --- from the front-end and the device --------------------------------------------------------------------------

    def boundary(self, at: Samples, floor_free: bool, quiet_ms: float, in_touch: Samples | None) -> list[Reply]:
        """A reply may be taken now: at most one, which is being delivered from here on. `in_touch`: see delivery.Boundary."""
        broken = {work_id: why for work_id in self._machine.pending if (why := self._broken(work_id, at))}
        stale = frozenset(work_id for work_id, why in broken.items() if why != REVISED and self._renewable(work_id))
        invalid = frozenset(broken.keys() - stale)
        return self._apply(
            self._machine.on(delivery.Boundary(at, floor_free, quiet_ms, invalid, stale, in_touch, self._loaded(), self._held()))
        )

    def _broken(self, work_id: str, at: Samples) -> str:
        """What this reply depends on and is not so any more; "" while it may be said."""
        item = self._items.all.get(work_id)
        if item is None or item.done_at is None:
            return ""
        newest = self._items.intents.newest(work_id)
        if item.validity is UNCONDITIONAL and not newest:
            return ""
        return broken_condition(item.validity, newest, self._read, ms_from_samples(Samples(at - item.done_at)))

    def _renewable(self, work_id: str) -> bool:
        """Not where something was done with what it had found: another answer would contradict that."""
        item = self._items.all[work_id]
        skill = self._skill(item.capability)
        found_for_itself = item.outcome is Outcome.COMPLETED and work_id not in self._items.taken
        return found_for_itself and skill is not None and skill.renewable

    def _found_anew(self, older: delivery.Waiting, at: Samples) -> None:
        """Its item is withdrawn; the newer one's reply will take its place."""
        item = self._items.step(older.work_id, work.Withdraw(at, "renewed", older.heard))
        newer = self.renew(item)
        if newer is not None and self._items.all[newer].delivery is work.Delivery.NONE:
            self._renewed[newer] = older
            if len(self._renewed) > delivery.BACKLOG:
                self._renewed.pop(next(iter(self._renewed)))

    def _held(self) -> frozenset[str]:
        """One question after the other: while one waits for its answer, the others are not put."""
        asking = self._items.asking()
        if asking is None:
            return frozenset()
        waiting = (self._items.all.get(work_id) for work_id in self._machine.pending if work_id != asking.id)
        return frozenset(item.id for item in waiting if item is not None and item.outcome is Outcome.ASKS)

    def playback(self, work_id: str, state: PlaybackState, heard_text: str, at: Samples, why: Why | None) -> None:
        """What the device acknowledged of a reply's utterance ("": of one that is no reply). What fits nothing is counted and ignored."""
        match state:
            case PlaybackState.STARTED | PlaybackState.PROGRESS:
                event: delivery.Event = delivery.Rendered(work_id, at, heard_text)
            case PlaybackState.FINISHED:
                event = delivery.PlaybackFinished(work_id, heard_text, at)
            case PlaybackState.FLUSHED:
                event = delivery.PlaybackFlushed(work_id, heard_text, at, self.talking.meant(work_id, why or Why.DEVICE, at))
        self._apply(self._machine.on(event))

    def interrupted(self, why: Why, at: Samples, under_way: frozenset[str]) -> Saying | None:
        """The assistant was cut. `under_way`: replies of which something was sent; how much was heard of them is still to come.
        Returns the boundary of a reply that was cut before any of it was sent."""
        unsent = self.talking.cut_unsent(under_way, why, at)
        self._apply(self._machine.on(delivery.Interrupted(why, at, under_way)))
        return unsent

    def away(self) -> None:
        """The device has had no link for a while."""
        self._apply(self._machine.on(delivery.Away(self._now())))

    def withdraw(self, work_id: str, reason: str) -> None:
        """What is left of a reply will not be said: the user stopped it, or it no longer matters."""
        self._release(work_id)
        self._apply(self._machine.on(delivery.Withdraw(work_id, reason, self._now())))

    def unheard(self, identity: str) -> bool:
        """Of the act that was asked for last, by the request of this identity, the user doesn't know what came: it is under way, its reply is still to be
        said, or was cut within UNHEARD_AFTER_CUT_MS before enough of it was heard. Who asks for the same once more is told; it is not done twice."""
        acts = (item for item in reversed(self._items.all.values()) if self._acts(item))
        newest, items = next(acts, None), self._items.of(identity)
        return newest in items and any(self._unheard(item) for item in items if self._acts(item))

    def _unheard(self, item: WorkItem) -> bool:
        if not item.execution.over:
            return True
        if item.outcome not in (Outcome.COMPLETED, Outcome.UNKNOWN) or not item.reply:
            return False
        heard = item.heard
        if (told := self._machine.presenting) is not None and told.work_id == item.id:
            heard = told.heard_in_all(self._machine.heard_so_far)
        match item.delivery:
            case work.Delivery.NONE | work.Delivery.PENDING:
                return True
            case work.Delivery.DELIVERING:
                return heard_share(item.reply, heard) < BARELY
            case work.Delivery.WITHDRAWN if (cut_at := self._cuts.get(item.id)) is not None:
                lately = ms_from_samples(Samples(self._now() - cut_at)) <= UNHEARD_AFTER_CUT_MS
                return lately and heard_share(item.reply, heard) < BARELY
            case _:
                return False

    def _acts(self, item: WorkItem) -> bool:
        skill = self._skill(item.capability)
        return skill is not None and bool(skill.actuates)

    def tell_again(self, identity: str) -> None:
        """The same was asked for once more: what came of it is said now, where it was cut."""
        for item in self._items.of(identity):
            pending = self._machine.pending.get(item.id)
            if (pending is not None and pending.cut_at is not None) or (item.id in self._cuts and self._unheard(item)):
                self.talking.say_again(item.id)

    def keep_silent(self, work_id: str, reason: str) -> None:
        """This item has ended and somebody else says how: what it would have said is recorded, and withdrawn before it could be said."""
        item = self._items.all[work_id]
        if item.execution.over and item.reply and item.delivery is work.Delivery.NONE:
            self._unasked.pop(work_id, None)
            self._items.step(work_id, work.Offer(self._now()))
            self._items.step(work_id, work.Withdraw(self._now(), reason))

    def take_back(self, work_id: str, reason: str) -> None:
        """Withdraw, and where it is being said, have what was sent of it flushed."""
        telling = self._machine.presenting is not None and self._machine.presenting.work_id == work_id
        self.withdraw(work_id, reason)
        if telling:
            self._gave_up(work_id, Why.STOP)

    def withdraw_spoken(self, reason: str) -> bool:
        """The user said stop: whatever was being said, or had been cut and would be offered again, is dropped. True where something was."""
        offered = [reply.work_id for reply in self._machine.pending.values() if reply.cut_at is not None]
        for work_id in offered:
            self.withdraw(work_id, reason)
        if (telling := self._machine.presenting) is not None:
            self.take_back(telling.work_id, reason)
        return bool(offered) or telling is not None

    # --- from the delivery core -------------------------------------------------------------------------------------

    def _apply(self, effects: Sequence[delivery.Effect]) -> list[Reply]:
        replies: list[Reply] = []
        for effect in effects:
            match effect:
                case delivery.Admit(work_id=work_id, text=text, locale=locale, at=at):
                    self._items.step(work_id, work.Admit(at))
                    self.talking.said.close_work(frozenset({work_id}))
                    replies.append(Reply(work_id, text, locale))
                case delivery.Renew(reply=older, at=at):
                    self._found_anew(older, at)
                case delivery.Delivered(work_id=work_id, heard=heard, at=at, late=late):
                    if late:
                        self._items.step(work_id, work.Admit(at))
                    self._items.step(work_id, work.Played(at, heard))
                case delivery.Again(work_id=work_id, heard=heard, at=at):
                    self._items.step(work_id, work.Return(at, heard))
                case delivery.Expired(work_id=work_id, at=at):
                    self.crowded.lapsed(self._items.step(work_id, work.Expire(at)), at)
                case delivery.Withdrawn(work_id=work_id, reason=reason, heard=heard, at=at):
                    if reason in CUT:
                        self._cuts[work_id] = at
                        self._cuts.move_to_end(work_id)
                        if len(self._cuts) > MAX_CUTS:
                            self._cuts.popitem(last=False)
                    item = self._items.step(work_id, work.Withdraw(at, reason, heard))
                    if reason == "backlog":
                        self.crowded.on(item, at)
                case delivery.GivenUp(work_id=work_id):
                    self._gave_up(work_id, Why.LINK)
                case _:
                    assert_never(effect)
        return replies
