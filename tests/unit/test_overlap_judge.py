"""The judgement over overlaps: a scored combination from one table, early verdicts only when sure, never one's own voice."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from ridealong.cloud.frontends.base import Addressee, Intent, VerdictKind
from ridealong.cloud.turn.evidence import SOUND_SHARE, Evidence, echoes, features, sounds_like, word_count
from ridealong.cloud.turn.judge import judge
from ridealong.cloud.turn.table import Table, Weights, load_weights

pytestmark = pytest.mark.unit

TABLE = Weights(
    kinds=Table(
        tuple(kind.value for kind in VerdictKind),
        {
            "bias": dict.fromkeys((kind.value for kind in VerdictKind), 0.0),
            "request": {"noise": 0, "backchannel": 0, "other_directed": 0, "background": 0, "interruption": 6},
            "voice": {"noise": 0, "backchannel": 1, "other_directed": 1, "background": -3, "interruption": 1},
            "to_other": {"noise": 0, "backchannel": 0, "other_directed": 8, "background": 0, "interruption": 0},
        },
    ),
    intents=Table(
        ("stop", "correct", "redirect", "follow_up"), {"listed_stop": {"stop": 2, "correct": 0, "redirect": 0, "follow_up": 0}}
    ),
    early_interruption=0.9,
    early_other=0.8,
    interruption=0.5,
    prior={},
)
SAID = "The temperature is set to twenty-two and a half degrees."
BASE = Evidence("what about the rear ones", "en", voiced_ms=1_200)


def test_inputs_move_the_verdict_by_their_weights() -> None:
    asked = replace(BASE, words=0.9, listed_stop=True)
    found = judge(asked, TABLE)
    assert (found.verdict, found.intent, found.addressee) == (VerdictKind.INTERRUPTION, Intent.STOP, Addressee.ASSISTANT)
    assert judge(replace(asked, to_other=True), TABLE).verdict is VerdictKind.OTHER_DIRECTED
    assert judge(replace(BASE, similarity=0.3), TABLE).verdict is VerdictKind.BACKGROUND


def test_while_somebody_speaks_only_a_sure_verdict_is_given() -> None:
    partial = replace(BASE, final=False, words=0.5)
    assert judge(partial, TABLE).verdict is None
    assert judge(replace(partial, final=True), TABLE).verdict is VerdictKind.INTERRUPTION
    assert judge(replace(partial, words=0.95), TABLE).verdict is VerdictKind.INTERRUPTION
    assert judge(replace(partial, text=""), TABLE).verdict is None
    sure = replace(partial, words=0.95)
    assert judge(replace(sure, voiced_ms=400), TABLE).verdict is None, "the beginning of a sentence is often another one"
    assert judge(replace(sure, confidence=0.4), TABLE).verdict is None
    assert judge(replace(sure, voiced_ms=400, listed_stop=True), TABLE).verdict is None, '"Stop" … "kicking him, Freddie"'


@pytest.mark.parametrize(
    "text",
    [
        "Thank you very much.",
        "Thanks for watching, see you next time.",
        "You",
        "Bye-bye.",
        "谢谢观看",
        "谢谢大家。",
        "字幕由社区提供",
    ],
)
def test_what_the_recogniser_makes_of_a_murmur_is_noise_where_it_doubts(text: str) -> None:
    murmur = replace(BASE, text=text, confidence=0.45, words=0.95)
    assert judge(murmur, TABLE).verdict is VerdictKind.NOISE
    assert judge(replace(murmur, final=False), TABLE).verdict is None
    assert judge(replace(murmur, confidence=0.8), TABLE).verdict is VerdictKind.INTERRUPTION, "a person who says so"
    other = replace(murmur, text="Thank you, now turn it up.")
    assert judge(other, TABLE).verdict is VerdictKind.INTERRUPTION
    assert judge(replace(other, confidence=0.35, no_speech=0.55), TABLE).verdict is VerdictKind.NOISE, "words of a crowd"


def test_an_interruption_needs_its_own_threshold() -> None:
    close = replace(BASE, words=0.4)
    assert judge(close, TABLE).verdict is VerdictKind.INTERRUPTION
    assert judge(close, replace(TABLE, interruption=0.9)).verdict is not VerdictKind.INTERRUPTION


def test_own_voice_is_noise() -> None:
    assert echoes("is set to twenty two and a half degrees", SAID)
    assert not echoes("no make it twenty", SAID)
    assert (
        judge(replace(BASE, text="temperature is set to twenty two", words=0.9, assistant_text=SAID)).verdict is VerdictKind.NOISE
    )


def test_no_words_is_noise_at_the_end_and_nothing_before() -> None:
    assert judge(replace(BASE, text=" ")).verdict is VerdictKind.NOISE
    assert judge(replace(BASE, text="you", no_speech=0.95)).verdict is VerdictKind.NOISE
    assert judge(replace(BASE, text="", final=False)).verdict is None
    assert judge(replace(BASE, text="", final=False, voiced_ms=2_000, no_speech=0.8)).verdict is VerdictKind.NOISE, (
        "it holds nobody up"
    )


def test_what_is_unknown_has_no_say() -> None:
    found = features(BASE)
    assert found["voice"] == found["level"] == found["topic"] == found["turn"] == 0
    assert features(replace(BASE, similarity=0.2, voiced_ms=200))["voice"] == 0, "too short to tell a voice"
    assert features(replace(BASE, similarity=0.2))["voice"] < 0 < features(replace(BASE, similarity=0.9))["voice"]


def test_the_committed_table_fits_the_inputs() -> None:
    weights = load_weights()
    kinds = dict.fromkeys(("backchannel", "other_directed", "background", "interruption"), 1.0)
    full = replace(BASE, meaning=kinds, sounds=kinds, intents=dict.fromkeys(("stop", "correct", "redirect", "follow_up"), 1.0))
    assert set(weights.kinds.weights) == set(features(full)) == set(weights.intents.weights)
    assert set(weights.kinds.classes) == {kind.value for kind in VerdictKind} - {"noise"}, "noise is what has no words"
    assert set(weights.intents.classes) == {intent.value for intent in Intent}
    assert all(0 < getattr(weights, name) < 1 for name in ("early_interruption", "early_other", "interruption"))
    assert {one.name for one in fields(Weights)} >= {"prior"}


def test_no_single_input_of_the_committed_table_is_the_decision() -> None:
    """A word list is one input: against what all the others say it loses."""
    listed = replace(
        BASE, text="Okay okay and now open all the windows please", words=0.95, understood=True, complete=True, listed_backchannel=True,
        similarity=0.85, voiced_ms=2_600, turn=0.95, level_db=-25.0, usual_level_db=-25.0, confidence=0.8, meaning={"interruption": 5.0, "backchannel": -6.0, "other_directed": -5.0, "background": -6.0},
    )  # fmt: skip
    assert judge(listed).verdict is VerdictKind.INTERRUPTION


@pytest.mark.parametrize(("text", "count"), [("", 0), ("open the left window", 4), ("打开左后车窗", 4), ("嗯", 1)])
def test_words_are_counted_in_both_languages(text: str, count: int) -> None:
    assert word_count(text) == count


TOWER = "你眼前的这座塔建于明朝万历年间，一共七层，高四十二米。"


@pytest.mark.parametrize("heard", ["前前的车坐台阶", "眼前的这做塔剑鱼", "一眼前的车座太接近"])
def test_a_faint_echo_is_heard_as_other_words_of_the_same_sound(heard: str) -> None:
    echo = replace(BASE, text=heard, locale="zh", words=0.9, assistant_text=TOWER, confidence=0.5)
    assert judge(echo, TABLE).verdict is VerdictKind.NOISE
    assert judge(replace(echo, similarity=0.9), TABLE).verdict is VerdictKind.INTERRUPTION, "the known user may repeat us"
    assert judge(replace(echo, confidence=0.8), TABLE).verdict is VerdictKind.INTERRUPTION, "clear words are somebody's"


def test_right_after_the_first_word_of_a_session_what_sounds_like_us_is_us() -> None:
    echo = replace(BASE, text="以眼前是做谈刑。", locale="zh", words=0.9, assistant_text=TOWER, confidence=0.62, no_speech=0.02)
    assert judge(replace(echo, ms_since_first_word=300), TABLE).verdict is VerdictKind.NOISE
    assert judge(replace(echo, ms_since_first_word=-14), TABLE).verdict is VerdictKind.NOISE, (
        "an utterance's beginning is taken a little early"
    )
    assert judge(echo, TABLE).verdict is VerdictKind.INTERRUPTION, "later the canceller knows the room"
    other = replace(echo, text="停一下，我要导航去机场", ms_since_first_word=300)
    assert judge(other, TABLE).verdict is VerdictKind.INTERRUPTION


@pytest.mark.parametrize(
    "text", ["一共几层来着", "这座塔有多高", "停一下，我要导航去机场", "妈妈我要喝水", "what time does it close today"]
)
def test_a_question_about_what_is_said_is_no_echo(text: str) -> None:
    assert sounds_like(text, TOWER) < SOUND_SHARE
