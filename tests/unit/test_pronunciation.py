"""Words to sounds, and text to runs that keep every written word. A small dictionary stands in for the fetched ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.cloud.frontends.cascade import letters, mandarin
from ridealong.cloud.frontends.cascade.lexicon import Lexicon
from ridealong.cloud.frontends.cascade.utterance import clauses, runs

pytestmark = pytest.mark.unit

GOLD = {
    "set": "sˈɛt", "window": "wˈɪndO", "degree": "dəɡɹˈi", "navigate": "nˈævəɡˌAt", "open": "ˈOpᵊn", "stop": "stˈɑp", "bus": "bˈʌs",
    "is": "ɪz", "apple": "ˈæpᵊl", "car": "kˈɑɹ", "have": "hæv", "i": "ˈI", "point": "pˈYnt", "charge": "ʧˈɑɹʤ", "heat": "hˈit",
    "twenty": "twˈɛnti", "two": "tˈu", "half": "hˈæf", "and": "ænd", "celsius": "sˈɛlsiəs", "carry": "kˈɛɹi", "street": "stɹˈit",
    "record": {"DEFAULT": "ɹˈɛkəɹd", "VERB": "ɹəkˈɔɹd"}, "read": {"DEFAULT": "ɹˈid", "VBN": "ɹˈɛd"},
    "G": "ʤˈi", "P": "pˈi", "S": "ˈɛs",
}  # fmt: skip


@pytest.fixture(scope="module")
def lexicon(tmp_path_factory: pytest.TempPathFactory) -> Lexicon:
    folder: Path = tmp_path_factory.mktemp("lexicon")
    (folder / "gold.json").write_text(json.dumps(GOLD), encoding="utf-8")
    (folder / "silver.json").write_text(json.dumps({"driver": "dɹˈIvəɹ"}), encoding="utf-8")
    return Lexicon(folder / "gold.json", folder / "silver.json")


@pytest.mark.parametrize(
    ("word", "sounds"),
    [
        ("window", "wˈɪndO"),
        ("windows", "wˈɪndOz"),
        ("stops", "stˈɑps"),
        ("buses", "bˈʌsᵻz"),
        ("carries", "kˈɛɹiz"),
        ("degrees", "dəɡɹˈiz"),
        ("driver's", "dɹˈIvəɹz"),
        ("opened", "ˈOpᵊnd"),
        ("stopped", "stˈɑpt"),
        ("heated", "hˈiTᵻd"),
        ("navigating", "nˈævəɡˌATɪŋ"),
        ("GPS", "ʤˌipˌiˈɛs"),
        ("twenty-two", "twˈɛntitˈu"),
        ("chargepoint", "ʧˈɑɹʤpˌYnt"),
    ],
)
def test_words(lexicon: Lexicon, word: str, sounds: str) -> None:
    assert lexicon.word(word, before="it") == sounds


def test_neighbours_choose_the_pronunciation(lexicon: Lexicon) -> None:
    assert lexicon.sentence(["record", "the", "record"])[::2] == ["ɹəkˈɔɹd", "ɹˈɛkəɹd"]
    assert lexicon.sentence(["I", "have", "read"])[2] == "ɹˈɛd"
    assert lexicon.sentence(["the", "apple", "the", "car", "to", "open", "to", "set"])[::2] == ["ði", "ðə", "tʊ", "tə"]


def test_unknown_words_are_said_by_rule_and_counted(lexicon: Lexicon) -> None:
    before = lexicon.unknown
    assert lexicon.word("Hauptgasse", "it") != ""
    assert lexicon.unknown == before + 1


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyzßéü", min_size=1, max_size=24))
def test_letter_rules_always_end_with_at_most_one_stress(word: str) -> None:
    said = letters.sounds(word)
    assert said.count("ˈ") <= 1
    assert all(char in letters.VOWEL_SOUNDS + "ˈbdfhjklmnpstvwzɡŋɹʃʒʤʧθðəcegioquxyaɾ" for char in said)


@pytest.mark.parametrize(
    ("text", "sounds"),
    [
        ("你好", "ni↗xau↓"),
        ("不是", "pu↗ʂɨ↘"),
        ("调到", "tʰjau↗tau↘"),
        ("远", "ɥɛ↓n"),
        ("女", "ny↓"),
        ("用", "jʊ↘ŋ"),
        ("车", "ꭧʰɤ→"),
        ("二", "ɚ↘"),
        ("去", "ʨʰy↘"),
        ("我", "wo↓"),
    ],
)
def test_mandarin(text: str, sounds: str) -> None:
    assert mandarin.sounds(text) == sounds


def test_one_bends_to_what_follows_but_not_in_a_number() -> None:
    assert mandarin.sounds("一个") == "i↗kɤ↘"
    assert mandarin.sounds("一百") == "i↘pai↓"
    assert mandarin.sounds("十一点").replace(" ", "").startswith("ʂɨ↗i→")
    assert "".join(mandarin.words("把空调调到二十二度半")) == "把空调调到二十二度半"


def test_the_first_clause_is_short_and_the_rest_follow_whole_sentences() -> None:
    text = "Sorry, not now, I have set the driver's side to 22.5 degrees. Dr. Smith is at 3.5 km. Anything else?"
    assert clauses(text, "en") == [
        "Sorry, not now,",
        "I have set the driver's side to 22.5 degrees.",
        "Dr. Smith is at 3.5 km.",
        "Anything else?",
    ]
    assert clauses("The car is moving at 62 km/h, so I can't open the boot.", "en") == [
        "The car is moving at 62 km/h,",
        "so I can't open the boot.",
    ]
    assert clauses("现在车速是每小时62公里，不能打开后备箱。请先停车。", "zh") == [
        "现在车速是每小时62公里，",
        "不能打开后备箱。",
        "请先停车。",
    ]
    assert clauses("...", "en") == clauses("", "zh") == []


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="abc def. , ! 12 三里屯。，？\n", max_size=400), st.sampled_from(["en", "zh"]))
def test_clauses_lose_nothing_that_is_said(text: str, locale: str) -> None:
    found = clauses(text, locale)
    assert [char for clause in found for char in clause if char.isalnum()] == [char for char in text if char.isalnum()]


def test_runs_keep_the_words_as_written(lexicon: Lexicon) -> None:
    (run,) = runs("Set 22.5 °C, stop.", "en", lexicon)
    assert [word.written for word in run.words] == ["Set", "22.5 °C,", "stop."]
    assert run.sounds == "sˈɛt twˈɛntitˈu ænd ɐ hˈæf dəɡɹˈiz sˈɛlsiəs, stˈɑp."


def test_mixed_text_is_split_by_script_and_numbers_follow_the_main_language(lexicon: Lexicon) -> None:
    found = runs("请导航到 Apple Street 22号。", "zh", lexicon)
    assert [run.locale for run in found] == ["zh", "en", "zh"]
    assert "".join(word.written for run in found for word in run.words).replace(" ", "") == "请导航到AppleStreet22号。"
    assert found[2].sounds.startswith("ɚ↘")


def test_text_with_nothing_to_say_makes_no_run(lexicon: Lexicon) -> None:
    assert runs("🙂 — …", "en", lexicon) == []
