"""Workers of an evaluation, as processes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.process


def told(folder: str) -> object:
    """Leaves the number of its process, and rides for ever."""
    (Path(folder) / str(os.getpid())).write_text("")
    return lambda job: time.sleep(600)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")
def test_workers_end_with_their_parent_however_it_ends(tmp_path: Path) -> None:
    script = (
        "from functools import partial\n"
        "from ridealong.simulators.evaluation.working import Workers\n"
        "from tests.process.test_workers import told\n"
        f"list(Workers(partial(told, {str(tmp_path)!r}), 2).each([1, 2]))\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], cwd=Path(__file__).parents[2], stderr=subprocess.DEVNULL)

    def until(done: Callable[[], bool]) -> bool:
        for _ in range(600):
            if done():
                return True
            time.sleep(0.1)
        return False

    try:
        assert until(lambda: len(list(tmp_path.iterdir())) == 2)
    finally:
        parent.kill()
        parent.wait()
    workers = [Path("/proc") / path.name for path in tmp_path.iterdir()]
    assert until(lambda: not any(worker.exists() for worker in workers))
