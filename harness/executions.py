"""Executes the work items of one session: each skill in its runner, behind its guarded port, until its end is known.

An adapter between the items and the runner: what begins, what a newer version replaces, what is cancelled, and what an end means for
the item (conclusion.py). Where there is something to say, the reply is offered, once.
Does not know routing, when a reply may be heard, or what a skill does.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol

from ridealong.harness import work
from ridealong.harness.conclusion import conclusion
from ridealong.harness.doing import NoWork, Work
from ridealong.harness.journal import Intent, Result
from ridealong.harness.observing import Observe, TriedAgain, unobserved
from ridealong.harness.overtaking import Overtaking
from ridealong.harness.places import Places
from ridealong.harness.port import CarPort, GuardedPort, is_halt
from ridealong.harness.remembering import Memory
from ridealong.harness.reminders import Reminders
from ridealong.harness.replies import Replies
from ridealong.harness.results import UNORDERED, Order, with_results
from ridealong.harness.runner import Ended, Job, ParkingClock, Runner, Spoke
from ridealong.harness.sentences import sentence
from ridealong.harness.skill import NOTHING, Call, Clock, Confirmation, Outcome, Provenance, Skill
from ridealong.harness.watches import Watches
from ridealong.harness.work import DEADLINE_MS, Execution, WorkItem
from ridealong.harness.work_items import MAX_ITEMS, Asked, WorkItems
from ridealong.harness.writer import JournalWriter
from ridealong.proto.types import ActuationResult, ActuationState, Samples, SignalWrite, ms_from_samples

MAX_ACTUATION_WAIT_MS: Final = 2_000
"""A request to act that could not start within this time is dropped: the world has moved on."""
ANSWER_MARGIN_MS: Final = 30_000
ANEW_WITHIN_MS: Final = 10_000
"""An answer that is found anew may be said for at least so long after it should be known, although its request is old by then."""


class Begun(NamedTuple):
    """Of an execution that is not over: when it began, whether something of it is on its way to the car, and whether that can be halted."""

    started_at: Samples | None = None
    on_its_way: bool = False
    moves: bool = False
    wakes_in_ms: float | None = None
    """While it sleeps: for how much longer."""


class Serves(Protocol):
    """What `working.Working` is to us."""

    def asked_by(self, asked: Asked) -> Work: ...


@dataclass(slots=True)
class _Open:
    """What belongs to an item whose execution is not over."""

    job: Job
    port: GuardedPort
    queued_at: Samples
    started_at: Samples | None = None
    told_elsewhere: int = 0  # so many others look on to say how it ends


class Executions:
    """One per session. `reject(reason)` is told where a request turns out to be one that the session has had."""

    def __init__(
        self,
        items: WorkItems,
        replies: Replies,
        signals: CarPort,
        clock: Clock,
        watches: Watches | None,
        writer: JournalWriter,
        reject: Callable[[str], None],
        now: Callable[[], Samples],
        places: Places | None = None,
        observe: Observe = unobserved,
        busy: Callable[[float, float], float] = lambda from_s, to_s: 0.0,
        memory: Memory | None = None,
        reminders: Reminders | None = None,
    ) -> None:
        self.reminders = reminders
        self._items, self._replies, self._signals = items, replies, signals
        self._clock, self._watches, self._writer, self._reject, self._now = clock, watches, writer, reject, now
        self._memory = memory
        self._runner = Runner(
            may_start=self._may_start,
            ended=self._ended,
            places=places,
            tried_again=lambda job: observe(TriedAgain(job.skill.name, "transient", job.id)),
            busy=busy,
        )
        self._group: asyncio.TaskGroup | None = None
        self._halts: set[asyncio.Task[None]] = set()
        self._open: dict[str, _Open] = {}
        self._overtaking = Overtaking()
        self.confirmed: deque[str] = deque(maxlen=MAX_ITEMS)  # items of which something was done and confirmed
        self.working: Serves | None = None

    # --- life -------------------------------------------------------------------------------------------------------

    def open(self, group: asyncio.TaskGroup) -> None:
        """From now on work runs, as children of `group`."""
        self._group = group
        self._runner.open(group)

    async def close(self) -> None:
        """Stops everything, and waits (bounded) until it has stopped."""
        for work_id in list(self._open):
            self._stop(work_id, "", "session_over")
        await self._runner.close()
        self.abandon()

    def abandon(self) -> None:
        """The session has been torn down: nothing of it starts any more."""
        for halt in self._halts:
            halt.cancel()
        self._runner.abandon()

    @property
    def runnable(self) -> bool:
        """Something has work to do now. Sleeping skills, and those that wait for the car, don't count."""
        return self._runner.runnable > 0

    # --- from a request ---------------------------------------------------------------------------------------------

    def begin(
        self, asked: Asked, skill: Skill, arguments: Mapping[str, object], *,
        confirmation: Confirmation = Confirmation.NONE, remember: bool = False, replaces: str | None = None,
        agreed_to: Mapping[str, object] | None = None, instead_of: Mapping[str, object] | None = None, order: Order = UNORDERED,
        within_ms: int = 0,
    ) -> str | None:  # fmt: skip
        """One work item, queued; its id. Nothing is done, and None returned, when the session has had it before. `order`: what comes first.
        `within_ms`: its reply may be said for at least so long after the request."""
        deadline_ms = max(DEADLINE_MS, skill.timeout_ms + ANSWER_MARGIN_MS, within_ms)
        recent = self._items.recently()
        item = self._items.add(asked, skill.name, arguments, deadline_ms, remember=remember, replaces=replaces or "")
        if item is None:
            self._reject("duplicate")
            return None
        job = Job(item.id, skill, after=replaces or "", order=order)
        port = GuardedPort(self._signals, job, asked.provenance, confirmation, self._intend, self.resulted)
        job.call = Call(
            work_id=item.id, request=asked.request, words=asked.words, locale=asked.locale, provenance=asked.provenance,
            arguments=item.arguments, signals=port, clock=ParkingClock(self._clock, job),
            snapshot=asked.snapshot, confirmation=confirmation, talk=self._replies.talking, watches=self._watches, reminders=self.reminders,
            effects=port, agreed_to=agreed_to, instead_of=instead_of,
            work=self.working.asked_by(asked) if self.working is not None else NoWork(), recent=recent, memory=self._memory,
        )  # fmt: skip
        self._open[item.id] = _Open(job, port, self._now())
        if replaces is not None:
            for opened in self._open.values():  # what waited for the older version waits for this one
                opened.job.order = opened.job.order.instead(replaces, item.id)
            self._supersede(replaces, item.id)
        if not self._runner.submit(job):
            self._open.pop(item.id)
            self._items.step(item.id, work.Cancel(self._now(), sentence("too_late", asked.locale), "busy"))
            self._replies.offer(item.id)
        self._items.forget_oldest()
        return item.id

    def _supersede(self, work_id: str, by: str) -> None:
        """A newer version of the same intent: the older is neither done (where it still can be stopped) nor told."""
        item = self._items.all[work_id]
        if item.execution in (Execution.QUEUED, Execution.RUNNING):
            if item.execution is Execution.QUEUED:
                self._runner.forget(work_id)
                self._open.pop(work_id, None)
            self._items.step(work_id, work.Supersede(self._now(), by))
            self._runner.stop(work_id)
        elif item.delivery in (work.Delivery.PENDING, work.Delivery.DELIVERING):
            self._replies.take_back(work_id, f"superseded:{by}")
        self._replies.talking.said.close_work(frozenset({work_id}))

    def anew(self, item: WorkItem, skill: Skill | None) -> str | None:
        """The same request once more, for an answer that is not so any more: a newer version of the intent. Only for what changes nothing."""
        if skill is None or skill.actuates:
            return None
        asked = Asked(item.request, item.words, item.locale, item.provenance, item.intent_at, f"{item.idempotency_key}|anew")
        waited_ms = round(ms_from_samples(Samples(self._now() - item.intent_at)))
        return self.begin(asked, skill, item.arguments, replaces=item.id, within_ms=waited_ms + skill.usual_ms + ANEW_WITHIN_MS)

    def cancel(self, work_id: str) -> bool:
        """False when there is nothing to cancel any more."""
        item = self._items.all.get(work_id)
        if item is None or item.execution not in (Execution.QUEUED, Execution.RUNNING):
            return False
        self._stop(work_id, sentence("cancelled", item.locale), "asked")
        self._replies.offer(work_id)
        return True

    def call_off(self, work_id: str, by: Provenance) -> None:
        """As `cancel`, for somebody who will say how it ended. What has been sent to the car is not given up: nothing more is sent, what travels is
        halted (where `by` may act), and the car's answer is waited for."""
        item, opened = self._items.all[work_id], self._open.get(work_id)
        if item.execution.over or opened is None:
            return
        opened.told_elsewhere += 1
        if item.execution is Execution.RUNNING and opened.port.unanswered:
            self._items.step(work_id, work.Cancel(self._now(), "", "asked"))
            opened.job.stopping = True
        else:
            self._stop(work_id, "", "asked")
        if opened.port.unanswered and not opened.port.halting and self._group is not None:
            halt = self._group.create_task(opened.port.halt(by), name=f"halt {work_id}")
            self._halts.add(halt)
            halt.add_done_callback(self._halts.discard)

    def speak_for_itself(self, work_id: str) -> None:
        """Whoever called it off says no more how it ends; nor anybody else, unless it was called off again. It goes on only for an answer of the car's."""
        if (opened := self._open.get(work_id)) is not None:
            opened.told_elsewhere = max(0, opened.told_elsewhere - 1)
            if not opened.told_elsewhere and not opened.port.unanswered:
                self._runner.stop(work_id)

    def begun(self) -> dict[str, Begun]:
        """Every execution that is not over. Safe from other threads."""
        now_ms = self._clock.now_ms()
        return {
            work_id: Begun(opened.started_at, opened.port.unanswered > 0, opened.port.moves, opened.job.wakes_in_ms(now_ms))
            for work_id, opened in list(self._open.items())
        }

    def _stop(self, work_id: str, reply: str, reason: str) -> None:
        """Cancel what is queued at once; what is running when its worker has acknowledged."""
        if self._items.all[work_id].execution is Execution.QUEUED:
            self._runner.forget(work_id)
            self._open.pop(work_id)
        if self._items.all[work_id].execution in (Execution.QUEUED, Execution.RUNNING):
            self._items.step(work_id, work.Cancel(self._now(), reply, reason))
            self._runner.stop(work_id)

    def beginning(self, work_id: str) -> tuple[int, str]:
        """(how long this work usually takes in ms, what to say meanwhile: "" where that is nothing)."""
        item, opened = self._items.all.get(work_id), self._open.get(work_id)
        if item is None or item.execution.over:
            return 0, ""
        if opened is None or item.execution is Execution.QUEUED:
            return 0, sentence("one_moment", item.locale) if self._replies.knows(item.capability) else ""
        skill = opened.job.skill
        said = skill.begins(item.arguments, item.locale) if skill.begins is not None else sentence("one_moment", item.locale)
        return skill.usual_ms, said

    # --- from the runner --------------------------------------------------------------------------------------------

    def _may_start(self, work_id: str) -> bool:
        item, opened = self._items.all[work_id], self._open[work_id]
        if item.execution is not Execution.QUEUED:
            return False
        now = self._now()
        order = opened.job.order
        first = [need for id in order.needs if (need := self._items.all.get(id)) is not None]
        behind = [before for id in order.behind if (before := self._items.all.get(id)) is not None]
        since = max([opened.queued_at, *[before.done_at for before in (*first, *behind) if before.done_at is not None]])
        waited_ms = ms_from_samples(Samples(now - since))
        done = all(need.execution is Execution.COMPLETED and need.outcome is Outcome.COMPLETED for need in first)
        arguments = with_results(opened.job.skill, item.arguments, self._found(order)) if done else None
        if arguments is None:
            self._items.step(work_id, work.Cancel(now, sentence("not_first", item.locale), "not_first"))
            self._open.pop(work_id)
            self._replies.offer(work_id)
            return False
        if now > item.expires_at or (opened.job.skill.actuates and waited_ms > MAX_ACTUATION_WAIT_MS):
            self._items.step(work_id, work.Cancel(now, sentence("too_late", item.locale), "too_late"))
            self._open.pop(work_id)
            self._replies.offer(work_id)
            return False
        opened.started_at = now
        self._items.taken.update(source for source, _ in order.takes.values())
        if order.takes and opened.job.call is not None:
            opened.job.call = replace(opened.job.call, arguments=MappingProxyType(dict(arguments)))
        self._items.step(work_id, work.Start(now, arguments if order.takes else None))
        return True

    def _found(self, order: Order) -> Mapping[str, tuple[Mapping[str, object], str]]:
        return {name: (self._items.gave.get(id, NOTHING), key) for name, (id, key) in order.takes.items()}

    def _ended(self, work_id: str, how: Ended) -> None:
        item, opened = self._items.all.get(work_id), self._open.pop(work_id, None)
        overtaken = self._overtaking.overtaken(work_id)
        if item is None or opened is None or item.execution.over:
            return  # superseded meanwhile: recorded, never spoken
        ended = self._items.step(work_id, conclusion(item, how, opened.port, self._now()))
        if ended.outcome is Outcome.COMPLETED and isinstance(how, Spoke) and opened.job.skill.gives:
            given = how.spoken.gives
            self._items.gave[work_id] = {name: given[name] for name in opened.job.skill.gives if name in given}
        if opened.told_elsewhere:
            self._replies.keep_silent(work_id, "cancelled")
        elif overtaken and ended.outcome is not Outcome.COMPLETED:
            self._replies.keep_silent(work_id, "overtaken")
        else:
            self._replies.offer(work_id)

    # --- actuation and the journal ----------------------------------------------------------------------------------

    async def _intend(self, work_id: str, key: str, writes: Sequence[SignalWrite]) -> bool:
        durable = await self._writer.intend(Intent(key, work_id, tuple(writes), self._now()))
        if durable and not is_halt(writes):
            self._overtaking.intended(key, writes)
        return durable

    def resulted(self, key: str, result: ActuationResult) -> None:
        """What the car answered, for the journal; the first answer stands."""
        if result.state is ActuationState.CONFIRMED:
            self.confirmed.append(key.rpartition(".")[0])
        self._overtaking.resulted(key, result.state)
        self._writer.record(Result(key, result.state, result.reason, self._now()))
