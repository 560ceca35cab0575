"""The time of day and the date are the device's own; elsewhere in the world they are not ours to know."""

from __future__ import annotations

from datetime import datetime

import pytest

from ridealong.harness.skill import Context
from ridealong.harness.skills.clock import recognise, said_date, said_time
from tests.unit.car_words import say

pytestmark = pytest.mark.unit
NOW = Context(local=datetime(2026, 11, 30, 20, 6))


@pytest.mark.parametrize(
    "asked",
    ["What time is it?", "so, do you know what time it is", "what's the time please", "现在几点了？", "几点了", "请问现在是几点"],
)
def test_the_time_of_day_is_the_devices(asked: str) -> None:
    locale = "en" if asked.isascii() else "zh"
    found = recognise(asked, locale, NOW)
    assert found is not None
    assert found.arguments == {"time": "20:06"}


@pytest.mark.parametrize("asked", ["What day is it today?", "what's the date", "今天几号？", "今天星期几"])
def test_the_date_is_the_devices(asked: str) -> None:
    locale = "en" if asked.isascii() else "zh"
    found = recognise(asked, locale, NOW)
    assert found is not None
    assert found.arguments == {"date": "2026-11-30"}


@pytest.mark.parametrize(
    "asked",
    [
        "what time is it in Tokyo",
        "what time will we be there",
        "what time does the shop close",
        "几点能到",
        "东京现在几点",
        "博物馆几点关门",
        "明天几号",
    ],
)
def test_other_questions_of_time_are_not(asked: str) -> None:
    assert recognise(asked, "en" if asked.isascii() else "zh", NOW) is None


def test_where_the_device_has_told_no_time_that_is_said() -> None:
    assert say("What time is it?") == ([], "I don't know the time here.")
    assert say("现在几点了？") == ([], "我不知道现在的时间。")


def test_how_it_is_said() -> None:
    assert said_time("20:06", zh=False) == "It's 8:06 in the evening."
    assert said_time("14:00", zh=True) == "现在下午两点。"
    assert said_date("2026-11-30", zh=False) == "It's Monday, 30 November."
    assert said_date("2026-01-02", zh=True) == "今天是一月二号，星期五。"
