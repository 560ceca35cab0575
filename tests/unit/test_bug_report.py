"""The archive of a run: complete, without a word of what was said unless asked, and honest about what is missing."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from ridealong.cli import main

from .test_artefacts import make

pytestmark = pytest.mark.unit


def read(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_it_holds_the_facts_and_not_the_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, out = tmp_path / "run", tmp_path / "r.zip"
    make(run)
    (run / "node.log").write_text(f"INFO started in {Path.home()}/x\n")
    assert b"Twenty-two." in (run / "record.json").read_bytes()
    assert main(["bug-report", str(run), "-o", str(out)]) == 0
    files = read(out)
    assert set(files) == {
        "versions.json", "outcomes.json", "record.json", "figures.json", "decisions.jsonl", "logs/node.log", "contents.json",
    }  # fmt: skip
    everything = b"".join(files.values())
    for words in (b"Twenty-two", b"twenty two please", b"twenty-two", str(Path.home()).encode()):
        assert words not in everything, words
    assert json.loads(files["outcomes.json"])["outcomes"][0]["status"] == "passed"
    versions = json.loads(files["versions.json"])
    assert versions["python"] and versions["commit"] and versions["packages"]["numpy"]
    assert any(row["name"] == "outcomes_held" and row["value"] == 1.0 for row in json.loads(files["figures.json"])["figures"])
    record = json.loads(files["record.json"])
    assert record["actuations"][0]["state"] == "confirmed" and record["utterances"][0]["text"] == "(11 characters)"
    assert record["actuations"][0]["writes"][0][1] == 22.0
    decisions = [json.loads(line) for line in files["decisions.jsonl"].splitlines()]
    assert {"caption", "say", "actuate"} <= {row["what"] for row in decisions}
    shown = capsys.readouterr().out
    assert "not inside: journal.jsonl: the run has none" in shown and "mixed.wav: content: only with --content" in shown
    assert "decisions.jsonl" in shown


def test_with_content_it_holds_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(tmp_path / "run")
    out = tmp_path / "r.zip"
    assert main(["bug-report", str(tmp_path / "run"), "-o", str(out), "--content"]) == 0
    files = read(out)
    assert {"trip.mcap", "mixed.wav", "report.html"} <= set(files) and b"Twenty-two." in files["record.json"]
    assert "look through it before you share it" in capsys.readouterr().out
    assert main(["bug-report", str(tmp_path / "run"), "-o", str(out)]) == 2
    assert "--force" in capsys.readouterr().err


def test_a_run_that_died_is_still_reported_and_no_run_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "decisions.jsonl").write_text('{"at_ms": 1.0, "what": "say", "text": "SECRET"}\n{"at_ms": 2.0, "wh')
    (run / "record.json").write_text("{ broken")
    (run / "journal.sqlite").write_text("no database at all")
    monkeypatch.chdir(tmp_path)
    assert main(["bug-report", str(run)]) == 0
    files = read(tmp_path / "bug-report-run.zip")
    assert json.loads(files["decisions.jsonl"]) == {"at_ms": 1.0, "what": "say", "text": "(6 characters)"}
    shown = capsys.readouterr().out
    assert "record.json: cannot be read" in shown and "journal.jsonl: cannot be read" in shown
    (tmp_path / "empty").mkdir()
    assert main(["bug-report", str(tmp_path / "empty")]) == 2
    assert main(["bug-report", str(tmp_path / "none")]) == 2
    assert "is no run folder" in capsys.readouterr().err
