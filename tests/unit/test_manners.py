"""Manners change nothing of what is asked for, and are taken from commands alone."""

from __future__ import annotations

import pytest

from ridealong.harness.manners import plainly_asked
from ridealong.harness.router import Calls
from ridealong.harness.slots.text import has_chinese
from tests.unit.car_words import decide

pytestmark = pytest.mark.unit
ASKED = {
    "en": ("open my window", "open the windows on the right", "lock the doors", "set the fan to thirty", "navigate to the airport", "turn off the AC", "open the passenger window a third"),
    "zh": ("打开车窗", "关右后窗", "关掉空调", "调到24度", "把温度调高一点", "导航去机场", "打开主驾座椅加热"),
}  # fmt: skip
MANNERS = {
    "en": ("go ahead and {}", "I'd like you to {}", "I need you to {}", "could you {} for me?", "okay, go ahead and {} please", "{}, please", "quickly, {}", "would you {}, thank you"),
    "zh": ("你给我{}", "请你帮我{}，谢谢", "麻烦你{}一下", "快点{}", "赶紧{}", "请{}"),
}  # fmt: skip


def calls(text: str) -> list[tuple[str, object]]:
    decision = decide(text)
    assert isinstance(decision, Calls), text
    return [(one.capability, dict(one.arguments)) for one in decision.matches]


@pytest.mark.parametrize(("locale", "manner"), [(locale, manner) for locale, manners in MANNERS.items() for manner in manners])
def test_with_manners_it_is_the_same(locale: str, manner: str) -> None:
    wrong = [text for one in ASKED[locale] if calls(text := manner.format(one)) != calls(one)]
    assert not wrong


@pytest.mark.parametrize(
    "text", ["I'd like you to meet Anna", "go ahead", "快点", "heat the seat for me", "给我打电话", "I need you to be quiet"]
)
def test_what_is_no_command_stays_as_it_is(text: str) -> None:
    assert plainly_asked(text, "zh" if has_chinese(text) else "en") == text


def test_a_place_is_no_place_with_the_words_around_it() -> None:
    assert calls("I'd like you to take me to Cambridge") == [("navigation.set_destination", {"place": "Cambridge"})]
    assert calls("可以导航植物园吗") == [("navigation.set_destination", {"place": "植物园"})]
