"""Temporary folders: gone when left, and gone at the next start when their process was killed; another's that lives stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ridealong.scratch import GRACE_S, remove_stale, scratch

pytestmark = pytest.mark.process

LIVES = """
import sys, pathlib
from ridealong.scratch import scratch
with scratch("it-", pathlib.Path(sys.argv[1])) as folder:
    (folder / "journal.sqlite").write_text("x")
    print(folder, flush=True)
    sys.stdin.read()
"""


def another(parent: Path) -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen(
        [sys.executable, "-c", LIVES, str(parent)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_gone_when_left_also_by_an_error(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), scratch("it-", tmp_path) as folder:
        (folder / "deep").mkdir()
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_gone_at_the_next_start_and_what_lives_stays(tmp_path: Path) -> None:
    lives, its = another(tmp_path)
    killed, left = another(tmp_path)
    try:
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert (left / "journal.sqlite").exists()
        (tmp_path / "item").mkdir()
        (tmp_path / "it-file").touch()
        with scratch("it-", tmp_path) as mine, scratch("it-", tmp_path) as second:
            assert not left.exists() and (its / "journal.sqlite").exists()
            assert {path.name for path in tmp_path.iterdir()} == {its.name, mine.name, second.name, "item", "it-file"}
    finally:
        lives.communicate("")
        killed.communicate()
    assert not its.exists()


def test_a_folder_without_a_lock_stays_for_a_day(tmp_path: Path) -> None:
    """Another process may be just making it; an older version's has none for ever."""
    old = tmp_path / "it-old"
    old.mkdir()
    (old / "journal.sqlite").touch()
    made_s = old.stat().st_mtime
    assert remove_stale("it-", tmp_path, made_s + GRACE_S - 1) == 0 and old.exists()
    assert remove_stale("it-", tmp_path, made_s + GRACE_S + 1) == 1 and not old.exists()


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.mkdir()
    os.symlink(target, tmp_path / "it-link")
    assert remove_stale("it-", tmp_path, target.stat().st_mtime + 10 * GRACE_S) == 0
    assert target.exists() and (tmp_path / "it-link").is_symlink()
