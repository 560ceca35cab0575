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
