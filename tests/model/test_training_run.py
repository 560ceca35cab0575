"""Whole runs on the CPU: what is learnt is said at the right units; a run that was killed ends as if it had not been."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import training
from safetensors.torch import load_file

from ridealong.cli import main
from ridealong.cloud.model.loader import verify_manifest
from ridealong.cloud.model.model import load_model
from ridealong.cloud.model.training.lessons import Weights
from ridealong.cloud.model.training.optimising import Schedule
from ridealong.cloud.model.training.rehearsal import GREEDY, rehearse, shown
from ridealong.cloud.model.training.run import Plan, open_model, prepared, train
from ridealong.simulators.training.materialise import Order

pytestmark = pytest.mark.model
OPTIONS = "--steps 48 --batch 2 --micro 1 --lr 1e-3 --seed 5 --save-every 6"


def test_it_learns_to_say_the_right_tokens_at_the_right_units(tmp_path: Path) -> None:
    """Seven sessions of the generator and a chat: heard, handed over, answered, said again, stopped, yielded, and silent."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    checkpoint = training.tiny(tmp_path / "tiny")
    records = training.generated(tmp_path / "records", Order(8, 6, (5, 2, 1), 0.2, ("en",)))
    begun = time.monotonic()
    model = train(
        checkpoint, records, tmp_path / "run", Plan(100, 6e-3, 5, batch=8, micro=2, save_every=100, weights=Weights(control=4.0))
    )
    print(f"trained in {time.monotonic() - begun:.0f} s")
    trained = load_model(tmp_path / "run/checkpoint", dtype=torch.float32)
    for name, value in model.module.state_dict().items():  # what was trained is what was written, in bfloat16 as it was
        assert torch.equal(value, trained.module.state_dict()[name])
    lessons = prepared(model, records, Plan(1))
    taught = {one["id"]: [training.script(unit) for unit in one["units"]] for one in training.lines(records) if "units" in one}
    said = {}
    for record in (one for one in lessons.records if one.duplex):
        found = rehearse(trained, lessons.senses, record)
        said[record.id] = [shown(unit, trained.tokens) for unit in found.said]
        assert found.right == len(found.said) or said[record.id] != taught[record.id]
        print(record.id, *(f"\n  {number}  {unit}" for number, unit in enumerate(said[record.id])))
    assert said == taught
    units = [unit for session in taught.values() for unit in session]
    for needed in ("listen", "<delegate>", "turn_eos chunk_eos"):
        assert any(needed in unit for unit in units)
    assert any(all(unit == "listen" for unit in session) for session in taught.values())
    backends = [unit for one in training.lines(records) for unit in one.get("units", []) if "backend" in unit]
    assert len(backends) >= 4 and all(unit["drawn"][0] == {"token": "speak"} for unit in backends)
    before = open_model(checkpoint, "cpu")
    unlearnt = [rehearse(before, lessons.senses, one, replace(GREEDY, cap=40)) for one in lessons.records if one.duplex]
    assert sum(one.right for one in unlearnt) < sum(len(one.said) for one in unlearnt) // 2
    torch.set_num_threads(threads)


def arguments(checkpoint: Path, records: Path, out: Path, *more: str) -> list[str]:
    given = ["--model", str(checkpoint), "--records", str(records), "--out", str(out)]
    return ["train", *given, *OPTIONS.split(), *more]


