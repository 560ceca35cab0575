"""Short sentences that change what was asked for just before: what they say to be different, and what is none."""

import pytest

from ridealong.harness.follow_said import FollowUp, Place, Said, Scale, Sense, State, Step, Value
from ridealong.harness.follow_words import follow_up, instead

pytestmark = pytest.mark.unit

SAID: list[tuple[str, FollowUp]] = [
    ("no, 23", Value(23, "", "23")),
    ("sixteen, not sixty", Value(16, "", "sixteen", refused=60)),
    ("oh sorry, not 21, 19", Value(19, "", "19", refused=21)),
    ("ten seconds I meant", Value(10, "seconds", "ten seconds")),
    ("sorry, half an hour", Value(1800, "seconds", "half an hour")),
    ("hm, just a third", Value(33.33, "percent", "just a third")),
    ("set it to 22", Value(22, "", "22", fresh=True)),
    ("十六，不是六十", Value(16, "", "十六", refused=60)),
    ("不，八十", Value(80, "", "八十")),
    ("百分之五十吧", Value(50, "percent", "百分之五十")),
    ("改成半小时", Value(1800, "seconds", "半小时")),
    ("ten percent less", Step(Sense.LESS, 10, "percent", "ten percent less")),
    ("one notch down", Step(Sense.DOWN, 1, "notches", "one notch down")),
    ("half a degree lower", Step(Sense.DOWN, 0.5, "degrees", "half a degree lower")),
    ("that's too much", Step(Sense.LESS, None, "", "that is too much")),
    ("no, cooler", Step(Sense.DOWN, None, "", "cooler", "warmth")),
    ("再大一点", Step(Sense.MORE, None, "", "再大一点", "size")),
    ("少两分钟", Step(Sense.LESS, 120, "seconds", "少两分钟")),
    ("twice as long", Scale(2, "twice as long", "time")),
    ("half that", Scale(0.5, "half that")),
    ("翻一倍", Scale(2, "翻一倍")),
    ("not mine", Place("mine", refused=True)),
    ("我的别关", Place("我的", refused=True, kept=True)),
    ("I said on, not off", State(True, "on")),
    ("不是开是关", State(False, "关")),
    ("no, the other way round", Said.TURNED),
    ("说反了", Said.TURNED),
    ("put it back how it was", Said.UNDO),
    ("恢复刚才的样子", Said.UNDO),
    ("I meant the one behind it", Said.BEHIND),
    ("不是这个，是另一个", Said.OTHER),
    ("not that one", Said.NOT_THAT),
]


@pytest.mark.parametrize(("words", "meaning"), SAID, ids=[words for words, _ in SAID])
def test_what_is_different(words: str, meaning: FollowUp) -> None:
    assert follow_up(words, "zh" if ord(words[0]) > 0x3000 else "en") == meaning


@pytest.mark.parametrize(
    "words",
    ["I meant the passenger's", "not hers, mine", "no the back ones", "just the left one", "我说的是后面的", "不对，是副驾"],
)
def test_a_place_is_left_in_words(words: str) -> None:
    assert isinstance(follow_up(words, "en"), Place)


@pytest.mark.parametrize(
    "words",
    [
        "set the fan to sixty", "open the window", "no no, that's fine", "twenty people came to the party", "I was talking to Anna", "back in a minute",
        "we had twice as many last year", "the other day I saw her", "look, the other one is nicer", "风量六十", "打开车窗", "没事了，挺好的", "我昨天去了两次", "",
    ],
)  # fmt: skip
def test_what_names_something_of_its_own_or_tells_something_is_none(words: str) -> None:
    assert follow_up(words, "en") is None


@pytest.mark.parametrize(
    ("words", "thing"),
    [("no, the station", "the station"), ("not Leeds, Luton", "luton"), ("hang on, I meant Green Park", "green park"), ("不是南京，是南昌", "南昌"), ("我的意思是龙华寺", "龙华寺")],
)  # fmt: skip
def test_something_else_by_its_name(words: str, thing: str) -> None:
    found = instead(words, "en")
    assert found is not None and found.words == thing


@pytest.mark.parametrize(
    "words",
    [
        "no, that's fine",
        "the station",
        "not the station",
        "sorry, I was talking to my wife",
        "不是跟你说的",
        "不用了",
        "不对吧，今天星期三",
        "我说的是真的",
    ],
)
def test_words_that_tell_something_name_nothing(words: str) -> None:
    assert instead(words, "en") is None
