"""Flags of the benches and rows of the tuning tools: a mistake is one sentence."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pytest

from ridealong.errors import UserError
from tests.bench.arguments import at_least, file, folder, new_file

pytestmark = pytest.mark.unit
ROOT = Path(__file__).parents[2]


def test_flags_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert at_least(2)("2") == 2 and folder(str(tmp_path)) == tmp_path
    assert file(str(tmp_path / "file")) == tmp_path / "file" and new_file(str(tmp_path / "new")) == tmp_path / "new"
    for take, text in [
        (at_least(1), "0"), (folder, str(tmp_path / "file")), (file, str(tmp_path)), (new_file, str(tmp_path)), (new_file, str(tmp_path / "no" / "f")),
    ]:  # fmt: skip
        with pytest.raises(argparse.ArgumentTypeError):
            take(text)
    with pytest.raises(ValueError):
        at_least(1)("many")


def test_rows_that_are_none_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "tools"), *sys.path])
    from tune_judge import read_rows, write_rows

    path = tmp_path / "rows.jsonl"
    with pytest.raises(UserError, match="cannot be read"):
        read_rows(path)
    good = {"kind": "noise", "intent": "", "label_text": "a\u2028b", "evidence": {"text": ""}}
    write_rows(path, [good, good])
    assert [row["kind"] for row in read_rows(path)] == ["background"] * 2
    for bad in ("{", "[1]", "{}"):
        path.write_text(f"\n{bad}\n")
        with pytest.raises(UserError, match="line 2"):
            read_rows(path)
