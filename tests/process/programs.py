"""Starts the real programs as a user would, and stops them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

RIDEALONG = [sys.executable, "-m", "ridealong.cli"]


def environment(**extra: str) -> dict[str, str]:
    return {**os.environ, "PYTHONUNBUFFERED": "1", **extra}


def ridealong(*words: str, timeout_s: float = 60, **extra: str) -> subprocess.CompletedProcess[str]:
    """Run to its end."""
    return subprocess.run(
        [*RIDEALONG, *words], capture_output=True, text=True, timeout=timeout_s, env=environment(**extra), check=False
    )


def refused(result: subprocess.CompletedProcess[str], *needles: str) -> None:
    """A user's mistake: exit 2, one sentence with the remedy on stderr, no traceback."""
    assert result.returncode == 2, (result.returncode, result.stdout, result.stderr)
    assert "Traceback" not in result.stderr and len(result.stderr.strip().splitlines()) <= 2, result.stderr
    for needle in needles:
        assert needle in result.stderr, result.stderr


@contextmanager
def running(
    words: Sequence[str], ready: str, folder: Path, timeout_s: float = 60
) -> Iterator[tuple[subprocess.Popen[str], re.Match[str]]]:
    """The program, and the match of its line that says that it is ready. Stopped with SIGTERM; what it printed is in `folder`."""
    log = folder / f"{words[0]}.log"
    with log.open("w") as out:
        program = subprocess.Popen([*RIDEALONG, *words], stdout=out, stderr=subprocess.STDOUT, text=True, env=environment())
    try:
        deadline = time.monotonic() + timeout_s
        while not (found := re.search(ready, log.read_text())):
            assert program.poll() is None, f"{words} ended: {log.read_text()}"
            assert time.monotonic() < deadline, f"{words} did not get ready: {log.read_text()}"
            time.sleep(0.05)
        yield program, found
    finally:
        if program.poll() is None:
            program.send_signal(signal.SIGTERM)
            try:
                program.wait(15)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()
                raise
