"""The embedded front-end, spoken to: a cut, "what did you just say", another cut, "go on". Voices by our own synthesis."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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

pytestmark = [pytest.mark.models, pytest.mark.timeout(600)]
TYRES = "Vehicle.Chassis.Axle.Row{}.Wheel.{}.Tire.Pressure"
ENGLISH = [
    (2.0, "What are the tyre pressures?"), (7.0, "Wait, stop talking."), (11.0, "What did you just say?"), (16.0, "Wait, stop."),
    (20.0, "Please go on."),
]  # fmt: skip
CHINESE = [(2.0, "胎压是多少？"), (7.0, "停一下，别说了。"), (11.0, "你刚才说什么？"), (16.5, "别说了。"), (20.0, "请继续说。")]


def replay(folder: Path, lines: list[tuple[float, str]], locale: str, voice: str) -> tuple[RunRecord, list[dict[str, Any]]]:
    synthesiser = load().synthesiser
    sound = np.random.default_rng(5).normal(0, 10, 32 * CLOCK_HZ).astype(np.float32)
    for at_s, text in lines:
        made = synthesiser.synthesise(text, locale, voice)
        clip = soxr.resample(made.pcm.astype(np.float32), made.rate, CLOCK_HZ)
        start = round(at_s * CLOCK_HZ)
        sound[start : start + len(clip)] += clip * 3_000 / np.sqrt((clip**2).mean())
    rows = [SignalSample(0.0, TYRES.format(row, side), 182 + 3 * row) for row in (1, 2) for side in ("Left", "Right")]
    words = np.clip(sound, -32768, 32767).astype(np.int16)
    write_trip(folder / "trip.mcap", {"name": "heard"}, words, (), rows, (), parse("trip: heard\nexpect: []\n", duration_s=32))
    assert main(["trip", "replay", str(folder / "trip.mcap"), "--fast", "--no-live", "--out", str(folder / "run")]) == 0
    decisions = [json.loads(line) for line in (folder / "run" / "decisions.jsonl").read_text().splitlines()]
    return RunRecord.load(folder / "run"), decisions


@pytest.mark.parametrize(
    ("lines", "locale", "voice", "separator"), [(ENGLISH, "en", "am_michael", " "), (CHINESE, "zh", "zm_yunxi", "")]
)
def test_a_spoken_cut_and_the_questions_after_it(
    tmp_path: Path, lines: list[tuple[float, str]], locale: str, voice: str, separator: str
) -> None:
    record, decisions = replay(tmp_path, lines, locale, voice)
    boundaries = [line["text"] for line in decisions if line["what"] == "heard"]
    assert len(boundaries) == 2, decisions
    heard, rest = boundaries[0].removeprefix("heard: ").split(" | cut by")[0].split(" | not heard: ")
    assert heard and rest
    first, repeated, last = record.utterances
    assert (first.state, repeated.state, last.state) == ("flushed", "flushed", "finished")
    whole = heard + separator + rest
    assert whole.startswith(repeated.heard) and repeated.heard
    assert whole.endswith(last.heard) and last.heard
    work = [line for line in decisions if line["what"] == "work"]
    assert [line["capability"] for line in work if line["delivery"] == "delivered"] == ["talk.repeat"]
