"""The table of promises names tests that exist."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[2]


def test_every_test_that_is_named_exists() -> None:
    text = (ROOT / "docs/guides/promises.md").read_text()
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
    assert len(named) > 20
    for file, name in named:
        assert re.search(rf"^(?:def|class) {name}\b", (ROOT / file).read_text(), re.M), f"{file} has no {name}"
