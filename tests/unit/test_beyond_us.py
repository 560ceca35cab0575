"""Words for a driver, for hands or for an ambulance set nothing in the car; an emergency is told what to do."""

from __future__ import annotations

import pytest

from ridealong.harness.router import Calls, ChitChat, Nothing
from ridealong.harness.skill import Outcome, Recent
from ridealong.harness.small_talk import chitchat_sentence
from tests.unit.car_words import acts, decide

pytestmark = pytest.mark.unit
WINDOW = Recent("windows.set_position", {"position": 100, "zone": "row1.driver"}, Outcome.COMPLETED, 3_000.0)
WARMER = Recent("climate.change_temperature", {"delta": 1.5, "zone": "row1.driver"}, Outcome.COMPLETED, 3_000.0)
WIPERS = Recent("wipers.set", {"mode": "slow"}, Outcome.COMPLETED, 3_000.0)


@pytest.mark.parametrize(
    "words",
    [
        "put everything back",
        "put everything away",
        "everything back",
        "pick everything up",
        "put everything down",
        "put it on the seat",
        "put that in the boot",
    ],
)
def test_what_hands_do_is_nothing_for_the_car(words: str) -> None:
    assert not acts(decide(words))


@pytest.mark.parametrize("before", [(), (WINDOW,), (WARMER,)])
@pytest.mark.parametrize(
    "words",
    ["turn left", "go straight", "turn around", "drive faster", "pull over", "左转", "往左开", "开快点", "掉头", "靠边停"],
)
def test_driving_is_nobodys_to_ask_whatever_was_asked_before(words: str, before: tuple[Recent, ...]) -> None:
    assert decide(words, *before) == ChitChat("driving")


@pytest.mark.parametrize(
    "words",
    [
        "stop the window",
        "stop my window right there",
        "halt the sunroof",
        "stop the boot",
        "停下车窗",
        "停住天窗",
        "车窗停下",
        "后备箱停一下",
    ],
)
@pytest.mark.parametrize("before", [(), (WINDOW,)])
def test_what_stands_still_is_not_shut_by_stopping_it(words: str, before: tuple[Recent, ...]) -> None:
    assert decide(words, *before) == ChitChat("no_work")


def test_faster_is_of_the_wipers_after_the_wipers() -> None:
    decision = decide("faster", WIPERS)
    assert isinstance(decision, Calls)
    assert decision.matches[0].capability == "wipers.change"
    assert decide("go faster") == ChitChat("driving")


@pytest.mark.parametrize(
    "words",
    [
        "I think I'm having a heart attack",
        "There's a fire!",
        "emergency",
        "call an ambulance",
        "我心脏不舒服",
        "着火了",
        "救命！",
        "出车祸了",
    ],
)
def test_in_an_emergency_it_is_told_what_to_do(words: str) -> None:
    assert decide(words) == ChitChat("emergency")
    assert "call for help" in chitchat_sentence("emergency", "en")
    assert "求助" in chitchat_sentence("emergency", "zh")
    assert not any(
        char.isdigit() for locale in ("en", "zh") for char in chitchat_sentence("emergency", locale)
    )  # it differs by country


@pytest.mark.parametrize(
    "words",
    [
        "is there a fire station nearby",
        "he said there's a fire",
        "navigate to the fire station",
        "no emergency",
        "心脏病怎么预防",
    ],
)
def test_who_only_speaks_of_one_is_not(words: str) -> None:
    assert decide(words) != ChitChat("emergency")


@pytest.mark.parametrize("words", ["香氛调到三十", "座椅调到三十", "set the scent to 30", "set the seat to 30"])
def test_a_number_of_something_else_is_no_temperature(words: str) -> None:
    assert "climate.set_temperature" not in acts(decide(words))


@pytest.mark.parametrize("words", ["set the driver's seat to 21 degrees", "座椅温度调到三十"])
def test_degrees_still_are(words: str) -> None:
    assert acts(decide(words)) == ["climate.set_temperature"]


@pytest.mark.parametrize("words", ["天窗开了", "窗户开了", "座椅加热开了", "后备箱开了"])
def test_what_stands_open_is_told(words: str) -> None:
    assert decide(words) == Nothing("reported")
    assert not acts(decide(words))


@pytest.mark.parametrize(("words", "skill"), [("把天窗开了", "sunroof.set"), ("天窗打开", "sunroof.set")])
def test_what_is_to_be_opened_is_asked_for(words: str, skill: str) -> None:
    assert acts(decide(words)) == [skill]


@pytest.mark.parametrize("words", ["打双闪", "接电话", "挂断"])
def test_no_call_is_made_of_other_uses_of_the_verb(words: str) -> None:
    decision = decide(words)
    assert not isinstance(decision, Calls) or all(match.capability != "phone.call" for match in decision.matches)


@pytest.mark.parametrize("words", ["delete all notes", "delete my notes", "clear all my notes"])
def test_notes_are_deleted_and_not_written_down(words: str) -> None:
    decision = decide(words)
    assert isinstance(decision, Calls)
    assert [(match.capability, dict(match.arguments)) for match in decision.matches] == [("memory.forget", {"thing": "*"})]


@pytest.mark.parametrize(
    "words", ["what timers do I have", "do I have any timers", "which timers are running", "我有哪些计时器", "现在有计时器吗"]
)
def test_a_question_for_timers_is_answered_with_timers(words: str) -> None:
    assert decide(words) == ChitChat("no_work")
