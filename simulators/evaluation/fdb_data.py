"""Reads a folder with the layout of Full-Duplex-Bench v1.0 or v1.5 that the user supplies. Nothing of it is ever shipped or changed.

    DIR[/v1_0|/v1_5]/<task>/<ID>/{input.wav, …}

A folder that is none is one sentence; a broken item is named and left out. Does not know how items are ridden or scored.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
from numpy.typing import NDArray

from ridealong.cloud.frontends.cascade.audio import pcm16_from_floats, resample
from ridealong.errors import UserError
from ridealong.proto.types import CLOCK_HZ

V1_0 = {
    "candor_pause_handling": "pause", "synthetic_pause_handling": "pause", "candor_turn_taking": "turn", "icc_backchannel": "backchannel",
    "synthetic_user_interruption": "interruption",
}  # fmt: skip
V1_5 = {
    "user_interruption": "interruption", "user_backchannel": "backchannel", "talking_to_other": "other", "background_speech": "background",
}  # fmt: skip
MARKERS = {"pause": ("pause.json",), "turn": ("turn_taking.json",), "interruption": ("interrupt.json",), "backchannel": ()}
DISTRIBUTION = "icc_gt_distribution.json"
LONGEST_S = 1_800
RATES_HZ = (4_000, 384_000)


@dataclass(frozen=True, slots=True)
class Item:
    """`marker`: (start, end) in seconds of the turn-taking point, the interruption or the overlap, where there is one. `context`,
    `overlap`: what the user says before and during it. `reference`: the listeners' distribution of backchannels."""

    version: str
    task: str
    kind: str
    name: str
    folder: Path
    marker: tuple[float, float] | None = None
    context: str = ""
    overlap: str = ""
    reference: tuple[float, ...] = ()

    @property
    def id(self) -> str:
        return f"{self.version}/{self.task}/{self.name}"


@dataclass(slots=True)
class Benchmark:
    """`broken`: id and reason of what was left out."""

    items: list[Item] = field(default_factory=list)
    broken: list[tuple[str, str]] = field(default_factory=list)


class BrokenItem(ValueError):
    """Why an item cannot be used."""


def read_folder(folder: Path, limit: int | None = None) -> Benchmark:
    """`limit`: items a task. Raises UserError where there is nothing to read."""
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}: give --fdb a folder of Full-Duplex-Bench v1.0 or v1.5.")
    places = [folder, folder / "v1_0", folder / "v1_5", folder / "v1.0", folder / "v1.5"]
    found = Benchmark()
    tasks = 0
    for version, kinds in (("v1.0", V1_0), ("v1.5", V1_5)):
        for task, kind in kinds.items():
            for place in places:
                if (place / task).is_dir():
                    tasks += 1
                    _read_task(found, version, task, kind, place / task, limit)
    if not tasks:
        raise UserError(
            f"{folder} does not look like Full-Duplex-Bench: it needs a folder such as candor_turn_taking (v1.0) or user_backchannel (v1.5)."
        )
    if not found.items:
        why = f" ({found.broken[0][0]}: {found.broken[0][1]})" if found.broken else ""
        raise UserError(f"{folder} holds no item that can be used{why}.")
    return found


def _read_task(found: Benchmark, version: str, task: str, kind: str, folder: Path, limit: int | None) -> None:
    reference = _distribution(found, folder) if kind == "backchannel" and version == "v1.0" else {}
    for item in sorted((path for path in folder.iterdir() if path.is_dir()), key=lambda path: path.name)[:limit]:
        name = f"{version}/{task}/{item.name}"
        try:
            read = _read_v1_0 if version == "v1.0" else _read_v1_5
            found.items.append(read(version, task, kind, item, reference))
        except BrokenItem as error:
            found.broken.append((name, str(error)))
        except OSError as error:
            found.broken.append((name, error.strerror or "cannot be read"))


