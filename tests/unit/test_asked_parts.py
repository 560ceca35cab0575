"""A question beside an order, in one sentence: the order is done, the question is answered or it is said that it can't be, and nothing in it acts."""

from __future__ import annotations

from itertools import product

import pytest
from car_words import acts, decide, say

from ridealong.harness.asked_parts import orders, questions, within_a_question
from ridealong.harness.router import Calls, ChitChat

pytestmark = pytest.mark.unit

ORDERS_EN = {
    "turn the fan up": "climate.set_fan",
    "open my window": "windows.set_position",
    "set it to 22": "climate.set_temperature",
}
ASKED_EN = {
    "is the boot open": "status.trunk",
    "how fast are we going": "status.speed",
    "is the AC on": "status.temperature_setting",
    "is the recirculation on": "status.temperature_setting",
    "tell me if the ac is on": "status.temperature_setting",
    "are the doors closed": "status.doors",
    "what time is it": "help.clock",
}
UNANSWERED_EN = ("who won the game", "what time does the library close", "what is the capital of peru")
ORDERS_ZH = {"把风量调大": "climate.set_fan", "打开车窗": "windows.set_position", "温度调到22度": "climate.set_temperature"}
ASKED_ZH = {
    "后备箱关了吗": "status.trunk",
    "现在开得多快": "status.speed",
    "空调开着吗": "status.temperature_setting",
    "内循环开着吗": "status.temperature_setting",
}
SENTENCES = [
    *((f"{order}{joined}{asked}?", ORDERS_EN[order], ASKED_EN[asked]) for order, joined, asked in product(ORDERS_EN, (" and ", ", ", ". "), ASKED_EN)),
    *((f"{asked} and {order}", ORDERS_EN[order], ASKED_EN[asked]) for order, asked in product(ORDERS_EN, ASKED_EN) if "tell" not in asked),
    *((f"{order}{joined}{asked}？", ORDERS_ZH[order], ASKED_ZH[asked]) for order, joined, asked in product(ORDERS_ZH, ("，", "，然后", "。"), ASKED_ZH)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "order", "asked"), SENTENCES)
def test_both_are_done_and_only_the_order_acts(text: str, order: str, asked: str) -> None:
    decision = decide(text)
    assert isinstance(decision, Calls) and acts(decision) == [order]
    assert {match.capability for match in decision.matches} == {order, asked} and not decision.also


@pytest.mark.parametrize(("order", "asked"), list(product(ORDERS_EN, UNANSWERED_EN)))
def test_what_can_not_be_answered_is_not_passed_over(order: str, asked: str) -> None:
    decision = decide(f"{order} and {asked}?")
    assert isinstance(decision, Calls) and acts(decision) == [ORDERS_EN[order]]
    assert [(other.words, other.decision) for other in decision.also] == [(asked, ChitChat("general"))]


@pytest.mark.parametrize(
    ("text", "also"),
    [
        ("take me home and how far is it?", "how far is it"),
        ("take me to the airport and when will we arrive?", "when will we arrive"),
        ("送我回家，还有多远", "还有多远"),
    ],
)
def test_a_question_about_the_way_is_no_place_to_go_to(text: str, also: str) -> None:
    decision = decide(text)
    assert isinstance(decision, Calls) and acts(decision) == ["navigation.set_destination"]
    assert "far" not in str(decision.matches[0].arguments)
    assert [other.words for other in decision.also] == [also] or decision.matches[1].capability == "navigation.eta"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Is the AC on?", "air conditioning is"),
        ("turn the fan up and is the ac on?", "air conditioning is"),
        ("is the recirculation on?", "air recirculation is"),
        ("what is the fan at?", "fan is"),
        ("what is the AC set to?", "temperature is set to"),
        ("空调开着吗", "空调"),
        ("把风量调大，内循环开着吗", "内循环"),
        ("空调设的是多少度？", "空调设的是"),
    ],
)
def test_what_is_on_is_no_temperature(text: str, said: str) -> None:
    _, answer = say(text)
    assert said in answer and ("degrees" in answer or "度" in answer) is ("set to" in text or "多少度" in text)


@pytest.mark.parametrize(
    "text",
    ["close the windows, would that help?", "turn up the heat, it's freezing isn't it?", "close the window, do you hear me?"],
)
def test_words_that_ask_for_no_fact_get_no_answer_of_their_own(text: str) -> None:
    decision = decide(text)
    assert isinstance(decision, Calls) and len(decision.matches) == 1 and not decision.also


def test_parts_that_ask() -> None:
    assert questions("Turn the fan up and is the AC on?", "en") == ("is the ac on",)
    assert questions("Is the AC on?", "en") == () and questions("could my window come down and turn the fan up", "en") == ()
    assert orders("take me home and how far is it", "en") == "take me home"
    assert orders("Er, what time will we get there?", "en") == "Er, what time will we get there?"
    assert within_a_question("and is the recirculation on?", "set it to 22 and is the recirculation on?", "en")
    assert not within_a_question("set it to 22", "set it to 22 and is the recirculation on?", "en")


@pytest.mark.parametrize(
    ("text", "capabilities"),
    [
        ("what's the speed um no, what's the battery on", ["status.energy"]),
        ("doors, are the doors, no, are the windows shut", ["status.windows"]),
        ("open, er, what's the word, shut, shut the boot", ["trunk.close"]),
        ("外面几度，不对，我问的是车里几度？", ["status.cabin_temperature"]),
        ("喂，我马上到，到东站还有多远", ["navigation.where_is"]),
    ],
)
def test_what_is_asked_and_corrected_at_once_is_one_question(text: str, capabilities: list[str]) -> None:
    decision = decide(text)
    assert isinstance(decision, Calls) and [match.capability for match in decision.matches] == capabilities and not decision.also


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("is it cold out close them and heat up", "windows.set_position"),
        ("is the boot shut close my window and call my husband", "windows.set_position"),
    ],
)
def test_a_command_behind_a_question_in_one_breath_is_one(text: str, order: str) -> None:
    assert order in acts(decide(text))
