"""What a run keeps: its state, so that it can be killed at any time and go on; the loss log; and at the end a whole checkpoint.

    OUT/states/step-00000040/  thinker-*.safetensors (float32, reference keys), moments-*.safetensors, state.json
    OUT/loss.jsonl             a line a step
    OUT/checkpoint/            as the one it began with: the same shards, keys and types, with the trained Thinker

A state or a checkpoint appears under its name when it is whole and on the disk. Nothing is pickled. Knows no loss and no records.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from ridealong.cloud.model.loader import INDEX, MANIFEST, SINGLE, open_checkpoint, write_manifest
from ridealong.durable import sync_folder
from ridealong.errors import UserError

THINKER: Final = "llm."
KEPT_STATES: Final = 2
SHARD_BYTES: Final = 5_000_000_000
LOCK: Final = ".in-use"
_STATE: Final = "state.json"


@dataclass(frozen=True, slots=True)
class State:
    """After `step` steps. Names are the Thinker's own, without `llm.`."""

    step: int
    masters: Mapping[str, Tensor]
    moments: Mapping[str, Tensor]


class RunFolder:
    """One run's folder. `plan`: what makes a run this one and no other; a run with another plan doesn't go on here."""

    def __init__(self, folder: Path, plan: Mapping[str, Any]) -> None:
        """Raises `UserError` where the folder holds another run, or something else."""
        self.folder, self._plan = folder, dict(plan)
        self._states, self._log = folder / "states", folder / "loss.jsonl"
        path = folder / "plan.json"
        try:
            self._states.mkdir(parents=True, exist_ok=True)
            self._lock = (folder / LOCK).open("w")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # the kernel lets go, whatever ends the process
            if path.exists():
                self._compare(json.loads(path.read_text(encoding="utf-8")))
            elif any(one.name not in (self._states.name, LOCK) for one in folder.iterdir()):
                raise UserError(f"{folder} is not empty and holds no run: name a new folder.")
            else:
                _write(path, json.dumps(self._plan, indent=1, ensure_ascii=False) + "\n")
        except BlockingIOError:
            raise UserError(f"another process trains in {folder}: wait for it, or name another folder.") from None
        except (OSError, ValueError) as error:
            raise UserError(f"The run's folder {folder} can't be used: {error}.") from None

    def _compare(self, kept: Mapping[str, Any]) -> None:
        differ = sorted(key for key in {*kept, *self._plan} if kept.get(key) != self._plan.get(key))
        if differ:
            shown = ", ".join(f"{key} was {kept.get(key)!r} and is {self._plan.get(key)!r}" for key in differ)
            raise UserError(
                f"{self.folder} holds a run that was begun differently: {shown}. Go on as it began, or name a new folder."
            )

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoint"

    def latest(self) -> State | None:
        """The newest state, and the loss log cut to it. Raises `UserError` for one that can't be read."""
        steps = sorted(path for path in self._states.glob("step-*") if path.suffix != ".tmp")
        self._cut_log(0 if not steps else int(steps[-1].name.removeprefix("step-")))
        if not steps:
            return None
        try:
            values = json.loads((steps[-1] / _STATE).read_text(encoding="utf-8"))
            parts = {part: dict(_tensors(steps[-1], part)) for part in ("thinker", "moments")}
        except (OSError, ValueError, SafetensorError) as error:
            raise UserError(
                f"{steps[-1]} can't be read: {error}. Remove it, and the run goes on from the state before."
            ) from None
        return State(
            int(values["step"]), {key.removeprefix(THINKER): value for key, value in parts["thinker"].items()}, parts["moments"]
        )

    def keep(self, state: State) -> None:
        """Raises `UserError` where it can't be written; the states before it stay."""
        path = self._states / f"step-{state.step:08d}"
        fresh = path.with_suffix(".tmp")
        try:
            shutil.rmtree(fresh, ignore_errors=True)
            fresh.mkdir()
            _save(fresh, "thinker", {f"{THINKER}{name}": value.detach().cpu() for name, value in state.masters.items()})
            _save(fresh, "moments", {name: value.detach().cpu() for name, value in state.moments.items()})
            _write(fresh / _STATE, json.dumps({"step": state.step}) + "\n")
            _settle(fresh, path)
            for old in sorted(self._states.glob("step-*"))[:-KEPT_STATES]:
                shutil.rmtree(old)
        except OSError as error:
            raise UserError(
                f"The run's state can't be kept in {path}: {error}. Free space and start it again: it goes on."
            ) from None

    def log(self, line: Mapping[str, float]) -> None:
        with self._log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def _lines(self) -> list[str]:
        return self._log.read_text(encoding="utf-8").splitlines() if self._log.exists() else []

    def _cut_log(self, steps: int) -> None:
        """Lines after the state are of steps that will be done again."""
        if self._log.exists():
            _write(self._log, "".join(f"{line}\n" for line in self._lines()[:steps]))

    def finish(self, source: Path, thinker: Mapping[str, Tensor]) -> None:
        """Writes the checkpoint: every shard of `source` again, its `llm.` tensors replaced, each in the type that it had.

        thinker: by reference keys. Raises `UserError`.
        """
        fresh = self.checkpoint.with_suffix(".tmp")
        shards = sorted({entry.file for entry in open_checkpoint(source).entries.values()})
        try:
            shutil.rmtree(fresh, ignore_errors=True)
            shutil.copytree(source, fresh, ignore=shutil.ignore_patterns(*shards, MANIFEST, ".cache", ".git"))
            for shard in shards:
                with safe_open(source / shard, framework="pt") as file:
                    kept = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118 - no mapping
                trained = {key: thinker[key].detach().cpu().to(kept[key].dtype) for key in kept if key in thinker}
                save_file(kept | trained, str(fresh / shard), metadata={"format": "pt"})
                (fresh / shard).chmod(0o644)
            if not (fresh / INDEX).exists() and shards != [SINGLE]:
                raise UserError(f"{source} has several shards and no {INDEX}.")
            write_manifest(fresh)
            shutil.rmtree(self.checkpoint, ignore_errors=True)
            _settle(fresh, self.checkpoint)
        except (OSError, SafetensorError) as error:
            raise UserError(f"The checkpoint can't be written to {self.checkpoint}: {error}.") from None


def _save(folder: Path, part: str, tensors: Mapping[str, Tensor]) -> None:
    shard: dict[str, Tensor] = {}
    number = 0
    for key, value in sorted(tensors.items()):
        if shard and sum(one.nbytes for one in shard.values()) + value.nbytes > SHARD_BYTES:
            save_file(shard, str(folder / f"{part}-{number:05d}.safetensors"))
            shard, number = {}, number + 1
        shard[key] = value.contiguous()
    if shard:
        save_file(shard, str(folder / f"{part}-{number:05d}.safetensors"))


def _tensors(folder: Path, part: str) -> Iterator[tuple[str, Tensor]]:
    for path in sorted(folder.glob(f"{part}-*.safetensors")):
        with safe_open(path, framework="pt") as file:
            for key in file.keys():  # noqa: SIM118 - no mapping
                tensor: Tensor = file.get_tensor(key)
                yield key, tensor.to(torch.float32)


def _write(path: Path, text: str) -> None:
    fresh = path.with_name(f"{path.name}.tmp")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


def _settle(fresh: Path, path: Path) -> None:
    """All on the disk, then under its name."""
    for file in fresh.rglob("*"):
        if file.is_file():
            descriptor = os.open(file, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
    sync_folder(fresh)
    fresh.replace(path)
    sync_folder(path.parent)
