"""`ridealong work list|show|export`: reads the journal, also while a node writes it; `work compact` makes it smaller.

Content (requests, words, replies, argument values) is shown only with --content; otherwise its length.
Does not know how items come about.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from ridealong.command import Command
from ridealong.errors import UserError
from ridealong.harness.journal import KEEP_ITEMS, Journal
from ridealong.harness.journal_file import default_path
from ridealong.harness.work import WorkItem, projection
from ridealong.proto.types import ms_from_samples


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--journal", type=Path, metavar="FILE", help="the journal (default: RIDEALONG_JOURNAL, or the state folder)"
    )
    parser.add_argument("--session", default="", metavar="ID", help="only this session")
    parser.add_argument("--content", action="store_true", help="show what was said; without it only its length")


def _show_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("work_id", metavar="ID", help="id of a work item, as printed by `ridealong work list`")
    _options(parser)


def _export_options(parser: argparse.ArgumentParser) -> None:
    _options(parser)
    parser.add_argument("-o", "--out", type=Path, metavar="FILE", help="write here instead of standard output")


def _with_journal(run: Callable[[Journal, argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    def open_and_run(options: argparse.Namespace) -> int:
        journal = Journal(options.journal or default_path(os.environ), read_only=True)
        try:
            return run(journal, options)
        finally:
            journal.close()

    return open_and_run


def _text(text: str, content: bool) -> str:
    return text if content else f"({len(text)} characters)" if text else ""


def _seconds(at: int | None) -> str:
    return "-" if at is None else f"{ms_from_samples(at) / 1000:.2f}"


def _list(journal: Journal, options: argparse.Namespace) -> int:
    rows: list[tuple[str, ...]] = [
        ("ID", "CAPABILITY", "EXECUTION", "DELIVERY", "REASON", "ASKED s", "DONE s", "SPOKEN s", "HEARD s", "REQUEST")
    ]
    for item in journal.items(options.session):
        times = (item.intent_at, item.done_at, item.inserted_at, item.played_at)
        rows.append(
            (item.id, item.capability, item.execution.value, item.delivery.value, item.reason, *map(_seconds, times),
             _text(item.request, options.content))
        )  # fmt: skip
    if len(rows) == 1:
        print("the journal holds no work" + (f" of session {options.session}." if options.session else "."))
        return 0
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    return 0


def _show(journal: Journal, options: argparse.Namespace) -> int:
    item = journal.item(options.work_id)
    if item is None or (options.session and item.session != options.session):
        raise UserError(f"the journal holds no work item {options.work_id!r}: `ridealong work list` prints their ids.")
    for name, value in _fields(item, journal, options.content).items():
        print(f"{name:<14} {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}")
    print("\nat s       machine    change")
    for row in journal.events(item.id):
        reason = f"  ({row.reason})" if row.reason else ""
        print(f"{_seconds(row.at):>8}   {row.machine:<9}  {row.before} -> {row.after}  {row.cause}{reason}")
    intents = journal.intents(item.id)
    if intents:
        print("\nsent at s  answered at s  outcome      writes")
    for intent in intents:
        writes = ", ".join(f"{write.path}={write.value!r}" if options.content else write.path for write in intent.writes)
        outcome = intent.state or f"not known{f' ({intent.reason})' if intent.reason else ''}"
        print(f"{_seconds(intent.at):>8}   {_seconds(intent.result_at):>12}   {outcome:<11}  {writes}")
    return 0


def _export(journal: Journal, options: argparse.Namespace) -> int:
    try:
        out = sys.stdout if options.out is None else options.out.open("w", encoding="utf-8")
    except OSError as error:
        raise UserError(f"{options.out} can't be written ({error.strerror}): choose another place with --out.") from error
    rows = (json.dumps(row, ensure_ascii=False) for row in exported(journal, options.session, options.content))
    if options.out is None:
        for row in rows:
            print(row)
        return 0
    try:
        with out:
            out.writelines(f"{row}\n" for row in rows)
    except OSError as error:
        raise UserError(f"{options.out} can't be written ({error.strerror}): choose another place with --out.") from error
    return 0


def exported(journal: Journal, session: str = "", content: bool = False) -> Iterator[dict[str, object]]:
    """Each item with its events and intents, as JSON can hold it."""
    for item in journal.items(session):
        row = _fields(item, journal, content)
        row["events"] = [
            {"at": e.at, "machine": e.machine, "before": e.before, "after": e.after, "cause": e.cause, "reason": e.reason}
            for e in journal.events(item.id)
        ]
        row["intents"] = [
            {
                "key": i.key, "at": i.at, "state": i.state, "reason": i.reason, "result_at": i.result_at,
                "writes": [[w.path, w.value] if content else [w.path] for w in i.writes],
            }
            for i in journal.intents(item.id)
        ]  # fmt: skip
        yield row


def _fields(item: WorkItem, journal: Journal, content: bool) -> dict[str, object]:
    """Everything about an item; times in samples of the device clock (16 kHz)."""
    arguments: object = dict(item.arguments) if content else sorted(item.arguments)
    return {
        "id": item.id, "session": item.session, "device": item.device, "capability": item.capability, "state": projection(item).value,
        "execution": item.execution.value, "delivery": item.delivery.value,
        "outcome": item.outcome.value if item.outcome else "", "reason": item.reason,
        "provenance": item.provenance.value, "locale": item.locale, "revision": item.revision, "attempts": item.attempts,
        "replaces": item.replaces, "replaced_by": journal.newer(item.id),
        "deadline_ms": item.deadline_ms, "intent_at": item.intent_at, "done_at": item.done_at,
        "inserted_at": item.inserted_at, "played_at": item.played_at, "snapshot": item.snapshot, "arguments": arguments,
        "request": _text(item.request, content), "words": _text(item.words, content), "reply": _text(item.reply, content),
        "heard": _text(item.heard, content),
    }  # fmt: skip


def _compact_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--journal", type=Path, metavar="FILE", help="the journal (default: RIDEALONG_JOURNAL, or the state folder)"
    )
    parser.add_argument("--keep", type=int, default=KEEP_ITEMS, metavar="N", help=f"so many items stay (default {KEEP_ITEMS})")


def _compact(options: argparse.Namespace) -> int:
    path = options.journal or default_path(os.environ)
    if options.keep < 0:
        raise UserError(f"--keep must be 0 or more, not {options.keep}.")
    if not path.is_file():
        found = f"{path} is a folder and no work journal" if path.is_dir() else f"there is no work journal at {path}"
        raise UserError(f"{found}: name one with --journal, or set RIDEALONG_JOURNAL.")
    journal = Journal(path, keep_items=sys.maxsize)
    try:
        removed = journal.compact(options.keep)
        journal.shrink()
    finally:
        journal.close()
    print(f"{removed} items removed; {path} has {path.stat().st_size / 1e6:.1f} MB.")
    return 0


LIST = Command("Work items with their states and four times (seconds on the device clock).", _options, _with_journal(_list))
SHOW = Command(
    "One work item: its contract, every transition, and what was sent to the car.", _show_options, _with_journal(_show)
)
EXPORT = Command("The journal as JSON lines, one item a line, with events and intents.", _export_options, _with_journal(_export))
COMPACT = Command(
    "Removes the oldest work items and gives their room back; no node may be running on it.", _compact_options, _compact
)
