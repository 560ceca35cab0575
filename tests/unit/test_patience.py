"""A request is acknowledged once, when its result takes a while, and never when it is answered quickly."""

from __future__ import annotations

import pytest

from ridealong.cloud.patience import LATE_MS, PAST_MS, SETTLED_MS, Acknowledge, Begun, Over, Patience
from ridealong.proto.types import Samples

pytestmark = pytest.mark.unit


def ms(value: float) -> Samples:
    return Samples(round(value * 16))


def begun(work_id: str = "w1", usual_ms: int = 0, end: float = 1_000, at: float = 1_300) -> Begun:
    return Begun(work_id, ms(end), ms(at), usual_ms, "One moment.", "en")


def spoken(patience: Patience, until: float, *, free: bool = True, start: float = 1_300) -> list[float]:
    """When something is said, looking every 20 ms."""
    return [at for at in range(round(start), round(until), 20) if patience.due(ms(at), free) is not None]


def test_slow_work_is_acknowledged_soon_and_once() -> None:
    patience = Patience()
    patience.on(begun(usual_ms=2_000))
    times = spoken(patience, 5_000)
    assert len(times) == 1 and times[0] - 1_300 <= SETTLED_MS + 20


def test_other_work_only_when_it_is_late() -> None:
    patience = Patience()
    patience.on(begun())
    times = spoken(patience, 5_000)
    assert len(times) == 1 and LATE_MS <= times[0] - 1_000 <= LATE_MS + 20


@pytest.mark.parametrize("usual_ms", [0, 2_000])
def test_what_is_answered_quickly_is_not_acknowledged(usual_ms: int) -> None:
    patience = Patience()
    patience.on(begun(usual_ms=usual_ms))
    assert spoken(patience, 1_300 + SETTLED_MS) == []
    patience.on(Over("w1"))
    assert spoken(patience, 6_000, start=1_300 + SETTLED_MS) == []


def test_words_that_were_understood_late_are_not_acknowledged_beside_their_answer() -> None:
    patience = Patience()
    patience.on(begun(at=1_000 + LATE_MS + 500))
    assert spoken(patience, 1_000 + LATE_MS + 500 + SETTLED_MS, start=1_000 + LATE_MS + 500) == []


def test_several_pieces_of_one_request_share_one_acknowledgment() -> None:
    patience = Patience()
    patience.on(begun("w1", 2_000))
    patience.on(begun("w2", 2_000))
    assert len(spoken(patience, 6_000)) == 1


def test_nothing_is_said_into_somebodys_words_nor_long_after() -> None:
    patience = Patience()
    patience.on(begun(usual_ms=2_000))
    assert spoken(patience, 1_000 + PAST_MS + 100, free=False) == []
    assert spoken(patience, 20_000, start=1_000 + PAST_MS + 100) == []


def test_another_request_is_acknowledged_again() -> None:
    patience = Patience()
    patience.on(begun("w1", 2_000))
    assert patience.due(ms(1_500), True) == Acknowledge("One moment.", "en")
    patience.on(begun("w2", 2_000, end=9_000, at=9_300))
    assert patience.due(ms(9_500), True) == Acknowledge("One moment.", "en")


def test_work_that_waits_for_its_turn_is_acknowledged_too_and_only_once() -> None:
    patience = Patience()
    patience.on(begun())
    assert spoken(patience, 5_000) == [1_000 + LATE_MS]
    patience.on(begun(usual_ms=9_000, at=2_600))  # its turn has come
    assert spoken(patience, 6_000, start=2_600) == []


def test_acknowledgments_do_not_follow_each_other_closely() -> None:
    patience = Patience()
    patience.on(begun("w1", 2_000))
    patience.on(begun("w2", 2_000, end=2_000, at=2_100))
    assert spoken(patience, 9_000) == [1_360]
