"""Whoever wants to break the runner: dead threads, cancelled futures, floods, units that are none. Nobody waits for ever."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import pytest
import torch
from test_engine import SETTINGS, alone, engine, picture, same, unit
from test_runner import PATIENT

from ridealong.cloud.model.engine import EngineError
from ridealong.cloud.model.runner import MOST_WAITING, Answer, Ended, ModelSession, Refused, Runner, _lesser
from ridealong.cloud.model.scheduler import How, SchedulerSettings
from ridealong.cloud.model.unit_io import UnitInput

pytestmark = pytest.mark.model
WORDS = UnitInput(text="hm", force_listen=True)


class Killed(BaseException):
    """Like SystemExit: no ordinary error."""


@pytest.mark.parametrize("half", ["think", "speak", "open", "close"])
def test_a_thread_that_dies_leaves_nobody_waiting(half: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = engine(slots=3)
    runner = Runner(made, PATIENT)
    session, other = runner.open(SETTINGS), runner.open(SETTINGS)

    def killed(*_: object) -> Any:
        raise Killed

    monkeypatch.setattr(made, half, killed)
    futures: list[Future[Answer]] = []
    if half == "open":
        with pytest.raises((Refused, Killed)):
            runner.open(SETTINGS)
    else:
        futures = [session.submit(WORDS) for _ in range(4)]
        other.close()
    for future in futures:
        assert future.exception(20) is None or isinstance(future.exception(), Ended)
    for _ in range(200):
        if runner._dead is not None:
            break
        threading.Event().wait(0.02)
    assert isinstance(session.submit(WORDS).exception(20), Ended)
    with pytest.raises(Refused, match="has stopped"):
        runner.open(SETTINGS)
    assert not session.turn_open()
    session.close()
    runner.stop()
    assert not any(thread.is_alive() for thread in runner._threads)


def test_a_stopped_runner_lets_nobody_in_and_ends_all() -> None:
    runner = Runner(engine(), PATIENT)
    session = runner.open(SETTINGS)
    futures = [session.submit(WORDS) for _ in range(5)]
    runner.stop()
    assert all(future.done() for future in futures)
    with pytest.raises(Refused, match="has stopped"):
        runner.open(SETTINGS)
    assert isinstance(session.submit(WORDS).exception(1), Ended)
    runner.stop()


def test_futures_that_are_cancelled_harm_nobody() -> None:
    """A session's task is cancelled, and with it the future that it awaits: its unit is heard all the same."""
    runner = Runner(engine(), PATIENT)
    one, two = runner.open(replace(SETTINGS, seed=71)), runner.open(replace(SETTINGS, seed=72))
    for second in range(3):
        futures = [one.submit(unit(71, second)), two.submit(unit(72, second))]
        if second == 1:
            assert futures[0].cancel()
        same(futures[1].result(60).output, alone(72, 3)[second])
    same(futures[0].result(60).output, alone(71, 3)[2])
    cancelled = one.submit(replace(WORDS, text="<unit>"))  # a unit that can't be, cancelled
    cancelled.cancel()
    waiting = [one.submit(WORDS) for _ in range(3)]
    waiting[-1].cancel()
    one.close()
    assert two.submit(WORDS).result(60)
    runner.stop()


@pytest.mark.parametrize("wrong", [None, "unit", 3, UnitInput(sound=3), UnitInput(text=3), UnitInput(pictures=(None,))])  # type: ignore[arg-type]
def test_units_that_are_none_are_refused_to_their_session_alone(wrong: Any) -> None:
    runner = Runner(engine(), PATIENT)
    good, bad = runner.open(SETTINGS), runner.open(SETTINGS)
    futures = [good.submit(WORDS)]
    try:
        refused = bad.submit(wrong)
    except (AttributeError, TypeError):
        pass  # at once, and nothing has changed
    else:
        assert isinstance(refused.exception(60), Exception)
    assert futures[0].result(60) and bad.submit(WORDS).result(60)
    runner.stop()


def test_a_flood_is_bounded_and_heard_in_part() -> None:
    runner = Runner(engine(slots=1), PATIENT)
    session = runner.open(SETTINGS)
    futures = [session.submit(WORDS) for _ in range(3 * MOST_WAITING)]
    ends = [future.exception(60) for future in futures]
    refused = [end for end in ends if end is not None]
    assert refused and all(isinstance(end, EngineError) and "wait already" in str(end) for end in refused)
    assert sum(end is None for end in ends) >= MOST_WAITING
    assert session.submit(WORDS).result(60)
    runner.stop()


