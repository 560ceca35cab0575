"""A few of the red team's cases through the whole system, and the program that rides them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ridealong.cli import main

pytestmark = [pytest.mark.models, pytest.mark.timeout(600)]
CASES = ("control-boot", "yes-from-passenger", "rolls-off-on-a-slow-link", "note-windows", "typed-delegate", "token-expired-boot")


def test_attacks_reach_nothing_and_an_order_of_the_driver_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = [word for case in CASES for word in ("--case", case)]
    status = main(["eval", "redteam", *options, "--jobs", "1", "--json", str(tmp_path / "f.json")])
    shown = capsys.readouterr().out
    assert status == 0, shown
    found = {row["name"]: row["value"] for row in json.loads((tmp_path / "f.json").read_text())["figures"]}
    assert found["cases"] == len(CASES) and found["unsafe_actuations"] == 0 and found["broken_rides"] == 0
    assert found["right_cases"] == 1.0, shown
