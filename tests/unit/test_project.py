"""What the project says of itself in several places is the same in all of them."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

from ridealong import __version__

pytestmark = pytest.mark.unit
ROOT = Path(__file__).parents[2]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_version_is_the_changelogs_and_stands_in_one_place() -> None:
    top = re.search(r"^## (\d+\.\d+\.\d+) (.*)$", read("CHANGELOG.md"), re.MULTILINE)
    assert top is not None
    assert __version__ == top[1] + (".dev0" if "(unreleased)" in top[2] else "")
    project = tomllib.loads(read("pyproject.toml"))
    assert "version" not in project["project"] and project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "ridealong.__version__"}


def test_the_places_that_join_parts_are_those_that_both_pages_name() -> None:
    named = [
        set(re.findall(r"`((?:cloud|device|simulators)/[\w/]+\.py)`", sentence))
        for sentence in (
            *re.findall(r"^Joins happen in .*$", read("ARCHITECTURE.md"), re.MULTILINE),
            *re.findall(r"`cloud/main\.py`[^.]*\.py[^;]*join parts", read("CONTRIBUTING.md")),
        )
    ]
    makers = {
        path.relative_to(ROOT).as_posix()
        for folder in ("cloud", "device", "simulators")
        for path in (ROOT / folder).rglob("*.py")
        if _makes_a_node_or_an_agent(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert named == [makers, makers] and len(makers) == 4


def _makes_a_node_or_an_agent(tree: ast.Module) -> bool:
    agents = {
        name.asname or name.name
        for one in ast.walk(tree)
        if isinstance(one, ast.ImportFrom) and one.module == "ridealong.device.agent"
        for name in one.names
        if name.name == "Agent"
    }
    made = {one.func.id for one in ast.walk(tree) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)}
    return bool(made & (agents | {"build_node"}))
