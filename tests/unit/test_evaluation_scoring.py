"""Scoring of rides on hand-made facts: what counts as an answer, as going on, as too late, as nobody's."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ridealong.proto.types import CLOCK_HZ
from ridealong.simulators.evaluation import endpointing
from ridealong.simulators.evaluation.endpointing import Policy
from ridealong.simulators.evaluation.facts import (
    MADE,
    CaptionFact,
    Facts,
    FlushFact,
    Placed,
    Said,
    Span,
    TurnPoint,
    VerdictFact,
    WorkFact,
    from_raw,
    to_raw,
)
from ridealong.simulators.evaluation.scoring import Overlap, overlaps, stale_samples, strays, turns

pytestmark = pytest.mark.unit


def s(seconds: float) -> int:
    return round(seconds * CLOCK_HZ)


def talking(kind: str, intent: str = "", onset: float = 5.0, end: float = 6.0, **more: object) -> Facts:
    """The assistant talks from 2 to 12 s, the network takes 30 ms, the sound device 100 ms; somebody makes a sound at 5 s."""
    facts = Facts(
        "x", "overlaps", "en", one_way=s(0.03), speaker_latency=s(0.1), timed=True, duration=s(20), replies_at=(s(2),),
        sounds=(Placed(kind, s(onset), s(end), intent),),
        spans=(Span(s(2), s(12), False, True),),
        said=(Said(1, 1, "w1", s(2), s(12), "finished"),),
        works=(WorkFact(s(1), "w1", "completed", "delivering", MADE),),
    )  # fmt: skip
    return replace(facts, **more)  # type: ignore[arg-type]


def cut(kind: str = "interruption", intent: str = "redirect", after: tuple[Said, ...] = (), **more: object) -> Facts:
    """Speech was ducked at 5.1 s and cut by a flush that arrived at 5.8 s."""
    spans = (Span(s(2), s(5.1), False, True), Span(s(5.1), s(5.9), True, True))
    spans += tuple(Span(one.started, one.ended or s(20), False, True) for one in after)
    said = (Said(1, 1, "w1", s(2), s(5.9), "flushed"), *after)
    facts = talking(
        kind, intent, spans=spans, said=said, flushes=(FlushFact(s(5.8), 1, "cloud"),), verdicts=(VerdictFact(s(5.8), "interruption"),)
    )  # fmt: skip
    return replace(facts, **more)  # type: ignore[arg-type]


def only(facts: Facts) -> Overlap:
    (overlap,) = overlaps(facts)
    return overlap


ANSWER = Said(2, 2, "w2", s(7), s(9), "finished")
AGAIN = Said(2, 2, "w1", s(8.2), s(15), "finished")


def test_speech_that_runs_on_resumes_and_does_not_respond() -> None:
    overlap = only(talking("backchannel"))
    assert overlap.judgeable and overlap.right and overlap.right_lenient and not overlap.stopped
    assert overlap.duck_ms is None and overlap.held_ms == 0
    assert not only(talking("interruption", "stop")).right


def test_an_interruption_needs_silence_and_a_reaction_unless_it_says_stop() -> None:
    assert only(cut(after=(ANSWER,))).right
    silent = only(cut())
    assert silent.stopped and not silent.right and silent.right_lenient
    assert only(cut(intent="stop")).right
    acted = cut(works=(WorkFact(s(1), "w1", "completed", "", MADE), WorkFact(s(6.5), "w2", "running", "none", "windows.set")))
    assert only(acted).acted and only(acted).right


def test_what_is_taken_up_again_was_not_answered_but_a_follow_up_may_be() -> None:
    assert not only(cut(after=(AGAIN,))).right and only(cut(after=(AGAIN,))).right_lenient
    both = (ANSWER, replace(AGAIN, utterance=3, started=s(10), ended=s(16)))
    assert not only(cut(after=both)).right
    assert only(cut(intent="follow_up", after=both)).right
    assert not only(cut(intent="follow_up", after=(AGAIN,))).right  # nothing was answered


def test_a_cut_is_wrong_for_all_else_and_leniently_forgiven_when_it_goes_on_by_itself() -> None:
    for kind in ("backchannel", "other_directed", "background", "noise"):
        assert not only(cut(kind, "")).right and not only(cut(kind, "")).right_lenient
        assert not only(cut(kind, "", after=(AGAIN,))).right and only(cut(kind, "", after=(AGAIN,))).right_lenient
    acted = talking("background", works=(WorkFact(s(6), "w7", "running", "none", "windows.set"),))
    assert only(acted).acted and not only(acted).right and not only(acted).right_lenient


def test_speech_that_is_held_and_never_comes_back_did_not_go_on() -> None:
    held = talking("noise", spans=(Span(s(2), s(5.2), False, True),), said=(Said(1, 1, "w1", s(2), None, "open"),))
    assert not only(held).stopped and not only(held).right
    back = replace(held, spans=(*held.spans, Span(s(6.4), s(13), False, True)))
    assert only(back).right and only(back).held_ms == pytest.approx(1_200)


def test_a_reply_that_was_ending_anyway_or_none_is_left_out() -> None:
    ending = talking(
        "interruption", "stop", said=(Said(1, 1, "w1", s(2), s(6.2), "finished"),), spans=(Span(s(2), s(6.2), False, True),)
    )
    assert not only(ending).judgeable  # half a second after the last word
    assert only(replace(ending, sounds=(Placed("backchannel", s(4), s(4.4)),))).judgeable
    assert not only(talking("backchannel", onset=13, end=13.5)).judgeable


def test_the_next_made_reply_is_neither_answer_nor_action() -> None:
    made = Said(2, 2, "w2", s(9), s(15), "finished")
    works = (WorkFact(s(1), "w1", "completed", "", MADE), WorkFact(s(8.5), "w2", "running", "none", MADE))
    overlap = only(cut(after=(made,), works=works, replies_at=(s(2), s(9))))
    assert not overlap.answered and not overlap.acted and not overlap.right


def test_a_flush_after_the_reply_had_ended_cut_nothing() -> None:
    late = talking("interruption", "stop", onset=9, end=10, flushes=(FlushFact(s(13), 1, "cloud"),))
    assert not only(late).stopped


def test_latencies_are_read_at_the_speaker_from_the_annotated_onset() -> None:
    overlap = only(cut(after=(ANSWER,)))
    assert overlap.duck_ms == pytest.approx(110)  # the block of the ramp, and the ramp
    assert overlap.silence_from_onset_ms == pytest.approx(900)
    assert overlap.silence_from_verdict_ms == pytest.approx(130)  # the verdict left the cloud 30 ms before it arrived
    assert overlap.verdict == "interruption" and overlap.verdict_ms == pytest.approx(770)


def test_a_hold_before_the_verdict_is_silence_already() -> None:
    held = cut(spans=(Span(s(2), s(5.3), False, True),))
    assert only(held).silence_from_onset_ms == pytest.approx(300) and only(held).silence_from_verdict_ms == 0
    assert only(held).duck_ms == pytest.approx(300)


def test_speech_that_was_soft_already_says_nothing_about_ducking() -> None:
    assert only(talking("backchannel", spans=(Span(s(2), s(12), True, True),))).duck_ms is None


# --- stale samples and strays ------------------------------------------------------------------------------------------


def test_samples_of_a_flushed_epoch_after_the_flush_are_counted() -> None:
    assert stale_samples(cut(after=(ANSWER,))) == 0
    late = cut(spans=(Span(s(2), s(5.9), False, True), Span(s(6.5), s(6.6), False, True)))
    assert stale_samples(late) == s(0.1)
    newer = Said(2, 2, "w2", s(6.5), s(6.59), "finished")
    assert stale_samples(replace(late, said=(*late.said, newer))) == 0


def test_speech_that_begins_faint_is_newer_although_it_is_acknowledged_later() -> None:
    def with_epochs(late: int) -> Facts:
        spans = (Span(s(2), s(5.9), False, True, 1), Span(s(6.5), s(8), True, True, late), Span(s(8), s(9), False, True, late))
        return cut(spans=spans)

    newer = Said(2, 2, "w2", s(8), s(9), "finished")
    begins_faint = with_epochs(2)
    assert stale_samples(replace(begins_faint, said=(*begins_faint.said, newer))) == 0
    flushed = with_epochs(1)
    assert stale_samples(replace(flushed, said=(*flushed.said, newer))) == s(2.5)


def test_only_utterances_for_the_assistant_that_nobody_typed_are_turns() -> None:
    captions = (
        CaptionFact(s(1), 0, 0, "assistant", "please read"), CaptionFact(s(4), s(3), s(4), "other", "hello"),
        CaptionFact(s(8), s(7), s(8), "assistant", "the bridge was built"),
    )  # fmt: skip
    stray = strays(talking("noise", captions=captions, typed=("please read",), flushes=(FlushFact(s(9), 1, "cloud"),)))
    assert (stray.turns, stray.cuts) == (1, 1) and stray.speech_s == pytest.approx(10)


# --- turns -------------------------------------------------------------------------------------------------------------


def request(captions: tuple[CaptionFact, ...], said: tuple[Said, ...] = (), pauses: tuple[tuple[int, int], ...] = ()) -> Facts:
    spans = tuple(Span(one.started + s(0.05), one.ended or s(20), False, True) for one in said)
    sound = Placed("request", s(1), s(3), text="x", pauses=pauses)
    return Facts("t", "turns", "en", one_way=s(0.03), duration=s(12), sounds=(sound,), captions=captions, said=said, spans=spans)


def test_a_turn_is_timed_from_its_last_word() -> None:
    whole = CaptionFact(s(3.53), s(0.9), s(3.05), "assistant", "open the window")
    (turn,) = turns(request((whole,), (Said(1, 1, "w1", s(3.9), s(5), "finished"),)))
    assert turn.understood and not turn.cut_in and not turn.spoke_over
    assert turn.endpoint_ms == pytest.approx(500) and turn.response_ms == pytest.approx(950)  # the first audible sample


def test_a_turn_taken_for_finished_in_a_hesitation_is_cut_in() -> None:
    pauses = ((s(1.8), s(2.4)),)
    parts = (CaptionFact(s(2.3), s(0.9), s(1.8), "other", "turn on the"), CaptionFact(s(3.5), s(2.4), s(3), "assistant", "radio"))
    (turn,) = turns(request(parts, (Said(1, 1, "w1", s(2.5), s(2.9), "finished"),), pauses))
    assert turn.cut_in and turn.spoke_over and turn.pauses == 1
    (nothing,) = turns(request(()))
    assert nothing.endpoint_ms is None and nothing.response_ms is None and not nothing.understood


# --- policies ----------------------------------------------------------------------------------------------------------


def turn(end: float, *holds: tuple[float, float]) -> list[TurnPoint]:
    return [*(TurnPoint(p, ms, False) for p, ms in holds), TurnPoint(end, 5_000, True)]


def test_a_policy_cuts_in_where_a_pause_outlasts_its_wait() -> None:
    turns_ = [turn(0.9), turn(0.9, (0.8, 500)), turn(0.2, (0.1, 950))]
    point = endpointing.score(Policy(0.5, 300, 900), turns_)
    assert point.cut_in == pytest.approx(2 / 3) and point.dead_air_ms == pytest.approx((300 + 300 + 900) / 3)
    assert endpointing.score(Policy(0.85, 300, 1_000), turns_).cut_in == 0
    assert endpointing.score(Policy(0.85, 300, 950), turns_).cut_in == 0  # as long is not longer


def test_the_sweep_reads_one_axis_at_a_limit_of_the_other() -> None:
    points = endpointing.sweep([turn(0.9), turn(0.9, (0.3, 700)), turn(0.9, (0.92, 400))])
    assert endpointing.cut_in_at(points, 200) == pytest.approx(1 / 3)  # the second is safe behind a threshold, the third is not
    assert endpointing.dead_air_at(points, 0.0) == 400
    assert endpointing.cut_in_at(points, 100) is None and endpointing.sweep([]) == []


def test_facts_survive_their_file() -> None:
    facts = cut(
        after=(ANSWER,), turn_points=(TurnPoint(0.5, 100, True),), typed=("a",), tags=("b",), judgements=({"score": 1.0},)
    )
    assert from_raw(json.loads(json.dumps(to_raw(facts)))) == facts
    for bad in ({"id": 1}, {"id": "x", "suite": "y", "locale": "en", "spans": [{"nonsense": 1}]}, {"spans": 3}):
        with pytest.raises(ValueError, match="no facts"):
            from_raw(bad)


def test_a_radio_that_was_on_before_the_reply_is_judged_from_its_first_sample() -> None:
    radio = Placed("background", s(0.5), s(4), reply=0)
    overlap = only(talking("background", sounds=(radio,), verdicts=(VerdictFact(s(3), "background"),)))
    assert overlap.judgeable and overlap.right and overlap.verdict_ms == pytest.approx(970)
    assert not only(talking("background", sounds=(replace(radio, end=s(2.3)),))).judgeable  # over before it mattered
