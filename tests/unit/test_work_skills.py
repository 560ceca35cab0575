"""Spoken operations on work, in a session's harness on virtual time: the right item, the truth, and nothing said twice."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ridealong.harness.harness import GaveUp
from ridealong.harness.rest import Why
from ridealong.harness.skill import Provenance
from ridealong.proto.types import ActuationState
from tests.unit.busy_scene import Busy
from tests.unit.harness_scene import play

pytestmark = pytest.mark.unit


def test_a_running_search_is_cancelled_and_only_the_cancel_says_so(tmp_path: Path) -> None:
    async def script(s: Busy) -> None:
        s.ask("Search for shops.")
        await asyncio.sleep(1)
        assert await s.hears("Cancel the search.") == "Okay, I've cancelled the request to search for shops."
        assert s.states()["w1"] == "cancelled/withdrawn"
        await asyncio.sleep(20)
        assert s.boundary() == []

    scene = Busy(tmp_path)
    play(scene, script)
    assert scene.history("s-w1")[-1] == "cancelled/withdrawn" and "cancelling/none" in scene.history("s-w1")


@pytest.mark.parametrize(
    ("words", "locale", "answer"),
    [
        ("Forget the timer.", "en", "Okay, I've cancelled the timer for five minutes."),
        ("把计时器取消。", "zh", "好的，已经取消五分钟的计时器。"),
        ("取消搜索", "zh", "好的，已经取消您说的“search for shops”。"),
        ("Stop searching.", "en", "Okay, I've cancelled the request to search for shops."),
        ("Cancel everything.", "en", "Okay, I've cancelled the request to search for shops and the timer for five minutes."),
    ],
)
def test_the_named_one_is_meant_not_the_newest(tmp_path: Path, words: str, locale: str, answer: str) -> None:
    async def script(s: Busy) -> None:
        s.ask("Set a timer for five minutes.")
        await asyncio.sleep(1)
        s.ask("Search for shops.")
        await asyncio.sleep(1)
        assert await s.hears(words, locale) == answer
        stopped = {"timer" in answer or "计时" in answer: "w1", "shops" in answer: "w2"}
        for work_id in ("w1", "w2"):
            assert (s.states()[work_id] == "cancelled/withdrawn") == (work_id in [stopped.get(True), *_both(answer)]), work_id

    play(Busy(tmp_path), script)


def _both(answer: str) -> list[str]:
    return ["w1", "w2"] if "shops and the timer" in answer else []


def test_when_two_fit_one_short_question_names_both_and_the_answer_decides(tmp_path: Path) -> None:
    async def script(s: Busy) -> None:
        s.ask("Set a timer for five minutes.")
        await asyncio.sleep(1)
        s.ask("Set a timer for ten minutes.")
        await asyncio.sleep(1)
        assert await s.hears("Cancel the timer.") == "Do you mean the timer for five minutes, or the timer for ten minutes?"
        assert await s.hears("The five minute one.") == "Okay, I've cancelled the timer for five minutes."
        assert s.states()["w2"] == "running/none"
        await asyncio.sleep(4)
        assert await s.hears("Cancel the timer.") == "Okay, I've cancelled the timer for ten minutes."

    play(Busy(tmp_path), script)


@pytest.mark.parametrize(
    ("answer", "left"), [("The first one.", "w2"), ("The second.", "w1"), ("Both.", ""), ("No, never mind.", "w1 w2")]
)
def test_the_question_may_be_answered_by_order(tmp_path: Path, answer: str, left: str) -> None:
    async def script(s: Busy) -> None:
        s.ask("Set a timer for five minutes.")
        await asyncio.sleep(1)
        s.ask("Set a timer for ten minutes.")
        await asyncio.sleep(1)
        await s.hears("Cancel the timer.")
        await s.hears(answer)
        assert [id for id in ("w1", "w2") if s.states()[id] == "running/none"] == left.split()

    play(Busy(tmp_path), script)


SEARCH, FIVE, TEN, THIRTY = (
    "Search for shops.",
    "Set a timer for five minutes.",
    "Set a timer for ten minutes.",
    "Set a timer for thirty minutes.",
)


@pytest.mark.parametrize(
    ("asked", "answer", "stopped"),
    [
        ([SEARCH, FIVE, TEN], "The first one.", "w2"),
        ([SEARCH, FIVE, TEN], "第一个", "w2"),
        ([SEARCH, FIVE, TEN], "Both.", "w2 w3"),
        ([SEARCH, FIVE, TEN], "All of them.", "w2 w3"),
        ([FIVE, TEN, SEARCH], "The second one.", "w2"),
        ([FIVE, TEN, SEARCH], "The last one.", "w2"),
        ([FIVE, TEN, SEARCH], "Cancel the last one.", "w2"),
        ([FIVE, TEN, SEARCH], "Cancel the search.", "w3"),
        ([FIVE, SEARCH, TEN], "The ten minute one.", "w3"),
        ([FIVE, SEARCH, TEN], "The search.", ""),  # that was not the question
        ([FIVE, TEN, THIRTY], "The third one.", "w3"),
        ([FIVE, TEN, THIRTY], "All of them.", "w1 w2 w3"),
        ([FIVE, TEN, THIRTY], "Both.", ""),
    ],
)
def test_an_answer_chooses_among_what_the_question_named(tmp_path: Path, asked: list[str], answer: str, stopped: str) -> None:
    async def script(s: Busy) -> None:
        for words in asked:
            s.ask(words)
            await asyncio.sleep(1)
        assert (await s.hears("Cancel the timer.")).startswith("Do you mean the timer for five minutes, ")
        await s.hears(answer)
        assert [id for id in ("w1", "w2", "w3") if s.states()[id] != "running/none"] == stopped.split()

    play(Busy(tmp_path), script)


def test_work_that_began_after_the_question_is_not_meant_by_the_answer(tmp_path: Path) -> None:
    async def script(s: Busy) -> None:
        for words in (FIVE, TEN):
            s.ask(words)
            await asyncio.sleep(1)
        assert "Do you mean" in await s.hears("Cancel the timer.")
        s.harness.announce("note", "By the way.", "en", "", Provenance.DRIVER)
        assert await s.hears("The last one.") == "Okay, I've cancelled the timer for ten minutes."

    play(Busy(tmp_path), script)


def test_a_question_about_more_than_two_names_all_or_says_how_many(tmp_path: Path) -> None:
    async def script(s: Busy) -> None:
        for words in (FIVE, TEN, THIRTY):
            s.ask(words)
            await asyncio.sleep(1)
        named = "Do you mean the timer for five minutes, the timer for ten minutes, or the timer for thirty minutes?"
        assert await s.hears("Cancel the timer.") == named
        assert await s.hears("Both.") == named  # there are three
        assert await s.hears("取消计时器", "zh") == "是五分钟的计时器、十分钟的计时器，还是三十分钟的计时器？"
        await asyncio.sleep(2)
        for minutes in ("six", "seven"):
            s.ask(f"Set a timer for {minutes} minutes.")
            await asyncio.sleep(1)
        assert await s.hears("Cancel the timer.") == "There are 5 of those. Do you mean the first, the last, or all of them?"
        assert await s.hears("The first.") == "Okay, I've cancelled the timer for five minutes."
        await asyncio.sleep(30)
        assert await s.hears("Cancel the timer.") == (
            "Do you mean the timer for ten minutes, the timer for thirty minutes, the timer for six minutes, or the timer for seven minutes?"
        )

    play(Busy(tmp_path), script)


def test_what_is_going_on(tmp_path: Path) -> None:
    async def script(s: Busy) -> None:
        s.ask("Set a timer for five minutes.")
        await asyncio.sleep(60)
        assert await s.hears("How long is left on my timer?") == "About four minutes left on the timer for five minutes."
        assert await s.hears("计时器还剩多久？", "zh") == "五分钟的计时器还剩大约四分钟。"
        s.ask("Search for shops.")
        await asyncio.sleep(1)
        said = await s.hears("What are you doing?")
        assert said == ("I'm busy with the request to search for shops and the timer for five minutes, about four minutes left.")
        assert await s.hears("Is the search done yet?") == "Not yet: I'm still busy with the request to search for shops."
        await asyncio.sleep(12)
        s.ask("Is the search done yet?")
        await asyncio.sleep(0.2)
        assert sorted(s.everything()) == ["The nearest shop is Miller's.", "Yes, that's done."]  # in either order: both are true

    play(Busy(tmp_path), script)


@pytest.mark.parametrize(
    ("words", "locale", "said"),
    [
        ("What are you doing?", "en", "Nothing at the moment: the request to raise the antenna is done."),
        ("Are you busy?", "en", "Nothing at the moment: the request to raise the antenna is done."),
        ("你在做什么？", "zh", "现在没有在做什么，您说的“raise the antenna”刚刚完成。"),
    ],
)
def test_what_are_you_doing_right_after_it_is_done(tmp_path: Path, words: str, locale: str, said: str) -> None:
    async def script(s: Busy) -> None:
        s.ask("Raise the antenna.")
        await asyncio.sleep(1)
        assert s.states()["w1"] == "completed/pending"
        s.ask(words, locale=locale)
        await asyncio.sleep(0.1)
        assert said in s.everything()
        await asyncio.sleep(4)
        nothing = "现在没有在做什么。" if locale == "zh" else "Nothing at the moment."
        s.ask(words, locale=locale, provenance=Provenance.TYPED)
        await asyncio.sleep(0.1)
        assert s.everything() == [nothing]

    play(Busy(tmp_path), script)


@pytest.mark.parametrize("answer", [ActuationState.REFUSED, ActuationState.TIMED_OUT])
def test_nothing_is_said_to_be_done_that_was_not(tmp_path: Path, answer: ActuationState) -> None:
    async def script(s: Busy) -> None:
        s.car.answers = [answer]
        s.ask("Raise the antenna.")
        await asyncio.sleep(1)
        s.ask("What are you doing?")
        await asyncio.sleep(0.1)
        assert "Nothing at the moment." in s.everything()

    play(Busy(tmp_path), script)


def test_a_revision_supersedes_the_running_search(tmp_path: Path) -> None:
    async def script(s: Busy) -> None:
        s.ask("Search for the nearest shop.")
        await asyncio.sleep(2)
        s.ask("Make it the cheapest instead.")
        await asyncio.sleep(0.5)
        old, new = s.of("search")
        assert s.harness.items[old].reason == f"superseded:{new}" and s.states()[old[2:]] == "superseded/none"
        assert s.harness.items[new].arguments == {"prefer": "cheapest"}
        await asyncio.sleep(13)
        told = s.everything()
        assert sorted(told) == ["Okay, I've changed that.", "The cheapest shop is Miller's."]
        assert await s.hears("Is the search done?") == "Yes, that's done. The cheapest shop is Miller's."

    play(Busy(tmp_path), script)


def test_and_also_leaves_the_running_search_alone(tmp_path: Path) -> None:
    async def script(s: Busy) -> None:
        s.ask("Search for the nearest shop.")
        await asyncio.sleep(2)
        assert await s.hears("And also the cheapest one.") == "Okay, that too."
        old, new = s.of("search")
        assert s.states()[old[2:]] == s.states()[new[2:]] == "running/none"
        assert s.harness.items[new].arguments == {"prefer": "cheapest"}

    play(Busy(tmp_path), script)


def test_a_timer_is_changed_and_a_change_that_means_nothing_changes_nothing(tmp_path: Path) -> None:
    async def script(s: Busy) -> None:
        s.ask("Set a timer for five minutes.")
        await asyncio.sleep(5)
        await s.hears("Make it ten minutes.")
        old, new = s.of("timer.set")
        assert s.harness.items[old].reason == f"superseded:{new}" and s.harness.items[new].arguments == {"duration_s": 600}
        assert await s.hears("Change the timer to something nicer.") == "Sorry, I can't work that in. I haven't changed anything."
        assert s.states()[new[2:]] == "running/none"

    play(Busy(tmp_path), script)


def test_never_mind_takes_back_what_was_asked_just_now_unless_something_is_being_said(tmp_path: Path) -> None:
    async def script(s: Busy) -> None:
        s.ask("Search for shops.")
        await asyncio.sleep(1)
        assert await s.hears("Never mind.") == "Okay, I've cancelled the request to search for shops."
        await asyncio.sleep(4)
        s.search_ms = 0
        s.ask("Search for shops.")
        await asyncio.sleep(4)
        s.ask("Set a timer for five minutes.")
        await asyncio.sleep(10)
        assert "Miller" in s.boundary()[0]  # that is being said now
        s.ask("Never mind.")
        await asyncio.sleep(1)
        assert s.states()[s.of("timer.set")[0][2:]] == "running/none"

    play(Busy(tmp_path), script)


def test_plain_stop_cancels_no_work(tmp_path: Path) -> None:
    async def script(s: Busy) -> None:
        s.ask("Search for shops.")
        await asyncio.sleep(1)
        s.ask("Stop.")
        await asyncio.sleep(1)
        assert s.states() == {"w1": "running/none"}

    play(Busy(tmp_path), script)


def test_cancelling_what_is_done_but_not_said_withdraws_the_words_and_tells_the_truth(tmp_path: Path) -> None:
    async def script(s: Busy) -> None:
        s.ask("Raise the antenna.")
        await asyncio.sleep(1)
        assert s.states()["w1"] == "completed/pending"
        s.ask("Cancel the antenna.")
        await asyncio.sleep(0.2)
        assert s.states()["w1"] == "completed/withdrawn"
        assert s.boundary() == ["s-w2: It was already done. The antenna is up."]
        s.played("s-w2", "finished", "It was already done. The antenna is up.")
        s.search_ms = 100
        s.ask("Search for shops.")
        await asyncio.sleep(1)
        assert await s.hears("Cancel the search.") == "That had just finished, so I'll say no more about it."
        await asyncio.sleep(5)
        assert s.boundary() == []

    play(Busy(tmp_path), script)


@pytest.mark.parametrize("words", ["Stop.", "Never mind."])
def test_a_typed_stop_has_what_is_being_said_flushed(tmp_path: Path, words: str) -> None:
    """Nobody spoke over it, so no verdict of an overlap has done so."""

    async def script(s: Busy) -> None:
        s.search_ms = 100
        s.ask("Search for shops.")
        await asyncio.sleep(1)
        assert s.boundary() == ["s-w1: The nearest shop is Miller's."]
        s.ask(words)
        await asyncio.sleep(0.2)
        assert GaveUp("s-w1", Why.STOP) in s.events and s.states()["w1"] == "completed/withdrawn"

    play(Busy(tmp_path), script)


def test_cancelling_what_is_being_said_has_it_flushed(tmp_path: Path) -> None:
    async def script(s: Busy) -> None:
        s.search_ms = 100
        s.ask("Search for shops.")
        await asyncio.sleep(1)
        assert s.boundary() == ["s-w1: The nearest shop is Miller's."]
        s.ask("Cancel the search.")
        await asyncio.sleep(0.2)
        assert GaveUp("s-w1", Why.STOP) in s.events and s.states()["w1"] == "completed/withdrawn"
        s.played("s-w1", "finished", "The nearest shop is Miller's.")  # it was too late to flush
        assert s.states()["w1"] == "completed/withdrawn"

    play(Busy(tmp_path), script)


def test_an_interrupted_reply_that_was_cancelled_is_not_reopened_by_the_next_request(tmp_path: Path) -> None:
    async def script(s: Busy) -> None:
        s.search_ms = 6_000
        s.ask("Search for shops.")
        await asyncio.sleep(7)
        s.boundary()
        s.harness.interrupted(Why.STOP, s.now(), frozenset())
        s.ask("Cancel the search.")
        await asyncio.sleep(0.5)
        s.ask("How much time is left?")
        s.ask("Go on.")
        await asyncio.sleep(5)
        assert not any("Miller" in line for line in s.boundary())
        assert s.states()["w1"] == "completed/withdrawn"

    play(Busy(tmp_path), script)


@pytest.mark.parametrize(
    ("answer", "delay_ms", "said"),
    [
        (ActuationState.CONFIRMED, 800, "It was already done. The antenna is up."),
        (ActuationState.REFUSED, 800, "Okay, I've cancelled the request to raise the antenna."),
        (ActuationState.TIMED_OUT, 800, "I can't tell whether that was done. Please check."),
        (
            ActuationState.CONFIRMED,
            4_000,
            "That can't be stopped: it's already on its way to the car. I'll tell you what comes of it.",
        ),
    ],
)
def test_an_actuation_on_its_way_is_not_called_back_and_what_is_known_is_said(
    tmp_path: Path, answer: ActuationState, delay_ms: float, said: str
) -> None:
    async def script(s: Busy) -> None:
        s.car.answers, s.car.delay_ms = [answer], delay_ms
        s.ask("Raise the antenna.")
        await asyncio.sleep(0.1)
        assert await s.hears("Cancel the antenna.") == said
        await asyncio.sleep(5)
        later = [line.partition(": ")[2] for line in s.boundary()]
        assert later == (["The antenna is up."] if delay_ms > 2_000 else [])

    play(Busy(tmp_path), script)


def test_an_actuation_that_was_not_sent_yet_never_is(tmp_path: Path) -> None:
    async def script(s: Busy) -> None:
        s.before_ms = 500
        s.ask("Raise the antenna.")
        await asyncio.sleep(0.2)
        assert await s.hears("Cancel the antenna.") == "Okay, I've cancelled the request to raise the antenna."
        await asyncio.sleep(5)
        assert s.car.sent == []

    play(Busy(tmp_path), script)


def test_what_was_half_done_is_not_called_cancelled(tmp_path: Path) -> None:
    async def script(s: Busy) -> None:
        s.car.delay_ms = 500
        s.ask("Raise both antennas.")
        await asyncio.sleep(0.2)
        assert await s.hears("Cancel the antennas.") == "I stopped, but part of that was already done."
        assert len(s.car.sent) == 1

    play(Busy(tmp_path), script)


@pytest.mark.parametrize("provenance", [Provenance.OVERHEARD, Provenance.SEEN])
def test_what_was_overheard_cancels_nothing(tmp_path: Path, provenance: Provenance) -> None:
    async def script(s: Busy) -> None:
        s.ask("Search for shops.")
        await asyncio.sleep(1)
        s.ask("Cancel the search.", provenance=provenance)
        await asyncio.sleep(1)
        assert s.states() == {"w1": "running/none"} and s.rejected() == ["provenance"]
        s.ask("Is the search done yet?", provenance=Provenance.UNKNOWN)
        await asyncio.sleep(0.2)
        assert s.boundary() == ["s-w2: Not yet: I'm still busy with the request to search for shops."]

    play(Busy(tmp_path), script)


def test_eight_timers_do_not_keep_a_cancel_waiting(tmp_path: Path) -> None:
    async def script(s: Busy) -> None:
        for minutes in ("two", "three", "four", "five", "six", "seven", "eight", "nine"):
            s.ask(f"Set a timer for {minutes} minutes.")
            await asyncio.sleep(0.1)
        assert await s.hears("Cancel the six minute timer.") == "Okay, I've cancelled the timer for six minutes."

    play(Busy(tmp_path), script)


def test_the_result_again(tmp_path: Path) -> None:
    async def script(s: Busy) -> None:
        s.search_ms = 100
        assert await s.hears("Search for shops.") == "The nearest shop is Miller's."
        assert await s.hears("What was the result of the search?") == "The nearest shop is Miller's."
        assert await s.hears("搜索的结果是什么？", "zh") == "The nearest shop is Miller's."

    play(Busy(tmp_path), script)
