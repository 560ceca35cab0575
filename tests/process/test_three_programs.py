"""Car, node and device as three programs: a spoken request goes in as a WAV file, the car changes, the answer comes out as a WAV file."""

from __future__ import annotations

import asyncio
import json
import wave
from pathlib import Path

import numpy as np
import pytest
from programs import refused, ridealong, running

from ridealong.proto.types import CLOCK_HZ
from ridealong.simulators.trip.loading import load_trip
from ridealong.vehicle_skills.broker import KuksaBroker
from ridealong.vehicle_skills.signals import set_temperature

pytestmark = [pytest.mark.process, pytest.mark.timeout(240)]
TRIP = Path(__file__).parent.parent / "data" / "trips" / "first_trip" / "trip.mcap"


def read_temperature(address: str) -> object:
    async def read() -> object:
        broker = KuksaBroker(address)
        try:
            return (await broker.read([set_temperature("Row1", "Driver")]))[0].value
        finally:
            await broker.close()

    return asyncio.run(read())


def test_a_spoken_request_through_three_programs(tmp_path: Path) -> None:
    spoken = load_trip(TRIP).microphone[: 11 * CLOCK_HZ]  # "Set the temperature to twenty-two and a half."
    with wave.open(str(tmp_path / "microphone.wav"), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(CLOCK_HZ)
        out.writeframes(spoken.astype("<i2").tobytes())
    journal = tmp_path / "journal.sqlite"
    car_words = ["car", "serve", "--address", "127.0.0.1:0"]
    node_words = ["cloud", "serve", "--address", "127.0.0.1:0", "--journal", str(journal)]
    with (
        running(car_words, r"on (127\.0\.0\.1:\d+)", tmp_path) as (_, car),
        running(node_words, r"serving on (127\.0\.0\.1:\d+)", tmp_path, 90) as (_, node),
    ):
        (tmp_path / "device.yaml").write_text(
            f"device: {{kind: car, id: test}}\nlink: {{address: '{node[1]}', give_up_after_s: 20}}\n"
            f"microphone: {{kind: file, path: {tmp_path}/microphone.wav}}\nspeaker: {{kind: file, path: {tmp_path}/speaker.wav}}\n"
            f"vehicle: {{databroker: '{car[1]}', ledger: {tmp_path}/ledger}}\nlinger_s: 6\nlog: {{level: warning}}\n"
        )
        device = ridealong("device", "run", "--config", str(tmp_path / "device.yaml"), timeout_s=90)
        assert device.returncode == 0, device.stderr
        assert read_temperature(car[1]) == 22.5
    with wave.open(str(tmp_path / "speaker.wav")) as heard:
        sound = np.frombuffer(heard.readframes(heard.getnframes()), "<i2").astype(np.float64)
        first_s = int(np.argmax(np.abs(sound) > 1_000)) / heard.getframerate()
    assert 6.5 < first_s < 15, first_s
    listed = ridealong("work", "export", "--journal", str(journal))
    rows = [json.loads(line) for line in listed.stdout.splitlines()]
    assert [(row["capability"], row["execution"], row["delivery"]) for row in rows if "capability" in row] == [
        ("climate.set_temperature", "completed", "delivered")
    ], listed.stdout


def test_talk_by_keyboard(tmp_path: Path) -> None:
    import subprocess

    from programs import RIDEALONG, environment

    words = "set the temperature to twenty one and a half\nopen the boot\nset a timer for ten minutes\ncancel the timer\nhow far is the airport\n"
    no_speech = tmp_path / "node.yaml"
    no_speech.write_text(f"frontend: {{models_folder: {tmp_path / 'none'}}}\n", encoding="utf-8")
    talk = subprocess.run(
        [*RIDEALONG, "talk", "--text", "--speed", "30", "--config", str(no_speech)],
        input=words,
        capture_output=True,
        text=True,
        timeout=120,
        env=environment(RIDEALONG_JOURNAL=str(tmp_path / "work.sqlite")),
        check=False,
    )
    assert talk.returncode == 0, talk.stderr
    assert "Temperature = 21.5" in talk.stdout and "Set to 21.5 degrees." in talk.stdout
    assert "while we're moving" in talk.stdout and "Trunk.Rear.IsOpen" not in talk.stdout
    assert "I've cancelled the timer" in talk.stdout, "a timer that runs holds up no line"
    assert "kilometres away" in talk.stdout, "the car stands in the town that the skills know"
    listed = ridealong("work", "list", "--content", "--journal", str(tmp_path / "work.sqlite")).stdout
    assert all(line in listed for line in words.splitlines()) and "delivering" not in listed


def test_talk_without_a_sound_library_says_what_to_do() -> None:
    import ctypes.util

    if ctypes.util.find_library("portaudio") is None:
        refused(ridealong("talk"), "libportaudio2", "talk --text")
