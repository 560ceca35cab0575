"""The bundled trip on virtual time with the embedded models: every expected outcome that counts holds, twice the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ridealong.cli import main
from ridealong.simulators.trip.loading import load_trip

pytestmark = pytest.mark.models

FOLDER = Path(__file__).parents[1] / "data" / "trips" / "first_trip"


def test_the_expected_outcomes_of_the_bundled_trip(tmp_path: Path) -> None:
    code = main(["trip", "replay", str(FOLDER / "trip.mcap"), "--fast", "--no-live", "--out", str(tmp_path / "run")])
    outcomes = json.loads((tmp_path / "run" / "outcomes.json").read_text())
    failed = {row["id"]: row["why"] for row in outcomes["outcomes"] if row["status"] == "failed"}
    assert code == 0 and not failed, failed
    assert outcomes["passed"] >= 10 and outcomes["later"] <= 2


def test_the_expectations_beside_the_trip_are_those_within(tmp_path: Path) -> None:
    beside = load_trip(FOLDER / "trip.mcap", FOLDER / "expected.yaml")
    within = load_trip(FOLDER / "trip.mcap")
    assert beside.expected == within.expected
    kinds = {type(check).__name__ for item in within.expected.expect for check in item.checks}
    assert {"SignalExpected", "ReplyExpected", "Refused", "Nothing", "Continues", "SilenceExpected", "WorkExpected"} <= kinds
