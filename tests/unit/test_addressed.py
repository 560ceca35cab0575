"""For whom words are while the assistant is silent: one weighted table, no single word decides."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ridealong.cloud.frontends.base import Addressee
from ridealong.cloud.turn.addressed import addressee
from ridealong.cloud.turn.evidence import Evidence

pytestmark = pytest.mark.unit
BASE = Evidence(
    "open my window", "en", overlap=False, confidence=0.9, no_speech=0.02, voiced_ms=1_000, level_db=-25.0, usual_level_db=-25.0, words=0.9,
    understood=True,
)  # fmt: skip


def test_a_clear_request_is_ours() -> None:
    assert addressee(BASE) is Addressee.ASSISTANT


def test_not_understood_is_not_ours() -> None:
    assert addressee(replace(BASE, understood=False)) is Addressee.OTHER


def test_a_backchannel_is_nobodys_unless_we_asked() -> None:
    yes = replace(BASE, text="okay", listed_backchannel=True, words=0.3)
    assert addressee(yes) is Addressee.NOBODY
    assert addressee(replace(yes, ms_since_question=2_000)) is Addressee.ASSISTANT


def test_doubt_distance_and_another_voice_lower_the_score() -> None:
    weak = replace(BASE, words=0.6)
    assert addressee(weak) is Addressee.ASSISTANT
    assert addressee(replace(weak, confidence=0.2)) is Addressee.OTHER
    assert addressee(replace(weak, level_db=-45.0)) is Addressee.OTHER
    assert addressee(replace(weak, similarity=0.4)) is Addressee.OTHER
    assert addressee(replace(weak, similarity=0.4, voiced_ms=300)) is Addressee.ASSISTANT  # too short to tell a voice


def test_a_passenger_may_ask_clearly() -> None:
    assert addressee(replace(BASE, similarity=0.4)) is Addressee.ASSISTANT


def test_nothing_said_is_for_nobody() -> None:
    assert addressee(replace(BASE, text=" ")) is Addressee.NOBODY
    assert addressee(replace(BASE, text="you", no_speech=0.95)) is Addressee.NOBODY


def test_a_late_echo_of_ours_is_nobodys_but_the_user_may_repeat_us() -> None:
    said = "The rear left window is now half open."
    late = replace(BASE, text="the rear left window is now", assistant_text=said)
    assert addressee(late) is Addressee.NOBODY
    assert addressee(replace(late, similarity=0.9)) is Addressee.ASSISTANT
    assert addressee(replace(late, ms_since_question=1_000)) is Addressee.ASSISTANT, "an answer in our words"
    assert addressee(replace(BASE, text="close the rear left window", assistant_text=said)) is Addressee.ASSISTANT


def test_thanks_without_a_request_before_are_for_somebody_else() -> None:
    thanks = replace(BASE, text="thank you very much", thanks=True, words=0.75)
    assert addressee(thanks) is Addressee.OTHER, "a crowd's murmur becomes thanks in the recogniser"
    assert addressee(replace(thanks, ms_since_request=9_000)) is Addressee.ASSISTANT
    assert addressee(replace(thanks, wake=True)) is Addressee.ASSISTANT
    assert addressee(replace(thanks, ms_since_request=9_000, confidence=0.4)) is Addressee.NOBODY, "and it doubts that itself"


def test_what_the_sentence_means_outweighs_what_a_skill_could_do_with_it() -> None:
    yours = replace(
        BASE, text="Close your window, the baby's in a draught.", meaning={"interruption": -3.6}, sounds={"interruption": -2.5}
    )
    assert addressee(yours) is Addressee.OTHER
    assert addressee(replace(yours, wake=True)) is Addressee.ASSISTANT
    assert addressee(replace(yours, ms_since_question=2_000)) is Addressee.ASSISTANT, "an answer to our question"
    assert addressee(replace(yours, meaning={"interruption": -1.0})) is Addressee.ASSISTANT


def test_words_that_are_plainly_ours_are_ours_though_no_skill_knows_them() -> None:
    jazz = replace(
        BASE, text="Play some jazz.", words=0.3, understood=False, meaning={"interruption": 2.5}, sounds={"interruption": 1.0}
    )
    assert addressee(jazz) is Addressee.ASSISTANT
    assert addressee(replace(jazz, sounds={"interruption": -1.0})) is Addressee.OTHER, "both opinions are asked for"
    assert addressee(replace(jazz, confidence=0.2)) is Addressee.OTHER, "the recogniser doubts it"
    assert addressee(replace(jazz, narrated=True)) is Addressee.OTHER
    assert addressee(replace(jazz, to_other=True)) is Addressee.OTHER
