"""A checkpoint's files: what they hold, whether it is what the model needs, and the way of its tensors to the device.

    folder -> headers of the shards -> account (missing, unexpected, shape, dtype) -> mapped tensors -> modules made without memory

Only the headers are read until an account has been found clean; then every tensor goes from the mapped file to its device once.
Knows no module: what is expected comes as names and shapes. Nothing here unpickles anything.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from ridealong.errors import UserError

INDEX: Final = "model.safetensors.index.json"
SINGLE: Final = "model.safetensors"
MANIFEST: Final = "SHA256SUMS"
HEADER_LIMIT: Final = 100 << 20
DTYPES: Final[Mapping[str, torch.dtype]] = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "F8_E4M3": torch.float8_e4m3fn,
    "I64": torch.int64,
    "I32": torch.int32,
    "I8": torch.int8,
    "U8": torch.uint8,
    "BOOL": torch.bool,
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One tensor, as the header of its shard tells it. `dtype`: the file's word, for instance BF16."""

    file: str
    dtype: str
    shape: tuple[int, ...]

    @property
    def count(self) -> int:
        product = 1
        for side in self.shape:
            product *= side
        return product

    @property
    def size(self) -> int:
        """In bytes."""
        return self.count * DTYPES[self.dtype].itemsize


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The tensors of a folder by key."""

    folder: Path
    entries: Mapping[str, Entry]

    def layers(self, prefix: str) -> int:
        """How many layers lie under `prefix` ("vpm.encoder.layers."), counted: the files are believed before the configuration."""
        found = {int(m[1]) for key in self.entries if (m := re.match(re.escape(prefix) + r"(\d+)\.", key))}
        if found and found != set(range(len(found))):
            gaps = sorted(set(range(max(found))) - found)
            raise UserError(f"{self.folder}: of {prefix}* the layers {gaps} are missing. Fetch the checkpoint again.")
        return len(found)

    def sums(self) -> dict[str, tuple[int, int, int]]:
        """top-level prefix -> tensors, values, bytes."""
        tensors: Counter[str] = Counter()
        values: Counter[str] = Counter()
        size: Counter[str] = Counter()
        for key, entry in self.entries.items():
            top = key.split(".", 1)[0]
            tensors[top] += 1
            values[top] += entry.count
            size[top] += entry.size
        return {top: (tensors[top], values[top], size[top]) for top in tensors}


def open_checkpoint(folder: Path) -> Checkpoint:
    """Reads the index and every shard's header. Raises `UserError` for files that are missing, cut short or disagree."""
    index = folder / INDEX
    if index.exists():
        where = _weight_map(index)
    elif (folder / SINGLE).exists():
        where = None
    else:
        raise UserError(f"{folder} holds neither {INDEX} nor {SINGLE}: is it the folder of a checkpoint?")
    files = sorted(set(where.values())) if where is not None else [SINGLE]
    entries: dict[str, Entry] = {}
    for file in files:
        for key, entry in _header(folder / file).items():
            if key in entries:
                raise UserError(f"{folder}: {key} is both in {entries[key].file} and in {file}. Fetch the checkpoint again.")
            entries[key] = entry
    if where is not None:
        wrong = sorted(key for key, file in where.items() if key not in entries or entries[key].file != file)
        wrong += sorted(entries.keys() - where.keys())
        if wrong:
            raise UserError(f"{index} and the shards disagree about {_some(wrong)}. Fetch the checkpoint again.")
    return Checkpoint(folder, entries)


def _weight_map(index: Path) -> dict[str, str]:
    try:
        where = json.loads(index.read_text(encoding="utf-8"))["weight_map"]
        if not (isinstance(where, dict) and where and all(isinstance(file, str) for file in where.values())):
            raise ValueError("weight_map is no table of files")
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise UserError(f"{index} can't be read as a checkpoint's index ({error!r}). Fetch it again.") from None
    for file in set(where.values()):
        if Path(file).name != file:
            raise UserError(f"{index} names a file outside its folder: {file!r}. Don't use this checkpoint.")
    return where


def _header(path: Path) -> dict[str, Entry]:
    """The header of a safetensors file, with its own offsets checked against the file's size."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(8)
            length = struct.unpack("<Q", start)[0] if len(start) == 8 else 0
            if not 2 <= length <= min(HEADER_LIMIT, size - 8):
                raise UserError(f"{path} is cut short or no safetensors file. Fetch it again.")
            header = json.loads(file.read(length))
        found = {
            key: Entry(path.name, str(value["dtype"]), tuple(int(side) for side in value["shape"]))
            for key, value in header.items()
            if key != "__metadata__"
        }
        end = max((int(value["data_offsets"][1]) for key, value in header.items() if key != "__metadata__"), default=0)
    except FileNotFoundError:
        raise UserError(f"{path} is missing. Fetch the checkpoint again: what is there is kept.") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise UserError(f"{path} is no safetensors file that can be read ({error!r}). Fetch it again.") from None
    if 8 + length + end != size:
        raise UserError(f"{path} has {size:,} bytes; its header tells of {8 + length + end:,}. Fetch it again: it was cut short.")
    unknown = sorted({entry.dtype for entry in found.values()} - DTYPES.keys())
    if unknown:
        raise UserError(f"{path} holds numbers of the kind {', '.join(unknown)}, which are not known here.")
    return found


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that doesn't fit. `kind`: missing, unexpected, shape or dtype."""

    kind: str
    key: str
    expected: str
    found: str


