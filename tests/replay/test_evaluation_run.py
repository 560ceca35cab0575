"""A small evaluation from plan to figures with the scripted front-end: it hears nothing, so it never stops and always goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ridealong.cli import main
from ridealong.simulators.scenarios.generate import Studio
from ridealong.simulators.scenarios.scenario import Split
from ridealong.simulators.scenarios.speech import Syllables

pytestmark = [pytest.mark.replay, pytest.mark.timeout(600)]


def test_a_small_evaluation_from_plan_to_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    studio = Studio.of(Split.REPORT, Syllables())
    monkeypatch.setattr(Studio, "of", staticmethod(lambda split, *_, **__: studio))
    (tmp_path / "script.yaml").write_text("- {unit: 900, say: nothing}\n")
    config = tmp_path / "node.yaml"
    config.write_text(f"frontend: {{kind: scripted, script: {tmp_path / 'script.yaml'}}}\n")
    options = [
        "eval",
        "duplex",
        "--suite",
        "overlaps",
        "--suite",
        "turns",
        "--limit",
        "1",
        "--config",
        str(config),
        "--out",
        str(tmp_path / "out"),
    ]
    options += ["--json", str(tmp_path / "f.json")]
    assert main(options) == 0
    found = {row["name"]: row for row in json.loads((tmp_path / "f.json").read_text())["figures"]}
    assert found["broken_rides"]["value"] == 0
    assert found["respond.interruption"]["value"] == 0.0  # it hears nothing, so it never stops …
    assert found["resume.backchannel"]["value"] == 1.0  # … and always goes on
    assert found["stale_samples"]["value"] == 0 and found["noise_turns"]["value"] is None
    assert found["response_p50_ms"]["value"] is None
    before = (tmp_path / "out" / "rides.jsonl").read_text()
    (tmp_path / "out" / "rides.jsonl").write_text(before[: before.index("\n") + 1])  # stopped after the first ride
    capsys.readouterr()
    assert main(options) == 0
    again = [json.loads(line)["id"] for line in (tmp_path / "out" / "rides.jsonl").read_text().splitlines()]
    assert again == [json.loads(line)["id"] for line in before.splitlines()]
    assert "By noise (strict)" in capsys.readouterr().out
    assert main([*options, "--seed", "2"]) == 2 and "begun with seed 1" in capsys.readouterr().err
