"""`ridealong model tiny` and `check` at the command line: exit codes, and no torch before it is needed."""

from __future__ import annotations

import json
import subprocess
import sys
import wave
from pathlib import Path

import numpy as np
import pytest
from checkpoints import SHARDS, copied, tiny_folder
from test_voice import _onnx as onnx_files

from ridealong.cli import main
from ridealong.cloud.model.tiny import random_voice
from ridealong.cloud.model.tiny_config import TINY
from ridealong.cloud.model.voice import SPEAKER_FILE, TOKENIZER_FILE, VoiceReader

pytestmark = pytest.mark.model


def test_tiny_then_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "tiny", str(tmp_path / "t"), "--seed", "3", "--kind", "audio", "--base"]) == 0
    assert "its words mean nothing" in capsys.readouterr().out
    assert main(["model", "check", str(tmp_path / "t"), "--sums", "--json", str(tmp_path / "r.json")]) == 0
    told = capsys.readouterr().out
    assert "hears only" in told and "delegation     none: a base checkpoint" in told and "every file is what was fetched" in told
    report = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert report["sound"] is True and report["problems"] == []
    assert {part["name"] for part in report["parts"]} == {"llm", "apm", "audio_projection_layer", "tts"}


def test_check_tells_of_venus_tokens(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "check", str(tiny_folder())]) == 0
    assert "<delegate> 617, </delegate> 618, <backend> 619, </backend> 620" in capsys.readouterr().out


def test_check_of_a_broken_one_is_1_and_no_traceback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = copied(tmp_path)
    (folder / SHARDS[0]).unlink()
    assert main(["model", "check", str(folder)]) == 1
    told = capsys.readouterr()
    assert f"{SHARDS[0]} is missing" in told.out and "not sound" in told.out and told.err == ""
    (folder / "config.json").write_text("{", encoding="utf-8")
    assert main(["model", "check", str(folder)]) == 1


def test_check_sees_a_changed_byte(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = copied(tmp_path)
    with (folder / SHARDS[2]).open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"\x77")
    assert main(["model", "check", str(folder)]) == 0
    assert main(["model", "check", str(folder), "--sums"]) == 1
    assert f"{SHARDS[2]} is not what was fetched" in capsys.readouterr().out


def test_what_can_not_be_done_is_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "check", str(tmp_path / "nowhere")]) == 2
    assert main(["model", "check", str(tiny_folder()), "--json", str(tmp_path / "no" / "r.json")]) == 2
    assert main(["model", "tiny", str(tiny_folder())]) == 2
    assert capsys.readouterr().err.count("ridealong: ") == 3


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_help_needs_no_torch() -> None:
    done = run(
        "import sys; from ridealong.cli import load\n"
        "for name in ('check', 'fetch', 'tiny', 'bench'): load(f'model {name}')\n"
        "assert not {'torch', 'transformers', 'huggingface_hub', 'numpy'} & set(sys.modules)"
    )
    assert done.returncode == 0, done.stderr


def test_without_the_extra() -> None:
    done = run(
        "import sys; sys.modules['torch'] = None\nfrom ridealong.cli import main\nsys.exit(main(['model', 'check', '/tmp']))"
    )
    assert done.returncode == 2
    assert (
        done.stderr
        == "ridealong: `ridealong model` needs the package 'torch': install it with  pip install 'ridealong[model]'.\n"
    )


def test_a_voice_from_a_recording_becomes_the_checkpoint_s(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnxruntime")
    folder = copied(tmp_path)
    voice = folder / "assets" / "voice.safetensors"
    before = voice.read_bytes()
    wav = tmp_path / "somebody.wav"
    with wave.open(str(wav), "wb") as file:
        file.setparams((1, 2, 16_000, 0, "NONE", "NONE"))
        file.writeframes((np.sin(np.arange(32_000) / 9) * 9_000).astype("<i2").tobytes())
    assert main(["model", "voice", str(folder), "--audio", str(wav)]) == 2
    assert "speech_tokenizer_v2_25hz.onnx is missing" in capsys.readouterr().err
    onnx_files(folder / "assets" / "token2wav")
    assert main(["model", "voice", str(folder), "--audio", str(wav)]) == 2
    assert "an x-vector of 80 numbers for 192" in capsys.readouterr().err and voice.read_bytes() == before
    for name in (TOKENIZER_FILE, SPEAKER_FILE):
        (folder / "assets" / "token2wav" / name).unlink()
    monkeypatch.setattr(VoiceReader, "__init__", lambda self, folder: None)
    monkeypatch.setattr(VoiceReader, "read", lambda self, samples, rate: random_voice(TINY, 5))
    assert main(["model", "voice", str(folder), "--audio", str(wav)]) == 0
    assert voice.read_bytes() != before and "It speaks like this only where the speaker agrees" in capsys.readouterr().out
    assert main(["model", "check", str(folder), "--sums"]) == 0
    assert main(["model", "voice", str(folder), "--audio", str(tmp_path / "nobody.wav")]) == 2
    assert main(["model", "voice", str(tmp_path / "nowhere"), "--audio", str(wav)]) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("device", ["zz", "cpu:7", "meta", "cuda:x"])
def test_devices_that_there_are_none(device: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ["model", "chat", str(tiny_folder()), "--text", "hi"],
        ["train", "--model", str(tiny_folder()), "--records", "r", "--out", "o"],
    ):
        assert main([*words, "--device", device]) == 2
        assert f"There is no device '{device}': it is cpu, cuda or cuda:N." in capsys.readouterr().err


def test_check_says_what_a_node_would_refuse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = copied(tmp_path)
    (folder / "assets" / "voice.safetensors").unlink()
    assert main(["model", "check", str(folder)]) == 0
    assert (
        "sound: it can be loaded (whether its weights are numbers is looked at then); not yet served (--frontend venus): it has no voice"
        in capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--steps", "-3"], "a whole number of at least 0 is needed, not '-3'"),
        (["--lr", "nan"], "a number above 0 is needed, not 'nan'"),
        (["--seed", "-1"], "a whole number of at least 0"),
        (["--lr", "1e30"], "it must be at most 1"),
        (["--steps", "1", "--warmup", "100"], "must be less than --steps 1"),
        (["--batch", "1", "--micro", "9"], "can't be more than --batch 1"),
    ],
)
def test_plans_that_cannot_be(words: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(["train", "--model", "m", "--records", "r", "--out", "o", *words])
    except SystemExit as end:
        code = int(end.code or 0)
    assert code == 2 and why in capsys.readouterr().err