def account(
    checkpoint: Checkpoint, expected: Mapping[str, tuple[int, ...]], *, unused: Iterable[str] = (), dtypes: frozenset[str]
) -> tuple[Finding, ...]:
    """Every difference between what the model needs and what the files hold. unused: prefixes that may be there and are not loaded."""
    skipped = tuple(unused)
    findings = [Finding("missing", key, _shape(shape), "-") for key, shape in expected.items() if key not in checkpoint.entries]
    for key, entry in checkpoint.entries.items():
        if key not in expected:
            if not key.startswith(skipped):
                findings.append(Finding("unexpected", key, "-", _shape(entry.shape)))
            continue
        if entry.shape != tuple(expected[key]):
            findings.append(Finding("shape", key, _shape(expected[key]), _shape(entry.shape)))
        if entry.dtype not in dtypes:
            findings.append(Finding("dtype", key, " or ".join(sorted(dtypes)), entry.dtype))
    order = ("missing", "unexpected", "shape", "dtype")
    return tuple(sorted(findings, key=lambda finding: (order.index(finding.kind), finding.key)))


def table(findings: tuple[Finding, ...], limit: int = 40) -> str:
    """The findings as one table, layers that differ in the same way on one line."""
    rows: dict[tuple[str, str, str, str], int] = {}
    for finding in findings:
        row = (finding.kind, re.sub(r"(?<=\.)\d+(?=\.)", "*", finding.key), finding.expected, finding.found)
        rows[row] = rows.get(row, 0) + 1
    lines = [("what", "tensor", "needed", "there is", "times")]
    lines += [(*row, str(times)) for row, times in list(rows.items())[:limit]]
    widths = [max(len(line[column]) for line in lines) for column in range(5)]
    text = "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines)
    return text if len(rows) <= limit else f"{text}\n… and {len(rows) - limit} more kinds"


def fill(
    module: nn.Module, checkpoint: Checkpoint, prefix: str, *, device: torch.device | str, dtype: torch.dtype | None = None
) -> None:
    """Gives a module, made on the meta device, its tensors: those whose keys begin with `prefix`. dtype: None keeps the file's.

    Raises `UserError` when a file turns unreadable. The account must be clean: a missing tensor is a fault of the caller."""
    wanted = {prefix + key: key for key in module.state_dict()}
    by_file: dict[str, list[str]] = {}
    for key in wanted:
        by_file.setdefault(checkpoint.entries[key].file, []).append(key)
    state: dict[str, Tensor] = {}
    for file, keys in by_file.items():
        try:
            with safe_open(checkpoint.folder / file, framework="pt", device=str(device)) as shard:
                for key in keys:
                    tensor: Tensor = shard.get_tensor(key)
                    if dtype is not None and tensor.is_floating_point():
                        tensor = tensor.to(dtype)
                    # Read now, and no longer from the mapped file: cut short or written over while it is in use, that would end the program.
                    state[wanted[key]] = tensor.clone() if tensor.device.type == "cpu" else tensor
        except (OSError, SafetensorError) as error:
            raise UserError(f"{checkpoint.folder / file} can't be read: {error}. Fetch it again.") from None
    module.load_state_dict(state, strict=True, assign=True)


def write_manifest(folder: Path) -> Path:
    """Notes the sha256 of every file of the checkpoint, in the form that `sha256sum -c` reads."""
    path = folder / MANIFEST
    lines = [f"{_sha256(file)}  {file.relative_to(folder).as_posix()}\n" for file in _files(folder)]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def note_in_manifest(folder: Path, file: Path) -> None:
    """Puts a file that was made here into the folder's manifest, or renews its line. Without a manifest there is nothing to do."""
    path = folder / MANIFEST
    if not path.is_file():
        return
    name = file.relative_to(folder).as_posix()
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line[66:] != name]
    path.write_text("".join(f"{line}\n" for line in [*lines, f"{_sha256(file)}  {name}"]), encoding="utf-8")


def verify_manifest(folder: Path) -> list[str]:
    """What differs from the manifest, a sentence each. Raises `UserError` when there is none or it can't be read."""
    path = folder / MANIFEST
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise UserError(f"{folder} holds no {MANIFEST}: write it with `sha256sum`, or fetch the checkpoint again.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} can't be read: {error}.") from None
    wrong = []
    noted = set()
    for line in lines:
        found = re.fullmatch(r"([0-9a-f]{64}) [ *](.+)", line)
        if found is None or ".." in Path(found[2]).parts or Path(found[2]).is_absolute():
            raise UserError(f"{path}: {line[:80]!r} is no line of sha256sum.")
        noted.add(found[2])
        file = folder / found[2]
        if not file.is_file():
            wrong.append(f"{found[2]} is missing")
        elif _sha256(file) != found[1]:
            wrong.append(f"{found[2]} is not what was fetched")
    wrong += [
        f"{file} is not in the manifest" for file in sorted({f.relative_to(folder).as_posix() for f in _files(folder)} - noted)
    ]
    return wrong


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST and ".cache" not in path.parts)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _shape(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) or "one number"


def _some(names: list[str], limit: int = 3) -> str:
    return ", ".join(names[:limit]) + (f" and {len(names) - limit} more" if len(names) > limit else "")
