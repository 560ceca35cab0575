"""Nothing of a sentence is dropped without a word, a yes with more is a yes, and what is put off is asked again: in the product's router, skills and
harness."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from ridealong.cloud.skills_try import load_tagger
from ridealong.harness.agreeing import yes_and
from ridealong.harness.claims import claims_in, without_claims
from ridealong.harness.harness import Harness
from ridealong.harness.interjections import agrees
from ridealong.harness.router import Router
from ridealong.harness.runner import LoopClock
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.vehicle_skills import signals as vss
from tests.unit.harness_scene import play
from tests.unit.test_several_calls import AIR, HERE, OPEN, REGISTRY, Ride

pytestmark = pytest.mark.unit

BOOT = vss.TRUNK_OPEN
WINDOW = "Window.Position"


@cache
def router() -> TaggedRouter:
    return TaggedRouter(Router(REGISTRY), load_tagger())


class Talk(Ride):
    """A driver who waits for the answer, and hears it."""

    def __init__(self, folder: Path, values: dict[str, object]) -> None:
        super().__init__(folder, values)
        self.said: list[str] = []
        self.then: list[tuple[str, str, str]] = []  # (capability, execution, reason) before the session ended
        self.harness = Harness(
            "s", REGISTRY, router(), self.journal, self.fake, LoopClock(), self.evidence, self.events.append, self.now
        )

    async def turn(self, words: str, steps: int = 24) -> None:
        self.say(words)
        for _ in range(steps):
            await asyncio.sleep(0.25)
            for reply in self.boundary(quiet_ms=700):
                work_id, _, text = reply.partition(":")
                self.played(work_id, "started")
                await asyncio.sleep(0.5)
                self.played(work_id, "finished", text.strip())
                self.said.append(text.strip())
        self.then = [(item.capability, item.execution.value, item.reason) for item in self.harness.items.values()]

    def did(self) -> list[str]:
        """The first path of each write, in order."""
        return list(self.fake.paths)

    def reasons(self, capability: str) -> list[tuple[str, str]]:
        return [(execution, reason) for name, execution, reason in self.then if name == capability]


def talk(folder: Path, turns: Sequence[str], values: dict[str, object] | None = None) -> Talk:
    one = Talk(folder, HERE | (values or {}))

    async def story(scene: Talk) -> None:
        for words in turns:
            await scene.turn(words)

    play(one, story)
    return one


# --- what was so before (C1) -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("close the windows", "All windows are already closed."),
        ("close the boot", "The boot is already closed."),
        ("把车窗都关上", "全部车窗已经关着。"),
        ("关上后备箱", "后备箱已经关上了。"),
    ],
)
def test_what_is_so_already_is_said(tmp_path: Path, words: str, said: str) -> None:
    one = talk(tmp_path, [words])
    assert (one.said, one.did()) == ([said], [])
    assert [item.execution.value for item in one.harness.items.values()] == ["completed"]


def test_how_a_thing_is_already_is_no_claim_to_have_acted() -> None:
    (claim,) = claims_in("The boot is already closed.")
    assert claim.thing == "the boot"
    assert without_claims("The boot is already closed.", how_it_is=True) == "The boot is already closed."
    assert without_claims("I've already closed the boot.", how_it_is=True) == ""


# --- yes, and more (B6) ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("open the boot", "yes, and turn on the AC"),
        ("open the boot", "okay and turn on the AC"),
        ("open the boot", "yes, open it and turn on the AC"),
        ("open the boot", "turn on the AC and yes"),
        ("打开后备箱", "好的，顺便把空调打开"),
        ("打开后备箱", "是的，再把空调打开"),
    ],
)
def test_a_yes_with_more_is_a_yes(tmp_path: Path, question: str, words: str) -> None:
    assert sorted(talk(tmp_path, [question, words]).did()) == sorted([BOOT, AIR])


@pytest.mark.parametrize(
    ("question", "words"),
    [("open the boot", "yes but close the windows first"), ("打开后备箱", "可以，但是先把车窗都关上")],
)
def test_what_is_to_come_first_does(tmp_path: Path, question: str, words: str) -> None:
    did = talk(tmp_path, [question, words], dict(OPEN)).did()
    assert did[-1] == BOOT
    assert did[0].endswith(WINDOW)


def test_what_may_only_be_a_word_to_begin_with_agrees_to_nothing(tmp_path: Path) -> None:
    one = talk(tmp_path, ["open the boot", "okay, turn on the AC"])
    assert one.did() == [AIR]
    assert one.said.count("Shall I open the boot?") == 2


def test_a_yes_for_later_is_none_now(tmp_path: Path) -> None:
    one = talk(tmp_path, ["open the boot", "yes, but wait until I've parked", "okay"])
    assert one.did() == []
    assert one.said[-1] == "Shall I open the boot?"


@pytest.mark.parametrize(
    ("words", "capability", "counts"),
    [
        ("close it", "trunk.open", False),
        ("open it", "trunk.open", True),
        ("open it", "trunk.close", False),
        ("打开吧", "trunk.close", False),
        ("关吧", "trunk.close", True),
        ("yes", "trunk.open", True),
        ("no", "trunk.open", False),
    ],
)
def test_the_opposite_is_no_yes(words: str, capability: str, counts: bool) -> None:
    assert agrees(words, "zh" if words > "z" else "en", capability) is counts


@pytest.mark.parametrize(
    ("words", "sure"),
    [
        ("yes, turn on the AC", True),
        ("okay and turn on the AC", True),
        ("okay, turn on the AC", False),
        ("okay and how far is it to home", False),
        ("好的，打开空调", False),
        ("好的，顺便打开空调", True),
        ("对，打开空调", True),
    ],
)
def test_how_sure_a_yes_is(words: str, sure: bool) -> None:
    both = yes_and(words, "zh" if words > "z" else "en", "trunk.open")
    assert both is not None
    assert both.sure is sure


@pytest.mark.parametrize(
    "words",
    ["yes", "thanks, and turn on the AC", "turn on the AC, please", "no, and turn on the AC", "turn on the AC", "打开空调，谢谢"],
)
def test_nothing_else_is_a_yes_and_more(words: str) -> None:
    assert yes_and(words, "zh" if words > "z" else "en", "trunk.open") is None


# --- unclear, or beyond us (B1, B4) ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("turns", "did"),
    [
        (["close the windows then turn on the AC then set the fan to 3", "30 percent"], [WINDOW, AIR, "FanSpeed"]),
        (["关上全部车窗，打开空调，把风量调到3", "百分之三十"], [WINDOW, AIR, "FanSpeed"]),
        (["set me to 22 and the passenger to 50", "19"], ["Driver.Temperature", "Passenger.Temperature"]),
    ],
)
def test_one_unclear_part_keeps_the_others_from_nothing(tmp_path: Path, turns: list[str], did: list[str]) -> None:
    paths = talk(tmp_path, turns, dict(OPEN)).did()
    assert all(any(path.endswith(end) for path in paths) for end in did), paths


@pytest.mark.parametrize(
    "turns", [["set the fan to 3", "30"], ["set the fan to 3", "set it to 30"], ["把风量调到3", "30"], ["把风量调到3", "二十五"]]
)
def test_a_bare_number_answers_the_question_about_the_fan(tmp_path: Path, turns: list[str]) -> None:
    (path,) = talk(tmp_path, turns).did()
    assert path.endswith("FanSpeed")


@pytest.mark.parametrize(
    "turns",
    [
        ["find the cheapest charger and set the fan to 3", "30 percent"],
        ["open the boot and set the fan to 3", "30 percent"],
    ],
)
def test_what_lacks_something_is_asked_about_beside_the_rest(tmp_path: Path, turns: list[str]) -> None:
    one = talk(tmp_path, turns)
    assert [path.rpartition(".")[2] for path in one.did()] == ["FanSpeed"]
    assert {"navigation.charging_search", "trunk.open"} & {name for name, _, _ in one.then}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("set it to 21 and order a pizza", "I can't order a pizza yet."),
        ("open the window and send mum a text message", "I can't send mum a text message yet."),
        ("调到21度，再订一份披萨", "订一份披萨，这个我还做不到。"),
    ],
)
def test_what_there_is_no_skill_for_is_said_beside_what_was_done(tmp_path: Path, words: str, said: str) -> None:
    one = talk(tmp_path, [words])
    assert said in one.said
    assert one.did()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("turn the seat heating on and the AC on", ["The driver's seat is now heated on medium.", "The air conditioning is on."]),
        ("set it to 21 and lock the doors", ["Set to 21 degrees.", "Shall I lock the doors?"]),
        ("打开天窗，然后导航回家", ["天窗打开了。", "导航到家"]),
    ],
)
def test_what_is_done_is_never_said_to_be_impossible(tmp_path: Path, words: str, said: list[str]) -> None:
    one = talk(tmp_path, [words])
    assert all(sentence in " ".join(one.said) for sentence in said), one.said
    assert "yet" not in " ".join(one.said) and "做不到" not in " ".join(one.said)


def test_no_number_is_cut_in_two(tmp_path: Path) -> None:
    one = talk(tmp_path, ["convert two hundred and sixty euros into pounds"])
    assert len(one.said) == 1 and "two hundred" not in one.said[0] and not one.did()


@pytest.mark.parametrize(
    "words",
    [
        "turn on the AC and it's so hot outside today",
        "close the windows and make it quick",
        "打开空调，太热了",
        "turn on the AC, please",
    ],
)
def test_what_asks_for_nothing_is_not_refused(tmp_path: Path, words: str) -> None:
    assert len(talk(tmp_path, [words], dict(OPEN)).said) == 1


# --- cancelling, and more (B5, A10) ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "turns",
    [
        ["set a timer for five minutes", "stop the timer and start a new one for two hours"],
        ["设一个五分钟的计时器", "停掉计时器，再设一个两小时的"],
    ],
)
def test_one_timer_is_stopped_and_another_runs(tmp_path: Path, turns: list[str]) -> None:
    assert talk(tmp_path, turns).reasons("timer.set") == [("cancelled", "asked"), ("running", "")]


@pytest.mark.parametrize("turns", [["find a charger", "cancel that and open the window"], ["找充电站", "取消那个，打开车窗"]])
def test_the_search_is_cancelled_and_the_window_opened(tmp_path: Path, turns: list[str]) -> None:
    one = Talk(tmp_path, dict(HERE))

    async def story(scene: Talk) -> None:
        await scene.turn(turns[0], 4)
        await scene.turn(turns[1])

    play(one, story)
    assert one.reasons("navigation.charging_search") == [("cancelled", "asked")]
    assert [path.rpartition(".Window")[1] for path in one.did()] == [".Window"]


@pytest.mark.parametrize(
    "turns",
    [
        ["set a timer for five minutes", "set a timer for ten minutes", "cancel the timer", "cancel both"],
        ["设一个五分钟的计时器", "设一个十分钟的计时器", "取消计时器", "两个都取消"],
    ],
)
def test_both_are_cancelled_when_both_are_meant(tmp_path: Path, turns: list[str]) -> None:
    one = talk(tmp_path, turns)
    assert one.reasons("timer.set") == [("cancelled", "asked")] * 2
    assert one.said[0].endswith(("?", "？"))


def test_two_hours_are_not_both(tmp_path: Path) -> None:
    one = talk(tmp_path, ["设一个两个小时的计时器", "设一个十分钟的计时器", "把两个小时的计时器取消"])
    assert one.reasons("timer.set") == [("cancelled", "asked"), ("running", "")]


# --- later, and on hold (B8, C2) ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "tell me when the battery is under 20 percent and then find a charger",
            "I can't do that later; please ask me again then.",
        ),
        ("电量低于百分之二十的时候告诉我，然后找充电站", "这个我还不能等到以后再做，到时候请再跟我说一次。"),
    ],
)
def test_what_is_to_follow_a_watch_is_not_begun_now(tmp_path: Path, words: str, said: str) -> None:
    one = talk(tmp_path, [words])
    assert said in one.said
    assert one.reasons("navigation.charging_search") == []


@pytest.mark.parametrize(
    "turns",
    [
        ["open the boot", "wait", "okay"],
        ["open the boot", "are you sure that's safe?", "okay"],
        ["打开后备箱", "等一下", "好"],
    ],
)
def test_a_question_on_hold_is_asked_again(tmp_path: Path, turns: list[str]) -> None:
    one = talk(tmp_path, turns)
    assert one.did() == []
    assert one.said[0] == one.said[-1]
    assert len(one.said) == (3 if "safe" in turns[1] else 2)  # what it can't answer, it says


def test_the_answer_to_the_question_put_again_counts(tmp_path: Path) -> None:
    assert talk(tmp_path, ["open the boot", "wait", "okay", "yes"]).did() == [BOOT]