def _read_v1_0(version: str, task: str, kind: str, folder: Path, reference: dict[str, tuple[float, ...]]) -> Item:
    check_wav(folder / "input.wav")
    marker, context, overlap = None, "", ""
    if MARKERS[kind]:
        path = next((folder / name for name in (*MARKERS[kind], f"{task}.json") if (folder / name).exists()), None)
        if path is None:
            raise BrokenItem(f"{MARKERS[kind][0]} is missing")
        entry = _first(_json(path), path.name)
        marker = _interval(entry.get("timestamp"), path.name)
        context, overlap = str(entry.get("context", "")), str(entry.get("interrupt", ""))
    speaker = next((key for key in reference if key == folder.name or folder.name.startswith(f"{key}_")), "")
    return Item(version, task, kind, folder.name, folder, marker, context, overlap, reference.get(speaker, ()))


def _read_v1_5(version: str, task: str, kind: str, folder: Path, _: dict[str, tuple[float, ...]]) -> Item:
    for name in ("input.wav", "clean_input.wav"):
        check_wav(folder / name)
    metadata = _json(folder / "metadata.json")
    if not isinstance(metadata, dict):
        raise BrokenItem("metadata.json is no object")
    marker = _interval(metadata.get("timestamps"), "metadata.json")
    texts = (str(metadata.get("context_text") or ""), str(metadata.get("current_turn_text") or ""))
    return Item(version, task, kind, folder.name, folder, marker, *texts)


def check_wav(path: Path) -> None:
    """Raises BrokenItem unless it is a sound file with samples in it."""
    if not path.exists():
        raise BrokenItem(f"{path.name} is missing")
    try:
        info = soundfile.info(str(path))
    except (soundfile.SoundFileError, RuntimeError):
        raise BrokenItem(f"{path.name} is no sound file") from None
    if not info.frames or not info.samplerate:
        raise BrokenItem(f"{path.name} holds no samples")
    if not RATES_HZ[0] <= info.samplerate <= RATES_HZ[1]:
        raise BrokenItem(f"{path.name} claims {info.samplerate} samples a second")
    if info.frames > LONGEST_S * info.samplerate:
        raise BrokenItem(f"{path.name} is longer than {LONGEST_S // 60} minutes")


def read_sound(path: Path) -> NDArray[np.int16]:
    """Mono at 16 kHz; channels are mixed. A float that is no number is silence."""
    samples, rate = soundfile.read(str(path), dtype="float32", always_2d=True)
    mono = np.ascontiguousarray(np.nan_to_num(samples.mean(axis=1), nan=0.0, posinf=0.0, neginf=0.0), np.float32)
    return pcm16_from_floats(resample(mono, int(rate), CLOCK_HZ))


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BrokenItem(f"{path.name} is missing") from None
    except (ValueError, RecursionError):
        raise BrokenItem(f"{path.name} is not JSON") from None


def _first(value: Any, name: str) -> dict[str, Any]:
    """Markers are lists of objects; the first counts."""
    entry = value[0] if isinstance(value, list) and value else value
    if not isinstance(entry, dict):
        raise BrokenItem(f"{name} holds no marker")
    return entry


def _interval(value: Any, name: str) -> tuple[float, float]:
    good = isinstance(value, list) and len(value) == 2 and all(isinstance(one, int | float) for one in value)
    if not good or not 0 <= value[0] <= value[1] <= LONGEST_S:
        raise BrokenItem(f"{name} has no timestamp [start, end] in seconds")
    return float(value[0]), float(value[1])


def _distribution(found: Benchmark, folder: Path) -> dict[str, tuple[float, ...]]:
    path = next((place / DISTRIBUTION for place in (folder, folder.parent) if (place / DISTRIBUTION).exists()), None)
    if path is None:
        return {}
    try:
        raw = _json(path)
        if not isinstance(raw, dict):
            raise BrokenItem(f"{DISTRIBUTION} is no object")
        found_values = {str(key): tuple(max(0.0, float(one)) for one in values) for key, values in raw.items() if values}
        if not all(math.isfinite(one) for values in found_values.values() for one in values):
            raise BrokenItem(f"{DISTRIBUTION} holds what is no number")
        return found_values
    except (BrokenItem, TypeError, ValueError, OverflowError):
        found.broken.append((f"v1.0/{folder.name}/{DISTRIBUTION}", "cannot be read; no divergence"))
        return {}
