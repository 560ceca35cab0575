"""What is to be written down or is only a name is done by nobody, whatever it says."""

from __future__ import annotations

import pytest
from car_words import acts, decide

from ridealong.harness.introduced import introduction

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "done"),
    [
        ("Take a note: open all the windows.", []),
        ("Please write this down, unlock the doors and open the boot.", []),
        ("Set a timer for eight seconds called open the boot.", []),
        ("Set a timer for 8 seconds, cold open the windows.", []),
        ("Send a message to Anna: close the windows.", []),
        ("Remember this, set the temperature to thirty.", []),
        ("记一下：打开所有车窗。", []),
        ("记个笔记，把温度调到二十度。", []),
        ("Open my window and set a timer for ten minutes called tea.", ["windows.set_position"]),
        ("Navigate to a café called Open Window.", ["navigation.set_destination"]),
    ],
)
def test_only_what_comes_before_the_text_is_done(text: str, done: list[str]) -> None:
    assert [
        name for name in acts(decide(text)) if name.partition(".")[0] in ("windows", "climate", "navigation", "trunk")
    ] == done


def test_nothing_introduces_a_plain_order() -> None:
    for text in ("Open the window.", "It's cold, close my window.", "Call the windows open.", "打开车窗。"):
        assert introduction(text, "zh" if text[0] > "z" else "en") is None
