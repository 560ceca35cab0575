"""Text emission follows playback (spec: venus A8)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ridealong.cloud.pacing import Acked, Boundary, Dropped, Emitted, Pacing
from ridealong.proto.types import Samples

pytestmark = pytest.mark.unit
SECOND = 16_000


def test_nearest_to_the_horizon_is_emitted() -> None:
    pacing = Pacing(horizon_ms=1000, margin_ms=0)
    # Four words of 0.4 s: after two 0.8 s (0.2 short), after three 1.2 s (0.2 over): the first of equals wins.
    assert pacing.words_due(Boundary(Samples(0), [6400] * 4)) == 2
    assert pacing.words_due(Boundary(Samples(0), [5000] * 4)) == 3  # 0.94 s is nearer than 1.25 or 0.63


def test_what_is_scheduled_counts() -> None:
    pacing = Pacing(horizon_ms=1000, margin_ms=0)
    pacing.on(Emitted(Samples(0), 2 * SECOND))
    assert pacing.words_due(Boundary(Samples(0), [6400] * 4)) == 0
    assert pacing.words_due(Boundary(Samples(int(1.9 * SECOND)), [6400] * 4)) == 2


def test_a_stall_at_the_device_holds_the_cloud_back() -> None:
    pacing = Pacing(horizon_ms=1000, margin_ms=0)
    pacing.on(Emitted(Samples(0), SECOND))
    assert pacing.words_due(Boundary(Samples(SECOND), [6400] * 4)) > 0
    pacing.on(Acked(Samples(SECOND), remaining=SECOND))  # nothing of it was played yet
    assert pacing.words_due(Boundary(Samples(SECOND), [6400] * 4)) == 0


def test_a_word_longer_than_the_chunk_still_leaves() -> None:
    assert Pacing(horizon_ms=200, margin_ms=0).words_due(Boundary(Samples(0), [40_000])) == 1


def test_a_flush_frees_the_schedule() -> None:
    pacing = Pacing(horizon_ms=1000, margin_ms=0)
    pacing.on(Emitted(Samples(0), 10 * SECOND))
    pacing.on(Dropped(Samples(SECOND)))
    assert pacing.words_due(Boundary(Samples(SECOND), [8000] * 4)) == 2


@given(st.lists(st.integers(1_000, 12_000), min_size=1, max_size=40))
def test_never_more_than_one_horizon_ahead(durations: list[int]) -> None:
    pacing, at, left = Pacing(horizon_ms=1000, margin_ms=500), 0, list(durations)
    for _ in range(200):
        count = pacing.words_due(Boundary(Samples(at), left))
        assert count <= len(left)
        pacing.on(Emitted(Samples(at), sum(left[:count])))
        del left[:count]
        assert pacing.scheduled_end - at <= 1.5 * SECOND + max(durations)
        at += 3_200
        if not left:
            break
    assert not left
