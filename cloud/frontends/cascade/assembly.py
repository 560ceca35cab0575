"""Joins the small models to what the front-end asks for, and the router to its opinion of words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ridealong.cloud.config import FrontEnd as Settings
from ridealong.cloud.frontends.cascade.frontend import Models
from ridealong.cloud.frontends.cascade.listener import Audio, Text
from ridealong.cloud.frontends.cascade.speak import Synthesiser
from ridealong.cloud.frontends.cascade.speech_models import load
from ridealong.cloud.frontends.cascade.turn import TurnModel as Turn
from ridealong.cloud.frontends.cascade.utterance import clauses
from ridealong.cloud.frontends.cascade.vad import VadStream
from ridealong.cloud.frontends.mouth import Clip
from ridealong.harness.framing import is_backchannel
from ridealong.harness.router import Calls, Nothing, Router
from ridealong.harness.skill import Context, Provenance
from ridealong.proto.types import Samples


@dataclass(frozen=True, slots=True)
class RouterOpinion:
    """`Understanding` by the local router. It asks as if the speaker were known; the harness asks again with who it was."""

    router: Router

    def addressed(self, text: str, locale: str, context: Context) -> float:
        return self.router.addressed(text, locale, context)

    def understood(self, text: str, locale: str, context: Context) -> bool:
        match self.router.decide(text, locale, context, Provenance.DRIVER):
            case Nothing(reason=reason):
                return reason in ("stop", "declined")
            case _:
                return True

    def complete(self, text: str, locale: str, context: Context) -> bool:
        match self.router.decide(text, locale, context, Provenance.DRIVER):
            case Calls():
                return True
            case Nothing(reason=reason):
                return reason in ("stop", "declined")
            case _:
                return False

    def is_backchannel(self, text: str, locale: str) -> bool:
        return is_backchannel(text, locale)


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


def load_models(settings: Settings) -> Models:
    """Loads all of them now, so that the first request does not pay for it. Raises UserError naming a missing file."""
    models = load(settings.models_folder, threads=settings.model_threads)
    models.check()
    models.warm()

    def recognise(audio: Audio, locale: str) -> Text:
        heard = models.recogniser.transcribe(audio, locale or None)
        return Text(heard.text, heard.locale, heard.confidence, heard.no_speech)

    voice = KokoroVoice(models.synthesiser, {"en": settings.voice_en, "zh": settings.voice_zh})
    return Models(lambda: SileroStream(models.vad_session.stream()), SmartTurn(models.turn), recognise, voice)
