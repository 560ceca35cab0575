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
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.process.crash_node import SIGNAL

from ridealong.harness.journal import Journal
from ridealong.harness.work import Delivery, Execution

pytestmark = pytest.mark.process

SEEDS = range(4)
KILLS = 50
"""For each seed: 200 in all."""
MAX_MESSAGES = 30
MAX_LATER_S = 0.004


@dataclass
class Seen:
    """What reached the world outside the node, over all its lives."""

    actuated: Counter[str] = field(default_factory=Counter)  # key -> times
    values: Counter[tuple[str, float]] = field(default_factory=Counter)  # (session, number of the request) -> times
    answered: dict[str, str] = field(default_factory=dict)  # key -> what the car answered
    accepted: dict[str, tuple[str, int]] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    played: set[str] = field(default_factory=set)
    newest: int = 0


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
        seen = self.seen
        match json.loads(line):
            case ["actuate", str(key), [[str(path), float(value)]]]:
                assert path == SIGNAL
                seen.actuated[key] += 1
                seen.values[key.partition("-")[0], value] += 1
                answer = self.rng.choice(("confirmed", "confirmed", "confirmed", "refused", ""))
                if answer and connection is not None:
                    seen.answered[key] = answer
                    connection.sendall((json.dumps([key, answer]) + "\n").encode())
            case ["accepted", str(work_id), str(session), int(number)]:
                seen.accepted[work_id] = (session, number)
                seen.newest = max(seen.newest, number)
            case ["said", str(work_id), str(text)]:
                assert work_id not in seen.said, "said twice"
                seen.said[work_id] = text
            case ["played", str(work_id)]:
                seen.played.add(work_id)
            case other:
                raise AssertionError(other)


def check(journal: Journal, seen: Seen, checked: set[str]) -> None:
    """The promises, by what is in the journal after recovery. `checked`: items of earlier lives; those of this one are added."""
    items = {item.id: item for item in journal.items()}
    assert seen.accepted.keys() | seen.said.keys() <= items.keys(), "what was acknowledged is lost"
    assert max(seen.actuated.values(), default=1) == max(seen.values.values(), default=1) == 1, "done twice"
    for work_id in items.keys() - checked:
        item, events, intents = items[work_id], journal.events(work_id), journal.intents(work_id)
        assert len(events) == item.revision, "a transition is lost or doubled"
        assert item.over and item.request.split()[1] == item.session
        sent = [key for key in seen.actuated if key.rpartition(".")[0] == work_id]
        assert set(sent) <= {intent.key for intent in intents}, "something was sent whose intent is lost"
        for intent in intents:
            answer = seen.answered.get(intent.key, "")
            assert intent.state in (answer or None, None, "timed_out"), "the journal knows an answer that the car never gave"
        if work_id in seen.said:
            assert item.execution.over and item.reply == seen.said[work_id], "it was said before it was recorded"
        if item.reply.startswith("Set to"):
            assert item.execution is Execution.COMPLETED and [i.state for i in intents] == ["confirmed"], (
                "done, and not confirmed"
            )
            assert seen.answered[intents[0].key] == "confirmed"
        if any(intent.state is None for intent in intents):
            assert item.execution in (Execution.UNKNOWN, Execution.CANCELLED) and item.reason == "interrupted" and not item.reply
        if item.delivery is Delivery.DELIVERED:
            assert item.heard == seen.said[work_id]
    checked |= items.keys()


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
