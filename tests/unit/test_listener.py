"""End of turn and speculative recognition, on a fake voice activity (loud = speech)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

import numpy as np
import pytest

from ridealong.cloud.frontends.cascade.listener import Listener
from ridealong.cloud.frontends.cascade.segment import FRAME, Audio, Text, Utterance
from ridealong.proto.types import MicrophoneState, Samples

pytestmark = pytest.mark.unit
RATE = 16_000


class Inline(Executor):
    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class Loud:
    def __call__(self, frame: Audio) -> float:
        assert len(frame) == FRAME
        return float(np.abs(frame).max() > 0.1)

    def reset(self) -> None: ...


def listener(
    turn: float = 0.0, finished: Callable[[str, str], bool] = lambda text, locale: False, fail: bool = False
) -> Listener:
    def recognise(audio: Audio, locale: str) -> Text:
        if fail:
            raise RuntimeError("broken")
        return Text(f"{len(audio)}.", "en", 0.9, 0.0)

    return Listener(Loud(), lambda audio: turn, recognise, Inline(), lambda: None, finished)


def feed(
    ear: Listener, pattern: list[tuple[float, bool]], speaking: bool = False, part_ms: int = 200, partials: bool = False
) -> list[tuple[float, Utterance]]:
    """pattern: (seconds, loud). Returns (time of arrival in s, utterance); final ones only, unless `partials`."""
    audio = np.concatenate([np.full(int(seconds * RATE), 0.3 if loud else 0.0, np.float32) for seconds, loud in pattern])
    step = part_ms * RATE // 1000
    out: list[tuple[float, Utterance]] = []
    for start in range(0, len(audio) - step + 1, step):
        pcm = (audio[start : start + step] * 32767).astype("<i2").tobytes()
        for utterance in ear.on_part(Samples(start), step, pcm, MicrophoneState.LIVE, speaking):
            out.append(((start + step) / RATE, utterance))
    return [(at, utterance) for at, utterance in out if utterance.final or partials]


def test_patient_without_a_sign_of_the_end() -> None:
    found = feed(listener(turn=0.1), [(1, False), (1, True), (3, False)])
    assert len(found) == 1
    at, utterance = found[0]
    assert 2.8 <= at <= 3.6 and abs(utterance.end / RATE - 2.0) < 0.1 and 0.6 < utterance.start / RATE < 1.0


def test_quick_when_the_turn_model_says_so() -> None:
    assert 2.3 <= feed(listener(turn=0.9), [(1, False), (1, True), (3, False)])[0][0] <= 2.6


def test_quick_when_the_words_are_a_whole_request() -> None:
    assert feed(listener(turn=0.0, finished=lambda text, locale: True), [(1, False), (1, True), (3, False)])[0][0] <= 2.6


def test_a_hesitation_does_not_cut() -> None:
    found = feed(listener(turn=0.1), [(1, False), (1, True), (0.6, False), (1, True), (2, False)])
    assert len(found) == 1 and abs(found[0][1].end / RATE - 3.6) < 0.1


def test_a_click_is_no_utterance() -> None:
    assert feed(listener(turn=0.9), [(1, False), (0.1, True), (2, False)]) == []


def test_endless_talk_is_cut() -> None:
    found = feed(listener(), [(0.5, False), (20, True), (2, False)])
    assert len(found) == 2 and (found[0][1].end - found[0][1].start) / RATE <= 14.3


def test_partials_as_the_overlap_grows_otherwise_in_pauses_only() -> None:
    pattern = [(0.5, False), (3, True), (0.4, False), (1, True), (2, False)]
    pauses = [at for at, utterance in feed(listener(), pattern, partials=True) if not utterance.final]
    assert len(pauses) == 2 and 3.5 < pauses[0] <= 3.9 and 4.9 < pauses[1] <= 5.2
    overlap = feed(listener(), [(0.5, False), (3, True), (2, False)], speaking=True, partials=True)
    assert sum(not utterance.final for _, utterance in overlap) >= 3 and all(utterance.overlap for _, utterance in overlap)


def test_a_lost_microphone_ends_what_was_open() -> None:
    ear = listener()
    assert feed(ear, [(0.4, False), (1, True)]) == []
    found = ear.on_part(Samples(int(1.4 * RATE)), 3_200, b"", MicrophoneState.LOST, False)
    assert len(found) == 1 and not ear.unfinished


def test_a_failing_recogniser_is_counted_not_fatal() -> None:
    ear = listener(turn=0.9, fail=True)
    assert feed(ear, [(0.5, False), (1, True), (2, False)]) == [] and ear.errors == 1


def test_positions_survive_a_jump_of_the_clock() -> None:
    ear = listener(turn=0.9)
    feed(ear, [(1, False)])
    pcm = (np.full(RATE, 0.3) * 32767).astype("<i2").tobytes()
    ear.on_part(Samples(5 * RATE), RATE, pcm, MicrophoneState.LIVE, False)
    found = ear.on_part(Samples(6 * RATE), RATE, bytes(2 * RATE), MicrophoneState.LIVE, False)
    assert len(found) == 1 and abs(found[0].start / RATE - 5.0) < 0.1


def levels(ear: Listener, pattern: list[tuple[float, float]]) -> list[Utterance]:
    """pattern: (seconds, level in dBFS); every level counts as speech for the fake voice activity."""
    noise = np.random.default_rng(1)
    audio = np.concatenate([noise.standard_normal(int(seconds * RATE)) * 10 ** (db / 20) for seconds, db in pattern])
    out: list[Utterance] = []
    for start in range(0, len(audio) - 3199, 3200):
        pcm = (np.clip(audio[start : start + 3200], -1, 1) * 32767).astype("<i2").tobytes()
        out += ear.on_part(Samples(start), 3200, pcm, MicrophoneState.LIVE, False)
    return [utterance for utterance in out if utterance.final]


class Always(Loud):
    def __call__(self, frame: Audio) -> float:
        return float(np.sqrt((frame**2).mean()) > 10 ** (-45 / 20))


def murmured(**kwargs: Any) -> Listener:
    ear = listener(**kwargs)
    ear.vad = Always()
    return ear


@pytest.mark.parametrize("murmur_db", [-33.0, -36.0, -40.0])
def test_a_murmur_behind_the_voice_does_not_hold_the_turn(murmur_db: float) -> None:
    found = levels(murmured(turn=0.9), [(0.6, -60), (1.2, -20), (2.4, murmur_db), (1.0, -20), (2.0, -60)])
    near = [u for u in found if u.level_db > -26]
    assert len(near) == 2, [(u.start / RATE, u.end / RATE, u.level_db) for u in found]
    assert abs(near[0].end / RATE - 1.8) < 0.55 and abs(near[1].end / RATE - 5.2) < 0.25


@pytest.mark.parametrize("before_s", [1.0, 4.0, 13.5])
def test_a_near_voice_over_a_murmur_is_an_utterance_of_its_own(before_s: float) -> None:
    found = levels(murmured(turn=0.9), [(0.6, -60), (before_s, -34), (1.5, -20), (2.0, -60)])
    begin = 0.6 + before_s
    near = [u for u in found if u.level_db > -26]
    assert len(near) == 1 and abs(near[0].start / RATE - begin) < 0.4 and abs(near[0].end / RATE - begin - 1.5) < 0.25


@pytest.mark.parametrize("quiet_db", [-24.0, -27.0, -29.0])
def test_one_voice_that_falls_and_rises_stays_one_utterance(quiet_db: float) -> None:
    found = levels(murmured(turn=0.1), [(0.6, -60), (0.8, -20), (1.2, quiet_db), (0.8, -20), (2.0, -60)])
    assert len(found) == 1 and abs(found[0].end / RATE - 3.4) < 0.25


@pytest.mark.parametrize("gap_s", [0.05, 0.1, 0.15])
def test_a_soft_last_syllable_belongs_to_the_words(gap_s: float) -> None:
    heard: list[int] = []
    ear = murmured(turn=0.9)
    inner = ear.recognise
    ear.recognise = lambda audio, locale: heard.append(len(audio)) or inner(audio, locale)  # type: ignore[func-returns-value]
    found = levels(ear, [(0.6, -60), (1.2, -20), (gap_s, -34), (0.12, -33), (2.0, -60)])
    assert len(found) == 1 and found[0].end / RATE > 1.8 + gap_s
    assert float(found[0].text.text) / RATE > 0.25 + 1.2 + gap_s + 0.1


@pytest.mark.parametrize(("level_db", "free"), [(-40.0, True), (-34.0, True), (-26.0, False), (-20.0, False)])
def test_a_murmur_does_not_keep_the_floor(level_db: float, free: bool) -> None:
    ear = murmured()
    levels(ear, [(0.6, -60), (2.0, level_db)])
    assert ear.unfinished and ear.voice_end is not None
    ear = murmured()
    ear.levels.usual_db = -20.0
    levels(ear, [(0.6, -60), (2.0, level_db)])
    assert ear.unfinished is not free and (ear.voice_end is None) is free


def test_an_utterance_carries_its_voice_its_turn_and_its_sound() -> None:
    overlap = [
        utterance
        for _, utterance in feed(listener(turn=0.9), [(0.5, False), (1.5, True), (2, False)], speaking=True, partials=True)
    ]
    partials = [utterance for utterance in overlap if not utterance.final]
    assert 400 <= partials[0].voiced_ms <= 700 and partials[0].turn is None
    assert [p.voiced_ms for p in partials] == sorted(p.voiced_ms for p in partials) and len(partials) >= 3
    final = overlap[-1]
    assert final.final and final.turn == 0.9 and abs(final.voiced_ms - 1500) < 64
    assert abs(len(final.audio) - (final.end - final.start)) <= 0 and float(np.abs(final.audio).max()) > 0.2


@pytest.mark.parametrize(("words", "one"), [("turn on the", True), ("Turn on the, um,", True), ("turn on the defroster", False)])
def test_words_that_broke_off_go_on_after_a_long_hesitation(words: str, one: bool) -> None:
    ear = listener(turn=0.1)
    ear.recognise = lambda audio, locale: Text(words, "en", 0.9, 0.0)
    found = [utterance for _, utterance in feed(ear, [(1, False), (1, True), (2.2, False), (1, True), (2.5, False)])]
    assert len(found) == 2 and (found[1].start == found[0].start) is one
    assert found[1].end > found[0].end and found[1].voiced_ms > (1_900 if one else 900)


def test_words_that_broke_off_do_not_reach_over_a_long_silence() -> None:
    ear = listener(turn=0.1)
    ear.recognise = lambda audio, locale: Text("turn on the", "en", 0.9, 0.0)
    found = [utterance for _, utterance in feed(ear, [(1, False), (1, True), (4, False), (1, True), (2.5, False)])]
    assert len(found) == 2 and found[1].start > found[0].end


def test_every_pause_is_kept_with_what_was_known_of_it() -> None:
    ear = listener(turn=0.1)
    feed(ear, [(1, False), (1, True), (0.6, False), (1, True), (2.5, False)])
    went_on, ended = ear.pauses
    assert (went_on.ended, ended.ended) == (False, True) and 400 <= went_on.silence_ms <= 640
    assert went_on.evidence.turn == 0.1 and went_on.evidence.text and went_on.decision.wait_ms > went_on.silence_ms
    assert ended.silence_ms >= ended.decision.wait_ms


def test_a_flicker_of_voice_does_not_waste_the_recognition() -> None:
    calls: list[int] = []
    ear = listener(turn=0.9, finished=lambda text, locale: True)
    inner = ear.recognise
    ear.recognise = lambda audio, locale: calls.append(len(audio)) or inner(audio, locale)  # type: ignore[func-returns-value]
    found = feed(ear, [(1, False), (1, True), (0.15, False), (0.02, True), (2, False)])
    assert len(found) == 1 and len(calls) == 1


def in_noise(words_above: float = 0.25) -> Listener:
    """A voice activity that takes the noise for speech, and a recogniser that finds words only in what is louder than the noise."""
    ear = listener()
    ear.vad = Everything()
    ear.recognise = lambda audio, locale: (
        Text("open my window", "en", 0.9, 0.1) if np.abs(audio).max() > words_above else Text("", "en", 0.3, 0.9)
    )
    ear.finished = lambda text, locale: bool(text)
    ear.turn = lambda audio: 0.9
    return ear


class Everything:
    def __call__(self, frame: Audio) -> float:
        return 0.9

    def reset(self) -> None: ...


def sound(ear: Listener, seconds: float, amplitude: float, at: int) -> tuple[int, list[tuple[float, Utterance]]]:
    out = []
    for _ in range(round(seconds * 10)):
        pcm = np.full(RATE // 10, int(amplitude * 32767), "<i2").tobytes()
        out += [((at + RATE // 10) / RATE, one) for one in ear.on_part(Samples(at), RATE // 10, pcm, MicrophoneState.LIVE, False)]
        at += RATE // 10
    return at, [pair for pair in out if pair[1].final]


def test_noise_that_never_ends_does_not_keep_the_floor() -> None:
    """Field reports B: noise holds the microphone. A sound without words is listened to after 4 s, and holds nothing from then on."""
    ear = in_noise()
    at, _ = sound(ear, 3.0, 0.1, 0)
    assert ear.unfinished
    at, _ = sound(ear, 1.5, 0.1, at)
    assert not ear.unfinished and ear.levels.noise_db == pytest.approx(-20, abs=0.5)
    at, _ = sound(ear, 14.0, 0.1, at)  # the next of its kind is known at once
    assert not ear.unfinished


def test_a_request_in_noise_ends_when_its_words_end() -> None:
    ear = in_noise()
    at, _ = sound(ear, 6.0, 0.1, 0)
    began = at
    at, early = sound(ear, 1.2, 0.3, at)
    at, late = sound(ear, 2.0, 0.1, at)
    found = [(arrived, one) for arrived, one in [*early, *late] if one.text.text]
    assert len(found) == 1 and found[0][0] < (began / RATE) + 1.2 + 1.0, "not when the noise ends"


def test_noise_that_has_gone_is_forgotten() -> None:
    ear = in_noise(words_above=0.02)
    ear.recognise = lambda audio, locale: Text("", "en", 0.3, 0.9)
    at, _ = sound(ear, 5.0, 0.1, 0)
    assert ear.levels.noise_db is not None
    sound(ear, 15.0, 0.003, at)
    assert ear.levels.noise_db < -40


class Later(Executor):
    """Does nothing until it is told to."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Future[Any], Callable[[], Any]]] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.waiting.append((future, lambda: fn(*args, **kwargs)))
        return future

    def go(self) -> None:
        for future, work in self.waiting:
            if future.set_running_or_notify_cancel():
                future.set_result(work())
        self.waiting.clear()