def test_killed_half_way_it_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    checkpoint, records = training.tiny(tmp_path / "tiny"), training.written(tmp_path / "records")
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}

    def start(out: Path) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "ridealong.cli", *arguments(checkpoint, records, out)]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    other = start(whole)
    cut = start(killed)
    log = killed / "loss.jsonl"
    while cut.poll() is None and (not log.exists() or len(log.read_text(encoding="utf-8").splitlines()) < 7):
        time.sleep(0.002)
    cut.kill()
    assert cut.wait() == -signal.SIGKILL
    assert not (killed / "checkpoint").exists()
    (killed / "states/step-00000999.tmp").mkdir()  # as if it had died while it kept its state
    again = start(killed)
    told = again.communicate()[0].decode()
    assert other.wait() == 0 and again.returncode == 0, told
    assert "goes on after step" in told
    assert log.read_bytes() == (whole / "loss.jsonl").read_bytes()
    for shard in sorted((whole / "checkpoint").glob("*.safetensors")):
        assert shard.read_bytes() == (killed / "checkpoint" / shard.name).read_bytes()
    state = "states/step-00000048"
    for file in (whole / state).iterdir():
        assert file.read_bytes() == (killed / state / file.name).read_bytes()
    assert len(list((whole / "states").iterdir())) == 2


def test_the_checkpoint_is_the_one_it_began_with_but_for_the_thinker(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checkpoint, records = training.tiny(tmp_path / "tiny"), training.written(tmp_path / "records")
    out = tmp_path / "run"
    assert main([*arguments(checkpoint, records, out), "--rehearse", "1"]) == 0
    assert "rehearsed 1 sessions" in capsys.readouterr().out
    losses = [json.loads(line)["loss"] for line in (out / "loss.jsonl").read_text().splitlines()]
    assert len(losses) == 48 and losses[-1] < losses[0] / 2
    assert verify_manifest(out / "checkpoint") == []
    assert main(["model", "check", str(out / "checkpoint")]) == 0
    for shard in checkpoint.glob("*.safetensors"):
        was, now = load_file(shard), load_file(out / "checkpoint" / shard.name)
        assert was.keys() == now.keys()
        for key, value in was.items():
            assert now[key].dtype == value.dtype and now[key].shape == value.shape
            assert torch.equal(now[key], value) != key.startswith("llm.") or key.endswith("norm.weight")
    assert main(arguments(checkpoint, records, out)) == 0  # a run that is over has nothing left to do


def test_mistakes_are_told_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checkpoint, records = training.tiny(tmp_path / "tiny"), training.written(tmp_path / "records")
    out = tmp_path / "run"

    def told(*words: str) -> str:
        assert main(list(words)) == 2
        return capsys.readouterr().err

    assert main(arguments(checkpoint, records, out)) == 0
    assert "lr was 0.001 and is 0.002" in told(*arguments(checkpoint, records, out, "--lr", "0.002"))
    assert "not empty and holds no run" in told(*arguments(checkpoint, records, records))
    assert "lies inside the checkpoint" in told(*arguments(checkpoint, records, checkpoint / "run"))
    assert "holds no records.jsonl" in told(*arguments(checkpoint, tmp_path, tmp_path / "new"))
    assert "holds no config.json" in told(*arguments(records, records, tmp_path / "new"))
    assert "There is no" in told(*arguments(checkpoint, records, tmp_path / "new", "--device", "cuda:7"))
    assert "must be at least 1" in told(*arguments(checkpoint, records, tmp_path / "new", "--steps", "0"))
    with (out / ".in-use").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "another process trains in" in told(*arguments(checkpoint, records, out))
    (out / "states/step-00000048/state.json").write_text("{")
    assert "Remove it, and the run goes on" in told(*arguments(checkpoint, records, out))
    with (records / "records.jsonl").open("a") as file:
        file.write('{"kind": "duplex"}\n')
    assert "records.jsonl:4: units: is missing" in told(*arguments(checkpoint, records, out))


def test_the_rate_rises_and_falls() -> None:
    schedule = Schedule(steps=110, lr=1.0, warmup=10)
    rates = [schedule.at(step) for step in range(110)]
    assert rates[:10] == pytest.approx([0.1 * step for step in range(1, 11)])
    assert rates[10] == 1.0 and rates[60] == pytest.approx(0.55) and rates[-1] == pytest.approx(0.1, abs=1e-3)
    assert all(later <= earlier for earlier, later in zip(rates[10:], rates[11:], strict=False))
