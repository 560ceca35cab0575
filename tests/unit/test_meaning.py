"""The sentence head: what it sees of a text, log-odds, and its cache."""

from __future__ import annotations

import numpy as np
import pytest

from ridealong.cloud.frontends.cascade.meaning import HASHED, Head, Meaning, Vector, hashed, inputs_of

pytestmark = pytest.mark.unit


def head(*words: str) -> Head:
    """One class for each word: its own hashed words point at it."""
    weights = np.stack([10 * inputs_of(word, np.zeros(384, np.float32)) for word in words], axis=1)
    return Head(words, weights, np.zeros(len(words), np.float32))


def test_words_are_hashed_without_case_and_marks_and_characters_count_in_chinese() -> None:
    assert np.array_equal(hashed("Don't stop!"), hashed("dont stop"))
    assert np.array_equal(hashed("把 窗，打开"), hashed("把窗打开"))
    assert not np.array_equal(hashed("open it"), hashed("it open")), "order counts"
    assert hashed("").sum() == 0 and float(np.linalg.norm(hashed("go on"))) == pytest.approx(1, abs=1e-6)


def test_log_odds_are_of_one_class_against_the_others() -> None:
    meaning = Meaning(lambda text: np.zeros(384, np.float32), head("open", "right"), head("stop", "again"))
    found = meaning.read("open")
    assert found.kinds["open"] > 5 > 0 > found.kinds["right"]
    assert all(abs(value) < 10 for value in found.kinds.values()), "bounded, so that one input can't outshout the table"


def test_a_text_is_embedded_once_and_topic_is_a_cosine() -> None:
    asked: list[str] = []

    def embed(text: str) -> Vector:
        asked.append(text)
        vector = np.zeros(384, np.float32)
        vector[len(text) % 2] = 1
        return vector

    meaning = Meaning(embed, head("a", "b"), head("c", "d"))
    assert (meaning.topic("ab", "cd"), meaning.topic("ab", "c"), meaning.topic("ab", " ")) == (1.0, 0.0, None)
    meaning.read("ab")
    assert asked == ["ab", "cd", "c"]
    assert inputs_of("ab", embed("ab")).shape == (384 + HASHED,)
