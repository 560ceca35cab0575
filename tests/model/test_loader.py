"""Checkpoints: what is in them, what is wrong with them, and how they get into a module."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from golden import TINY, tiny_config, tiny_weights
from safetensors.torch import save_file

from ridealong.cloud.model.loader import (
    INDEX,
    MANIFEST,
    Checkpoint,
    Entry,
    account,
    fill,
    open_checkpoint,
    table,
    verify_manifest,
    write_manifest,
)
from ridealong.cloud.model.talker import Talker
from ridealong.errors import UserError

pytestmark = pytest.mark.model
F32 = frozenset({"F32"})


def sharded(folder: Path) -> Path:
    """The talker of the tiny checkpoint in two shards with an index, as released checkpoints come."""
    weights = {f"tts.{key}": value for key, value in tiny_weights("tts.").items()}
    halves = [dict(list(weights.items())[::2]), dict(list(weights.items())[1::2])]
    where = {}
    for number, half in enumerate(halves, 1):
        name = f"model-0000{number}-of-00002.safetensors"
        save_file(half, folder / name)
        where |= dict.fromkeys(half, name)
    (folder / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": where}), encoding="utf-8")
    return folder


def made() -> Talker:
    with torch.device("meta"):
        return Talker(tiny_config().talker)


def expected() -> dict[str, tuple[int, ...]]:
    return {f"tts.{key}": tuple(value.shape) for key, value in made().state_dict().items()}


def test_one_file() -> None:
    checkpoint = open_checkpoint(TINY)
    assert checkpoint.layers("vpm.encoder.layers.") == 2
    assert checkpoint.layers("llm.model.layers.") == 2
    assert checkpoint.layers("nothing.") == 0
    tensors, values, size = checkpoint.sums()["tts"]
    assert (tensors, size) == (31, 4 * values)


def test_shards_into_a_module_made_without_memory(tmp_path: Path) -> None:
    checkpoint = open_checkpoint(sharded(tmp_path))
    assert account(checkpoint, expected(), unused=("tts.projector_spk.",), dtypes=F32) == ()
    talker = made()
    fill(talker, checkpoint, "tts.", device="cpu")
    for key, value in talker.state_dict().items():
        assert torch.equal(value, tiny_weights("tts.")[key]), key
    fill(talker, checkpoint, "tts.", device="cpu", dtype=torch.bfloat16)
    assert {value.dtype for value in talker.state_dict().values()} == {torch.bfloat16}


def test_the_account_names_all_four_kinds() -> None:
    need = {"a.0.w": (2, 3), "a.1.w": (2, 3), "b": (4,), "c": (1,)}
    there = {
        "a.0.w": Entry("f", "F32", (3, 2)),
        "a.1.w": Entry("f", "F32", (3, 2)),
        "b": Entry("f", "F16", (4,)),
        "extra.weight": Entry("f", "F32", (5,)),
        "known.weight": Entry("f", "F32", (5,)),
    }
    findings = account(Checkpoint(Path("."), there), need, unused=("known.",), dtypes=F32)
    assert [(finding.kind, finding.key) for finding in findings] == [
        ("missing", "c"),
        ("unexpected", "extra.weight"),
        ("shape", "a.0.w"),
        ("shape", "a.1.w"),
        ("dtype", "b"),
    ]
    shown = table(findings)
    assert "a.*.w" in shown and "2x3" in shown and "3x2" in shown and shown.count("\n") == 4


def test_a_hole_in_the_layers() -> None:
    there = {f"x.{layer}.w": Entry("f", "F32", (1,)) for layer in (0, 2)}
    with pytest.raises(UserError, match=r"layers \[1\] are missing"):
        Checkpoint(Path("."), there).layers("x.")


@pytest.mark.parametrize("cut", [0, 5, 8, 100, -1])
def test_files_cut_short(tmp_path: Path, cut: int) -> None:
    whole = (TINY / "causal_vocoder.safetensors").read_bytes()
    (tmp_path / "model.safetensors").write_bytes(whole[:cut])
    with pytest.raises(UserError, match="Fetch it again"):
        open_checkpoint(tmp_path)


def test_a_file_with_more_than_its_header_tells(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes((TINY / "causal_vocoder.safetensors").read_bytes() + b"x")
    with pytest.raises(UserError, match="its header tells of"):
        open_checkpoint(tmp_path)


def test_no_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is it the folder of a checkpoint"):
        open_checkpoint(tmp_path)


def test_a_missing_shard(tmp_path: Path) -> None:
    (sharded(tmp_path) / "model-00002-of-00002.safetensors").unlink()
    with pytest.raises(UserError, match="model-00002-of-00002.safetensors is missing"):
        open_checkpoint(tmp_path)


def test_an_index_that_disagrees(tmp_path: Path) -> None:
    index = sharded(tmp_path) / INDEX
    values = json.loads(index.read_text(encoding="utf-8"))
    values["weight_map"]["tts.more"] = "model-00001-of-00002.safetensors"
    index.write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(UserError, match=r"disagree about tts\.more"):
        open_checkpoint(tmp_path)


@pytest.mark.parametrize(
    "text", ["", "[]", '{"weight_map": 3}', '{"weight_map": {"a": "../b"}}', '{"weight_map": {"a": "/etc/b"}}']
)
def test_rubbish_indexes(tmp_path: Path, text: str) -> None:
    (tmp_path / INDEX).write_text(text, encoding="utf-8")
    with pytest.raises(UserError):
        open_checkpoint(tmp_path)


def test_the_manifest_is_one_of_sha256sum(tmp_path: Path) -> None:
    shutil.copy(TINY / "config.json", tmp_path)
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "a.bin").write_bytes(b"a")
    write_manifest(tmp_path)
    subprocess.run(["sha256sum", "--check", "--quiet", MANIFEST], cwd=tmp_path, check=True)
    assert verify_manifest(tmp_path) == []
    (tmp_path / "assets" / "a.bin").write_bytes(b"b")
    (tmp_path / "more").write_bytes(b"")
    (tmp_path / "config.json").unlink()
    assert verify_manifest(tmp_path) == [
        "assets/a.bin is not what was fetched",
        "config.json is missing",
        "more is not in the manifest",
    ]


@pytest.mark.parametrize("line", ["abc  file", "0" * 64 + "  ../up", "0" * 64 + "  /etc/passwd"])
def test_rubbish_manifests(tmp_path: Path, line: str) -> None:
    (tmp_path / MANIFEST).write_text(line + "\n", encoding="utf-8")
    with pytest.raises(UserError, match="no line of sha256sum"):
        verify_manifest(tmp_path)


def test_weights_in_use_don_t_hang_on_their_files(tmp_path: Path) -> None:
    """A file cut short under a running program ends one that reads it through a map (SIGBUS): in a program of its own."""
    shutil.copy(TINY / "model.safetensors", tmp_path)
    shutil.copy(TINY / "config.json", tmp_path)
    script = f"""
import os, torch
from pathlib import Path
from ridealong.cloud.model.config import read_config
from ridealong.cloud.model.loader import fill, open_checkpoint
from ridealong.cloud.model.talker import Talker
folder = Path({str(tmp_path)!r})
with torch.device("meta"):
    made = Talker(read_config(folder).talker)
fill(made, open_checkpoint(folder), "tts.", device="cpu")
os.truncate(folder / "model.safetensors", 100)
print(float(sum(value.double().abs().sum() for value in made.state_dict().values())))
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0 and float(ran.stdout) > 0, (ran.returncode, ran.stderr[-500:])
