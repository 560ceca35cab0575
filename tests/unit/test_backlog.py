"""The backlog rule through a whole node: what a device kept while it had no link, or no node, is offered and never done."""

from __future__ import annotations

from pathlib import Path

import pytest

from ridealong.proto import types as t
from tests.unit.test_node import TEMPERATURE, converse

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize("without", [{"offline": range(4, 12)}, {"dead": range(4, 12)}, {"dead": range(4, 100)}])
@pytest.mark.parametrize("tells", [True, False])
def test_what_was_asked_while_offline_is_offered_once_and_never_done(
    tmp_path: Path, typed: bool, without: dict[str, range], tells: bool
) -> None:
    """In the session that goes on, and in a new one after a node has died."""
    words = "set the temperature to twenty-five"
    script = "[]" if typed else f"- {{unit: 5, delegate: {words}}}"
    seconds = max(kind.stop for kind in without.values()) + 18
    ear, car = converse(tmp_path, script, seconds, typed=[(5, words)] if typed else (), tells=tells, **without)
    assert car.plant.values[TEMPERATURE] == 21.0 and not [b for b in ear.got if isinstance(b, t.Actuate)]
    assert ear.said() == "While we were offline you said: set the temperature to twenty-five. Say it again if you still want it."


def test_after_an_outage_requests_are_done_again(tmp_path: Path) -> None:
    ear, car = converse(tmp_path, "- {unit: 14, delegate: set the temperature to twenty-five}", 24, offline=range(4, 12))
    assert car.plant.values[TEMPERATURE] == 25.0 and "offline" not in ear.said()


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize("unit", [1, 13])
def test_a_new_session_does_what_is_asked_in_it(tmp_path: Path, typed: bool, unit: int) -> None:
    """As the first one does, and the one after a node has died."""
    words = "set the temperature to twenty-five"
    script = "[]" if typed else f"- {{unit: {unit}, delegate: {words}}}"
    ear, car = converse(tmp_path, script, 24, typed=[(unit, words)] if typed else (), dead=range(4, 12))
    assert car.plant.values[TEMPERATURE] == 25.0 and "offline" not in ear.said()
