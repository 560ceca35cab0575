"""The embedded front-end: voice activity, turn model, recognition, judgement, router's opinion and neural speech, all on the CPU.

It emits the same control tokens and delegate spans as the 9B model, so that everything downstream is identical. It never makes up
an answer of its own: what it says are results that the harness returned.

Does not know: capabilities by name, the link, the car.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field, fields
from typing import Protocol

from ridealong.cloud.frontends.base import (
    Addressee,
    BackendReply,
    ButtonPressed,
    Feedback,
    Floor,
    Heard,
    Intent,
    Output,
    Partial,
    PartIn,
    PartOutcome,
    Played,
    SpeechSlice,
    UnitIn,
    Verdict,
    VerdictKind,
)
from ridealong.cloud.frontends.cascade.listener import Listener, Recognise, SpeechProbability, TurnModel
from ridealong.cloud.frontends.cascade.segment import Audio, Utterance
from ridealong.cloud.frontends.mouth import Mouth, Voice
from ridealong.cloud.frontends.synthesis_speed import SynthesisSpeed
from ridealong.cloud.turn.addressed import addressee, clearly_ours
from ridealong.cloud.turn.evidence import Evidence, Reading
from ridealong.cloud.turn.judge import Judgement, judge
from ridealong.cloud.turn.wearer import Print, Wearer
from ridealong.cloud.turn.who import speaker
from ridealong.harness.sentences import sentence
from ridealong.harness.skill import Context, Provenance
from ridealong.harness.tagged import Tags
from ridealong.proto.types import CLOCK_HZ, ControlToken, Samples

LATE_MS = 2_000
LAST_SAID_MS = 4_000
MAY_BE_OURS = 0.4
"""Words that look so much like a request are taken for the user's own, although nothing could be done for them."""
LIKELY = 0.35
"""From this probability on that the speaker has finished, synthesis of the likely answer is worth its cost."""


class Understanding(Protocol):
    """The router's and the sentence embedding's opinion of words, without acting on them."""

    def read(self, text: str, locale: str, context: Context, saying: str) -> Reading:
        """`saying`: what the assistant is saying, "" when it is silent."""

    def complete(self, text: str, locale: str, context: Context) -> bool:
        """A whole request with all its values: no need to wait for more words."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One judgement, for those who tune and measure. `judgement` None: the assistant was silent."""

    start: Samples
    end: Samples
    evidence: Evidence
    judgement: Judgement | None


