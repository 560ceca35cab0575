"""What is done with a decoder's text before anybody sees it: loops collapsed, copies of the prompt recognised."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.cloud.frontends.cascade.written import PROMPTS, collapse_repeats, echoes, shrinks, without_prompt, worded

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("decoded", "text", "loop"),
    [
        ("20.20.20.20.20.20.20", "20", True),
        ("The tyres are at 2.2.", "The tyres are at 2.2.", False),
        ("Set it to 22.5 degrees.", "Set it to 22.5 degrees.", False),
        ("Go forward 10 meters. Go forward 10 meters.", "Go forward 10 meters.", False),
        ("No, no, no, make it twenty.", "No, no, no, make it twenty.", False),
        ("thank you very much, thank you very much, thank you very much", "thank you very much", True),
        ("no no no no no no", "no", True),
        ("16.5 degrees, 16.5 degrees, 16.5 degrees, 16.5 degrees", "16.5 degrees, 16.5 degrees", True),
        ("现在车速是六十二公里，不能打开。现在车速是", "现在车速是六十二公里，不能打开。", False),
        ("Wait, I meant 19. Wait, I", "Wait, I meant 19.", False),
        ("Wait, I'm at 19. Wait, I", "Wait, I'm at 19.", False),
        ("Open the window. Open", "Open the window.", False),
        ("Take me home. Take me to work.", "Take me home. Take me to work.", False),
        ("现在电量还有多少?现在电量还有多少?现在电", "现在电量还有多少?", False),
        ("关上车窗!关上车窗!", "关上车窗!", False),
        ("还能开多远?还有电吗?", "还能开多远?还有电吗?", False),
        ("打开左后车窗打开左后车窗打开左后车窗", "打开左后车窗", True),
        ("好好好好好好", "好", True),
        ("酒点冷1酒点冷1酒点冷1酒点冷", "酒点冷", True),
        ("后备箱关好了：后备箱关好了：后备箱关好了", "后备箱关好了", True),
        ("有点冷，有点冷，有点冷", "有点冷", True),
        ("很好很好", "很好很好", False),
        ("", "", False),
    ],
)
def test_loops_are_collapsed(decoded: str, text: str, loop: bool) -> None:
    assert collapse_repeats(decoded) == (text, loop)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ab c.,好的。，", max_size=80))
def test_collapsing_never_makes_text_longer_and_is_stable(text: str) -> None:
    once, _ = collapse_repeats(text)
    assert len(once) <= len(text) + text.count(".") + text.count("。")
    assert set(once) <= set(text) | {" "}


def test_a_clause_of_the_prompt_alone_is_an_echo_and_a_sentence_around_it_is_not() -> None:
    assert echoes("Rear left window halfway, boot.", PROMPTS["en"])
    assert echoes("你好世界：空调调。", PROMPTS["zh"])
    assert not echoes("Open the rear left window halfway please.", PROMPTS["en"])
    assert not echoes("Fan.", PROMPTS["en"])


def test_only_what_goes_away_with_the_prompt_counts_as_its_copy() -> None:
    assert shrinks("你好世界：空调调", "你好世界")
    assert not shrinks("导航到最近的充电站", "倒行到最近的充电站")


@pytest.mark.parametrize(
    ("decoded", "text"),
    [
        ("后备箱关门：空调", "后备箱关门"),
        ("打开车窗：空调调到", "打开车窗"),
        ("导航到：机场", "导航到：机场"),
        ("好的：", "好的"),
        ("：空调", "：空调"),
    ],
)
def test_the_prompt_behind_a_colon_goes(decoded: str, text: str) -> None:
    assert without_prompt(decoded) == text


@pytest.mark.parametrize("text", ["‥‥‥‥\ufffd", "…", "。", "", "♪♪"])
def test_signs_alone_are_nothing_heard(text: str) -> None:
    assert worded(text) == ""


@pytest.mark.parametrize("text", ["OK.", "好。", "22", "…打开"])
def test_what_has_a_word_or_a_number_stays(text: str) -> None:
    assert worded(text) == text