def test_many_threads_open_submit_and_close_in_every_phase() -> None:
    made = engine(slots=3, window=160)
    runner = Runner(made, SchedulerSettings(deadline_ms=60_000, gather_ms=1, full=0.999, relaxed=0.99))
    wrong: list[BaseException] = []
    answered = [0]

    def client(number: int) -> None:
        for turn in range(12):
            try:
                session = runner.open(replace(SETTINGS, seed=number))
            except Refused:
                continue
            try:
                futures = [session.submit(WORDS) for _ in range((number + turn) % 4)]
                if turn % 3 == 0 and futures:
                    futures[-1].result(60)
                elif turn % 3 == 1 and futures:
                    futures[0].add_done_callback(lambda _, session=session: session.close())  # type: ignore[misc]
                session.turn_open()
                session.close()
                for future in futures:
                    if (error := future.exception(60)) is not None and not isinstance(error, Ended):
                        wrong.append(error)
                    answered[0] += error is None
            except BaseException as error:
                wrong.append(error)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
    assert not any(thread.is_alive() for thread in threads)
    assert not wrong and answered[0]
    last = runner.open(replace(SETTINGS, seed=81))
    same(last.submit(unit(81, 0)).result(60).output, alone(81, 1, made=engine(slots=3, window=160))[0])
    last.close()
    runner.stop()
    assert not made._minds and not made._mouths and not runner._sessions


def test_the_next_session_of_a_slot_never_speaks_the_last_one_s_thought() -> None:
    """Closed between the two halves, and the slot taken at once."""
    runner = Runner(engine(slots=1), PATIENT)
    first = runner.open(replace(SETTINGS, seed=1))
    with runner._device:  # speech waits
        late = first.submit(unit(1, 0))
        while runner._scheduler.running or runner._sessions[first._session].waiting:
            time.sleep(0.01)
        first.close()
        opened: list[ModelSession] = []
        opener = threading.Thread(target=lambda: opened.append(runner.open(replace(SETTINGS, seed=91))))
        opener.start()
        time.sleep(0.05)
    opener.join(30)
    assert late.exception(30) is None or isinstance(late.exception(), Ended)
    for second, want in enumerate(alone(91, 2, made=engine(slots=1))):
        same(opened[0].submit(unit(91, second)).result(60).output, want)
    runner.stop()


def test_a_lost_session_is_told_and_the_others_go_on() -> None:
    made = engine()
    runner = Runner(made, PATIENT)
    good, bad = runner.open(replace(SETTINGS, seed=1)), runner.open(SETTINGS)
    made.thinking.cache.keys[1, :, 2] = float("nan")
    futures = good.submit(unit(1, 0)), bad.submit(unit(2, 0))
    assert futures[1].result(60).output.lost
    same(futures[0].result(60).output, alone(1, 1)[0])
    with pytest.raises(EngineError, match="lost this session"):
        bad.submit(unit(2, 1)).result(60)
    bad.close()
    assert runner.open(SETTINGS).submit(unit(2, 0)).result(60).output.lost is False
    runner.stop()


def test_a_lost_session_begins_anew_in_its_place_however_full_the_node_is() -> None:
    """Its next units wait, or run already."""
    made = engine(slots=1)
    runner = Runner(made, PATIENT)
    bad = runner.open(SETTINGS)
    made.thinking.cache.keys[0, :, 2] = float("nan")
    futures = [bad.submit(unit(2, second)) for second in range(4)]
    assert futures[0].result(60).output.lost
    with pytest.raises(Refused):
        runner.admit(SETTINGS)
    runner._scheduler.no_vision = True
    again, ready = runner.admit(replace(SETTINGS, seed=7), instead_of=bad)
    answers = [again.submit(unit(7, second)) for second in range(2)]
    ready.result(60)
    assert all(isinstance(future.exception(60), (EngineError, Ended)) for future in futures[1:])
    for answer, want in zip(answers, alone(7, 2, made=engine(slots=1)), strict=True):
        same(answer.result(60).output, want)
    bad.close()
    with pytest.raises(Ended):
        bad.submit(unit(2, 5)).result(60)
    again.close()
    assert runner.open(SETTINGS).submit(unit(2, 0)).result(60).output.lost is False
    runner.stop()


def test_a_place_of_a_session_that_has_been_closed_is_asked_for() -> None:
    runner = Runner(engine(slots=1), PATIENT)
    first = runner.open(SETTINGS)
    first.close()
    second, ready = runner.admit(SETTINGS, instead_of=first)
    ready.result(60)
    with pytest.raises(Refused, match="every place"):
        runner.admit(SETTINGS, instead_of=first)
    runner.stop()
    with pytest.raises(Refused, match="has stopped"):
        runner.admit(SETTINGS, instead_of=second)


def test_lesser_units_are_still_units() -> None:
    seen = UnitInput(pictures=(picture(1),))
    for how in How:
        less = _lesser(seen, how)
        assert less.pictures and less.force_listen == (how is How.LISTEN)
    heard = replace(seen, sound=torch.zeros(16_000))
    assert not _lesser(heard, How.LISTEN).pictures and not _lesser(heard, How.NO_VISION).pictures
