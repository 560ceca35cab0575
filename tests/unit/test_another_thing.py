"""Another thing than the one asked for is asked for in the same way: "close my window", "no, the sunroof" is "close the sunroof"."""

from __future__ import annotations

from itertools import permutations

import pytest

from ridealong.harness.another_thing import thing_named
from ridealong.harness.router import AskBack, Calls, Decision
from ridealong.harness.skill import Match, Outcome, Recent
from tests.unit.car_words import acts, decide, say

pytestmark = pytest.mark.unit

OPENED_EN, OPENED_ZH = ("my window", "the sunroof", "the boot"), ("副驾车窗", "天窗", "后备箱")
SWITCHED_EN = ("the AC", "the seat heating", "the reading lights", "the wipers")
SWITCHED_ZH = ("空调", "座椅加热", "阅读灯", "雨刷")
ASKED = {
    "open {}": OPENED_EN, "close {}": OPENED_EN, "turn on {}": SWITCHED_EN, "turn off {}": SWITCHED_EN,
    "打开{}": OPENED_ZH, "关上{}": OPENED_ZH, "开启{}": SWITCHED_ZH, "关掉{}": SWITCHED_ZH,
}  # fmt: skip
INSTEAD_EN = ("no, {}", "sorry, I meant {}", "make it {} instead", "not {was}, {}", "{}, not {was}", "wait, {}, please")
INSTEAD_ZH = ("不，{}", "我是说{}", "不是{was}，是{}", "还是{}吧", "等等，{}", "换成{}")
BESIDE_EN, BESIDE_ZH = ("and {}", "{} too", "same for {}"), ("还有{}", "{}也是")


def made(decision: Decision) -> list[tuple[str, dict[str, object]]]:
    matches: tuple[Match | None, ...] = decision.matches if isinstance(decision, Calls) else ()
    if isinstance(decision, AskBack):
        matches = (decision.match,)
    return [(match.capability, dict(match.arguments)) for match in matches if match is not None]


def asked(text: str) -> tuple[Recent, ...]:
    calls = made(decide(text))
    assert calls, text
    return tuple(Recent(name, arguments, Outcome.COMPLETED, 3_000.0) for name, arguments in calls)


@pytest.mark.parametrize("frame", ASKED)
def test_another_thing_is_asked_for_in_the_same_way(frame: str) -> None:
    zh = not frame.isascii()
    for was, thing in permutations(ASKED[frame], 2):
        before, alone = asked(frame.format(was)), made(decide(frame.format(thing)))
        for form in (*INSTEAD_ZH, *BESIDE_ZH) if zh else (*INSTEAD_EN, *BESIDE_EN):
            text = form.format(thing, was=was)
            assert made(decide(text, *before)) == alone, f"{frame.format(was)} / {text}"


@pytest.mark.parametrize(
    ("before", "text", "wanted"),
    [
        ("set my seat heating to high", "no, the passenger's seat heating", [("seats.set_heating", {"level": 100, "zone": "row1.passenger"})]),
        ("open my window halfway", "no, the passenger's window", [("windows.set_position", {"position": 50, "zone": "row1.passenger"})]),
        ("关上后排车窗", "等等，主驾车窗", [("windows.set_position", {"position": 0, "zone": "row1.driver"})]),
        ("关上主驾车窗", "换成后排车窗", [("windows.set_position", {"position": 0, "zone": "row2"})]),
    ],
)  # fmt: skip
def test_the_same_elsewhere_goes_as_far(before: str, text: str, wanted: list[tuple[str, dict[str, object]]]) -> None:
    assert made(decide(text, *asked(before))) == wanted


@pytest.mark.parametrize(
    ("before", "text", "wanted"),
    [
        ("call mum", "no, Tom, please", [("phone.call", {"contact": "Tom"})]),
        ("打电话给汤姆", "哦不，妈妈", [("phone.call", {"contact": "妈妈"})]),
        ("打电话给汤姆", "换成小李", [("phone.call", {"contact": "小李"})]),
        ("打电话给汤姆", "还是小李吧", [("phone.call", {"contact": "小李"})]),
        ("导航去机场", "我是说天安门", [("navigation.set_destination", {"place": "天安门"})]),
        ("导航去机场", "换成天安门", [("navigation.set_destination", {"place": "天安门"})]),
        ("主驾座椅加热调到高档", "不是高档，是低档", [("seats.set_heating", {"level": 33, "zone": "row1.driver"})]),
    ],
)  # fmt: skip
def test_another_name_or_value_is_what_it_is(before: str, text: str, wanted: list[tuple[str, dict[str, object]]]) -> None:
    assert made(decide(text, *asked(before))) == wanted


@pytest.mark.parametrize(
    "text",
    ["nice sunroof", "what a lovely sunroof", "wait, the window!", "no", "no, the sunroof is fine", "is the sunroof too old?", "and the boot?", "不，天窗很好", "车窗也是他关的", "空调是我开的"],
)  # fmt: skip
def test_nothing_else_is_taken_for_it(text: str) -> None:
    assert not acts(decide(text, *asked("close my window" if text.isascii() else "关上主驾车窗")))


def test_it_was_asked_for_just_before() -> None:
    long_ago = tuple(one._replace(asked_ms_ago=61_000.0) for one in asked("close my window"))
    assert not acts(decide("no, the boot", *long_ago))


def test_what_is_written_is_what_that_thing_needs() -> None:
    assert say("no, the AC", *asked("turn off the wipers"))[0] == [("Vehicle.Cabin.HVAC.IsAirConditioningActive", False)]


@pytest.mark.parametrize("mark", ["no no ", "not not ", "i mean i mean ", "不", "我说是", "不是不是", "而是"])
def test_a_long_stammer_is_quickly_read(mark: str) -> None:
    assert thing_named(mark * 200, "en") == thing_named(mark * (60 // len(mark)) + "x", "en") == ""
