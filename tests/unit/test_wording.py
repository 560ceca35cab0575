"""Words are compared without case, width, punctuation and the spelling of numbers; and different numbers stay different."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.simulators.trip.wording import contains, plain

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Okay, twenty-two and a half degrees.", "22.5"),
        ("Okay, 22.5 degrees.", "twenty-two and a half"),
        ("Set to twenty two point five.", "22.5"),
        ("It is 22.0 degrees", "22"),
        ("好的，二十二度半。", "22.5"),
        ("好的，空调已调到二十四度", "24度"),
        ("好的，空调已调到24度", "二十四度"),
        ("车窗已打开百分之五十", "50%"),
        ("The window is at fifty percent.", "50 %"),
        ("Range: one hundred and eighty kilometres", "180 kilometres"),
        ("two hundred left", "200"),
        ("The BOOT stays closed", "boot"),
        ("ＯＫ　２０", "ok 20"),
        ("thirty per cent", "30%"),
        ("已设 为 24 度。", "设为二十四度"),
        ("左 后 车窗 关好 了。", "车窗关好了"),
        ("二十二点五度", "22.5"),
        ("I can’t do that", "can't"),
    ],
)
def test_same_words(text: str, wanted: str) -> None:
    assert contains(text, wanted)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Okay, 22.5 degrees", "22"),
        ("Okay, 22.5 degrees", "2.5"),
        ("Okay, 122.5 degrees", "22.5"),
        ("twenty-two degrees", "twenty"),
        ("二十四度", "二十度"),
        ("The boot stays closed", "trunk"),
        ("anything", ""),
        ("a hundred and two", "200"),
    ],
)
def test_different_words(text: str, wanted: str) -> None:
    assert not contains(text, wanted)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_plain_never_fails_and_settles(text: str) -> None:
    assert plain(plain(text)) == plain(plain(plain(text)))
