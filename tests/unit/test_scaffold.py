"""`ridealong skills new`: the names that it refuses, and what it says instead."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from ridealong.errors import UserError
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.scaffold import taken, write

pytestmark = pytest.mark.unit

PLAIN = re.compile(r"[a-z][a-z0-9_]{1,30}")
STANDARD = sorted(name for name in sys.stdlib_module_names if PLAIN.fullmatch(name))
GROUPS = sorted({skill.group for skill in builtin_registry() if PLAIN.fullmatch(skill.group)})
INSTALLED = ["pytest", "yaml", "numpy", "grpc", "hypothesis"]


@pytest.mark.parametrize("name", [*STANDARD, *GROUPS, *INSTALLED])
def test_a_name_of_another_module_is_refused_with_one_to_take(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError) as error:
        write(name, tmp_path)
    assert not list(tmp_path.iterdir())
    if found := re.search(r"use (\w+)\.$", str(error.value)):
        assert taken(found[1]) is None and write(found[1], tmp_path)
    else:
        assert "use small letters" in str(error.value)  # a keyword


def test_a_module_on_the_path_counts_and_a_folder_does_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "horn_of_mine.py").touch()
    (tmp_path / "scent").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UserError, match="use horn_of_mine_skill"):
        write("horn_of_mine", tmp_path / "there")
    assert write("scent", tmp_path / "there")
