"""Brings a checkpoint from a hub at one commit, a piece at a time, and proves that what came is what the hub lists.

    repository, commit -> `plan` (files, sizes, sums, licence, what is left out) -> `bring` -> folder with SHA256SUMS

Code is never brought: this program has its own, and pickles run code when they are read. An interrupted file goes on where it
stopped: huggingface_hub's own download starts a file anew (2.x), and a shard has 5 GB. Asks nobody; `commands` does.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import re
import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from ridealong.cloud.model.loader import MANIFEST
from ridealong.errors import UserError

CODE: Final = frozenset({".py", ".pyc", ".so", ".sh", ".ipynb"})
PICKLES: Final = frozenset({".pt", ".pth", ".bin", ".pkl", ".pickle", ".ckpt", ".npy", ".npz", ".joblib"})
SPEECH_FILES: Final = frozenset({"flow.pt", "hift.pt", "hift_original.pt"})
"""Published only so. They are read without running what is in them (`assets`)."""
NOTES: Final = ".cache/ridealong"
"""Under the folder: which commit it is of, and files that are not whole yet."""
PIECE: Final = 1 << 20
TRIES: Final = 6
TIMEOUT_S: Final = 60.0
SPARE: Final = 1 << 30
"""Bytes that stay free on the disk."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """`sha256` of a large file, `blob` (git's sha1) of a small one; a hub lists one of them."""

    name: str
    size: int
    sha256: str | None
    blob: str | None


@dataclass(frozen=True, slots=True)
class Plan:
    """`left_out`: name -> why."""

    repo: str
    revision: str
    endpoint: str
    licence: str
    files: tuple[RemoteFile, ...]
    left_out: Mapping[str, str]

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


def check_revision(repo: str, revision: str | None) -> str:
    """A whole commit. Raises `UserError` that says how to get one."""
    if revision is not None and re.fullmatch(r"[0-9a-f]{40}", revision):
        return revision
    given = "No revision was given" if revision is None else f"{revision!r} is no commit"
    raise UserError(
        f"{given}: a branch can change between today and the next machine, so one commit is needed, in 40 hex digits. Take it from "
        f"https://huggingface.co/{repo}/commits/main (copy the full hash), or from  git ls-remote https://huggingface.co/{repo} HEAD"
    )


def plan(repo: str, revision: str) -> Plan:
    """Asks the hub what there is. Raises `UserError` where it can't be asked, or has no such repository or commit."""
    info, endpoint = _asked(repo, revision)
    if info.sha != revision:
        raise UserError(
            f"The hub answered with commit {info.sha} of {repo} in place of {revision}. Give that one if it is meant."
        )
    files: list[RemoteFile] = []
    left_out: dict[str, str] = {}
    for entry in sorted(info.siblings or [], key=lambda entry: str(entry.rfilename)):
        name = str(entry.rfilename)
        why = unwanted(name)
        if why:
            left_out[name] = why
            continue
        lfs = entry.lfs
        sha256 = None if lfs is None else str(lfs["sha256"])
        if entry.size is None or (sha256 is None and not entry.blob_id):
            raise UserError(
                f"The hub at {endpoint} tells neither size nor sum of {name}, so it can't be checked. Use another mirror."
            )
        files.append(RemoteFile(name, int(entry.size), sha256, None if sha256 else str(entry.blob_id)))
    if not files:
        raise UserError(f"{repo} holds no file at {revision} that a checkpoint is made of.")
    return Plan(repo, revision, endpoint, _licence(info), tuple(files), left_out)


def unwanted(name: str) -> str:
    """Why a file is left out; empty where it is wanted. Raises `UserError` for a name that leads out of the folder."""
    path = PurePosixPath(name)
    if path.is_absolute() or not path.parts or {"..", ".cache"} & set(path.parts) or "\\" in name:
        raise UserError(f"The repository names a file {name!r}, which is outside its folder. Don't use it.")
    suffix = path.suffix.lower()
    if suffix in CODE:
        return "code: this program has its own"
    if suffix in PICKLES and path.name not in SPEECH_FILES:
        return "a pickle: reading it can run code"
    return "of git" if path.name == ".gitattributes" else ""


def _asked(repo: str, revision: str) -> tuple[Any, str]:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        HFValidationError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    api = HfApi(endpoint=os.environ.get("HF_ENDPOINT") or None)
    endpoint = str(api.endpoint)
    try:
        return api.model_info(repo, revision=revision, files_metadata=True, timeout=TIMEOUT_S), endpoint
    except HFValidationError as error:
        raise UserError(f"{repo!r} is no name of a repository (OWNER/NAME): {_first(error)}") from None
    except GatedRepoError:
        raise UserError(
            f"{repo} asks for consent: accept its terms at {endpoint}/{repo}, then set HF_TOKEN to your token."
        ) from None
    except RevisionNotFoundError:
        raise UserError(f"{repo} has no commit {revision}. Its commits: {endpoint}/{repo}/commits/main") from None
    except RepositoryNotFoundError:
        raise UserError(f"{endpoint} shows no repository {repo}: check its name, or set HF_TOKEN if it is private.") from None
    except HfHubHTTPError as error:
        raise UserError(f"The hub at {endpoint} refused: {_first(error)}. Try again later.") from None
    except Exception as error:  # what a dead network raises depends on the release and its HTTP library
        raise UserError(
            f"The hub at {endpoint} can't be reached ({type(error).__name__}: {_first(error)}). Check the network and its proxy "
            "(HTTPS_PROXY), or set HF_ENDPOINT to a mirror; or copy the folder from a machine that has it."
        ) from None


def _licence(info: Any) -> str:
    card = info.card_data
    told = card.get("license") if card is not None else None
    tags = [tag.removeprefix("license:") for tag in info.tags or [] if tag.startswith("license:")]
    return str(told or next(iter(tags), "not stated"))


def bring(plan: Plan, folder: Path, say: Say, *, wait_s: float = 1.0) -> Path:
    """Fetches what the folder lacks and writes its manifest, whose path it returns.

    What is whole already is only hashed. Raises `UserError`; what came until then is kept. wait_s: before the first new try of a file.
    """
    _claim(plan, folder)
    _room(plan, folder)
    sums: dict[str, str] = {}
    for number, file in enumerate(plan.files, 1):
        target = folder / file.name
        label = f"[{number}/{len(plan.files)}] {file.name}"
        found = _sum(target, file) if target.is_file() else None
        if found is None:
            say(f"{label}  {file.size:,} bytes")
            found = _brought(plan, file, folder, say, wait_s)
        else:
            say(f"{label}  is there")
        sums[file.name] = found
    path = folder / MANIFEST
    path.write_text("".join(f"{sums[name]}  {name}\n" for name in sorted(sums)), encoding="utf-8")
    return path


def _claim(plan: Plan, folder: Path) -> None:
    """A folder holds one commit of one repository. Raises `UserError` for a folder that holds anything else."""
    note = folder / NOTES / "source.json"
    mine = {"repo": plan.repo, "revision": plan.revision}
    try:
        if note.is_file():
            found = json.loads(note.read_text(encoding="utf-8"))
            if found != mine:
                raise UserError(
                    f"{folder} holds {found.get('repo')} at {found.get('revision')}: name another folder, or remove it."
                )
            return
        if folder.exists() and any(folder.iterdir()):
            raise UserError(f"{folder} is not empty, and no earlier fetch made it: name a new folder.")
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(json.dumps(mine), encoding="utf-8")
    except (OSError, ValueError, AttributeError) as error:
        raise UserError(f"{folder} can't be used: {error}.") from None


def _room(plan: Plan, folder: Path) -> None:
    held = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    need, free = plan.size - held, shutil.disk_usage(folder).free
    if need > 0 and free < need + SPARE:
        raise UserError(
            f"{folder} has {free / 1e9:.1f} GB left, and {need / 1e9:.1f} GB are to come: make room, or name another disk."
        )


def _brought(plan: Plan, file: RemoteFile, folder: Path, say: Say, wait_s: float) -> str:
    from huggingface_hub import hf_hub_url
    from huggingface_hub.utils import build_hf_headers

    url = hf_hub_url(plan.repo, file.name, revision=plan.revision, endpoint=plan.endpoint)
    part = folder / NOTES / f"{hashlib.sha256(file.name.encode()).hexdigest()[:16]}.part"
    target = folder / file.name
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _piecewise(url, build_hf_headers(), part, file, say, wait_s)
        found = _sum(part, file)
        if found is None:
            part.unlink()
            raise UserError(
                f"{file.name} came whole and is not what the hub lists ({file.sha256 or file.blob}): it was damaged on its way, or by "
                "a proxy. It was removed; run the same command again."
            )
        os.replace(part, target)
    except OSError as error:
        raise UserError(f"{target} can't be written: {error}. What came is kept; run the same command again.") from None
    return found


def _piecewise(url: str, headers: Mapping[str, str], part: Path, file: RemoteFile, say: Say, wait_s: float) -> None:
    """Until all of the file is there. A try that brings something starts the count of tries anew. Raises `UserError`."""
    tries = 0
    while (have := part.stat().st_size if part.exists() else 0) != file.size or not part.exists():
        if have > file.size:
            part.unlink()
            continue
        try:
            _once(url, headers, part, have)
            why = "the connection ended early"
        except urllib.error.HTTPError as error:
            if error.code == 416:
                part.unlink(missing_ok=True)
            elif error.code < 500 and error.code not in (408, 429):
                raise UserError(
                    f"The hub refused {file.name}: {error.code} {error.reason}. Check access to the repository."
                ) from None
            why = f"{error.code} {error.reason}"
        except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
            why = f"{type(error).__name__}: {error}"
        now = part.stat().st_size if part.exists() else 0
        if now == file.size:
            return
        tries = 1 if now > have else tries + 1
        if tries >= TRIES:
            raise UserError(
                f"{file.name} stopped at {now:,} of {file.size:,} bytes ({why}). Run the same command again: it goes on there."
            )
        say(f"    stopped at {now:,} of {file.size:,} bytes ({why}); going on")
        time.sleep(wait_s * 2 ** (tries - 1))


def _once(url: str, headers: Mapping[str, str], part: Path, have: int) -> None:
    request = urllib.request.Request(url)
    for name, value in headers.items():
        # A token is for the hub alone, not for the store that it sends us on to.
        (request.add_unredirected_header if name.lower() == "authorization" else request.add_header)(name, value)
    if have:
        request.add_header("Range", f"bytes={have}-")
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
        goes_on = answer.status == 206
        with part.open("ab" if goes_on else "wb") as out:
            while piece := answer.read(PIECE):
                out.write(piece)


def _sum(path: Path, file: RemoteFile) -> str | None:
    """The file's sha256, None where it is not the one that the hub lists."""
    if path.stat().st_size != file.size:
        return None
    mine = hashlib.sha256()
    git = hashlib.sha1(f"blob {file.size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as source:
        while piece := source.read(PIECE):
            mine.update(piece)
            if file.blob:
                git.update(piece)
    same = git.hexdigest() == file.blob if file.blob else mine.hexdigest() == file.sha256
    return mine.hexdigest() if same else None


def _first(error: BaseException) -> str:
    """The first line of a message that may have many."""
    return str(error).strip().partition("\n")[0][:200]
