"""Whole trips on virtual time with the scripted front-end: the system end to end, its record, and the same again."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ridealong.cli import main
from ridealong.proto.types import SignalValue
from ridealong.simulators.trip.expected import parse
from ridealong.simulators.trip.importer import write_trip
from ridealong.simulators.trip.record import RunRecord
from ridealong.vehicle_skills.signals import IGNITION, SELECTED_GEAR, SPEED, set_temperature

pytestmark = pytest.mark.replay

TEMPERATURE = set_temperature("Row1", "Driver")
BOOT = "Vehicle.Body.Trunk.Rear.IsOpen"

SCRIPT = """\
- {unit: 3, delegate: set the temperature to twenty-two and a half degrees}
- {unit: 9, delegate: open the boot}
- {unit: 15, say: "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"}
- {unit: 17, interrupt: true}
"""

EXPECT = f"""\
trip: scripted
expect:
  - id: warmer
    said: {{from: 3.0, to: 3.4}}
    signal: {{path: {TEMPERATURE}, value: 22.5, within_s: 5}}
    reply: {{contains_any: [twenty-two and a half], heard: true}}
    work: [completed, delivered]
  - id: boot
    said: {{from: 9.0, to: 9.4}}
    refused: {{reason: moving}}
    not_signal: {{path: {BOOT}}}
  - id: cut
    said: {{from: 17.0, to: 17.4}}
    silence: {{within_ms: 900}}
"""


def make_trip(path: Path, expect: str = EXPECT) -> Path:
    from ridealong.simulators.car.plant import SignalSample

    start: list[tuple[str, SignalValue]] = [(IGNITION, "ON"), (SELECTED_GEAR, 127), (SPEED, 40.0)]
    rows = [SignalSample(0.0, signal, value) for signal, value in start] + [SignalSample(6.0, SPEED, 48.0)]
    hum = (300 * np.sin(np.arange(22 * 16_000) / 20)).astype(np.int16)
    write_trip(path, {"name": "scripted"}, hum, (), rows, (), parse(expect, duration_s=22))
    return path


@pytest.fixture(scope="module")
def trip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scripted")
    (folder / "script.yaml").write_text(SCRIPT)
    return make_trip(folder / "trip.mcap")


def replay(trip: Path, out: Path, *more: str) -> int:
    script = trip.with_name("script.yaml")
    return main(
        [
            "trip",
            "replay",
            str(trip),
            "--fast",
            "--frontend",
            "scripted",
            "--script",
            str(script),
            "--out",
            str(out),
            "--no-live",
            *more,
        ]
    )


def test_outcomes_hold_and_a_second_run_is_the_same(trip: Path, tmp_path: Path) -> None:
    assert replay(trip, tmp_path / "a", "--json", str(tmp_path / "f.json")) == 0
    record = RunRecord.load(tmp_path / "a")
    assert [outcome["status"] for outcome in json.loads((tmp_path / "a" / "outcomes.json").read_text())["outcomes"]] == [
        "passed"
    ] * 3
    cut = [utterance for utterance in record.utterances if utterance.state == "flushed"]
    assert len(cut) == 1 and cut[0].text.startswith(cut[0].heard) and len(cut[0].heard) < len(cut[0].text)
    assert cut[0].played_samples < cut[0].samples or cut[0].heard != cut[0].text
    assert all(utterance.played_samples <= utterance.samples for utterance in record.utterances)
    named = {figure["name"]: figure["value"] for figure in json.loads((tmp_path / "f.json").read_text())["figures"]}
    assert named["first_sound_p50_ms"] is None and named["outcomes_held"] == 1.0 and named["uplink_bytes"] > 22 * 32_000

    assert replay(trip, tmp_path / "b") == 0
    assert main(["trip", "diff", str(tmp_path / "a"), str(tmp_path / "b")]) == 0
    assert (tmp_path / "a" / "decisions.jsonl").read_bytes() == (tmp_path / "b" / "decisions.jsonl").read_bytes()
    assert (tmp_path / "a" / "mixed.wav").read_bytes() == (tmp_path / "b" / "mixed.wav").read_bytes()


def test_the_trip_of_a_run_can_be_replayed(trip: Path, tmp_path: Path) -> None:
    assert replay(trip, tmp_path / "a") == 0
    (tmp_path / "a" / "script.yaml").write_text(SCRIPT)
    assert replay(tmp_path / "a" / "trip.mcap", tmp_path / "b") == 0


def test_a_failed_outcome_is_exit_1_and_says_which(trip: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "e.yaml").write_text(EXPECT.replace("value: 22.5", "value: 19.0"))
    assert replay(trip, tmp_path / "a", "--expect", str(tmp_path / "e.yaml")) == 1
    out = capsys.readouterr().out
    assert "FAILED  warmer" in out and "2 of 3 expected outcomes held" in out
    assert "did not happen" in (tmp_path / "a" / "report.html").read_text()


@pytest.mark.parametrize("network", ["wifi", "lte"])
def test_a_network_delays_and_changes_nothing_else(trip: Path, tmp_path: Path, network: str) -> None:
    assert replay(trip, tmp_path / "a", "--network", network) == 0


def test_an_outage_costs_nothing_that_was_asked_before_it(trip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ridealong.simulators import network

    tunnel = network.NetworkPreset("hole", delay_ms=45, jitter_ms=40, outages_s=((12.0, 14.5),))
    monkeypatch.setitem(network.PRESETS, "hole", tunnel)
    assert replay(trip, tmp_path / "a", "--network", "hole") == 0
    record = RunRecord.load(tmp_path / "a")
    assert len(record.actuations) <= 2  # nothing twice


def test_bad_input_is_a_sentence_and_leaves_no_folder(
    trip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.mcap").write_text("no trip")
    (tmp_path / "cut.mcap").write_bytes(trip.read_bytes()[:40_000])
    (tmp_path / "bad.yaml").write_text("- {unit: 1, sey: hello}\n")
    (tmp_path / "e.yaml").write_text("expect:\n  - {id: a, said: {from: 1, to: 2}, replies: true}\n")
    (tmp_path / "config.yaml").write_text("frontend: {kinds: cascade}\n")
    scripted = ["--frontend", "scripted", "--script", str(trip.with_name("script.yaml"))]
    for options, words in [
        (["missing.mcap", *scripted], "check the path"),
        (["text.mcap", *scripted], "is not a trip"),
        (["cut.mcap", *scripted], "cut off or damaged"),
        ([str(trip), *scripted, "--network", "5g"], "no network preset"),
        ([str(trip), *scripted, "--expect", "e.yaml"], "did you mean 'reply'?"),
        ([str(trip), *scripted, "--json", "no/such/f.json"], "is no folder"),
        ([str(trip), *scripted, "--out", "text.mcap"], "choose another place"),
        ([str(trip), *scripted, "--config", "config.yaml"], "kinds"),
        ([str(trip), "--frontend", "scripted"], "frontend.script"),
        ([str(trip), "--frontend", "scripted", "--script", "bad.yaml"], "sey"),
    ]:  # fmt: skip
        assert main(["trip", "replay", *options, "--fast", "--no-live"]) == 2, options
        error = capsys.readouterr().err
        assert words in error and error.count("\n") == 1, (options, error)
    assert not (tmp_path / "runs").exists()
