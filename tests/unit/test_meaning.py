"""The sentence heads: margins, the topic and what is kept; and the committed heads on sentences that nothing was tuned on."""

from __future__ import annotations

import numpy as np
import pytest

from ridealong.cloud.frontends.cascade.meaning import HASHED, KEPT, Head, Meaning, Vector, load_meaning, sound_of

pytestmark = pytest.mark.unit
CORNERS = np.eye(384, dtype=np.float32)[:3]
TEXTS = ["open it", "stop it", "nice day"]
HEAD = Head(("open", "stop", "other"), CORNERS, np.zeros(3, np.float32))
SILENT = Head(HEAD.classes, np.zeros((3, HASHED), np.float32), np.zeros(3, np.float32))


def embed(text: str) -> Vector:
    return CORNERS[TEXTS.index(text)]


def test_margins_are_to_the_best_of_the_others() -> None:
    found = Meaning(embed, HEAD, Head(HEAD.classes, CORNERS, np.array([0.5, 0, 0], np.float32)), SILENT, embed).read("stop it")
    assert found.kinds == {"open": -1.0, "stop": 1.0, "other": -1.0}
    assert found.intents == {"open": -0.5, "stop": 0.5, "other": -1.0}


def test_a_text_is_encoded_once_and_topic_is_a_cosine() -> None:
    asked: list[str] = []

    def counted(text: str) -> Vector:
        asked.append(text)
        return embed(text)

    meaning = Meaning(counted, HEAD, HEAD, SILENT, counted)
    assert (meaning.topic("open it", "stop it"), meaning.topic("open it", " ")) == (0.0, None)
    assert meaning.topic("open it", "open it") == 1.0
    assert asked == ["open it", "stop it"]
    meaning.read("open it")
    meaning.read("open it")
    assert asked == ["open it", "stop it", "open it"], "the tuned encoder is another one"


def test_what_is_kept_is_bounded() -> None:
    asked: list[str] = []

    def counted(text: str) -> Vector:
        asked.append(text)
        return CORNERS[0]

    meaning = Meaning(counted, HEAD, HEAD, SILENT, counted)
    for number in [*range(KEPT + 1), 0]:
        meaning.read(str(number))
    assert len(asked) == KEPT + 2, "the oldest was forgotten"


def test_homophones_sound_the_same_and_order_counts() -> None:
    assert np.array_equal(sound_of("把车窗打开"), sound_of("把车窗 打凯")), "the recogniser writes homophones"
    assert np.array_equal(sound_of("Don't stop!"), sound_of("dont stop"))
    assert not np.array_equal(sound_of("open it"), sound_of("it open"))
    assert sound_of("").sum() == 0 and float(np.linalg.norm(sound_of("go on"))) == pytest.approx(1, abs=1e-6)


def test_the_sound_of_words_is_an_opinion_of_its_own() -> None:
    sounds = Head(HEAD.classes, np.stack([sound_of("开窗"), sound_of("停"), sound_of("好")]), np.zeros(3, np.float32))
    found = Meaning(lambda text: CORNERS[0], HEAD, HEAD, sounds, embed).read("凯床")
    assert found.sounds["open"] > 0 > found.sounds["stop"]


@pytest.fixture(scope="module")
def committed() -> Meaning:
    return load_meaning()


@pytest.mark.parametrize(
    ("text", "kind", "intent"),
    [
        ("Okay, you can stop reading that to me.", "interruption", "stop"),
        ("Make the cabin a bit cooler instead.", "interruption", "redirect"),
        ("And how long does that one take?", "interruption", "follow_up"),
        ("No, I meant the one in Leeds.", "interruption", "correct"),
        ("Sweetheart, did you pack your swimming things?", "other_directed", None),
        ("Your mother said she'd bring the cake.", "other_directed", None),
        ("好了，别念了。", "interruption", "stop"),
        ("换成最近的那家加油站。", "interruption", "redirect"),
        ("宝贝，你的水杯带了没有？", "other_directed", None),
        ("你妈昨天打电话说什么了？", "other_directed", None),
        ("mm-hm", "backchannel", None),
    ],
)
def test_the_committed_heads_know_plain_cases(committed: Meaning, text: str, kind: str, intent: str | None) -> None:
    found = committed.read(text)
    assert max(found.kinds, key=lambda one: found.kinds[one]) == kind
    assert intent is None or max(found.intents, key=lambda one: found.intents[one]) == intent
