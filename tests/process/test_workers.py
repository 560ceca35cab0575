"""Workers of an evaluation, as processes."""

from __future__ import annotations

import os
import signal
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
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_however_a_run_is_ended_its_workers_end_too_and_at_once(tmp_path: Path, number: signal.Signals) -> None:
    script = (
        "import signal\n"
        "from functools import partial\n"
        "from ridealong.simulators.evaluation.working import Workers\n"
        "from tests.process.test_workers import told\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"list(Workers(partial(told, {str(tmp_path)!r}), 2).each([1, 2, 3]))\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], cwd=Path(__file__).parents[2], stderr=subprocess.DEVNULL)
    try:
        assert until(lambda: len(list(tmp_path.iterdir())) == 2)
        parent.send_signal(number)
        assert until(lambda: parent.poll() is not None)
    finally:
        parent.kill()
        parent.wait()
    workers = [Path("/proc") / path.name for path in tmp_path.iterdir()]
    assert until(lambda: not any(worker.exists() for worker in workers))


def until(done: Callable[[], bool]) -> bool:
    """Within a minute."""
    for _ in range(600):
        if done():
            return True
        time.sleep(0.1)
    return False
