"""Lengths in words, in millimetres; and the seats, which are moved by them."""

from __future__ import annotations

import pytest

from ridealong.harness.router import Calls
from ridealong.harness.slots.length import find_length
from tests.unit.car_words import decide

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("words", "mm"),
    [
        ("five centimetres", 50), ("3 cm", 30), ("two and a half centimeters", 25), ("an inch", 25.4), ("a couple of inches", 50.8), ("half a centimetre", 5), ("20 millimetres", 20),
        ("a hand, say ten centimetres", 100), ("two, no, three centimetres", 30),
    ],
)  # fmt: skip
def test_english(words: str, mm: float) -> None:
    found = find_length(words, "en")
    assert found is not None and found.mm == pytest.approx(mm)


@pytest.mark.parametrize(
    ("words", "mm"),
    [("五公分", 50), ("两厘米", 20), ("三厘米半", 35), ("半厘米", 5), ("15毫米", 15), ("一点五厘米", 15), ("十二公分", 120), ("一寸", 25.4), ("3cm的样子", 30)],
)  # fmt: skip
def test_chinese(words: str, mm: float) -> None:
    found = find_length(words, "zh")
    assert found is not None and found.mm == pytest.approx(mm)


@pytest.mark.parametrize(("words", "locale"), [("a hand", "en"), ("two fingers", "en"), ("five kilometres", "en"), ("in ten minutes", "en"), ("一个巴掌", "zh"), ("十公里", "zh")])  # fmt: skip
def test_what_is_no_measure(words: str, locale: str) -> None:
    assert find_length(words, locale) is None


@pytest.mark.parametrize(
    ("words", "direction", "mm", "zone"),
    [
        ("move the seat back two inches", "backward", 50.8, "row1.driver"), ("slide my seat forward 3 cm", "forward", 30, "row1.driver"),
        ("raise my seat by half a centimetre", "up", 5, "row1.driver"), ("move the passenger seat right forward by a hand, say ten centimetres", "forward", 100, "row1.passenger"),
        ("move my seat right forward", "forward", 400, "row1.driver"), ("座椅往后两公分", "backward", 20, "row1.driver"), ("副驾座椅往前三厘米半", "forward", 35, "row1.passenger"), ("把座椅降低15毫米", "down", 15, "row1.driver"),
    ],
)  # fmt: skip
def test_seats_are_moved_by_them(words: str, direction: str, mm: float, zone: str) -> None:
    decision = decide(words)
    assert isinstance(decision, Calls) and len(decision.matches) == 1
    assert dict(decision.matches[0].arguments) == {"direction": direction, "amount": mm, "zone": zone}


@pytest.mark.parametrize("words", ["move my seat forward a hand", "座椅往前一个巴掌"])
def test_a_hand_is_the_usual_step(words: str) -> None:
    decision = decide(words)
    assert isinstance(decision, Calls) and "amount" not in decision.matches[0].arguments
