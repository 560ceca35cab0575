"""Joins the small models to what the front-end asks for, and the router to its opinion of words."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ridealong.cloud.config import FrontEnd as Settings
from ridealong.cloud.frontends.cascade.frontend import CascadeFrontEnd, Models, Observation
from ridealong.cloud.frontends.cascade.meaning import Meaning
from ridealong.cloud.frontends.cascade.segment import Audio, Text
from ridealong.cloud.frontends.cascade.speak import Synthesiser
from ridealong.cloud.frontends.cascade.speech_models import SpeechModels, load
from ridealong.cloud.frontends.cascade.turn import TurnModel as Turn
from ridealong.cloud.frontends.cascade.utterance import clauses
from ridealong.cloud.frontends.cascade.vad import VadStream
from ridealong.cloud.frontends.mouth import Clip, Mouth
from ridealong.cloud.turn.evidence import Reading
from ridealong.harness.framing import frame
from ridealong.harness.interjections import is_backchannel, is_stop
from ridealong.harness.router import Calls, ChitChat, Decision, Nothing, Router
from ridealong.harness.skill import Context, Provenance
from ridealong.proto.types import Samples

if TYPE_CHECKING:
    from ridealong.cloud.session import SessionActor
    from ridealong.harness.harness import Harness

TAKEN = ("stop", "declined")
"""Nothing is to be done for these words, and yet they were said to the assistant."""


@dataclass(frozen=True, slots=True)
class RouterOpinion:
    """`Understanding` by the local router and the sentence embedding (without one, its inputs have no say). It asks as if the speaker
    were known; the harness asks again with who it was."""

    router: Router
    meaning: Meaning | None = None

    def read(self, text: str, locale: str, context: Context, saying: str) -> Reading:
        if not text.strip():
            return Reading()
        framing = frame(text, locale)
        decision = self.router.decide(text, locale, context, Provenance.DRIVER)
        means = self.meaning.read(text) if self.meaning is not None else None
        return Reading(
            words=self.router.addressed(text, locale, context),
            understood=not isinstance(decision, Nothing) or decision.reason in TAKEN,
            complete=self._complete(decision),
            to_other=framing.to_other,
            narrated=framing.narrated or framing.reported,
            question=framing.question,
            correction=framing.correction is not None,
            wake=framing.wake,
            thanks=isinstance(decision, ChitChat) and decision.kind == "thanks",
            listed_backchannel=is_backchannel(text, locale),
            listed_stop=is_stop(text, locale),
            meaning=means.kinds if means is not None else {},
            intents=means.intents if means is not None else {},
            sounds=means.sounds if means is not None else {},
            topic=self.meaning.topic(text, saying) if self.meaning is not None else None,
        )

    def complete(self, text: str, locale: str, context: Context) -> bool:
        """For the end of a turn: a whole request, or a whole "thank you"."""
        decision = self.router.decide(text, locale, context, Provenance.DRIVER)
        return self._complete(decision) or (isinstance(decision, ChitChat) and decision.kind in ("thanks", "greeting"))

    @staticmethod
    def _complete(decision: Decision) -> bool:
        match decision:
            case Calls():
                return True
            case Nothing(reason=reason):
                return reason in TAKEN
            case _:
                return False


@dataclass(frozen=True, slots=True)
class SmartTurn:
    """`TurnModel` by Smart Turn."""

    model: Turn

    def __call__(self, audio: Audio) -> float:
        return self.model.completed(audio)


class SileroStream:
    """`SpeechProbability` of one microphone."""

    def __init__(self, stream: VadStream) -> None:
        self._stream = stream

    def __call__(self, frame: Audio) -> float:
        return self._stream.feed(frame)[-1].probability

    def reset(self) -> None:
        self._stream.restart(Samples(0))


@dataclass(frozen=True, slots=True)
class KokoroVoice:
    """`Voice` by Kokoro; one voice a language."""

    synthesiser: Synthesiser
    voices: dict[str, str]

    def clauses(self, text: str, locale: str) -> list[str]:
        return clauses(text, locale)

    def clip(self, text: str, locale: str) -> Clip:
        made = self.synthesiser.synthesise(text, locale, self.voices.get(locale, self.voices["en"]), tail_pause=True)
        return Clip(np.asarray(made.pcm).astype("<i2").tobytes(), made.rate, made.words)


def assemble(settings: Settings, router: Router, models: SpeechModels | None = None) -> tuple[Models, RouterOpinion]:
    """What the front-end needs. Loads all models now (or takes loaded ones), so that the first request does not pay for it. Raises
    UserError naming a missing file."""
    if models is None:
        models = load(settings.models_folder, threads=settings.model_threads)
        models.check()
        models.warm()
    loaded = models

    def recognise(audio: Audio, locale: str) -> Text:
        heard = loaded.recogniser.transcribe(audio, locale or None)
        return Text(heard.text, heard.locale, heard.confidence, heard.no_speech)

    voice = KokoroVoice(loaded.synthesiser, {"en": settings.voice_en, "zh": settings.voice_zh})
    needed = Models(
        lambda: SileroStream(loaded.vad_session.stream()), SmartTurn(loaded.turn), recognise, voice, loaded.voice_print.embed,
        loaded.tagger,
    )  # fmt: skip
    return needed, RouterOpinion(router, loaded.meaning)


def listeners(
    settings: Settings,
    router: Router,
    executor: Executor,
    ready: Callable[[Settings, Router], tuple[Models, RouterOpinion]] | None = None,
    observe: Callable[[Observation], None] | None = None,
) -> tuple[Models, Callable[..., CascadeFrontEnd]]:
    """The models, and what makes a session's front-end of them: (actor, harness, mouth), the mouth of somebody else who speaks, or None.
    `ready`: in place of `assemble`."""
    models, opinion = (ready or assemble)(settings, router)

    def make(actor: SessionActor, harness: Harness, mouth: Mouth | None = None) -> CascadeFrontEnd:
        return CascadeFrontEnd(
            models, opinion, harness.context, executor, actor.wake, lambda: actor.speaker, settings.locale or actor.locale,
            voice_identity=settings.voice_identity, observe=observe,
            expected=lambda text, locale: harness.rehearse(text, locale, actor.speaker), clock=asyncio.get_running_loop().time,
            mouth=mouth,
        )  # fmt: skip

    return models, make
