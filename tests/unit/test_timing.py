"""Where the time of a reply went: stages that add up, and what has none."""

from __future__ import annotations

import pytest

from ridealong.cloud.timing import Event, ResultReady, SpeechSent, Started, Timing, Understood
from ridealong.proto.types import ReplyTiming, Samples, UtteranceId

pytestmark = pytest.mark.unit


def ms(value: int) -> Samples:
    return Samples(value * 16)


def run(*events: Event) -> list[ReplyTiming]:
    timing = Timing()
    return [told for event in events for told in timing.on(event)]


ASKED = Understood(ms(1_000), ms(1_300), ms(1_350))


def test_the_stages_follow_each_other_and_add_up() -> None:
    (told,) = run(
        ASKED,
        ResultReady("w1", ms(1_000), ms(1_700)),
        SpeechSent(UtteranceId(4), "w1", ms(1_720)),
        SpeechSent(UtteranceId(4), "w1", ms(2_720)),
        Started(UtteranceId(4), ms(1_900)),
        Started(UtteranceId(4), ms(2_900)),
    )
    assert (told.endpoint_ms, told.text_ms, told.result_ms, told.out_ms, told.speaker_ms) == (300, 50, 350, 20, 180)
    assert told.total_ms == 900 and told.words_end == ms(1_000) and told.work_id == "w1"


def test_an_answer_belongs_to_its_own_words_although_others_came_meanwhile() -> None:
    (told,) = run(
        ASKED,
        Understood(ms(3_000), ms(3_300), ms(3_350)),
        ResultReady("w1", ms(1_000), ms(3_400)),
        SpeechSent(UtteranceId(1), "w1", ms(3_500)),
        Started(UtteranceId(1), ms(3_700)),
    )
    assert told.words_end == ms(1_000) and told.total_ms == 2_700 and told.result_ms == 2_050


def test_a_word_of_our_own_belongs_to_the_newest_words() -> None:
    (told,) = run(ASKED, SpeechSent(UtteranceId(1), "", ms(1_400)), Started(UtteranceId(1), ms(1_600)))
    assert (told.work_id, told.result_ms, told.out_ms, told.total_ms) == ("", 0, 50, 600)


def test_what_answers_nothing_has_no_timing() -> None:
    assert run(SpeechSent(UtteranceId(1), "", ms(100)), Started(UtteranceId(1), ms(200))) == []
    assert run(Started(UtteranceId(9), ms(200))) == []
    late = ms(40_000)
    assert (
        run(ASKED, ResultReady("w1", ms(1_000), late), SpeechSent(UtteranceId(1), "w1", late), Started(UtteranceId(1), late))
        == []
    )


def test_marks_out_of_order_give_no_negative_stage() -> None:
    (told,) = run(
        ASKED,
        ResultReady("w1", ms(1_000), ms(1_200)),
        SpeechSent(UtteranceId(1), "w1", ms(1_250)),
        Started(UtteranceId(1), ms(1_500)),
    )
    assert min(told.endpoint_ms, told.text_ms, told.result_ms, told.out_ms, told.speaker_ms) >= 0 and told.total_ms == 500
