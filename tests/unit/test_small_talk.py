"""What people say besides requests: what the assistant can do is told from its skills, and who ends a matter gets a word."""

from __future__ import annotations

import pytest

from ridealong.harness.broken_off import QUESTIONS
from ridealong.harness.router import Calls, Nothing
from ridealong.harness.skills.abilities import abilities
from ridealong.harness.skills.seeing_text import Sights
from ridealong.harness.small_talk import SENTENCES, chitchat_sentence, closing
from ridealong.simulators.evaluation.delegation.judging import Known, judged
from ridealong.vehicle_skills.builtin import _lacks
from ridealong.vehicle_skills.phone.skill import Phone
from tests.unit.car_words import REGISTRY, decide, say

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "asked",
    ["What can you do?", "who are you", "So what can you do for me?", "help", "你会什么？", "你能帮我做些什么", "你是谁啊"],
)
def test_what_it_can_do_is_told(asked: str) -> None:
    writes, said = say(asked)
    assert not writes
    assert said.startswith(("I'm Ridealong", "我是 Ridealong"))


def test_only_what_is_there_is_promised() -> None:
    assert "windows" in abilities({skill.group for skill in REGISTRY}, "en")
    assert "windows" not in abilities({"media", "timers"}, "en")
    assert abilities({"media"}, "zh") == "我是 Ridealong，随车的助手。我能控制音乐。"
    assert abilities((), "en") == "I'm Ridealong, your assistant."


def test_nothing_is_promised_that_is_not_set_up() -> None:
    groups = {"phone", "reading_out", "seeing", "memory"}
    assert abilities(groups, "en") == (
        "I'm Ridealong, your assistant. I can make calls, look up numbers, read signs, translate, look at things and keep notes."
    )
    lacks = _lacks(Phone(), Sights())
    assert abilities(groups, "en", lacks) == "I'm Ridealong, your assistant. I can keep notes."
    assert abilities(groups, "zh", lacks) == "我是 Ridealong，随车的助手。我能记笔记。"

    class Dials:
        async def dial(self, number: str) -> None:
            raise NotImplementedError

    assert "make calls" not in _lacks(Phone(dialer=Dials()), Sights())  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["help me carry this", "what can you do about the noise", "who is that", "你能打开车窗吗"])
def test_other_questions_stay_what_they_are(text: str) -> None:
    decision = decide(text)
    assert not isinstance(decision, Calls) or all(match.capability != "help.abilities" for match in decision.matches)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("no, that's fine", "fine"),
        ("That's OK.", "fine"),
        ("all good", "fine"),
        ("sorry", "fine"),
        ("没事", "fine"),
        ("行了", "fine"),
        ("你真棒", "fine"),
        ("good night", "farewell"),
        ("Bye!", "farewell"),
        ("再见", "farewell"),
        ("the fan is fine", ""),
        ("good morning", ""),
        ("is that all right", ""),
        ("不行", ""),
        ("好冷", ""),
        ("fine, open the window", ""),
    ],
)
def test_who_ends_a_matter_gets_a_word(text: str, kind: str) -> None:
    locale = "en" if text.isascii() else "zh"
    assert closing(text, locale) == kind
    if kind:
        assert chitchat_sentence(kind, locale)


@pytest.mark.parametrize(
    "text", ["What can you see?", "How can you tell?", "Where can you see that?", "Otherwise, open the window."]
)
def test_a_question_word_at_the_beginning_is_nobodys_name(text: str) -> None:
    assert decide(text) != Nothing("other_addressee")


@pytest.mark.parametrize("text", ["Anna can you do that?", "Will, can you open it?"])
def test_a_name_still_is(text: str) -> None:
    assert decide(text) == Nothing("other_addressee")


def test_the_judge_of_honesty_finds_no_fact_in_what_it_cannot_do() -> None:
    said = [
        sentence
        for kind in (*SENTENCES.values(), *QUESTIONS.values())
        for sentence in kind.values()
        if "call for help" not in sentence
    ]
    assert [sentence for sentence in said if not judged(sentence, Known("x")).honest] == []