@pytest.mark.parametrize("then", ["muted", "gap", "long talk of others"])
def test_an_utterance_keeps_its_sound_whatever_comes_before_its_text(then: str) -> None:
    ear, step = listener(turn=0.9), RATE // 5
    later = Later()
    ear.executor = later
    spoken = [(1.0, 0.0), (1.0, 0.3), (0.0 if then != "long talk of others" else 25.0, 0.0)]
    audio = np.concatenate([np.full(int(seconds * RATE), level, np.float32) for seconds, level in spoken])
    found: list[Utterance] = []
    for start in range(0, len(audio), step):
        pcm = (audio[start : start + step] * 32767).astype("<i2").tobytes()
        found += ear.on_part(Samples(start), step, pcm, MicrophoneState.LIVE, False)
    end = len(audio)
    if then == "muted":
        found += ear.on_part(Samples(end), step, b"", MicrophoneState.MUTED, False)
    elif then == "gap":
        found += ear.on_part(Samples(end + RATE), step, bytes(2 * step), MicrophoneState.LIVE, False)
    later.go()
    found += ear.on_part(Samples(end), 0, b"", MicrophoneState.LIVE, False)
    (utterance,) = [one for one in found if one.final]
    assert utterance.level_db > -12 and 0.9 * RATE < len(utterance.audio) < 1.5 * RATE
