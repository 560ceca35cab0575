"""The journal on real files: round trips, recovery, and other people's files."""

import os
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.errors import UserError
from ridealong.harness import work
from ridealong.harness.journal import Entry, Journal, Recorded
from ridealong.harness.journal_file import default_path
from ridealong.harness.skill import Outcome, Provenance
from ridealong.harness.work import Delivery, Execution, WorkItem, step
from ridealong.proto.types import ActuationResult, ActuationState, Precondition, Samples, SignalWrite

pytestmark = pytest.mark.unit

AT = Samples(1_000)
WRITES = (SignalWrite("Vehicle.Cabin.HVAC.Station.Row1.Driver.Temperature", 22.5), SignalWrite("Vehicle.X", True))


def item(number: int = 1, session: str = "s") -> WorkItem:
    return WorkItem(
        id=f"{session}-w{number}", session=session, request="请把温度调到二十二度半", words="温度二十二度半", locale="zh", provenance=Provenance.DRIVER,
        capability="climate.set_temperature", arguments={"target": 22.5, "zone": "driver"}, snapshot="s-s1", idempotency_key=f"k{number}",
        intent_at=Samples(16_000), validity=work.Validity(1, (Precondition("Vehicle.Speed", at_most=60.0),)),
    )  # fmt: skip


def record(journal: Journal, current: WorkItem, *events: work.WorkEvent) -> WorkItem:
    entries: list[Entry] = [Recorded(current)]
    for event in events:
        after = step(current, event)
        entries.append(Recorded(after, event, current))
        current = after
    journal.append(entries)
    return current


