"""A question about what was just said is answered with the sentence that it shares most with; it never makes anything up."""

from __future__ import annotations

import pytest

from ridealong.harness.quoting import quote

pytestmark = pytest.mark.unit
NEWS = "The bridge on the ring road is closed until Friday. Traffic is diverted over Mill Lane. Expect ten minutes more."
ZH = "去机场的高速有点堵，预计多花二十分钟。停车场在二号航站楼地下一层。出门记得带证件。"


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        (NEWS, "Wait, until when is the bridge closed?", "The bridge on the ring road is closed until Friday."),
        (NEWS, "Sorry, which lane?", "Traffic is diverted over Mill Lane."),
        (NEWS, "How many minutes did you say?", "Expect ten minutes more."),
        (NEWS, "Who was Napoleon?", ""),
        (NEWS, "And what did you say?", ""),
        ("", "Which bridge?", ""),
        (ZH, "停车场在哪儿？", "停车场在二号航站楼地下一层。"),
        (ZH, "高速堵不堵？", "去机场的高速有点堵，预计多花二十分钟。"),
        (ZH, "你是谁？", ""),
    ],
)
def test_the_sentence_that_shares_most_is_quoted(said: str, question: str, answer: str) -> None:
    assert quote(said, question) == answer
