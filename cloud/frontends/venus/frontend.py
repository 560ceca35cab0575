"""The front-end of the 9B duplex model: seconds in, its speech and its requests out.

    parts -> second.Second -> the model, a unit behind -> turns.Turns -> Output
    parts -> ears          -> Partial, Verdict, Heard

Nothing here waits for the model: `on_unit` hands a unit over and gives the control token as it is then; what a unit comes to is given out by `on_part`, with
which the session is woken (`wake`). Results are told to the model with a unit, as `<backend>`, one at a time, and only while it is silent. What the model
says is its own: fillers are left out, for it says itself that it has understood.

An adapter: what follows from what is `turns`' decision, whose words they were is `ears`'. Knows no tensor, no link and no skill.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Final

from ridealong.cloud.frontends.base import (
    Addressee,
    BackendReply,
    ButtonPressed,
    CannotGoOn,
    Feedback,
    Floor,
    Heard,
    Intent,
    NoRoom,
    Output,
    PartIn,
    PartOutcome,
    Played,
    UnitIn,
    Verdict,
    VerdictKind,
)
from ridealong.cloud.frontends.venus import turns
from ridealong.cloud.frontends.venus.apology import Apology
from ridealong.cloud.frontends.venus.ears import Ears
from ridealong.cloud.frontends.venus.founded import founded
from ridealong.cloud.frontends.venus.second import Second
from ridealong.cloud.frontends.venus.turns import Ask, Effect, Say, Turns
from ridealong.cloud.model import plain_io
from ridealong.cloud.model.plain_io import Hosted, Said
from ridealong.harness.interjections import is_never_mind, is_stop
from ridealong.harness.observing import FellShort, ModelUnit, Observe, unobserved
from ridealong.harness.skill import Provenance
from ridealong.proto.types import CLOCK_HZ, ControlToken, Samples, ms_from_samples

log = logging.getLogger(__name__)
LATE_MS: Final = 2_000
MAX_FRAMES: Final = 2
"""Of one unit the newest: more would cost the model its time."""
MAX_WAITING: Final = 16
FAULTS_IN_A_ROW: Final = 3
ANSWER_WITHIN_S: Final = 15.0
"""A model that has not answered a unit for so long is dead."""
WAIT_FOR_EARS: Final = Samples(3 * CLOCK_HZ // 2)
DROPPING: Final = (Intent.STOP, Intent.CORRECT)
"""What cut us off with these is against what has just been asked for, too."""


@dataclass(slots=True)
class _Sent:
    index: int
    future: Future[Said]
    at_s: float


class VenusFrontEnd:
    """One session's front-end (`base.FrontEnd`); see the module."""

    name = "venus"
    replies_at_parts = False

    def __init__(
        self,
        host: Hosted,
        ears: Ears,
        wake: Callable[[], None],
        clock: Callable[[], float],
        seed: int = 0,
        observe: Observe = unobserved,
        apology: Apology | None = None,
    ) -> None:
        """`clock` in seconds. Raises `NoRoom`."""
        self._host, self._ears, self._wake, self._clock_s, self._observe = host, ears, wake, clock, observe
        self.verdict_latency_ms = ears.verdict_latency_ms
        self._seed = seed
        self._guest = host.admit(seed)
        self._apology = apology or Apology()
        self._turns, self._second = Turns(), Second()
        self._sent: deque[_Sent] = deque()
        self._answers: deque[BackendReply] = deque()  # results that wait for a moment of silence
        self._requests: deque[tuple[Samples, tuple[str, ...]]] = deque()  # that wait for whose words they are
        self._outcomes: list[PartOutcome] = []  # for the next part
        self._typed: Heard | None = None  # the newest
        self._alone = False  # nobody has spoken since
        self._now, self._at_ms, self._next = Samples(0), -1, 0
        self._quiet_from: Samples | None = None  # our own voice was heard to its end
        self._faults = 0
        self._dead = False
        self.bad_pictures = self.dropped_answers = self.fillers = 0

    # -- the contract ---------------------------------------------------------------------------------------------

    def on_part(self, part: PartIn, replies: list[BackendReply], feedback: list[Feedback]) -> list[PartOutcome]:
        self._now = Samples(max(self._now, part.start + part.samples))
        self._take(feedback)
        if self._dead:
            return self._farewell()
        if part.samples:
            self._second.part(part)
        self._collect()
        self._listen(part, feedback)
        self._ask()
        self._turns.tick(self._now)
        outcomes, self._outcomes = self._outcomes, []
        return outcomes

    def on_unit(self, unit: UnitIn, replies: list[BackendReply], feedback: list[Feedback]) -> Output:
        """Its control token is the newest that is known: that of this very unit comes with a later part."""
        self._now = Samples(max(self._now, unit.start + unit.samples))
        self._take(feedback)
        heard: list[Heard] = []
        if not self._dead:
            self._collect()
            self._keep(replies)
            heard = [one for text in unit.typed if (one := self._type(text)) is not None]
            if unit.samples:
                self._send_second(unit)
            if self._outcomes:
                self._wake()
        return Output(self._turns.control, heard=tuple(heard))

    def floor(self) -> Floor:
        ears = self._ears.floor()
        waits = bool(self._answers or self._requests) or self._turns.restating
        quiet_ms = min(
            ears.quiet_ms,
            1e9 if self._quiet_from is None else ms_from_samples(Samples(max(0, self._now - self._quiet_from))),
        )
        return Floor(ears.free and not (self._turns.busy or self._turns.open or waits or self._dead), quiet_ms)

    def close(self) -> None:
        self._guest.close()
        self._ears.close()

    # -- what the session tells -----------------------------------------------------------------------------------

    def _take(self, feedback: list[Feedback]) -> None:
        for item in feedback:
            match item:
                case Played():
                    self._apology.on(item)
                    if item.finished:
                        self._quiet_from = self._now
                    self._perform(self._turns.on(turns.Heard(item)))
                case ButtonPressed():
                    self._cut(requests=False)

    def _keep(self, replies: list[BackendReply]) -> None:
        for reply in [*replies, *self._ears.offers()]:
            if reply.filler:
                self.fillers += 1
            elif len(self._answers) == MAX_WAITING:
                self.dropped_answers += 1
            else:
                self._answers.append(reply)

    def _type(self, text: str) -> Heard | None:
        """Typed words are a unit of their own, at once: the model decides on them alone. None: nothing of it is for the model."""
        if (self._turns.busy or self._turns.open) and (is_stop(text, "") or is_never_mind(text, "")):
            self._cut(requests=True)
            self._outcomes.append(Verdict(VerdictKind.INTERRUPTION, self._now, self._now, intent=Intent.STOP))
            return None
        locale = "zh" if any("\u4e00" <= char <= "\u9fff" for char in text) else "en"
        self._typed = Heard(text, locale, self._now, self._now, Addressee.ASSISTANT, Provenance.TYPED)
        self._perform(self._turns.on(turns.Words()))
        self._alone = True
        self._send(plain_io.Second(text=text, force_listen=self._turns.closing), typed=True)
        return self._typed

    # -- to the model ---------------------------------------------------------------------------------------------

    def _send_second(self, unit: UnitIn) -> None:
        late = unit.late_ms > LATE_MS  # out of a backlog: heard, and never answered
        answer = self._answers.popleft() if self._answers and self._turns.may_answer and not late else None
        pictures = () if late else tuple(frame.jpeg for frame in unit.frames[-MAX_FRAMES:])
        second = plain_io.Second(
            self._second.unit(unit), pictures, answer=answer.text if answer else "", force_listen=late or self._turns.closing
        )
        self._send(second, answer=answer)

    def _send(self, second: plain_io.Second, *, typed: bool = False, answer: BackendReply | None = None) -> None:
        self._at_ms = max(self._at_ms + 1, round(ms_from_samples(self._now)))
        second = plain_io.Second(second.sound, second.pictures, second.text, second.answer, second.force_listen, self._at_ms)
        index, self._next = self._next, self._next + 1
        self._turns.on(turns.Sent(index, second.force_listen, answer.work_id if answer else None, typed))
        future = self._guest.submit(second)
        self._sent.append(_Sent(index, future, self._clock_s()))
        future.add_done_callback(lambda _: self._wake())

    # -- from the model -------------------------------------------------------------------------------------------

    def _collect(self) -> None:
        """What has been answered, in order."""
        while self._sent and self._sent[0].future.done() and not self._dead:
            sent = self._sent.popleft()
            match sent.future.exception():
                case None:
                    self._faults = 0
                    self._answered(sent.index, sent.future.result())
                case plain_io.NotRun():
                    self._observe(FellShort("not_run"))
                    self._perform(self._turns.on(turns.Unanswered(sent.index)))
                case _:
                    self._faults += 1
                    self._observe(FellShort("broken"))
                    self._perform(self._turns.on(turns.Unanswered(sent.index)))
        stuck = bool(self._sent) and self._clock_s() - self._sent[0].at_s > ANSWER_WITHIN_S
        if (self._faults >= FAULTS_IN_A_ROW or stuck) and not self._dead:
            self._die()

    def _answered(self, index: int, said: Said) -> None:
        self._observe(ModelUnit(said.took_ms, said.headroom_rows, said.load))
        if said.late_ms > 0:
            self._observe(FellShort("late"))
        if said.lesser:
            self._observe(FellShort(said.lesser))
        for _ in range(said.bad_pictures):
            self.bad_pictures += 1
            self._observe(FellShort("bad_picture"))
        if said.lost:
            self._begin_anew()
        before = self._turns.control
        effects = self._turns.on(turns.Answered(index, said, self._now))
        if not self._perform(effects) and self._turns.control is not before:
            self._outcomes.append(Output(self._turns.control))

    def _begin_anew(self) -> None:
        """The model has lost this session: it keeps its place, and nothing of what it remembered."""
        self._observe(FellShort("lost"))
        self._seed += 1
        try:
            self._guest.begin_anew(self._seed)
        except NoRoom:
            self._die(model=False)
            return
        for sent in self._sent:
            self._perform(self._turns.on(turns.Unanswered(sent.index)))
        self._sent.clear()

    def _perform(self, effects: list[Effect]) -> bool:
        """False: nothing of it is told now."""
        told = False
        for effect in effects:
            match effect:
                case Say(piece=piece):
                    self._outcomes.append(Output(self._turns.control, piece.text, speech=(piece,)))
                    told = True
                case Ask(requests=requests, typed=True):
                    self._outcomes.append(self._asking(requests, self._typed or self._ears.asked(self._now)))
                    told = True
                case Ask(requests=requests):
                    self._requests.append((self._now, requests))
        return told

    def _ask(self) -> None:
        """Requests whose words are known by now, or won't be."""
        while self._requests:
            at, requests = self._requests[0]
            if self._ears.undecided and self._now - at < WAIT_FOR_EARS:
                return
            self._requests.popleft()
            self._outcomes.append(self._asking(requests, self._ears.asked(at)))

    def _asking(self, requests: tuple[str, ...], by: Heard) -> Output:
        plain = [text.replace("<", " ").replace(">", " ") for text in requests]  # words can't open or close a span
        if by.provenance is not Provenance.TYPED and not all(founded(text, by.text) for text in plain):
            by = replace(by, provenance=Provenance.UNKNOWN)  # made up while somebody spoke of something else
        return Output(self._turns.control, delegate="".join(f"<delegate>{text}</delegate>" for text in plain), asked=by)

    # -- who speaks -----------------------------------------------------------------------------------------------

    def _listen(self, part: PartIn, feedback: list[Feedback]) -> None:
        for told in self._ears.on_part(part, self._turns.saying, self._turns.busy, feedback):
            if isinstance(told, Heard):
                self._outcomes.append(Output(self._turns.control, heard=(told,)))
                if told.addressee is Addressee.ASSISTANT:
                    self._perform(self._turns.on(turns.Words()))
                continue
            self._outcomes.append(told)
            if isinstance(told, Verdict) and told.kind is VerdictKind.INTERRUPTION:
                self._cut(requests=told.intent in DROPPING)
        if self._alone and self._typed is not None and self._ears.voice_since(self._typed.end):
            self._alone = False
            self._perform(self._turns.on(turns.Words()))

    def _cut(self, *, requests: bool) -> None:
        self._perform(self._turns.on(turns.Cut(requests)))
        self._answers.clear()
        if requests:
            self._requests.clear()

    # -- the end --------------------------------------------------------------------------------------------------

    def _die(self, *, model: bool = True) -> None:
        """model: it has failed for everybody."""
        self._dead = True
        if model:
            self._host.broke()
            log.error("the model has failed: %d units without an answer", max(self._faults, len(self._sent)))
        else:
            log.error("the model has lost a session, and has stopped: it can't begin anew")
        self._sent.clear()
        self._turns.on(turns.Cut())
        self._outcomes.append(Output(ControlToken.TURN_EOS))
        self._outcomes += self._apology.begin(self._now)
        self._wake()

    def _farewell(self) -> list[PartOutcome]:
        outcomes, self._outcomes = self._outcomes, []
        if (last := self._apology.end(self._now)) is not None:
            outcomes.append(CannotGoOn("model_failed", last))
        return outcomes
