"""What several things or places get in one breath is what each of them gets alone: every pair of a grid, in both orders. And what is no such list stays whole."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import permutations
from random import Random

import pytest

from ridealong.harness.one_verb import LONGEST, clauses_of
from ridealong.harness.router import Calls
from ridealong.harness.slots.text import has_chinese
from tests.unit.car_words import decide, say

pytestmark = pytest.mark.unit
THINGS_ZH = {
    "打开": ("车窗", "天窗", "后备箱", "空调", "座椅加热", "阅读灯", "氛围灯", "收音机", "除雾", "内循环"),
    "关闭": ("全部车窗", "天窗", "空调", "座椅加热", "阅读灯", "氛围灯", "除雾", "内循环"),
}
THINGS_EN = {
    "turn on": (
        "the AC",
        "the seat heating",
        "the cabin light",
        "the ambient lights",
        "the radio",
        "recirculation",
        "the wipers",
    ),
    "turn off": ("the AC", "the seat heating", "the cabin light", "the ambient lights", "the wipers", "the defroster"),
    "open": ("all the windows", "the sunroof", "the boot", "my window"),
    "close": ("all the windows", "the sunroof"),
}
PLACES_ZH = (("主驾", "副驾"), ("左后", "右后"), ("前排", "后排"), ("我这边", "副驾"), ("副驾", "左后"))
OF_PLACES_ZH = ("打开{}车窗", "把{}的窗户打开", "{}座椅加热都打开", "帮我打开一下{}的座椅通风", "{}温度都调到22度")
PLACES_EN = (("the driver", "passenger"), ("the left rear", "right rear"), ("my", "his"), ("the driver", "rear left"))
OF_PLACES_EN = ("open {} window", "put {} window down", "turn on {} seat heating", "set {} temperature to 22", "heat {} seat")
SHARE = 260
"""So many of the grid are tried, the same ones each time."""


@lru_cache(maxsize=1024)
def told(text: str) -> frozenset[tuple[str, object]]:
    return frozenset(say(text)[0])


def grid() -> Iterator[tuple[str, tuple[str, str]]]:
    """A sentence, and its two halves."""
    for verb, things in THINGS_ZH.items():
        for one, other in permutations(things, 2):
            for form in ("{verb}{one}和{other}", "把{one}和{other}都{verb}", "{verb}{one}、{other}"):
                yield form.format(verb=verb, one=one, other=other), (verb + one, verb + other)
    for verb, things in THINGS_EN.items():
        for one, other in permutations(things, 2):
            yield f"{verb} {one} and {other}", (f"{verb} {one}", f"{verb} {other}")
            if verb.startswith("turn"):
                yield f"{one} and {other} {verb.split()[1]}, please", (f"{verb} {one}", f"{verb} {other}")
    for form in OF_PLACES_ZH:
        for one, other in PLACES_ZH:
            for joiner in "和跟、":
                yield (
                    form.format(one + joiner + other),
                    (form.format(one).replace("都", ""), form.format(other).replace("都", "")),
                )
    for form in OF_PLACES_EN:
        for one, other in PLACES_EN:
            yield form.format(f"{one} and {other}"), (form.format(one), form.format(other))


def test_what_each_gets_alone_it_gets_beside_another() -> None:
    tried = Random(1).sample(list(grid()), SHARE)
    wrong = [
        (text, sorted(told(text) ^ wanted, key=str))
        for text, (one, other) in tried
        if told(text) != (wanted := told(one) | told(other))
    ]
    assert not wrong
    assert sum(bool(told(one) and told(other)) for _, (one, other) in tried) > SHARE / 4, "the grid asks for too little"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Could you turn off the A/C, the driver's seat heating and my side window, please?", ["turn off the ac", "turn off the driver seat heating", "turn off my side window"]),
        ("open the windows and the sunroof halfway", ["open the windows halfway", "open the sunroof halfway"]),
        ("turn on heating for me and him", ["turn on heating for me", "turn on heating for him"]),
        ("heat my and his seats", ["heat my seat", "heat his seat"]),
        ("打开主驾和副驾的座椅加热和空调", ["打开主驾座椅加热", "打开副驾座椅加热", "打开空调"]),
        ("把空调、座椅加热，还有天窗都打开吧。", ["打开空调", "打开座椅加热", "打开天窗"]),
        ("把车窗和天窗打开一半", ["打开车窗一半", "打开天窗一半"]),
    ],
)  # fmt: skip
def test_each_thing_has_its_verb_and_each_place_its_thing(text: str, parts: list[str]) -> None:
    assert clauses_of(text, "zh" if has_chinese(text) else "en") == [("", parts)]


@pytest.mark.parametrize(
    "text",
    [
        "turn on the Mamas and the Papas",
        "don't open the window and the sunroof",
        "did you turn off the AC and the radio?",
        "if it rains close the window and the sunroof",
        "open the window or the sunroof",
        "turn on the seat heating and the fan to 40 percent",
        "打开车窗和冰箱",
        "别打开车窗和天窗",
        "车窗和天窗都打开了吗",
        "下雨的话关上车窗和天窗",
    ],
)
def test_what_is_no_list_of_the_cars_things_stays_as_it_is(text: str) -> None:
    assert [parts for _, parts in clauses_of(text, "zh" if has_chinese(text) else "en")] == [[text]]


def test_another_clause_keeps_its_words() -> None:
    found = clauses_of("Turn the AC and the radio off and navigate to Oxford Street.", "en")
    assert found == [("", ["turn the ac off", "turn the radio off"]), (" and ", ["navigate to Oxford Street"])]


def test_one_thing_in_two_places_is_one_call_where_a_place_has_their_name() -> None:
    both = decide("open my and his windows")
    assert isinstance(both, Calls) and [one.arguments["zone"] for one in both.matches] == ["row1"]
    apart = decide("打开副驾和左后的车窗")
    assert isinstance(apart, Calls) and sorted(str(one.arguments["zone"]) for one in apart.matches) == [
        "row1.passenger",
        "row2.driver",
    ]


def test_what_cannot_be_done_of_a_list_is_said_beside_the_rest() -> None:
    writes, said = say("把除雾和后备箱都打开")
    assert [path.rpartition(".")[2] for path, _ in writes] == ["IsFrontDefrosterActive"] and "后备箱" in said


@pytest.mark.parametrize(
    ("unit", "end"),
    [
        ("my window and ", "a zebra"), ("the driver side window and ", "a zebra"), ("my side window and the left side seat, ", "to a b c d e"), ("all the windows and all my seats and ", "off zz"),
        ("我的窗户和", "斑马"), ("他的座椅和我的灯、", "斑马"), ("后挡除雾和前除霜和", "斑马"),
    ],
)  # fmt: skip
def test_a_long_list_that_is_none_is_found_out_at_once(unit: str, end: str) -> None:
    """Every word of it can be read in one way only: with two for each, this would never come back."""
    text = (("打开" if has_chinese(unit) else "open ") + unit * 30)[: LONGEST - len(end)] + end
    assert [len(parts) for _, parts in clauses_of(text, "zh" if has_chinese(unit) else "en")] == [1]
