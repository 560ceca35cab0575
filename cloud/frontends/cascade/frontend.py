"""The embedded front-end: voice activity, turn model, recognition, judgement, router's opinion and neural speech, all on the CPU.

It emits the same control tokens and delegate spans as the 9B model, so that everything downstream is identical. It never makes up
an answer of its own: what it says are results that the harness returned.

Does not know: capabilities by name, the link, the car.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Protocol

from ridealong.cloud.frontends.base import (
    Addressee,
    BackendReply,
    ButtonPressed,
    Feedback,
    Floor,
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
from ridealong.cloud.frontends.cascade.judge import Evidence, Judgement, judge
from ridealong.cloud.frontends.cascade.listener import Listener, Recognise, SpeechProbability, TurnModel, Utterance
from ridealong.cloud.frontends.mouth import Mouth, Voice
from ridealong.harness.skill import Context, Provenance
from ridealong.proto.types import CLOCK_HZ, ControlToken, Samples

LATE_MS = 2_000


class Understanding(Protocol):
    """The router's opinion of words, without acting on them. Pure."""

    def addressed(self, text: str, locale: str, context: Context) -> float: ...

    def understood(self, text: str, locale: str, context: Context) -> bool:
        """It would be acted on, answered, or asked back."""

    def complete(self, text: str, locale: str, context: Context) -> bool:
        """A whole request with all its values: no need to wait for more words."""

    def is_backchannel(self, text: str, locale: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class Models:
    """What the front-end needs of the small models; each is used from worker threads."""

    vad: Callable[[], SpeechProbability]
    turn: TurnModel
    recognise: Recognise
    voice: Voice


class CascadeFrontEnd:
    name = "cascade"
    verdict_latency_ms = 1_500
    replies_at_parts = True

    def __init__(
        self,
        models: Models,
        understanding: Understanding,
        context: Callable[[], Context],
        executor: Executor,
        wake: Callable[[], None],
        speaker: Callable[[], Provenance],
        locale: str = "",
    ) -> None:
        self._understanding, self._context, self._speaker = understanding, context, speaker
        self._listener = Listener(models.vad(), models.turn, models.recognise, executor, wake, self._finished, locale)
        self._mouth = Mouth(models.voice, executor, wake)
        self._now = Samples(0)
        self._usual_level_db: float | None = None
        self._question_at: Samples | None = None
        self._speech_at: Samples | None = None
        self._said_until: Samples | None = None
        self._lateness: deque[tuple[Samples, float]] = deque(maxlen=256)  # (end of part, how late it arrived)
        self._in_turn = False
        self._talk_until: Samples | None = None

    # -- the contract ---------------------------------------------------------------------------------------------

    def on_part(self, part: PartIn, replies: list[BackendReply], feedback: list[Feedback]) -> list[PartOutcome]:
        self._now = Samples(max(self._now, part.start + part.samples))
        if part.samples:
            self._lateness.append((self._now, part.late_ms))
        self._take(replies, feedback)
        outcomes: list[PartOutcome] = []
        for utterance in self._listener.on_part(part.start, part.samples, part.pcm16, part.microphone, self._mouth.busy):
            outcomes += self._consider(utterance)
        slices = self._mouth.slices(self._now)
        if slices:
            self._in_turn = True
            outcomes.append(Output(ControlToken.SPEAK, " ".join(s.text for s in slices if s.text), speech=tuple(slices)))
        return outcomes

    def on_unit(self, unit: UnitIn, replies: list[BackendReply], feedback: list[Feedback]) -> Output:
        self._now = Samples(max(self._now, unit.start + unit.samples))
        self._take(replies, feedback)
        typed = [self._delegate(text, "", unit.start, self._now, Provenance.TYPED) for text in unit.typed]
        slices = self._mouth.slices(self._now)
        control = self._control(bool(slices) or bool(typed))
        return Output(
            control,
            " ".join(s.text for s in slices if s.text),
            delegate="".join(out.delegate for out in typed),
            speech=tuple(slices),
            heard=tuple(heard for out in typed for heard in out.heard),
        )

    def _control(self, speaks: bool) -> ControlToken:
        """A unit with text speaks; the one after a turn's last text ends the turn; otherwise we listen."""
        if speaks or self._mouth.emitting:
            self._in_turn = True
            return ControlToken.SPEAK
        ends, self._in_turn = self._in_turn, False
        return ControlToken.TURN_EOS if ends else ControlToken.LISTEN

    def floor(self) -> Floor:
        """Quiet counts from the last voice near the microphone and from the end of what we said; what an interruption cut off was
        not an end of ours."""
        last = max((at for at in (self._listener.voice_end, self._said_until) if at is not None), default=None)
        return Floor(not self._listener.unfinished and not self._mouth.busy, self._ms_since(last, self._now))

    def close(self) -> None:
        self._mouth.stop(self._now)

    # -- judgement ------------------------------------------------------------------------------------------------

    def _consider(self, utterance: Utterance) -> list[PartOutcome]:
        text, locale = utterance.text.text, utterance.text.locale
        judgement = self._judge(utterance)
        if not utterance.final:
            outcomes: list[PartOutcome] = [Partial(text, utterance.start, utterance.end)]
            sure = judgement.verdict is VerdictKind.INTERRUPTION and self._understanding.complete(text, locale, self._context())
            if utterance.overlap and self._mouth.busy and sure:
                outcomes.append(self._interrupt(utterance, text))
            return outcomes
        outcomes = []
        if utterance.overlap and self._mouth.busy:
            if judgement.verdict is VerdictKind.INTERRUPTION:
                outcomes.append(self._interrupt(utterance, text))
            else:
                outcomes.append(Verdict(judgement.verdict, utterance.start, utterance.end, text))
        if judgement.addressee is Addressee.ASSISTANT:
            self._question_at = None
            level = utterance.level_db
            self._usual_level_db = level if self._usual_level_db is None else 0.8 * self._usual_level_db + 0.2 * level
            self._listener.usual_db = self._usual_level_db
            if self._late_at(utterance.end) > LATE_MS:
                self._offer(text, locale)
                outcomes.append(self._heard_only(utterance, Addressee.ASSISTANT, self._speaker()))
            else:
                outcomes.append(self._delegate(text, locale, utterance.start, utterance.end, self._speaker(), utterance.endpoint))
        else:
            if judgement.addressee is Addressee.OTHER:
                self._talk_until = utterance.end
            outcomes.append(self._heard_only(utterance, judgement.addressee, Provenance.OVERHEARD))
        return outcomes

    def _judge(self, utterance: Utterance) -> Judgement:
        text, context, know = utterance.text, self._context(), self._understanding
        return judge(
            Evidence(
                text=text.text, locale=text.locale, confidence=text.confidence, no_speech=text.no_speech, level_db=utterance.level_db,
                usual_level_db=self._usual_level_db, words_score=know.addressed(text.text, text.locale, context),
                understood=know.understood(text.text, text.locale, context), backchannel=know.is_backchannel(text.text, text.locale),
                overlap=utterance.overlap, assistant_text=self._mouth.saying,
                ms_since_question=self._ms_since(self._question_at, utterance.start), ms_since_speech=self._ms_since(self._speech_at, utterance.start),
                ms_since_talk=self._ms_since(self._talk_until, utterance.start),
            )
        )  # fmt: skip

    def _finished(self, text: str, locale: str) -> bool:
        return self._understanding.complete(text, locale, self._context())

    def _interrupt(self, utterance: Utterance, text: str) -> Verdict:
        self._mouth.stop(self._now)
        return Verdict(VerdictKind.INTERRUPTION, utterance.start, utterance.end, text)

    def _delegate(
        self, text: str, locale: str, start: Samples, end: Samples, by: Provenance, endpoint: Samples | None = None
    ) -> Output:
        locale = locale or ("zh" if any("\u4e00" <= char <= "\u9fff" for char in text) else "en")
        heard = Heard(text, locale, start, end, Addressee.ASSISTANT, by, endpoint)
        plain = text.replace("<", " ").replace(">", " ")  # words can't open or close a span
        return Output(ControlToken.SPEAK, delegate=f"<delegate>{plain}</delegate>", heard=(heard,))

    def _heard_only(self, utterance: Utterance, addressee: Addressee, by: Provenance) -> Output:
        text = utterance.text
        control = ControlToken.SPEAK if self._mouth.emitting else ControlToken.LISTEN
        return Output(control, heard=(Heard(text.text, text.locale, utterance.start, utterance.end, addressee, by),))

    def _late_at(self, at: Samples) -> float:
        """How late the part arrived in which this instant lies."""
        return next((late_ms for end, late_ms in self._lateness if end >= at), 0.0)

    def _offer(self, text: str, locale: str) -> None:
        """The backlog rule: what was asked while the link was down is offered once, never done."""
        said = text.rstrip(" .。")
        if locale == "zh":
            sentence = f"刚才断线时您说：{said}。还需要的话请再说一遍。"
        else:
            sentence = f"While we were offline you said: {said}. Say it again if you still want it."
        self._mouth.say(sentence, locale)

    # -- speaking -------------------------------------------------------------------------------------------------

    def _take(self, replies: list[BackendReply], feedback: list[Feedback]) -> None:
        for item in feedback:
            match item:
                case Played():
                    self._mouth.played(item, self._now)
                    self._speech_at = self._now
                    if item.finished:
                        self._said_until = self._now
                    if item.finished and item.heard.rstrip().endswith(("?", "？")):
                        self._question_at = self._now
                case ButtonPressed(at=at):
                    self._mouth.stop(at)
        for reply in replies:
            self._mouth.say(reply.text, reply.locale, reply.work_id)

    def _ms_since(self, then: Samples | None, at: Samples) -> float:
        return 1e9 if then is None else (at - then) * 1000 / CLOCK_HZ
