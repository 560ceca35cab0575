"""The journal over years: files of earlier versions, and a bound on what is kept."""

import sqlite3
from pathlib import Path

import pytest

from ridealong.errors import UserError
from ridealong.harness import journal, work
from ridealong.harness.journal import Entry, Intent, Journal, Recorded
from ridealong.harness.journal_rows import MIGRATIONS, SCHEMA_VERSION
from ridealong.harness.skill import Provenance
from ridealong.harness.work import WorkItem, step
from ridealong.proto.types import ActuationResult, ActuationState, Samples, SignalWrite

pytestmark = pytest.mark.unit

AT = Samples(1_000)
VERSION_1 = """
CREATE TABLE work (
    id TEXT PRIMARY KEY, session TEXT NOT NULL, execution TEXT NOT NULL, delivery TEXT NOT NULL,
    capability TEXT NOT NULL, outcome TEXT, reason TEXT NOT NULL, revision INTEGER NOT NULL, attempts INTEGER NOT NULL,
    intent_at INTEGER NOT NULL, done_at INTEGER, inserted_at INTEGER, played_at INTEGER, deadline_ms INTEGER NOT NULL,
    provenance TEXT NOT NULL, locale TEXT NOT NULL, snapshot TEXT NOT NULL, idempotency_key TEXT NOT NULL,
    request TEXT NOT NULL, words TEXT NOT NULL, arguments TEXT NOT NULL, validity TEXT NOT NULL,
    reply TEXT NOT NULL, heard TEXT NOT NULL,
    UNIQUE (session, idempotency_key)
) STRICT;
CREATE TABLE event (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, work_id TEXT NOT NULL REFERENCES work (id), revision INTEGER NOT NULL,
    machine TEXT NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL, cause TEXT NOT NULL, reason TEXT NOT NULL,
    at INTEGER NOT NULL, UNIQUE (work_id, revision)
) STRICT;
CREATE TABLE intent (
    key TEXT PRIMARY KEY, work_id TEXT NOT NULL REFERENCES work (id), writes TEXT NOT NULL, at INTEGER NOT NULL,
    state TEXT, reason TEXT NOT NULL DEFAULT '', result_at INTEGER
) STRICT;
CREATE INDEX work_of_session ON work (session);
PRAGMA application_id=1382638693; PRAGMA user_version=1;
INSERT INTO work VALUES ('s-w7', 's', 'running', 'none', 'climate.set', NULL, '', 1, 0, 16000, NULL, NULL, NULL, 60000, 'driver', 'en', '', 'k7',
                         'warmer', 'warmer', '{"zone": "driver"}', '[0, []]', '', '');
INSERT INTO event VALUES (1, 's-w7', 1, 'execution', 'queued', 'running', 'Start', '', 16000);
INSERT INTO intent VALUES ('s-w7.0', 's-w7', '[["Vehicle.X", 1]]', 16100, NULL, '', NULL);
"""


def item(number: int, session: str = "s") -> WorkItem:
    return WorkItem(
        id=f"{session}-w{number}", session=session, request="warmer, please", words="warmer, please", locale="en", provenance=Provenance.DRIVER,
        capability="climate.set", arguments={"zone": "driver", "target": 22.5}, snapshot="", idempotency_key=f"k{number}", intent_at=AT,
    )  # fmt: skip


def told(number: int) -> list[Entry]:
    """An item from its beginning to what was heard of it, with one actuation."""
    current = item(number)
    entries: list[Entry] = [Recorded(current)]
    for event in (
        work.Start(AT),
        work.Complete(AT, "Set to 22.5."),
        work.Offer(AT),
        work.Admit(AT),
        work.Played(AT, "Set to 22.5."),
    ):
        before, current = current, step(current, event)
        entries.append(Recorded(current, event, before))
    entries.insert(2, Intent(f"s-w{number}.0", f"s-w{number}", (SignalWrite("Vehicle.X", 22.5),), AT))
    return entries


def schema(path: Path) -> tuple[object, ...]:
    db = sqlite3.connect(path)
    found = db.execute("SELECT type, name, tbl_name FROM sqlite_master ORDER BY 1, 2").fetchall()
    found += db.execute("SELECT name, type, pk FROM pragma_table_info('work')").fetchall()
    version = db.execute("PRAGMA user_version").fetchone()[0]
    db.close()
    return version, *found


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION))
def test_a_journal_of_an_earlier_version_is_read_as_it_is_and_brought_up_to_date_by_a_node(tmp_path: Path, version: int) -> None:
    path = tmp_path / "old.sqlite"
    db = sqlite3.connect(path)
    db.executescript(VERSION_1)
    for earlier in range(1, version):
        db.executescript(f"{MIGRATIONS[earlier]} PRAGMA user_version={earlier + 1};")
    db.close()
    reader = Journal(path, read_only=True)
    assert [i.id for i in reader.items()] == ["s-w7"] and reader.events("s-w7")[0].cause == "Start"
    assert [(i.replaces, i.device, reader.newer(i.id)) for i in reader.items()] == [("", "", [])]
    reader.close()
    assert schema(path)[0] == version
    node = Journal(path)
    assert node.recovered.interrupted == ("s-w7",) and node.recovered.unanswered_intents == ("s-w7.0",)
    assert node.numbered("s") == 7 and [e.cause for e in node.events("s-w7")] == ["Start", "LoseTrack"]
    node.append(told(8))
    node.close()
    Journal(tmp_path / "new.sqlite").close()
    assert schema(path) == schema(tmp_path / "new.sqlite") and schema(path)[0] == SCHEMA_VERSION


