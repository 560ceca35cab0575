""" "Never mind, open the window", while something is looked for: both halves are done, the first by a cancel, the second after it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ridealong.harness.calling_off import split
from ridealong.harness.work import Execution
from tests.unit.riding_scene import OTHER, WINDOW, Riding, ride

pytestmark = pytest.mark.unit

SEARCH, SUCHE = "Find me a charger.", "帮我找充电站"
CANCELLED = "I've cancelled the request to find"


@pytest.mark.parametrize(
    ("words", "locale"),
    [
        ("Never mind, open the driver's window.", "en"),
        ("never mind open the driver's window", "en"),
        ("Oh forget it, just open the driver's window.", "en"),
        ("Actually, never mind. Open the driver's window, please.", "en"),
        ("Cancel that and open the driver's window.", "en"),
        ("Scrap that, open the driver's window.", "en"),
        ("算了，打开主驾驶车窗", "zh"),
        ("算了打开主驾驶车窗", "zh"),
        ("取消，打开主驾驶车窗", "zh"),
        ("不用了，还是打开主驾驶车窗吧", "zh"),
        ("哦不用找了，打开主驾驶车窗", "zh"),
    ],
)
def test_both_halves_are_done(tmp_path: Path, words: str, locale: str) -> None:
    async def story(s: Riding) -> None:
        search = s.say(SEARCH if locale == "en" else SUCHE, locale)
        await asyncio.sleep(0.5)
        assert s.harness.items[search].execution is Execution.RUNNING
        s.say(words, locale)
        heard = await s.told(8)
        assert s.harness.items[search].execution is Execution.CANCELLED, "the search is not left running"
        assert s.position() == 100
        assert len(heard) == 2 and ("cancelled" in heard[0] or "取消" in heard[0])
        assert heard[1] == ("The driver's window is now fully open." if locale == "en" else "主驾驶车窗全部打开了。")

    ride(Riding(tmp_path, tagged=True), story)


@pytest.mark.parametrize(
    ("words", "second"),
    [
        ("Never mind, order a pizza.", "I can't order a pizza yet."),
        ("Never mind, what's the temperature outside?", "It's 9.5 degrees outside."),
        ("Never mind, I'll find one myself.", ""),
    ],
)
def test_the_second_half_is_answered_whatever_it_is(tmp_path: Path, words: str, second: str) -> None:
    async def story(s: Riding) -> None:
        search = s.say(SEARCH)
        await asyncio.sleep(0.5)
        s.say(words)
        heard = await s.told(6)
        assert s.harness.items[search].execution is Execution.CANCELLED
        assert len(heard) == (2 if second else 1) and second in heard[-1], heard

    ride(Riding(tmp_path, tagged=True), story)


def test_a_change_of_the_same_work_is_no_cancel(tmp_path: Path) -> None:
    async def story(s: Riding) -> None:
        search = s.say(SEARCH)
        await asyncio.sleep(0.5)
        s.say("Never mind, make it the cheapest.")
        await s.told(1)
        assert s.harness.items[search].execution is Execution.SUPERSEDED

    ride(Riding(tmp_path, tagged=True), story)


def test_without_anything_under_way_the_second_half_is_all_there_is(tmp_path: Path) -> None:
    async def story(s: Riding) -> None:
        s.say("Never mind, open the driver's window.")
        assert await s.told(6) == ["The driver's window is now fully open."]

    ride(Riding(tmp_path, tagged=True), story)


@pytest.mark.parametrize("words", ["Stop, open the passenger window.", "Never mind, open the passenger window."])
def test_what_moves_is_halted_before_the_next_thing_is_done(tmp_path: Path, words: str) -> None:
    async def story(s: Riding) -> None:
        s.say("Open the driver's window.")
        await asyncio.sleep(1.2)
        s.say(words)
        heard = await s.told(9)
        assert 15 < s.position(WINDOW) < 50 and s.position(OTHER) == 100
        stands = round(s.position(WINDOW))
        assert heard[0] == f"I've stopped the driver's window at {stands} percent."
        assert heard[1:] == ["The front passenger's window is now fully open."]

    ride(Riding(tmp_path, tagged=True), story)


def test_the_same_window_the_other_way_is_turned_round_not_halted_first(tmp_path: Path) -> None:
    async def story(s: Riding) -> None:
        s.say("Open the driver's window.")
        await asyncio.sleep(1.2)
        s.say("Never mind, close it.")
        heard = await s.told(6)
        assert s.position() == 0 and heard[-1] == "The driver's window is now closed.", heard

    ride(Riding(tmp_path, tagged=True), story)


@pytest.mark.parametrize(
    ("text", "locale", "cut"),
    [
        ("Never mind, and then open it", "en", ("Never mind", "open it")),
        ("no, wait, never mind, call home", "en", ("no, wait, never mind", "call home")),
        ("never mind the window", "en", None),
        ("cancel that timer", "en", None),
        ("leave it open", "en", None),
        ("forget it", "en", None),
        ("open the window, never mind", "en", None),
        ("取消打开车窗", "zh", None),
        ("算了", "zh", None),
        ("算了吧，那就回家", "zh", ("算了吧", "回家")),
    ],
)
def test_where_a_sentence_is_cut(text: str, locale: str, cut: tuple[str, str] | None) -> None:
    assert split(text, locale) == cut
