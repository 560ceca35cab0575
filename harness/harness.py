"""The delegation harness of one session: text with spans in; work done; replies out, once, when they may be heard.

An adapter: it joins the cores (capture, snapshot, work, delivery) to the running loop, the skills and the journal, and decides
little itself: who may ask, what is the same request, what a newer request replaces.
Does not know models, gRPC, the car, or speech. All calls come from the loop's thread; `feed`, `boundary` and `playback` never wait.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Protocol, assert_never

from ridealong.harness import delivery, work
from ridealong.harness.capture import Capture, Delta, Rejected, Request, SpanOpened, TurnEnd, VisibleText
from ridealong.harness.conclusion import conclusion
from ridealong.harness.framing import answer, is_never_mind
from ridealong.harness.journal import Intent, Journal, Recorded, Result
from ridealong.harness.polish import polish
from ridealong.harness.port import CarPort, GuardedPort
from ridealong.harness.provenance import may_ask
from ridealong.harness.quoting import quote
from ridealong.harness.rehearsal import rehearse
from ridealong.harness.rest import Why
from ridealong.harness.router import AskBack, Calls, ChitChat, Decision, Nothing, chitchat_sentence
from ridealong.harness.runner import Ended, Job, ParkingClock, Runner
from ridealong.harness.said import Saying
from ridealong.harness.sentences import sentence
from ridealong.harness.skill import (
    TALK,
    Call,
    Clock,
    Confirmation,
    Context,
    Match,
    Outcome,
    Provenance,
    Recent,
    Skill,
    Spoken,
    Verdict,
)
from ridealong.harness.snapshot import Evidence, Snapshot
from ridealong.harness.talking import Talking
from ridealong.harness.watches import Watches
from ridealong.harness.work import DEADLINE_MS, Execution, WorkEvent, WorkItem
from ridealong.harness.writer import JournalWriter
from ridealong.proto.types import (
    ActuationResult,
    PlaybackState,
    Samples,
    SignalWrite,
    ms_from_samples,
    samples_from_ms,
)

SAME_REQUEST_MS: Final = 3_000
REVISES_WITHIN_MS: Final = 30_000
MAX_ACTUATION_WAIT_MS: Final = 2_000
"""A request to act that could not start within this time is dropped: the world has moved on."""
ANSWER_MARGIN_MS: Final = 30_000
LONG_WORK_MS: Final = 5_000
"""A result that took this long is one that the user waited for: it matters, like what changed the car (rest.FATES)."""
UNANSWERED: Final = frozenset({"question", "not_a_request", "negated", "reported", "other_addressee", "backchannel"})
"""Words for which there is nothing to do; when they cut us off, that is said, also where the words alone look as if they were for
somebody else: we have stopped for them."""
TYPED_UNANSWERED: Final = frozenset({"question", "not_a_request"})
"""The same for typed words, which are always meant for us."""
MAX_RECENT: Final = 8
MAX_ITEMS: Final = 256

_ALSO = re.compile(r"\b(?:also|too|as well|and)\b|也|还|都")
_NOT_WORDS = re.compile(r"[\W_]+")


class Routes(Protocol):
    """What `harness.router.Router` is to us."""

    def decide(self, text: str, locale: str, context: Context, provenance: Provenance) -> Decision: ...


class Skills(Protocol):
    """What `harness.registry.Registry` is to us."""

    def get(self, name: str) -> Skill | None: ...


Talked = Sequence[tuple[str, str]]
"""What was said lately, oldest first: ("user" | "assistant", words). Of the assistant's words only those that were heard."""

Converse = Callable[[str, str, Talked], Awaitable[str]]
"""(text, locale, what was said before) -> a language model's answer. May raise anything."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A result admitted to the conversation: polished, sanitised, to be restated in speech."""

    work_id: str
    text: str
    locale: str


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
    """The device rendered nothing for too long while this reply was being said: flush what was sent of it."""

    work_id: str


HarnessEvent = WorkChanged | RequestRejected | JournalFailed | GaveUp


