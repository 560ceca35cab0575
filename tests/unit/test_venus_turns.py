"""What the model's units come to, told as traces."""

from __future__ import annotations

import numpy as np
import pytest

from ridealong.cloud.frontends.base import PartIn, Played, UnitIn
from ridealong.cloud.frontends.venus.second import Second
from ridealong.cloud.frontends.venus.turns import (
    UNHEARD_AFTER,
    Answered,
    Ask,
    Cut,
    Event,
    Heard,
    Say,
    Sent,
    Turns,
    Unanswered,
    Words,
)
from ridealong.cloud.frontends.venus.wording import Wording, onset, pieces
from ridealong.cloud.model.plain_io import Said
from ridealong.proto.types import MicrophoneState, Samples, UnitIndex, UtteranceId, WordTime
from ridealong.proto.words import joined

pytestmark = pytest.mark.unit


def speech(words: str, *, over: bool = False, ms: int = 1000, delegates: tuple[str, ...] = ()) -> Said:
    return Said(False, over, False, not over, words, delegates, np.full(24 * ms, 0.1, np.float32) if ms else None)


def replay(turns: Turns, *events: Event) -> str:
    told = []
    for event in events:
        for effect in turns.on(event):
            match effect:
                case Say(piece=piece):
                    end = "." if piece.last else ""
                    told.append(f"u{piece.utterance}{f'={piece.work_id}' if piece.work_id else ''} {piece.text!r}{end}")
                case Ask(requests=requests, typed=typed):
                    told.append(f"{'typed' if typed else 'ask'} {'+'.join(requests)}")
    return " | ".join(told)


def unit(index: int, said: Said | None = None, **more: object) -> tuple[Event, ...]:
    return Sent(index, **more), Answered(index, said or Said(), Samples(16_000 * index))  # type: ignore[arg-type]


def test_a_turn_is_one_utterance() -> None:
    turns = Turns()
    assert replay(
        turns, *unit(0, speech("Hello, I")), *unit(1, speech(" am here.", over=True)), *unit(2, speech("And", over=True))
    ) == ("u1 'Hello,' | u1 'I am here.'. | u2 'And'.")
    assert not turns.open and turns.utterance is None


def test_a_unit_without_a_word_before_it_is_no_speech() -> None:
    turns = Turns()
    trace = replay(turns, *unit(0, speech("", delegates=("fetch the weather",))), *unit(1, speech("", over=True)))
    assert trace == "ask fetch the weather" and not turns.busy


def test_nothing_is_said_of_what_was_sent_before_a_cut() -> None:
    turns = Turns()
    trace = replay(
        turns, *unit(0, speech("One")), Sent(1), Sent(2), Cut(), Answered(1, speech(" two"), Samples(0)),
        Answered(2, speech(" three", delegates=("a",)), Samples(0)),
    )  # fmt: skip
    assert trace == "u1 'One' | ask a" and turns.closing and turns.dropped_units == 2
    trace = replay(
        turns, Sent(3, forced=True), Answered(3, Said(interrupted=True), Samples(0)), *unit(4, speech("Four", over=True))
    )
    assert trace == "u2 'Four'." and not turns.closing


def test_a_cut_that_takes_it_all_back_asks_nothing_either() -> None:
    turns = Turns()
    assert (
        replay(
            turns, *unit(0, speech("One ")), Sent(1), Cut(requests=True), Answered(1, speech("", delegates=("a",)), Samples(0))
        )
        == "u1 'One'"
    )


def test_a_forced_unit_that_was_not_run_is_forced_again() -> None:
    turns = Turns()
    replay(turns, *unit(0, speech("One")), Cut(), Sent(1, forced=True))
    assert not turns.closing
    replay(turns, Unanswered(1))
    assert turns.closing


def test_a_result_is_restated_by_the_turn_that_begins_with_it() -> None:
    turns = Turns()
    assert turns.may_answer
    turns.on(Sent(0, answer="w1"))
    assert not turns.may_answer and turns.restating
    trace = replay(
        turns, Answered(0, Said(), Samples(0)), *unit(1, speech("Done.", over=True)), *unit(2, speech("Yes?", over=True))
    )
    assert trace == "u1=w1 'Done.'. | u2 'Yes?'."


