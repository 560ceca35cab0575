"""Clips are synthesised once and kept: found again, made anew when anything that is heard changes, bounded."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ridealong.cloud.frontends.cascade.speak import Synthesised
from ridealong.errors import UserError
from ridealong.simulators.scenarios.acoustics import shifted
from ridealong.simulators.scenarios.scenario import Split
from ridealong.simulators.scenarios.speech import MODEL, Kokoro
from ridealong.simulators.scenarios.voices import Voice, voices_of

pytestmark = pytest.mark.unit

EMMA, MICHAEL, *_ = voices_of(Split.TUNE, "en")


@dataclass
class Synthesiser:
    """Says every text as half a second of a 200 Hz tone at 24 kHz."""

    taught: set[str] = field(default_factory=set)
    said: list[str] = field(default_factory=list)
    silent: bool = False

    def teach(self, name: str, style: Any) -> None:
        self.taught.add(name)

    def synthesise(self, text: str, locale: str, voice: str, speed: float) -> Synthesised:
        assert voice in self.taught
        self.said.append(text)
        tone = 8_000 * np.sin(2 * np.pi * 200 * np.arange(12_000) / 24_000)
        return Synthesised(tone.astype(np.int16)[: 0 if self.silent else None], ())


def kokoro(folder: Path, synthesiser: Any, sha256: str = "a", max_bytes: int = 10**9) -> Kokoro:
    models: Any = SimpleNamespace(synthesiser=synthesiser, cache=SimpleNamespace(files={MODEL: SimpleNamespace(sha256=sha256)}))
    return Kokoro(models, folder, max_bytes)


def test_a_clip_is_made_once_for_all_processes(tmp_path: Path) -> None:
    synthesiser = Synthesiser()
    first = kokoro(tmp_path, synthesiser).say("hello", EMMA)
    again = kokoro(tmp_path, None).say("hello", EMMA)  # nothing there that could speak
    assert synthesiser.said == ["hello"] and np.array_equal(first, again)


def test_another_text_voice_or_model_is_another_clip(tmp_path: Path) -> None:
    synthesiser = Synthesiser()
    one = kokoro(tmp_path, synthesiser)
    one.say("hello", EMMA)
    one.say("hello there", EMMA)
    one.say("hello", MICHAEL)
    kokoro(tmp_path, synthesiser, sha256="b").say("hello", EMMA)
    changed: Voice = replace(EMMA, shift=1.1)
    kokoro(tmp_path, synthesiser).say("hello", changed)
    assert len(synthesiser.said) == 5 == len(list(tmp_path.glob("*.npy")))


def test_a_damaged_clip_is_made_anew(tmp_path: Path) -> None:
    synthesiser = Synthesiser()
    good = kokoro(tmp_path, synthesiser).say("hello", EMMA)
    (path,) = tmp_path.glob("*.npy")
    path.write_bytes(b"half a cl")
    assert np.array_equal(kokoro(tmp_path, synthesiser).say("hello", EMMA), good)
    assert len(synthesiser.said) == 2 and not list(tmp_path.glob("*.tmp"))


def test_the_clips_longest_unused_go_first(tmp_path: Path) -> None:
    one = kokoro(tmp_path, Synthesiser(), max_bytes=40_000)
    for number, text in enumerate(("one", "two", "three")):
        one.say(text, EMMA)
        for path in tmp_path.glob("*.npy"):
            os.utime(path, ns=(number, number)) if path.stat().st_mtime_ns > 10 else None
    one.say("one", EMMA)  # used just now
    one.prune()
    assert one.removed == 1 and sum(path.stat().st_size for path in tmp_path.glob("*.npy")) <= 40_000
    other = kokoro(tmp_path, None)
    other.say("one", EMMA)
    other.say("three", EMMA)
    with pytest.raises(AttributeError):  # "two" would have to be spoken again
        other.say("two", EMMA)


def test_a_text_with_nothing_to_say_is_the_writers_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nothing to say"):
        kokoro(tmp_path, Synthesiser(silent=True)).say("...", EMMA)


def test_a_smaller_speaker_is_higher_and_no_faster() -> None:
    tone = np.sin(2 * np.pi * 200 * np.arange(16_000) / 16_000).astype(np.float32)
    higher = shifted(tone, 1.2)
    assert len(higher) == pytest.approx(16_000 / 1.2, abs=2)
    assert np.argmax(np.abs(np.fft.rfft(higher))) * 16_000 / len(higher) == pytest.approx(240, abs=2)
    voice = replace(EMMA, shift=1.2, pace=1.0)
    assert voice.synthesis_speed * voice.shift == pytest.approx(1.0)
