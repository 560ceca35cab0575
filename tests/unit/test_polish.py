"""Speakable text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.harness import polish as polishing
from ridealong.harness.polish import RESERVED, polish, sentences
from ridealong.harness.sentences import SENTENCES, sentence

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("raw", "spoken"),
    [
        ("It is 22.5 degrees. Done! Really? More.", "It is 22.5 degrees. Done! Really?"),
        ("# Result\n\n**22.5** degrees, see [the page](http://x.y/z).", "Result 22.5 degrees, see the page."),
        ("- one\n- two\n\n```python\nprint('no')\n```", "one two"),
        ("<|speak|>Hi<dele<delegate>gate> there", "Hi there"),
        ("<dele**gate>x", "x"),
        ("二十二度半。好了。谢谢。再见。", "二十二度半。好了。谢谢。"),
        ("Turn left at St. Mary's, approx. 5 km. Then stop.", "Turn left at St. Mary's, approx. 5 km. Then stop."),
        ("One at Luigi's. Two. Three. Four.", "One at Luigi's. Two. Three."),
        ("5 * 3 is 15 and snake_case stays", "5 * 3 is 15 and snake_case stays"),
        ("  \n ```\nonly code\n```", ""),
    ],
)
def test_examples(raw: str, spoken: str) -> None:
    assert polish(raw) == spoken


PIECES = st.sampled_from(
    [*RESERVED, "<dele", "gate>", "<|", "|>", "**", "*", "`", "```", "[a](b)", "- ", "\n", "Ok. ", "3.5", "好。", "#"]
)


MARKUP = st.sampled_from(
    ["| a |", "a  b", " a", "a\tb", "1. a", "12) ", "- a", "+ a", "> a", "# ", "---", "\n", "~~", "__", "• ", "[a](b)", "\u00a0", "*", "`", "word", " ", "3-4", "<"]
)  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(st.lists(MARKUP, max_size=6).map("".join))
def test_a_glance_finds_all_that_is_to_be_cleaned(text: str) -> None:
    """With the glance and without it, the same is left."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(polishing, "_is_plain", lambda text: False)
        thoroughly = polish(text)
    assert polish(text) == thoroughly


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(["One.", "Two!", "e.g.", "3.5", "A.", "St.", "好。", "Really?", "...", "?!", " ", "\n", '"', "word"]),
        max_size=8,
    ).map(" ".join)
)
def test_a_sentence_is_one_sentence(text: str) -> None:
    """Whether it is looked at by itself or among others."""
    for one in sentences(text):
        assert sentences(one) == [one]


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES | st.text(max_size=4), max_size=20).map("".join))
def test_no_marker_survives_and_polishing_twice_changes_nothing(text: str) -> None:
    spoken = polish(text)
    assert not any(token in spoken.lower() for token in RESERVED)
    assert len(sentences(spoken)) <= 3
    assert polish(spoken) == spoken
    assert len(spoken) <= 3_000


def test_a_long_text_is_cut_before_anything_else() -> None:
    assert len(polish("word " * 2_000)) <= 3_000


def test_our_own_sentences_are_speakable_in_both_languages() -> None:
    for reason in SENTENCES:
        for locale in ("en", "zh-CN"):
            assert polish(sentence(reason, locale)) == sentence(reason, locale) != ""
    assert sentence("failed", "zh") != sentence("failed", "en") == sentence("failed", "mixed")