@dataclass(frozen=True, slots=True)
class Models:
    """What the front-end needs of the small models; each is used from worker threads."""

    vad: Callable[[], SpeechProbability]
    turn: TurnModel
    recognise: Recognise
    voice: Voice
    voice_print: Callable[[Audio], Print | None] = lambda audio: None
    tagger: Tags | None = None
    """Not for the front-end: for the router behind it."""
    speed: SynthesisSpeed = field(default_factory=SynthesisSpeed)


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
        *,
        voice_identity: bool = True,
        observe: Callable[[Observation], None] | None = None,
        expected: Callable[[str, str], str] = lambda text, locale: "",
        clock: Callable[[], float] = lambda: 0.0,
        mouth: Mouth | None = None,
    ) -> None:
        """`mouth`: another that speaks; None: its own. `expected(text, locale)`: what would probably be answered, "" where unknown: its sound is made ready before it is needed.
        `clock`, in seconds: how long synthesis takes."""
        self._understanding, self._context, self._speaker = understanding, context, speaker
        self._listener = Listener(models.vad(), models.turn, models.recognise, executor, wake, self._finished, locale)
        self._mouth = mouth or Mouth(models.voice, executor, wake, clock, models.speed)
        self._expected = expected
        self._voice_print, self._wearer, self._observe = models.voice_print, Wearer(voice_identity), observe
        self._spoken: defaultdict[str, Wearer] = defaultdict(lambda: Wearer(voice_identity))  # the user's voice by language
        self._ruled: tuple[Samples, VerdictKind] | None = None  # the last verdict and the overlap it was on
        for language in ("en", "zh"):
            self._mouth.pin(sentence("one_moment", language), language)
        self._now = Samples(0)
        self._usual_level_db: float | None = None
        self._question_at: Samples | None = None
        self._speech_at: Samples | None = None
        self._request_at: Samples | None = None
        self._first_word_at: Samples | None = None
        self._last_said = ""
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
        slices = self._slices()
        if slices:
            self._in_turn = True
            outcomes.append(Output(ControlToken.SPEAK, " ".join(s.text for s in slices if s.text), speech=tuple(slices)))
        return outcomes

    def on_unit(self, unit: UnitIn, replies: list[BackendReply], feedback: list[Feedback]) -> Output:
        self._now = Samples(max(self._now, unit.start + unit.samples))
        self._take(replies, feedback)
        typed = [self._delegate(text, "", unit.start, self._now, Provenance.TYPED) for text in unit.typed]
        slices = self._slices()
        control = self._control(bool(slices) or bool(typed))
        return Output(
            control,
            " ".join(s.text for s in slices if s.text),
            delegate="".join(out.delegate for out in typed),
            speech=tuple(slices),
            heard=tuple(heard for out in typed for heard in out.heard),
        )

    def _slices(self) -> list[SpeechSlice]:
        """What is to be said now, at a part or at a unit's end."""
        slices = self._mouth.slices(self._now)
        if slices and self._first_word_at is None:
            self._first_word_at = self._now
        return slices

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
        return Floor(not self._listener.unfinished and not self._mouth.engaged, self._ms_since(last, self._now))

    def close(self) -> None:
        self._mouth.stop(self._now)

    # -- judgement ------------------------------------------------------------------------------------------------

    def _consider(self, utterance: Utterance) -> list[PartOutcome]:
        voice = self._voice_print(utterance.audio) if utterance.overlap or utterance.final else None
        evidence = self._evidence(utterance, voice)
        if utterance.overlap:
            return self._overlap(utterance, evidence, voice)
        if self._observe is not None:
            self._observe(Observation(utterance.start, utterance.end, evidence, None))
        if not utterance.final:
            if utterance.finished >= LIKELY:
                self._get_ready(evidence)
            return [Partial(evidence.text, utterance.start, utterance.end)]
        whom = addressee(evidence)
        intent = (
            Intent(max(evidence.intents, key=evidence.intents.__getitem__))
            if clearly_ours(evidence) and evidence.intents
            else None
        )
        return self._conclude(utterance, evidence, whom, voice, intent if whom is Addressee.ASSISTANT else None)

    def _overlap(self, utterance: Utterance, evidence: Evidence, voice: Print | None) -> list[PartOutcome]:
        """It began over our speech: a verdict, early when it is sure, at its end in any case."""
        judgement = judge(evidence)
        if self._observe is not None:
            self._observe(Observation(utterance.start, utterance.end, evidence, judgement))
        outcomes: list[PartOutcome] = []
        verdict = judgement.verdict
        if verdict is not None and self._ruled != (utterance.start, verdict) and self._mouth.busy:
            self._ruled = (utterance.start, verdict)
            outcomes.append(Verdict(verdict, utterance.start, utterance.end, evidence.text, judgement.intent))
            if verdict is VerdictKind.INTERRUPTION:
                self._mouth.stop(self._now)
        if not utterance.final:
            return [Partial(evidence.text, utterance.start, utterance.end), *outcomes]
        return [*outcomes, *self._conclude(utterance, evidence, judgement.addressee, voice, judgement.intent)]

    def _conclude(
        self, utterance: Utterance, evidence: Evidence, whom: Addressee, voice: Print | None, intent: Intent | None = None
    ) -> list[PartOutcome]:
        """An utterance is over and it is known for whom it was."""
        text, locale = evidence.text, evidence.locale
        if whom is not Addressee.ASSISTANT:
            if whom is Addressee.OTHER:
                self._talk_until = utterance.end
                if not utterance.overlap and evidence.words >= MAY_BE_OURS:
                    self._know(utterance, evidence, voice)
            return [self._heard_only(utterance, whom, Provenance.OVERHEARD)]
        by = speaker(self._speaker(), evidence)
        self._question_at = None
        self._request_at = utterance.end
        self._know(utterance, evidence, voice)
        if self._late_at(utterance.end) > LATE_MS:
            self._offer(text, locale)
            return [self._heard_only(utterance, whom, by)]
        self._get_ready(evidence)
        return [self._delegate(text, locale, utterance.start, utterance.end, by, utterance.endpoint, intent)]

    def _know(self, utterance: Utterance, evidence: Evidence, voice: Print | None) -> None:
        """Learn the user's voice and level from what was said to us, or looked like it."""
        level = utterance.level_db
        self._usual_level_db = level if self._usual_level_db is None else 0.8 * self._usual_level_db + 0.2 * level
        self._listener.levels.usual_db = self._usual_level_db
        if voice is not None:
            self._wearer.learn(voice, evidence.voiced_ms)
            self._spoken[evidence.locale[:2]].learn(voice, evidence.voiced_ms)

    def _get_ready(self, evidence: Evidence) -> None:
        """The words so far may be all: begin to synthesise what would be answered."""
        if evidence.understood and (likely := self._expected(evidence.text, evidence.locale)):
            self._mouth.prepare(likely, evidence.locale)

    def _evidence(self, utterance: Utterance, voice: Print | None) -> Evidence:
        text, saying = utterance.text, self._mouth.saying or self._just_said(utterance.start)
        read = self._understanding.read(text.text, text.locale, self._context(), saying if utterance.overlap else "")
        return Evidence(
            text=text.text, locale=text.locale, final=utterance.final, overlap=utterance.overlap, confidence=text.confidence,
            no_speech=text.no_speech, voiced_ms=utterance.voiced_ms, turn=utterance.turn, level_db=utterance.level_db,
            usual_level_db=self._usual_level_db, similarity=self._wearer.similarity(voice),
            same_language=self._spoken[text.locale[:2]].similarity(voice), assistant_text=saying,
            **{one.name: getattr(read, one.name) for one in fields(Reading)},
            ms_since_question=self._ms_since(self._question_at, utterance.start), ms_since_speech=self._ms_since(self._speech_at, utterance.start),
            ms_since_talk=self._ms_since(self._talk_until, utterance.start), ms_since_request=self._ms_since(self._request_at, utterance.start),
            ms_since_first_word=self._ms_since(self._first_word_at, utterance.start),
        )  # fmt: skip

    def _just_said(self, at: Samples) -> str:
        """What was heard of us last, for a while: a late echo of it is not the user."""
        return self._last_said if self._ms_since(self._speech_at, at) < LAST_SAID_MS else ""

    def _finished(self, text: str, locale: str) -> bool:
        return self._understanding.complete(text, locale, self._context())

    def _delegate(
        self,
        text: str,
        locale: str,
        start: Samples,
        end: Samples,
        by: Provenance,
        endpoint: Samples | None = None,
        intent: Intent | None = None,
    ) -> Output:
        locale = locale or ("zh" if any("\u4e00" <= char <= "\u9fff" for char in text) else "en")
        heard = Heard(text, locale, start, end, Addressee.ASSISTANT, by, endpoint, intent)
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
                    self._last_said = item.heard or self._last_said
                    if item.finished:
                        self._said_until = self._now
                    if item.finished and item.heard.rstrip().endswith(("?", "？")):
                        self._question_at = self._now
                case ButtonPressed(at=at):
                    self._mouth.stop(at)
        for reply in replies:
            self._mouth.say(reply.text, reply.locale, reply.work_id, filler=reply.filler)

    def _ms_since(self, then: Samples | None, at: Samples) -> float:
        return 1e9 if then is None else (at - then) * 1000 / CLOCK_HZ
