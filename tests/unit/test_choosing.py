"""Which piece of work is meant: named words before recency, and no guess where two fit as well."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ridealong.harness.choosing import Chosen, NoneFits, Which, choose, is_named
from ridealong.harness.doing import Doing, Stage

pytestmark = pytest.mark.unit

TIMER = "timer set\nSet a timer.\nSet a timer for five minutes.\n定一个五分钟的计时器。\n十分钟后提醒我。"
SEARCH = (
    "navigation charging search\nSearch for the best charging station along the way.\n"
    "Search for the fastest charger nearby.\n找一下沿途最便宜的充电站。"
)
FIVE = Doing(
    "five",
    "timer.set",
    Stage.RUNNING,
    "the timer for five minutes",
    "五分钟的计时器",
    "Set a timer for five minutes.",
    topics=TIMER,
)
TEN = Doing(
    "ten", "timer.set", Stage.RUNNING, "the timer for ten minutes", "十分钟的计时器", "再来一个十分钟的计时器", "zh", topics=TIMER
)
CHARGE = Doing("charge", "navigation.charging_search", Stage.RUNNING, "", "", "Find me somewhere cheap to charge.", topics=SEARCH)
ALL = [
    replace(one, asked_ms_ago=age, english=one.english or "the search", chinese=one.chinese or "搜索")
    for one, age in ((TEN, 5_000), (CHARGE, 60_000), (FIVE, 90_000))
]


def brief(about: str, old: bool = False) -> str:
    doings = [replace(one, asked_ms_ago=one.asked_ms_ago + 100_000) for one in ALL] if old else ALL
    match choose(doings, about):
        case Chosen(items=items):
            return " ".join(one.id for one in items)
        case Which(items=items):
            return " or ".join(one.id for one in items)
        case NoneFits(named=named):
            return "no such" if named else "nothing"


@pytest.mark.parametrize(
    ("about", "meant"),
    [
        ("the charging search", "charge"), ("the search", "charge"), ("looking for a charger", "charge"), ("searching", "charge"), ("that charging thing", "charge"),
        ("the timer", "five or ten"), ("my five minute timer", "five"), ("the ten minute one", "ten"), ("the 10 minute timer", "ten"), ("the reminder", "five or ten"),
        ("the first timer", "five"), ("the second timer", "ten"), ("the last timer", "ten"), ("both timers", "ten five"), ("all timers", "ten five"),
        ("everything", "ten charge five"), ("it", "ten"), ("that", "ten"), ("", "ten"), ("the last one", "ten"), ("the first one", "five"),
        ("my appointment", "no such"), ("the window", "no such"), ("the six minute timer", "no such"), ("六分钟的计时器", "no such"), ("the navigation to the airport", "no such"),
        ("充电站的搜索", "charge"), ("搜索", "charge"), ("找", "charge"), ("查充电桩", "charge"), ("计时器", "five or ten"), ("五分钟的计时器", "five"),
        ("那个十分钟的", "ten"), ("闹钟", "five or ten"), ("所有计时器", "ten five"), ("全部", "ten charge five"), ("它", "ten"), ("第一个", "five"), ("最后一个", "ten"),
        ("空调", "no such"), ("会议", "no such"),
    ],
)  # fmt: skip
def test_what_is_meant(about: str, meant: str) -> None:
    assert brief(about) == meant


def test_it_is_nothing_in_particular_when_nothing_was_asked_just_now() -> None:
    assert brief("it", old=True) == "five or charge or ten" and brief("the search", old=True) == "charge"
    assert choose([], "it") == NoneFits(False) and choose([], "the timer") == NoneFits(True)


@pytest.mark.parametrize(
    ("about", "named"),
    [
        ("the timer", True),
        ("all of them", False),
        ("it", False),
        ("那个", False),
        ("计时器", True),
        ("the one minute timer", True),
    ],
)
def test_pointing_is_no_naming(about: str, named: bool) -> None:
    assert is_named(about) is named


def test_the_users_own_words_count_more_than_the_kind() -> None:
    shops = Doing("shops", "search", Stage.RUNNING, "", "", "find shops", topics="search\nFind the nearest bakery.")
    bakery = replace(shops, id="bakery", words="find a bakery")
    assert choose([shops, bakery], "the bakery") == Chosen((bakery,), True)


def three(about: str) -> str:
    doings = [ALL[0], replace(ALL[2], id="thirty", english="the timer for thirty minutes", chinese="", words=""), ALL[2]]
    match choose(doings, about):
        case Chosen(items=items):
            return " ".join(one.id for one in items)
        case Which(items=items):
            return " or ".join(one.id for one in items)
        case NoneFits():
            return "no such"


@pytest.mark.parametrize(
    ("about", "meant"),
    [
        ("the timer", "five or thirty or ten"), ("both", "five or thirty or ten"), ("both timers", "five or thirty or ten"), ("两个都", "five or thirty or ten"),
        ("all", "ten thirty five"), ("全部", "ten thirty five"), ("the first one", "five"), ("the second one", "thirty"), ("the third one", "ten"), ("第三个", "ten"),
        ("the third timer", "ten"), ("the fourth one", "no such"), ("第五个", "no such"), ("the last one", "ten"),
    ],
)  # fmt: skip
def test_of_three(about: str, meant: str) -> None:
    assert three(about) == meant
