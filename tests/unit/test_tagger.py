"""The tagger: labels of tokens become stretches; the committed one knows what it was tuned for."""

import numpy as np
import pytest

from ridealong.cloud.tagger import CHANGE, Tagger, load_tagger, smoothed
from ridealong.vehicle_skills.builtin import builtin_registry

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return load_tagger()


def odds(*labels: int, strength: float, count: int = 3) -> np.ndarray:  # type: ignore[type-arg]
    """[tokens, count], each token for one label."""
    found = np.full((len(labels), count), -strength, np.float32)
    found[np.arange(len(labels)), labels] = 0
    return found


def test_a_single_word_does_not_break_a_stretch() -> None:
    assert smoothed(odds(0, 0, 1, 0, 0, strength=CHANGE)).tolist() == [0, 0, 0, 0, 0]


def test_a_lasting_change_is_kept() -> None:
    assert smoothed(odds(0, 0, 0, 1, 1, 1, strength=CHANGE)).tolist() == [0, 0, 0, 1, 1, 1]


def test_smoothing_finds_the_best_path_of_all() -> None:
    random = np.random.default_rng(7)
    for _ in range(40):
        scores = random.normal(size=(5, 3)).astype(np.float32) * 3
        paths = np.stack(np.meshgrid(*[np.arange(3)] * 5, indexing="ij"), -1).reshape(-1, 5)
        worth = scores[np.arange(5), paths].sum(-1) - CHANGE * (np.diff(paths, axis=-1) != 0).sum(-1)
        found = smoothed(scores)
        reached = scores[np.arange(5), found].sum() - CHANGE * (np.diff(found) != 0).sum()
        assert reached == pytest.approx(worth.max(), abs=1e-4)


def test_nothing_and_blanks_have_no_stretch(tagger: Tagger) -> None:
    assert tagger("") == () and tagger("   ") == ()


def test_a_long_text_is_bounded(tagger: Tagger) -> None:
    assert sum(len(one.text) for one in tagger("open the window " * 500)) <= 400


def test_stretches_are_words_of_the_text_in_order(tagger: Tagger) -> None:
    text = "Open the boot, and set it to twenty one degrees."
    found = tagger(text)
    assert [one.label for one in found][:2] == ["trunk.open", "climate.set_temperature/value"]
    assert all(text[one.span[0] : one.span[1]].strip() == one.text for one in found)
    assert [one.span[0] for one in found] == sorted(one.span[0] for one in found)
    assert all(0 < one.share <= 1 for one in found)


def test_every_label_of_a_skill_is_one_that_there_is(tagger: Tagger) -> None:
    registry = builtin_registry()
    skills = {label.partition("/")[0] for label in tagger.labels if "." in label}
    assert skills and all(name in registry for name in skills)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("the windscreen is fogged up, clear it please", "climate.switch/front_defroster/on"),
        ("pop the boot for me would you", "trunk.open"),
        ("I'm absolutely freezing", "climate.change_temperature/warmer"),
        ("she said she opened the window yesterday", "told"),
        ("后备箱给我关上", "trunk.close"),
        ("热死了，凉快点", "climate.change_temperature/cooler"),
        ("昨天他把窗户打开了", "told"),
        ("等会儿停车了再把窗户打开", "later"),
    ],
)
def test_what_it_was_tuned_for(tagger: Tagger, text: str, label: str) -> None:
    assert max(tagger(text), key=lambda one: len(one.text)).label == label
