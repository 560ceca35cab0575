"""Lines that are typed: what a terminal would obey is no part of them."""

from __future__ import annotations

import pytest

from ridealong.simulators.talk import without_controls

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("\x1b[31mset the temperature to 21\x1b[0m", "set the temperature to 21"),
        ("\x1b]0;a title\x07open my window", "open my window"),
        ("\x1b]0;a title\x1b\\open my window", "open my window"),
        ("打开\x00空调\x7f", "打开空调"),
        ("plain words, 打开空调\n", "plain words, 打开空调\n"),
        ("tab\tstays", "tab\tstays"),
    ],
)
def test_without_controls(typed: str, said: str) -> None:
    assert without_controls(typed) == said
