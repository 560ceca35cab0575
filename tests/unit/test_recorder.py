"""The record of a run, from bodies and render: heard words, sounds, actuations, frames, decisions without random ids."""

from __future__ import annotations

import json
import wave
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.cloud.timeline import SpokenLedger
from ridealong.proto.types import (
    Actuate,
    ActuationResult,
    ActuationState,
    Caption,
    Control,
    ControlToken,
    Epoch,
    Flush,
    FrameFragment,
    FrameId,
    FrameTombstone,
    GateNote,
    GateReason,
    PlaybackAck,
    PlaybackState,
    Samples,
    SignalWrite,
    Speech,
    UnitIndex,
    UnitPart,
    UtteranceId,
    WordTime,
    WorkUpdate,
)
from ridealong.proto.words import joined
from ridealong.simulators.network import Traffic
from ridealong.simulators.replay.decisions import DecisionLog
from ridealong.simulators.replay.figures import figures
from ridealong.simulators.replay.observing import Fan
from ridealong.simulators.replay.recorder import Recorder, write_mixed
from ridealong.simulators.replay.utterances import UtteranceBook
from ridealong.simulators.trip.record import RunRecord

pytestmark = pytest.mark.unit

TEMPERATURE = "Vehicle.Cabin.HVAC.Station.Row1.Driver.Temperature"


def chunk(text: str, index: int, offset: int, samples: int, words: tuple[WordTime, ...] = (), last: bool = False) -> Speech:
    return Speech(Epoch(0), UtteranceId(1), index, last, 24_000, bytes(2 * samples), text, words, offset=offset)


def ack(played: int, state: PlaybackState, at: int, utterance: int = 1) -> PlaybackAck:
    return PlaybackAck(Epoch(0), UtteranceId(utterance), played, state, Samples(at))


WORDS = (
    WordTime("The", 0, 4000),
    WordTime("left", 4000, 9000),
    WordTime("window", 9000, 15_000),
    WordTime("opens", 15_000, 24_000),
)


@pytest.mark.parametrize(
    ("played", "heard"),
    [(0, ""), (1999, ""), (2000, "The"), (11_999, "The left"), (12_000, "The left window"), (24_000, "The left window opens.")],
)
def test_a_word_is_heard_when_half_of_it_was_played(played: int, heard: str) -> None:
    book = UtteranceBook()
    book.speech(Samples(100), chunk("The left window opens.", 0, 0, 24_000, WORDS, last=True))
    book.ack(ack(played, PlaybackState.PROGRESS, 200))
    assert book.facts()[0].heard == heard


def test_words_without_times_are_shared_out_and_text_carries_on_over_bare_chunks() -> None:
    book = UtteranceBook()
    book.speech(Samples(0), chunk("one two three four", 0, 0, 1000))
    book.speech(Samples(0), chunk("", 1, 1000, 1000))
    book.speech(Samples(0), chunk("five.", 2, 2000, 500, last=True))
    book.ack(ack(1000, PlaybackState.PROGRESS, 1))
    assert book.facts()[0].heard == "one two"
    book.ack(ack(2500, PlaybackState.FINISHED, 2))
    assert book.facts()[0].heard == book.facts()[0].text == "one two three four five."
    chinese = UtteranceBook()
    chinese.speech(Samples(0), chunk("好的，二十四度。", 0, 0, 800))
    chinese.ack(ack(400, PlaybackState.FLUSHED, 1))
    assert chinese.facts()[0].heard == "好的，二"


def test_acks_move_forward_only_and_a_flushed_end_stays() -> None:
    book = UtteranceBook()
    book.speech(Samples(0), chunk("hello", 0, 0, 1000))
    book.ack(ack(0, PlaybackState.STARTED, 16_000))
    book.ack(ack(500, PlaybackState.FLUSHED, 32_000))
    book.ack(ack(400, PlaybackState.PROGRESS, 33_000))
    book.ack(ack(1, PlaybackState.STARTED, 1, utterance=9))
    fact = book.facts()[0]
    assert (fact.started_s, fact.ended_s, fact.played_samples, fact.state) == (1.0, 2.0, 500, "flushed")
    assert book.unknown_acks == 1


def scene(observer: Fan, key: str, work_id: str) -> None:
    note = GateNote(True, GateReason.FIRST)
    observer.signal(Samples(0), TEMPERATURE, 20.0)
    observer.sent(Samples(0), UnitPart(UnitIndex(0), 0, True, Samples(0), 16_000, bytes(32_000)))
    observer.sent(Samples(0), FrameFragment(FrameId(0), 0, 2, b"x", UnitIndex(0), Samples(800), 640, 360, note))
    observer.sent(Samples(0), FrameFragment(FrameId(0), 1, 2, b"x", UnitIndex(0), Samples(800), 640, 360, note))
    observer.sent(
        Samples(0), FrameTombstone(FrameId(1), UnitIndex(0), Samples(9000), "saving", GateNote(False, GateReason.SIMILAR))
    )
    observer.received(Samples(1000), Caption("user", "twenty two please", True, Samples(100), Samples(900), "assistant"))
    observer.received(Samples(1000), Caption("user", "twenty", False, Samples(100), Samples(500)))
    observer.received(Samples(1000), WorkUpdate(work_id, "running", "none", "climate.set_temperature"))
    observer.received(
        Samples(1000), Actuate(key, (SignalWrite(TEMPERATURE, 22.0),), "climate", "driver", requested_at=Samples(900))
    )
    observer.signal(Samples(1100), TEMPERATURE, 22.0)
    observer.signal(Samples(1200), TEMPERATURE, 22.0)
    observer.sent(Samples(1300), ActuationResult(key, ActuationState.CONFIRMED, at=Samples(1250)))
    observer.received(Samples(1400), Control(UnitIndex(0), ControlToken.SPEAK))
    observer.received(Samples(1400), chunk("Twenty-two.", 0, 0, 4800, last=True))
    tone = (8000 * np.sin(np.arange(4800) / 5)).astype("<i2")
    observer.rendered(Samples(1600), tone[:2400].tobytes())
    observer.rendered(Samples(3200), tone[2400:].tobytes())
    observer.sent(Samples(1600), ack(0, PlaybackState.STARTED, 1600))
    observer.sent(Samples(4800), ack(4800, PlaybackState.FINISHED, 4800))
    observer.received(Samples(5000), Flush(Epoch(0)))


