"""One thing in several places with a value for each: what each place gets alone."""

import itertools

import pytest

from ridealong.harness.router import Calls
from tests.unit.car_words import acts, decide

pytestmark = pytest.mark.unit


def calls(text: str) -> list[tuple[str, dict[str, object]]]:
    decision = decide(text)
    assert isinstance(decision, Calls), (text, decision)
    return sorted(((one.capability, dict(one.arguments)) for one in decision.matches), key=str)


def together(one: str, other: str) -> list[tuple[str, dict[str, object]]]:
    return sorted([*calls(one), *calls(other)], key=str)


HERS = {"my": "hers", "the driver's": "the passenger's", "the passenger's": "the driver's"}
OPENINGS = ("halfway", "all the way down", "shut", "a quarter")


@pytest.mark.parametrize(("mine", "hers"), HERS.items())
@pytest.mark.parametrize(("one", "other"), list(itertools.permutations(OPENINGS, 2)))
def test_each_window_goes_where_it_goes_alone(mine: str, hers: str, one: str, other: str) -> None:
    owner = {"hers": "her"}.get(hers, hers)
    alone = together(f"put {mine} window {one}", f"put {owner} window {other}")
    assert calls(f"{mine} window {one}, {hers} {other}") == alone
    assert calls(f"put {mine} window {one} and {owner} window {other}, please") == alone


@pytest.mark.parametrize(("one", "other"), list(itertools.permutations(("twenty", "23", "nineteen degrees"), 2)))
def test_each_side_has_its_temperature(one: str, other: str) -> None:
    alone = together(f"set my side to {one}", f"set her side to {other}")
    assert calls(f"{one} for me and {other} for her") == alone
    assert calls(f"{other} for her, {one} for me") == alone
    assert calls(f"me {one} her {other}") == alone


@pytest.mark.parametrize(("one", "other"), list(itertools.permutations(("开一半", "全打开", "关上"), 2)))
def test_chinese_windows(one: str, other: str) -> None:
    alone = together(f"主驾车窗{one}", f"副驾车窗{other}")
    for text in (f"主驾车窗{one}，副驾车窗{other}", f"主驾车窗{one}副驾车窗{other}", f"主驾的窗{one}，副驾的{other}"):
        assert calls(text) == alone, text


@pytest.mark.parametrize(("one", "other"), list(itertools.permutations(("开到高档", "关掉", "调到一档"), 2)))
def test_chinese_seats(one: str, other: str) -> None:
    alone = together(f"主驾座椅加热{one}", f"副驾座椅加热{other}")
    for text in (f"主驾座椅加热{one}，副驾{other}", f"主驾座椅加热{one}副驾座椅加热{other}"):
        assert calls(text) == alone, text


def test_a_remark_behind_takes_nothing_away() -> None:
    assert calls("passenger's window halfway, mine all the way down, lovely") == calls(
        "passenger's window halfway, mine all the way down"
    )
    assert calls("我十八度她二十五度，没办法，过不到一块儿去") == together("主驾温度调到十八度", "副驾温度调到二十五度")
    assert calls("左边两扇开一半，右边两扇关死") == together("左边两扇车窗开一半", "右边两扇车窗关死")


@pytest.mark.parametrize(
    "text",
    [
        "my window halfway and hers shut if it rains",
        "her birthday is the twenty third and mine is the nineteenth",
        "my sister is nineteen and my brother is twenty three",
        "我今年二十三，她十九",
        "主驾二十度，副驾二十二度，如果下雨的话",
    ],
)
def test_what_asks_for_nothing_now(text: str) -> None:
    assert not acts(decide(text))
