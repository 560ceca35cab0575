"""What becomes of the words that were not heard, and where they are taken up again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ridealong.harness.rest import FATES, Fate, Why, fate, heard_share, lead, position, resumption, unheard, without_lead

pytestmark = pytest.mark.unit
TEXT = "It is 22.5 degrees, which is warm. The window is open; the boot, too."


@pytest.mark.parametrize(
    ("heard", "rest", "again_from"),
    [
        ("", TEXT, TEXT),
        ("It is", "22.5 degrees, which is warm. The window is open; the boot, too.", TEXT),
        ("It is 22.5 degrees,", "which is warm. The window is open; the boot, too.", "which is warm. The window is open; the boot, too."),
        ("It is 22.5 degrees, which is", "warm. The window is open; the boot, too.", "which is warm. The window is open; the boot, too."),
        ("It is 22.5 degrees which is warm", "The window is open; the boot, too.", "The window is open; the boot, too."),
        ("It is 22.5 degrees, which is warm. The window is open; the", "boot, too.", "the boot, too."),
        (TEXT, "", ""),
    ],
)  # fmt: skip
def test_the_rest_begins_with_a_whole_clause(heard: str, rest: str, again_from: str) -> None:
    assert (unheard(TEXT, heard), resumption(TEXT, heard)) == (rest, again_from)


def test_in_chinese_too() -> None:
    text = "最近的充电站在磨坊路，有三个空位。下一个在十二公里外。"
    assert resumption(text, "最近的充电站在磨坊路，有三") == "有三个空位。下一个在十二公里外。"
    assert unheard(text, "最近的充电站在磨坊路，有三") == "个空位。下一个在十二公里外。"
    assert lead(text, "最近", "zh") == "再说一次：" and without_lead("再说一次：最近的") == "最近的"


def test_titles_and_numbers_end_no_clause() -> None:
    assert (
        resumption("Call Dr. Smith at 1,000.5 metres now", "Call Dr. Smith at 1,000.5") == "Call Dr. Smith at 1,000.5 metres now"
    )


@pytest.mark.parametrize(
    ("why", "heard", "important", "expected"),
    [
        (Why.STOP, "", True, Fate.DROPPED),
        (Why.BUTTON, "It is", True, Fate.DROPPED),
        (Why.CORRECT, "It is", True, Fate.SUPERSEDED),
        (Why.REDIRECT, "", False, Fate.KEPT),
        (Why.REDIRECT, "It is", True, Fate.AGAIN),
        (Why.FOLLOW_UP, "", False, Fate.AGAIN),
        (Why.FOLLOW_UP, "It is", False, Fate.KEPT),
        (Why.FOLLOW_UP, "It is", True, Fate.AGAIN),
        (Why.FOLLOW_UP, "It is 22.5 degrees, which is", True, Fate.KEPT),
        (Why.INTERRUPTED, "It is 22.5 degrees, which is", False, Fate.KEPT),
        (Why.LINK, "It is 22.5 degrees, which is", False, Fate.RESUMED),
        (Why.DEVICE, "", False, Fate.RESUMED),
    ],
)
def test_fates(why: Why, heard: str, important: bool, expected: Fate) -> None:
    assert fate(why, TEXT, heard, important) is expected


def test_every_reason_has_a_row_and_the_user_has_the_last_word() -> None:
    assert set(FATES) == set(Why)
    for why in (Why.STOP, Why.BUTTON, Why.CORRECT):
        assert not {Fate.AGAIN, Fate.RESUMED} & set(FATES[why])


WORDS = st.lists(st.sampled_from(["one", "two,", "three.", "22.5", "车", "窗，", "开。", "four;"]), min_size=1, max_size=20)


@given(WORDS, st.integers(0, 20))
def test_heard_and_rest_are_the_whole(words: list[str], count: int) -> None:
    text, heard = " ".join(words), " ".join(words[:count])
    cut = position(text, heard)
    assert text[:cut].strip() == heard and text[cut:].strip() == " ".join(words[count:]) == unheard(text, heard)
    again = resumption(text, heard)
    assert text.endswith(again) and (not unheard(text, heard)) == (not again)
    assert again.endswith(unheard(text, heard)) and 0 <= heard_share(text, heard) <= 1
