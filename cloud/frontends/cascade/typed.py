"""The front-end's needs where words are only typed: no model of speech, so that none has to be there, or be loaded.

    build_node(config, assemble=typed(audible=False), …)

The microphone is not listened to. Answers are silent, and take as long as a quick reader; where they can be heard they are synthesised, if the voice's files and
libraries are there. The tagger of requests is the same as for speech. Does not know where typed words come from.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ridealong.cloud.config import FrontEnd as Settings
from ridealong.cloud.frontends.cascade.assembly import KokoroVoice, RouterOpinion
from ridealong.cloud.frontends.cascade.frontend import Models
from ridealong.cloud.frontends.cascade.segment import Audio, Text
from ridealong.cloud.frontends.cascade.speech_models import load
from ridealong.cloud.frontends.mouth import Clip, Voice
from ridealong.cloud.tagger import load_tagger
from ridealong.errors import UserError
from ridealong.harness.router import Router
from ridealong.proto.types import WordTime

RATE: Final = 24_000
WORD_MS: Final = 60
_WORDS: Final = re.compile(r"[^\s\u3000-\u9fff\uff00-\uffef]+|[\u3000-\u9fff\uff00-\uffef]")


class Silence:
    """`SpeechProbability` of a microphone that nobody listens to."""

    def __call__(self, frame: Audio) -> float:
        return 0.0

    def reset(self) -> None:
        pass


@dataclass(frozen=True, slots=True)
class SilentVoice:
    """Silence of 60 ms a word, or a Chinese character."""

    def clauses(self, text: str, locale: str) -> list[str]:
        return [text] if text.strip() else []

    def clip(self, text: str, locale: str) -> Clip:
        words, length = _WORDS.findall(text), RATE * WORD_MS // 1000
        times = tuple(WordTime(word, place * length, (place + 1) * length) for place, word in enumerate(words))
        return Clip(bytes(2 * length * len(words)), RATE, times)


def typed(audible: bool) -> Callable[[Settings, Router], tuple[Models, RouterOpinion]]:
    """In place of `assembly.assemble`. `audible`: there is somebody to hear the answers."""

    def assemble(settings: Settings, router: Router) -> tuple[Models, RouterOpinion]:
        voice = _spoken(settings) if audible else SilentVoice()
        return Models(Silence, lambda audio: 0.0, _nothing, voice, tagger=load_tagger()), RouterOpinion(router)

    return assemble


def _nothing(audio: Audio, locale: str) -> Text:
    return Text("", locale or "en", 0.0, 1.0)


def _spoken(settings: Settings) -> Voice:
    try:
        found = load(settings.models_folder, threads=settings.model_threads).synthesiser
    except UserError as error:
        print(f"Answers are shown, not heard: {error}", file=sys.stderr)
    except ImportError as error:
        print(f"Answers are shown, not heard: the package {error.name!r} is not installed.", file=sys.stderr)
    else:
        return KokoroVoice(found, {"en": settings.voice_en, "zh": settings.voice_zh})
    return SilentVoice()
