"""A recogniser's capitals and stops decide nothing."""

import pytest

from ridealong.harness.as_typed import as_typed
from ridealong.harness.router import Calls
from ridealong.harness.skill import Outcome, Recent
from tests.unit.car_words import decide

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("heard", "typed"),
    [
        ("Reading light on.", "reading light on"),
        ("Get the Demister going.", "get the demister going"),
        ("Tom, not Anna. Two degrees more.", "Tom, not Anna. two degrees more"),
        ("I'm cold. Turn it up.", "I'm cold. turn it up"),
        ("Close the windows. But not mine.", "close the windows, but not mine"),
        ("Call Dr. Patel.", "call Dr. Patel"),
        ("Call Mrs. White now.", "call Mrs. White now"),
        ("Play The Doors.", "play The Doors"),
        ("It's 5 p.m.", "it's 5 p.m."),
        ("What's next?", "what's next?"),
        ("打开车窗。", "打开车窗"),
        ("Wait...", "wait..."),
        (".", ""),
        ("", ""),
    ],
)
def test_what_is_typed(heard: str, typed: str) -> None:
    assert as_typed(heard) == typed


def made(*turns: str) -> list[tuple[str, dict[str, object]]]:
    recent: tuple[Recent, ...] = ()
    found: list[tuple[str, dict[str, object]]] = []
    for turn in turns:
        decision = decide(turn, *recent)
        from_this = decision.matches if isinstance(decision, Calls) else ()
        found = [(one.capability, dict(one.arguments)) for one in from_this]
        recent = (*(Recent(*one, Outcome.COMPLETED, 3000.0) for one in found), *recent)
    return found


@pytest.mark.parametrize(
    ("typed", "heard"),
    [
        (["reading light on", "ugh, too bright, off again"], ["Reading light on.", "Ugh, too bright, off again."]),
        (["fan to forty", "sixteen, not sixty"], ["Fan to forty.", "Sixteen, not sixty."]),
        (["volume at sixty", "phew, fifty's plenty"], ["Volume at sixty.", "Phew. Fifty's plenty."]),
        (["slide my seat forward two centimetres", "whoops, backward I meant"], ["Slide my seat forward two centimetres.", "Whoops, backward I meant."]),
        (["close the windows, but not the passenger's"], ["Close the windows. But not the passenger's."]),
        (["windscreen's all steamed up, get the demister going"], ["Windscreen's all steamed up. Get the Demister going."]),
        (["how far is Leeds", "and York"], ["How far is Leeds?", "And York?"]),
        (["how far is Leeds", "and York"], ["How far is Leeds?", "What about York?"]),
        (["离南京还有多远", "那苏州呢"], ["离南京还有多远？", "那苏州呢？"]),
        (["脚都冻麻了，风往下头吹"], ["脚都冻麻了，风往下头吹。"]),
    ],
)  # fmt: skip
def test_what_is_heard_is_done_as_what_is_typed(typed: list[str], heard: list[str]) -> None:
    assert made(*heard) == made(*typed) != []


@pytest.mark.parametrize(
    ("heard", "said"),
    [
        ("另外里拉萨还有多远？", "另外离拉萨还有多远"),
        ("不要零零八六", "拨幺零零八六"),
        ("座位往后退雾公分", "座位往后退五公分"),
        ("雨刮气打开", "雨刮器打开"),
        ("晚上七点，一醒我去这孩子", "晚上七点，提醒我去接孩子"),
        ("刚才那下数报", "刚才那下误报"),
        ("右边那一六儿窗全关咯", "右边那一溜儿窗全关咯"),
        ("坐垫别加热了", "昨天别加热了"),
    ],
)
def test_what_sounds_alike_is_done_alike(heard: str, said: str) -> None:
    assert made(heard) == made(said) != []
    assert made("里昂有多远") == [("navigation.where_is", {"place": "里昂"})]
