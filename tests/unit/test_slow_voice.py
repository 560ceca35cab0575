"""A voice that takes its time: speech does not break off in the middle, and begins no later than it must."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from typing import Any

import pytest

from ridealong.cloud.frontends.base import Played, SpeechSlice
from ridealong.cloud.frontends.cascade.utterance import clauses
from ridealong.cloud.frontends.mouth import START_WAIT, Clip, Mouth
from ridealong.cloud.frontends.synthesis_speed import SynthesisSpeed
from ridealong.proto.types import Samples, WordTime

pytestmark = pytest.mark.unit

RATE = 24_000
LETTER = RATE // 15
TYRES = "Tyre pressure is low: front left 1.8, front right 1.9, rear right 1.9 bar."
CHARGING = "About the charging stations: the cheapest is Lakeside charging station, 150 kilowatts at 39 cents."
LONG = f"{CHARGING} It is 12 kilometres away, on your route, and free at the moment. There are six of them, two are taken."
ANSWERS = {"tyres": TYRES, "charging": CHARGING, "long": LONG, "one clause": "Set to 22.5 degrees."}


@dataclass
class Machine(Executor):
    """One worker on a clock of its own; a clause takes `ratio` of its length to make."""

    ratio: float
    now_s: float = 0.0
    free_s: float = 0.0
    waiting: deque[tuple[float, Future[Clip], Clip]] = field(default_factory=deque)
    began_s: float | None = None  # while it works, the clock that the work sees

    def clock(self) -> float:
        return self.now_s if self.began_s is None else self.began_s

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Clip] = Future()
        began_s, self.began_s = self.began_s, max(self.now_s, self.free_s)
        clip = fn(*args, **kwargs)
        self.free_s, self.began_s = self.began_s, began_s
        self.waiting.append((self.free_s, future, clip))
        return future

    def clauses(self, text: str, locale: str) -> list[str]:
        return clauses(text, locale)

    def clip(self, text: str, locale: str) -> Clip:
        """A `Voice` too: as many samples as it is long."""
        assert self.began_s is not None
        words, at = [], 0
        for word in text.split():
            length = LETTER * sum(4 if char.isdigit() else 1 for char in f"{word} ")
            words.append(WordTime(word, at, at + length))
            at += length
        self.began_s += self.ratio * at / RATE
        return Clip(bytes(2 * at), RATE, tuple(words))

    def advance(self, to_s: float) -> None:
        while self.waiting and self.waiting[0][0] <= to_s:
            self.now_s, future, clip = self.waiting.popleft()
            if future.set_running_or_notify_cancel():
                future.set_result(clip)
        self.now_s = to_s


@dataclass
class Listener:
    """A device that plays what comes, 120 ms after it began to come, and acknowledges it."""

    began_s: float | None = None
    end_s: float = 0.0
    holes_s: list[float] = field(default_factory=list)
    samples: int = 0
    done: bool = False
    text: list[str] = field(default_factory=list)

    def take(self, piece: SpeechSlice, at_s: float) -> None:
        if piece.pcm16:
            if self.began_s is None:
                self.began_s = self.end_s = at_s + 0.12
            elif at_s > self.end_s:
                self.holes_s.append(at_s - self.end_s)
                self.end_s = at_s
            self.end_s += len(piece.pcm16) / 2 / RATE
            self.samples += len(piece.pcm16) // 2
            self.text += [word.word for word in piece.words]
        self.done = self.done or piece.last


def ride(text: str, ratio: float, known: float | None = None) -> Listener:
    """Say `text` at 0 s on such a machine, parts of 200 ms; `known`: the ratio that was measured before (the real one)."""
    machine, speed = Machine(ratio), SynthesisSpeed()
    speed.ratio = ratio if known is None else known
    woken: list[bool] = []
    mouth = Mouth(machine, machine, lambda: woken.append(True), machine.clock, speed)
    mouth.say(text, "en", "w1")
    listener = Listener()
    for step in range(20 * 120):
        at_s = step / 20
        machine.advance(at_s)
        if step % 4 == 0 or woken:
            woken.clear()
            if listener.began_s is not None and at_s > listener.began_s and not listener.done:
                played = listener.samples - max(0, round((listener.end_s - at_s) * RATE))
                mouth.played(Played(mouth._plans[0].utterance, played, False, False, "") if mouth._plans else Played(0, 0, False, False, ""), Samples(round(16_000 * at_s)))  # type: ignore[arg-type]  # fmt: skip
            for piece in mouth.slices(Samples(round(16_000 * at_s))):
                listener.take(piece, at_s)
        if listener.done:
            break
    assert listener.done and " ".join(listener.text) == text
    return listener


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("ratio", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_a_machine_that_keeps_up_never_breaks_off(ratio: float, answer: str) -> None:
    heard = ride(ANSWERS[answer], ratio)
    assert heard.holes_s == []


def test_it_begins_when_its_first_clause_is_there_where_that_lasts() -> None:
    heard = ride(TYRES, 0.3)
    assert heard.began_s is not None and heard.began_s <= 0.12 + 0.3 * len("Tyre pressure is low: ") / 15 + 0.1


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_slow_machine_begins_later_and_not_much_later(answer: str) -> None:
    heard, first_s = ride(ANSWERS[answer], 1.2), 1.2 * len(clauses(ANSWERS[answer], "en")[0]) / 15
    assert heard.began_s is not None and heard.began_s <= 0.12 + 1.6 * first_s + START_WAIT / 16_000 + 0.2
    if answer in ("tyres", "one clause"):
        assert heard.holes_s == []


def test_what_it_did_not_know_of_the_machine_it_learns() -> None:
    speed = SynthesisSpeed()
    for _ in range(4):
        speed.measured("Set to 22.5 degrees.", "en", 2.0, 2.4)
    assert 1.1 < speed.ratio <= 1.2  # slower: at once
    for _ in range(4):
        speed.measured("Set to 22.5 degrees.", "en", 2.0, 0.4)
    assert 0.6 < speed.ratio < 1.0  # faster: slowly
    before = speed.ratio
    speed.measured("Set to 22.5 degrees.", "en", 2.0, 0.001)
    assert speed.ratio == before  # kept, not made


def test_the_length_of_what_will_be_said_is_learnt_by_language() -> None:
    speed = SynthesisSpeed()
    assert speed.audio_s("左后车窗关好了。", "zh") == pytest.approx(7 * 0.22)
    for _ in range(30):
        speed.measured("abcd", "en", 0.8, 0.1)
    assert speed.audio_s("abcdefgh", "en") == pytest.approx(1.6, rel=0.05)
    assert speed.audio_s("1.8", "en") > speed.audio_s("abc", "en")  # a digit is a word
    assert speed.audio_s("左后车窗关好了。", "zh") == pytest.approx(7 * 0.22)


def test_the_next_clause_is_begun_the_moment_one_is_there() -> None:
    machine = Machine(0.4)
    mouth = Mouth(machine, machine, lambda: None, machine.clock)
    mouth.say(TYRES, "en")
    machine.advance(2.0)  # nobody has looked yet
    assert machine.free_s > 0.4 * 0.95 * len("Tyre pressure is low: front left 1.8,") / 15


def test_stop_ends_what_is_still_to_be_made() -> None:
    machine = Machine(0.4)
    mouth = Mouth(machine, machine, lambda: None, machine.clock)
    mouth.say(LONG, "en")
    machine.advance(0.8)
    mouth.stop(Samples(12_800))
    free_s = machine.free_s
    machine.advance(60.0)
    assert machine.free_s == free_s and not mouth.busy