@dataclass(slots=True)
class _Open:
    """What belongs to an item whose execution is not over."""

    job: Job
    port: GuardedPort
    queued_at: Samples


class Harness:
    """One per session. `run` is a task's body; `close` ends it."""

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
        executor: Executor | None = None,
        converse: Converse | None = None,
        watches: Watches | None = None,
    ) -> None:
        self.session_id = session_id
        self.rejected = 0
        self._registry, self._router, self._signals = registry, router, signals
        self._clock, self._evidence, self._emit, self._now = clock, evidence, emit, now
        self._converse = converse
        self._watches = watches
        self._unasked: set[str] = set()
        self._capture = Capture()
        self._delivery = delivery.Delivery()
        self._runner = Runner(may_start=self._may_start, ended=self._ended)
        self._items: OrderedDict[str, WorkItem] = OrderedDict()
        self._talking = Talking(self._items, self._delivery, self._step, self._wait, self.withdraw, self._important, self._now)
        self._open: dict[str, _Open] = {}
        self._snapshot: Snapshot | None = None
        self._took_floor = ""
        self._recent: deque[str] = deque(maxlen=MAX_RECENT)  # work ids, newest first
        self._requests: deque[tuple[str, Samples]] = deque(maxlen=64)
        self._keys = journal.keys(session_id)
        self._numbered = journal.count(session_id)
        self._snapshots = 0
        self._writer = JournalWriter(journal, lambda kind: emit(JournalFailed(kind)), executor)
        self._closing = asyncio.Event()
        self._over = asyncio.Event()
        self._started = False

    # --- life -------------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Runs work until `close`. On return nothing runs, nothing will be spoken, and the journal is up to date."""
        self._started = True
        try:
            async with asyncio.TaskGroup() as group:
                self._runner.open(group)
                writer = group.create_task(self._writer.run(), name="journal")
                await self._closing.wait()
                for work_id in list(self._open):
                    self._stop(work_id, "", "session_over")
                await self._runner.close()
                self._settle()
                await self._writer.commit()
                writer.cancel()
        finally:
            self._closing.set()
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
        return MappingProxyType(self._items)

    @property
    def idle(self) -> bool:
        """Nothing to do until time passes or somebody says something. Sleeping skills, and those that wait for the car, don't count."""
        return not self._runner.runnable and self._writer.idle

    # --- from the front-end -----------------------------------------------------------------------------------------

    def feed(
        self, delta: str, at: Samples, words: str, locale: str, provenance: Provenance, turn_end: bool, took_floor: str = ""
    ) -> str:
        """Text of the front-end. Starts work for every request in it; returns what may be shown and spoken. `took_floor`: the words cut
        us off, with this intent (correct, redirect, follow_up), so something is said to them in any case."""
        self._took_floor = took_floor
        visible: list[str] = []
        effects = self._capture.on(Delta(delta, at, self._evidence.seq))
        effects += self._capture.on(TurnEnd(at)) if turn_end else []
        for effect in effects:
            match effect:
                case VisibleText(text=text):
                    visible.append(text)
                case SpanOpened(at=instant, fence=fence):
                    self._snapshots += 1
                    self._snapshot = self._evidence.snapshot(f"{self.session_id}-s{self._snapshots}", instant, fence)
                case Request(text=text, at=instant):
                    self._request(text, instant, words, locale, provenance)
                case Rejected(reason=reason):
                    self._reject(reason)
                case _:
                    assert_never(effect)
        return "".join(visible)

    def boundary(self, at: Samples, floor_free: bool, quiet_ms: float, in_touch: Samples | None = None) -> list[Reply]:
        """The front-end can take a reply now: at most one, which is being delivered from here on. `in_touch`: see delivery.Boundary."""
        broken = frozenset(
            work_id
            for work_id in self._delivery.pending
            if (item := self._items.get(work_id)) is not None
            and work.broken_condition(item.validity, item.validity.revision, self._signals.read)
        )
        return self._apply(self._delivery.on(delivery.Boundary(at, floor_free, quiet_ms, broken, in_touch)))

    def announce(self, capability: str, text: str, locale: str, request: str, provenance: Provenance) -> str | None:
        """Speech of our own accord, as a work item of its own: spoken at a quiet boundary, never over anybody. `request` and
        `provenance` are of whoever asked for it. Returns the item's id; None once the session is over."""
        if self._closing.is_set() or not may_ask(provenance):
            return None
        now = self._now()
        asked = _Asked(request, request, locale, provenance, now, f"{self.session_id}|{now}|{capability}|{self._numbered}")
        self._begin(asked, _says(capability, Spoken(text)), {})
        work_id = f"{self.session_id}-w{self._numbered}"
        self._unasked.add(work_id)
        return work_id

    def playback(self, work_id: str, state: str | PlaybackState, heard_text: str, at: Samples, why: Why | None = None) -> None:
        """What the device acknowledged of a reply's utterance ("": of one that is no reply). What fits nothing is counted and ignored."""
        match PlaybackState(state):
            case PlaybackState.STARTED | PlaybackState.PROGRESS:
                event: delivery.Event = delivery.Rendered(work_id, at, heard_text)
            case PlaybackState.FINISHED:
                event = delivery.PlaybackFinished(work_id, heard_text, at)
            case PlaybackState.FLUSHED:
                event = delivery.PlaybackFlushed(work_id, heard_text, at, self._talking.meant(work_id, why or Why.DEVICE, at))
        self._apply(self._delivery.on(event))

    def note(self, saying: Saying) -> None:
        """How far an utterance of the assistant's has been heard: what the next turn is conditioned on."""
        self._talking.said.note(saying)

    def interrupted(self, why: Why, at: Samples, under_way: frozenset[str]) -> Saying | None:
        """The assistant was cut. `under_way`: replies of which something was sent; how much was heard of them is still to come.
        Returns the boundary of a reply that was cut before any of it was sent."""
        unsent = self._talking.cut_unsent(under_way, why, at)
        self._apply(self._delivery.on(delivery.Interrupted(why, at, under_way)))
        return unsent

    def withdraw(self, work_id: str, reason: str) -> None:
        """What is left of a reply will not be said: the user stopped it, or it no longer matters."""
        self._apply(self._delivery.on(delivery.Withdraw(work_id, reason, self._now())))

    def withdraw_spoken(self, reason: str) -> None:
        """The user said stop: whatever was being said, or had been cut and would be offered again, is dropped."""
        offered = [reply.work_id for reply in self._delivery.pending.values() if reply.cut_at is not None]
        if self._delivery.presenting is not None:
            offered.append(self._delivery.presenting.work_id)
        for work_id in offered:
            self.withdraw(work_id, reason)

    def cancel(self, work_id: str) -> bool:
        """Cancel an execution. False when there is nothing to cancel any more."""
        item = self._items.get(work_id)
        if item is None or item.execution not in (Execution.QUEUED, Execution.RUNNING):
            return False
        self._stop(work_id, sentence("cancelled", item.locale), "asked")
        self._offer(work_id)
        return True

    def _stop(self, work_id: str, reply: str, reason: str) -> None:
        """Cancel what is queued at once; what is running when its worker has acknowledged."""
        if self._items[work_id].execution is Execution.QUEUED:
            self._runner.forget(work_id)
            self._open.pop(work_id)
        if self._items[work_id].execution in (Execution.QUEUED, Execution.RUNNING):
            self._step(work_id, work.Cancel(self._now(), reply, reason))
            self._runner.stop(work_id)

    # --- a request --------------------------------------------------------------------------------------------------

    def _request(self, text: str, at: Samples, words: str, locale: str, provenance: Provenance) -> None:
        if self._closing.is_set():
            return self._reject("session_over")
        if not may_ask(provenance):
            return self._reject("provenance")
        ended_at = self._evidence.utterance_end(words, at) or at
        normal = _NOT_WORDS.sub(" ", text.casefold()).strip() or text
        if any(
            same == normal and abs(ended_at - earlier) <= samples_from_ms(SAME_REQUEST_MS) for same, earlier in self._requests
        ):
            return self._reject("duplicate")
        self._requests.append((normal, ended_at))
        context = replace(self.context(), provenance=provenance)
        asked = _Asked(text, words, locale, provenance, at, f"{self.session_id}|{ended_at}|{normal}")
        try:
            decision = self._router.decide(text, locale, context, provenance)
        except Exception as error:  # a router that fails must not end the session
            self._begin(asked, _says("router", Spoken(sentence("failed", locale), Outcome.FAILED, type(error).__name__)), {})
            return
        match decision:
            case Calls(matches=matches):
                for part, match in enumerate(matches):
                    self._call(replace(asked, part=part), match, context)
            case AskBack(question=question, match=match, reason=reason):
                name = match.capability if match is not None else "ask_back"
                arguments = match.arguments if match is not None else {}
                self._begin(asked, _says(name, Spoken(question, Outcome.ASKS, reason)), arguments, remember=match is not None)
            case ChitChat(kind=kind):
                self._begin(asked, self._about_what_was_said(text) or self._chat(kind, locale), {})
            case Nothing(reason=reason) if self._is_owed(reason, provenance):
                kind = "general" if reason == "question" else "unsupported"
                self._begin(asked, self._about_what_was_said(text) or self._chat(kind, locale), {})
            case Nothing(reason=reason):
                if reason in ("stop", "declined"):
                    self.withdraw_spoken(reason)
                if reason == "stop":
                    self._talking.stopped(is_never_mind(text, locale))
                self._reject(reason)
            case _:
                assert_never(decision)

    def _is_owed(self, reason: str, provenance: Provenance) -> bool:
        """An answer, although there is nothing to do."""
        return reason in (UNANSWERED if self._took_floor else TYPED_UNANSWERED if provenance is Provenance.TYPED else ())

    def _about_what_was_said(self, text: str) -> Skill | None:
        """A question that cut us off, answered with our own sentence; nothing where a language model answers better."""
        if self._took_floor != "follow_up" or self._converse is not None:
            return None
        sentence_of_ours = quote(self._talking.last_text(), text)
        return _says("talk.quote", Spoken(sentence_of_ours)) if sentence_of_ours else None

    def _call(self, asked: _Asked, match: Match, context: Context) -> None:
        skill = self._registry.get(match.capability)
        if skill is None:
            spoken = Spoken(sentence("failed", asked.locale), Outcome.FAILED, "no_such_skill")
            self._begin(asked, _says(match.capability, spoken), match.arguments)
            return
        pending = context.recent[0] if context.recent else None
        asks = pending is not None and pending.outcome is Outcome.ASKS and pending.capability == match.capability
        agreed = asks and answer(asked.request, asked.locale) is True
        confirmation = Confirmation.EXPLICIT if agreed else Confirmation.NONE
        revises = asks or (
            any(ground.startswith("context:") for ground in match.grounds.values()) and not _ALSO.search(asked.request.casefold())
        )
        replaced = self._revised(match.capability) if revises else None
        if skill.actuates:
            self._outdate(match, asked.at)
        corrects = self._closes_earlier(match, skill, revises)
        if skill.group != TALK and not corrects:
            self._talking.followed_up(asked.at)
        self._begin(asked, skill, match.arguments, confirmation=confirmation, remember=skill.group != TALK, replaces=replaced)

    def _outdate(self, match: Match, at: Samples) -> None:
        """What a newer request for the same thing makes untrue is not said any more: "set to 19" after "make it 20"."""
        target = _target(match.arguments)
        for item in list(self._items.values()):
            same = item.capability == match.capability and _target(item.arguments) == target and item.intent_at < at
            if same and item.execution is Execution.COMPLETED and item.delivery is work.Delivery.PENDING:
                self.withdraw(item.id, "outdated")

    def _closes_earlier(self, match: Match, skill: Skill, revises: bool) -> bool:
        """The rest of an earlier answer to the same request is not true any more: "go on" finds it no longer."""
        target = _target(match.arguments)
        same = frozenset(
            item.id
            for item in self._items.values()
            if item.capability == match.capability and (revises or (skill.actuates and _target(item.arguments) == target))
        )
        return self._talking.said.close_work(same)

    def _important(self, item: WorkItem) -> bool:
        """What changed the car, or what the user waited for."""
        skill = self._registry.get(item.capability)
        awaited = ms_from_samples(Samples((item.done_at or self._now()) - item.intent_at)) >= LONG_WORK_MS
        return item.execution is Execution.COMPLETED and (awaited or (skill is not None and bool(skill.actuates)))

    def _revised(self, capability: str) -> str | None:
        """The newest item of this capability of which something is still to be done or said."""
        for work_id in list(self._recent):
            item = self._items.get(work_id)
            if item is not None and item.capability == capability:
                recent = ms_from_samples(self._now() - item.intent_at) <= REVISES_WITHIN_MS
                return work_id if recent and not item.over else None
        return None

    def _begin(
        self, asked: _Asked, skill: Skill, arguments: Mapping[str, object], *,
        confirmation: Confirmation = Confirmation.NONE, remember: bool = False, replaces: str | None = None,
    ) -> None:  # fmt: skip
        """One work item, queued. Nothing is done when the session has had it before."""
        key = f"{hashlib.sha256(asked.identity.encode()).hexdigest()[:24]}.{asked.part}"
        if key in self._keys:
            return self._reject("duplicate")
        self._keys.add(key)
        self._numbered += 1
        item = WorkItem(
            id=f"{self.session_id}-w{self._numbered}", session=self.session_id, request=asked.request, words=asked.words, locale=asked.locale,
            provenance=asked.provenance, capability=skill.name, arguments=dict(arguments), snapshot=self._snapshot.id if self._snapshot else "",
            idempotency_key=key, intent_at=asked.at, deadline_ms=max(DEADLINE_MS, skill.timeout_ms + ANSWER_MARGIN_MS),
        )  # fmt: skip
        self._items[item.id] = item
        self._writer.record(Recorded(item))
        self._emit(WorkChanged(item))
        if remember:
            self._recent.appendleft(item.id)
        job = Job(item.id, skill, after=replaces or "")
        port = GuardedPort(self._signals, job, asked.provenance, confirmation, self._intend(item.id), self._resulted)
        job.call = Call(
            work_id=item.id, request=asked.request, words=asked.words, locale=asked.locale, provenance=asked.provenance,
            arguments=MappingProxyType(dict(arguments)), signals=port, clock=ParkingClock(self._clock, job),
            snapshot=self._snapshot, confirmation=confirmation, talk=self._talking, watches=self._watches,
        )  # fmt: skip
        self._open[item.id] = _Open(job, port, self._now())
        if replaces is not None:
            self._supersede(replaces, item.id)
        if not self._runner.submit(job):
            self._open.pop(item.id)
            self._step(item.id, work.Cancel(self._now(), sentence("too_late", asked.locale), "busy"))
            self._offer(item.id)
        self._forget_oldest()

    def _supersede(self, work_id: str, by: str) -> None:
        """A newer version of the same intent: the older is neither done (where it still can be stopped) nor told."""
        item = self._items[work_id]
        if item.execution in (Execution.QUEUED, Execution.RUNNING):
            if item.execution is Execution.QUEUED:
                self._runner.forget(work_id)
                self._open.pop(work_id, None)
            self._step(work_id, work.Supersede(self._now(), by))
            self._runner.stop(work_id)
        elif item.delivery in (work.Delivery.PENDING, work.Delivery.DELIVERING):
            self.withdraw(work_id, f"superseded:{by}")

    def _chat(self, kind: str, locale: str) -> Skill:
        honest = Spoken(chitchat_sentence(kind, locale), Outcome.COMPLETED, kind)
        converse = self._converse
        if converse is None or kind != "general":
            return _says(f"chitchat.{kind}", honest)

        async def run(call: Call) -> Spoken:
            try:
                return Spoken(await converse(call.request, call.locale, self._talking.lines(call.work_id)))
            except Exception:  # the endpoint's own words never reach the user
                return honest

        return replace(_says(f"chitchat.{kind}", honest), run=run)

    def context(self) -> Context:
        """What was asked lately and what the car shows: for a front-end's own opinion of words. Safe from its thread."""
        return Context(recent=self._recently(), read=self._signals.read, said=self._talking.last())

    def rehearse(self, text: str, locale: str, provenance: Provenance) -> str:
        """What would probably be said to these words if the car did as asked; "" where that can't be known. Does nothing. Safe from
        the front-end's thread."""
        if not may_ask(provenance):
            return ""
        context = replace(self.context(), provenance=provenance)
        match self._router.decide(text, locale, context, provenance):
            case Calls(matches=(match, *_)) if (skill := self._registry.get(match.capability)) is not None:
                pending = context.recent[0] if context.recent else None
                asks = pending is not None and pending.outcome is Outcome.ASKS and pending.capability == match.capability
                agreed = Confirmation.EXPLICIT if asks and answer(text, locale) is True else Confirmation.NONE

                def check(group: str, confirmation: Confirmation) -> Verdict:
                    return self._signals.check(group, confirmation, provenance)

                return rehearse(skill, text, locale, provenance, match.arguments, agreed, self._signals.read, check)
            case AskBack(question=question):
                return polish(question)
            case ChitChat(kind=kind) if self._converse is None:
                return chitchat_sentence(kind, locale)
            case _:
                return ""

    def beginning(self, work_id: str) -> tuple[int, str]:
        """(how long this work usually takes in ms, what to say meanwhile)."""
        item, opened = self._items.get(work_id), self._open.get(work_id)
        if item is None or opened is None:
            return 0, ""
        skill = opened.job.skill
        said = skill.begins(item.arguments, item.locale) if skill.begins is not None else sentence("one_moment", item.locale)
        return skill.usual_ms, said

    def _recently(self) -> tuple[Recent, ...]:
        """The last calls, newest first. A question counts from when it was heard."""
        recent = []
        for work_id in list(self._recent):
            if (item := self._items.get(work_id)) is not None:
                since = (item.played_at or item.inserted_at) if item.outcome is Outcome.ASKS else None
                age_ms = max(0.0, ms_from_samples(self._now() - (since or item.intent_at)))
                recent.append(Recent(item.capability, item.arguments, item.outcome or Outcome.UNKNOWN, age_ms))
        return tuple(recent)

    # --- from the runner --------------------------------------------------------------------------------------------

    def _may_start(self, work_id: str) -> bool:
        item, opened = self._items[work_id], self._open[work_id]
        now = self._now()
        waited_ms = ms_from_samples(now - opened.queued_at)
        if item.execution is not Execution.QUEUED:
            return False
        if now > item.expires_at or (opened.job.skill.actuates and waited_ms > MAX_ACTUATION_WAIT_MS):
            self._step(work_id, work.Cancel(now, sentence("too_late", item.locale), "too_late"))
            self._open.pop(work_id)
            self._offer(work_id)
            return False
        self._step(work_id, work.Start(now))
        return True

    def _ended(self, work_id: str, how: Ended) -> None:
        item, opened = self._items.get(work_id), self._open.pop(work_id, None)
        if item is None or opened is None or item.execution.over:
            return  # superseded meanwhile: recorded, never spoken
        self._step(work_id, conclusion(item, how, opened.port, self._now()))
        self._offer(work_id)

    def _offer(self, work_id: str) -> None:
        """Hand a finished item's reply to delivery."""
        item = self._items[work_id]
        if not item.execution.over or not item.reply or item.execution is Execution.SUPERSEDED:
            return
        now = self._now()
        item = self._step(work_id, work.Offer(now))
        unasked = work_id in self._unasked
        self._unasked.discard(work_id)
        again = item.execution is Execution.COMPLETED
        important = self._important(item) or (again and unasked)
        waiting = delivery.Waiting(
            work_id,
            item.reply,
            item.locale,
            item.intent_at,
            now,
            item.expires_at,
            again=again,
            important=important,
            unasked=unasked,
        )
        self._wait(waiting)

    def _wait(self, waiting: delivery.Waiting) -> None:
        self._apply(self._delivery.on(delivery.ReplyReady(waiting)))

    # --- from the delivery core -------------------------------------------------------------------------------------

    def _apply(self, effects: Sequence[delivery.Effect]) -> list[Reply]:
        replies: list[Reply] = []
        for effect in effects:
            match effect:
                case delivery.Admit(work_id=work_id, text=text, locale=locale, at=at):
                    self._step(work_id, work.Admit(at))
                    self._talking.said.close_work(frozenset({work_id}))
                    replies.append(Reply(work_id, text, locale))
                case delivery.Delivered(work_id=work_id, heard=heard, at=at, late=late):
                    if late:
                        self._step(work_id, work.Admit(at))
                    self._step(work_id, work.Played(at, heard))
                case delivery.Again(work_id=work_id, heard=heard, at=at):
                    self._step(work_id, work.Return(at, heard))
                case delivery.Expired(work_id=work_id, at=at):
                    self._step(work_id, work.Expire(at))
                case delivery.Withdrawn(work_id=work_id, reason=reason, heard=heard, at=at):
                    self._step(work_id, work.Withdraw(at, reason, heard))
                case delivery.GivenUp(work_id=work_id):
                    self._emit(GaveUp(work_id))
                case _:
                    assert_never(effect)
        return replies

    # --- items and the journal --------------------------------------------------------------------------------------

    def _step(self, work_id: str, event: WorkEvent) -> WorkItem:
        before = self._items[work_id]
        item = self._items[work_id] = work.step(before, event)
        self._writer.record(Recorded(item, event, before))
        self._emit(WorkChanged(item))
        return item

    def _reject(self, reason: str) -> None:
        self.rejected += 1
        self._emit(RequestRejected(reason))

    def _forget_oldest(self) -> None:
        """Keep the view bounded; an item that is not over stays."""
        over = [work_id for work_id, item in self._items.items() if item.over]
        for work_id in over[: max(0, len(self._items) - MAX_ITEMS)]:
            del self._items[work_id]

    def _settle(self) -> None:
        """Bring everything to its end at the end of the session."""
        now = self._now()
        for work_id, item in list(self._items.items()):
            if item.execution is Execution.QUEUED:
                item = self._step(work_id, work.Cancel(now, reason="session_over"))
            elif not item.execution.over:
                item = self._step(work_id, work.LoseTrack(now, "", "session_over"))
            if item.delivery in (work.Delivery.PENDING, work.Delivery.DELIVERING):
                self.withdraw(work_id, "session_over")

    def _intend(self, work_id: str) -> Callable[[str, Sequence[SignalWrite]], Awaitable[bool]]:
        async def record(key: str, writes: Sequence[SignalWrite]) -> bool:
            return await self._writer.intend(Intent(key, work_id, tuple(writes), self._now()))

        return record

    def _resulted(self, key: str, result: ActuationResult) -> None:
        self._writer.record(Result(key, result.state, result.reason, self._now()))


def _target(arguments: Mapping[str, object]) -> dict[str, object]:
    """What a call is about, without how much: its named arguments (zone, device), not its numbers."""
    return {name: value for name, value in arguments.items() if isinstance(value, str)}


@dataclass(frozen=True, slots=True)
class _Asked:
    request: str
    words: str
    locale: str
    provenance: Provenance
    at: Samples
    identity: str  # session, end of the utterance, request
    part: int = 0  # several calls may come of one request


def _says(name: str, spoken: Spoken) -> Skill:
    """A skill of the harness's own that only says something."""

    async def run(call: Call) -> Spoken:
        return spoken

    return Skill(name, "says one sentence", run, lambda text, locale, context: None, "speech", {"type": "object"}, {})
