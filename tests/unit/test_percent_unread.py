"""A percentage whose number can't be read moves nothing all the way: it is asked for."""

from __future__ import annotations

import pytest
from car_words import decide

from ridealong.harness.router import AskBack
from ridealong.harness.slots.percent import unread_percent


@pytest.mark.parametrize(
    "text",
    [
        "open my window to inf percent",
        "open my window to umpteen percent",
        "close the window to zork percent",
        "open the sunroof to inf percent",
        "dim the ambient light to zork percent",
        "把我的车窗开到百分之很多",
    ],
)
def test_it_is_asked_for(text: str) -> None:
    assert isinstance(decide(text), AskBack)


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("30 percent", False),
        ("a hundred per cent", False),
        ("半开", False),
        ("百分之百", False),
        ("inf percent", True),
        ("nan%", True),
    ],
)
def test_only_what_has_no_number_is_unread(text: str, unread: bool) -> None:
    assert unread_percent(text, "en") is unread
