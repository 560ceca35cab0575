"""The sentence heads: likeness to labelled sentences, margins, and the cache."""

from __future__ import annotations

import numpy as np
import pytest

from ridealong.cloud.frontends.cascade.meaning import HASHED, Head, Meaning, Sentences, Vector, sound_of

pytestmark = pytest.mark.unit
CORNERS = np.eye(384, dtype=np.float32)[:3]
SENTENCES = Sentences.of(CORNERS)
SILENT = np.zeros((HASHED, 3), np.float32)
HEAD = Head(("open", "stop", "other"), np.eye(3, dtype=np.float32), SILENT)


def embed(text: str) -> Vector:
    return CORNERS[["open it", "stop it", "nice day"].index(text)]


def test_a_sentence_is_of_the_class_of_what_it_is_like() -> None:
    found = Meaning(embed, SENTENCES, HEAD, HEAD).read("stop it")
    assert found.kinds == found.intents
    assert found.kinds["stop"] > 0 > found.kinds["open"] == pytest.approx(found.kinds["other"], abs=1e-5)
    assert found.kinds["stop"] == pytest.approx(-found.kinds["open"], abs=1e-5), "a margin to the best of the others"


def test_likeness_is_one_for_the_sentence_itself_and_falls_with_the_angle() -> None:
    likeness = SENTENCES.likeness(CORNERS[0])
    assert likeness[0] == pytest.approx(1, abs=1e-5) and likeness[1] < 0.1
    assert np.allclose(SENTENCES.likeness(CORNERS)[0], likeness), "one, or many at once"


def test_a_text_is_embedded_once_and_topic_is_a_cosine() -> None:
    asked: list[str] = []

    def counted(text: str) -> Vector:
        asked.append(text)
        return embed(text)

    meaning = Meaning(counted, SENTENCES, HEAD, HEAD)
    assert (meaning.topic("open it", "stop it"), meaning.topic("open it", " ")) == (0.0, None)
    meaning.read("open it")
    assert asked == ["open it", "stop it"]


def test_homophones_sound_the_same_and_order_counts() -> None:
    assert np.array_equal(sound_of("把车窗打开"), sound_of("把车窗 打凯")), "the recogniser writes homophones"
    assert np.array_equal(sound_of("Don't stop!"), sound_of("dont stop"))
    assert not np.array_equal(sound_of("open it"), sound_of("it open"))
    assert sound_of("").sum() == 0 and float(np.linalg.norm(sound_of("go on"))) == pytest.approx(1, abs=1e-6)


def test_the_sound_of_words_adds_to_the_likeness() -> None:
    sounds = SILENT.copy()
    sounds[:, 2] = 10 * sound_of("nice day")
    found = Meaning(lambda text: CORNERS[0], SENTENCES, Head(HEAD.classes, HEAD.weights, sounds), HEAD).read("nice day")
    assert found.kinds["other"] > 0 > found.intents["other"]
