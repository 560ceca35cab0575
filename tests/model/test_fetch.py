"""Fetching from a hub (a small one on this machine): what comes, what doesn't, and what is said when it stops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from checkpoints import SHARDS, tiny_folder
from fake_hub import COMMIT, REPO, Hub, files_of, serving

from ridealong.cli import main
from ridealong.cloud.model import fetch
from ridealong.cloud.model.fetch import bring, check_revision, plan, unwanted
from ridealong.cloud.model.loader import MANIFEST, verify_manifest
from ridealong.errors import UserError

pytestmark = pytest.mark.model

EXTRA = {
    "modeling_minicpmo.py": b"raise SystemExit",
    "assets/token2wav/flow.pt": b"flow",
    "assets/token2wav/hift.pt": b"hift",
    "optimizer.bin": b"pickle",
    "training_args.pt": b"pickle",
    ".gitattributes": b"*",
    "empty.txt": b"",
}
BROUGHT = {"assets/token2wav/flow.pt", "assets/token2wav/hift.pt", "empty.txt"}
BIG = SHARDS[1]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    files = files_of(tiny_folder())
    del files[MANIFEST]
    with serving(Hub(files | EXTRA)) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        monkeypatch.setenv("HF_TOKEN", "hf_secret")
        yield hub


def fetched(hub: Hub, folder: Path, said: list[str] | None = None) -> Path:
    return bring(plan(REPO, COMMIT), folder, (said if said is not None else []).append, wait_s=0.0)


def test_the_command_brings_a_checkpoint_that_can_be_loaded(hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "new" / "model"
    words = ["model", "fetch", REPO, "--revision", COMMIT, "--to", str(folder), "--yes"]
    assert main(words) == 0
    told = capsys.readouterr().out
    assert "licence   apache-2.0" in told and COMMIT in told
    assert "left out  modeling_minicpmo.py (code" in told and "left out  optimizer.bin (a pickle" in told
    assert f"{len(hub.files) - 4} files" in told
    here = {name for name in files_of(folder) if not name.startswith(".cache/")}
    assert here == (set(hub.files) - set(EXTRA) | BROUGHT | {MANIFEST})
    assert verify_manifest(folder) == []
    assert all((folder / name).read_bytes() == hub.files[name] for name in here - {MANIFEST})
    assert main(["model", "check", str(folder), "--sums"]) == 0
    before = len(hub.asked)
    assert main(words) == 0  # all is there
    assert len(hub.asked) == before and "is there" in capsys.readouterr().out


def test_the_token_is_for_the_hub_alone(hub: Hub, tmp_path: Path) -> None:
    fetched(hub, tmp_path / "m")
    small = {name: token for name, _, token in hub.asked if name == "config.json"}
    large = {name: token for name, _, token in hub.asked if name == BIG}
    assert small == {"config.json": "Bearer hf_secret"} and large == {BIG: None}


def test_a_cut_connection_goes_on_where_it_stopped(hub: Hub, tmp_path: Path) -> None:
    hub.cuts[BIG] = 2
    said: list[str] = []
    fetched(hub, tmp_path / "m", said)
    assert [asked[1] for asked in hub.asked if asked[0] == BIG] == [None, "bytes=40000-", "bytes=80000-"]
    assert sum("going on" in line for line in said) == 2
    assert verify_manifest(tmp_path / "m") == []


def test_a_later_run_goes_on_where_the_first_stopped(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "TRIES", 1)
    hub.cuts[BIG] = 1
    with pytest.raises(UserError, match=rf"{BIG} stopped at 40,000 of .* Run the same command again"):
        fetched(hub, tmp_path / "m")
    assert not (tmp_path / "m" / BIG).exists() and not (tmp_path / "m" / MANIFEST).exists()
    hub.asked.clear()
    fetched(hub, tmp_path / "m")
    assert [asked[1] for asked in hub.asked if asked[0] == BIG] == ["bytes=40000-"]
    assert SHARDS[0] not in {asked[0] for asked in hub.asked}
    assert verify_manifest(tmp_path / "m") == []
    assert not list((tmp_path / "m").rglob("*.part"))


def test_a_store_that_knows_no_ranges(hub: Hub, tmp_path: Path) -> None:
    hub.cuts[BIG] = 1
    hub.ranges = False
    fetched(hub, tmp_path / "m")
    assert (tmp_path / "m" / BIG).read_bytes() == hub.files[BIG]
    assert [asked[1] for asked in hub.asked if asked[0] == BIG] == [None, "bytes=40000-"]


def test_a_busy_hub_is_asked_again(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.busy = 2
    fetched(hub, tmp_path / "m")
    hub.busy = 99
    (tmp_path / "m" / "config.json").unlink()
    monkeypatch.setattr(fetch, "TRIES", 3)
    with pytest.raises(UserError, match="503"):
        fetched(hub, tmp_path / "m")
    assert hub.busy == 99 - 3


@pytest.mark.parametrize("name", [BIG, "config.json"])
def test_a_wrong_sum(hub: Hub, tmp_path: Path, name: str) -> None:
    hub.damaged.add(name)
    with pytest.raises(UserError, match=f"{name} came whole and is not what the hub lists"):
        fetched(hub, tmp_path / "m")
    assert not (tmp_path / "m" / name).exists() and not list((tmp_path / "m").rglob("*.part"))
    hub.damaged.clear()
    fetched(hub, tmp_path / "m")
    (tmp_path / "m" / name).write_bytes(b"x" * len(hub.files[name]))  # changed after it came: as long, not the same
    fetched(hub, tmp_path / "m")
    assert (tmp_path / "m" / name).read_bytes() == hub.files[name]


@pytest.mark.parametrize("revision", [None, "main", "v1.0", COMMIT[:39], COMMIT.upper(), COMMIT + "0"])
def test_a_revision_that_is_no_commit(revision: str | None) -> None:
    with pytest.raises(UserError, match=r"40 hex digits.*commits/main.*git ls-remote"):
        check_revision(REPO, revision)


@pytest.mark.parametrize(
    ("repo", "revision", "words"),
    [
        (REPO, "f" * 40, "has no commit ffff"),
        ("someone/else", COMMIT, "shows no repository someone/else"),
        ("no name at all", COMMIT, "is no name of a repository"),
    ],
)
def test_what_is_not_there(
    hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str], repo: str, revision: str, words: str
) -> None:
    assert main(["model", "fetch", repo, "--revision", revision, "--to", str(tmp_path / "m"), "--yes"]) == 2
    told = capsys.readouterr().err
    assert words in told and "Traceback" not in told and not (tmp_path / "m").exists()


def test_a_hub_that_can_not_be_reached(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert main(["model", "fetch", REPO, "--revision", COMMIT, "--to", str(tmp_path / "m"), "--yes"]) == 2
    told = capsys.readouterr().err
    assert "http://127.0.0.1:9 can't be reached" in told and "HF_ENDPOINT" in told and "Traceback" not in told


def test_a_hub_that_answers_with_another_commit(hub: Hub) -> None:
    hub.sha = "1" * 40
    with pytest.raises(UserError, match="answered with commit 1111"):
        plan(REPO, COMMIT)


def test_a_folder_of_something_else(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear", encoding="utf-8")
    with pytest.raises(UserError, match="not empty, and no earlier fetch made it"):
        fetched(hub, tmp_path / "mine")
    found = plan(REPO, COMMIT)
    small = replace(found, files=found.files[:1])
    bring(small, tmp_path / "m", print, wait_s=0.0)
    with pytest.raises(UserError, match=f"holds {REPO} at {COMMIT}"):
        bring(replace(small, revision="2" * 40), tmp_path / "m", print, wait_s=0.0)


def test_a_disk_that_is_too_small(hub: Hub, tmp_path: Path) -> None:
    found = plan(REPO, COMMIT)
    huge = replace(found, files=(replace(found.files[0], size=10**18),))
    with pytest.raises(UserError, match="make room"):
        bring(huge, tmp_path / "m", print)


def test_nobody_to_ask(hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["model", "fetch", REPO, "--revision", COMMIT, "--to", str(tmp_path / "m")]
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    assert main(words) == 2 and "add --yes" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: "n")
    assert main(words) == 1 and not (tmp_path / "m").exists()
    monkeypatch.setattr("builtins.input", lambda _: "Yes")
    assert main(words) == 0 and (tmp_path / "m" / MANIFEST).is_file()


@pytest.mark.parametrize("name", ["../up", "/etc/passwd", "a/../../b", ".cache/ridealong/source.json", "a\\b", ""])
def test_names_that_lead_out_of_the_folder(name: str) -> None:
    with pytest.raises(UserError, match="outside its folder"):
        unwanted(name)


def test_what_is_left_out() -> None:
    for name in ("a.py", "x/y.PY", "weights.bin", "a.pth", "b.pkl", "run.sh", "lib.so"):
        assert unwanted(name), name
    for name in (
        "config.json",
        "a.safetensors",
        "assets/token2wav/flow.pt",
        "hift.pt",
        "hift_original.pt",
        "flow.yaml",
        "campplus.onnx",
        "LICENSE",
        "v.wav",
    ):
        assert not unwanted(name), name
