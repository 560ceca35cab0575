"""Where rows lie: against a list that says it plainly."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.cloud.model.kv_places import Places

pytestmark = pytest.mark.model
ACTS = st.lists(
    st.tuples(st.sampled_from(["take", "replace", "cut"]), st.integers(0, 30), st.integers(0, 30), st.integers(0, 12))
)


def test_without_drops_position_and_row_are_one() -> None:
    places = Places(6)
    assert places.take(2) + places.take(3) == [0, 1, 2, 3, 4] == places.rows()
    assert (places.end, places.top, places.reach(1), places.reach(9)) == (5, 5, 6, 6)


def test_a_ring_by_itself() -> None:
    """Units of equal length: each lies where the one lay that it takes the place of; one that is longer lies in two pieces."""
    places = Places(8)
    places.take(2)
    for _ in range(3):
        places.take(2)
    assert places.replace(2, 4, 0) == ([2, 3], [])
    assert (places.base, places.rows(), places.end) == (2, [0, 1, 4, 5, 6, 7], 8)
    assert places.take(2) == [2, 3]
    places.replace(2, 4, 0)
    assert (places.take(2), places.end, places.rows()) == ([4, 5], 12, [0, 1, 6, 7, 2, 3, 4, 5])
    places.replace(2, 6, 0)
    assert places.take(3) == [2, 3, 6] and places.top == 7 and places.base == 8


def test_words_take_the_place_of_units() -> None:
    """More rows come than leave: what stands before them moves down, and what stands behind stays."""
    places = Places(10)
    places.take(6)
    assert places.replace(1, 3, 4) == ([1, 2], [1, 2, 6, 7])
    assert (places.base, places.rows(), places.end) == (-2, [0, 1, 2, 6, 7, 3, 4, 5], 6)


def test_no_room_changes_nothing() -> None:
    places = Places(4)
    places.take(3)
    for wrong in (lambda: places.take(2), lambda: places.replace(1, 2, 3)):
        with pytest.raises(ValueError, match="free rows, not"):
            wrong()
        assert (places.rows(), places.end, places.top, places.reach(1)) == ([0, 1, 2], 3, 3, 4)


@given(ACTS, st.integers(1, 24))
@settings(max_examples=300, deadline=None)
def test_every_row_is_kept_once_or_free(acts: list[tuple[str, int, int, int]], window: int) -> None:
    places = Places(window)
    kept: list[tuple[int, int]] = []  # row and position of each
    for act, one, two, count in acts:
        start, stop = sorted((min(one, len(kept)), min(two, len(kept))))
        reach = places.reach(count)
        if act == "take" and len(kept) + count <= window:
            end = places.end
            kept += [(row, end + number) for number, row in enumerate(places.take(count))]
            assert places.top <= reach
        elif act == "replace" and len(kept) - (stop - start) + count <= window:
            gone, fresh = places.replace(start, stop, count)
            assert gone == [row for row, _ in kept[start:stop]] and len(fresh) == count
            behind = kept[stop:]
            first = behind[0][1] if behind else places.end
            new = [*(row for row, _ in kept[:start]), *fresh]
            kept = [(row, first - len(new) + number) for number, row in enumerate(new)] + behind
        elif act == "cut":
            assert places.cut(start) == [row for row, _ in kept[start:]]
            kept = kept[:start]
        rows = [row for row, _ in kept]
        assert places.rows() == rows and len(places) == len(rows) == len(set(rows))
        assert not rows or [position for _, position in kept] == list(range(places.base, places.end))
        assert places.top == max(rows, default=-1) + 1 <= window
        lowest = [row for row in range(window) if row not in rows]
        for more in range(1, len(lowest) + 1):
            assert places.reach(more) == max(places.top, lowest[more - 1] + 1)
