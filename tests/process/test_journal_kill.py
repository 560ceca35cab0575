"""A real process is killed with -9 while it writes: what it was told is on the disk is there, and nothing is there twice."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ridealong.harness.journal import Journal

pytestmark = pytest.mark.process

# Prints a line only after the journal returned: whatever was printed must survive.
CHILD = """
import sys
from pathlib import Path
from ridealong.harness import work
from ridealong.harness.journal import Journal, Recorded
from ridealong.harness.skill import Provenance
from ridealong.harness.work import WorkItem, step
from ridealong.proto.types import ActuationResult, ActuationState, Samples, SignalWrite

journal, first, at = Journal(Path(sys.argv[1])), int(sys.argv[2]), Samples(1)
for number in range(first, first + 100_000):
    item = WorkItem(id=f"w{number}", session="s", request="r", words="r", locale="en", provenance=Provenance.DRIVER, capability="c",
                    arguments={}, snapshot="", idempotency_key=f"k{number}", intent_at=at)
    def say(what): print(what, item.id, flush=True)
    journal.append([Recorded(item)]); say("queued")
    events = [work.Start(at), work.Complete(at, "Done."), work.Offer(at), work.Admit(at), work.Played(at, "Done.")]
    for event in events:
        after = step(item, event)
        if isinstance(event, work.Complete):
            journal.record_intent(item.id + ".0", item.id, [SignalWrite("Vehicle.X", 1)], at); say("intent")
            journal.record_result(item.id + ".0", ActuationResult("", ActuationState.CONFIRMED), at); say("result")
        journal.append([Recorded(after, event, item)])
        item = after
        say(type(event).__name__)
"""


def test_kill_nine_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    told: list[tuple[str, str]] = []
    first = 0
    for round_number in range(5):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(path), str(first)], stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"}
        )  # fmt: skip
        assert child.stdout is not None
        for _ in range(20 + 7 * round_number):  # another place in the cycle each time
            line = child.stdout.readline()
            assert line, "the child ended by itself"
            told.append(tuple(line.split()))  # type: ignore[arg-type]
        os.kill(child.pid, signal.SIGKILL)
        told += [tuple(line.split()) for line in child.stdout.read().splitlines()]  # type: ignore[misc]
        assert child.wait() == -signal.SIGKILL
        child.stdout.close()
        journal = Journal(path)  # the dead owner's lock is free; recovery brings its item to an end
        for item in journal.items():
            events = [row.cause for row in journal.events(item.id)]
            assert len(events) == len(set(events)) and item.revision == len(events) and item.over
            for what in [what for what, id in told if id == item.id]:
                match what:
                    case "queued":
                        pass
                    case "intent":
                        assert len(journal.intents(item.id)) == 1
                    case "result":
                        assert journal.intents(item.id)[0].state == "confirmed"
                    case cause:
                        assert cause in events
        known = {item.id for item in journal.items()}
        assert {id for _, id in told} <= known
        assert len(journal.recovered.interrupted) + len(journal.recovered.never_started) + len(journal.recovered.undelivered) <= 1
        first = len(known)
        journal.close()
