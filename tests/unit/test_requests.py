"""One request or two: replays and repetitions are one, a later request and an answer to a newer question are another."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.harness.requests import REMEMBERED, Question, Requests, normal
from ridealong.proto.types import Samples

pytestmark = pytest.mark.unit

S = 16_000  # samples a second


def at(seconds: float) -> Samples:
    return Samples(round(seconds * S))


@pytest.mark.parametrize(
    ("first", "second", "question", "one"),
    [
        (("open it", 10.0), ("open it", 10.0), None, True),  # replayed
        (("open it", 10.0), ("Open it!", 10.0), None, True),  # recognised again with other punctuation
        (("to the caf\u00e9", 10.0), ("to the cafe\u0301", 10.5), None, True),  # written with other characters
        (("open it", 10.0), ("open it", 12.9), None, True),  # they repeated themselves
        (("open it", 10.0), ("open it", 13.1), None, False),  # a real second request
        (("open it", 10.0), ("close it", 10.5), None, False),
        (("yes", 10.0), ("yes", 12.0), Question("close them", at(10.8)), False),  # to a question put in between
        (("yes", 10.0), ("yes", 12.0), Question("close them", at(9.0)), True),  # to the question that it answered already
        (("yes", 10.0), ("yes", 10.0), Question("close them", at(10.8)), True),  # a replay answers nothing new
        (("yes", 10.0), ("yes", 10.7), Question("close them", at(10.8)), True),  # nor do words from before the question
        (("open it", 10.0), ("open it", 12.0), Question("open it", at(10.8)), True),  # our question came of these very words
        (("left", 10.0), ("left", 12.0), Question("open it", at(10.8)), False),
    ],
)
def test_what_is_the_same_request(
    first: tuple[str, float], second: tuple[str, float], question: Question | None, one: bool
) -> None:
    requests = Requests()
    assert requests.repeated(normal(first[0]), at(first[1]), None) is None
    assert requests.repeated(normal(second[0]), at(second[1]), question) == (at(first[1]) if one else None)


def test_what_was_asked_before_a_restart_is_known() -> None:
    assert Requests([("Open it.", at(10))]).repeated(normal("open it"), at(11), None) == at(10)
    assert Requests([("Open it.", at(10))]).repeated(normal("open it"), at(14), None) is None


def test_while_nobody_knows_what_came_of_it_the_same_words_are_one_request() -> None:
    requests = Requests([("Open it.", at(10))])
    assert requests.repeated(normal("open it"), at(20), None, lambda end: end == at(10)) == at(10)
    assert (
        requests.repeated(normal("open it"), at(20), Question("close them", at(15)), lambda end: True) is None
    )  # it answers something newer
    assert Requests([("Open it.", at(10))]).repeated(normal("open it"), at(5), None, lambda end: True) is None  # said before it
    assert Requests([("Open it.", at(10))]).repeated(normal("close it"), at(20), None, lambda end: True) is None


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["a", "b", "A!"]), st.integers(0, 20 * S)), max_size=20), st.integers(0, 3))
def test_the_same_stream_read_again_makes_nothing_new(stream: list[tuple[str, int]], times: int) -> None:
    requests = Requests()
    made = [words for words, end in stream if requests.repeated(normal(words), Samples(end), None) is None]
    again = [words for _ in range(times) for words, end in stream if requests.repeated(normal(words), Samples(end), None) is None]
    assert again == [] and (len(made) > 0) == (len(stream) > 0)


def test_the_oldest_request_is_forgotten_first() -> None:
    requests = Requests()
    for number in range(REMEMBERED):
        assert requests.repeated("same" if number in (0, 1) else f"other {number}", at(10 * number), None) is None
    assert requests.repeated("other 2", at(20), None) == at(20)
    requests.repeated("one more", at(9_000), None)
    assert requests.repeated("same", at(10), None) == at(10)  # the second of the same words is still known, the first is not
    assert requests.repeated("same", at(0), None) is None
