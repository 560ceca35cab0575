"""Which scenarios are ridden, and how a run is stopped."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from ridealong.cli import main
from ridealong.errors import UserError
from ridealong.proto.types import CLOCK_HZ
from ridealong.simulators.evaluation.suites import COUNTED, MINUTES, interleaved, jobs_of, turn_points
from ridealong.simulators.evaluation.working import Workers
from ridealong.simulators.scenarios.generate import Studio
from ridealong.simulators.scenarios.plan import spoken_ms
from ridealong.simulators.scenarios.scenario import Cue, Kind, Split
from ridealong.simulators.scenarios.speech import Syllables
from tests.unit.evaluation_scenes import scenario, sound

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def studio() -> Studio:
    return Studio.of(Split.REPORT, Syllables())


def test_every_class_gets_its_number_in_both_languages_and_at_every_noise_level(studio: Studio) -> None:
    jobs = jobs_of(studio, ["overlaps"], 1, 24)
    turns = {(job.plan.id, line.turn, line.kind.value) for job in jobs for line in job.plan.lines if line.cue is not Cue.CLOCK}
    counts = Counter(kind for _, _, kind in turns)
    assert min(counts[kind] for kind in COUNTED) >= 24
    assert {(job.plan.locale, job.plan.snr_db) for job in jobs} == {
        (locale, snr) for locale in ("en", "zh") for snr in (None, 10, 5, 0)
    }
    assert jobs_of(studio, ["overlaps"], 1, 24) == jobs and jobs_of(studio, ["overlaps"], 2, 24) != jobs
    assert len(jobs_of(studio, ["overlaps"], 1, 1)) < 4  # a limit means less work


def test_half_an_hour_is_half_an_hour(studio: Studio) -> None:
    jobs = jobs_of(studio, ["noise", "self"], 1, None)
    assert sum(job.plan.lasts_ms for job in jobs if job.suite == "noise") >= MINUTES * 60_000
    speech_ms = sum(spoken_ms(text, job.plan.locale) for job in jobs if job.suite == "self" for text in job.plan.replies)
    assert MINUTES * 60_000 <= speech_ms <= 1.2 * MINUTES * 60_000
    assert all(line.kind is Kind.NOISE for job in jobs if job.suite == "noise" for line in job.plan.lines)


def test_a_run_cut_short_has_some_of_each_suite(studio: Studio) -> None:
    jobs = jobs_of(studio, ["turns", "noise"], 1, 8)
    assert len({job.plan.id for job in jobs}) == len(jobs) == 16
    assert {job.suite for job in jobs[:4]} == {"turns", "noise"}
    assert interleaved([[], jobs[:1]]) == jobs[:1]


def test_the_turn_model_is_asked_after_every_hesitation_and_the_end() -> None:
    request = sound(Kind.REQUEST, 1_000, 3_000, cue=Cue.CLOCK, lead_ms=300)
    pauses = ((16_000, 24_000), (30_000, 31_600), (40_000, 44_000))  # the second is shorter than the wait
    told = scenario(
        type(request)(**{name: getattr(request, name) for name in request.__slots__} | {"pauses": pauses}), replies=(), bed=np.full(100, 7, np.int16)
    )  # fmt: skip
    lengths: list[int] = []

    def turn(audio: np.ndarray) -> float:
        lengths.append(len(audio))
        return 0.25

    points = turn_points(told, turn)
    waited, before = 3_072, 4_800 - CLOCK_HZ // 4
    assert [(point.silence_ms, point.last) for point in points] == [(500, False), (250, False), (5_000, True)]
    assert lengths == [16_000 + waited - before, 40_000 + waited - before, 4_800 + 48_000 + waited - before]


def test_ctrl_c_prints_what_is_done(
    tmp_path: Path, studio: Studio, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Studio, "of", staticmethod(lambda split, *_, **__: studio))
    (tmp_path / "script.yaml").write_text("- {unit: 900, say: nothing}\n")
    (tmp_path / "node.yaml").write_text(f"frontend: {{kind: scripted, script: {tmp_path / 'script.yaml'}}}\n")
    whole = Workers.each

    def interrupted(self: Workers[object, object], jobs: list[object]) -> object:
        yield next(iter(whole(self, jobs)))
        raise KeyboardInterrupt

    monkeypatch.setattr(Workers, "each", interrupted)
    options = ["--suite", "turns", "--limit", "2", "--config", str(tmp_path / "node.yaml"), "--out", str(tmp_path / "out")]
    assert main(["eval", "duplex", *options]) == 130
    printed = capsys.readouterr()
    assert "requests that were answered" in printed.out and "To go on: --out" in printed.err
    assert len((tmp_path / "out" / "rides.jsonl").read_text().splitlines()) == 1


def double() -> object:
    return _twice


def _twice(number: int) -> int:
    return 2 * number


def test_workers_do_every_job_once() -> None:
    for count in (1, 2):
        assert sorted(Workers[int, int](double, count).each(range(7))) == [0, 2, 4, 6, 8, 10, 12]  # type: ignore[arg-type]


def test_a_scenario_that_cannot_be_made_is_one_broken_ride(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    from ridealong.cloud.config import CloudConfig
    from ridealong.simulators.evaluation.riding import System
    from ridealong.simulators.evaluation.suites import Stage

    def fails(self: Studio, plan: object) -> object:
        raise ValueError("a sound holds nothing")

    monkeypatch.setattr(Studio, "scenario", fails)
    (job,) = jobs_of(studio, ["turns"], 1, 1)
    facts = Stage(studio, System(CloudConfig())).ride(job)
    assert facts.broken == "the scenario could not be made" and facts.id == job.plan.id


def breaks() -> object:
    return _gone


def _gone(number: int) -> int:
    import os

    os._exit(3)


def test_a_worker_that_dies_is_a_sentence() -> None:
    with pytest.raises(UserError, match="fewer --jobs"):
        list(Workers[int, int](breaks, 2).each(range(3)))  # type: ignore[arg-type]


def test_recordings_of_people_from_a_folder_are_planned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import soundfile

    assert main(["eval", "duplex", "--recordings", str(tmp_path / "none")]) == 2
    assert "no such folder of recordings" in capsys.readouterr().err
    soundfile.write(tmp_path / "somebody.wav", np.random.default_rng(1).normal(0, 0.1, 48_000), 16_000)
    plans = Studio.of(Split.REPORT, recordings=tmp_path).plans(1, 60)
    assert any("somebody" in str(plan) for plan in plans)
