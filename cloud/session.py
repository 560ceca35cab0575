"""One session's actor: takes what the device sent, in order, and runs the interaction loop over it.

An adapter: it feeds front-end, conversation, harness and car, and performs their effects. Decisions are theirs. A fault in one
message, one skill or one synthesis is logged (without content), told to the device as an Error, and never ends the session.

Does not know: gRPC, sequence rules (proto.session), which front-end or skills there are.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import assert_never

from ridealong.cloud import conversation, timing
from ridealong.cloud.asking import Asking
from ridealong.cloud.boundaries import Boundaries
from ridealong.cloud.consent import Consents
from ridealong.cloud.conversation import Conversation, Delivery, Effect, Noted, Send, Tell
from ridealong.cloud.frontends.base import (
    Addressee,
    BackendReply,
    CannotGoOn,
    Feedback,
    FrontEnd,
    Heard,
    Output,
    Partial,
    PartIn,
    PartOutcome,
    Played,
    UnitIn,
    Verdict,
    VerdictKind,
)
from ridealong.cloud.gathering import Gathering
from ridealong.cloud.inbox import Inbox, Linked, Message, Wake
from ridealong.cloud.intake import Intake
from ridealong.cloud.lateness import Held, Lateness, at_leisure
from ridealong.cloud.patience import Begun, Over, Patience
from ridealong.cloud.sparing import Sparing
from ridealong.cloud.timeline import Timeline
from ridealong.cloud.vehicle import Car
from ridealong.cloud.watching.watching import Observation, Watching
from ridealong.errors import where
from ridealong.harness.harness import GaveUp, Harness, HarnessEvent, JournalFailed, MaySpeak, RequestRejected, WorkChanged
from ridealong.harness.observing import NotConsented, Observe, unobserved
from ridealong.harness.rest import Why
from ridealong.harness.said import Saying, State
from ridealong.harness.skill import Provenance
from ridealong.harness.snapshot import Evidence
from ridealong.harness.work import Execution
from ridealong.proto.types import (
    ActuationResult,
    Attachment,
    Caption,
    Close,
    Consent,
    DownlinkBody,
    Error,
    FrameFragment,
    FrameTombstone,
    Input,
    InputKind,
    Location,
    MicrophoneState,
    Notice,
    PlaybackAck,
    PlaybackState,
    Samples,
    Seq,
    SpeakerHint,
    Speech,
    TextInput,
    UnitPart,
    UplinkBody,
    VehicleState,
    WorkUpdate,
)

log = logging.getLogger(__name__)
FAULTS_EVERY_S = 10.0
UNWRITTEN_EVERY_S = 60.0


@dataclass(slots=True)
class Counters:
    parts: int = 0
    units: int = 0
    faults: int = 0
    ignored: int = 0


class SessionActor:
    """`deliver` takes messages in order; `commit(seq)` is called when a message and the work that came of it are safe."""

    def __init__(
        self,
        session_id: str,
        send: Callable[[DownlinkBody], None],
        commit: Callable[[Seq], None],
        executor: Executor,
        speaker: Provenance,
        locale: str = "",
        busy: Held = at_leisure,
        observe: Observe = unobserved,
    ) -> None:
        self.session_id = session_id
        self._send, self._commit, self._executor = send, commit, executor
        self._loop = asyncio.get_running_loop()
        self._inbox = Inbox()
        self.speaker, self.locale = speaker, locale
        self.conversation = Conversation()
        self.timeline = Timeline()
        self.timing = timing.Timing()
        self.patience = Patience()
        self.evidence = Evidence()
        self.counters = Counters()
        self.consents = Consents(lambda source: observe(NotConsented(source)))
        self._faults, self._unwritten = Sparing(FAULTS_EVERY_S), Sparing(UNWRITTEN_EVERY_S)
        self._intake = Intake(self._loop.time(), Lateness(busy))
        self._gathering = Gathering(self.evidence, self.timeline, self._intake, self._watch)
        self._feedback: list[Feedback] = []
        self._asking = Asking()
        self._boundaries = Boundaries()
        self._front_end: FrontEnd | None = None
        self._harness: Harness | None = None
        self._car: Car | None = None
        self._watching: Watching | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self, front_end: FrontEnd, harness: Harness, car: Car, watching: Watching | None = None) -> None:
        """Join the parts (the composition root makes them with this actor's `wake`, `now` and `on_harness`) and begin."""
        self._front_end, self._harness, self._car, self._watching = front_end, harness, car, watching
        self._task = self._loop.create_task(self._run(), name=f"session {self.session_id}")
        self._task.add_done_callback(lambda _: front_end.close())  # however it ends: it may hold a place on a GPU

    # -- the seams ------------------------------------------------------------------------------------------------

    def deliver(self, seq: Seq, body: UplinkBody) -> None:
        self._inbox.message(seq, self.consents.admitted(body))

    def linked(self, at: Samples) -> None:
        self._inbox.linked(at)

    def away(self) -> None:
        if self._harness is not None:
            self._harness.away()

    async def close(self, reason: str) -> None:
        self._inbox.end()
        if self._task is not None:
            await self._task

    def wake(self) -> None:
        """From any thread: run the front-end once more before the next part."""
        self._inbox.wake()

    def now(self) -> Samples:
        """Device time: the last part's end, carried on by the loop's clock."""
        return self._intake.now(self._loop.time())

    def device_now(self) -> Samples:
        """The device's clock at this instant, also when there is more to do than time."""
        return self._intake.device_now(self._loop.time())

    def send(self, body: DownlinkBody) -> None:
        self._send(body)

    def on_harness(self, event: HarnessEvent) -> None:
        match event:
            case WorkChanged(item=item):
                self._send(WorkUpdate(item.id, item.execution.value, item.delivery.value, item.capability, item.request))
                self.timeline.add(self.now(), "work", f"{item.execution.value}/{item.delivery.value}", item.id)
                if item.execution in (Execution.QUEUED, Execution.RUNNING) and self._harness is not None:
                    self.patience.on(Begun(item.id, item.intent_at, self.now(), *self._harness.beginning(item.id), item.locale))
                if self._watching is not None:
                    self._watching.on_work(item)
                if item.execution.over:
                    self.patience.on(Over(item.id))
                    self._time(timing.ResultReady(item.id, item.intent_at, self.now()))
                self.wake()
            case MaySpeak():
                self.wake()
            case RequestRejected(reason=reason):
                self._send(Notice("request_rejected", reason))
            case GaveUp(why=Why.LINK):
                self._perform(self.conversation.on(conversation.Lost(self.now())))
            case GaveUp(why=why):
                self._perform(self.conversation.on(conversation.Silenced(why, self.now())))
            case JournalFailed() if not self._unwritten.due(self._loop.time()):
                pass
            case JournalFailed():
                log.error("session %s: the journal can't be written; nothing will be done until it can", self.session_id)
                self._send(
                    Error("journal_failed", "The work journal can't be written, so nothing will be done: is the disk full?")
                )
            case _:
                assert_never(event)

    # -- the loop -------------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        assert self._front_end is not None and self._harness is not None
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(self._harness.run())
            while (item := await self._inbox.get()) is not None:
                try:
                    await self._take(item)
                except Exception as error:  # one bad message must not end the session
                    self.counters.faults += 1
                    log.error("session %s: a message could not be worked on: %s", self.session_id, where(error))
                    self._tell_fault()
                if isinstance(item, Message):  # durable is what it says, and what came of it
                    self._harness.when_recorded(partial(self._commit, item.seq))
            self._perform(self.conversation.on(conversation.Over(self.now())))
            await self._harness.close()
            running.cancel()

    def _tell_fault(self) -> None:
        """Once in a while: what fails on every part must not flood the link."""
        if self._faults.due(self._loop.time()):
            self._send(Error("internal", "Something went wrong with one message; the conversation goes on."))

    async def _take(self, item: Message | Linked | Wake) -> None:
        match item:
            case Wake():
                await self._part(self._intake.nothing())
            case Linked(at=at, arrived_s=arrived_s):
                self._intake.lateness.linked(at, arrived_s)
            case Message(body=body, arrived_s=arrived_s):
                await self._message(body, arrived_s)
            case _:
                assert_never(item)

    async def _message(self, body: UplinkBody, arrived_s: float) -> None:
        assert self._harness is not None
        match body:
            case UnitPart():
                await self._unit_part(body, arrived_s)
            case FrameFragment() | FrameTombstone() | Location() | Consent() | Attachment():
                self._gathering.take(body)
            case VehicleState():
                assert self._car is not None
                self._car.on_state(body)
                self._gathering.take(body)
            case ActuationResult():
                assert self._car is not None
                self._car.on_result(body)
            case PlaybackAck():
                if body.state is PlaybackState.STARTED:
                    self._time(timing.Started(body.utterance, body.at))
                self._perform(self.conversation.on(conversation.Acked(body)))
            case Input(kind=InputKind.BUTTON, at=at):
                self._perform(self.conversation.on(conversation.Button(at)))
                self._cut(Why.BUTTON, at)
                self.wake()
            case TextInput(at=at, text=text) if self._intake.typed_long_ago(at, arrived_s):
                self._harness.offer_late(text, self.locale, Provenance.TYPED, at)
            case TextInput(text=text):
                await self._unit_end(self._intake.typed(text, self._loop.time()))
            case SpeakerHint(who=who):
                if who in ("driver", "passenger", "wearer"):
                    self.speaker = Provenance(who)
                else:
                    self.speaker = Provenance.UNKNOWN
            case Close():
                self._inbox.end()
            case Input():
                self.counters.ignored += 1  # what is muted says so itself
            case _:
                assert_never(body)

    async def _unit_part(self, body: UnitPart, arrived_s: float) -> None:
        self.counters.parts += 1
        part = self._intake.part(body, self._loop.time(), arrived_s)
        if body.microphone is MicrophoneState.LIVE:
            self.evidence.observe_audio(part.start, body.pcm16)
        await self._part(part)
        self._watch(part)
        if body.last:
            self.counters.units += 1
            await self._unit_end(self._intake.unit(part.late_ms))

    async def _part(self, part: PartIn) -> None:
        assert self._front_end is not None
        replies = self._admitted() if self._front_end.replies_at_parts else []
        feedback, self._feedback = self._feedback, []
        outcomes = await self._loop.run_in_executor(self._executor, self._front_end.on_part, part, replies, feedback)
        for outcome in outcomes:
            self._outcome(outcome)

    async def _unit_end(self, unit: UnitIn) -> None:
        assert self._front_end is not None
        replies = self._admitted()
        feedback, self._feedback = self._feedback, []
        output = await self._loop.run_in_executor(self._executor, self._front_end.on_unit, unit, replies, feedback)
        self._output(output, closes_unit=True)

    def _admitted(self) -> list[BackendReply]:
        assert self._front_end is not None and self._harness is not None
        floor = self._front_end.floor()
        replies = self._harness.boundary(self.now(), floor.free, floor.quiet_ms, self._intake.in_touch)
        admitted = [BackendReply(reply.work_id, reply.text, reply.locale) for reply in replies]
        if not admitted and (word := self.patience.due(self.now(), floor.free)) is not None:
            admitted.append(BackendReply("", word.text, word.locale, filler=True))
        return admitted

    def _outcome(self, outcome: PartOutcome) -> None:
        match outcome:
            case Partial(text=text, start=start, end=end):
                self._send(Caption("user", text, False, start, end))
            case Verdict():
                self.timeline.add(outcome.end, "verdict", outcome.kind.value)
                intent = f":{outcome.intent.value}" if outcome.intent is not None else ""
                self._send(Notice("verdict", outcome.kind.value + intent))
                self._perform(self.conversation.on(conversation.Judged(outcome)))
                if outcome.kind is VerdictKind.INTERRUPTION:
                    self._cut(Why(outcome.intent.value) if outcome.intent else Why.INTERRUPTED, outcome.end)
            case Output():
                self._output(outcome, closes_unit=False)
            case CannotGoOn(code=code, text=text, retry_after_ms=retry_after_ms):
                self._send(Error(code, text, retry_after_ms=retry_after_ms, fatal=True))
            case _:
                assert_never(outcome)

    def _output(self, output: Output, *, closes_unit: bool) -> None:
        assert self._harness is not None
        for heard in output.heard:
            self._heard(heard)
        self._asking.on(output, self.now(), self._harness, self._intake.out_of_backlog)
        self._perform(self.conversation.on(conversation.Produced(output, self._intake.unit_index, closes_unit)))

    def _heard(self, heard: Heard) -> None:
        self._send(Caption("user", heard.text, True, heard.start, heard.end, heard.addressee.value))
        self.timeline.add(heard.end, "user" if heard.addressee is Addressee.ASSISTANT else "other", heard.text)
        if heard.addressee is Addressee.ASSISTANT:
            self._time(timing.Understood(heard.end, heard.endpoint or heard.end, self.now()))
        self.evidence.observe_line(heard.addressee.value, heard.text, heard.start, heard.end)
        self._watch(heard)

    def _watch(self, item: Observation) -> None:
        if self._watching is not None:
            self._watching.observe(item)

    def _time(self, event: timing.Event) -> None:
        for told in self.timing.on(event):
            self._send(told)
            log.info(
                "session %s: reply %d after %d ms: endpoint %d, text %d, result %d, out %d, speaker %d", self.session_id,
                told.utterance, told.total_ms, told.endpoint_ms, told.text_ms, told.result_ms, told.out_ms, told.speaker_ms,
            )  # fmt: skip

    def _perform(self, effects: list[Effect]) -> None:
        assert self._harness is not None
        for effect in effects:
            match effect:
                case Send(body=body):
                    self._send(body)
                    if isinstance(body, Speech) and body.pcm16:
                        self._time(timing.SpeechSent(body.utterance, body.work_id, self.now()))
                case Tell(feedback=feedback):
                    self._feedback.append(feedback)
                    if isinstance(feedback, Played):
                        self.evidence.observe_played(feedback.utterance, feedback.heard, self.now())
                    self.wake()
                case Noted(saying=saying):
                    self._noted(saying)
                case Delivery(work_id=work_id, state=state, heard=heard, at=at, why=why):
                    self._harness.playback(work_id, state, heard, at, why)
                case _:
                    assert_never(effect)

    def _cut(self, why: Why, at: Samples) -> None:
        """What had been admitted and had not left yet ends here, unheard."""
        assert self._harness is not None
        unsent = self._harness.interrupted(why, at, self.conversation.under_way)
        if unsent is not None:
            self._told(unsent)

    def _noted(self, saying: Saying) -> None:
        """How far an utterance was heard: for the next turn, the snapshot and the report."""
        assert self._harness is not None
        self._harness.note(saying)
        self.evidence.observe_rest(saying.utterance, saying.rest if saying.state is State.CUT else "", saying.at)
        if saying.settled:
            self._told(saying)

    def _told(self, saying: Saying) -> None:
        """Once an utterance: it is over, and this is what was heard of it. Again where only the reason of the cut became clear."""
        news = self._boundaries.on(saying)
        if news.heard:
            self.timeline.add(saying.at, "assistant", news.heard, saying.work_id)
        if news.cut:
            self.timeline.add(saying.at, "cut", news.cut, saying.work_id)
            self._send(Notice("heard", news.cut))
