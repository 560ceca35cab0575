"""A real process is killed with -9, 200 times, at any moment: nothing it was told is lost, nothing is done twice, nothing unknown is called done.

The car and the listener live here and survive; the node (crash_node.py) lives for some milliseconds, is killed, and the next one
goes on with its journal, asking the last requests again as a device would. Where it is killed is drawn from a seed: after so many of its messages, and
some microseconds later.
"""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.promises import Seen, check

from ridealong.harness.journal import Journal

pytestmark = pytest.mark.process

SEEDS = range(4)
KILLS = 50
"""For each seed: 200 in all."""
MAX_MESSAGES = 30
MAX_LATER_S = 0.004


class World:
    """The car and the listener, of one life of the node at a time."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.rng, self.seen = random.Random(seed), Seen()
        self.address = str(folder / "s")
        self.door = socket.socket(socket.AF_UNIX)
        self.door.bind(self.address)
        self.door.listen()
        self.door.settimeout(20)

    def life(self, pid: int) -> None:
        """Serve the node until it has told enough, kill it, and take in whatever it had sent before."""
        connection, _ = self.door.accept()
        connection.settimeout(20)
        left = self.rng.randint(0, MAX_MESSAGES)
        with connection, connection.makefile("rb") as lines:
            while left:
                line = lines.readline()
                assert line, "the node ended by itself"
                self._take(line, connection)
                left -= 1
            time.sleep(self.rng.random() * MAX_LATER_S)
            os.kill(pid, signal.SIGKILL)
            with suppress(ConnectionResetError):  # its last word, when it died with an answer unread
                for line in lines:
                    if line.endswith(b"\n"):
                        self._take(line, None)

    def _take(self, line: bytes, connection: socket.socket | None) -> None:
        words = json.loads(line)
        self.seen.take(words)
        if words[0] == "actuate":
            answer = self.rng.choice(("confirmed", "confirmed", "confirmed", "refused", ""))
            if answer and connection is not None:
                self.seen.answered[words[1]] = answer
                connection.sendall((json.dumps([words[1], answer]) + "\n").encode())


@contextmanager
def node_maker() -> Iterator[subprocess.Popen[str]]:
    program = [sys.executable, str(Path(__file__).with_name("crash_node.py"))]
    maker = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield maker
    finally:
        assert maker.stdin is not None and maker.stdout is not None
        maker.stdin.close()
        maker.stdout.close()
        maker.wait(30)


@pytest.mark.parametrize("seed", SEEDS)
def test_kills_lose_nothing_and_double_nothing(tmp_path: Path, seed: int) -> None:
    path, world = tmp_path / "journal.sqlite", World(tmp_path, seed)
    seen, checked, interrupted, unanswered = world.seen, set[str](), 0, 0
    with node_maker() as maker:
        assert maker.stdin is not None and maker.stdout is not None
        for kill in range(KILLS):
            life = {"path": str(path), "socket": world.address, "first": seen.newest, "seed": KILLS * seed + kill}
            print(json.dumps(life), file=maker.stdin, flush=True)
            world.life(int(maker.stdout.readline()))
            assert int(maker.stdout.readline()) == -signal.SIGKILL
            journal = Journal(path)  # the dead owner's lock is free; recovery brings what was open to an end
            check(journal, seen, checked)
            interrupted += len(journal.recovered.interrupted)
            unanswered += len(journal.recovered.unanswered_intents)
            journal.close()
    world.door.close()
    # The kills came at moments that matter, and life went on between them.
    assert interrupted > KILLS / 4 and unanswered > KILLS / 8
    assert len(seen.said) > KILLS / 2 and len(seen.played) > KILLS / 4 and len(seen.actuated) > KILLS / 2
