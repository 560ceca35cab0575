"""Called by its name, the assistant understands the same as without: the tagger has not learnt the names, and takes them for somebody else's."""

from __future__ import annotations

import pytest

from ridealong.harness.router import AskBack, Calls, Decision
from ridealong.harness.skill import Context, Provenance
from ridealong.harness.tagged import without_our_name
from tests.unit.car_words import REGISTRY, acts, decide, router

pytestmark = pytest.mark.unit

EXAMPLES = [(locale, words) for skill in REGISTRY for locale, all_words in skill.examples.items() for words in all_words]


def meant(words: str, locale: str) -> object:
    """What is called, without capitals; None where nothing is."""
    decision: Decision = router().decide(words, locale, Context(provenance=Provenance.DRIVER), Provenance.DRIVER)
    if isinstance(decision, Calls):
        return str([(match.capability, dict(match.arguments)) for match in decision.matches]).casefold()
    return decision.question if isinstance(decision, AskBack) else None


@pytest.mark.parametrize(("locale", "words"), EXAMPLES)
def test_with_our_name_it_is_the_same(locale: str, words: str) -> None:
    names = ("Hey assistant, ", "Ridealong, ") if locale == "en" else ("小助手，", "嘿小助手")
    small = words[0].lower() + words[1:]
    assert {meant(f"{name}{small}", locale) for name in names} == {meant(small, locale)}


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Hey assistant, open my window.", "open my window."),
        ("open my window, assistant", "open my window"),
        ("嘿小助手，打开车窗", "打开车窗"),
        ("assistant", "assistant"),
        ("小助手", "小助手"),
        ("call the assistant manager", "call the assistant manager"),
    ],
)
def test_the_rest(text: str, rest: str) -> None:
    begin, words = without_our_name(text)
    assert words == rest and text[begin:].startswith(words)


@pytest.mark.parametrize("text", ["Carry on.", "Go on.", "Come on.", "Hang on.", "Hold on.", "Hey assistant, carry on."])
def test_their_on_switches_nothing(text: str) -> None:
    assert acts(decide(text)) == []
