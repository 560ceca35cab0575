"""The delegation harness of one session: text with spans in; work done; replies out, once, when they may be heard.

An adapter: it joins capture and snapshots to what becomes of a request (dispatch.py), of the work (executions.py) and of its reply
(replies.py), keeps their life within the session's, and decides nothing itself.
Does not know models, gRPC, the car, or speech. All calls come from the loop's thread; `feed`, `boundary` and `playback` never wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import assert_never

from ridealong.harness import work
from ridealong.harness.candour import CORRECTION, Candour
from ridealong.harness.capture import Capture, Delta, Rejected, Request, SpanOpened, TurnEnd, VisibleText, Whole
from ridealong.harness.crowded import CROWDED
from ridealong.harness.dispatch import Converse, Dispatch, Routes, Skills, says
from ridealong.harness.executions import Executions
from ridealong.harness.group_commit import GroupCommit
from ridealong.harness.handover import Asks
from ridealong.harness.journal import Journal
from ridealong.harness.observing import Observe, TurnedAway, Unwritten, unobserved
from ridealong.harness.places import Places
from ridealong.harness.port import CarPort
from ridealong.harness.provenance import may_ask
from ridealong.harness.reconciling import Reconciler
from ridealong.harness.remembering import Memory
from ridealong.harness.reminders import REMINDER, Reminders
from ridealong.harness.replies import Replies, Reply
from ridealong.harness.rest import Why
from ridealong.harness.said import Saying
from ridealong.harness.skill import Clock, Context, Provenance, Skill, Spoken
from ridealong.harness.slots.text import language
from ridealong.harness.snapshot import Evidence, Snapshot
from ridealong.harness.watches import Watches
from ridealong.harness.work import Execution, WorkItem
from ridealong.harness.work_items import Asked, WorkItems
from ridealong.harness.working import Working
from ridealong.harness.writer import JournalWriter
from ridealong.proto.types import ActuationResult, PlaybackState, Samples


@dataclass(frozen=True, slots=True)
class WorkChanged:
    item: WorkItem


@dataclass(frozen=True, slots=True)
class RequestRejected:
    """No work came of a request. Capture's reasons, the router's, or: provenance, duplicate, busy, session_over."""

    reason: str


@dataclass(frozen=True, slots=True)
class JournalFailed:
    """The journal can't be written: nothing will be actuated until it can. `kind` is the error's class."""

    kind: str


@dataclass(frozen=True, slots=True)
class GaveUp:
    """The rest of a reply that is being said will not be: flush what was sent of it. `why`: LINK where the device rendered nothing for too long,
    so that nothing more will be heard of it either."""

    work_id: str
    why: Why


@dataclass(frozen=True, slots=True)
class MaySpeak:
    """The result is on the disk: from now on its reply may be admitted."""

    work_id: str


HarnessEvent = WorkChanged | RequestRejected | JournalFailed | GaveUp | MaySpeak


class Harness:
    """One per session. `run` is a task's body; `close` ends it. `commits`: of all sessions with this journal; without it the session
    commits by itself. `places`: shared with the node's other sessions. `loaded`: the driver is busy driving, so that what can wait should.
    `device`: the id of the session's device, `reminders`: those that it keeps. `cut_off`: its earlier session, which ended with its node. `busy`: see runner.Runner.
    `memory`: what this device is asked to remember."""

    def __init__(
        self,
        session_id: str,
        registry: Skills,
        router: Routes,
        journal: Journal,
        signals: CarPort,
        clock: Clock,
        evidence: Evidence,
        emit: Callable[[HarnessEvent], None],
        now: Callable[[], Samples],
        *,
        commits: GroupCommit | None = None,
        converse: Converse | None = None,
        watches: Watches | None = None,
        agent: Asks | None = None,
        observe: Observe = unobserved,
        places: Places | None = None,
        loaded: Callable[[], bool] = lambda: False,
        device: str = "",
        cut_off: str = "",
        busy: Callable[[float, float], float] = lambda from_s, to_s: 0.0,
        memory: Memory | None = None,
        reminders: Reminders | None = None,
    ) -> None:
        self.session_id = session_id
        self.rejected = 0
        self._evidence, self._emit, self._now, self._observe = evidence, emit, now, observe
        self._capture = Capture()
        self._snapshot: Snapshot | None = None
        self._writer = JournalWriter(commits or GroupCommit(journal), self._journal_failed)
        self._items = WorkItems(session_id, journal, self._writer.record, lambda item: emit(WorkChanged(item)), now, device)
        self._replies = Replies(
            self._items,
            registry.get,
            signals.read,
            self._writer,
            lambda work_id: emit(MaySpeak(work_id)),
            lambda work_id, why: emit(GaveUp(work_id, why)),
            now,
            loaded,
        )
        self._executions = Executions(
            self._items,
            self._replies,
            signals,
            clock,
            watches,
            self._writer,
            self._reject,
            now,
            places,
            observe,
            busy,
            memory,
            reminders,
        )
        self._replies.renew = lambda item: self._executions.anew(item, registry.get(item.capability))
        working = Working(self._items, self._executions, self._replies, registry.get, now)
        self._executions.working = working
        self._candour = Candour(self._items.all, registry.get, self._executions.confirmed)
        self._dispatch = Dispatch(
            session_id,
            registry,
            router,
            converse,
            signals,
            evidence,
            self._items,
            self._executions,
            self._replies,
            working,
            self._reject,
            agent,
            observe,
        )
        self._reconciler = Reconciler(session_id, journal, self._executions.resulted, now, device, cut_off, observe)
        self._cut_off = cut_off
        self._skill, self._left = registry.get, reminders
        self._closing = asyncio.Event()
        self._over = asyncio.Event()
        self._started = False

    # --- life -------------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Runs work until `close`. On return nothing runs, nothing will be spoken, and the journal is up to date."""
        self._started = True
        try:
            async with asyncio.TaskGroup() as group:
                self._executions.open(group)
                await self._closing.wait()
                await self._executions.close()
                self._settle()
                await self._writer.commit()
        finally:
            self._closing.set()
            self._executions.abandon()
            self._settle()
            self._writer.commit_now()
            self._over.set()

    async def close(self) -> None:
        """Stops work (bounded), withdraws what was not said, and waits until `run` has returned."""
        self._closing.set()
        if self._started:
            await self._over.wait()

    @property
    def items(self) -> Mapping[str, WorkItem]:
        """The last 256 items, oldest first."""
        return MappingProxyType(self._items.all)

    @property
    def idle(self) -> bool:
        """Nothing to do until time passes or somebody says something. Sleeping skills, and those that wait for the car, don't count."""
        return not self._executions.runnable and self._writer.idle

    async def recorded(self) -> bool:
        """All that has come of requests so far is on the disk; False where it can't be put there."""
        return await self._writer.commit()

    def when_recorded(self, then: Callable[[], None]) -> None:
        """`then` is called when all that has come of requests so far is on the disk: now, or soon. Where it can't be put there, when that is known:
        nothing is done while it is so, and `JournalFailed` has been told."""
        self._writer.when_tried(then)

    def _settle(self) -> None:
        """Bring everything to its end at the end of the session."""
        now = self._now()
        for work_id, item in list(self._items.all.items()):
            if item.execution is Execution.QUEUED:
                item = self._items.step(work_id, work.Cancel(now, reason="session_over"))
            elif not item.execution.over:
                item = self._items.step(work_id, work.LoseTrack(now, "", "session_over"))
            if item.delivery in (work.Delivery.PENDING, work.Delivery.DELIVERING):
                self.withdraw(work_id, "session_over")

    # --- requests ---------------------------------------------------------------------------------------------------

    def feed(
        self,
        text: str,
        at: Samples,
        words: str,
        locale: str,
        provenance: Provenance,
        turn_end: bool,
        took_floor: str = "",
        late: bool = False,
        turn: int = 0,
    ) -> str:
        """Text of the front-end: new text, or where `turn` is not 0 all text of that turn so far (capture.Whole). Starts work for every
        request in it; returns what may be shown and spoken. `took_floor`: the words cut us off, with this intent (correct, redirect,
        follow_up), so something is said to them in any case. `late`: out of a backlog, see `offer_late`."""
        visible: list[str] = []
        fence = self._evidence.seq
        effects = self._capture.on(Whole(turn, text, at, fence) if turn else Delta(text, at, fence))
        effects += self._capture.on(TurnEnd(at)) if turn_end else []
        for effect in effects:
            match effect:
                case VisibleText(text=shown):
                    visible.append(shown)
                case SpanOpened(at=instant, fence=fence):
                    self._snapshot = self._evidence.snapshot(self.session_id, instant, fence)
                case Request() if self._closing.is_set():
                    self._reject("session_over")
                case Request() if late:
                    self.offer_late(words, locale, provenance, at)
                case Request(text=request, at=instant):
                    self._dispatch.request(request, instant, words, locale, provenance, self._snapshot, took_floor)
                case Rejected(reason=reason):
                    self._reject(reason)
                case _:
                    assert_never(effect)
        return "".join(visible)

    def turn_over(self, at: Samples) -> None:
        """The front-end's turn has ended; a span that it left open is no request."""
        if self._capture.inside or self._capture.spans:
            self.feed("", at, "", "", Provenance.UNKNOWN, True)

    def offer_late(self, words: str, locale: str, provenance: Provenance, at: Samples) -> None:
        """The backlog rule: what was asked while the link was down is never done, and offered once, for whoever still wants it."""
        if not self._closing.is_set() and may_ask(provenance):
            self._dispatch.offer_late(words, language(words, locale), provenance, at)

    def announce(self, capability: str, text: str, locale: str, request: str, provenance: Provenance) -> str | None:
        """Speech of our own accord, as a work item of its own: spoken at a quiet boundary, never over anybody. `request` and
        `provenance` are of whoever asked for it. Returns the item's id; None once the session is over."""
        if self._closing.is_set() or not may_ask(provenance):
            return None
        now = self._now()
        identity = f"{self.session_id}|{now}|{capability}|{self._items.numbered}"
        asked = Asked(request, request, locale, provenance, now, identity, self._snapshot)
        work_id = self._executions.begin(asked, says(capability, Spoken(text)), {})
        if work_id is not None:
            self._replies.unasked(work_id, urgent=capability != CORRECTION)
        return work_id

    def reconcile(self, result: ActuationResult) -> None:
        """The car answers for a key that nobody waits for any more: from before a restart, or after we had given it up. What it says
        completes the journal, and is told once where the user was left in the dark."""
        if self._closing.is_set() or (late := self._reconciler.work(result)) is None:
            return
        self._find_out(*late, result.key)

    def _find_out(self, skill: Skill, locale: str, which: str) -> None:
        asked = Asked("", "", locale, Provenance.UNKNOWN, self._now(), f"{self.session_id}|reconcile|{which}")
        work_id = self._executions.begin(asked, skill, {})
        if work_id is not None:
            self._replies.unasked(work_id, urgent=False)

    def _take_up(self, reminders: Reminders) -> None:
        """What the device's earlier session left to be told goes on here."""
        for one in reminders.left():
            skill = self._skill(REMINDER)
            asked = Asked(
                one.request, one.request, one.locale, one.provenance, self._now(), f"{self.session_id}|reminder|{one.id}"
            )
            quietly = replace(skill, begins=lambda arguments, locale: "") if skill is not None else None
            work_id = self._executions.begin(asked, quietly, one.arguments) if quietly is not None else None
            if work_id is not None:
                reminders.renamed(one.id, work_id)
                self._replies.unasked(work_id, urgent=True)

    def cancel(self, work_id: str) -> bool:
        """Cancel an execution. False when there is nothing to cancel any more."""
        return self._executions.cancel(work_id)

    def beginning(self, work_id: str) -> tuple[int, str]:
        """(how long this work usually takes in ms, what to say meanwhile)."""
        return self._executions.beginning(work_id)

    def context(self) -> Context:
        """What was asked lately and what the car shows: for a front-end's own opinion of words. Safe from its thread."""
        return self._dispatch.context()

    def rehearse(self, text: str, locale: str, provenance: Provenance) -> str:
        """What would probably be said to these words if the car did as asked; "" where that can't be known. Does nothing. Safe from
        the front-end's thread."""
        return self._dispatch.rehearse(text, locale, provenance)

    def _journal_failed(self, kind: str) -> None:
        self._observe(Unwritten(kind))
        self._emit(JournalFailed(kind))
        self._replies.journal_failed()

    def _reject(self, reason: str) -> None:
        self.rejected += 1
        self._observe(TurnedAway(reason, self.session_id, self._now()))
        self._emit(RequestRejected(reason))

    # --- replies ----------------------------------------------------------------------------------------------------

    def boundary(self, at: Samples, floor_free: bool, quiet_ms: float, in_touch: Samples | None = None) -> list[Reply]:
        """The front-end can take a reply now: at most one, which is being delivered from here on. `in_touch`: see delivery.Boundary.
        Here, too, what was claimed and is not so is taken back, and what was done and not told when the node died is told, as replies of their own."""
        if self._cut_off and in_touch != 0 and not self._closing.is_set():  # before, the device's clock is not known
            earlier, self._cut_off = self._cut_off, ""
            for work_id, skill, locale in self._reconciler.untold(earlier):
                self._find_out(skill, locale, work_id)
        if self._left is not None and in_touch != 0 and not self._closing.is_set():
            left, self._left = self._left, None
            self._take_up(left)
        for wrong in self._candour.due(at):
            self.announce(CORRECTION, wrong.text, wrong.locale, "", Provenance.UNKNOWN)
        if (told := self._replies.crowded.due(at)) is not None:
            self.announce(CROWDED, *told, "", Provenance.UNKNOWN)
        return self._replies.boundary(at, floor_free, quiet_ms, in_touch)

    def playback(self, work_id: str, state: str | PlaybackState, heard_text: str, at: Samples, why: Why | None = None) -> None:
        """What the device acknowledged of a reply's utterance ("": of one that is no reply). What fits nothing is counted and ignored."""
        self._replies.playback(work_id, PlaybackState(state), heard_text, at, why)

    def away(self) -> None:
        """The device has had no link for a while, and may not come back; told again while that is so. What was being said is to be said when it is back."""
        if not self._closing.is_set():
            self._replies.away()

    def note(self, saying: Saying) -> None:
        """How far an utterance of the assistant's has been heard: what the next turn is conditioned on, and what it may have claimed."""
        self._replies.talking.said.note(saying)
        self._candour.note(saying)

    def interrupted(self, why: Why, at: Samples, under_way: frozenset[str]) -> Saying | None:
        """The assistant was cut. `under_way`: replies of which something was sent; how much was heard of them is still to come.
        Returns the boundary of a reply that was cut before any of it was sent."""
        return self._replies.interrupted(why, at, under_way)

    def withdraw(self, work_id: str, reason: str) -> None:
        """What is left of a reply will not be said: the user stopped it, or it no longer matters."""
        self._replies.withdraw(work_id, reason)

    def withdraw_spoken(self, reason: str) -> None:
        """The user said stop: whatever was being said, or had been cut and would be offered again, is dropped."""
        self._replies.withdraw_spoken(reason)
