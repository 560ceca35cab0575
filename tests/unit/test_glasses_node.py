"""What is remembered, through a whole node: for its device, in the file beside the journal, and without pictures where the camera may be used no more."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from ridealong.cloud.config import CloudConfig, HarnessSettings, MemorySettings
from ridealong.cloud.glasses import memory_of
from ridealong.harness.daytime import NodeDaytime
from ridealong.proto import types as t
from ridealong.simulators.virtual_time import InlineExecutor
from tests.unit.test_node import converse

pytestmark = pytest.mark.unit
REMEMBER = "- {unit: 4, delegate: Remember that the keys are in the drawer}"
JPEG = b"\xff\xd8\xff" + bytes(40)


def rows(folder: Path) -> list[tuple[str, str, bytes | None]]:
    with sqlite3.connect(folder / "memory.sqlite") as db:
        return db.execute("SELECT kind, text, picture FROM kept ORDER BY id").fetchall()


def test_what_is_said_is_kept_and_told(tmp_path: Path) -> None:
    typed = [
        (9, "Take a note: milk."),
        (13, "Where are my keys?"),
        (17, "Read my notes."),
    ]
    ear, car = converse(tmp_path, REMEMBER, 24, typed=typed, kind="glasses", pictures=[JPEG + bytes([n]) for n in range(30)])
    assert "You said just now that the keys are in the drawer." in ear.said() and "“milk”" in ear.said()
    assert [(kind, text, picture is not None) for kind, text, picture in rows(tmp_path)] == [
        ("thing", "the keys are in the drawer", True),
        ("note", "milk", False),
    ]
    assert not [one for one in ear.got if isinstance(one, t.Actuate)]


def test_where_consent_ends_the_pictures_go_and_the_words_stay(tmp_path: Path) -> None:
    converse(
        tmp_path,
        REMEMBER,
        12,
        pictures=[JPEG + bytes([n]) for n in range(8)],
        also=[(8, t.Consent(t.Samples(8 * 16_000), t.CAMERA, False))],
    )
    assert rows(tmp_path) == [("thing", "the keys are in the drawer", None)]


def test_overheard_words_are_kept_by_nobody(tmp_path: Path) -> None:
    converse(tmp_path, "- {unit: 2, delegate: 'take a note: the code is 4471', by: overheard}", 8)
    assert not (tmp_path / "memory.sqlite").exists()


def test_a_node_that_is_told_to_keeps_nothing(tmp_path: Path) -> None:
    config = CloudConfig(harness=HarnessSettings(tmp_path / "journal.sqlite"), memory=MemorySettings(keep=False))
    assert memory_of(config, InlineExecutor(), NodeDaytime()) is None
    assert MemorySettings(days=0).check() == "memory.days must lie between 1 and 3650."
