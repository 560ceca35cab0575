"""The model's bench runs to its end and its figures have their promised names. No time is looked at."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from checkpoints import tiny_folder

from ridealong.cli import main
from ridealong.cloud.model.bench import STAGES, TURN_UNITS, script
from ridealong.cloud.model.bench_report import Figure, table
from ridealong.cloud.model.engine import Engine, EngineSettings
from ridealong.cloud.model.random_model import random_model
from ridealong.cloud.model.tiny_config import TINY
from ridealong.cloud.model.tokens import read_tokens
from ridealong.cloud.model.unit_io import SessionSettings, UnitInput
from ridealong.cloud.model.vocoder import SpeechSettings

pytestmark = pytest.mark.model
ROOT = Path(__file__).parents[2]
PROMISED = {
    "unit_ms_p50", "unit_ms_p99", "first_audio_ms_p50", "ratio_to_eager", "sessions_no_missed_unit", "plain_unit_ms_p50", "four_sessions_ms_p50",
    "unit_ms_minute_5", "unit_ms_minute_120", "minute_120_to_5", "memory_mb", "weights_mb",
    *(f"stage.{stage}_ms_p50" for stage in STAGES), *(f"plain.{stage}_ms_p50" for stage in STAGES), *(f"ratio.{stage}" for stage in STAGES),
}  # fmt: skip


def checked(path: Path, command: str) -> None:
    report = json.loads(path.read_text(encoding="utf-8"))
    assert set(report) == {"command", "seed", "machine", "commit", "figures"} and report["command"] == command
    figures = {figure["name"]: figure for figure in report["figures"]}
    assert set(figures) >= PROMISED
    for figure in figures.values():
        assert set(figure) == {"name", "value", "unit", "n", "low", "high", "goal"}
        assert figure["value"] is None or figure["value"] >= 0


def test_the_script_on_tiny(tmp_path: Path) -> None:
    bench = [sys.executable, "tests/bench/bench_model.py", "--models", "tiny", "--limit", "2", "--most", "1", "--device", "cpu"]
    done = subprocess.run([*bench, "--json", str(tmp_path / "f.json")], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "ratio_to_eager" in done.stdout
    checked(tmp_path / "f.json", "bench model")


@pytest.mark.parametrize("kind", [None, "int8"])
def test_the_command_on_a_checkpoint(tmp_path: Path, kind: str | None) -> None:
    flags = ["--quantise", kind] if kind else []
    wanted = ["model", "bench", str(tiny_folder()), "--device", "cpu", "--limit", "2", "--most", "1"]
    assert main([*wanted, *flags, "--json", str(tmp_path / "f.json")]) == 0
    checked(tmp_path / "f.json", "model bench")


def test_what_can_not_be_benched_is_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "bench", str(tmp_path / "nowhere")]) == 2
    assert main(["model", "bench", str(tiny_folder()), "--device", "cuda:99"]) == 2
    assert capsys.readouterr().err.count("ridealong: ") == 2


def test_a_turn_ends_with_its_last_unit() -> None:
    tokens = read_tokens(tiny_folder(), 621)
    scripts = [script(tokens, unit) for unit in range(2 * TURN_UNITS)]
    assert [tokens.ids.turn_eos in one for one in scripts] == 2 * ([False] * (TURN_UNITS - 1) + [True])
    assert all(one[0] == tokens.ids.speak and one[-1] == tokens.ids.chunk_eos and len(one) == 6 for one in scripts)


def test_a_random_model_speaks() -> None:
    """As the full-size one is made on a GPU: tables longer than the tokenizer, no file."""
    made = random_model(TINY, "cpu", torch.float32, vocab=700, text_rows=800)
    assert made.config.language.vocab == 700 and made.config.talker.text_rows == 800
    engine = Engine(made, EngineSettings(slots=1, window=512, speech=SpeechSettings(steps=2)))
    engine.open(0, SessionSettings())
    out = [engine.run({0: UnitInput(torch.zeros(16_000), at_ms=1000 * second)})[0] for second in range(2)]
    assert all(one.sound is None or bool(torch.isfinite(one.sound).all()) for one in out)


def test_the_table_shows_what_was_not_measured() -> None:
    shown = table([Figure("unit_ms_p50", 12.345, "ms", 3, goal="<= 250"), Figure("floor.vision", None, "times", 0)])
    assert "12.35 ms" in shown and "goal <= 250" in shown and "not measured" in shown
