"""`ridealong trip record` as a program, without a node: a file to its end, a signal, mistakes in one sentence."""

from __future__ import annotations

import signal
import subprocess
import time
import wave
from pathlib import Path

import numpy as np
import pytest
from programs import RIDEALONG, environment, refused, ridealong

from ridealong.proto.trip import TripReader
from ridealong.proto.trip_records import CameraFrame, TextEvent
from ridealong.simulators.trip.loading import load_trip

pytestmark = pytest.mark.process

NO_NODE = "link: {address: '127.0.0.1:9'}\nlog: {level: error}\n"


def write_tone(path: Path, seconds: float) -> np.ndarray:
    sound = (8_000 * np.sin(np.arange(int(seconds * 16_000)) * 0.2)).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 16_000, 0, "NONE", ""))
        file.writeframes(sound.tobytes())
    return sound


def test_a_file_microphone_is_recorded_to_its_end_without_a_node(tmp_path: Path) -> None:
    sound = write_tone(tmp_path / "user.wav", 2.4)
    config = tmp_path / "device.yaml"
    config.write_text(
        f"microphone: {{kind: file, path: {tmp_path / 'user.wav'}}}\nspeaker: {{kind: simulated}}\n"
        f"sound: {{echo_cancellation: false}}\nlinger_s: 60\n{NO_NODE}"
    )
    out = tmp_path / "drive.mcap"
    done = ridealong("trip", "record", "--config", str(config), "-o", str(out), timeout_s=40)
    assert done.returncode == 0, done.stderr
    assert "recording into" in done.stderr and "0 frames" in done.stdout
    trip = load_trip(out)
    assert trip.name == "drive" and trip.meta["source"] == "record"
    assert abs(int(trip.meta["start_utc_ns"]) / 1e9 - time.time()) < 60  # type: ignore[call-overload]
    first = int(np.flatnonzero(np.abs(trip.microphone) > 4_000)[0])
    heard = trip.microphone[first:]
    at = int(np.argmax(np.abs(sound) > 4_000))
    assert len(trip.microphone) >= 2.2 * 16_000
    same = min(len(heard), len(sound) - at) - 3_200
    assert np.array_equal(heard[:same], sound[at : at + same])  # every sample of it, in its place
    refused(ridealong("trip", "record", "--config", str(config), "-o", str(out)), "exists already", "--force")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_and_the_trip_is_whole(number: signal.Signals, tmp_path: Path) -> None:
    config = tmp_path / "device.yaml"
    config.write_text(
        f"microphone: {{kind: simulated}}\nspeaker: {{kind: simulated}}\ncamera: {{kind: simulated, every_ms: 200}}\n{NO_NODE}"
    )
    out = tmp_path / "drive.mcap"
    command = [*RIDEALONG, "trip", "record", "--config", str(config), "--set", "link.give_up_after_s=1", "-o", str(out)]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
    deadline = time.monotonic() + 30
    while not (out.exists() and out.stat().st_size > 20_000) and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(2)
    program.send_signal(number)
    shown, error = program.communicate(timeout=20)
    assert program.returncode == 0 and "Traceback" not in error, error
    trip = load_trip(out)
    assert trip.duration_s > 2 and len(trip.frames) >= 3 and f"{len(trip.frames)} frames" in shown
    with TripReader(out) as reader:
        records = list(reader.records())
    frame = next(record for record in records if isinstance(record, CameraFrame))
    assert frame.jpeg[:2] == b"\xff\xd8" and frame.width == 448
    gates = [record for record in records if isinstance(record, TextEvent) and record.channel == "gate"]
    assert gates[0].values["reason"] == "first"


def test_mistakes_are_one_sentence_and_leave_no_file(tmp_path: Path) -> None:
    options = ["trip", "record", "--set", "speaker.kind=simulated", "--set", "log.level=error"]
    lost = ridealong(
        *options, "--set", "microphone.kind=file", "--set", "microphone.path=none.wav", "-o", str(tmp_path / "a.mcap")
    )
    refused(lost, "no WAV file")
    refused(ridealong(*options, "-o", str(tmp_path / "no" / "a.mcap")), "no folder")
    assert not list(tmp_path.iterdir())