def test_the_record_and_the_recording(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "rendered", real_time=True)
    scene(Fan([recorder]), "key", "work")
    record = recorder.finish(Traffic(up_bytes=7, down_bytes=9))
    assert [change.value for change in record.signals] == [20.0, 22.0]
    (actuation,) = record.actuations
    assert (actuation.state, actuation.requested_at_s, actuation.result_at_s) == ("confirmed", 900 / 16_000, 1250 / 16_000)
    assert [(frame.kept, frame.sent, frame.not_sent_because) for frame in record.frames] == [
        (True, True, ""),
        (False, False, "saving"),
    ]
    assert record.utterances[0].heard == "Twenty-two." and record.utterances[0].started_s == 0.1
    assert [(sound.start_s, sound.end_s) for sound in record.sounds] == [(0.1, 0.3)]
    assert len(record.captions) == 1 and record.acks == {"started": 1, "finished": 1}
    assert (record.duration_s, record.uplink_bytes) == (1.0, 7)
    assert RunRecord.from_json(record.to_json()) == record

    words = (5000 * np.sin(2 * np.pi * 300 * np.arange(16_000) / 16_000)).astype(np.int16)
    write_mixed(tmp_path / "mixed.wav", words, tmp_path / "rendered", 1.5)
    with wave.open(str(tmp_path / "mixed.wav")) as mixed:
        assert (mixed.getnchannels(), mixed.getframerate(), mixed.getnframes()) == (2, 24_000, 36_000)
        both = np.frombuffer(mixed.readframes(36_000), dtype="<i2").reshape(-1, 2)
    wanted = 5000 * np.sin(2 * np.pi * 300 * np.arange(24_000) / 24_000)
    assert np.max(np.abs(both[200:23_800, 0] - wanted[200:23_800])) < 40
    assert not both[:2400, 1].any() and both[2400:7200, 1].any() and not both[7200:, 1].any()


def test_what_the_speaker_clipped_is_counted(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "rendered", real_time=True)
    recorder.rendered(Samples(0), np.array([32_767, -32_768, 32_766, -32_767, 0, 32_767], "<i2").tobytes())
    record = recorder.finish()
    assert record.clipped_samples == 3
    (figure,) = [one for one in figures((), record, []) if one.name == "speaker_samples_at_full_scale"]
    assert (figure.value, figure.goal) == (3.0, "0")


def test_decisions_do_not_depend_on_random_ids(tmp_path: Path) -> None:
    logs: list[list[str]] = []
    for key, work_id in (("5f1c", "a-1"), ("99aa", "b-7")):
        lines: list[str] = []
        scene(Fan([DecisionLog(lines.append)]), key, work_id)
        logs.append(lines)
    assert logs[0] == logs[1]
    rows = [json.loads(line) for line in logs[0]]
    assert [row["what"] for row in rows] == [
        "signal", "frame", "frame", "caption", "work", "actuate", "signal", "result", "control", "say", "ack", "ack", "flush",
    ]  # fmt: skip
    assert rows[5]["key"] == "a1" and rows[4]["work"] == "w1"


def test_a_folder_without_a_record_is_a_sentence(tmp_path: Path) -> None:
    from ridealong.errors import UserError

    with pytest.raises(UserError, match="not a run folder"):
        RunRecord.load(tmp_path)
    (tmp_path / "record.json").write_text('{"signals": [{"x": 1}]}')
    with pytest.raises(UserError, match="replay the trip again"):
        RunRecord.load(tmp_path)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.text(alphabet="ab1,.好的，", min_size=1, max_size=6), st.integers(1, 30_000)), min_size=1, max_size=8), st.integers(0, 99_000), st.booleans())  # fmt: skip
def test_the_report_and_the_conversation_agree_on_what_was_heard(said: list[tuple[str, int]], played: int, timed: bool) -> None:
    words, end = [], 0
    for word, length in said:
        words.append(WordTime(word, end, end + length))
        end += length
    played = min(played, end)
    text = joined(word.word for word in words)
    ledger, book = SpokenLedger(), UtteranceBook()
    ledger.sent(UtteranceId(1), Epoch(0), 24_000, end, tuple(words) if timed else (), False, "", text)
    book.speech(Samples(0), chunk(text, 0, 0, end, tuple(words) if timed else ()))
    acked = ack(played, PlaybackState.FLUSHED, 1)
    spoken = ledger.acked(acked)
    book.ack(acked)
    assert spoken is not None and book.facts()[0].heard == spoken.heard()
