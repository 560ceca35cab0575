"""A node whose journal's disk is full: nothing is done, the sentence says so, and the fault is told once a minute, not with every attempt."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from ridealong.cloud.sparing import Sparing
from ridealong.harness.journal import Entry
from ridealong.proto import types as t
from tests.unit.test_watching import Ride

pytestmark = pytest.mark.unit


def test_what_is_told_sparingly() -> None:
    sparing = Sparing(60)
    assert [now for now in (5, 6, 64, 65, 66, 200) if sparing.due(now)] == [5, 65, 200]


def fill(ride: Ride) -> None:
    def full(entries: Sequence[Entry]) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    ride.node.journal.append = full  # type: ignore[method-assign]


def test_a_disk_that_stays_full_is_reported_once_a_minute(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def ask(ride: Ride) -> None:
        fill(ride)
        ride.link.send(t.TextInput(ride.now(), "set the temperature to 25"))

    ride = Ride(tmp_path, {4: ask}, 40)
    told = [body for _, body in ride.got if isinstance(body, t.Error) and body.code == "journal_failed"]
    assert len(told) == 1 == sum("journal can't be written" in record.getMessage() for record in caplog.records)
    assert not [body for _, body in ride.got if isinstance(body, t.Actuate)]
