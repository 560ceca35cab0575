"""Longer or shorter by so much: what the words say, which timer they mean, and what becomes of the one that runs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ridealong.harness.follow_said import Sense, Step
from ridealong.harness.follow_words import follow_up
from ridealong.harness.router import Calls, ChitChat, Router
from ridealong.harness.skill import Context, Outcome, Recent
from ridealong.harness.tagged import untagged
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.vehicle_skills.builtin import builtin_registry
from tests.unit.busy_scene import Busy
from tests.unit.harness_scene import play

pytestmark = pytest.mark.unit

LONGER = [
    ("five more minutes", 300), ("another five minutes", 300), ("add 90 seconds to the timer", 90), ("can you add another minute please", 60), ("give it a couple more minutes", 120),
    ("extend the timer by half an hour", 1800), ("put another ten minutes on the clock", 600), ("make the timer five minutes longer", 300), ("let it run two minutes longer", 120),
    ("再加五分钟", 300), ("给计时器加十分钟", 600), ("延长一刻钟", 900), ("再给我两分钟", 120), ("推迟半小时", 1800), ("把闹钟延后五分钟", 300),
]  # fmt: skip
SHORTER = [
    ("ten minutes less", 600), ("shorten it by 90 seconds", 90), ("take two minutes off", 120), ("knock a minute off the timer", 60), ("make it ten minutes shorter", 600),
    ("no, five minutes less", 300), ("cut the countdown by thirty seconds", 30), ("two minutes off the timer", 120), ("少十分钟", 600), ("缩短五分钟", 300), ("把计时器减掉两分钟", 120), ("提前三分钟", 180),
]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "sense", "size_s"), [(w, Sense.MORE, s) for w, s in LONGER] + [(w, Sense.LESS, s) for w, s in SHORTER]
)
def test_which_way_and_by_how_much(words: str, sense: Sense, size_s: int) -> None:
    said = follow_up(words, "zh" if ord(words[0]) > 0x3000 else "en")
    assert isinstance(said, Step) and said.size == size_s and said.unit == "seconds"
    assert (said.sense in (Sense.MORE, Sense.UP)) == (sense is Sense.MORE)


@pytest.mark.parametrize(
    "words",
    ["set another timer for five minutes", "add a timer for five minutes", "it takes ten minutes less by train", "再加一个五分钟的计时器", "路上少花十分钟"],
)  # fmt: skip
def test_another_timer_and_talk_of_time_are_none(words: str) -> None:
    assert follow_up(words, "zh" if ord(words[0]) > 0x3000 else "en") is None


@pytest.mark.parametrize(("words", "locale", "left_s"), [(w, "en", 1100 - s) for w, s in SHORTER[:7]] + [("再加五分钟", "zh", 1400), ("add five minutes to the timer", "en", 1400), ("给计时器加五分钟", "zh", 1400), ("double it", "en", None)])  # fmt: skip
def test_a_running_timer_is_changed_by_so_much_and_no_second_one_runs(
    tmp_path: Path, words: str, locale: str, left_s: int | None
) -> None:
    async def script(s: Busy) -> None:
        s.ask("Set a timer for twenty minutes.")
        await asyncio.sleep(100)
        await s.hears(words, locale)
        old, *new = s.of("timer.set")
        if left_s is None:  # after a while it may be about anything
            assert not new and s.states()[old[2:]] == "running/none"
            return
        assert s.harness.items[old].reason == f"superseded:{new[0]}"
        duration_s = s.harness.items[new[0]].arguments["duration_s"]
        assert isinstance(duration_s, int) and abs(duration_s - left_s) <= 2

    play(Busy(tmp_path), script)


def test_of_several_it_is_asked_which_and_the_answer_changes_that_one(tmp_path: Path) -> None:
    async def script(s: Busy) -> None:
        s.ask("Set a timer for twenty minutes.")
        await asyncio.sleep(1)
        s.ask("Set a timer for ten minutes.")
        await asyncio.sleep(60)
        asked = await s.hears("Add five minutes to the timer.")
        assert asked == "Do you mean the timer for twenty minutes, or the timer for ten minutes?"
        await s.hears("The first one.")
        first, second, changed = s.of("timer.set")
        assert s.harness.items[first].reason == f"superseded:{changed}" and s.states()[second[2:]] == "running/none"
        duration_s = s.harness.items[changed].arguments["duration_s"]
        assert isinstance(duration_s, int) and 1425 <= duration_s <= 1439
        await s.hears("Take a minute off the ten minute timer.")
        assert s.harness.items[second].reason.startswith("superseded:")

    play(Busy(tmp_path), script)


def test_more_off_than_is_left_changes_nothing_and_says_so(tmp_path: Path) -> None:
    async def script(s: Busy) -> None:
        s.ask("Set a timer for five minutes.")
        await asyncio.sleep(20)
        assert await s.hears("Ten minutes less.") == "Sorry, I can't work that in. I haven't changed anything."
        assert s.states()["w1"] == "running/none"

    play(Busy(tmp_path), script)


ROUTER = TaggedRouter(Router(builtin_registry()), untagged)


@pytest.mark.parametrize("words", ["add five minutes to the timer", "shorten my alarm by a minute", "把计时器缩短一分钟"])
def test_where_no_timer_runs_none_is_begun(words: str) -> None:
    assert ROUTER.decide(words, "zh" if ord(words[0]) > 0x3000 else "en", Context()) == ChitChat("no_work")


@pytest.mark.parametrize(("words", "capability", "arguments"), [
    ("take ten percent off", "climate.set_fan", {"speed": 30}), ("add twenty percent", "climate.set_fan", {"speed": 60}), ("减掉百分之十", "climate.set_fan", {"speed": 30}),
])  # fmt: skip
def test_the_verbs_are_the_same_for_other_amounts(words: str, capability: str, arguments: dict[str, object]) -> None:
    recent = Recent("climate.set_fan", {"speed": 40}, Outcome.COMPLETED, 4_000)
    decision = ROUTER.decide(words, "zh" if ord(words[0]) > 0x3000 else "en", Context(recent=(recent,)))
    assert isinstance(decision, Calls) and decision.matches[0].capability == capability
    assert decision.matches[0].arguments == arguments
