"""Which hearing of English was said, and in which language it was: how people put things, and both decodings where the sound alone leaves it open."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ridealong.cloud.frontends.cascade.hear import Decoding, Recogniser, lead_of_chinese, of_both
from ridealong.cloud.frontends.cascade.ngrams import Ngrams, clauses, counted, load_ngrams, words
from ridealong.cloud.frontends.cascade.phrasing import Phrasing
from ridealong.cloud.frontends.cascade.spelling import Hearing, Spelling

pytestmark = pytest.mark.unit

PHRASING = Phrasing(load_ngrams("en"))


def hearing(text: str, log_probability: float, looped: bool = False) -> Hearing:
    return Hearing(text, log_probability, len(text.split()) + 2, looped)


def decoding(text: str, log_probability: float) -> Decoding:
    return Decoding(text, log_probability, no_speech=0.01, repeated=False, tokens=6)


@pytest.mark.parametrize(
    ("heard", "said"),
    [
        ("Pop the boots.", "Pop the boot."),
        ("Turn the heat in down.", "Turn the heating down."),
        ("Open the rear window half weigh.", "Open the rear window halfway."),
        ("I thought it was a nice mourning.", "I thought it was a nice morning."),
    ],
)
def test_of_hearings_that_sound_nearly_alike_the_one_that_people_say_is_taken(heard: str, said: str) -> None:
    assert PHRASING.best([hearing(heard, -3.0), hearing(said, -3.6)]) == 1
    assert PHRASING.best([hearing(said, -3.0), hearing(heard, -3.6)]) == 0


@pytest.mark.parametrize("talk", ["Not that road again.", "She never liked the window seat.", "I am not cold at all."])
def test_what_was_clearly_heard_stays_whatever_is_said_more_often(talk: str) -> None:
    assert PHRASING.best([hearing(talk, -1.5), hearing("Open the window.", -14.0)]) == 0


def test_which_number_it_was_is_for_the_recogniser_alone() -> None:
    ten, two = hearing("Set it to 15 degrees.", -2.0), hearing("Set it to 50 degrees.", -2.1)
    assert PHRASING.best([ten, two]) == 0
    assert PHRASING.best([two, ten]) == 1


def test_a_loop_counts_less() -> None:
    assert PHRASING.best([hearing("Open the boot.", -2.0, looped=True), hearing("Open the boot.", -3.0)]) == 1


def test_no_hearing_is_an_error() -> None:
    with pytest.raises(ValueError, match="empty"):
        PHRASING.best([])


def test_words_are_units_and_a_number_is_one_however_it_is_written() -> None:
    assert (
        words("Set the driver’s side to twenty-two.")
        == words("set the driver's side to 22")
        == ["set", "the", "driver's", "side", "to", "#"]
    )
    assert words("the fan to 40%") == words("the fan to forty percent")
    assert clauses("No. Make it 19.5, please!", "en") == [["no"], ["make", "it", "#", "please"]]


def test_a_clause_is_as_likely_as_its_units_and_its_end_together() -> None:
    ngrams = Ngrams(counted(["open the boot", "open the boot", "open the window"], "en"))
    boot, window, other = (
        math.exp(ngrams.of_clause(clause.split())) for clause in ("open the boot", "open the window", "shut the roof")
    )
    assert boot > window > other > 0
    assert boot + window < 1


def test_the_lead_of_chinese_is_in_nats_and_the_hint_counts() -> None:
    assert lead_of_chinese({"zh": 0.5, "en": 0.25, "ja": 0.25}, None) == pytest.approx(math.log(2))
    assert lead_of_chinese({"zh": 0.5, "en": 0.25}, "en") == pytest.approx(math.log(0.5))
    assert lead_of_chinese({}, None) == 0.0


def test_chinese_that_was_taken_for_english_by_a_little_is_chinese_where_its_words_are_likelier() -> None:
    assert of_both(-1.0, decoding("哪个窗户没关", -0.5), decoding("Back to the charging station.", -1.0)) == "zh"
    assert of_both(-1.0, decoding("乐乐没关", -1.0), decoding("Let it go.", -0.5)) == "en"


def test_words_in_another_script_are_not_in_the_language() -> None:
    assert of_both(-0.5, decoding("Some more.", -0.2), decoding("Some more.", -0.6)) == "en"
    assert of_both(0.5, decoding("打开", -0.9), decoding("打开", -0.2)) == "zh"


def test_between_decodings_of_the_same_likelihood_a_little_more_than_the_sound_is_asked_of_english() -> None:
    assert of_both(-0.3, decoding("好", -0.5), decoding("How", -0.5)) == "zh"
    assert of_both(-0.7, decoding("好", -0.5), decoding("How", -0.5)) == "en"


@pytest.mark.parametrize(
    ("locale", "heard", "taken"),
    [
        ("en", ["Pop the boots.", "Pop the boot."], "Pop the boot."),
        ("en", ["Pop the boots.", ""], "Pop the boots."),
        ("en", ["", "Open the boot."], ""),
        ("zh", ["大开车床", "打开车窗"], "打开车窗"),
        ("zh", ["", "打开车窗"], "打开车窗"),
        ("zh", ["", ""], ""),
    ],
)
def test_of_each_language_the_likelier_hearing_is_taken_and_where_english_had_none_none_is(
    locale: str, heard: list[str], taken: str
) -> None:
    recogniser = object.__new__(Recogniser)
    recogniser._phrasing, recogniser._spelling = PHRASING, Spelling(load_ngrams("zh"))
    found = [decoding(text, -0.5 - number / 50) for number, text in enumerate(heard)]
    assert recogniser._said(found, locale).text == taken


class Model:
    """Says how likely each language is."""

    def __init__(self, en: float, zh: float) -> None:
        self.shares = {"<|en|>": en, "<|zh|>": zh}

    def detect_language(self, encoded: object) -> list[list[tuple[str, float]]]:
        return [list(self.shares.items())]


@pytest.mark.parametrize(
    ("en", "zh", "english", "chinese", "decoded", "taken"),
    [
        (0.95, 0.01, ("Open the boot.", -0.2), -0.4, ["en"], "en"),
        (0.01, 0.95, ("Open the boot.", -1.1), -0.2, ["zh"], "zh"),
        (0.40, 0.20, ("Back to the station.", -1.1), -0.4, ["en", "zh"], "zh"),
        (0.40, 0.20, ("", -1.1), -0.4, ["en"], "en"),
        (0.95, 0.01, ("In the empty window.", -1.2), -0.3, ["en", "zh"], "zh"),  # sure by the sound, but the words do not fit
        (0.95, 0.01, ("Take me home.", -0.35), -0.7, ["en", "zh"], "en"),
        (0.01, 0.95, ("Take me home.", -0.1), -0.7, ["zh", "en"], "en"),
        (0.9999, 0.0001, ("Take me hum.", -1.2), -0.3, ["en"], "en"),
    ],
)
def test_both_languages_are_decoded_only_where_it_is_unsure(
    monkeypatch: pytest.MonkeyPatch,
    en: float,
    zh: float,
    english: tuple[str, float],
    chinese: float,
    decoded: list[str],
    taken: str,
) -> None:
    found = {"en": decoding(*english), "zh": decoding("哪个窗户没关", chinese)}
    asked: list[str] = []

    def heard(_: Recogniser, samples: object, encoded: object, frames: int, locale: str) -> Decoding:
        asked.append(locale)
        return found[locale]

    recogniser = object.__new__(Recogniser)
    monkeypatch.setattr(recogniser, "_model", Model(en, zh), raising=False)
    monkeypatch.setattr(Recogniser, "_encode", lambda *_: None)
    monkeypatch.setattr(Recogniser, "_heard", heard)
    assert recogniser._likelier(np.zeros(100, np.float32), None) == (taken, found[taken])
    assert asked == decoded
