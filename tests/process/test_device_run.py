"""The real program: starts, says what is wrong in one sentence, stops cleanly on a signal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import wave
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

SIMULATED = ["--set", "microphone.kind=simulated", "--set", "speaker.kind=simulated", "--set", "link.address=127.0.0.1:9"]


def start(*options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "ridealong.cli", "device", "run", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_cleanly_and_the_recording_is_whole(number: signal.Signals, tmp_path: Path) -> None:
    path = tmp_path / "ride.wav"
    camera = ["--set", "camera.kind=simulated"]
    program = start(*SIMULATED, *camera, "--set", f"recording.path={path}")
    deadline = time.monotonic() + 20
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(1.5)
    program.send_signal(number)
    _, error = program.communicate(timeout=15)
    assert program.returncode == 0, error
    assert "Traceback" not in error
    with wave.open(str(path)) as file:
        assert file.getnchannels() == 2 and file.getnframes() > 12_000


def test_no_node_is_one_sentence_and_exit_2() -> None:
    program = start(*SIMULATED, "--set", "link.give_up_after_s=1", "--set", "log.level=error")
    _, error = program.communicate(timeout=30)
    assert program.returncode == 2
    assert error.count("\n") == 1 and "cannot reach the cloud node at 127.0.0.1:9" in error


def test_a_missing_file_is_one_sentence_and_exit_2(tmp_path: Path) -> None:
    program = start(*SIMULATED, "--set", "microphone.kind=file", "--set", f"microphone.path={tmp_path / 'no.wav'}")
    _, error = program.communicate(timeout=30)
    assert program.returncode == 2 and error.count("\n") == 1 and "no WAV file" in error
