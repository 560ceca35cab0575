"""The judgement over utterances: one weighted table, no single word decides."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ridealong.cloud.frontends.base import Addressee, VerdictKind
from ridealong.cloud.frontends.cascade.judge import Evidence, echoes, judge

pytestmark = pytest.mark.unit
BASE = Evidence("open my window", "en", 0.9, 0.02, -25.0, -25.0, 0.9, True, False, False)


def test_a_clear_request_is_ours() -> None:
    assert judge(BASE).addressee is Addressee.ASSISTANT


def test_a_request_over_our_speech_interrupts() -> None:
    assert judge(replace(BASE, overlap=True)).verdict is VerdictKind.INTERRUPTION


def test_not_understood_is_not_ours() -> None:
    assert judge(replace(BASE, understood=False)).addressee is Addressee.OTHER


def test_a_backchannel_is_nobodys_unless_we_asked() -> None:
    yes = replace(BASE, text="okay", backchannel=True, overlap=True, words_score=0.2)
    assert judge(yes).verdict is VerdictKind.BACKCHANNEL
    assert judge(replace(yes, words_score=0.3, ms_since_question=2_000)).addressee is Addressee.ASSISTANT


def test_doubt_and_distance_lower_the_score() -> None:
    weak = replace(BASE, words_score=0.6)
    assert judge(weak).addressee is Addressee.ASSISTANT
    assert judge(replace(weak, confidence=0.2)).addressee is Addressee.OTHER
    assert judge(replace(weak, level_db=-45.0)).addressee is Addressee.OTHER


def test_prose_is_background() -> None:
    novel = "he was not an ill disposed young man unless to be rather cold hearted and rather selfish is to be ill disposed"
    found = judge(replace(BASE, text=novel, words_score=0.05, understood=False, overlap=True))
    assert (found.addressee, found.verdict) == (Addressee.OTHER, VerdictKind.BACKGROUND)


def test_own_voice_is_noise() -> None:
    said = "The temperature is set to twenty-two and a half degrees."
    assert echoes("is set to twenty two and a half degrees", said)
    assert not echoes("no make it twenty", said)
    assert (
        judge(replace(BASE, text="temperature is set to twenty two", assistant_text=said, overlap=True)).verdict
        is VerdictKind.NOISE
    )


def test_no_words_is_noise() -> None:
    assert judge(replace(BASE, text=" ")).verdict is VerdictKind.NOISE
    assert judge(replace(BASE, text="you", no_speech=0.95)).verdict is VerdictKind.NOISE
