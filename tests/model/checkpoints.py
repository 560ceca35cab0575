"""Small checkpoints for tests: written once a run, copied where a test breaks one."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save_file
from torch import Tensor

from ridealong.cloud.model.tiny import write_tiny
from ridealong.cloud.model.tiny_config import TINY

SHARDS = tuple(f"model-{number:05d}-of-00003.safetensors" for number in (1, 2, 3))


@cache
def tiny_folder(*, sees: bool = True, venus: bool = True) -> Path:
    """A whole tiny checkpoint. Read it only."""
    place = Path(tempfile.mkdtemp(prefix="ridealong-tiny-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    write_tiny(place / "checkpoint", TINY, sees=sees, venus=venus)
    return place / "checkpoint"


def copied(to: Path) -> Path:
    """A tiny checkpoint of the test's own."""
    return Path(shutil.copytree(tiny_folder(), to / "checkpoint"))


def edit_json(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    values = json.loads(path.read_text(encoding="utf-8"))
    change(values)
    path.write_text(json.dumps(values), encoding="utf-8")


def edit_shard(folder: Path, name: str, change: Callable[[dict[str, Tensor]], object]) -> None:
    """Changes the tensors of a shard, and the index with them."""
    tensors = load_file(folder / name)
    change(tensors)
    save_file(tensors, folder / name)

    def index(values: dict[str, Any]) -> None:
        others = {key: file for key, file in values["weight_map"].items() if file != name}
        values["weight_map"] = others | dict.fromkeys(tensors, name)

    edit_json(folder / "model.safetensors.index.json", index)
