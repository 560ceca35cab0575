"""What was asked for, the other way: "open the boot", "you can close it now" is "close the boot"; nothing else of the car is meant by "it"."""

from __future__ import annotations

import pytest

from tests.unit.car_words import decide
from tests.unit.test_another_thing import asked, made

pytestmark = pytest.mark.unit

OPENED_EN, SWITCHED_EN = (
    ("my window", "the sunroof", "the boot"),
    ("the AC", "the passenger's seat heating", "the defroster", "the ambient light"),
)
OPENED_ZH, SWITCHED_ZH = ("副驾车窗", "天窗", "后备箱"), ("空调", "副驾座椅加热", "阅读灯", "氛围灯")
WAYS = [
    ("open {}", "close {}", OPENED_EN, ("close it again", "you can close it now", "close it back up", "okay, close it now", "shut it again, it's cold")),
    ("close {}", "open {}", OPENED_EN, ("open it back up", "no, open it")),
    ("turn on {}", "turn off {}", SWITCHED_EN, ("okay, turn it off now", "you can turn it off now", "turn it back off", "off again")),
    ("turn off {}", "turn on {}", SWITCHED_EN, ("turn it back on", "put it back on", "on again")),
    ("打开{}", "关上{}", OPENED_ZH, ("现在关上", "可以关上了", "关回去", "关上吧，好冷")),
    ("关上{}", "打开{}", OPENED_ZH, ("重新打开", "开回来", "还是打开吧")),
    ("打开{}", "关掉{}", SWITCHED_ZH, ("可以关了", "算了，关掉吧", "关了吧")),
    ("关掉{}", "打开{}", SWITCHED_ZH, ("重新打开", "开回来", "再打开")),
]  # fmt: skip


@pytest.mark.parametrize(("before", "way", "things", "said"), WAYS, ids=[f"{before} / {said[0]}" for before, _, _, said in WAYS])
def test_it_is_what_was_asked_for(before: str, way: str, things: tuple[str, ...], said: tuple[str, ...]) -> None:
    for thing in things:
        recent, alone = asked(before.format(thing)), made(decide(way.format(thing)))
        for text in said:
            assert made(decide(text, *recent)) == alone, f"{before.format(thing)} / {text}"
