"""Which hearing of Chinese words was said, and how it is written: what people say decides, talk stays talk, numbers stay numbers."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.cloud.frontends.cascade.ngrams import Ngrams, counted, load_ngrams, units
from ridealong.cloud.frontends.cascade.spelling import NUMERALS, Hearing, Spelling

pytestmark = pytest.mark.unit

NGRAMS = load_ngrams()
SPELLING = Spelling(NGRAMS)
UNSURE = -0.6
"""Mean log-probability of a token in a car's noise."""


def hearing(text: str, mean: float = UNSURE) -> Hearing:
    tokens = len(text) + 2
    return Hearing(text, mean * tokens, tokens)


def written(text: str, mean: float = UNSURE) -> str:
    return SPELLING.best([hearing(text, mean)])[1]


@pytest.mark.parametrize(
    ("heard", "said"),
    [
        ("打开前排车床", "打开前排车窗"),
        ("赶紧前处物。", "赶紧前除雾。"),
        ("温度声两度", "温度升两度"),
        ("坐副架后头的人要吹风", "坐副驾后头的人要吹风"),
        ("要充得快的我感时间", "要充的快的我赶时间"),
        ("把window打开，空调22度", "把window打开，空调22度"),
        ("大开车床", "打开车窗"),
        ("部队，二十三度", "不对，二十三度"),
    ],
)
def test_characters_of_the_same_sound_are_put_right(heard: str, said: str) -> None:
    assert written(heard) == said


@pytest.mark.parametrize(
    "text",
    [
        "上回我买了一张新床",
        "孩子的床太小了",
        "妈妈说晚上吃饺子",
        "今天部队里来人了",
        "我感冒了，有点发烧",
        "他在公司加班到很晚",
        "这首歌真好听",
    ],
)
def test_talk_is_left_alone(text: str) -> None:
    assert written(text, -0.2) == text


@pytest.mark.parametrize(
    "text", ["妈妈说晚上吃饺子", "今天部队里来人了", "我昨天在床上躺了一天", "这首歌真好听", "关空调或者把窗关上", "别开后备箱"]
)
def test_talk_and_what_turns_a_request_are_left_alone_in_noise(text: str) -> None:
    assert written(text) == text


@pytest.mark.parametrize("text", ["二十二度", "四十", "调到十四度", "风量调到二", "百分之四十", "22度", "一半"])
def test_a_number_is_never_another(text: str) -> None:
    assert written(text) == text


def test_of_several_hearings_the_one_that_people_say_is_taken() -> None:
    heard = [hearing("右边两站都放下。", -0.30), hearing("右边两扇都放下。", -0.31), hearing("有边两扇都放下。", -0.33)]
    assert SPELLING.best(heard) == (1, "右边两扇都放下。")


def test_a_hearing_that_the_recogniser_holds_for_far_likelier_is_kept() -> None:
    assert SPELLING.best([hearing("关上车窗", -0.2), hearing("打开车窗", -3.0)]) == (0, "关上车窗")


def test_a_hearing_in_a_loop_counts_less() -> None:
    again = Hearing("打开天窗", -2.0, 6, looped=True)
    assert SPELLING.best([again, Hearing("打开天窗。", -2.5, 6)]) == (1, "打开天窗。")


def test_no_hearing_is_an_error() -> None:
    with pytest.raises(ValueError, match="empty"):
        SPELLING.best([])


def test_another_character_costs_more_where_the_recogniser_was_sure() -> None:
    assert written("我才你也喜欢", -0.05) == "我才你也喜欢"


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="打开车窗床二十4a ，。?把空调", max_size=14))
def test_only_chinese_characters_that_are_no_numerals_change(text: str) -> None:
    spelt = written(text)
    assert len(spelt) == len(text)
    for before, after in zip(text, spelt, strict=True):
        assert before == after or (re.match("[\u4e00-\u9fff]{2}", before + after) and not {before, after} & NUMERALS)


def test_units_are_characters_words_of_latin_and_numbers() -> None:
    assert units("把空调调到22.5度AC") == ["把", "空", "调", "调", "到", "#", "度", "ac"]


def test_likelihoods_of_all_units_leave_little_to_what_was_never_seen() -> None:
    every = np.arange(NGRAMS.unknown + 1)
    for before in ("打开", "开车", "窗热"):
        run = tuple(NGRAMS.number(unit) for unit in before)
        assert 0.95 < np.exp(NGRAMS.log_probabilities(run, every)).sum() <= 1.0


def test_what_came_more_often_is_likelier_and_what_never_came_is_possible() -> None:
    ngrams = Ngrams(counted(["打开车窗", "打开车窗", "打开天窗"]))
    run = (ngrams.number("打"), ngrams.number("开"))
    car, sky, unseen = (float(ngrams.log_probabilities(run, np.array([ngrams.number(unit)]))[0]) for unit in ("车", "天", "饭"))
    assert car > sky > unseen > -np.inf
