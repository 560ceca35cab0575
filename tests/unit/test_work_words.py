"""What counts as an operation on work, with the product's own router; that nothing changes where there is no such work; and revisions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ridealong.harness.doing import Stage
from ridealong.harness.revising import rewordings
from ridealong.harness.router import AskBack, Calls
from ridealong.harness.skill import Context, Outcome, Provenance
from ridealong.harness.work_words import calls_off
from ridealong.vehicle_skills.lint import under_way
from tests.unit.understanding import ROUTER, brief, context, recent

pytestmark = pytest.mark.unit

CLAIMS = [
    ("Cancel the charging search.", "cancel s"), ("Please forget the timer.", "cancel t"), ("Can you cancel my timer?", "cancel t"), ("Stop the timer.", "cancel t"),
    ("Never mind the timer.", "cancel t"), ("I don't need the timer any more.", "cancel t"), ("Don't bother with the search.", "cancel s"),
    ("Stop searching.", "cancel s"), ("Don't search any more.", "cancel s"), ("Cancel everything.", "cancel t s"), ("Ridealong, call off the search.", "cancel s"),
    ("取消计时器", "cancel t"), ("把计时器关掉吧", "cancel t"), ("帮我取消充电站的搜索", "cancel s"), ("别找了", "cancel s"), ("不用再找了", "cancel s"), ("全部取消", "cancel t s"), ("算了，别搜了", "cancel s"),
    ("What are you doing?", "status "), ("Are you still searching?", "status "), ("Is the search done yet?", "status s"), ("How is the search going?", "status s"),
    ("Any news on the search?", "status s"), ("Did you find anything yet?", "status s"), ("Is my timer still running?", "status t"),
    ("你在做什么？", "status "), ("搜索好了吗？", "status s"), ("充电站找到了吗", "status s"), ("搜索进行得怎么样了", "status s"),
    ("How long is left on my timer?", "left t"), ("How much time is left?", "left t"), ("When does the timer go off?", "left t"), ("How long will the search take?", "left s"),
    ("计时器还剩多久？", "left t"), ("还剩几分钟？", "left t"),
    ("What was the result of the search?", "result d"), ("搜索的结果是什么？", "result d"),
    ("Make it the cheapest instead.", "revise s"), ("No, the fastest instead.", "revise s"), ("Make it ten minutes.", "revise t"), ("Actually make that nine.", "revise t"),
    ("Change the timer to ten minutes.", "revise t"), ("换成最便宜的", "revise s"), ("改成十分钟", "revise t"), ("把计时器改成十分钟", "revise t"),
]  # fmt: skip
NO_CLAIMS = [
    "Cancel my dentist appointment.", "Forget the milk.", "Stop the car.", "Stop the music.", "Cancel the navigation.", "Turn off the heating.", "Mum said cancel the timer.",
    "He cancelled the timer.", "What are they doing?", "What is your brother doing?", "How is Mum doing?", "Are the windows closed?", "Is the boot open?", "Is dinner ready yet?",
    "How long until we arrive?", "How long is the tunnel?", "Make it warmer.", "Change that to a quarter to nine.", "Can I use butter instead?", "Tell me a joke instead.",
    "And also open the window.", "And how did Albion do?", "And Sunday?", "And how fast does it charge?", "How far is the next charger?", "Cancel the alarm for six.", "Stop watching.", "What are you watching for?", "Set a timer for ten minutes.", "Turn it on again.",
    "取消会议", "把最后那个去掉", "你吃完了吗？", "到了吗？", "关上窗户", "别开窗", "把空调关掉", "还要多久到？", "电量还剩多少？", "换首歌", "换个台", "改天吧", "妈妈在做什么", "停一下", "不用开空调了", "再来一个十分钟的计时器",
]  # fmt: skip


def busy(words: str, **changes: object) -> Context:
    zh = any(char > "\u3400" for char in words)
    return replace(context(), doing=under_way("zh" if zh else "en"), **changes)  # type: ignore[arg-type]


def claim(words: str, where: Context) -> str:
    decision = ROUTER.decide(words, "", where, Provenance.DRIVER)
    if not isinstance(decision, Calls) or not decision.matches[0].capability.startswith("work."):
        return str(brief(decision))
    return f"{decision.matches[0].capability.removeprefix('work.')} {decision.matches[0].arguments['items']}"


@pytest.mark.parametrize(("words", "meant"), CLAIMS)
def test_understood(words: str, meant: str) -> None:
    assert claim(words, busy(words)) == meant
    assert ROUTER.addressed(words, "", busy(words)) > 0.75


@pytest.mark.parametrize("words", NO_CLAIMS)
def test_not_meant(words: str) -> None:
    there, here = busy(words), context()
    assert ROUTER.decide(words, "", there, Provenance.DRIVER) == ROUTER.decide(words, "", here, Provenance.DRIVER)
    assert ROUTER.addressed(words, "", there) == ROUTER.addressed(words, "", here)


@pytest.mark.parametrize("words", [words for words, _ in CLAIMS])
def test_without_work_nothing_is_claimed(words: str) -> None:
    assert claim(words, context()).partition(" ")[0] not in ("cancel", "status", "left", "result", "revise")


@pytest.mark.parametrize("provenance", [Provenance.OVERHEARD, Provenance.SEEN])
def test_what_was_overheard_is_nothing(provenance: Provenance) -> None:
    for words, _ in CLAIMS:
        assert not isinstance(ROUTER.decide(words, "", busy(words), provenance), Calls)


def test_the_answer_to_which_one() -> None:
    first, other = (
        under_way("en")[0],
        replace(under_way("en")[0], id="u", english="the timer for nine minutes", words="Set a timer for nine minutes."),
    )
    two = replace(context(), doing=(other, first))
    asked = ROUTER.decide("Cancel the timer.", "en", two, Provenance.DRIVER)
    assert (
        isinstance(asked, AskBack)
        and asked.question == "Do you mean the timer, or the timer for nine minutes?"
        and asked.match is not None
    )
    waiting = replace(two, recent=(recent("work.cancel", Outcome.ASKS, 3_000, **asked.match.arguments),))
    for words, meant in (
        ("The nine minute one.", "u"),
        ("The first one.", "t"),
        ("The second.", "u"),
        ("Both.", "u t"),
        ("第一个", "t"),
    ):
        assert claim(words, waiting) == f"cancel {meant}", words
    for words in ("The weather is nice.", "What is the range?", "Open the window."):
        assert not claim(words, waiting).startswith("cancel"), words
    change = replace(two, recent=(recent("work.revise", Outcome.ASKS, 3_000, items="u t", change="ten minutes", adds=False),))
    decision = ROUTER.decide("The nine minute one.", "en", change, Provenance.DRIVER)
    assert isinstance(decision, Calls) and decision.matches[0].arguments == {"items": "u", "change": "ten minutes", "adds": False}


def test_people_ask_each_other_what_they_are_doing() -> None:
    timer = (replace(under_way("en")[0], asked_ms_ago=200_000),)
    idle = replace(context(), doing=timer)
    assert not claim("What are you doing?", idle).startswith("status")
    assert claim("Ridealong, what are you doing?", idle).startswith("status")
    assert isinstance(ROUTER.decide("What are you doing?", "en", idle, Provenance.TYPED), Calls)


def test_a_command_to_the_car_stays_one_while_something_acts() -> None:
    heating = replace(
        under_way("en")[0],
        id="h",
        capability="climate.switch",
        acts=True,
        words="Turn on the rear defroster.",
        english="the defroster",
        left_ms=None,
    )
    acting = replace(context(), doing=(heating,))
    assert claim("Turn off the rear defroster.", acting) == claim("Turn off the rear defroster.", context())
    assert claim("Cancel the defroster.", acting) == "cancel h"
    over = replace(context(), doing=(replace(heating, stage=Stage.TOLD, outcome=Outcome.COMPLETED),))
    assert claim("Turn off the rear defroster.", over) == claim("Turn off the rear defroster.", context())


@pytest.mark.parametrize(
    ("words", "last"),
    [("Never mind.", True), ("Cancel that.", True), ("Oh, cancel it please.", True), ("算了。", True), ("取消吧", True), ("Stop.", False), ("Be quiet.", False), ("Wait.", False), ("停。", False)],
)  # fmt: skip
def test_which_stops_take_back_what_was_asked(words: str, last: bool) -> None:
    assert calls_off(words, "") is last


@pytest.mark.parametrize(
    ("request_", "change", "adds", "first"),
    [
        ("Find the nearest charging station.", "the cheapest", False, "find the cheapest charging station"),
        ("Set a timer for five minutes.", "ten minutes", False, "set a timer for ten minutes"),
        ("Set a timer for five minutes.", "seven", False, "set a timer for seven minutes"),
        ("Set a timer for five minutes.", "a quarter to nine", False, "set a timer for five minutes a quarter to nine"),
        ("Find a charger.", "the cheapest", False, "find a charger the cheapest"),
        ("Find the nearest shop.", "the cheapest", True, "find the nearest shop the cheapest"),
        ("搜索最近的充电站。", "最便宜的", False, "搜索最便宜的充电站"),
        ("定一个五分钟的计时器。", "十分钟", False, "定一个十分钟的计时器"),
    ],
)
def test_a_change_is_worked_into_the_request(request_: str, change: str, adds: bool, first: str) -> None:
    assert rewordings(request_, change, adds)[0] == first
