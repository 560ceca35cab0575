"""Paced speech: every sample of every clause leaves once, in order, and the last slice says so."""

from __future__ import annotations

from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

import pytest

from ridealong.cloud.frontends.base import Played, SpeechSlice
from ridealong.cloud.frontends.mouth import Clip, Mouth
from ridealong.proto.types import Samples, UtteranceId, WordTime

pytestmark = pytest.mark.unit


class Inline(Executor):
    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class Counting:
    """A voice whose samples count up, 0.3 s a word."""

    def __init__(self) -> None:
        self.made = 0

    def clauses(self, text: str, locale: str) -> list[str]:
        return text.split(",")

    def clip(self, text: str, locale: str) -> Clip:
        if text == "fail":
            raise RuntimeError("no voice")
        words = text.split()
        pcm = b"".join(((self.made + i) % 30_000).to_bytes(2, "little") for i in range(7_200 * len(words)))
        self.made += 7_200 * len(words)
        return Clip(pcm, 24_000, tuple(WordTime(w, 7_200 * i, 7_200 * (i + 1)) for i, w in enumerate(words)))


def run(mouth: Mouth, seconds: int) -> list[SpeechSlice]:
    return [piece for tick in range(seconds * 5) for piece in mouth.slices(Samples(3_200 * tick))]


def test_everything_leaves_once_in_order() -> None:
    mouth = Mouth(Counting(), Inline(), lambda: None)
    mouth.say("a b c d e, f g h i j k l, m n", "en", "w1")
    pieces = run(mouth, 10)
    pcm = b"".join(piece.pcm16 for piece in pieces)
    assert [int.from_bytes(pcm[i : i + 2], "little") for i in range(0, len(pcm), 2)] == [i % 30_000 for i in range(14 * 7_200)]
    assert [piece.last for piece in pieces] == [False] * (len(pieces) - 1) + [True]
    words = [word for piece in pieces for word in piece.words]
    assert [w.word for w in words] == list("abcdefghijklmn") and all(
        a.end == b.start for a, b in zip(words, words[1:], strict=False)
    )
    assert {piece.work_id for piece in pieces} == {"w1"}


def test_speech_leaves_at_the_pace_of_playback() -> None:
    mouth = Mouth(Counting(), Inline(), lambda: None)
    mouth.say(" ".join("abcdefghijklmnopqrst"), "en")
    first = sum(len(piece.pcm16) // 2 for piece in mouth.slices(Samples(0)))
    assert 24_000 <= first <= 2 * 24_000  # about one chunk and the margin, not all 6 s


def test_stop_drops_the_rest_and_names_what_never_left() -> None:
    mouth = Mouth(Counting(), Inline(), lambda: None)
    mouth.say(" ".join("abcdefghij"), "en", "w1")
    mouth.say("later", "en", "w2")
    mouth.slices(Samples(0))
    assert mouth.stop(Samples(100)) == ["w2"]
    assert run(mouth, 4) == [] and not mouth.busy


def test_busy_until_the_last_sample_was_played() -> None:
    mouth = Mouth(Counting(), Inline(), lambda: None)
    mouth.say("a b", "en")
    mouth.slices(Samples(0))
    assert mouth.busy
    mouth.played(Played(UtteranceId(1), 14_400, True, False, "a b"), Samples(20_000))
    assert not mouth.busy


def test_a_failing_clause_is_left_out_not_fatal() -> None:
    mouth = Mouth(Counting(), Inline(), lambda: None)
    mouth.say("a,fail,b", "en")
    pieces = run(mouth, 3)
    assert [w.word for p in pieces for w in p.words] == ["a", "b"] and mouth.failed_clips == 1 and pieces[-1].last


def test_synthesis_wakes_the_session() -> None:
    woken: list[int] = []
    with ThreadPoolExecutor(1) as pool:
        mouth = Mouth(Counting(), pool, lambda: woken.append(1))
        mouth.say("a,b", "en")
    assert woken


def test_what_was_made_ready_is_used_and_nothing_is_said_before() -> None:
    voice = Counting()
    mouth = Mouth(voice, Inline(), lambda: None)
    mouth.prepare("a b c, d e", "en")
    made = voice.made
    assert made == 3 * 7_200 and run(mouth, 2) == [] and not mouth.busy
    mouth.say("a b c, d e", "en", "w1")
    assert b"".join(piece.pcm16 for piece in run(mouth, 4))[:2] == (0).to_bytes(2, "little") and voice.made == 5 * 7_200
    assert mouth.prepared_used == 1
    mouth.say("a b c", "en", "w2")  # it was used up: made again
    assert voice.made == 8 * 7_200


def test_what_was_made_ready_for_another_language_or_sentence_is_not_said() -> None:
    mouth = Mouth(Counting(), Inline(), lambda: None)
    mouth.prepare("a b", "zh")
    mouth.prepare("x y", "en")
    mouth.say("a b", "en")
    assert [piece.text for piece in run(mouth, 2) if piece.text] == ["a b"] and mouth.prepared_used == 0


def test_only_the_newest_preparations_are_kept() -> None:
    mouth = Mouth(Counting(), Inline(), lambda: None)
    for number in range(20):
        mouth.prepare(f"word{number}", "en")
    mouth.say("word0", "en")
    mouth.say("word19", "en")
    assert mouth.prepared_used == 1 and mouth.prepared_unused == 16


def test_a_failed_preparation_loses_its_clause_only() -> None:
    mouth = Mouth(Counting(), Inline(), lambda: None)
    mouth.prepare("fail", "en")
    mouth.say("fail,b", "en", "w1")
    assert run(mouth, 2)[-1].last and mouth.failed_clips == 1


def test_a_filler_keeps_us_busy_but_not_engaged() -> None:
    mouth = Mouth(Counting(), Inline(), lambda: None)
    mouth.say("one moment", "en", filler=True)
    run(mouth, 1)
    assert mouth.busy and not mouth.engaged
    mouth.say("done", "en", "w1")
    assert mouth.engaged
