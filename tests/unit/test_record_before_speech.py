"""A result is on the disk before its reply may be spoken; while the journal can't be written, only what claims no effect is said."""

import asyncio
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from ridealong.harness.harness import MaySpeak
from ridealong.harness.journal import Entry, Journal, Recorded
from ridealong.harness.work import Execution
from ridealong.simulators.virtual_time import run_virtual
from tests.unit.harness_scene import TEMPERATURE, Scene, play

pytestmark = pytest.mark.unit

ACT = f"act: write {TEMPERATURE}=22.5 | say Set to 22.5."


def test_no_boundary_admits_a_reply_whose_result_is_not_on_the_disk(tmp_path: Path) -> None:
    """A boundary at every turn of the loop; the journal is read by somebody else at the moment of admission."""

    async def script(s: Scene) -> None:
        reader = Journal(tmp_path / "journal.sqlite", read_only=True)
        s.ask("look: say one")
        s.ask(ACT)
        told = []
        for _ in range(200):
            await asyncio.sleep(0 if _ % 2 else 0.01)
            for line in s.boundary():
                work_id = line.partition(":")[0]
                item = reader.item(work_id)
                assert item is not None and item.execution is Execution.COMPLETED and item.reply
                assert MaySpeak(work_id) in s.events
                s.played(work_id, "finished", item.reply)
                told.append(line)
        assert told == ["s-w1: one", "s-w2: Set to 22.5."]
        reader.close()

    play(Scene(tmp_path), script)


class FailsLate(Scene):
    """The disk is full from the moment at which the work has ended."""

    def fill(self) -> None:
        append = self.journal.append

        def full(entries: Sequence[Entry]) -> None:
            if any(isinstance(entry, Recorded) and entry.item.execution.over for entry in entries):
                raise sqlite3.OperationalError("database or disk is full")
            append(entries)

        self.journal.append = full  # type: ignore[method-assign]
        self.free = lambda: setattr(self.journal, "append", append)


def test_while_it_cannot_be_recorded_success_is_not_claimed(tmp_path: Path) -> None:
    async def script(s: FailsLate) -> None:
        s.fill()
        s.ask(ACT)
        await asyncio.sleep(0.5)
        assert len(s.car.sent) == 1 and s.states() == {"w1": "completed/pending"} and s.boundary() == []
        s.ask("look: say reading still works")
        await asyncio.sleep(0.5)
        assert s.boundary() == ["s-w2: reading still works"]
        s.played("s-w2", "finished", "reading still works")
        s.free()
        await asyncio.sleep(2)
        assert s.boundary() == ["s-w1: Set to 22.5."]

    play(FailsLate(tmp_path), script)


def test_what_waits_for_the_disk_can_still_be_withdrawn(tmp_path: Path) -> None:
    async def script(s: FailsLate) -> None:
        s.fill()
        s.ask(ACT)
        await asyncio.sleep(0.5)
        s.harness.withdraw("s-w1", "stop")
        s.free()
        await asyncio.sleep(2)
        assert s.states() == {"w1": "completed/withdrawn"} and s.boundary() == []

    play(FailsLate(tmp_path), script)
    again = Journal(tmp_path / "journal.sqlite")
    assert [event.cause for event in again.events("s-w1")] == ["Start", "Complete", "Offer", "Withdraw"]
    again.close()


def test_an_intent_that_was_recorded_but_not_sent_is_known_not_to_have_been(tmp_path: Path) -> None:
    """Cancelled between the intent's record and the actuation."""
    scene = Scene(tmp_path)
    append = scene.journal.append

    async def both() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(scene.harness.run())
            await asyncio.sleep(0)

            def cancel_meanwhile(entries: Sequence[Entry]) -> None:
                append(entries)
                if not all(isinstance(entry, Recorded) for entry in entries):
                    scene.harness.cancel("s-w1")

            scene.journal.append = cancel_meanwhile  # type: ignore[method-assign]
            scene.ask(ACT)
            await asyncio.sleep(1)
            await scene.harness.close()

    run_virtual(both())
    assert scene.car.sent == [] and [(i.state, i.reason) for i in scene.journal.intents("s-w1")] == [("refused", "cancelled")]
    scene.journal.close()
