"""The bundled trip on the embedded default, on virtual time: every expected outcome holds, and twice the same is the same."""

from __future__ import annotations

import json
import subprocess
import sys
import wave
from pathlib import Path

import pytest

from ridealong.cli import main

pytestmark = [pytest.mark.replay, pytest.mark.timeout(600)]
TRIP = Path(__file__).parent.parent / "data" / "trips" / "first_trip" / "trip.mcap"


def replay(out: Path) -> int:
    command = [
        sys.executable,
        "-m",
        "ridealong.cli",
        "trip",
        "replay",
        str(TRIP),
        "--fast",
        "--no-live",
        "--seed",
        "7",
        "--out",
        str(out),
    ]
    return subprocess.run(
        [*command, "--json", str(out.with_suffix(".json"))], capture_output=True, text=True, check=False
    ).returncode


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "first"
    assert replay(out) == 0, (out / "outcomes.json").read_text() if (out / "outcomes.json").exists() else "no outcomes"
    return out


def test_every_expected_outcome_holds(run: Path) -> None:
    outcomes = {row["id"]: row["status"] for row in json.loads((run / "outcomes.json").read_text())["outcomes"]}
    assert outcomes.pop("seen") == "later"
    assert len(outcomes) == 17 and set(outcomes.values()) == {"passed"}


def test_the_run_folder_is_whole(run: Path) -> None:
    for name in ("trip.mcap", "mixed.wav", "decisions.jsonl", "report.html", "outcomes.json"):
        assert (run / name).stat().st_size > 1_000, name
    with wave.open(str(run / "mixed.wav")) as mixed:
        assert (mixed.getnchannels(), mixed.getframerate()) == (2, 24_000) and mixed.getnframes() / 24_000 >= 172
    page = (run / "report.html").read_text()
    assert "<svg" in page and 'src="http' not in page and 'href="http' not in page and page.count("data:image/jpeg;base64") >= 20


def test_the_late_result_came_after_the_talk_had_moved_on(run: Path) -> None:
    lines = [json.loads(line) for line in (run / "decisions.jsonl").read_text().splitlines()]
    texts = [line["text"] for line in lines if line["what"] == "say"]
    speed = next(i for i, text in enumerate(texts) if "doing" in text)
    charging = next(i for i, text in enumerate(texts) if "charging stations" in text)
    assert speed < charging


def test_latency_is_not_claimed_on_virtual_time(run: Path) -> None:
    figures = {row["name"]: row for row in json.loads(run.with_suffix(".json").read_text())["figures"]}
    response = [row for name, row in figures.items() if name.startswith("first_sound")]
    assert response and all(row["value"] is None for row in response)


def test_the_same_trip_and_seed_give_the_same_decisions(run: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    assert replay(again) == 0
    assert (again / "decisions.jsonl").read_text() == (run / "decisions.jsonl").read_text()
    assert main(["trip", "diff", str(run), str(again)]) == 0
