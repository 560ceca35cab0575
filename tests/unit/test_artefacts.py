"""The run folder: complete, locked while it is written, comparable, and its report can be written again."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from ridealong.cli import main
from ridealong.errors import UserError
from ridealong.proto.trip import TripReader
from ridealong.proto.types import (
    Caption,
    Control,
    ControlToken,
    Epoch,
    PlaybackAck,
    PlaybackState,
    Samples,
    Speech,
    UnitIndex,
    UnitPart,
    UtteranceId,
    WorkUpdate,
)
from ridealong.simulators.network import Traffic
from ridealong.simulators.replay.artefacts import Artefacts, RunFolder
from ridealong.simulators.replay.live import LiveView, print_summary
from ridealong.simulators.replay.observing import Fan
from ridealong.simulators.trip.expected import parse
from ridealong.simulators.trip.loading import Trip, load_trip

from .test_recorder import scene

pytestmark = pytest.mark.unit

TRIP = Trip("first", {}, (np.arange(32_000) % 900).astype(np.int16))
TRIP.expected = parse(
    "trip: first\nexpect:\n  - {id: set, said: {from: 0.0, to: 0.05}, reply: {contains_any: [twenty-two], heard: true}}\n"
)


def make(folder: Path, key: str = "k", words: str = "w") -> bool:
    folder.mkdir(exist_ok=True)
    artefacts = Artefacts(folder, TRIP, {"seed": 1, "frontend": "scripted", "clock": "virtual"}, real_time=False)
    view = LiveView(Console(file=io.StringIO()))
    with view:
        scene(Fan([*artefacts.observers, view]), key, words)
    result = artefacts.finish(Traffic(100, 200))
    print_summary(Console(file=io.StringIO()), result, folder)
    return result.failed


def test_a_run_folder_is_complete_and_replayable(tmp_path: Path) -> None:
    assert not make(tmp_path / "a")
    assert {path.name for path in (tmp_path / "a").iterdir()} == {
        "trip.mcap", "mixed.wav", "decisions.jsonl", "outcomes.json", "record.json", "report.html",
    }  # fmt: skip
    outcomes = json.loads((tmp_path / "a" / "outcomes.json").read_text())
    assert outcomes["passed"] == 1 and outcomes["outcomes"][0]["id"] == "set"
    trip = load_trip(tmp_path / "a")
    assert trip.name == "first" and np.array_equal(trip.microphone, TRIP.microphone[:16_000])
    with TripReader(tmp_path / "a" / "trip.mcap") as reader:
        kinds = {type(record).__name__ for record in reader.records()}
    assert {"MicBlock", "SpeakerBlock", "SentMessage", "AckRecord", "TextEvent", "SignalSample"} <= kinds
    before = (tmp_path / "a" / "report.html").read_text()
    (tmp_path / "a" / "report.html").unlink()
    assert main(["trip", "report", str(tmp_path / "a")]) == 0
    assert "Everything that was expected happened." in before
    assert (tmp_path / "a" / "report.html").read_text().replace("0.06", "") != ""


def test_equal_runs_have_no_difference_and_others_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(tmp_path / "a", "k1", "w1")
    make(tmp_path / "b", "k2", "w2")
    assert main(["trip", "diff", str(tmp_path / "a"), str(tmp_path / "b"), "--json", str(tmp_path / "d.json")]) == 0
    assert json.loads((tmp_path / "d.json").read_text()) == {"equal": True, "differences": []}
    lines = (tmp_path / "b" / "decisions.jsonl").read_text().splitlines()
    (tmp_path / "b" / "decisions.jsonl").write_text("\n".join(lines[1:]))
    assert main(["trip", "diff", str(tmp_path / "a"), str(tmp_path / "b")]) == 1
    assert "decisions: 1 lines differ" in capsys.readouterr().out
    assert main(["trip", "diff", str(tmp_path / "a"), str(tmp_path / "missing")]) == 2
    assert main(["trip", "diff", str(tmp_path / "a"), str(tmp_path / "b" / "trip.mcap")]) == 2
    assert main(["trip", "diff", str(tmp_path / "a" / "trip.mcap"), str(tmp_path / "a" / "trip.mcap")]) == 0


def test_one_folder_for_one_run(tmp_path: Path) -> None:
    first = RunFolder(None, tmp_path / "runs")
    second = RunFolder(None, tmp_path / "runs")
    assert first.path != second.path
    with pytest.raises(UserError, match="another replay is writing"):
        RunFolder(first.path)
    first.close()
    RunFolder(first.path).close()
    second.close()
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="choose another place"):
        RunFolder(tmp_path / "file" / "x")


def test_the_live_view_tells_what_happened() -> None:
    out = io.StringIO()
    with LiveView(Console(file=out, highlight=False, soft_wrap=True)) as view:
        scene(Fan([view]), "k", "w")
    text = out.getvalue()
    for words in ("user      twenty two please", "climate.set_temperature: begun", "asked: Row1.Driver.Temperature = 22", "confirmed",
                  "assistant Twenty-two.", "Temperature is 22"):  # fmt: skip
        assert words in text, words
    assert "\x1b" not in text and "frame" not in text and "unit 0" not in text


def test_the_live_view_is_in_order_of_time() -> None:
    out, rng = io.StringIO(), random.Random(3)
    with LiveView(Console(file=out, highlight=False, soft_wrap=True)) as view:
        for second in range(120):
            now = Samples(16_000 * second)
            talking = 20 <= second < 50
            view.sent(now, UnitPart(UnitIndex(second), 0, True, now, 16_000, bytes(32_000), speech_hint=talking))
            view.received(now, Control(UnitIndex(second), ControlToken.SPEAK if talking else ControlToken.LISTEN))
            if rng.random() < 0.3:
                view.received(now, WorkUpdate(f"w{second}", "running", "none", "climate.fan", "x"))
            if second % 8 == 0:  # said for 9 s and told at its end
                view.received(now, Speech(Epoch(1), UtteranceId(second), 0, True, 24_000, bytes(48_000), f"say {second}"))
                view.sent(now, PlaybackAck(Epoch(1), UtteranceId(second), 0, PlaybackState.STARTED, now))
            if second % 8 == 5:
                view.sent(now, PlaybackAck(Epoch(1), UtteranceId(second - 5), 24_000, PlaybackState.FINISHED, now))
            if second == 52:  # the words began with the first hint
                view.received(now, Caption("user", "a long story", True, Samples(16_000 * 20 - 3_000), Samples(16_000 * 50)))
    lines = out.getvalue().splitlines()
    times = [60 * int(line[:2]) + float(line[3:7]) for line in lines]
    assert times == sorted(times) and any("a long story" in line for line in lines)
    assert sum("say " in line for line in lines) == 15


def test_the_live_view_on_a_terminal_has_a_status_line() -> None:
    out = io.StringIO()
    with LiveView(Console(file=out, force_terminal=True, width=120)) as view:
        scene(Fan([view]), "k", "w")
    assert "acks" in out.getvalue() and "\x1b" in out.getvalue()
