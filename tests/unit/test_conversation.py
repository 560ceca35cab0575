"""Epochs, heard boundaries and deliveries: only the last sample's ack delivers; nothing dead is sent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ridealong.cloud.conversation import Acked, Button, Conversation, Delivery, Judged, Produced, Send, Silenced, Tell
from ridealong.cloud.frontends.base import ButtonPressed, Output, Played, SpeechSlice, Verdict, VerdictKind
from ridealong.harness.rest import Why
from ridealong.proto.types import (
    ControlToken,
    Epoch,
    Flush,
    OverlapKind,
    PlaybackAck,
    PlaybackState,
    Samples,
    Speech,
    Unduck,
    UnitIndex,
    UtteranceId,
    WordTime,
)

pytestmark = pytest.mark.unit
WORDS = (WordTime("one", 0, 100), WordTime("two", 100, 200), WordTime("three", 200, 300))


def says(
    utterance: int = 1, samples: int = 300, last: bool = True, words: tuple[WordTime, ...] = WORDS, work: str = "w1"
) -> Produced:
    piece = SpeechSlice(UtteranceId(utterance), last, 24_000, bytes(2 * samples), "one two three", words, work)
    return Produced(Output(ControlToken.SPEAK, "one two three", speech=(piece,)), UnitIndex(0), False)


def ack(played: int, state: PlaybackState, utterance: int = 1, epoch: int = 1, at: int = 0) -> Acked:
    return Acked(PlaybackAck(Epoch(epoch), UtteranceId(utterance), played, state, Samples(at)))


def test_delivered_only_by_the_last_sample() -> None:
    talk = Conversation()
    talk.on(says())
    assert not [
        e for e in talk.on(ack(100, PlaybackState.PROGRESS)) if isinstance(e, Delivery) and e.state is not PlaybackState.PROGRESS
    ]
    assert talk.on(ack(299, PlaybackState.FINISHED)) == []  # not all of it: cannot be true
    assert talk.ledger.strange_acks == 1
    final = talk.on(ack(300, PlaybackState.FINISHED, at=9))
    assert Delivery("w1", PlaybackState.FINISHED, "one two three", Samples(9)) in final
    assert talk.on(ack(300, PlaybackState.FINISHED)) == []  # once


def test_interruption_flushes_and_the_rest_is_not_heard() -> None:
    talk = Conversation()
    talk.on(says(last=False))
    flush = talk.on(Judged(Verdict(VerdictKind.INTERRUPTION, Samples(0), Samples(1))))
    assert flush[0] == Send(Flush(Epoch(1)))
    assert [e for e in talk.on(says(last=True)) if isinstance(e, Send) and isinstance(e.body, Speech)] == []
    effects = talk.on(ack(160, PlaybackState.FLUSHED))
    assert Tell(Played(UtteranceId(1), 160, False, True, "one two")) in effects
    assert Delivery("w1", PlaybackState.FLUSHED, "one two", Samples(0), Why.INTERRUPTED) in effects
    fresh = [e.body for e in talk.on(says(utterance=2)) if isinstance(e, Send) and isinstance(e.body, Speech)]
    assert [speech.epoch for speech in fresh] == [2]


def test_a_discarded_overlap_only_unducks() -> None:
    talk = Conversation()
    talk.on(says())
    assert talk.on(Judged(Verdict(VerdictKind.BACKCHANNEL, Samples(0), Samples(1)))) == [Send(Unduck(OverlapKind.BACKCHANNEL))]
    assert talk.epoch == 1


def test_the_button_flushes_and_tells() -> None:
    talk = Conversation()
    talk.on(says())
    effects = talk.on(Button(Samples(7)))
    assert (effects[0], effects[-1]) == (Send(Flush(Epoch(1))), Tell(ButtonPressed(Samples(7))))


def test_what_is_silenced_is_flushed_and_nothing_more_of_it_is_sent() -> None:
    talk = Conversation()
    talk.on(says(last=False))
    effects = talk.on(Silenced(Why.STOP, Samples(7)))
    assert (effects[0], effects[-1]) == (Send(Flush(Epoch(1))), Tell(ButtonPressed(Samples(7))))
    assert [e for e in talk.on(says(last=True)) if isinstance(e, Send) and isinstance(e.body, Speech)] == []
    assert talk.ledger.entries[UtteranceId(1)].cut is Why.STOP


def test_a_flush_of_the_device_is_followed() -> None:
    talk = Conversation()
    talk.on(says(last=False))
    effects = talk.on(ack(10, PlaybackState.FLUSHED))
    assert Send(Flush(Epoch(1))) in effects and talk.epoch == 2
    assert [e for e in talk.on(says(last=True)) if isinstance(e, Send) and isinstance(e.body, Speech)] == []


def test_a_front_end_that_would_speak_its_protocol_is_not_spoken() -> None:
    talk = Conversation()

    def said(text: str, *, last: bool, pcm: int = 200) -> list[Speech]:
        piece = SpeechSlice(UtteranceId(1), last, 24_000, bytes(pcm), text, (), "", "")
        effects = talk.on(Produced(Output(ControlToken.SPEAK, speech=(piece,)), UnitIndex(0), False))
        return [effect.body for effect in effects if isinstance(effect, Send) and isinstance(effect.body, Speech)]

    assert [one.text for one in said("Sure.", last=False)] == ["Sure."]
    (ended,) = said("<delegate>open the window</delegate>", last=False)
    assert (ended.text, ended.pcm16, ended.last) == ("", b"", True)
    assert said(" Done.", last=True) == [] and talk.refused_slices == 2


def test_acks_for_what_was_never_sent_change_nothing() -> None:
    talk = Conversation()
    talk.on(says())
    assert talk.on(ack(5, PlaybackState.PROGRESS, utterance=9)) == []
    assert talk.on(ack(5, PlaybackState.PROGRESS, epoch=4)) == []
    assert talk.ledger.strange_acks == 2 and talk.ledger.entries[UtteranceId(1)].played_samples == 0


def test_long_slices_are_cut_into_chunks_in_order() -> None:
    talk = Conversation()
    speech = [e.body for e in talk.on(says(samples=50_000)) if isinstance(e, Send) and isinstance(e.body, Speech)]
    assert [(s.chunk, s.offset, len(s.pcm16) // 2, s.last) for s in speech] == [
        (0, 0, 24_000, False),
        (1, 24_000, 24_000, False),
        (2, 48_000, 2_000, True),
    ]


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 400), st.sampled_from(list(PlaybackState))), max_size=30))
def test_heard_is_monotone_and_at_most_what_was_sent(acks: list[tuple[int, int, PlaybackState]]) -> None:
    talk, heard = Conversation(), {1: 0, 2: 0, 3: 0}
    for utterance in heard:
        talk.on(says(utterance=utterance))
    for utterance, played, state in acks:
        talk.on(ack(played, state, utterance=utterance))
        now = talk.ledger.entries[UtteranceId(utterance)].played_samples
        assert heard[utterance] <= now <= 300
        heard[utterance] = now
