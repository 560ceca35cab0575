"""A conversation that is only typed: no model or library of speech is needed, or loaded."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ridealong.cloud.config import FrontEnd
from ridealong.cloud.frontends.cascade.typed import SilentVoice, typed
from ridealong.harness.router import Router
from ridealong.proto.words import joined
from ridealong.vehicle_skills.builtin import builtin_registry

pytestmark = pytest.mark.unit

SPEECH = ("onnxruntime", "ctranslate2", "jieba", "opencc")


@pytest.mark.parametrize("text", ["The scent is at 30 percent.", "主驾驶车窗全部打开了。", "好的，volume 20。", "A 下 B", ""])
def test_what_is_said_silently_is_shown_as_it_stands(text: str) -> None:
    voice = SilentVoice()
    clips = [voice.clip(clause, "en") for clause in voice.clauses(text, "en")]
    assert joined(word.word for clip in clips for word in clip.words).replace(" ", "") == text.replace(" ", "")
    assert all(not any(clip.pcm16) and len(clip.pcm16) == 2 * clip.words[-1].end for clip in clips)


@pytest.mark.parametrize("audible", [False, True])
def test_neither_files_nor_libraries_of_speech_are_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], audible: bool
) -> None:
    for name in SPEECH:
        monkeypatch.setitem(sys.modules, name, None)
    models, _ = typed(audible)(FrontEnd(models_folder=tmp_path), Router(builtin_registry()))
    assert isinstance(models.voice, SilentVoice) and models.tagger is not None
    assert models.tagger("open my window")
    said = capsys.readouterr().err
    assert said.startswith("Answers are shown, not heard: ") if audible else said == ""
