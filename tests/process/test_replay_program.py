"""`ridealong trip replay` as a program: real time over real gRPC, stopped half-way, and a second one at the same time."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from programs import RIDEALONG, environment, refused, ridealong

from ridealong.simulators.trip.expected import parse
from ridealong.simulators.trip.importer import write_trip
from ridealong.simulators.trip.record import RunRecord
from ridealong.vehicle_skills.signals import set_temperature

pytestmark = pytest.mark.process

TEMPERATURE = set_temperature("Row1", "Driver")
EXPECT = f"""\
expect:
  - id: warmer
    said: {{from: 2.0, to: 2.4}}
    signal: {{path: {TEMPERATURE}, value: 22.5, within_s: 4}}
    reply: {{heard: true, within_s: 5}}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("program")
    (folder / "script.yaml").write_text("- {unit: 2, delegate: set the temperature to twenty-two and a half degrees}\n")
    hum = (300 * np.sin(np.arange(8 * 16_000) / 20)).astype(np.int16)
    write_trip(folder / "trip.mcap", {"name": "program"}, hum, (), (), (), parse(EXPECT))
    return folder


def words(folder: Path, *more: str) -> list[str]:
    return ["trip", "replay", str(folder / "trip.mcap"), "--frontend", "scripted", "--script", str(folder / "script.yaml"), *more]


def test_real_time_over_grpc(folder: Path, tmp_path: Path) -> None:
    began = time.monotonic()
    result = ridealong(*words(folder, "--out", str(tmp_path / "run"), "--json", str(tmp_path / "f.json")))
    assert result.returncode == 0, (result.stdout, result.stderr)
    assert time.monotonic() - began >= 8
    assert "climate.set_temperature: completed, delivered" in result.stdout and "1 of 1 expected outcomes held" in result.stdout
    named = {figure["name"]: figure["value"] for figure in json.loads((tmp_path / "f.json").read_text())["figures"]}
    assert named["first_sound_p50_ms"] > 0
    record = RunRecord.load(tmp_path / "run")
    assert record.real_time and record.utterances[0].state == "finished"
    assert record.utterances[0].played_samples == record.utterances[0].samples


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_half_way_it_leaves_what_was_recorded(folder: Path, tmp_path: Path, number: signal.Signals) -> None:
    out = tmp_path / "run"
    program = subprocess.Popen(
        [*RIDEALONG, *words(folder, "--out", str(out))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # a shell's background job ignores it
    )
    assert program.stdout is not None and program.stderr is not None
    while "asked:" not in (line := program.stdout.readline()):
        assert line, program.stderr.read()
    program.send_signal(number)
    _, error = program.communicate(timeout=20)
    assert program.returncode == 130 and "stopped; what was recorded so far is in" in error and "Traceback" not in error
    assert len(error.strip().splitlines()) == 1, error  # the device ends before what it talks to: nothing is missed aloud
    assert (out / "trip.mcap").exists() and not (out / ".lock").exists() and not (out / ".rendered").exists()
    assert ridealong("trip", "info", str(out / "trip.mcap")).returncode == 0


def test_a_second_exclusive_replay_is_refused(folder: Path, tmp_path: Path) -> None:
    first = subprocess.Popen(
        [*RIDEALONG, *words(folder, "--exclusive")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        cwd=tmp_path,
    )
    try:
        assert first.stdout is not None
        assert first.stdout.readline()
        second = subprocess.run(
            [*RIDEALONG, *words(folder, "--exclusive")],
            capture_output=True,
            text=True,
            timeout=60,
            env=environment(),
            cwd=tmp_path,
            check=False,
        )
        refused(second, f"another demo is running (pid {first.pid})")
    finally:
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=20)
    assert len([path for path in (tmp_path / "runs").iterdir() if path.is_dir()]) == 1