def test_a_result_after_which_somebody_spoke_is_not_claimed_to_be_told() -> None:
    turns = Turns()
    assert replay(turns, *unit(0, answer="w1"), Words(), *unit(1, speech("Hello.", over=True))) == "u1 'Hello.'."
    turns = Turns()
    late = [event for index in range(1, 9) for event in unit(index)]
    assert (
        replay(turns, *unit(0, answer="w1"), *late, *unit(9, speech("Hello.", over=True))) == "u1 'Hello.'." and turns.may_answer
    )


def test_typed_words_are_the_reason_of_the_turn_that_they_begin() -> None:
    asks = speech("", over=True, delegates=("a",))
    assert replay(Turns(), *unit(0, asks, typed=True), *unit(1, asks)) == "typed a | ask a"
    assert replay(Turns(), *unit(0, typed=True), *unit(1, asks)) == "typed a"
    assert replay(Turns(), *unit(0, typed=True), Words(), *unit(1, asks)) == "ask a"
    assert replay(Turns(), *unit(0, typed=True), *unit(1), *unit(2), *unit(3, asks)) == "ask a"


def test_what_the_device_ended_on_its_own_is_cut() -> None:
    turns = Turns()
    replay(turns, *unit(0, speech("One two")), Heard(Played(UtteranceId(1), 100, False, True, "")))
    assert turns.closing and not turns.busy


def test_our_voice_keeps_the_floor_until_it_is_heard_or_given_up() -> None:
    turns = Turns()
    replay(turns, *unit(0, speech("One.", over=True)))
    turns.tick(Samples(16_000))
    assert turns.busy
    turns.on(Heard(Played(UtteranceId(1), 24_000, True, False, "One.")))
    assert not turns.busy
    replay(turns, *unit(1, speech("Two.", over=True)))
    turns.tick(Samples(32_001 + UNHEARD_AFTER))
    assert not turns.busy


def test_a_turn_broken_off_by_the_node_is_closed() -> None:
    assert replay(Turns(), *unit(0, speech("One. ")), *unit(1, Said(interrupted=True))) == "u1 'One.' | u1 ''."


def test_reserved_names_are_never_said() -> None:
    assert replay(Turns(), *unit(0, speech("a <backend> b", over=True))) == "u1 'a b'."


def test_words_are_spread_over_the_sound_that_can_be_heard() -> None:
    assert Wording().take("ab cd.", 2_000, 9_000, over=True) == (WordTime("ab", 2_000, 5_000), WordTime("cd.", 5_000, 9_000))
    sound = np.concatenate([np.zeros(500), np.full(10, 0.1)]).astype(np.float32)
    assert onset(sound) == 500 and onset(np.zeros(10, np.float32)) == 0


@pytest.mark.parametrize(
    "texts",
    [("It is a won", "derful day", "."), ("现在是", "24度，窗", "户开着。"), ("Hi", "", " there"), ("", " "), ("a ", "b")],
)
def test_words_joined_are_the_text(texts: tuple[str, ...]) -> None:
    wording, words = Wording(), list[WordTime]()
    for index, text in enumerate(texts):
        words += wording.take(text, 100 * index, 100 * (index + 1), over=index == len(texts) - 1)
    assert joined(word.word for word in words) == "".join(texts).strip()
    assert [word.start for word in words] == sorted(word.start for word in words) and all(w.start <= w.end for w in words)
    assert pieces("a 好b") == ["a", " 好", "b"]


def test_parts_stand_where_their_clock_says_and_the_rest_is_silence() -> None:
    second = Second()

    def part(start: int, samples: int, value: int, mic: MicrophoneState = MicrophoneState.LIVE) -> None:
        pcm = np.full(samples, value, "<i2").tobytes() if mic is MicrophoneState.LIVE else b""
        second.part(PartIn(UnitIndex(0), 0, False, Samples(start), samples, pcm, mic, False, False))

    part(12_000, 6_000, 3_277)  # its beginning belongs to the second before
    part(20_000, 2_000, 6_554)
    part(30_000, 9_000, 9_830)
    sound = second.unit(UnitIn(UnitIndex(1), Samples(16_000), 16_000))
    assert sound.shape == (16_000,)
    assert [round(float(sound[at]), 1) for at in (0, 1_999, 2_000, 3_999, 4_000, 5_999, 6_000, 14_000, 15_999)] == [.1, .1, 0, 0, .2, .2, 0, .3, .3]  # fmt: skip
    part(32_000, 16_000, 0, MicrophoneState.MUTED)
    assert not second.unit(UnitIn(UnitIndex(2), Samples(32_000), 16_000)).any() and second.silent == 1
