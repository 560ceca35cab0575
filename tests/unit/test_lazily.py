"""A sequence of what is made only when it is looked at: like a tuple for whoever looks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ridealong.harness.lazily import Lazily

pytestmark = pytest.mark.unit


@given(st.lists(st.integers(), max_size=6), st.integers(-8, 8) | st.slices(6))
def test_it_looks_like_a_tuple(given_: list[int], which: int | slice) -> None:
    lazy, eager = Lazily(given_, str), tuple(map(str, given_))
    assert (len(lazy), tuple(lazy), tuple(reversed(lazy)), bool(lazy)) == (len(eager), eager, eager[::-1], bool(eager))
    try:
        expected = eager[which]
    except IndexError:
        with pytest.raises(IndexError):
            lazy[which]
    else:
        assert lazy[which] == expected


def test_each_value_is_made_once_and_only_where_somebody_looks() -> None:
    made: list[int] = []

    def make(one: int) -> list[int]:
        made.append(one)
        return [one]

    lazy = Lazily([1, 2, 3], make)
    assert lazy[1] is lazy[-2] is lazy[1:][0]
    assert made == [2, 3]
