"""The command: configuration shown, mistakes in one sentence, nothing heavy imported."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ridealong import cli
from ridealong.device import main
from ridealong.device.config import DeviceConfig, Kind, load_config
from ridealong.device.doctor import Finding, check_camera, check_files, check_reach, check_sound
from ridealong.device.microphone import FileMicrophone, SimulatedMicrophone, SoundDeviceMicrophone
from ridealong.device.speaker import FileSpeaker
from ridealong.errors import UserError

pytestmark = pytest.mark.unit

EXAMPLE = Path(__file__).parents[2] / "docs" / "guides" / "device.example.yaml"


def config(*pairs: str) -> DeviceConfig:
    return load_config(None, {}, main.parse_settings(list(pairs))).value


def test_the_example_is_valid_and_print_config_says_where_values_come_from(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["device", "run", "--config", str(EXAMPLE), "--set", "link.address=10.0.0.5:1", "--print-config"]) == 0
    shown = capsys.readouterr().out
    assert "address: 10.0.0.5:1" in shown and "# flag" in shown and "device.example.yaml:" in shown and "# default" in shown


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        (["microphone.knd=file"], "did you mean 'microphone.kind'"),
        (["microphone.kind=file"], "needs microphone.path"),
        (["link.address=here"], "HOST:PORT"),
        (["sound.vad=9"], "sound.vad"),
        (["sound.near_end_margin_db=.nan"], "near_end_margin_db"),
        (["speaker.output_latency_ms=-5"], "output_latency_ms must lie"),
        (["speaker.output_latency_ms=soon"], "must be a number"),
        (["linger_s=-1"], "linger_s"),
        (["device.locale=english"], "one of en, zh, mixed"),
        (["camera.every_ms=1"], "every_ms"),
        (["link.address"], "KEY=VALUE"),
    ],
)
def test_mistakes_are_one_sentence_and_exit_2(pairs: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["device", "run", *[part for pair in pairs for part in ("--set", pair)]]) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1 and "Traceback" not in error


def test_kinds_choose_implementations() -> None:
    assert isinstance(main.make_microphone(config()), SoundDeviceMicrophone)
    assert isinstance(main.make_microphone(config("microphone.kind=simulated")), SimulatedMicrophone)
    assert isinstance(main.make_microphone(config("microphone.kind=file", "microphone.path=a.wav")), FileMicrophone)
    assert isinstance(main.make_speaker(config("speaker.kind=file", "speaker.path=a.wav")), FileSpeaker)
    assert main.make_camera(config()) is None


def test_importing_the_agent_brings_nothing_heavy() -> None:
    heavy = (
        "cv2",
        "torch",
        "transformers",
        "onnxruntime",
        "av",
        "rich",
        "mcap",
        "grpc",
        "sounddevice",
        "fastapi",
        "starlette",
        "uvicorn",
    )
    code = f"import sys, ridealong.device.main, ridealong.device.doctor; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ), check=True)
    assert done.stdout.strip() == "[]"


def findings(found: object) -> dict[str, Finding]:
    return {finding.what: finding for finding in found}  # type: ignore[attr-defined]


def test_the_doctor_names_each_lack_with_its_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise UserError("install libportaudio2")

    monkeypatch.setattr("ridealong.device.doctor.load_backend", missing)
    assert findings(check_sound(config()))["sound library"] == Finding("sound library", False, "install libportaudio2")
    silent = config("microphone.kind=simulated", "speaker.kind=simulated")
    assert silent.microphone.kind is Kind.SIMULATED and findings(check_sound(silent))["sound library"].good is None
    lost = check_files(config("microphone.kind=file", f"microphone.path={tmp_path / 'no.wav'}"))
    assert findings(lost)["microphone"].good is False
    node = findings(check_reach(config("link.address=127.0.0.1:1")))["cloud node"]
    assert node.good is False and "cloud serve" in node.text
    assert findings(check_camera(config()))["cameras"].good is None


def test_the_doctor_runs_and_says_what_is_missing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for key, value in {"MICROPHONE__KIND": "simulated", "SPEAKER__KIND": "simulated", "LINK__ADDRESS": "127.0.0.1:1"}.items():
        monkeypatch.setenv(f"RIDEALONG_DEVICE__{key}", value)
    assert cli.main(["device", "doctor"]) == 1
    out = capsys.readouterr().out
    assert "LACK cloud node" in out and "1 lack." in out


def test_options_parse() -> None:
    parser = argparse.ArgumentParser()
    main.RUN.configure(parser)
    assert parser.parse_args(["--config", "x.yaml"]).config == Path("x.yaml")
