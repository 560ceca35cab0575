"""Many sessions, one journal: what has gathered is one transaction, and no session's bad luck is another's."""

import asyncio
import sqlite3
import threading
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from ridealong.harness import group_commit, work
from ridealong.harness.group_commit import GroupCommit
from ridealong.harness.journal import Entry, Intent, Journal, Recorded
from ridealong.harness.skill import Provenance
from ridealong.harness.work import WorkItem
from ridealong.harness.writer import JournalWriter
from ridealong.proto.types import Samples, SignalWrite

pytestmark = pytest.mark.unit

AT = Samples(1_000)


def item(session: str, number: int = 1) -> WorkItem:
    return WorkItem(
        id=f"{session}-w{number}", session=session, request="r", words="r", locale="en", provenance=Provenance.DRIVER, capability="c", arguments={},
        snapshot="", idempotency_key=f"k{number}", intent_at=AT,
    )  # fmt: skip


def intent(session: str, number: int = 0) -> Intent:
    return Intent(f"{session}-w1.{number}", f"{session}-w1", (SignalWrite("Vehicle.X", 1),), AT)


class Disk(Journal):
    """Counts transactions; holds them up, or fails, as it is told."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.transactions: list[int] = []
        self.full = False
        self.free = threading.Event()
        self.free.set()

    def append(self, entries: Sequence[Entry]) -> None:
        self.free.wait()
        if self.full:
            raise sqlite3.OperationalError("database or disk is full")
        super().append(entries)
        self.transactions.append(len(entries))


def play(folder: Path, script: Callable[[Disk, GroupCommit, list[JournalWriter], list[str]], Awaitable[None]]) -> Disk:
    """`script` with three sessions a, b and c, on a real loop with the real thread; the last argument is told what failed."""
    disk, told = Disk(folder / "j.sqlite"), list[str]()

    async def run() -> None:
        commits = GroupCommit(disk)
        try:
            await script(disk, commits, [JournalWriter(commits, told.append) for _ in range(3)], told)
        finally:
            disk.free.set()
            commits.close()

    asyncio.run(run())
    return disk


def test_what_gathers_while_the_disk_is_busy_is_one_transaction_of_all_sessions(tmp_path: Path) -> None:
    async def script(disk: Disk, commits: GroupCommit, sessions: list[JournalWriter], told: list[str]) -> None:
        disk.free.clear()
        sessions[0].record(Recorded(item("first")))
        await asyncio.sleep(0)  # it is under way
        for session, name in zip(sessions, "abc", strict=True):
            for number in range(10):
                session.record(Recorded(item(name, number)))
        assert not any(session.idle for session in sessions)
        disk.free.set()
        assert all([await session.commit() for session in sessions]) and all(session.idle for session in sessions)
        assert disk.transactions == [1, 30]

    disk = play(tmp_path, script)
    assert [i.id for i in disk.items("b")] == [f"b-w{number}" for number in range(10)]  # in the order in which they were recorded
    disk.close()


def test_afterwards_is_told_only_when_it_is_on_the_disk(tmp_path: Path) -> None:
    async def script(disk: Disk, commits: GroupCommit, sessions: list[JournalWriter], told: list[str]) -> None:
        seen: list[tuple[bool, bool]] = []
        disk.free.clear()
        sessions[0].record(Recorded(item("a")))
        sessions[0].afterwards(lambda on_disk: seen.append((on_disk, disk.item("a-w1") is not None)))
        await asyncio.sleep(0.02)
        assert seen == []
        disk.free.set()
        await sessions[0].commit()
        assert seen == [(True, True)]

    play(tmp_path, script).close()


def test_one_sessions_impossible_entry_costs_no_other_anything(tmp_path: Path) -> None:
    async def script(disk: Disk, commits: GroupCommit, sessions: list[JournalWriter], told: list[str]) -> None:
        seen: list[bool] = []
        sessions[0].record(Recorded(item("a")))
        sessions[1].record(Recorded(item("b")._replace(words="half a character \ud800")))
        sessions[1].afterwards(seen.append)
        sessions[1].record(Recorded(item("b", 2)))
        sessions[2].record(Recorded(item("c")))
        assert all([await session.commit() for session in sessions]) and told == [] and not commits.down
        assert (sessions[0].lost, sessions[1].lost, sessions[2].lost, seen) == (0, 1, 0, [False])
        assert await sessions[0].intend(intent("a")) and not await sessions[1].intend(intent("a"))  # a key used before

    disk = play(tmp_path, script)
    assert [i.id for i in disk.items()] == ["a-w1", "b-w2", "c-w1"] and len(disk.intents("a-w1")) == 1
    disk.close()


def test_a_full_disk_refuses_intents_for_good_and_keeps_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_commit, "RETRY_MS", 20)

    async def script(disk: Disk, commits: GroupCommit, sessions: list[JournalWriter], told: list[str]) -> None:
        disk.full = True
        sessions[0].record(Recorded(item("a")))
        assert not await sessions[0].intend(intent("a"))
        assert told == ["OperationalError"] and sessions[0].idle and commits.down
        sessions[1].record(Recorded(item("b")))
        assert not await sessions[1].commit()
        disk.full = False
        written = asyncio.Event()
        sessions[1].afterwards(lambda on_disk: written.set())
        await asyncio.wait_for(written.wait(), 5)  # by itself
        assert not commits.down and await sessions[0].intend(intent("a", 1))

    disk = play(tmp_path, script)
    assert [i.id for i in disk.items()] == ["a-w1", "b-w1"] and [i.key for i in disk.intents("a-w1")] == ["a-w1.1"]
    disk.close()


def test_an_intent_behind_a_flight_that_fails_does_not_wait_for_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_commit, "RETRY_MS", 3_600_000)

    async def script(disk: Disk, commits: GroupCommit, sessions: list[JournalWriter], told: list[str]) -> None:
        disk.full = True
        disk.free.clear()
        sessions[0].record(Recorded(item("a")))
        await asyncio.sleep(0)  # it is under way
        sessions[1].record(Recorded(item("b")))
        waiting = asyncio.gather(sessions[0].intend(intent("a")), sessions[1].commit())
        await asyncio.sleep(0)
        disk.free.set()
        assert await asyncio.wait_for(waiting, 60) == [False, False] and told == ["OperationalError"] * 2
        disk.full = False
        assert await sessions[1].commit()

    disk = play(tmp_path, script)
    assert [i.id for i in disk.items()] == ["a-w1", "b-w1"] and disk.intents("a-w1") == []  # it is not written later
    disk.close()


def test_what_waits_for_a_full_disk_is_bounded_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_commit, "MAX_UNWRITTEN", 5)

    async def script(disk: Disk, commits: GroupCommit, sessions: list[JournalWriter], told: list[str]) -> None:
        disk.full = True
        for number in range(9):
            sessions[0].record(Recorded(item("a", number)))
        assert not await sessions[0].commit() and sessions[0].lost == 4
        disk.full = False
        assert await sessions[0].commit()

    disk = play(tmp_path, script)
    assert [i.id for i in disk.items()] == [f"a-w{number}" for number in range(4, 9)]
    disk.close()


def test_the_last_entries_are_written_once_whatever_is_under_way(tmp_path: Path) -> None:
    async def script(disk: Disk, commits: GroupCommit, sessions: list[JournalWriter], told: list[str]) -> None:
        before = item("a")
        after = work.step(before, work.Start(AT))
        disk.free.clear()
        sessions[0].record(Recorded(before))
        await asyncio.sleep(0)  # under way
        sessions[0].record(Recorded(after, work.Start(AT), before))
        sessions[1].record(Recorded(item("b")))
        threading.Timer(0.02, disk.free.set).start()
        sessions[0].commit_now()
        assert [event.cause for event in disk.events("a-w1")] == ["Start"] and disk.item("b-w1") is None
        assert await sessions[1].commit() and told == [] and sessions[0].idle

    disk = play(tmp_path, script)
    assert [event.cause for event in disk.events("a-w1")] == ["Start"]
    disk.close()


@pytest.mark.parametrize("under_way", [False, True])
def test_what_waits_is_on_the_disk_when_it_closes(tmp_path: Path, under_way: bool) -> None:
    async def script(disk: Disk, commits: GroupCommit, sessions: list[JournalWriter], told: list[str]) -> None:
        troubles: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: troubles.append(context))
        seen: list[bool] = []
        if under_way:
            disk.free.clear()
            sessions[0].record(Recorded(item("a")))
            await asyncio.sleep(0.02)
            asyncio.get_running_loop().run_in_executor(None, disk.free.set)
        sessions[1].record(Recorded(item("b")))
        sessions[1].afterwards(seen.append)
        sessions[2].record(Recorded(item("c")))
        sessions[2].commit_now()  # it is written already, and still in the queue
        waiting = asyncio.ensure_future(sessions[1].commit())
        commits.close()
        assert disk.item("b-w1") is not None and disk.item("c-w1") is not None
        assert await waiting and seen == [True]
        await asyncio.sleep(0.02)
        assert all(session.unwritten == session.lost == 0 for session in sessions) and told == [] and troubles == []

    play(tmp_path, script).close()


def test_after_it_closed_nothing_is_written_and_who_waits_hears_it(tmp_path: Path) -> None:
    async def script(disk: Disk, commits: GroupCommit, sessions: list[JournalWriter], told: list[str]) -> None:
        troubles: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: troubles.append(context))
        seen: list[bool] = []
        commits.close()
        sessions[0].record(Recorded(item("a")))
        sessions[0].afterwards(seen.append)
        assert not await sessions[0].commit() and seen == [False] and troubles == []
        assert disk.item("a-w1") is None and (sessions[0].unwritten, sessions[0].lost) == (0, 1)

    play(tmp_path, script).close()


def test_a_full_disk_at_the_close_is_told(tmp_path: Path) -> None:
    async def script(disk: Disk, commits: GroupCommit, sessions: list[JournalWriter], told: list[str]) -> None:
        disk.free.clear()
        sessions[0].record(Recorded(item("a")))
        waiting = asyncio.ensure_future(sessions[0].commit())
        await asyncio.sleep(0.02)
        disk.full = True
        disk.free.set()
        commits.close()
        assert not await waiting and told == ["OperationalError"] and sessions[0].lost == 1

    play(tmp_path, script).close()
