"""The made-up voices really speak: every one is understood. Needs the models."""

from __future__ import annotations

import numpy as np
import pytest

from ridealong.cloud.frontends.cascade.speech_models import SpeechModels, load
from ridealong.simulators.scenarios.speech import Kokoro
from ridealong.simulators.scenarios.voices import VOICES, Voice

pytestmark = pytest.mark.models

SENTENCES = {"en": ("Please close the window on the left side.", "window on the left"), "zh": ("请把左边的车窗关上。", "车窗")}


@pytest.fixture(scope="module")
def models() -> SpeechModels:
    return load()


@pytest.mark.parametrize("voice", VOICES, ids=lambda voice: voice.name)
def test_every_voice_is_understood(models: SpeechModels, voice: Voice) -> None:
    text, key = SENTENCES[voice.locale]
    said = Kokoro(models).say(text, voice)
    quiet = np.zeros(4_000, dtype=np.float32)
    heard = models.recogniser.transcribe(np.concatenate([quiet, said, quiet]), hint=voice.locale)
    assert heard.locale == voice.locale and key in heard.text.casefold(), heard
