"""Standing requests spoken to the embedded front-end, with the real models: another voice, a sign in the picture, the car's battery."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
import soxr

from ridealong.cli import main
from ridealong.cloud.frontends.cascade.speech_models import load
from ridealong.proto.types import CLOCK_HZ
from ridealong.simulators.car.plant import SignalSample
from ridealong.simulators.trip.expected import parse
from ridealong.simulators.trip.importer import write_trip
from ridealong.simulators.trip.record import RunRecord
from ridealong.simulators.trip.sources import Frame
from ridealong.vehicle_skills.signals import BATTERY_LEVEL

pytestmark = [pytest.mark.models, pytest.mark.timeout(600)]

DURATION_S = 46


def picture(words: str) -> bytes:
    scene = np.random.default_rng(4).normal(110, 15, (270, 480, 3)).clip(0, 255).astype(np.uint8)
    if words:
        cv2.rectangle(scene, (90, 60), (390, 190), (60, 110, 20), -1)
        cv2.putText(scene, words, (120, 145), cv2.FONT_HERSHEY_SIMPLEX, 1.8, (255, 255, 255), 4)
    return cv2.imencode(".jpg", scene)[1].tobytes()


def ride(folder: Path, lines: list[tuple[float, str, str, str, float]]) -> RunRecord:
    """Lines: when, locale, voice, words, level. EXIT 11 is in the picture from 20 s on, EXIT 12 from 34 s; the battery falls at 26 s."""
    synthesiser = load().synthesiser
    sound = np.random.default_rng(5).normal(0, 30, DURATION_S * CLOCK_HZ).astype(np.float32)
    for at_s, locale, voice, text, level in lines:
        made = synthesiser.synthesise(text, locale, voice)
        clip = soxr.resample(made.pcm.astype(np.float32), made.rate, CLOCK_HZ)
        start = round(at_s * CLOCK_HZ)
        sound[start : start + len(clip)] += clip * level / np.sqrt((clip**2).mean())
    signals = [SignalSample(0.0, BATTERY_LEVEL, 40.0), SignalSample(26.0, BATTERY_LEVEL, 19.0)]
    signs = {second: "" if second < 20 else "EXIT 11" if second < 34 else "EXIT 12" for second in range(DURATION_S)}
    frames = [Frame(float(second), picture(words), 480, 270) for second, words in signs.items()]
    expected = parse("trip: watch\nexpect: []\n", duration_s=DURATION_S)
    microphone = np.clip(sound, -32768, 32767).astype(np.int16)
    write_trip(folder / "trip.mcap", {"name": "watch"}, microphone, frames, signals, (), expected)
    assert main(["trip", "replay", str(folder / "trip.mcap"), "--fast", "--no-live", "--out", str(folder / "run")]) == 0
    return RunRecord.load(folder / "run")


def told(record: RunRecord) -> list[str]:
    return [utterance.heard for utterance in record.utterances]


def alerts(folder: Path) -> list[str]:
    rows = [json.loads(line) for line in (folder / "run" / "decisions.jsonl").read_text().splitlines()]
    return [row["delivery"] for row in rows if row["what"] == "work" and row["capability"] == "watch.alert"]


def test_words_of_others_a_sign_and_the_battery(tmp_path: Path) -> None:
    lines = [
        (2.0, "en", "am_michael", "Tell me when they announce gate B twelve.", 2_000),
        (8.0, "en", "am_michael", "Tell me when we are below twenty percent battery.", 2_000),
        (14.0, "en", "am_michael", "Tell me when you see a sign that says exit twelve.", 2_000),
        (20.0, "en", "bf_emma", "The flight to Paris is delayed by two hours.", 800),
        (40.0, "en", "bf_emma", "The flight to Oslo is now boarding at gate B twelve.", 800),
    ]
    heard = told(ride(tmp_path, lines))
    assert len(heard) == 6, heard
    assert all(sentence.startswith("Okay, I'll tell you when") for sentence in heard[:3])
    assert heard[3] == "The battery is at 19 percent."
    assert heard[4].lower() == "i can see a sign: exit 12."
    assert "gate b12" in heard[5].lower()
    assert alerts(tmp_path).count("delivered") == 3


def test_in_chinese(tmp_path: Path) -> None:
    lines = [
        (2.0, "zh", "zm_yunxi", "电量低于百分之二十的时候告诉我。", 2_000),
        (10.0, "zh", "zm_yunxi", "看到狗的时候告诉我。", 2_000),
    ]
    heard = told(ride(tmp_path, lines))
    assert len(heard) == 3, heard
    assert "低于20%" in heard[0] and "认不出" in heard[1]
    assert heard[2] == "电量还有19%。"
