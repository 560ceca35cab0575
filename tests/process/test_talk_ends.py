"""A conversation at a terminal ends when it is left by a word, and nothing in the car is told of that."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.process


def read_until(terminal: int, words: str, within_s: float) -> str:
    """What has been printed, up to these words."""
    seen, end = "", time.monotonic() + within_s
    while words not in seen and time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                seen += os.read(terminal, 65_536).decode(errors="replace")
            except OSError:  # the other end is closed
                break
    return seen


@pytest.mark.parametrize("word", ["quit", "/exit"])
def test_a_word_ends_it(word: str, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    env = os.environ | {"RIDEALONG_JOURNAL": str(tmp_path / "journal.sqlite")}
    talk = subprocess.Popen(
        [sys.executable, "-m", "ridealong.cli", "talk", "--text"], stdin=theirs, stdout=theirs, stderr=theirs, env=env
    )
    os.close(theirs)
    try:
        assert "/quit" in read_until(ours, "ends.", 60)
        os.write(ours, f"{word}\n".encode())
        rest = read_until(ours, "\0", 20)
        assert talk.wait(20) == 0
        assert "car" not in rest and "ridealong  " not in rest
    finally:
        talk.kill()
        talk.wait()
        os.close(ours)
