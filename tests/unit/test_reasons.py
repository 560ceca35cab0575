"""The codes that say why: every one in the source is written down, and nobody's words pass for one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ridealong.harness
from ridealong.harness.reasons import REASONS, bounded
from ridealong.vehicle_skills.policy import RESULT_REASONS

pytestmark = pytest.mark.unit

PLACES = {
    "Spoken": 2, "Nothing": 0, "Verdict": 1, "Rejected": 0, "reject": 0, "_reject": 0, "_spoil": 0, "withdraw": 1, "_withdraw": 1, "withdraw_spoken": 0,
    "keep_silent": 1, "take_back": 1, "_refused": 0, "EndpointFault": 0, "GiveUp": 0, "fault": 0, "Cancel": 2, "CancelAcknowledged": 2,
    "LoseTrack": 2, "Fail": 3, "Complete": 3, "Withdraw": 1, "Withdrawn": 1, "_stop": 2, "unknown": 0, "AskBack": 2, "_ask": 4, "question": 4,
}  # fmt: skip
"""Where each of these takes its reason."""


def test_every_code_in_the_source_is_known() -> None:
    """A new reason that nobody wrote down would be counted as `other`."""
    found: set[str] = set()
    top = Path(ridealong.harness.__path__[0]).parent
    for file in [file for folder in ("harness", "cloud", "vehicle_skills") for file in (top / folder).rglob("*.py")]:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            place = PLACES.get(name, len(node.args))
            given = [word.value for word in node.keywords if word.arg == "reason"] + node.args[place : place + 1]
            for one in [
                leaf for value in given for leaf in ((value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,))
            ]:
                if isinstance(one, ast.Constant) and isinstance(one.value, str):
                    found.add(one.value)
    assert len(found) > 50
    assert found - {""} <= REASONS | RESULT_REASONS


@given(st.text(max_size=20))
def test_a_reason_is_a_known_code_or_nobodys_word(text: str) -> None:
    assert bounded(text) in REASONS | {"", "other", "error"}


def test_a_builtin_error_is_an_error_and_any_other_name_is_nobody_s() -> None:
    assert [bounded(name) for name in ("ValueError", "superseded:s-w3", "BananaError", "print")] == [
        "error",
        "superseded",
        "other",
        "other",
    ]
