"""Real noise and real people: the few files in sounds/, and a folder of the user's own that is read but never shipped.

A folder may hold `recordings.yaml` (a list of {file, split, locale, voice, as, text}; only `file` is compulsory); without one, every
audio file in it is a person speaking in the background of the report split, its language taken from `_en` or `_zh` in its name, and
English otherwise.

Does not know: plans, levels, or where a sound is placed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from ridealong.errors import UserError
from ridealong.simulators.scenarios.acoustics import Floats
from ridealong.simulators.scenarios.scenario import Kind, Split
from ridealong.simulators.trip.sources import read_audio
from ridealong.yaml_file import read_yaml

SHIPPED = Path(__file__).parent / "sounds"
MANIFEST = "recordings.yaml"
ENDINGS = (".wav", ".flac", ".ogg")
KEYS = frozenset({"file", "split", "locale", "voice", "as", "text"})
LONGEST_S = 12
"""Of a person, in a scenario."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A person. `uses`: as what they may be heard; `text` may be unknown ("")."""

    path: Path
    split: Split
    locale: str
    voice: str
    uses: frozenset[Kind]
    text: str = ""

    @property
    def name(self) -> str:
        return self.path.stem


@dataclass(frozen=True, slots=True)
class Ambience:
    path: Path
    split: Split
    where: str  # street or indoors

    @property
    def name(self) -> str:
        return self.path.stem


@cache
def ambiences() -> tuple[Ambience, ...]:
    raw = read_yaml(SHIPPED / "sounds.yaml")
    return tuple(Ambience(SHIPPED / row["file"], Split(row["split"]), row["where"]) for row in raw["noise"])


def people(folder: Path | None = None) -> tuple[Recording, ...]:
    """The shipped ones, and those of `folder`."""
    raw = read_yaml(SHIPPED / "sounds.yaml")
    shipped = [_recording(SHIPPED / "sounds.yaml", number, row) for number, row in enumerate(raw["people"], start=1)]
    return (*shipped, *(_in_folder(folder) if folder is not None else ()))


def _in_folder(folder: Path) -> Iterable[Recording]:
    if not folder.is_dir():
        raise UserError(f"{folder}: there is no such folder of recordings; check the name.")
    manifest = folder / MANIFEST
    if not manifest.exists():
        return [_by_name(path) for path in sorted(folder.iterdir()) if path.suffix.lower() in ENDINGS]
    try:
        rows = read_yaml(manifest)
    except (OSError, yaml.YAMLError) as error:
        raise UserError(f"{manifest}: cannot be read as YAML ({' '.join(str(error).split())}); mend it.") from error
    if not isinstance(rows, list):
        raise UserError(f"{manifest}: must be a list of {{file, split, locale, voice, as, text}}.")
    return [_recording(manifest, number, row) for number, row in enumerate(rows, start=1)]


def _by_name(path: Path) -> Recording:
    locale = "zh" if "zh" in path.stem.lower().replace("-", "_").split("_") else "en"
    return Recording(path, Split.REPORT, locale, f"person_{path.stem}", frozenset({Kind.BACKGROUND}))


def _recording(manifest: Path, number: int, row: Any) -> Recording:
    where = f"{manifest}: entry {number}"
    if not isinstance(row, dict) or "file" not in row or not set(row) <= KEYS:
        raise UserError(f"{where} must have file, and of {', '.join(sorted(KEYS - {'file'}))} what is known; nothing else.")
    path = manifest.parent / str(row["file"])
    if not path.is_file():
        raise UserError(f"{where} names {row['file']!r}, which is not beside it; check the name.")
    uses = row.get("as", ["background"])
    try:
        split, kinds = Split(row.get("split", "report")), frozenset(Kind(use) for use in uses)
    except (ValueError, TypeError) as error:
        raise UserError(
            f"{where}: {error}; split is tune or report, as is a list of {', '.join(k.value for k in Kind)}."
        ) from error
    locale = str(row.get("locale", "en"))
    return Recording(path, split, locale, str(row.get("voice", f"person_{path.stem}")), kinds, str(row.get("text") or ""))


@lru_cache(maxsize=64)
def samples_of(path: Path) -> Floats:
    """The file's sound, all of it."""
    samples = read_audio(path)[0].astype(np.float32) / np.float32(32768)
    samples.flags.writeable = False
    return samples


def looped(samples: Floats, start: int, count: int) -> Floats:
    """A loop of an ambience from anywhere in it, its seam faded over half a second."""
    seam = min(8_000, len(samples) // 4)
    taken = samples[(start + np.arange(count + seam)) % len(samples)].astype(np.float32)
    fade = np.sqrt(np.linspace(0, 1, seam, dtype=np.float32))
    taken[:seam] = taken[:seam] * fade + taken[count:] * fade[::-1]
    return taken[:count]