@pytest.mark.parametrize("version", [0, SCHEMA_VERSION + 1])
def test_other_versions_are_refused_and_left_alone(tmp_path: Path, version: int) -> None:
    path = tmp_path / "j.sqlite"
    Journal(path).close()
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version={version}")
    db.close()
    for read_only in (True, False):
        with pytest.raises(UserError, match=f"has version {version} and this program knows versions up to {SCHEMA_VERSION}"):
            Journal(path, read_only=read_only)
    assert schema(path)[0] == version


def test_a_move_to_a_newer_version_is_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "old.sqlite"
    db = sqlite3.connect(path)
    db.executescript(VERSION_1)
    db.close()
    before = schema(path)
    with monkeypatch.context() as patched:
        patched.setitem(journal.journal_file.MIGRATIONS, 1, "DROP INDEX work_of_session; CREATE INDEX there_is ON none (x);")
        with pytest.raises(UserError):
            Journal(path)
    assert schema(path) == before
    Journal(path).close()


def test_only_the_newest_are_kept_and_what_is_open_stays(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    kept = Journal(path, keep_items=50)
    kept.append([Recorded(item(1))])
    for number in range(2, 1_002):
        kept.append(told(number))
        kept.record_result(f"s-w{number}.0", ActuationResult("", ActuationState.CONFIRMED), AT)
        if number == 500:
            half = path.stat().st_size
    ids = [i.id for i in kept.items()]
    assert ids[0] == "s-w1" and ids[-1] == "s-w1001" and 50 <= len(ids) <= 50 + journal.COMPACT_EVERY
    assert kept.compact() == len(ids) - 50 and kept.compact() == 0
    assert kept.item("s-w1") is not None and kept.item("s-w500") is None and kept.numbered("s") == 1_001
    assert kept.events("s-w500") == [] and kept.intents("s-w500") == [] and len(kept.events("s-w1001")) == 5
    kept.close()
    assert path.stat().st_size <= 1.2 * half and path.stat().st_size < 1_000_000  # room that was freed is used again
    again = Journal(path, keep_items=10)  # a smaller number holds from the next start on
    assert len(list(again.items())) == 10 and again.recovered.never_started == ("s-w1",)
    again.close()


def test_an_item_that_was_removed_and_changes_all_the_same_is_written(tmp_path: Path) -> None:
    """ "Go on" may reopen what was withdrawn long ago."""
    book = Journal(tmp_path / "j.sqlite", keep_items=1)
    withdrawn = item(1)
    entries: list[Entry] = [Recorded(withdrawn)]
    for event in (work.Start(AT), work.Complete(AT, "Done."), work.Offer(AT), work.Withdraw(AT, "cut")):
        before, withdrawn = withdrawn, step(withdrawn, event)
        entries.append(Recorded(withdrawn, event, before))
    book.append(entries)
    book.append(told(2))
    assert book.compact() == 1 and book.item("s-w1") is None
    reopened = step(withdrawn, work.Reopen(AT))
    book.append([Recorded(reopened, work.Reopen(AT), withdrawn)])
    assert book.item("s-w1") == reopened and [e.cause for e in book.events("s-w1")] == ["Reopen"]
    book.close()


def test_a_late_answer_of_the_cars_is_taken_down_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    first = Journal(path)
    running = step(item(1), work.Start(AT))
    first.append(
        [
            Recorded(item(1)),
            Recorded(running, work.Start(AT), item(1)),
            Intent("s-w1.0", "s-w1", (SignalWrite("Vehicle.X", 1),), AT),
        ]
    )
    first.close()
    second = Journal(path)
    assert [(i.state, i.reason) for i in second.intents("s-w1")] == [(None, "interrupted")]
    second.record_result("s-w1.0", ActuationResult("s-w1.0", ActuationState.CONFIRMED), AT)
    assert [(i.state, i.reason) for i in second.intents("s-w1")] == [("confirmed", "")]
    second.close()


def test_the_folder_is_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "j.sqlite"
    Journal(path).close()
    assert path.is_file()
