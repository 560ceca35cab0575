"""Holes in the assistant's speech: what is one, what is none, and where it is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ridealong.device import reflex as rx
from ridealong.device.holes import LEAST, Hole, Holes
from ridealong.proto.types import Epoch, PlaybackAck, PlaybackState, Samples, UtteranceId
from ridealong.simulators.replay.figures import figures
from ridealong.simulators.replay.picture import timeline
from ridealong.simulators.replay.recorder import Recorder
from ridealong.simulators.replay.report import Report, render
from tests.unit.device_ride import Ride, run, speech

pytestmark = pytest.mark.unit
S = 16_000


def heard(holes: Holes, *spans: tuple[int, int, int, int]) -> list[Hole]:
    """(utterance, first frame in ms, length in ms, at in ms)."""
    found = [
        holes.heard(Epoch(1), UtteranceId(utterance), 24 * first, 24 * length, Samples(16 * at))
        for utterance, first, length, at in spans
    ]
    return [hole for hole in found if hole is not None]


def test_silence_between_two_samples_of_an_utterance_is_a_hole() -> None:
    holes = Holes()
    assert heard(holes, (1, 0, 500, 0), (1, 500, 500, 500), (1, 1_000, 500, 1_950)) == [
        Hole(Epoch(1), UtteranceId(1), Samples(S), round(0.95 * S))
    ]
    assert (holes.holes, holes.hole_samples, holes.longest_hole_samples) == (1, round(0.95 * S), round(0.95 * S))


def test_what_lies_between_two_utterances_is_none_nor_what_is_too_short_to_hear() -> None:
    assert heard(Holes(), (1, 0, 500, 0), (2, 0, 500, 1_500)) == []
    assert heard(Holes(), (1, 0, 500, 0), (1, 500, 500, 500 + 1_000 * LEAST // S - 1)) == []


def test_nor_is_a_pause_that_was_meant() -> None:
    holes = Holes()
    assert heard(holes, (1, 0, 500, 0)) == []
    holes.paused()
    assert heard(holes, (1, 500, 500, 2_000)) == [] and len(heard(holes, (1, 1_000, 100, 3_000))) == 1


@pytest.mark.parametrize("late_s", [0.0, 0.95])
def test_a_sentence_that_comes_too_late_is_counted_by_the_device(late_s: float) -> None:
    ride, chunks = Ride(), speech(1, 1, 2.0)

    def say(some: slice) -> None:
        for chunk in chunks[some]:
            ride.link.on_message(chunk)

    run(ride.go(6, (1.0, lambda: say(slice(0, 10))), (2.0 + late_s, lambda: say(slice(10, 20)))))
    counted = ride.agent.telemetry.snapshot()
    told = [hole for _, hole in ride.told(Hole)]
    assert counted["speech.holes"] == len(told) == (late_s > 0)
    if told:
        assert abs(told[0].samples / S - late_s) < 0.25 and counted["speech.hole_samples"] == told[0].samples


def test_what_somebody_who_speaks_makes_it_wait_for_is_no_hole() -> None:
    ride = Ride()

    def say() -> None:
        for chunk in speech(1, 1, 3.0):
            ride.link.on_message(chunk)

    def perform(effect: rx.Effect) -> Callable[[], None]:
        return lambda: ride.agent.sounding.perform(effect, "reflex")

    run(ride.go(8, (1.0, say), (2.0, perform(rx.Hold())), (3.5, perform(rx.Release()))))
    assert ride.agent.telemetry.snapshot()["speech.holes"] == 0
    assert [ack.at / S for ack in ride.sent(PlaybackAck) if ack.state is PlaybackState.FINISHED] == [pytest.approx(5.6, abs=0.1)]


@pytest.mark.parametrize("real_time", [True, False])
def test_the_run_s_figures_and_report_tell_them(tmp_path: Path, real_time: bool) -> None:
    recorder = Recorder(tmp_path / "rendered", real_time=real_time)
    recorder.hole(Samples(5 * S), UtteranceId(3), round(0.95 * S))
    record = recorder.finish()
    record.duration_s = 10.0
    assert type(record).from_json(record.to_json()).holes == record.holes
    shown = {figure.name: figure.shown() for figure in figures((), record, [])}
    assert (shown["speech_holes"], shown["longest_speech_hole_ms"]) == (("1", "950 ms") if real_time else ("not measured",) * 2)
    assert "torn apart 1 time, for 0.95 s at the longest" in render(Report("x", record))
    assert "0:05 a hole of 0.95 s" in timeline(record, ())
