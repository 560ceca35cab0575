"""What each part of a sentence asks for alone, it asks for in the sentence; what is told beside a request does not turn it round."""

from __future__ import annotations

import pytest

from tests.unit.car_words import decide
from tests.unit.test_another_thing import made

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "parts",
    [
        ("AC on", "fan full blast"), ("head for Manchester", "find a charger"), ("passenger on 24", "but keep me on 20"), ("recirculation on", "my window closed"),
        ("副驾给她二十六", "我的就十九"), ("外循环", "风二十", "温度二十二度半"), ("我的就十九", "对了把后备箱也关喽"),
    ],
)  # fmt: skip
def test_each_part_is_what_it_is_alone(parts: tuple[str, ...]) -> None:
    whole = ("，" if not parts[0].isascii() else ", ").join(parts).replace(", but", " but").replace(", find", " and find")
    alone = [call for part in parts for call in made(decide(part.removeprefix("but ")))]
    assert sorted(
        (name, sorted(map(str, arguments.items()))) for name, arguments in made(decide(whole)) if name[:3] != "nav"
    ) == sorted((name, sorted(map(str, arguments.items()))) for name, arguments in alone if name[:3] != "nav")
    assert len(made(decide(whole))) == len(parts)


@pytest.mark.parametrize(
    ("told", "asked"),
    [("热得我一身汗", "温度往下压压"), ("有点儿凉飕飕的", "温度稍微往上抬抬"), ("前面隧道", "把所有窗都关好"), ("it's like an oven", "turn the fan up to 60")],
)  # fmt: skip
def test_what_is_told_turns_nothing_round(told: str, asked: str) -> None:
    join = "，" if not told.isascii() else ", "
    assert made(decide(f"{told}{join}{asked}")) == made(decide(asked))


@pytest.mark.parametrize(
    "text",
    ["take a note: milk and open the window", "if it rains, close the windows", "AC on, no, off"],
)
def test_what_belongs_together_stays_together(text: str) -> None:
    assert len(made(decide(text))) <= 1


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("she fancies a nap", "lean the passenger seat back a bit"), ("my toes are ice", "dim the ambient light"), ("he's got long legs", "call Anna"),
        ("我在打电话", "静音"), ("我们要迟到了", "关上所有车窗"), ("孩子累了", "音量小一点"), ("东西放好了", "关后备箱吧"), ("要进隧道了", "打开阅读灯"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("first", [True, False])
def test_a_reason_takes_nothing_away(told: str, asked: str, first: bool) -> None:
    both = (told, asked) if first else (asked, told)
    assert made(decide(("，" if not told.isascii() else ", ").join(both))) == made(decide(asked))


def test_a_part_without_its_thing_is_about_that_of_the_part_before() -> None:
    assert made(decide("副驾座椅加热开二档，我的开一档就行")) == [
        ("seats.set_heating", {"level": 66, "zone": "row1.passenger"}),
        ("seats.set_heating", {"level": 33, "zone": "row1.driver"}),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "等车停好了，打开车门",
        "Grandad drove with the windows down and the heating on full, bless him",
        "he said, open the window",
        "John, I'm tired, open the window",
        "小明，我累了，打开车窗",
        "Warm up my steering wheel, my fingers are numb.",
    ],
)
def test_what_is_put_off_told_or_said_to_somebody_is_not_done(text: str) -> None:
    assert made(decide(text)) == []
