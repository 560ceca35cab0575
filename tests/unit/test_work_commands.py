"""`ridealong work list|show|export`, through the real command line."""

import json
from pathlib import Path

import pytest

from ridealong.cli import main
from ridealong.harness import work
from ridealong.harness.journal import Journal, Recorded
from ridealong.harness.skill import Provenance
from ridealong.harness.work import WorkItem, step
from ridealong.proto.types import ActuationResult, ActuationState, Samples, SignalWrite

pytestmark = pytest.mark.unit

SECRET = "drive to my sister in Ulm"


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "journal.sqlite"
    book = Journal(path)
    for session in ("one", "two"):
        item = WorkItem(
            id=f"{session}-w1", session=session, request=SECRET, words=SECRET, locale="en", provenance=Provenance.DRIVER,
            capability="navigation.go", arguments={"place": "Ulm"}, snapshot="", idempotency_key="k", intent_at=Samples(16_000),
        )  # fmt: skip
        started = step(item, work.Start(Samples(16_100)))
        done = step(started, work.Complete(Samples(48_000), "Going to Ulm."))
        book.append([Recorded(item), Recorded(started, work.Start(Samples(16_100)), item)])
        book.record_intent(f"{session}-w1.0", item.id, [SignalWrite("Vehicle.X", "Ulm")], Samples(17_000))
        book.record_result(f"{session}-w1.0", ActuationResult("", ActuationState.CONFIRMED), Samples(18_000))
        book.append([Recorded(done, work.Complete(Samples(48_000), "Going to Ulm."), started)])
    book.close()
    return path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["work", *words])
    out = capsys.readouterr()
    return code, out.out, out.err


def test_list_names_no_content_unless_asked(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "list", "--journal", str(journal))
    assert code == 0 and SECRET not in out and f"({len(SECRET)} characters)" in out
    assert len(out.splitlines()) == 3 and "completed" in out and "1.00" in out and "3.00" in out
    assert SECRET in run(capsys, "list", "--journal", str(journal), "--content")[1]
    assert len(run(capsys, "list", "--journal", str(journal), "--session", "two")[1].splitlines()) == 2
    assert "no work of session three" in run(capsys, "list", "--journal", str(journal), "--session", "three")[1]


def test_show_gives_every_transition_and_what_was_sent(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "show", "one-w1", "--journal", str(journal))
    assert code == 0 and "Ulm" not in out
    assert "queued -> running" in out and "running -> completed" in out and "confirmed" in out and "Vehicle.X" in out
    assert "Vehicle.X='Ulm'" in run(capsys, "show", "one-w1", "--journal", str(journal), "--content")[1]
    code, _, err = run(capsys, "show", "nine", "--journal", str(journal))
    assert code == 2 and "ridealong work list" in err


def test_what_replaced_what_is_shown_from_both_ends(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = Journal(journal)
    newer = WorkItem(
        id="one-w2", session="one", request=SECRET, words=SECRET, locale="en", provenance=Provenance.DRIVER, capability="navigation.go",
        arguments={}, snapshot="", idempotency_key="k2", intent_at=Samples(64_000), replaces="one-w1",
    )  # fmt: skip
    book.append([Recorded(newer)])
    book.close()
    old, new = (run(capsys, "show", id, "--journal", str(journal))[1].splitlines() for id in ("one-w1", "one-w2"))
    assert 'replaced_by    ["one-w2"]' in old and "replaces       one-w1" in new and "replaced_by    []" in new
    ends = {row["id"]: (row["replaces"], row["replaced_by"]) for row in exported_rows(capsys, journal)}
    assert ends == {"one-w1": ("", ["one-w2"]), "one-w2": ("one-w1", []), "two-w1": ("", [])}


def test_export_is_json_lines(
    journal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RIDEALONG_JOURNAL", str(journal))
    code, out, _ = run(capsys, "export")
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and [row["id"] for row in rows] == ["one-w1", "two-w1"] and "Ulm" not in out
    assert [event["after"] for event in rows[0]["events"]] == ["running", "completed", "pending", "withdrawn"]
    target = tmp_path / "out.jsonl"
    assert run(capsys, "export", "--content", "-o", str(target), "--session", "one")[0] == 0
    assert json.loads(target.read_text())["request"] == SECRET
    code, _, err = run(capsys, "export", "-o", str(tmp_path / "none" / "x"))
    assert code == 2 and "choose another place" in err


def test_mistakes_are_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "list", "--journal", str(tmp_path / "none"))
    assert code == 2 and "there is no work journal" in err and err.count("\n") == 1
    (tmp_path / "junk").write_bytes(b"junk" * 1000)
    code, _, err = run(capsys, "list", "--journal", str(tmp_path / "junk"))
    assert code == 2 and "damaged or no journal" in err and err.count("\n") == 1


def test_compact_keeps_the_newest_and_needs_the_journal_for_itself(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    size = journal.stat().st_size
    assert run(capsys, "compact", "--journal", str(journal))[:2] == (0, f"0 items removed; {journal} has {size / 1e6:.1f} MB.\n")
    code, out, _ = run(capsys, "compact", "--journal", str(journal), "--keep", "1")
    assert code == 0 and out.startswith("1 items removed") and journal.stat().st_size <= size
    assert [row["id"] for row in exported_rows(capsys, journal)] == ["two-w1"]
    running = Journal(journal)
    code, _, err = run(capsys, "compact", "--journal", str(journal), "--keep", "0")
    assert code == 2 and "belongs to a node that is running" in err
    running.close()
    for words in (("--keep", "-1"), ("--journal", str(journal) + "x")):
        code, _, err = run(capsys, "compact", *words)
        assert code == 2 and err.count("\n") == 1
    assert not Path(str(journal) + "x").exists()


def exported_rows(capsys: pytest.CaptureFixture[str], journal: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in run(capsys, "export", "--journal", str(journal))[1].splitlines()]


def test_what_a_dead_node_left_is_not_said_to_be_under_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As the next node to open the journal will find it; while a node has it open, as it is."""
    path = tmp_path / "journal.sqlite"
    book = Journal(path)
    for number in range(4):
        item = WorkItem(
            id=f"s-w{number}", session="s", request="x", words="x", locale="en", provenance=Provenance.DRIVER, capability="timer.set",
            arguments={}, snapshot="", idempotency_key=f"k{number}", intent_at=Samples(16_000),
        )  # fmt: skip
        entries = [Recorded(item)]
        reply = work.Complete(Samples(32_000), "Done.")
        for event in (work.Start(Samples(16_100)), reply, work.Offer(Samples(32_000)), work.Admit(Samples(33_000)))[: number * 2]:
            before, item = item, step(item, event)
            entries.append(Recorded(item, event, before))
        book.append(entries)

    def states() -> list[tuple[str, str, str]]:
        rows = [line.split() for line in run(capsys, "list", "--journal", str(path))[1].splitlines()[1:]]
        return [(execution, delivery, reason) for _, _, execution, delivery, reason, *_ in rows]

    assert [state[:2] for state in states()] == [
        ("queued", "none"),
        ("completed", "none"),
        ("completed", "delivering"),
        ("completed", "delivering"),
    ]
    book.close()
    left = states()
    assert left == [("cancelled", "none", "interrupted"), *[("completed", "withdrawn", "interrupted")] * 3]
    shown = run(capsys, "show", "s-w2", "--journal", str(path))[1]
    assert "delivering -> withdrawn  Withdraw  (interrupted)" in shown
    Journal(path).close()  # the next node
    assert states() == left and run(capsys, "show", "s-w2", "--journal", str(path))[1] == shown
