"""Many sessions on one engine, in threads: what each gets is what it gets alone, and nobody's fault is another's."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace

import pytest
import torch
from test_engine import SETTINGS, alone, engine, same, unit

from ridealong.cloud.model.engine import EngineError
from ridealong.cloud.model.runner import Answer, Ended, Refused, Runner
from ridealong.cloud.model.scheduler import How, SchedulerSettings

pytestmark = pytest.mark.model
PATIENT = SchedulerSettings(deadline_ms=60_000, gather_ms=50)


def test_sessions_at_once_are_what_they_are_alone() -> None:
    runner = Runner(engine(slots=3), PATIENT)
    seeds = (21, 22, 23)
    sessions = [runner.open(replace(SETTINGS, seed=seed)) for seed in seeds]
    futures: list[list[Future[Answer]]] = [[] for _ in seeds]
    for second in range(3):  # all at once, faster than they are run
        for place, seed in enumerate(seeds):
            futures[place].append(sessions[place].submit(unit(seed, second)))
    for place, seed in enumerate(seeds):
        answers = [future.result(60) for future in futures[place]]
        assert {answer.how for answer in answers} == {How.WHOLE} and not any(answer.late_ms for answer in answers)
        for answer, want in zip(answers, alone(seed, 3), strict=True):
            same(answer.output, want)
    runner.stop()


def test_a_unit_that_cannot_be_is_refused_to_its_session_alone() -> None:
    runner = Runner(engine(), PATIENT)
    good, bad = runner.open(replace(SETTINGS, seed=1)), runner.open(SETTINGS)
    futures = good.submit(unit(1, 0)), bad.submit(replace(unit(2, 0), sound=torch.zeros(5)))
    with pytest.raises(EngineError, match="16000 samples"):
        futures[1].result(60)
    same(futures[0].result(60).output, alone(1, 1)[0])
    assert bad.submit(unit(2, 0)).result(60).output.headroom_rows > 0
    runner.stop()


def test_a_fault_of_the_device_ends_no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    made = engine()
    runner = Runner(made, PATIENT)
    session = runner.open(SETTINGS)
    think = made.think

    def broken(*_: object) -> object:
        monkeypatch.setattr(made, "think", think)
        raise RuntimeError("CUDA error: an illegal memory access")

    monkeypatch.setattr(made, "think", broken)
    with pytest.raises(RuntimeError, match="illegal memory"):
        session.submit(unit(1, 0)).result(60)
    assert session.submit(unit(1, 0)).result(60).output.headroom_rows > 0
    runner.stop()


def test_full_and_free_again() -> None:
    runner = Runner(engine(slots=1), PATIENT)
    first = runner.open(SETTINGS)
    with pytest.raises(Refused, match="every place on this node's GPU is taken"):
        runner.open(SETTINGS)
    first.close()
    first.close()
    second = runner.open(replace(SETTINGS, seed=31))
    same(second.submit(unit(31, 0)).result(60).output, alone(31, 1)[0])
    with pytest.raises(Ended):
        first.submit(unit(1, 0)).result(60)
    runner.stop()


def test_closing_with_units_on_their_way() -> None:
    runner = Runner(engine(), PATIENT)
    session = runner.open(SETTINGS)
    futures = [session.submit(unit(1, second)) for second in range(5)]
    session.close()
    ends = [future.exception(60) for future in futures]
    assert all(end is None or isinstance(end, Ended) for end in ends) and isinstance(ends[-1], Ended)
    runner.stop()


def test_settings_that_cannot_be_leave_the_place_free() -> None:
    runner = Runner(engine(slots=1), PATIENT)
    with pytest.raises(EngineError, match="more than half of the window"):
        runner.open(replace(SETTINGS, prompt="word " * 400))
    runner.open(SETTINGS)
    runner.stop()


def test_late_units_are_told() -> None:
    runner = Runner(engine(), SchedulerSettings(deadline_ms=1, gather_ms=0))
    answer = runner.open(SETTINGS).submit(unit(1, 0)).result(60)
    assert answer.late_ms > 0 and runner.late_units == 1
    runner.stop()