def test_an_item_comes_back_as_it_was(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.sqlite")
    done = record(
        journal, item(), work.Start(AT), work.Complete(AT, "好了。"), work.Offer(AT), work.Admit(AT), work.Played(AT, "好了。")
    )  # fmt: skip
    assert journal.item("s-w1") == done and list(journal.items("s")) == [done] and list(journal.items("other")) == []
    assert [(row.machine, row.before, row.after) for row in journal.events("s-w1")] == [
        ("execution", "queued", "running"), ("execution", "running", "completed"), ("delivery", "none", "pending"),
        ("delivery", "pending", "delivering"), ("delivery", "delivering", "delivered"),
    ]  # fmt: skip
    assert (journal.numbered("s"), journal.keys("s")) == (1, {"k1"})
    journal.close()


def test_intents_are_kept_apart_from_their_results(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.sqlite")
    record(journal, item(), work.Start(AT))
    journal.record_intent("s-w1.0", "s-w1", WRITES, AT)
    with pytest.raises(sqlite3.IntegrityError):
        journal.record_intent("s-w1.0", "s-w1", WRITES, AT)
    assert journal.intents("s-w1")[0].writes == WRITES and journal.intents("s-w1")[0].state is None
    journal.record_result("s-w1.0", ActuationResult("x", ActuationState.CONFIRMED), Samples(5_000))
    journal.record_result("s-w1.0", ActuationResult("x", ActuationState.REFUSED), Samples(6_000))  # the first answer stands
    assert (journal.intents("s-w1")[0].state, journal.intents("s-w1")[0].result_at) == ("confirmed", 5_000)
    journal.close()


def test_a_batch_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.sqlite")
    same_key = item(2)._replace(idempotency_key="k1")
    with pytest.raises(sqlite3.IntegrityError):
        journal.append([Recorded(item(1)), Recorded(same_key)])
    assert list(journal.items()) == []
    journal.close()


def test_on_opening_the_unfinished_is_brought_to_an_end_once(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    journal = Journal(path)
    record(journal, item(1))
    record(journal, item(2), work.Start(AT))
    record(journal, item(3), work.Start(AT), work.Complete(AT, "Done."), work.Offer(AT), work.Admit(AT))
    record(journal, item(4), work.Start(AT), work.Complete(AT, "Done."), work.Offer(AT), work.Admit(AT), work.Played(AT, "Done."))
    record(journal, item(5), work.Start(AT), work.Cancel(AT))
    record(journal, item(6), work.Start(AT), work.Complete(AT, "Done."))
    journal.record_intent("s-w2.0", "s-w2", WRITES, AT)
    journal.close()
    again = Journal(path)
    found = again.recovered
    assert (found.never_started, found.interrupted, found.undelivered) == (("s-w1",), ("s-w2", "s-w5"), ("s-w3", "s-w6"))
    assert found.unanswered_intents == ("s-w2.0",)
    states = {i.id[-2:]: (i.execution, i.delivery, i.reason) for i in again.items()}
    assert states["w1"] == (Execution.CANCELLED, Delivery.NONE, "interrupted")
    assert states["w2"] == states["w5"] == (Execution.UNKNOWN, Delivery.NONE, "interrupted")
    assert states["w3"] == states["w6"] == (Execution.COMPLETED, Delivery.WITHDRAWN, "interrupted")
    assert states["w4"] == (Execution.COMPLETED, Delivery.DELIVERED, "")
    assert again.item("s-w2") is not None and again.item("s-w2").outcome is Outcome.UNKNOWN  # type: ignore[union-attr]
    again.close()
    third = Journal(path)
    assert third.recovered == type(found)()
    third.close()


def test_one_owner_many_readers(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    journal = Journal(path)
    record(journal, item())
    with pytest.raises(UserError, match="belongs to a node that is running"):
        Journal(path)
    reader = Journal(path, read_only=True)
    assert len(list(reader.items())) == 1
    reader.close()
    journal.close()
    Journal(path).close()


def other_database(path: Path) -> None:
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE notes (x)")
    db.commit()
    db.close()


def newer_version(path: Path) -> None:
    Journal(path).close()
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version=99")
    db.close()


def damaged(path: Path) -> None:
    journal = Journal(path)
    for number in range(200):
        record(journal, item(number))
    journal.close()
    raw = bytearray(path.read_bytes())
    raw[4_096 : len(raw) // 2] = os.urandom(len(raw) // 2 - 4_096)
    path.write_bytes(raw)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda path: path.write_bytes(b"not a database at all" * 100), "damaged"),
        (other_database, "another program"),
        (newer_version, "version 99"),
        (damaged, "damaged"),
        (lambda path: path.mkdir(), "choose another place"),
    ],
)
def test_a_file_that_is_no_journal_is_one_sentence_with_a_remedy(tmp_path: Path, spoil, words: str) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "j.sqlite"
    spoil(path)
    with pytest.raises(UserError, match=words) as caught:
        Journal(path)
    assert "\n" not in str(caught.value)
    if words != "choose another place":
        path.rename(tmp_path / "away")
        Journal(path).close()  # the remedy works: nothing is left locked


def test_locked_by_another_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "j.sqlite"
    Journal(path).close()
    monkeypatch.setattr("ridealong.harness.journal_file.BUSY_MS", 50)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA locking_mode=EXCLUSIVE")
    db.execute("BEGIN EXCLUSIVE")
    with pytest.raises(UserError, match="locked by another program"):
        Journal(path)
    db.close()


def test_reading_a_journal_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no work journal"):
        Journal(tmp_path / "none.sqlite", read_only=True)
    assert not list(tmp_path.iterdir())


def test_the_default_place() -> None:
    assert default_path({"RIDEALONG_JOURNAL": "x/j.sqlite"}) == Path("x/j.sqlite")
    assert default_path({"XDG_STATE_HOME": "state"}) == Path("state/ridealong/journal.sqlite")
    assert default_path({}).parts[-4:] == (".local", "state", "ridealong", "journal.sqlite")


EVENTS: list[work.WorkEvent] = [
    work.Start(AT), work.Complete(AT, "done"), work.Fail(AT, "no"), work.LoseTrack(AT, "?"), work.Cancel(AT, "c"), work.CancelAcknowledged(AT),
    work.Supersede(AT, "s-w9"), work.Offer(AT), work.Admit(AT), work.Played(AT, "done"), work.Return(AT, "d"), work.Expire(AT), work.Withdraw(AT, "x"),
]  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.sampled_from(EVENTS), max_size=12), min_size=1, max_size=4))
def test_whatever_was_recorded_recovery_leaves_nothing_open(
    tmp_path_factory: pytest.TempPathFactory, traces: list[list[work.WorkEvent]]
) -> None:
    path = tmp_path_factory.mktemp("journal") / "j.sqlite"
    journal = Journal(path)
    kept = []
    for number, events in enumerate(traces):
        current = item(number)
        entries: list[Entry] = [Recorded(current)]
        for event in events:
            try:
                after = step(current, event)
            except work.IllegalTransition:
                continue
            entries.append(Recorded(after, event, current))
            current = after
        journal.append(entries)
        kept.append(current)
    assert list(journal.items()) == kept
    journal.close()
    again = Journal(path)
    for before, after in zip(kept, again.items(), strict=True):
        assert after.over
        if before.over:
            assert after == before
    again.close()
