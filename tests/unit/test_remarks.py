"""A follow-up with a remark beside it counts; what is only told, quoted or said to somebody does not."""

import pytest

from ridealong.harness.router import Calls
from tests.unit.test_found_by_a_stranger import after, calls

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("asked", "words", "wanted"),
    [
        (
            "take me to Leeds",
            "Sorry, York. I always mix those up when I'm tired",
            ("navigation.set_destination", {"place": "York"}),
        ),
        ("风量百分之三十", "跟没开似的，来个七十", ("climate.set_fan", {"speed": 70})),
        ("天窗开一下", "翘起来就得了，谁让你全开了", ("sunroof.set", {"to": "tilted"})),
        ("四个窗户全给我降下来", "后头那俩升上去，孩子迷瞪着呢", ("windows.set_position", {"position": 0, "zone": "row2"})),
        ("打开座椅加热", "我火力壮，把我的停了", ("seats.set_heating", {"level": 0, "zone": "row1.driver"})),
        ("ambient light off", "goodness it's gloomy, leave it at ten percent", ("lights.ambient", {"level": 10})),
    ],
)
def test_what_is_wanted_and_why(asked: str, words: str, wanted: tuple[str, dict[str, object]]) -> None:
    assert calls(asked, words) == [wanted]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("my seat heating on", "right everyone, seat belts on"),
        ("wipers on", "they were all like open it, open it"),
        ("打开我的车窗", "我昨天查过了，那家周一不开"),
        ("导航去机场", "他说你别等我了，先走吧。"),
        ("open my window", "mum always says, close it"),
        ("set the temperature to 22", "he was going on about it, twenty five he wanted"),
        ("take me to Leeds", "there's a banner saying turn back now, in red letters"),
        ("风量百分之五十", "电车冬天掉电快，大家都知道"),
    ],
)
def test_what_is_only_told(asked: str, words: str) -> None:
    assert not isinstance(after(asked, words), Calls)
