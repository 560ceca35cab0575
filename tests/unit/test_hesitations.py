"""The sounds made while thinking: no part of what is asked for, and never of a name or a place that is said back."""

from __future__ import annotations

import pytest

from ridealong.harness.hesitations import without_hesitations
from ridealong.harness.owed import is_owed
from ridealong.harness.router import Calls, Nothing
from ridealong.harness.skill import Context, Provenance
from tests.unit.car_words import decide, router

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Directions to um, my house please.", "Directions to my house please."),
        ("navigate to, uh, the airport", "navigate to the airport"),
        ("it is, um, um, warm", "it is warm"),
        ("open the window... uh... halfway", "open the window, halfway"),
        ("turn on the radio, um, close the window", "turn on the radio, close the window"),
        ("set the fan to 30, uh, no, 20", "set the fan to 30, no, 20"),
        ("我是那个不是有窗户忘关了", "我是不是有窗户忘关了"),
        ("导航到，嗯，机场", "导航到机场"),
        ("打给，额，张伟", "打给张伟"),
        ("把，那个，空调打开", "把空调打开"),
        ("打开车窗，呃，关上天窗", "打开车窗，关上天窗"),
    ],
)
def test_goes(said: str, meant: str) -> None:
    assert without_hesitations(said) == meant


@pytest.mark.parametrize(
    "said",
    [
        "uh oh",
        "yes uh-huh",
        "uh-huh",
        "hmm, a bit much",
        "um",
        "take me to the ER",
        "call Uma",
        "嗯，开吧",
        "嗯嗯",
        "我要去那个机场",
        "就是那个，不是这个",
    ],
)
def test_stays(said: str) -> None:
    assert without_hesitations(said) == said


@pytest.mark.parametrize(
    ("said", "name", "value"),
    [
        ("call um, Anna", "contact", "Anna"),
        ("take me to, uh, the airport", "place", "airport"),
        ("导航到，嗯，机场", "place", "机场"),
    ],
)
def test_no_argument_holds_one(said: str, name: str, value: str) -> None:
    decision = decide(said)
    assert isinstance(decision, Calls)
    assert [one.arguments[name] for one in decision.matches] == [value]


@pytest.mark.parametrize(("provenance", "owed"), [(Provenance.TYPED, True), (Provenance.DRIVER, False)])
def test_typed_signs_are_answered_and_a_noise_is_not(provenance: Provenance, owed: bool) -> None:
    decision = router().decide("🙂🙂", "en", Context(provenance=provenance), provenance)
    assert decision == Nothing("empty") and is_owed("empty", provenance, "") is owed


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("heat my seat, uh, his seat", "heat his seat"),
        ("open my window, um... the passenger's window", "open the passenger's window"),
        ("heat my seat and, uh, his seat", "heat my seat and his seat"),
        ("打开我的车窗，呃，她的车窗", "打开她的车窗"),
        ("左边车窗，嗯，右边车窗打开", "右边车窗打开"),
    ],
)
def test_the_same_thing_once_more_of_another_is_that_one_alone(said: str, meant: str) -> None:
    assert without_hesitations(said) == meant
